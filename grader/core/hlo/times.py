"""How often each computation runs: counts that may be exact, a range, or without an upper end."""

import dataclasses
from collections.abc import Iterator, Mapping

from grader.core.hlo.errors import HloError
from grader.core.hlo.loops import Scope, trip_count
from grader.core.hlo.module import Computation, Instruction, Module


@dataclasses.dataclass(frozen=True, slots=True)
class Times:
    """A count between `least` and `most`; `most` is None where nothing bounds it."""

    least: int
    most: int | None

    @property
    def exact(self) -> int | None:
        """The count where it is one number, else None."""
        return self.least if self.least == self.most else None

    def __add__(self, other: "Times") -> "Times":
        most = None if self.most is None or other.most is None else self.most + other.most
        return Times(self.least + other.least, most)

    def __mul__(self, other: "Times") -> "Times":
        never = 0 in (self.most, other.most)
        open_ended = self.most is None or other.most is None
        most = 0 if never else None if open_ended else (self.most or 0) * (other.most or 0)
        return Times(self.least * other.least, most)


ONCE = Times(1, 1)
NEVER = Times(0, 0)
_PERHAPS = Times(0, 1)
_MAX_DEPTH = 100  # of calls in calls; real programs have a dozen
_UNKNOWN = Times(0, None)


def times_by_computation(module: Module) -> Mapping[str, Times]:
    """Return how often each computation that the entry reaches runs in one execution.

    Computations that only combine elements (`to_apply` of reductions, sorts and maps) are left out:
    they hold no collective, and their count is one of elements. Raises `HloError` where a
    computation calls itself or one that does not exist.
    """
    times: dict[str, Times] = {}
    scopes = _scopes_in_call_order(module)
    times[module.entry.name] = ONCE
    for name, (scope, calls) in scopes.items():
        for callee, call, attribute in calls:
            own = times.get(name, NEVER)
            factor = _factor(module, call, attribute, scope)
            times[callee] = times.get(callee, NEVER) + own * factor
    return times


def callers_first(module: Module) -> tuple[Computation, ...]:
    """Return the computations that the entry reaches, each after all that call it."""
    return tuple(module.computations[name] for name in _scopes_in_call_order(module))


type _Calls = tuple[tuple[str, Instruction, str], ...]

_CALLING_ATTRIBUTES = {
    "while": ("condition", "body"),
    "conditional": ("branch_computations", "true_computation", "false_computation"),
    "call": ("to_apply", "calls"),
    "custom-call": ("called_computations", "calls"),
}


def _calling_attributes(opcode: str) -> tuple[str, ...]:
    if opcode == "call-start":
        return _CALLING_ATTRIBUTES["call"]
    if opcode == "fusion" or opcode.endswith("-start"):
        return ("calls", "called_computation")
    return _CALLING_ATTRIBUTES.get(opcode, ())


def calls_of_instruction(instruction: Instruction) -> Iterator[str]:
    """Yield the name of each computation that an instruction runs."""
    for attribute in _calling_attributes(instruction.opcode):
        yield from instruction.called(attribute)


def calls_of(computation: Computation) -> Iterator[tuple[str, Instruction, str]]:
    """Yield (callee's name, calling instruction, attribute) for each call that runs code."""
    for instruction in computation.instructions:
        for attribute in _calling_attributes(instruction.opcode):
            for callee in instruction.called(attribute):
                yield callee, instruction, attribute


def _scopes_in_call_order(module: Module) -> dict[str, tuple[Scope, _Calls]]:
    """Return the reachable computations, callers before callees, each with its calls.

    The scope follows one chain of callers; where there are several, values that come in through
    parameters would differ, so the chain is cut and the loop's count stays unknown.
    """
    calls: dict[str, _Calls] = {}
    order: list[str] = []
    stack: list[tuple[str, bool]] = [(module.entry.name, False)]
    open_names: set[str] = set()
    while stack:
        name, is_done = stack.pop()
        if is_done:
            open_names.discard(name)
            order.append(name)
            continue
        if name in calls:
            if name in open_names:
                raise HloError(f"computation {name!r} calls itself")
            continue
        computation = module.computations.get(name)
        if computation is None:
            raise HloError(f"computation {name!r} is called but not defined")
        calls[name] = tuple(calls_of(computation))
        open_names.add(name)
        stack.append((name, True))
        stack.extend((callee, False) for callee, _, _ in calls[name])
    return _chained(module, calls, reversed(order))


def _chained(
    module: Module, calls: Mapping[str, _Calls], order: Iterator[str]
) -> dict[str, tuple[Scope, _Calls]]:
    callers: dict[str, list[tuple[str, Instruction]]] = {}
    scopes: dict[str, tuple[Scope, _Calls]] = {}
    depths: dict[str, int] = {}
    for name in order:
        sites = callers.get(name, [])
        computation = module.computations[name]
        scope = Scope(computation)
        if len(sites) == 1:
            caller, site = sites[0]
            scope = Scope(computation, site=site, outer=scopes[caller][0])
        scopes[name] = (scope, calls[name])
        depths[name] = 1 + max((depths[caller] for caller, _ in sites), default=0)
        if depths[name] > _MAX_DEPTH:
            raise HloError(f"computation {name!r} is called {_MAX_DEPTH} calls deep")
        for callee, call, _ in calls[name]:
            callers.setdefault(callee, []).append((name, call))
    return scopes


def _factor(module: Module, call: Instruction, attribute: str, scope: Scope) -> Times:
    if call.opcode == "conditional":
        return _PERHAPS
    if call.opcode != "while":
        return ONCE
    trips = trip_count(module, call, scope)
    if trips is None:
        return _UNKNOWN + ONCE if attribute == "condition" else _UNKNOWN
    return Times(trips, trips) if attribute == "body" else Times(trips + 1, trips + 1)


def in_order_of_call(module: Module) -> Iterator[Computation]:
    """Yield each computation that the entry reaches once, callers before what they call."""
    seen = {module.entry.name}
    stack = [module.entry.name]
    while stack:
        computation = module.computations[stack.pop()]
        yield computation
        fresh = [name for name, _, _ in calls_of(computation) if name not in seen]
        seen.update(fresh)
        stack.extend(reversed(dict.fromkeys(fresh)))


def in_execution_order(module: Module) -> Iterator[tuple[Computation, Instruction]]:
    """Yield scheduled instructions in the order in which they run, each once.

    The body of a loop, a call or a branch stands before the instruction that runs it. What fusions
    and asynchronous wrappers call has no schedule of its own and is left out.
    """
    yield from _run(module, module.entry, {module.entry.name})


def _run(
    module: Module, computation: Computation, seen: set[str]
) -> Iterator[tuple[Computation, Instruction]]:
    for instruction in computation.instructions:
        if instruction.opcode in _CALLING_ATTRIBUTES:
            for attribute in _CALLING_ATTRIBUTES[instruction.opcode]:
                for name in instruction.called(attribute):
                    if name not in seen:
                        seen.add(name)
                        yield from _run(module, module.computations[name], seen)
        yield computation, instruction
