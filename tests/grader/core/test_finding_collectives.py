"""Shapes of collectives that no compiler here emits on demand, written by hand, and wrong ones."""

import pytest

from grader.core.collectives import Collective, Findings, Kind, Link, Mesh, find_collectives
from grader.core.hlo import HloError, parse_module

MESH = Mesh({"data": 2, "model": 2})
ADD = (
    "%add (a: f32[], b: f32[]) -> f32[] {\n  %a = f32[] parameter(0)\n"
    "  %b = f32[] parameter(1)\n  ROOT %s = f32[] add(%a, %b)\n}\n\n"
)


def find(*lines: str, before: str = ADD, mesh: Mesh = MESH, devices: int = 4) -> Findings:
    text = (
        f"HloModule m, is_scheduled=true, num_partitions={devices}\n\n{before}"
        "ENTRY %main (p: f32[8]) -> f32[8] {\n  %p = f32[8]{0} parameter(0)\n"
        + "".join(f"  {line}\n" for line in lines)
        + "}\n"
    )
    return find_collectives(parse_module(text), mesh=mesh, learner_file="f.py")


def only_row(found: Findings) -> Collective:
    assert found.not_understood == ()
    assert len(found.collectives) == 1
    return found.collectives[0]


def test_a_broadcast_sends_its_operand_along_the_group() -> None:
    row = only_row(
        find(
            "ROOT %b = f32[8]{0} collective-broadcast(%p), channel_id=1, "
            "replica_groups={{0,1},{2,3}}"
        )
    )
    assert (row.kind, row.axes, row.sent_bytes_per_device) == (
        Kind.COLLECTIVE_BROADCAST,
        ("model",),
        32,
    )


def test_a_ragged_exchange_counts_its_tokens_and_not_its_tables() -> None:
    row = only_row(
        find(
            "%out = f32[8]{0} copy(%p)",
            "%o = s32[2]{0} iota(), iota_dimension=0",
            "ROOT %r = f32[8]{0} ragged-all-to-all(%p, %out, %o, %o, %o, %o), channel_id=1, "
            "replica_groups={{0,2},{1,3}}",
        )
    )
    assert (row.kind, row.axes) == (Kind.RAGGED_ALL_TO_ALL, ("data",))
    assert (row.operand_bytes, row.sent_bytes_per_device) == (32, 16)


def test_a_start_and_its_done_are_one_collective_behind_what_stands_between() -> None:
    row = only_row(
        find(
            "%s = (f32[8]{0}, f32[32]{0}) all-gather-start(%p), replica_groups=[1,4]<=[4], "
            "dimensions={0}",
            "%work = f32[8]{0} sine(%p)",
            "%scalar = f32[] constant(1)",
            "%d = f32[32]{0} all-gather-done(%s)",
            "ROOT %r = f32[8]{0} slice(%d), slice={[0:8]}",
        )
    )
    assert (row.axes, row.is_async, row.overlapped_by) == (("data", "model"), True, ("work",))
    assert (row.operand_bytes, row.result_bytes, row.sent_bytes_per_device) == (32, 128, 96)


def test_an_update_between_start_and_done_does_not_hide_the_end() -> None:
    found = find(
        "%s = ((f32[8]{0}), f32[8]{0}, u32[]) all-to-all-start(%p), replica_groups={{0,1},{2,3}}",
        "%u = ((f32[8]{0}), f32[8]{0}, u32[]) all-to-all-update(%s)",
        "ROOT %d = f32[8]{0} all-to-all-done(%u)",
    )
    row = only_row(found)
    assert (row.kind, row.result_bytes, row.is_async) == (Kind.ALL_TO_ALL, 32, True)


def test_a_collective_in_an_async_wrapper_is_one_collective() -> None:
    wrapped = (
        "%wrapped (q: f32[8]) -> f32[4] {\n  %q = f32[8]{0} parameter(0)\n"
        "  ROOT %rs = f32[4]{0} reduce-scatter(%q), replica_groups={{0,1},{2,3}}, "
        "dimensions={0}, to_apply=%add\n}\n\n"
    )
    row = only_row(
        find(
            "%s = ((f32[8]{0}), f32[4]{0}, u32[]) async-start(%p), calls=%wrapped",
            "%work = f32[8]{0} cosine(%p)",
            "%d = f32[4]{0} async-done(%s)",
            "ROOT %r = f32[8]{0} pad(%d, %d), padding=0_4",
            before=ADD + wrapped,
        )
    )
    assert (row.kind, row.axes, row.overlapped_by) == (Kind.REDUCE_SCATTER, ("model",), ("work",))
    assert (row.operand_bytes, row.result_bytes) == (32, 16)


def test_a_combined_all_reduce_counts_the_bytes_of_all_its_operands() -> None:
    row = only_row(
        find(
            "%h = bf16[8]{0} convert(%p)",
            "%t = (f32[8]{0}, bf16[8]{0}) all-reduce(%p, %h), replica_groups={}, to_apply=%add",
            "ROOT %r = f32[8]{0} get-tuple-element(%t), index=0",
        )
    )
    assert (row.dtype, row.operand_bytes, row.sent_bytes_per_device) == ("f32+bf16", 48, 72)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (
            "%c = f32[8]{0} all-reduce(%p), replica_groups={{0,1},{1,2}}, to_apply=%add",
            "two replica groups",
        ),
        ("%c = f32[8]{0} all-reduce(%p), replica_groups=[2,3]<=[4], to_apply=%add", "divide"),
        ("%c = f32[8]{0} all-reduce(%nowhere), replica_groups={}, to_apply=%add", "not defined"),
        ("%c = q32[8]{0} all-reduce(%p), replica_groups={}, to_apply=%add", "element type"),
        ("%c = f32[8]{0} collective-permute(%p), channel_id=1", "source_target_pairs"),
        ("%c = f32[8]{0} all-swap(%p), replica_groups={}", "do not know"),
        ("%c = (f32[8]{0}, f32[32]{0}) all-gather-start(%p), replica_groups={}", "nothing ends"),
        ("%c = (f32[8]{0}, u32[], token[]) send(%p, %p), channel_id=3", "outside any collective"),
    ],
)
def test_a_collective_that_cannot_be_understood_is_named_with_the_reason(
    line: str, reason: str
) -> None:
    found = find(line, "ROOT %r = f32[8]{0} sine(%p)")
    assert found.collectives == ()
    assert [one.hlo_name for one in found.not_understood] == ["c"]
    assert reason in found.not_understood[0].reason
    assert found.not_understood[0].as_json()["computation"] == "main"


def test_a_transfer_to_the_host_is_no_collective() -> None:
    found = find(
        "%t = token[] after-all()",
        "%s = (f32[8]{0}, u32[], token[]) send(%p, %t), channel_id=3, is_host_transfer=true, "
        'frontend_attributes={_xla_host_transfer_handler_name="callback"}',
        "ROOT %r = f32[8]{0} sine(%p)",
    )
    assert found.collectives == ()
    assert found.not_understood == ()


MEGASCALE = (
    'channel_id=1, is_host_transfer=true, frontend_attributes={{_xla_host_transfer_rendezvous="m",'
    '_xla_megascale_target={target},_xla_megascale_transfer_type="{kind}"}}'
)


def across(
    kind: str, target: str, *, receives: bool = True, ids: tuple[int, ...] | None = None
) -> Findings:
    attributes = MEGASCALE.format(kind=kind, target=target)
    lines = [
        "%t = token[] after-all()",
        f"%s = (f32[8]{{0}}, u32[], token[]) send(%p, %t), {attributes}",
    ]
    if receives:
        lines += [
            f"%v = (f32[8]{{0}}, u32[], token[]) recv(%t), {attributes}",
            "%d = (f32[8]{0}, token[]) recv-done(%v)",
        ]
    mesh = Mesh({"slice": 2, "model": 2}, slices=2, device_ids=ids)
    return find(*lines, "ROOT %r = f32[8]{0} sine(%p)", mesh=mesh, devices=2)


def test_a_reduction_between_slices_is_over_the_slice_axis_on_dcn() -> None:
    row = only_row(across("ALL_REDUCE", '"{1,2}x{0:1}"'))
    assert (row.kind, row.axes, row.link, row.is_async) == (
        Kind.ALL_REDUCE,
        ("slice",),
        Link.DCN,
        True,
    )


def test_devices_named_by_id_are_placed_by_the_meshs_ids() -> None:
    # the torus swaps the devices of each slice, so 100001 is position 0
    ids = (100001, 100000, 200001, 200000)
    row = only_row(across("ONE_TO_ONE", "{{100001->200000},{200000->100001}}", ids=ids))
    assert row.pairs == ((0, 3), (3, 0))
    assert row.axes == ("slice", "model")
    row = only_row(across("ALL_TO_ALL", "{{100001,200001},{100000,200000}}", ids=ids))
    assert (row.kind, row.axes) == (Kind.ALL_TO_ALL, ("slice",))


def test_counterparts_named_by_id_need_no_knowledge_of_the_torus() -> None:
    row = only_row(across("ONE_TO_ONE", "{{100000->200000},{200000->100000},{100001->200001}}"))
    assert (row.axes, row.steps) == (("slice",), 1)


@pytest.mark.parametrize(
    ("kind", "target", "reason"),
    [
        ("ALL_REDUCE", '"{1,3}x{0:1}"', "do not exist"),
        ("ALL_REDUCE", '"{1,2}x{0:7}"', "over devices"),
        ("ALL_REDUCE", '"everywhere"', "not understood"),
        ("SCRAMBLE", '"{1,2}x{0:1}"', "do not know"),
        ("ONE_TO_ONE", "{{100000->200001}}", "ids are not known"),
        ("ONE_TO_ONE", "{{100007->200007}}", "do not have"),
        ("ALL_TO_ALL", "{{100000,200001}}", "ids are not known"),
    ],
)
def test_a_transfer_between_slices_that_makes_no_sense_is_named(
    kind: str, target: str, reason: str
) -> None:
    found = across(kind, target)
    assert found.collectives == ()
    assert reason in found.not_understood[0].reason


def test_a_transfer_names_only_devices_of_the_mesh() -> None:
    found = across("ONE_TO_ONE", "{{100000->200000}}", ids=(100001, 100002, 200001, 200002))
    assert "does not have" in found.not_understood[0].reason


def test_a_send_between_slices_that_nothing_receives_is_named() -> None:
    assert (
        "nothing receives"
        in across("ALL_REDUCE", '"{1,2}x{0:1}"', receives=False).not_understood[0].reason
    )


def test_a_program_for_another_number_of_devices_than_the_mesh_is_an_error() -> None:
    with pytest.raises(HloError, match="the mesh has 4"):
        find("ROOT %r = f32[8]{0} sine(%p)", devices=8)


def test_two_asynchronous_gathers_in_flight_together_are_two_rows_with_their_own_ends() -> None:
    def fused(name: str, number: int, target: str) -> str:
        return (
            f"%{name} (q: f32[8]) -> f32[32] {{\n  %q = f32[8]{{0}} parameter(0)\n"
            f"  %g = f32[32]{{0}} all-gather(%q), channel_id={number}, replica_groups={{}}, "
            f"dimensions={{0}}\n"
            f'  ROOT %c = f32[32]{{0}} custom-call(%g), custom_call_target="{target}"\n}}\n\n'
        )

    before = ADD + "".join(
        fused(f"{part}{number}", number, f"AsyncCollective{part}")
        for number in (1, 2)
        for part in ("Start", "Done")
    )
    found = find(
        "%s1 = f32[32]{0} fusion(%p), kind=kCustom, calls=%Start1",
        "%s2 = f32[32]{0} fusion(%p), kind=kCustom, calls=%Start2",
        "%w1 = f32[8]{0} sine(%p)",
        "%d1 = f32[32]{0} fusion(%s1), kind=kCustom, calls=%Done1",
        "%w2 = f32[8]{0} cosine(%p)",
        "%d2 = f32[32]{0} fusion(%s2), kind=kCustom, calls=%Done2",
        "ROOT %r = f32[8]{0} slice(%d2), slice={[0:8]}",
        before=before,
    )
    assert [row.hlo_name for row in found.collectives] == ["s1", "s2"]
    assert [row.overlapped_by for row in found.collectives] == [("w1",), ("w1", "w2")]
    assert [pair.done for pair in found.schedule] == ["d1", "d2"]


def test_a_gather_that_is_fused_without_being_asynchronous_is_a_row() -> None:
    fused = (
        "%f (q: f32[8]) -> f32[32] {\n  %q = f32[8]{0} parameter(0)\n"
        "  ROOT %g = f32[32]{0} all-gather(%q), replica_groups={}, dimensions={0}\n}\n\n"
    )
    row = only_row(
        find(
            "%g1 = f32[32]{0} fusion(%p), kind=kLoop, calls=%f",
            "ROOT %r = f32[8]{0} slice(%g1), slice={[0:8]}",
            before=ADD + fused,
        )
    )
    assert (row.hlo_name, row.is_async) == ("g1", False)


def scatter_fusion(root: str) -> str:
    """Two arrays all-reduced together in a fusion, and `root` what becomes of them."""
    return (
        "%all-reduce-scatter (a: f32[8], b: f32[4]) -> (f32[2], f32[1]) {\n"
        "  %a = f32[8]{0} parameter(0)\n  %b = f32[4]{0} parameter(1)\n"
        "  %ar = (f32[8]{0}, f32[4]{0}) all-reduce(%a, %b), replica_groups={}, to_apply=%add\n"
        "  %x = f32[8]{0} get-tuple-element(%ar), index=0\n"
        "  %y = f32[4]{0} get-tuple-element(%ar), index=1\n"
        "  %i = u32[] partition-id()\n"
        "  %s = f32[2]{0} dynamic-slice(%x, %i), dynamic_slice_sizes={2}\n"
        "  %t = f32[1]{0} dynamic-slice(%y, %i), dynamic_slice_sizes={1}\n"
        f"  ROOT %r = {root}\n}}\n\n"
    )


def test_several_arrays_scattered_together_are_one_reduce_scatter() -> None:
    row = only_row(
        find(
            "%q = f32[4]{0} slice(%p), slice={[0:4]}",
            "%f = (f32[2]{0}, f32[1]{0}) fusion(%p, %q), kind=kCustom, calls=%all-reduce-scatter",
            "ROOT %r = f32[8]{0} sine(%p)",
            before=ADD + scatter_fusion("(f32[2]{0}, f32[1]{0}) tuple(%s, %t)"),
        )
    )
    assert row.kind is Kind.REDUCE_SCATTER
    assert (row.operand_bytes, row.result_bytes, row.sent_bytes_per_device) == (48, 12, 36)


def test_arrays_of_which_one_is_kept_whole_are_all_reduced() -> None:
    row = only_row(
        find(
            "%q = f32[4]{0} slice(%p), slice={[0:4]}",
            "%f = (f32[2]{0}, f32[4]{0}) fusion(%p, %q), kind=kCustom, calls=%all-reduce-scatter",
            "ROOT %r = f32[8]{0} sine(%p)",
            before=ADD + scatter_fusion("(f32[2]{0}, f32[4]{0}) tuple(%s, %y)"),
        )
    )
    assert row.kind is Kind.ALL_REDUCE


def test_a_permute_that_the_learner_wrote_in_a_loop_of_products_stays_a_permute() -> None:
    # a collective matmul is known by the partitioner's marks, not by its shape
    loop = (
        "%body (b: (s32[], f32[8])) -> (s32[], f32[8]) {\n  %b = (s32[], f32[8]{0}) parameter(0)\n"
        "  %i = s32[] get-tuple-element(%b), index=0\n"
        "  %x = f32[8]{0} get-tuple-element(%b), index=1\n"
        "  %one = s32[] constant(1)\n  %n = s32[] add(%i, %one)\n"
        "  %m = f32[8]{0} collective-permute(%x), channel_id=1, "
        "source_target_pairs={{0,1},{1,2},{2,3},{3,0}}\n"
        "  ROOT %t = (s32[], f32[8]{0}) tuple(%n, %m)\n}\n\n"
        "%cond (c: (s32[], f32[8])) -> pred[] {\n  %c = (s32[], f32[8]{0}) parameter(0)\n"
        "  %i = s32[] get-tuple-element(%c), index=0\n  %k = s32[] constant(4)\n"
        "  ROOT %lt = pred[] compare(%i, %k), direction=LT\n}\n\n"
    )
    row = only_row(
        find(
            "%z = s32[] constant(0)",
            "%init = (s32[], f32[8]{0}) tuple(%z, %p)",
            "%w = (s32[], f32[8]{0}) while(%init), condition=%cond, body=%body",
            "ROOT %r = f32[8]{0} get-tuple-element(%w), index=1",
            before=loop,
        )
    )
    assert (row.kind, row.is_decomposed, row.times.exact) == (Kind.COLLECTIVE_PERMUTE, False, 4)


def test_an_all_reduce_that_sums_in_f32_and_hands_on_bf16_sends_less_in_its_second_half() -> None:
    row = only_row(
        find(
            "%s = bf16[8]{0} all-reduce(%p), replica_groups=[1,4]<=[4], to_apply=%add",
            "ROOT %r = f32[8]{0} convert(%s)",
        )
    )
    assert (row.dtype, row.operand_bytes, row.result_bytes) == ("f32", 32, 16)
    assert row.sent_bytes_per_device == 32 * 3 // 4 + 16 * 3 // 4
