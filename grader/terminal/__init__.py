"""An inspection as a person reads it in a terminal."""

from grader.terminal.report import learner_error_report, report

__all__ = ["learner_error_report", "report"]
