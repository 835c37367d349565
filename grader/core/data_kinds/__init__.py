"""Judges of `data` exercises: each draws cases and judges answers that it derives itself."""
