"""The parser on text written by hand, and on text that is no HLO at all."""

import random
import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.core.collectives import Mesh, find_collectives
from grader.core.hlo import ArrayShape, HloError, TupleShape, parse_module, parse_shape
from grader.core.hlo.frames import own_line
from grader.core.hlo.text import attribute, closing_bracket, split_top_level, unquoted
from grader.core.products import find_products
from tests.golden.cases import CASES

HEADER = "HloModule jit_f, is_scheduled=true, num_partitions=4\n\n"
SMALL = HEADER + (
    "ENTRY %main (p: f32[8]) -> f32[8] {\n"
    "  %p = f32[8]{0} parameter(0)\n"
    "  ROOT %s = f32[8]{0} sine(%p)\n"
    "}\n"
)
GOLDEN_TEXTS = [case.hlo_path(backend).read_text() for case in CASES for backend in case.backends]


def body(*lines: str) -> str:
    return HEADER + "ENTRY %main () -> f32[8] {\n" + "".join(f"  {one}\n" for one in lines) + "}\n"


def test_an_instruction_has_its_name_shape_operands_and_attributes() -> None:
    text = body(
        "%a = bf16[8,128]{1,0:T(8,128)(2,1)S(1)} parameter(0)",
        "ROOT %all-gather.3 = bf16[32,128]{1,0} all-gather(%a), channel_id=1, dimensions={0}, "
        'metadata={op_name="x" stack_frame_id=7}',
    )
    module = parse_module(text)
    gathered = module.entry.root
    assert (gathered.name, gathered.opcode, gathered.operands) == (
        "all-gather.3",
        "all-gather",
        ("a",),
    )
    assert gathered.shape == ArrayShape("bf16", (32, 128))
    assert module.entry.by_name["a"].shape == ArrayShape("bf16", (8, 128), memory_space=1)
    assert gathered.attribute("dimensions") == "{0}"
    assert gathered.attribute("channel") is None
    assert gathered.frame_id == 7
    assert module.partitions == 4


def test_a_tuple_shape_with_index_comments_and_tiles_is_read() -> None:
    text = (
        "(s32[]{:T(128)}, (f32[2,3]{1,0:T(8,128)}, token[]), pred[], u8[4]{0}, s4[3]{0}, "
        "/*index=5*/f32[<=16]{0})"
    )
    shape = parse_shape(text)
    assert isinstance(shape, TupleShape)
    # 4 + (24 + 0) + 1 + 4 + two bytes for three halves of a byte + 64
    assert shape.bytes == 4 + 24 + 1 + 4 + 2 + 64


@pytest.mark.parametrize(
    "text", ["", "f32", "f33[2]", "f32[a]", "(f32[2]", "f32[2]x", "(f32[2])x", "(" * 3000]
)
def test_text_that_is_no_shape_is_an_error(text: str) -> None:
    with pytest.raises(HloError):
        parse_shape(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "hello",
        "HloModule m\n",
        "HloModule m\n\n%f () -> f32[] {\n",
        "HloModule m\n\nstray\n",
        SMALL + SMALL.partition("\n\n")[2],
        SMALL.replace("ENTRY ", ""),
        SMALL + SMALL.partition("\n\n")[2].replace("%main", "%other"),
        SMALL.replace("ROOT %s", "%p = f32[8]{0} parameter(0)\n  ROOT %s"),
    ],
)
def test_text_that_is_no_module_is_an_error_that_says_so(text: str) -> None:
    with pytest.raises(HloError, match=r"\w{3}"):
        parse_module(text)


def test_a_line_that_cannot_be_read_is_reported_with_its_name_and_the_rest_is_kept() -> None:
    text = body(
        "%p = f32[8]{0} parameter(0)",
        "%broken = f32[8]{0} all-reduce(%p, channel_id=1",
        "%q = f32[8]{0} all-reduce(%p), replica_groups={{0,1},{2,3}}, to_apply=%add",
        "ROOT %r = f32[8]{0} sine(%q)",
    )
    found = find_collectives(parse_module(text), mesh=Mesh({"a": 2, "b": 2}), learner_file="f.py")
    assert [row.hlo_name for row in found.collectives] == ["q"]
    assert [one.hlo_name for one in found.not_understood] == ["broken"]


def test_a_constant_that_runs_over_lines_is_one_instruction() -> None:
    text = body(
        "%c = f32[2,2]{1,0} constant({",
        "{ 1, 2 },",
        "{ 3, 4 } })",
        "ROOT %d = f32[2,2]{1,0} sine(%c)",
    )
    module = parse_module(text)
    assert [one.name for one in module.entry.instructions] == ["c", "d"]
    assert not module.entry.unparsed


def test_operands_with_shapes_and_without_a_percent_sign_are_read() -> None:
    text = body(
        "p = f32[8]{0} parameter(0)",
        "t = (f32[8]{0}) tuple(f32[8]{0} %p)",
        "ROOT s = f32[8]{0} sine(p)",
    )
    module = parse_module(text)
    assert module.entry.by_name["t"].operands == ("p",)
    assert module.entry.root.operands == ("p",)


def test_names_and_strings_that_the_learner_chose_count_as_nothing() -> None:
    scope = r"all-gather(x), replica_groups={{0,1}} \"%y = f32[2] all-reduce(\" }) }"
    text = body(
        f'%p = f32[8]{{0}} parameter(0), metadata={{op_name="{scope} stack_frame_id=9"}}',
        f'ROOT %s = f32[8]{{0}} sine(%p), metadata={{op_name="{scope}" stack_frame_id=2}}',
    )
    module = parse_module(text)
    assert module.entry.by_name["p"].frame_id is None
    assert module.entry.root.frame_id == 2
    found = find_collectives(module, mesh=Mesh({"a": 4}), learner_file="f.py")
    assert found.collectives == ()
    assert found.not_understood == ()


def test_frames_are_joined_from_the_tables_of_the_header() -> None:
    tables = (
        'FileNames\n1 "/lib/jax.py"\n2 "a \\"b\\".py"\n\n'
        'FunctionNames\n1 "build.<locals>.step"\n2 "inner"\n\n'
        "FileLocations\n1 {file_name_id=2 function_name_id=1 line=12 end_line=12 column=0}\n"
        "2 {file_name_id=1 function_name_id=2 line=99}\n\n"
        "StackFrames\n1 {file_location_id=1 parent_frame_id=1}\n"
        "2 {file_location_id=2 parent_frame_id=2}\n\n"
    )
    line = 'ROOT %s = f32[8]{0} iota(), metadata={op_name="x" stack_frame_id=2}'
    module = parse_module(body(line).replace("\n\nENTRY", f"\n\n{tables}\nENTRY"))
    found = own_line(module, module.entry.root, file='a "b".py')
    assert found is not None
    assert (found.line, found.function) == (12, "step")
    assert own_line(module, module.entry.root, file="other.py") is None


def test_parents_that_are_printed_as_they_are_meant_are_read_too() -> None:
    tables = (
        'FileNames\n1 "f.py"\n2 "g.py"\n\nFunctionNames\n1 "f"\n\n'
        "FileLocations\n1 {file_name_id=1 function_name_id=1 line=3}\n"
        "2 {file_name_id=2 function_name_id=1 line=4}\n\n"
        "StackFrames\n1 {file_location_id=1}\n2 {file_location_id=2 parent_frame_id=1}\n\n"
    )
    line = "ROOT %s = f32[8]{0} iota(), metadata={stack_frame_id=2}"
    module = parse_module(body(line).replace("\n\nENTRY", f"\n\n{tables}\nENTRY"))
    found = own_line(module, module.entry.root, file="f.py")
    assert found is not None
    assert found.line == 3


def test_frames_that_go_round_in_a_circle_give_no_line() -> None:
    tables = (
        'FileNames\n1 "g.py"\n\nFileLocations\n1 {file_name_id=1 line=3}\n\n'
        "StackFrames\n1 {file_location_id=1 parent_frame_id=3}\n"
        "2 {file_location_id=1 parent_frame_id=2}\n\n"
    )
    line = "ROOT %s = f32[8]{0} iota(), metadata={stack_frame_id=1}"
    module = parse_module(body(line).replace("\n\nENTRY", f"\n\n{tables}\nENTRY"))
    assert own_line(module, module.entry.root, file="f.py") is None


def test_attributes_stand_outside_brackets_and_strings() -> None:
    attributes = 'a={b=1, c={2}}, d="x, e=3", e=4, f=[1,2]<=[2]'
    assert list(split_top_level(attributes)) == [
        "a={b=1, c={2}}",
        'd="x, e=3"',
        "e=4",
        "f=[1,2]<=[2]",
    ]
    assert attribute(attributes, "e") == "4"
    assert attribute(attributes, "b") is None


def test_a_bracket_is_closed_outside_strings_only() -> None:
    assert closing_bracket('(a ")" b) c', 0) == 8
    with pytest.raises(HloError):
        closing_bracket('(a ")', 0)


def test_escapes_in_strings_are_resolved() -> None:
    assert unquoted(r'"a\"b\\c\n\t\303\251"') == 'a"b\\c\n\té'
    assert unquoted(r'"\303"') == "\ufffd"
    assert unquoted("plain") == "plain"


@pytest.mark.parametrize(
    "header", ["num_partitions=x", "num_partitions=99999999999", "replica_count=-1"]
)
def test_a_header_without_a_sensible_number_of_devices_is_an_error(header: str) -> None:
    module = parse_module(SMALL.replace("num_partitions=4", header))
    with pytest.raises(HloError):
        _ = module.partitions


def test_a_computation_without_a_root_has_none() -> None:
    module = parse_module(SMALL.replace("ROOT ", ""))
    with pytest.raises(HloError, match="ROOT"):
        _ = module.entry.root


def read_everything(text: str) -> None:
    """Read as an inspection does; anything but HloError is a failure."""
    try:
        module = parse_module(text)
        find_collectives(module, mesh=Mesh({"data": 4, "model": 2}), learner_file="submission.py")
        find_products(module, learner_file="submission.py")
    except HloError:
        pass


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_mutilated_texts_raise_nothing_but_the_parsers_own_error(data: st.DataObject) -> None:
    text = data.draw(st.sampled_from(GOLDEN_TEXTS))
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(text)))
        length = data.draw(st.integers(0, 60))
        junk = data.draw(st.text('(){}[]",%=\\ 019ax-\n', max_size=12))
        text = text[:start] + junk + text[start + length :]
    read_everything(text)


def test_shuffled_tokens_of_real_texts_raise_nothing_but_the_parsers_own_error() -> None:
    dice = random.Random(20)  # noqa: S311  a fuzzer, not a secret
    tokens = re.findall(r"[\w.\-]+|[^\w\s]|\n| ", "".join(GOLDEN_TEXTS[::7]))
    for _ in range(150):
        lines = "".join(dice.choices(tokens, k=300))
        read_everything(body(*lines.split("\n")))
        read_everything(HEADER + lines)


def test_reading_is_linear_in_the_length_of_the_text() -> None:
    text = GOLDEN_TEXTS[7]
    head, computations = text[: text.index("\n%")], text[text.index("\n%") :]

    def copies(count: int) -> str:
        parts = [
            re.sub(r"%([\w.-]+)", rf"%\1_c{index}", computations).replace(
                "ENTRY ", "" if index else "ENTRY "
            )
            for index in range(count)
        ]
        return head + "".join(parts)

    def seconds(of: str) -> float:
        started = time.process_time()
        parse_module(of)
        return time.process_time() - started

    small, large = copies(8), copies(64)
    fastest = min(seconds(small) for _ in range(3))
    assert min(seconds(large) for _ in range(2)) < 8 * 3 * fastest
    # a quote that nothing closes, and brackets that nothing closes, are no way to take long
    hostile = body(
        "%a = f32[8]{0} custom-call(" + '"\\"' * 100_000,
        "%b = " + "(" * 100_000,
        "%c = " + ") a" * 50_000,
    )
    assert seconds(hostile) < 5
