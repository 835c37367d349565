"""`numbers`: the function's results on drawn cases, against the reference's."""

from collections.abc import Mapping

from grader.core.data_kinds.shapes import spelled
from grader.core.draws import Bits
from grader.core.rubric.documents import DrawnArgument, NumbersAnswer


def number_cases(answer: NumbersAnswer, *, bits: Bits) -> tuple[Mapping[str, object], ...]:
    """Return drawn arguments, by name."""
    return tuple(
        {name: _argument(rule, bits) for name, rule in answer.arguments.items()}
        for _ in range(answer.cases)
    )


def judge_numbers(answer: NumbersAnswer, wanted: object, given: object) -> str:
    """Return what is wrong with a result, or nothing: numbers may be off by rtol, nothing else."""
    if _same(given, wanted, answer.rtol):
        return ""
    return f"{spelled(given)}, not {spelled(wanted)}"


def _same(given: object, wanted: object, rtol: float) -> bool:
    if isinstance(wanted, bool) or isinstance(given, bool):
        return given is wanted
    if isinstance(wanted, int | float):
        return isinstance(given, int | float) and abs(given - wanted) <= rtol * abs(wanted)
    if isinstance(wanted, list):
        return (
            isinstance(given, list)
            and len(given) == len(wanted)
            and all(_same(*pair, rtol) for pair in zip(given, wanted, strict=True))
        )
    if isinstance(wanted, dict):
        return (
            isinstance(given, dict)
            and given.keys() == wanted.keys()
            and all(_same(given[key], value, rtol) for key, value in wanted.items())
        )
    return given == wanted


def _argument(rule: DrawnArgument, bits: Bits) -> object:
    if rule.length is None:
        return _one(rule, bits)
    least, greatest = rule.length
    return [_one(rule, bits) for _ in range(int(bits.integers(least, greatest + 1, 1)[0]))]


def _one(rule: DrawnArgument, bits: Bits) -> int | str:
    if rule.integers is not None:
        return int(bits.integers(*rule.integers, 1)[0])
    words = rule.one_of or ()
    return words[int(bits.integers(0, len(words), 1)[0])]
