"""`collectives`: which logical collectives a program has, on which axes, and how often they run."""

from collections.abc import Iterator, Sequence
from typing import Final

from grader.core.checks.observed import Compiled, Finding, failed, not_known, passed
from grader.core.collectives import Collective, Kind
from grader.core.hlo.times import NEVER, Times
from grader.core.rubric.checks import Collectives, Pattern, Required, Where

WHY: Final = (
    "What moves between devices, and how often, decides how a step scales; values do not show it."
)


def judge_collectives(check: Collectives, programs: tuple[Compiled, ...]) -> Finding:
    """Return whether every program has what is required and nothing that is forbidden."""
    wanted = "; ".join(_rules(check))
    wrong: list[tuple[str, int | None]] = []
    unknown: list[str] = []
    for program in programs:
        reading = program.inspection.reading
        if reading is None:
            raise ValueError("a program that was not compiled has no collectives")
        rows = [row for row in reading.collectives if row.times.most != 0]
        for required in check.require:
            verdict, message, line = _counted(required, rows)
            if verdict is False:
                wrong.append((message, line))
            elif verdict is None:
                unknown.append(message)
        wrong += [(described(row), line_of(row)) for row in _unwanted(check, rows)]
        unknown += [f"{one.hlo_name}: {one.reason}" for one in reading.not_understood]
    if wrong:
        (found, _), *others = dict.fromkeys(wrong)
        line = next((line for _, line in wrong if line is not None), None)
        return failed(wanted, found, line=line, also=tuple(message for message, _ in others))
    if unknown:
        return not_known(wanted, unknown[0])
    return passed(wanted, _summary(programs))


def matches(pattern: Pattern, row: Collective) -> bool:
    """Whether a row is meant by a pattern.

    A row whose groups are no axes of the mesh may touch any: `touches` then holds.
    """
    kinds = (pattern.kind,) if isinstance(pattern.kind, Kind) else pattern.kind
    looped = row.times.most is None or row.times.most > 1
    on = {*row.axes, *row.part_of}
    return (
        (not kinds or row.kind in kinds)
        and (pattern.axes is None or set(pattern.axes) == set(row.axes))
        and (not pattern.touches or not on or pattern.touches in on)
        and pattern.where in (Where.ANYWHERE, Where.INSIDE_LOOPS if looped else Where.OUTSIDE_LOOPS)
        and pattern.link in (None, row.link)
        and pattern.dtype in ("", row.dtype)
        and row.sent_bytes_per_device > pattern.larger_than_bytes - (not pattern.larger_than_bytes)
    )


def described(row: Collective) -> str:
    """Return a row for reading: kind, axes, how often, and where it is not on whole axes."""
    where = "+".join(row.axes) or (
        f"a part of {'+'.join(row.part_of)}" if row.part_of else f"groups of {row.group_size}"
    )
    times = row.times.exact
    often = f"{times} ×" if times is not None else "an unknown number of times"
    return f"{row.kind.value} over {where}, {often}"


def line_of(row: Collective) -> int | None:
    """Return the learner's line of a row, or of what it feeds."""
    return row.line if row.line is not None else row.feeds_line


def spelled(pattern: Pattern) -> str:
    """Return a pattern for reading."""
    kinds = (pattern.kind,) if isinstance(pattern.kind, Kind) else pattern.kind
    parts = [" or ".join(kind.value for kind in kinds) or "any collective"]
    if pattern.axes is not None:
        parts.append(f"over {'+'.join(pattern.axes)}")
    if pattern.touches:
        parts.append(f"touching {pattern.touches}")
    if pattern.where is not Where.ANYWHERE:
        parts.append(pattern.where.value.replace("_", " "))
    if pattern.link is not None:
        parts.append(f"on {pattern.link.value}")
    if pattern.dtype:
        parts.append(f"of {pattern.dtype}")
    if pattern.larger_than_bytes:
        parts.append(f"larger than {pattern.larger_than_bytes} B")
    return " ".join(parts)


def _rules(check: Collectives) -> Iterator[str]:
    for required in check.require:
        yield f"{spelled(required)}: {_count_spelled(required)}"
    for pattern in check.forbid:
        yield f"no {spelled(pattern)}"
    if check.nothing_else:
        yield "nothing else"


def _count_spelled(required: Required) -> str:
    least, most = _bounds(required)
    if least == most:
        return f"{least} ×"
    if most is None:
        return f"at least {least} ×"
    return f"at most {most} ×" if least == 0 else f"{least} to {most} ×"


def _bounds(required: Required) -> tuple[int, int | None]:
    if required.exactly is not None:
        return required.exactly, required.exactly
    usual = 1 if required.at_most is None else 0
    return (usual if required.at_least is None else required.at_least), required.at_most


def _counted(required: Required, rows: Sequence[Collective]) -> tuple[bool | None, str, int | None]:
    """Return whether the count is right (None: not known), a message, and the first row's line."""
    least, most = _bounds(required)
    meant = [row for row in rows if matches(required, row)]
    total = NEVER
    for row in meant:
        total = total + row.times
    line = line_of(meant[0]) if meant else None
    message = f"{spelled(required)}: {_times_spelled(total)}, wanted {_count_spelled(required)}"
    if (most is not None and total.least > most) or (total.most is not None and total.most < least):
        return False, message, line
    if total.least >= least and (most is None or (total.most is not None and total.most <= most)):
        return True, message, line
    return None, message, line


def _times_spelled(times: Times) -> str:
    if times.exact is not None:
        return f"{times.exact} ×" if times.exact else "none"
    return f"at least {times.least} ×"


def _unwanted(check: Collectives, rows: Sequence[Collective]) -> Iterator[Collective]:
    for row in rows:
        forbidden = any(matches(pattern, row) for pattern in check.forbid)
        allowed = any(matches(required, row) for required in check.require)
        if forbidden or (check.nothing_else and not allowed):
            yield row


def _summary(programs: tuple[Compiled, ...]) -> str:
    rows = [
        described(row)
        for program in programs
        if program.inspection.reading is not None
        for row in program.inspection.reading.collectives
    ]
    return "; ".join(dict.fromkeys(rows)) or "no collectives"
