"""Rows that the raw HLO, read by hand, proved wrong, cut down to what misled the reader."""

import pytest

from grader.core.collectives import Findings, Kind, Mesh, find_collectives
from grader.core.hlo import parse_module

MESH = Mesh({"data": 2, "model": 2})
# Frame 1 is line 12 of the learner's file, frame 2 line 13. XLA gives an outermost frame parent 1.
FRAMES = """
FileNames
1 "f.py"

FunctionNames
1 "build.<locals>.f"

FileLocations
1 {file_name_id=1 function_name_id=1 line=12 end_line=12 column=1 end_column=2}
2 {file_name_id=1 function_name_id=1 line=13 end_line=13 column=1 end_column=2}

StackFrames
1 {file_location_id=1 parent_frame_id=1}
2 {file_location_id=2 parent_frame_id=1}

"""


def read(text: str, *, mesh: Mesh = MESH) -> Findings:
    header = f"HloModule m, is_scheduled=true, num_partitions={mesh.devices_per_slice}\n"
    return find_collectives(parse_module(header + FRAMES + text), mesh=mesh, learner_file="f.py")


# v5p fuses relu(x @ w1) into the product with w2: the outer fusion bears the line of its root.
TWO_PRODUCTS = """
%first (p0: bf16[8,8], p1: bf16[8,8]) -> bf16[8,8] {
  %p0 = bf16[8,8]{1,0} parameter(0)
  %p1 = bf16[8,8]{1,0} parameter(1)
  ROOT %c1 = bf16[8,8]{1,0} convolution(%p0, %p1), dim_labels=bf_io->bf, metadata={stack_frame_id=1}
}

%both (q0: bf16[8,8], q1: bf16[8,8], q2: bf16[8,8]) -> bf16[8,8] {
  %q0 = bf16[8,8]{1,0} parameter(0)
  %q1 = bf16[8,8]{1,0} parameter(1)
  %q2 = bf16[8,8]{1,0} parameter(2)
  %h = bf16[8,8]{1,0} fusion(%q1, %q2), kind=kOutput, calls=%first
  ROOT %c2 = bf16[8,8]{1,0} convolution(%h, %q0), dim_labels=bf_io->bf, metadata={stack_frame_id=2}
}

ENTRY %main (x: bf16[8,4], w2: bf16[8,8], w1: bf16[4,8]) -> bf16[8,8] {
  %x = bf16[8,4]{1,0} parameter(0)
  %w2 = bf16[8,4]{1,0} parameter(1)
  %w1 = bf16[4,8]{1,0} parameter(2)
  %gx = bf16[8,8]{1,0} all-gather(%x), replica_groups={{0,1},{2,3}}, dimensions={1}
  %g1 = bf16[8,8]{1,0} all-gather(%w1), replica_groups={{0,2},{1,3}}, dimensions={0}
  %g2 = bf16[8,8]{1,0} all-gather(%w2), replica_groups={{0,1},{2,3}}, dimensions={1}
  ROOT %r = bf16[8,8] fusion(%g2, %gx, %g1), kind=kOutput, calls=%both, metadata={stack_frame_id=2}
}
"""


def test_a_gather_feeds_the_line_inside_a_fusion_that_takes_it_not_the_line_of_its_root() -> None:
    rows = read(TWO_PRODUCTS).collectives
    assert [(row.hlo_name, row.feeds_line) for row in rows] == [("gx", 12), ("g1", 12), ("g2", 13)]


def test_a_decomposed_loop_whose_permute_takes_nothing_is_named_not_a_crash() -> None:
    # a line cut short in transit: the reader may raise no error but its own
    text = """
%windowed_dot_general_body_ag (b: (f32[8])) -> (f32[8]) {
  %b = (f32[8]{0}) parameter(0)
  %m = f32[8]{0} collective-permute(), source_target_pairs={{0,1},{1,2},{2,3},{3,0}}, \
frontend_attributes={is_spmd_generated="true"}
  ROOT %t = (f32[8]{0}) tuple(%m)
}

%cond (c: (f32[8])) -> pred[] {
  %c = (f32[8]{0}) parameter(0)
  ROOT %no = pred[] constant(false)
}

ENTRY %main (p: f32[8]) -> (f32[8]) {
  %p = f32[8]{0} parameter(0)
  %init = (f32[8]{0}) tuple(%p)
  ROOT %w = (f32[8]{0}) while(%init), condition=%cond, body=%windowed_dot_general_body_ag
}
"""
    found = read(text)
    assert "w" in [one.hlo_name for one in found.not_understood]


@pytest.mark.parametrize(
    ("inside", "hides"),
    [
        # seen on two slices: the compiler cuts out a gradient's shard between send and recv-done
        ("ROOT %d = f32[4]{0} dynamic-slice(%q, %z), dynamic_slice_sizes={4}", False),
        ("ROOT %d = f32[16]{0} pad(%q, %z), padding=4_4", False),
        ("ROOT %d = f32[8]{0} sine(%q)", True),
        # a loss summed to a scalar is work
        ("%s = f32[8]{0} multiply(%q, %q)\n  ROOT %d = f32[] reduce(%s, %z), to_apply=%add", True),
        # seen in a pipeline: whether an index of three numbers is in bounds
        ("%i = s32[3]{0} iota(), iota_dimension=0\n  ROOT %d = s32[3]{0} add(%i, %i)", False),
    ],
)
def test_a_fusion_hides_traffic_by_what_it_computes_not_by_being_a_fusion(
    inside: str, *, hides: bool
) -> None:
    text = f"""
%f (q: f32[8], z: f32[]) -> f32[8] {{
  %q = f32[8]{{0}} parameter(0)
  %z = f32[] parameter(1)
  {inside}
}}

ENTRY %main (p: f32[8], n: f32[]) -> f32[8] {{
  %p = f32[8]{{0}} parameter(0)
  %n = f32[] parameter(1)
  %s = (f32[8]{{0}}, f32[8]{{0}}, u32[], u32[]) collective-permute-start(%p), \
source_target_pairs={{{{0,1}},{{1,0}},{{2,3}},{{3,2}}}}
  %work = f32[8]{{0}} fusion(%p, %n), kind=kLoop, calls=%f
  ROOT %d = f32[8]{{0}} collective-permute-done(%s)
}}
"""
    (row,) = read(text).collectives
    assert row.overlapped_by == (("work",) if hides else ())


# tpu7x hands collectives to its SparseCores in a form of its own.
HANDED_OVER = """
%inner (q: f32[8]) -> f32[16] {
  %q = f32[8]{0} parameter(0)
  ROOT %g = f32[16]{0} all-gather(%q), replica_groups={{0,1},{2,3}}, dimensions={0}
}

ENTRY %main (p: f32[8]) -> f32[16] {
  %p = f32[8]{0} parameter(0)
  %s = ((), (), (s32[1]{0})) OPCODE-start(), async_execution_thread="sparsecore", to_apply=%inner
  %early = f32[8]{0} sine(%p)
  %u = ((f32[8]{0}), f32[16]{0}) OPCODE-update(%s, %early)
  %late = f32[8]{0} cosine(%p)
  ROOT %d = f32[16]{0} OPCODE-done(%u)
}
"""


def test_a_collective_handed_to_the_sparse_cores_begins_when_it_gets_its_operand() -> None:
    found = read(HANDED_OVER.replace("OPCODE", "call"))
    (row,) = found.collectives
    assert (row.kind, row.axes, row.times.exact, row.is_async) == (
        Kind.ALL_GATHER,
        ("model",),
        1,
        True,
    )
    assert row.overlapped_by == ("late",)
    assert (row.operand_bytes, row.result_bytes, row.sent_bytes_per_device) == (32, 64, 32)
    assert found.not_understood == ()


def test_a_collective_that_is_run_in_a_way_not_known_is_named_never_dropped() -> None:
    found = read(HANDED_OVER.replace("OPCODE", "outsource"))
    assert found.collectives == ()
    assert [one.hlo_name for one in found.not_understood] == ["g"]
