"""Checks of amounts, most against the reference's: traffic, memory, flops, overlap, time."""

from collections.abc import Mapping
from typing import Final

from grader.core.checks.communication import described, line_of, matches, spelled
from grader.core.checks.observed import (
    Compiled,
    Finding,
    Observed,
    byte_count,
    failed,
    not_known,
    passed,
)
from grader.core.collectives import Collective
from grader.core.hlo.times import NEVER, Times
from grader.core.rubric.checks import Compilations, Figure, Flops, Memory, Overlap, Time, Traffic

TRAFFIC_WHY: Final = "Bytes on the wire are what a faster chip does not make faster."
MEMORY_WHY: Final = "What does not fit in a device's memory does not run, however fast it would be."
FLOPS_WHY: Final = (
    "Work that every device repeats costs as much as the devices it is repeated on: sharding that "
    "does not divide the work only divides the memory."
)
OVERLAP_WHY: Final = "Traffic that no compute hides is time in which the matrix units stand still."
COMPILATIONS_WHY: Final = (
    "Each new shape is a compilation, minutes long for a real model, in the middle of serving."
)
TIME_WHY: Final = (
    "A model of the slice's links and matrix units, not a measurement: it orders programs."
)

type Route = tuple[str, str]  # axes, link


def judge_traffic(
    check: Traffic, programs: tuple[Compiled, ...], reference: tuple[Compiled, ...]
) -> Finding:
    """Return whether each device sends no more than the reference's, on each axis and link."""
    rows = _rows(programs)
    found, allowed = traffic_by_route(programs), traffic_by_route(reference)
    limits = {
        route: int(check.factor * allowed.get(route, NEVER).least) + check.slack_bytes
        for route in {**found, **allowed}
    }
    wanted = "; ".join(
        f"{_route(route)}: at most {byte_count(limit)} from each device"
        for route, limit in sorted(limits.items())
    )
    wanted = wanted or "no traffic"
    if unread := _unread(programs):
        return not_known(wanted, unread)
    if any(times.exact is None for times in allowed.values()):
        return not_known(wanted, "the reference's own traffic is not known")
    wrong = [
        (route, f"{_route(route)}: {byte_count(times.least)}, at most {byte_count(limits[route])}")
        for route, times in sorted(found.items())
        if times.least > limits[route]
    ]
    if wrong:
        worst = max(
            (row for row in rows if route_of(row) == wrong[0][0]),
            key=lambda row: row.sent_bytes_per_device * row.times.least,
        )
        return failed(
            wanted,
            f"{wrong[0][1]} (most of it: {described(worst)})",
            line=line_of(worst),
            also=tuple(message for _, message in wrong[1:]),
        )
    for route, times in found.items():
        if times.most is None or times.most > limits[route]:
            return not_known(wanted, f"{_route(route)}: how often it is sent is not known")
    said = "; ".join(
        f"{_route(route)}: {byte_count(times.least)}" for route, times in sorted(found.items())
    )
    if any(times.least for times in allowed.values()) and not any(
        times.least for times in found.values()
    ):
        return not_known(wanted, "no traffic at all, where the reference cannot do without")
    return passed(wanted, said or "no traffic")


def traffic_by_route(programs: tuple[Compiled, ...]) -> Mapping[Route, Times]:
    """Return the bytes that each device sends in all calls, by axes and link."""
    found: dict[Route, Times] = {}
    for program in programs:
        for row in _rows((program,)):
            sent = row.sent_bytes_per_device * program.calls
            route = route_of(row)
            found[route] = found.get(route, NEVER) + row.times * Times(sent, sent)
    return found


def route_of(row: Collective) -> Route:
    """Return what a row's traffic is counted under: its axes, or what it is a part of."""
    axes = "+".join(row.axes) or "+".join(row.part_of) or "no axis"
    return axes, row.link.value


def judge_memory(
    check: Memory, programs: tuple[Compiled, ...], reference: tuple[Compiled, ...]
) -> Finding:
    """Return whether one figure of the memory analysis is within its bounds, on each device."""
    found, usual = _memory(check.figure, programs), _memory(check.figure, reference)
    name = {"peak": "peak memory", "temp": "temporary memory"}.get(
        check.figure, f"{check.figure.value} memory"
    )
    relative = check.at_most is not None or check.at_least is not None
    if found is None or (relative and usual is None):
        return not_known(f"{name} within bounds", f"this compiler does not state {name}")
    most = _least_of(
        None if check.at_most is None else int(check.at_most * (usual or 0)), check.at_most_bytes
    )
    least = max(int((check.at_least or 0) * (usual or 0)), check.at_least_bytes or 0)
    parts = [f"at least {byte_count(least)}"] if least else []
    parts += [f"at most {byte_count(most)}"] if most is not None else []
    wanted = f"{name}: {' and '.join(parts) or 'some'} on each device"
    if found < least or (most is not None and found > most):
        return failed(wanted, byte_count(found))
    if relative and not usual:
        return not_known(wanted, "the reference's figure is zero, so it bounds nothing")
    if found == 0 and check.figure in (Figure.TEMP, Figure.PEAK, Figure.ARGUMENT, Figure.OUTPUT):
        return not_known(wanted, "the compiler states zero, which cannot be")
    return passed(wanted, byte_count(found))


def _least_of(left: int | None, right: int | None) -> int | None:
    return min((one for one in (left, right) if one is not None), default=None)


def _memory(figure: Figure, programs: tuple[Compiled, ...]) -> int | None:
    """Return the greatest of all programs; None where one compiler does not state it."""
    found = []
    for program in programs:
        memory = program.inspection.memory
        value: int | None = None if memory is None else getattr(memory, figure.value)
        if value is None:
            return None
        found.append(value)
    return max(found, default=None)


def judge_flops(
    check: Flops, programs: tuple[Compiled, ...], reference: tuple[Compiled, ...]
) -> Finding:
    """Return whether each device multiplies no more than the reference's, in all calls."""
    found, usual = _flops(programs), _flops(reference)
    if usual is None or usual.exact is None:
        return not_known("flops", "the reference's own products could not all be counted")
    limit = int(check.at_most * usual.exact)
    wanted = f"at most {limit:,} flops on each device"
    if found is None:
        return not_known(wanted, "some products could not be read")
    if found.least > limit:
        return failed(wanted, f"{found.least:,}", line=_heaviest_line(programs))
    if found.most is None or found.most > limit:
        return not_known(wanted, "how often a product runs is not known")
    if found.most == 0:
        return not_known(wanted, "no product at all")
    return passed(wanted, f"{found.least:,}")


def _flops(programs: tuple[Compiled, ...]) -> Times | None:
    total = NEVER
    for program in programs:
        reading = program.inspection.reading
        if reading is None or reading.products.not_understood:
            return None
        total = total + reading.products.flops * Times(program.calls, program.calls)
    return total


def _heaviest_line(programs: tuple[Compiled, ...]) -> int | None:
    products = [
        product
        for program in programs
        if program.inspection.reading is not None
        for product in program.inspection.reading.products.products
    ]
    return max(products, key=lambda one: one.flops * one.times.least).line


def judge_overlap(check: Overlap, programs: tuple[Compiled, ...]) -> Finding:
    """Return whether enough of the matching rows' bytes has compute between start and done.

    A collective that the compiler took apart into a loop around products is hidden by design.
    """
    rows = [row for row in _rows(programs) if matches(check.of, row)]
    total = sum(_weight(row) for row in rows)
    wanted = f"at least {check.at_least:.0%} of the bytes of {spelled(check.of)} behind compute"
    if unread := _unread(programs):
        return not_known(wanted, unread)
    if not total:
        return failed(wanted, f"there is no {spelled(check.of)}")
    bare = [row for row in rows if not (row.overlapped_by or row.is_decomposed)]
    share = 1 - sum(_weight(row) for row in bare) / total
    if share >= check.at_least:
        return passed(wanted, f"{share:.0%}")
    worst = max(bare, key=_weight)
    return failed(wanted, f"{share:.0%}; nothing hides {described(worst)}", line=line_of(worst))


def _weight(row: Collective) -> int:
    return row.sent_bytes_per_device * max(row.times.least, 1)


def judge_compilations(check: Compilations, observed: Observed) -> Finding:
    """Return whether the calls used few enough programs."""
    used = observed.evidence.programs_used
    wanted = f"at most {check.at_most} programs for all calls"
    if used is None:
        return not_known(wanted, "no call ran")
    found = f"{used} programs"
    return passed(wanted, found) if used <= check.at_most else failed(wanted, found)


def judge_time(
    check: Time, programs: tuple[Compiled, ...], reference: tuple[Compiled, ...]
) -> Finding:
    """Return whether the modelled time is near the reference's."""
    found, usual = _seconds(programs), _seconds(reference)
    if usual is None:
        return not_known("modelled time", "the reference's time cannot be modelled")
    wanted = f"modelled time of at most {1e6 * check.at_most * usual:.4g} µs"
    if found is None:
        return not_known(wanted, "the time of something in it cannot be modelled")
    if found == 0:
        return not_known(wanted, "nothing in it that the model knows takes time")
    said = f"{1e6 * found:.4g} µs"
    return passed(wanted, said) if found <= check.at_most * usual else failed(wanted, said)


def _seconds(programs: tuple[Compiled, ...]) -> float | None:
    total = 0.0
    for program in programs:
        reading = program.inspection.reading
        modelled = reading.modelled if reading is not None else None
        if modelled is None or modelled.seconds is None:
            return None
        total += program.calls * modelled.seconds
    return total


def _rows(programs: tuple[Compiled, ...]) -> list[Collective]:
    return [
        row
        for program in programs
        if program.inspection.reading is not None
        for row in program.inspection.reading.collectives
    ]


def _unread(programs: tuple[Compiled, ...]) -> str:
    for program in programs:
        reading = program.inspection.reading
        for one in reading.not_understood if reading is not None else ():
            return f"{one.hlo_name}: {one.reason}"
    return ""


def _route(route: Route) -> str:
    axes, link = route
    return f"over {axes}" + (" between slices" if link == "dcn" else "")
