"""Rubrics: what an exercise asks and how it is checked, as data."""

from grader.core.rubric.checks import ProgramCheck
from grader.core.rubric.documents import DataRubric, ProgramRubric, ProgramSetRubric, Rubric
from grader.core.rubric.reading import RubricProblem, read_rubric

__all__ = [
    "DataRubric",
    "ProgramCheck",
    "ProgramRubric",
    "ProgramSetRubric",
    "Rubric",
    "RubricProblem",
    "read_rubric",
]
