"""`answer`: draws the cases of a `data` exercise and judges what the learner's function gave."""

from collections.abc import Mapping
from typing import Final

from grader.core.checks.observed import Finding, Observed, failed, not_known, passed
from grader.core.data_kinds.index_maps import index_map_cases, judge_index_map
from grader.core.data_kinds.meshes import judge_mesh, mesh_cases
from grader.core.data_kinds.numbers import judge_numbers, number_cases
from grader.core.data_kinds.placements import judge_placement, placement_cases
from grader.core.data_kinds.shapes import AnswerShapeError, spelled
from grader.core.draws import Bits
from grader.core.evidence import Answered
from grader.core.rubric.documents import (
    DataRubric,
    IndexMapAnswer,
    MeshAnswer,
    NumbersAnswer,
    PlacementAnswer,
)

ANSWER_WHY: Final = (
    "The answer is used as it is, for inputs that nobody has seen when it was written."
)
_SHOWN = 5


def data_cases(rubric: DataRubric, *, exercise: str, seed: int) -> tuple[Mapping[str, object], ...]:
    """Return the cases that a learner's function is called with, without their answers."""
    bits = Bits((exercise, rubric.version, seed))
    answer = rubric.answer
    match answer:
        case MeshAnswer():
            return mesh_cases(devices=rubric.devices, bits=bits)
        case IndexMapAnswer():
            return index_map_cases(answer, bits=bits)
        case PlacementAnswer():
            return placement_cases(answer, bits=bits)
        case _:
            return number_cases(answer, bits=bits)


def judge_answers(observed: Observed) -> Finding:
    """Return whether every case was answered rightly."""
    rubric = observed.rubric
    if not isinstance(rubric, DataRubric):
        raise TypeError("only a data exercise has answers")
    answers = observed.evidence.answers
    wanted = f"right answers to {len(answers)} cases"
    if not answers:
        return not_known(wanted, "no case was run")
    known = {str(one.case): one.answer for one in observed.reference.answers}
    wrong = []
    for index, answered in enumerate(answers):
        if isinstance(rubric.answer, NumbersAnswer) and str(answered.case) not in known:
            return not_known(wanted, "the reference did not answer every case")
        message = _message(rubric, answered, known.get(str(answered.case)))
        if message:
            wrong.append(f"case {index + 1}, {spelled(dict(answered.case))}: {message}")
    if wrong:
        also = tuple(wrong[1:_SHOWN])
        return failed(wanted, f"{len(wrong)} wrong; {wrong[0]}", also=also)
    return passed(wanted, "all right")


def _message(rubric: DataRubric, answered: Answered, wanted: object) -> str:
    answer = rubric.answer
    try:
        match answer:
            case MeshAnswer():
                return judge_mesh(answer, answered.case, answered.answer)
            case IndexMapAnswer():
                return judge_index_map(answered.case, answered.answer)
            case PlacementAnswer():
                return judge_placement(answer, answered.case, answered.answer)
            case _:
                return judge_numbers(answer, wanted, answered.answer)
    except AnswerShapeError as error:
        return str(error)
