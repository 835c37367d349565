"""What the site says of itself to those who run it: alive, ready, how busy, and what it did."""
