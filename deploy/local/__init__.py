"""Starts the whole site on one machine, with nothing to install or set up by hand."""
