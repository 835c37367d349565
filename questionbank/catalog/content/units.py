"""The closed list of units that sheets and facts may use, and how each is written."""

import dataclasses
import re
from collections.abc import Mapping


@dataclasses.dataclass(frozen=True, slots=True)
class UnitKind:
    """One unit: `factor` times the `base` unit ("" for a plain number), and how it is written."""

    factor: float
    base: str
    one: str
    many: str


def _table() -> dict[str, UnitKind]:
    kinds: dict[str, UnitKind] = {}

    def add(name: str, factor: float, base: str, symbol: str = "", plural: str = "") -> None:
        symbol = symbol or name
        kinds[name] = UnitKind(factor, base, symbol, plural or symbol)

    add("byte", 1, "byte", "B")
    add("B", 1, "byte")
    for power, prefix in enumerate(["k", "M", "G", "T", "P"], start=1):
        add(f"{prefix}B", 1000.0**power, "byte")
        add(f"{prefix}FLOP", 1000.0**power, "FLOP")
    for power, prefix in enumerate(["k", "M", "G", "T"], start=1):
        add(f"{prefix.upper()}iB", 1024.0**power, "byte")
        add(f"{prefix}bit", 1000.0**power / 8, "byte")
    for power, prefix in enumerate(["k", "M", "G"], start=1):
        add(f"{prefix}Hz", 1000.0**power, "Hz")
    add("bit", 0.125, "byte")
    add("FLOP", 1, "FLOP")
    add("EFLOP", 1e18, "FLOP")
    add("Hz", 1, "Hz")
    for name, seconds in [("s", 1), ("ms", 1e-3), ("us", 1e-6), ("ns", 1e-9)]:
        add(name, seconds, "s", "µs" if name == "us" else "")
    add("minute", 60, "s", "min")
    add("hour", 3600, "s", "h")
    add("day", 86400, "s", "day", "days")
    add("year", 365 * 86400, "s", "year", "years")
    for name, joules in [("J", 1.0), ("kJ", 1e3), ("MJ", 1e6), ("kWh", 3.6e6)]:
        add(name, joules, "J")
    for name, watts in [("W", 1.0), ("kW", 1e3), ("MW", 1e6)]:
        add(name, watts, "W")
    add("USD", 1, "USD")
    add("INR", 1, "INR")
    add("param", 1, "param", "parameter", "parameters")
    for name in COUNTS[1:]:
        add(name, 1, name, name, f"{name}s")
    for name, size in [("thousand", 1e3), ("million", 1e6), ("billion", 1e9), ("trillion", 1e12)]:
        add(name, size, "")
    add("percent", 0.01, "", "%")
    add("%", 0.01, "")
    add("x", 1, "", "×")
    return kinds


COUNTS = (
    "param", "token", "chip", "host", "node", "request", "sequence", "sample", "step", "layer",
    "head", "core", "block", "page", "row", "cycle",
)  # fmt: skip

UNITS: Mapping[str, UnitKind] = _table()

_SCALES = frozenset({"thousand", "million", "billion", "trillion"})
_TIGHT = frozenset({"%", "percent", "x"})
_PART = re.compile(r"\s*(?P<joint>[*/]?)\s*(?P<name>[A-Za-z%]+)(?:\s*\^\s*(?P<power>-?[0-9]+))?")
# In a compound such as B/param the short word is the clearer one.
_SHORT = {"parameter": "param", "parameters": "params"}


@dataclasses.dataclass(frozen=True, slots=True)
class Unit:
    """A product of powers of units, such as GB/s: `parts` holds (name, power) as written."""

    parts: tuple[tuple[str, int], ...] = ()

    @property
    def factor(self) -> float:
        """How many base units (byte, s, FLOP, …) one of this unit is."""
        product = 1.0
        for name, power in self.parts:
            product *= UNITS[name].factor ** power
        return product

    @property
    def is_count(self) -> bool:
        """Whether it counts whole things, so that a large value is told in words."""
        match self.parts:
            case ():
                return True
            case ((name, 1),):
                return name in COUNTS
        return False

    def suffix(self, *, plural: bool) -> str:
        """Give what stands after the number, with its space where there is one."""
        if not self.parts:
            return ""
        over = " ".join(_written(n, p, plural=plural) for n, p in self.parts if p > 0)
        under = [_written(n, -p, plural=False) for n, p in self.parts if p < 0]
        if under or len([n for n, p in self.parts if p > 0 and n not in _SCALES]) > 1:
            over = " ".join(_SHORT.get(word, word) for word in over.split(" "))
            under = [_SHORT.get(word, word) for word in under]
        text = "/".join([over or "1", *under])
        return text if self.parts[0][0] in _TIGHT else f"\u00a0{text}"


PLAIN = Unit()


def parse_unit(text: str) -> Unit:
    """Read a unit such as `GB/s`, `FLOP/byte` or `billion param`; empty text is a plain number.

    Raises ValueError, whose message is for the author.
    """
    parts: list[tuple[str, int]] = []
    at = 0
    text = text.strip()
    while at < len(text):
        match = _PART.match(text, at)
        if match is None or (at == 0 and match["joint"]):
            raise ValueError(f"{text!r} is not a unit such as GB/s or FLOP/byte")
        if match["name"] not in UNITS:
            raise ValueError(f"unit {match['name']!r} is unknown; FORMAT.md lists the units")
        power = int(match["power"] or 1)
        parts.append((match["name"], -power if match["joint"] == "/" else power))
        at = match.end()
    return Unit(tuple(parts))


def _written(name: str, power: int, *, plural: bool) -> str:
    kind = UNITS[name]
    word = kind.many if plural and name not in _SCALES else kind.one
    return word if power == 1 else f"{word}^{power}"
