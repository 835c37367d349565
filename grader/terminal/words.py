"""Numbers, axes and counts in the words of the report; colours are those of the site's axes."""

from collections.abc import Iterable, Mapping
from typing import Final

from rich.text import Text

from grader.core.collectives import Collective
from grader.core.hlo.times import Times

_AXIS_COLOURS: Final = {
    "data": "#3f9be0",
    "model": "#e8843c",
    "fsdp": "#2fb88a",
    "expert": "#c979ba",
    "pipe": "#cdab2e",
    "seq": "#3fb6c6",
    "slice": "#b89a7c",
}
_OTHER_COLOURS: Final = ("#3f9be0", "#e8843c", "#2fb88a", "#c979ba", "#cdab2e", "#3fb6c6")
QUIET: Final = "bright_black"

type AxisColours = Mapping[str, str]


def axis_colours(names: Iterable[str]) -> AxisColours:
    """Return a colour for each axis: the known names have theirs, others take what is left."""
    colours: dict[str, str] = {}
    named = tuple(names)
    taken = {_AXIS_COLOURS[name] for name in named if name in _AXIS_COLOURS}
    free = [colour for colour in _OTHER_COLOURS if colour not in taken] or list(_OTHER_COLOURS)
    for name in named:
        colours[name] = _AXIS_COLOURS.get(name) or free[len(colours) % len(free)]
    return colours


def axes_text(axes: Iterable[str], colours: AxisColours) -> Text:
    """Return axis names in their colours."""
    words = [Text(name, style=f"bold {colours.get(name, 'white')}") for name in axes]
    return Text(" ").join(words)


def place_text(row: Collective, colours: AxisColours) -> Text:
    """Return where a collective lies: its axes, a part of one, or the groups themselves."""
    if row.axes:
        return axes_text(row.axes, colours)
    if row.part_of:
        return Text.assemble(("part of ", QUIET), axes_text(row.part_of, colours))
    return Text("no axis", style=QUIET)


def groups_text(row: Collective) -> str:
    """Return the first groups of a row that has them, as positions."""
    shown = [f"{{{' '.join(map(str, group))}}}" for group in (row.groups or ())[:4]]
    more = " …" if len(row.groups or ()) > 4 else ""
    return " ".join(shown) + more


def bytes_text(count: int) -> str:
    """Return a number of bytes in binary units, exact where it is a round number of them."""
    value = float(count)
    for unit in ("B", "KiB", "MiB", "GiB"):
        if value < 1024:
            return f"{value:,.0f} {unit}" if value == int(value) else f"{value:,.2f} {unit}"
        value /= 1024
    return f"{value:,.2f} TiB"


def seconds_text(seconds: float | None) -> str:
    """Return seconds in the unit that suits them; a dash where they are not known."""
    if seconds is None:
        return "–"
    for limit, unit, scale in ((1e-3, "µs", 1e6), (1.0, "ms", 1e3)):
        if seconds < limit:
            return f"{seconds * scale:,.1f} {unit}"
    return f"{seconds:,.2f} s"


def times_text(times: Times) -> str:
    """Return a count: `5`, `0 or 1`, `at least 1`, `unknown`."""
    if times.exact is not None:
        return str(times.exact)
    if times.most is None:
        return f"at least {times.least}" if times.least else "unknown"
    return f"{times.least} to {times.most}" if times.most > 1 else "0 or 1"


def flops_text(times: Times) -> str:
    """Return floating point operations with a prefix, or a range of them."""
    if times.exact is None:
        most = "?" if times.most is None else _with_prefix(times.most)
        return f"{_with_prefix(times.least)} to {most}"
    return _with_prefix(times.exact)


def _with_prefix(count: float) -> str:
    for prefix in ("", "K", "M", "G", "T"):
        if count < 1000:
            return f"{count:.4g} {prefix}FLOP"
        count /= 1000
    return f"{count:.4g} PFLOP"
