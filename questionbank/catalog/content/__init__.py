"""Content as files: parse it strictly, prove what it claims, render it. Needs no Django."""
