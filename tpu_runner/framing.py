"""Length-prefixed frames and the strict mapping between frames and frozen dataclasses."""

import dataclasses
import enum
import functools
import json
import struct
import types
import typing
from collections.abc import Mapping, Sequence
from typing import Any, BinaryIO, NoReturn

MAGIC = b"TPUR"
MAX_SECTIONS = 64
# magic, protocol version, message kind, header length, number of sections
_PREFIX = struct.Struct(">4sHHIH")
_SECTION_LENGTH = struct.Struct(">Q")
_INT64 = 2**63
_MAX_DEPTH = 32
_SECTION_CAP = "section_cap"


class ProtocolError(Exception):
    """The bytes are not one well-formed frame of the expected message: the only error."""


def section(*, cap: int) -> Any:
    """Declare a `bytes` or `str` field that travels as a raw section of at most `cap` bytes."""
    return dataclasses.field(metadata={_SECTION_CAP: cap})


def encode(message: Any, *, kind: int, version: int, header_cap: int) -> bytes:
    """Return the frame of a message. Raises ProtocolError where a part is larger than its cap."""
    sections: list[bytes] = []
    document = _to_json(message, sections)
    header = json.dumps(document, separators=(",", ":"), allow_nan=False).encode()
    if len(header) > header_cap:
        raise ProtocolError(f"header of {len(header)} bytes is over its cap of {header_cap}")
    if len(sections) > MAX_SECTIONS:
        raise ProtocolError(f"{len(sections)} sections are more than {MAX_SECTIONS}")
    prefix = _PREFIX.pack(MAGIC, version, kind, len(header), len(sections))
    lengths = b"".join(_SECTION_LENGTH.pack(len(part)) for part in sections)
    return b"".join((prefix, lengths, header, *sections))


def decode[Message](
    frame: bytes, message: type[Message], *, kind: int, version: int, header_cap: int
) -> Message:
    """Return the message that `frame` is, exactly. Raises only ProtocolError."""
    if len(frame) < _PREFIX.size:
        raise ProtocolError("the frame is shorter than its prefix")
    magic, found_version, found_kind, header_length, count = _PREFIX.unpack_from(frame)
    if magic != MAGIC:
        raise ProtocolError("the frame does not start with the magic number")
    if found_version != version:
        raise ProtocolError(f"protocol version {found_version}, expected {version}")
    if found_kind != kind:
        raise ProtocolError(f"message kind {found_kind}, expected {kind}")
    if header_length > header_cap:
        raise ProtocolError(f"header of {header_length} bytes is over its cap of {header_cap}")
    if count > MAX_SECTIONS:
        raise ProtocolError(f"{count} sections are more than {MAX_SECTIONS}")
    header, sections = _split(frame, header_length, count)
    reader = _Reader(sections)
    result = reader.read(message, _parse_json(header), "message", 0)
    reader.check_all_used()
    return typing.cast("Message", result)


def read_to_end(stream: BinaryIO, *, cap: int) -> bytes:
    """Read to end of file, at most `cap` + 1 bytes. Raises ProtocolError over the cap."""
    parts: list[bytes] = []
    total = 0
    while total <= cap:
        part = stream.read(min(1 << 20, cap + 1 - total))
        if not part:
            return b"".join(parts)
        parts.append(part)
        total += len(part)
    raise ProtocolError(f"more than {cap} bytes were sent")


def _split(frame: bytes, header_length: int, count: int) -> tuple[bytes, list[bytes]]:
    start = _PREFIX.size + count * _SECTION_LENGTH.size
    if len(frame) < start + header_length:
        raise ProtocolError("the frame ends before its header does")
    lengths = [
        _SECTION_LENGTH.unpack_from(frame, _PREFIX.size + index * _SECTION_LENGTH.size)[0]
        for index in range(count)
    ]
    if start + header_length + sum(lengths) != len(frame):
        raise ProtocolError("the lengths in the frame do not add up to its length")
    sections = []
    position = start + header_length
    for length in lengths:
        sections.append(frame[position : position + length])
        position += length
    return frame[start : start + header_length], sections


def _parse_json(header: bytes) -> object:
    try:
        return json.loads(
            header.decode("utf-8"),
            object_pairs_hook=_without_repeats,
            parse_constant=_refuse_constant,
        )
    except (ValueError, RecursionError) as error:
        raise ProtocolError(f"the header is not JSON: {type(error).__name__}") from None


def _without_repeats(pairs: Sequence[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ProtocolError("the header repeats a key")
    return found


def _refuse_constant(name: str) -> NoReturn:
    raise ProtocolError(f"the header holds {name}")


def _to_json(value: Any, sections: list[bytes]) -> object:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {
            field.name: _field_to_json(field, getattr(value, field.name), sections)
            for field in dataclasses.fields(value)
        }
    if isinstance(value, enum.StrEnum):
        return value.value
    if isinstance(value, tuple):
        return [_to_json(item, sections) for item in value]
    if isinstance(value, int) and not isinstance(value, bool) and not -_INT64 <= value < _INT64:
        raise ProtocolError("an integer is outside 64 bits")
    if value is None or isinstance(value, bool | int | float | str):
        return value
    raise ProtocolError(f"a message cannot carry {type(value).__name__}")


def _field_to_json(
    field: "dataclasses.Field[Any]",
    value: Any,
    sections: list[bytes],
) -> object:
    cap = field.metadata.get(_SECTION_CAP)
    if cap is None:
        return _to_json(value, sections)
    raw = value.encode("utf-8", "backslashreplace") if isinstance(value, str) else value
    if len(raw) > cap:
        raise ProtocolError(f"{field.name} has {len(raw)} bytes, over its cap of {cap}")
    sections.append(raw)
    return len(sections) - 1


@functools.cache
def _fields(message: type) -> Mapping[str, tuple[Any, int | None]]:
    hints = typing.get_type_hints(message)
    return {
        field.name: (hints[field.name], field.metadata.get(_SECTION_CAP))
        for field in dataclasses.fields(message)
    }


class _Reader:
    """Reads one JSON document into dataclasses, taking each section exactly once."""

    def __init__(self, sections: Sequence[bytes]) -> None:
        self._sections = sections
        self._used: set[int] = set()

    def check_all_used(self) -> None:
        if len(self._used) != len(self._sections):
            raise ProtocolError("the frame holds a section that nothing refers to")

    def read(self, hint: Any, value: object, where: str, depth: int) -> object:
        if depth > _MAX_DEPTH:
            raise ProtocolError(f"{where} is nested too deeply")
        if dataclasses.is_dataclass(hint) and isinstance(hint, type):
            return self._read_message(hint, value, where, depth)
        origin = typing.get_origin(hint)
        if origin in (types.UnionType, typing.Union):
            return self._read_optional(hint, value, where, depth)
        if origin is tuple:
            if not isinstance(value, list):
                raise ProtocolError(f"{where} is not a list")
            item = typing.get_args(hint)[0]
            return tuple(
                self.read(item, part, f"{where}[{index}]", depth + 1)
                for index, part in enumerate(value)
            )
        return _read_scalar(hint, value, where)

    def _read_optional(self, hint: Any, value: object, where: str, depth: int) -> object:
        choices = typing.get_args(hint)
        if value is None and type(None) in choices:
            return None
        for choice in choices:
            if choice in (str, int) and type(value) is choice:
                return _read_scalar(choice, value, where)
        structured = [item for item in choices if item not in (str, int, type(None))]
        if not structured:
            raise ProtocolError(f"{where} has the wrong type")
        return self.read(structured[0], value, where, depth + 1)

    def _read_message(self, message: type, value: object, where: str, depth: int) -> object:
        if not isinstance(value, dict):
            raise ProtocolError(f"{where} is not an object")
        known = _fields(message)
        if value.keys() != known.keys():
            odd = sorted(set(value) ^ set(known))[0]
            raise ProtocolError(f"{where} has a missing or unknown key {odd[:80]!r}")
        parts: dict[str, object] = {}
        for name, (hint, cap) in known.items():
            place = f"{where}.{name}"
            if cap is None:
                parts[name] = self.read(hint, value[name], place, depth + 1)
            else:
                parts[name] = self._take(hint, value[name], cap, place)
        try:
            return message(**parts)
        except ValueError as error:
            raise ProtocolError(f"{where}: {error}") from None

    def _take(self, hint: Any, index: object, cap: int, where: str) -> bytes | str:
        if type(index) is not int or not 0 <= index < len(self._sections) or index in self._used:
            raise ProtocolError(f"{where} does not name a section of its own")
        self._used.add(index)
        raw = self._sections[index]
        if len(raw) > cap:
            raise ProtocolError(f"{where} has {len(raw)} bytes, over its cap of {cap}")
        if hint is bytes:
            return raw
        try:
            return raw.decode("utf-8")
        except UnicodeDecodeError:
            raise ProtocolError(f"{where} is not UTF-8") from None


def _read_scalar(hint: Any, value: object, where: str) -> object:
    if isinstance(hint, type) and issubclass(hint, enum.StrEnum):
        if isinstance(value, str) and value in {member.value for member in hint}:
            return hint(value)
        raise ProtocolError(f"{where} is not a known {hint.__name__}")
    if hint is float and type(value) in (int, float):
        number = float(typing.cast("int | float", value)) if abs(value) < 1e300 else None  # type: ignore[arg-type]  # narrowed by the line above
        if number is not None:
            return number
    elif type(value) is hint and hint in (bool, int, str):
        if hint is int and not -_INT64 <= typing.cast("int", value) < _INT64:
            raise ProtocolError(f"{where} is outside 64 bits")
        return value
    raise ProtocolError(f"{where} has the wrong type")
