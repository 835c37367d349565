"""The one error that reading HLO raises."""


class HloError(ValueError):
    """The text is not compiled HLO that we understand; the message says where and why."""
