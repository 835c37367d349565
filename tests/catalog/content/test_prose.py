"""What running text may say: bare numbers are found, names and counts are left alone."""

import pytest

from questionbank.catalog.content.documents import Fact
from questionbank.catalog.content.errors import Problems
from questionbank.catalog.content.prose import Known, check_prose

HBM = Fact(
    name="v5p.hbm_bandwidth",
    value=2765,
    unit="GB/s",
    label="HBM bandwidth",
    source="docs",
    source_name="The documentation",
    date="2026-12-01",
)
KNOWN = Known(values={"gather": "258.2 ms"}, facts={HBM.name: HBM})


def _told(text: str) -> list[str]:
    problems = Problems("q.md")
    check_prose(text, KNOWN, problems)
    return [f"{error.line}: {error.message}" for error in problems.found]


@pytest.mark.parametrize(
    "text",
    [
        "an 80 GB card", "an 80GB card", "an 80-GB card", "takes 3 ms", "takes 3ms", "1.5 s long",
        "16 bytes per parameter", "30% faster", "30 % faster", "30 per cent", "989 TFLOP/s",
        "989 TFLOPs", "1,979 TFLOPS", "3.35 TB/s", "1.75 GHz", "700 W", "32 GiB", "400 Gb/s",
        "400 Gbit/s", "two or 3 hours", "1e9 bytes", "about ~5 µs", "4 bits a weight", "costs $25",
        "costs \\$25", "costs ₹2,000", "95\u00a0GiB", "2 B/param", "**5 GB**", "(5 GB)",
    ],
)  # fmt: skip
def test_a_number_with_a_unit_is_told(text: str) -> None:
    told = _told(text)
    assert len(told) == 1
    assert "is a bare number with a unit" in told[0]


@pytest.mark.parametrize(
    "text",
    [
        "a 70B model", "Llama 3 70B", "in bf16", "an 8-bit weight", "256 chips", "4M tokens",
        "16/N of it", "v5p", "H100s", "2026-12", "step 3 starts", "4x the traffic", "3 of 4 links",
        "`80 GB`", "``80 GB``", "$t = 5\\,\\text{ms}$", "$$80 GB$$", "see [this](/a/80%20GB)",
        'an {{ lit("80 GB") }} card', "takes {{ gather }}", "at {{ fact.v5p.hbm_bandwidth }}",
        "in :ax[fsdp]", "3 bars", "5 hosts", "C4", "[8,128]", "128x128",
    ],
)  # fmt: skip
def test_names_counts_code_and_maths_are_left_alone(text: str) -> None:
    assert _told(text) == []


def test_fenced_code_is_left_alone_and_lines_after_it_are_true() -> None:
    text = "one\n\n```python\nx = 1  # 80 GB {{ nope }}\n```\n\nthen 3 ms\n"
    assert [line.split(":")[0] for line in _told(text)] == ["7"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{{ nope }}", "no sheet of this text has the name 'nope'"),
        ("{{ fact.v9.hbm }}", "'v9.hbm' is not in facts.yaml"),
        ("{{ 1 + 1 }}", "give a name, fact.NAME or lit"),
        ("{{ lit(5) }}", "give a name, fact.NAME or lit"),
        (":ax[tensor]", "axis 'tensor' is unknown"),
        ("a <b>bold</b> word", "is HTML"),
        ('<img src="x" onerror="y">', "is HTML"),
        ("![see {{ nope }}](a.svg)", "no sheet of this text has the name 'nope'"),
    ],
)
def test_what_would_not_render_is_told(text: str, message: str) -> None:
    assert any(message in line for line in _told(text))


def test_less_than_is_no_html() -> None:
    assert _told("a < b and b > c, x<y") == []
