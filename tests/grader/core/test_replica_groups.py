"""Every spelling of replica groups. Expected groups are worked out by hand."""

import pytest

from grader.core.hlo import HloError, Instruction
from grader.core.hlo.groups import Groups, replica_groups, source_target_pairs


def collective(attributes: str) -> Instruction:
    return Instruction("c", "all-reduce", "f32[2]{0}", "%x", attributes, 0, is_root=False)


@pytest.mark.parametrize(
    ("spelled", "expected"),
    [
        ("{{0,2},{1,3}}", ((0, 2), (1, 3))),
        ("{{0}, {1}, {2}, {3}}", ((0,), (1,), (2,), (3,))),
        ("{}", ((0, 1, 2, 3, 4, 5, 6, 7),)),
        ("[4,2]<=[8]", ((0, 1), (2, 3), (4, 5), (6, 7))),
        # 0..7 laid out as 4 rows of 2, read by columns
        ("[2,4]<=[4,2]T(1,0)", ((0, 2, 4, 6), (1, 3, 5, 7))),
        ("[4,2]<=[2,2,2]T(0,2,1)", ((0, 2), (1, 3), (4, 6), (5, 7))),
        ("mesh['axis_0'=4,'axis_1'=2] {'axis_0'}", ((0, 2, 4, 6), (1, 3, 5, 7))),
        ("mesh['a'=4,'b'=2] {'b'}", ((0, 1), (2, 3), (4, 5), (6, 7))),
        ("mesh['a'=4,'b'=2] {'a','b'}", ((0, 1, 2, 3, 4, 5, 6, 7),)),
        # (before)size: x of 8 as 4 x 2, the minor 2
        ("mesh['x'=8] {'x':(4)2}", ((0, 1), (2, 3), (4, 5), (6, 7))),
        ("mesh['x'=8] {'x':(1)2}", ((0, 4), (1, 5), (2, 6), (3, 7))),
        ("mesh['x'=8] {'x':(2)2}", ((0, 2), (1, 3), (4, 6), (5, 7))),
        ("mesh['x'=8] {'x':(1)2,'x':(4)2}", ((0, 1, 4, 5), (2, 3, 6, 7))),
        # the device at mesh position p is column-major: 0 2 4 6 / 1 3 5 7 over a=2, b=4
        ("mesh['a'=2,'b'=4], device_ids=([4,2]T(1,0)) {'b'}", ((0, 2, 4, 6), (1, 3, 5, 7))),
        (
            "mesh['a'=2,'b'=4], device_ids=([2,4]<=[4,2]T(1,0)) {'a'}",
            ((0, 1), (2, 3), (4, 5), (6, 7)),
        ),
        ("mesh['a'=2,'b'=2], device_ids=(3,1,2,0) {'b'}", ((3, 1), (2, 0))),
    ],
)
def test_a_spelling_names_these_groups(spelled: str, expected: Groups) -> None:
    line = f"channel_id=1, replica_groups={spelled}, use_global_device_ids=true, to_apply=%add"
    assert replica_groups(collective(line), devices=8) == expected


def test_no_groups_are_all_devices() -> None:
    assert replica_groups(collective("channel_id=1"), devices=3) == ((0, 1, 2),)


@pytest.mark.parametrize(
    "spelled",
    [
        "{{0,1},{1,2}}",
        "{{0,9}}",
        "{0,1}",
        "{{0,a}}",
        "[3,2]<=[8]",
        "[8]<=[8]",
        "[2,4]<=[4,2]T(1,1)",
        "[2,4]<=[99999999999]",
        "(0,1)",
        "mesh['a'=4] {'b'}",
        "mesh['a'=4] {'a','a'}",
        "mesh['a'=4] a",
        "mesh[a=4] {'a'}",
        "mesh['a'=0] {'a'}",
        "mesh['x'=8] {'x':(3)2}",
        "mesh['x'=8] {'x':(0)2}",
        "mesh['x'=8] {'x':(1)4,'x':(2)4}",
        "mesh['a'=4], device_ids=([3]) {'a'}",
        "mesh['a'=4], device_ids=(zero) {'a'}",
    ],
)
def test_groups_that_make_no_sense_are_an_error(spelled: str) -> None:
    with pytest.raises(HloError):
        replica_groups(collective(f"replica_groups={spelled}, channel_id=1"), devices=8)


def test_pairs_of_a_permute_are_read_in_order() -> None:
    line = "channel_id=1, source_target_pairs={{0,1},{1,0},{2,3}}"
    assert source_target_pairs(collective(line), devices=4) == ((0, 1), (1, 0), (2, 3))
    assert source_target_pairs(collective("source_target_pairs={}"), devices=4) == ()


@pytest.mark.parametrize(
    "line", ["channel_id=1", "source_target_pairs={{0,1,2}}", "source_target_pairs={{0,9}}"]
)
def test_pairs_that_make_no_sense_are_an_error(line: str) -> None:
    with pytest.raises(HloError):
        source_target_pairs(collective(line), devices=4)
