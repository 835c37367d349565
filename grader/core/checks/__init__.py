"""The checks of a rubric, each a pure function from evidence to results."""
