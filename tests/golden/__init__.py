"""Programs compiled by the real compilers, kept with the rows that a specialist reads in them."""
