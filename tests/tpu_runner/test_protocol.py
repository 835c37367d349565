"""The wire format: what goes in comes out, and nothing but ProtocolError comes of bad bytes."""

import io
import json
import struct

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tpu_runner import protocol
from tpu_runner.protocol import (
    Argument,
    AxisType,
    LearnerError,
    LearnerErrorKind,
    LearnerFrame,
    MeshAxis,
    MeshSpec,
    Phase,
    ProtocolError,
    SpecsFrom,
    TensorSpec,
    TracedLeaf,
    TraceOutcome,
    TraceReport,
    TraceRequest,
    from_frame,
    read_to_end,
    to_frame,
)

names = st.text(min_size=1, max_size=8)
specs = st.none() | st.lists(st.lists(names, max_size=2).map(tuple), max_size=3).map(tuple)
sizes = st.integers(min_value=0, max_value=2**40)
shapes = st.lists(sizes, max_size=3).map(tuple)
tensors = st.builds(TensorSpec, dtype=names, shape=shapes, spec=specs)
paths = st.lists(names | st.integers(min_value=0, max_value=9), min_size=1, max_size=3).map(tuple)
meshes = st.lists(
    st.builds(MeshAxis, name=names, size=st.integers(1, 8), type=st.sampled_from(AxisType)),
    min_size=1,
    max_size=3,
    unique_by=lambda axis: axis.name,
).map(lambda axes: MeshSpec(axes=tuple(axes)))
requests = st.builds(
    TraceRequest,
    source=st.binary(max_size=64),
    mesh=meshes,
    arguments=st.none()
    | st.lists(st.builds(Argument, path=paths, tensor=tensors), max_size=3).map(tuple),
    specs_from=st.sampled_from(SpecsFrom),
)
leaves = st.lists(
    st.builds(TracedLeaf, path=names, dtype=names, shape=shapes, spec=specs, donated=st.booleans()),
    max_size=2,
).map(tuple)
errors = st.builds(
    LearnerError,
    kind=st.sampled_from(LearnerErrorKind),
    message=st.text(max_size=20),
    exception=names,
    frames=st.lists(
        st.builds(LearnerFrame, line=sizes, function=names, text=st.text(max_size=8)), max_size=2
    ).map(tuple),
)
reports = st.builds(
    TraceReport,
    outcome=st.sampled_from(TraceOutcome),
    error=st.none() | errors,
    artefact=st.binary(max_size=64),
    function=names,
    arguments=leaves,
    results=leaves,
    output=st.text(max_size=20),
    output_bytes=sizes,
    phases=st.lists(
        st.builds(Phase, name=names, seconds=st.floats(0, 1e6, allow_nan=False)), max_size=2
    ).map(tuple),
)

SMALL = TraceRequest(
    source=b"x = 1",
    mesh=MeshSpec(axes=(MeshAxis(name="data", size=2, type=AxisType.AUTO),)),
    arguments=None,
    specs_from=SpecsFrom.REQUEST,
)


def with_header(change: dict[str, object]) -> bytes:
    """Return SMALL's frame with some top-level keys of its header set, or removed (None)."""
    frame = to_frame(SMALL)
    magic, version, kind, length, count = struct.unpack_from(">4sHHIH", frame)
    start = struct.calcsize(">4sHHIH") + 8 * count
    document = json.loads(frame[start : start + length])
    document.update(change)
    header = json.dumps({key: value for key, value in document.items() if value != "remove"})
    prefix = struct.pack(">4sHHIH", magic, version, kind, len(header), count)
    return prefix + frame[len(prefix) : start] + header.encode() + frame[start + length :]


@given(requests)
def test_a_request_comes_back_equal(request: TraceRequest) -> None:
    assert from_frame(to_frame(request), TraceRequest) == request


@given(reports)
def test_a_report_comes_back_equal(report: TraceReport) -> None:
    assert from_frame(to_frame(report), TraceReport) == report


@given(st.binary(max_size=200))
@example(b"")
@example(b"TPUR")
def test_random_bytes_raise_only_a_protocol_error(raw: bytes) -> None:
    with pytest.raises(ProtocolError):
        from_frame(raw, TraceReport)


@given(reports, st.data())
def test_mutated_frames_give_a_report_or_a_protocol_error(
    report: TraceReport, data: st.DataObject
) -> None:
    frame = bytearray(to_frame(report))
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(frame) - 1))
        frame[place] = data.draw(st.integers(0, 255))
    frame = frame[: data.draw(st.integers(0, len(frame)))]
    try:
        found = from_frame(bytes(frame), TraceReport)
    except ProtocolError:
        return
    assert isinstance(found, TraceReport)


@pytest.mark.parametrize(
    "frame",
    [
        pytest.param(with_header({"extra": 1}), id="unknown key"),
        pytest.param(with_header({"mesh": "remove"}), id="missing key"),
        pytest.param(with_header({"source": 1}), id="section that is not there"),
        pytest.param(with_header({"source": True}), id="boolean for a section"),
        pytest.param(with_header({"source": "text"}), id="text for a section"),
        pytest.param(with_header({"specs_from": "elsewhere"}), id="unknown choice"),
        pytest.param(with_header({"mesh": {"axes": []}}), id="mesh without axes"),
        pytest.param(with_header({"mesh": []}), id="list for an object"),
        pytest.param(with_header({"arguments": {}}), id="object for a list"),
        pytest.param(with_header({"arguments": [[[[[[]]]]]]}), id="nested lists"),
        pytest.param(
            with_header({"mesh": {"axes": [{"name": "a", "size": 2**80, "type": "auto"}]}}),
            id="huge integer",
        ),
        pytest.param(
            with_header({"mesh": {"axes": [{"name": "a", "size": 1.0, "type": "auto"}]}}),
            id="float for an integer",
        ),
        pytest.param(to_frame(SMALL) + b"x", id="bytes after the frame"),
        pytest.param(to_frame(SMALL) * 2, id="two frames"),
        pytest.param(to_frame(SMALL)[:-1], id="truncated"),
        pytest.param(b"XXXX" + to_frame(SMALL)[4:], id="wrong magic"),
        pytest.param(b"TPUR\0\2" + to_frame(SMALL)[6:], id="another version"),
        pytest.param(
            struct.pack(">4sHHIH", b"TPUR", 1, 1, 2, 1) + struct.pack(">Q", 2**63) + b"{}",
            id="length of 2^63",
        ),
        pytest.param(struct.pack(">4sHHIH", b"TPUR", 1, 1, 2**32 - 1, 0), id="header of 4 GiB"),
        pytest.param(struct.pack(">4sHHIH", b"TPUR", 1, 1, 2, 65535) + b"{}", id="many sections"),
        pytest.param(
            struct.pack(">4sHHIH", b"TPUR", 1, 1, 200000, 0) + b"[" * 200000, id="deep JSON"
        ),
        pytest.param(
            struct.pack(">4sHHIH", b"TPUR", 1, 1, 13, 0) + b'{"a":1,"a":1}', id="repeated key"
        ),
        pytest.param(struct.pack(">4sHHIH", b"TPUR", 1, 1, 3, 0) + b"NaN", id="NaN"),
    ],
)
def test_a_malformed_frame_is_refused(frame: bytes) -> None:
    with pytest.raises(ProtocolError):
        from_frame(frame, TraceRequest)


def test_a_frame_of_another_message_is_refused() -> None:
    with pytest.raises(ProtocolError, match="kind"):
        from_frame(to_frame(SMALL), TraceReport)


def test_an_artefact_over_its_cap_is_refused_on_both_sides() -> None:
    report = TraceReport(
        outcome=TraceOutcome.TRACED,
        error=None,
        artefact=b"x" * (protocol.ARTEFACT_CAP_BYTES + 1),
        function="f",
        arguments=(),
        results=(),
        output="",
        output_bytes=0,
        phases=(),
    )
    with pytest.raises(ProtocolError, match="artefact"):
        to_frame(report)


def test_reading_stops_at_the_cap_and_not_at_the_end() -> None:
    endless = io.BytesIO(b"x" * 100)
    with pytest.raises(ProtocolError, match="more than 10 bytes"):
        read_to_end(endless, cap=10)
    assert endless.tell() == 11


def test_reading_up_to_the_cap_gives_all_of_it() -> None:
    assert read_to_end(io.BytesIO(b"x" * 10), cap=10) == b"x" * 10
