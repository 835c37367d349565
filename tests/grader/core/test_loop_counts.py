"""How often loops run, from conditions and counters written by hand in the ways compilers do."""

import pytest

from grader.core.hlo import HloError, parse_module
from grader.core.hlo.times import ONCE, Times, in_execution_order, times_by_computation

SCALAR = "(s32[], s32[], f32[8])"


def loop(
    *,
    start: str = "0",
    bound: str = "5",
    direction: str = "LT",
    step: str = "%next = s32[] add(%i, %one)",
    condition: str = "ROOT %lt = pred[] compare(%i, %bound), direction={direction}",
    extra: str = "",
    while_attributes: str = "",
) -> str:
    """A module with one loop whose tuple is (counter, another scalar, array)."""
    return f"""HloModule m, is_scheduled=true

%cond (c: {SCALAR}) -> pred[] {{
  %c = {SCALAR} parameter(0)
  %i = s32[] get-tuple-element(%c), index=0
  %other = s32[] get-tuple-element(%c), index=1
  %bound = s32[] constant({bound})
  {condition.format(direction=direction)}
}}

%body (b: {SCALAR}) -> {SCALAR} {{
  %b = {SCALAR} parameter(0)
  %i = s32[] get-tuple-element(%b), index=0
  %j = s32[] get-tuple-element(%b), index=1
  %x = f32[8]{{0}} get-tuple-element(%b), index=2
  %one = s32[] constant(1)
  %two = s32[] constant(2)
  {step}
  ROOT %t = {SCALAR} tuple(%next, %j, %x)
}}

{extra}
ENTRY %main (p: f32[8], n: s32[]) -> f32[8] {{
  %p = f32[8]{{0}} parameter(0)
  %n = s32[] parameter(1)
  %zero = s32[] constant({start})
  %start = s32[] copy(%zero)
  %five = s32[] constant(5)
  %init = {SCALAR} tuple(%start, %five, %p)
  %w = {SCALAR} while(%init), condition=%cond, body=%body{while_attributes}
  ROOT %r = f32[8]{{0}} get-tuple-element(%w), index=2
}}
"""


def turns(text: str) -> Times:
    return times_by_computation(parse_module(text))["body"]


@pytest.mark.parametrize(
    ("start", "bound", "direction", "step", "expected"),
    [
        ("0", "5", "LT", "add(%i, %one)", 5),
        ("0", "5", "LE", "add(%i, %one)", 6),
        ("1", "6", "LT", "add(%i, %two)", 3),  # 1, 3, 5
        ("5", "0", "GT", "subtract(%i, %one)", 5),
        ("5", "0", "GE", "subtract(%i, %one)", 6),
        ("0", "6", "NE", "add(%i, %two)", 3),
        ("3", "3", "NE", "add(%i, %one)", 0),
        ("7", "5", "LT", "add(%i, %one)", 0),
        ("-2", "2", "LT", "add(%one, %i)", 4),
    ],
)
def test_a_counter_against_a_constant_is_counted(
    start: str, bound: str, direction: str, step: str, expected: int
) -> None:
    text = loop(start=start, bound=bound, direction=direction, step=f"%next = s32[] {step}")
    assert turns(text) == Times(expected, expected)


def test_the_condition_runs_once_more_than_the_body() -> None:
    assert times_by_computation(parse_module(loop()))["cond"] == Times(6, 6)


def test_a_bound_that_the_loop_carries_unchanged_is_as_good_as_a_constant() -> None:
    text = loop(condition="ROOT %lt = pred[] compare(%i, %other), direction=LT")
    assert turns(text) == Times(5, 5)


def test_the_counter_may_stand_on_the_right() -> None:
    text = loop(condition="ROOT %lt = pred[] compare(%bound, %i), direction=GT")
    assert turns(text) == Times(5, 5)


def test_the_counter_may_be_compared_after_its_step() -> None:
    condition = (
        "%k = s32[] constant(1)\n  %n1 = s32[] add(%i, %k)\n"
        "  ROOT %lt = pred[] compare(%n1, %bound), direction=LE"
    )
    assert turns(loop(condition=condition)) == Times(5, 5)


def test_comparisons_and_steps_inside_fusions_and_calls_are_followed() -> None:
    extra = """%fused_compare (a: s32[], b: s32[]) -> pred[] {
  %a = s32[] parameter(0)
  %b = s32[] parameter(1)
  ROOT %lt = pred[] compare(%a, %b), direction=LT
}

%fused_add (a: s32[], b: s32[]) -> s32[] {
  %a = s32[] parameter(0)
  %b = s32[] parameter(1)
  ROOT %s = s32[] add(%a, %b)
}
"""
    for opcode, called in (("fusion", "kind=kLoop, calls="), ("call", "to_apply=")):
        text = loop(
            condition=f"ROOT %lt = pred[] {opcode}(%i, %bound), {called}%fused_compare",
            step=f"%next = s32[] {opcode}(%i, %one), {called}%fused_add",
            extra=extra,
        )
        assert turns(text) == Times(5, 5)


@pytest.mark.parametrize(
    "changes",
    [
        {"step": "%next = s32[] multiply(%i, %two)"},
        {"step": "%next = s32[] subtract(%i, %one)"},  # never reaches the bound
        {
            "step": "%next = s32[] add(%i, %j)\n  %k = s32[] add(%j, %i)",
            "condition": "ROOT %lt = pred[] and(%i, %other)",
        },
        {"direction": "EQ"},
        {"bound": "5", "direction": "NE", "step": "%next = s32[] add(%i, %two)"},  # steps over it
        {"condition": "ROOT %lt = pred[] compare(%i, %i), direction=LT"},
        {"condition": "ROOT %lt = pred[] compare(%bound, %bound), direction=LT"},
        {"condition": "ROOT %lt = pred[] compare(%i, %missing), direction=LT"},
        {"step": "%next = s32[] copy(%i)"},  # never changes: endless, or never entered
    ],
)
def test_a_count_that_the_program_does_not_determine_is_unknown(changes: dict[str, str]) -> None:
    assert turns(loop(**changes)) == Times(0, None)


def test_a_bound_that_is_an_argument_is_unknown() -> None:
    text = loop(condition="ROOT %lt = pred[] compare(%i, %other), direction=LT").replace(
        "tuple(%start, %five, %p)", "tuple(%start, %n, %p)"
    )
    assert turns(text) == Times(0, None)


def test_a_count_that_the_compiler_states_is_taken() -> None:
    stated = ', backend_config={"known_trip_count":{"n":"7"}}'
    assert turns(loop(while_attributes=stated)) == Times(7, 7)


@pytest.mark.parametrize(
    "config", ['{"known_trip_count":{}}', '{"known_trip_count":{"n":"-1"}}', "{known_trip_count"]
)
def test_a_stated_count_that_makes_no_sense_is_derived_instead(config: str) -> None:
    assert turns(loop(while_attributes=f", backend_config={config}")) == Times(5, 5)


def nested(*, inner_bound: str) -> str:
    """A loop of 5 round a loop whose bound the outer one carries in its second element."""
    text = loop()
    inner = f"""%inner_cond (c: {SCALAR}) -> pred[] {{
  %c = {SCALAR} parameter(0)
  %i = s32[] get-tuple-element(%c), index=0
  %bound = s32[] get-tuple-element(%c), index=1
  ROOT %lt = pred[] compare(%i, %bound), direction=LT
}}

%inner_body (b: {SCALAR}) -> {SCALAR} {{
  %b = {SCALAR} parameter(0)
  %i = s32[] get-tuple-element(%b), index=0
  %j = s32[] get-tuple-element(%b), index=1
  %x = f32[8]{{0}} get-tuple-element(%b), index=2
  %one = s32[] constant(1)
  %next = s32[] add(%i, %one)
  ROOT %t = {SCALAR} tuple(%next, %j, %x)
}}

"""
    use = (
        "%nought = s32[] constant(0)\n"
        f"  %inner_init = {SCALAR} tuple(%nought, {inner_bound}, %x)\n"
        f"  %iw = {SCALAR} while(%inner_init), condition=%inner_cond, body=%inner_body\n"
        "  %next = s32[] add(%i, %one)"
    )
    return (
        text.replace("%cond (c", inner + "%cond (c", 1)
        .replace("%next = s32[] add(%i, %one)", use, 2)
        .replace(use, "%next = s32[] add(%i, %one)", 1)
    )


@pytest.mark.parametrize(
    ("bound", "expected"), [("%j", Times(25, 25)), ("%two", Times(10, 10)), ("%i", Times(0, None))]
)
def test_loops_in_loops_multiply(bound: str, expected: Times) -> None:
    assert times_by_computation(parse_module(nested(inner_bound=bound)))["inner_body"] == expected


def conditional(attributes: str) -> str:
    branch = "%{name} (x: f32[8]) -> f32[8] {{\n  ROOT %x = f32[8]{{0}} parameter(0)\n}}\n\n"
    return (
        "HloModule m\n\n"
        + "".join(branch.format(name=name) for name in ("one", "two"))
        + "ENTRY %main (p: f32[8], q: pred[]) -> f32[8] {\n  %p = f32[8]{0} parameter(0)\n"
        "  %q = pred[] parameter(1)\n"
        f"  ROOT %c = f32[8]{{0}} conditional(%q, %p, %p), {attributes}\n}}\n"
    )


@pytest.mark.parametrize(
    "attributes",
    ["branch_computations={%one, %two}", "true_computation=%one, false_computation=%two"],
)
def test_a_branch_runs_at_most_once(attributes: str) -> None:
    times = times_by_computation(parse_module(conditional(attributes)))
    assert (times["one"], times["two"]) == (Times(0, 1), Times(0, 1))


def test_what_is_called_twice_runs_twice() -> None:
    times = times_by_computation(parse_module(conditional("branch_computations={%one, %one}")))
    assert times["one"] == Times(0, 2)


def test_a_loop_called_from_two_places_is_not_guessed_from_one_of_them() -> None:
    # with two callers the parameter that bounds it may differ
    text = nested(inner_bound="%j").replace(
        "  ROOT %r =", f"  %w2 = {SCALAR} while(%init), condition=%cond, body=%body\n  ROOT %r ="
    )
    times = times_by_computation(parse_module(text))
    assert times["body"] == Times(10, 10)
    assert times["inner_body"].exact is None


@pytest.mark.parametrize(
    "attributes", ["branch_computations={%main, %two}", "branch_computations={%missing}"]
)
def test_calls_in_circles_or_to_nowhere_are_an_error(attributes: str) -> None:
    with pytest.raises(HloError):
        times_by_computation(parse_module(conditional(attributes)))


def test_calls_a_hundred_deep_are_an_error_and_not_a_crash() -> None:
    chain = "".join(
        f"%f{index} (x: f32[8]) -> f32[8] {{\n  %x = f32[8]{{0}} parameter(0)\n"
        f"  ROOT %y = f32[8]{{0}} call(%x), to_apply=%f{index + 1}\n}}\n\n"
        for index in range(3000)
    )
    last = "%f3000 (x: f32[8]) -> f32[8] {\n  ROOT %x = f32[8]{0} parameter(0)\n}\n\n"
    entry = (
        "ENTRY %main (p: f32[8]) -> f32[8] {\n  %p = f32[8]{0} parameter(0)\n"
        "  ROOT %c = f32[8]{0} call(%p), to_apply=%f0\n}\n"
    )
    with pytest.raises(HloError, match="deep"):
        times_by_computation(parse_module("HloModule m\n\n" + chain + last + entry))


def test_counts_add_and_multiply_as_ranges() -> None:
    assert Times(1, 2) + Times(3, None) == Times(4, None)
    assert Times(2, 3) * Times(0, 4) == Times(0, 12)
    assert Times(0, None) * Times(0, 0) == Times(0, 0)
    assert Times(1, None) * ONCE == Times(1, None)


def test_bodies_stand_before_the_loop_that_runs_them() -> None:
    order = [
        (one.name, instruction.name)
        for one, instruction in in_execution_order(parse_module(loop()))
    ]
    assert order.index(("body", "t")) < order.index(("main", "w")) < order.index(("main", "r"))


@pytest.mark.parametrize("taken", ["%gone", ""])
def test_a_condition_that_takes_what_is_not_defined_leaves_the_count_unknown(taken: str) -> None:
    assert turns(loop(condition=f"ROOT %lt = pred[] copy({taken})")) == Times(0, None)
