"""Shared pieces: the committed content, a text that is right, and the browser's evaluator."""

import json
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from questionbank.catalog.content.documents import Bank
from questionbank.catalog.content.errors import ContentError
from questionbank.catalog.content.reading import read_bank

PROJECT = Path(__file__).parents[3]
CONTENT = PROJECT / "content"

# Answers one JSON request a line: {"call": name of an export, "arguments": [...]}.
_ANSWERING = """
import * as sheet from %s;
import { createInterface } from "node:readline";
const plain = (_key, value) =>
  typeof value === "number" && !Number.isFinite(value) ? String(value) : value;
for await (const line of createInterface({ input: process.stdin })) {
  const { call, arguments: given } = JSON.parse(line);
  console.log(JSON.stringify({ answer: sheet[call](...given) }, plain));
}
"""

type Browser = Callable[..., object]


@pytest.fixture(scope="session")
def in_browser() -> Iterator[Browser]:
    """Call an export of sheet.js: `in_browser("written", 1.5, {...})`. NaN comes back as "NaN"."""
    node = shutil.which("node")
    if node is None:
        pytest.fail("no node: apt-get install nodejs")
    script = _ANSWERING % json.dumps((PROJECT / "frontend/src/sheet.js").as_uri())
    with subprocess.Popen(
        [node, "--input-type=module", "--eval", script],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        to_node, from_node = process.stdin, process.stdout

        def call(name: str, *arguments: object) -> object:
            to_node.write(json.dumps({"call": name, "arguments": arguments}) + "\n")
            to_node.flush()
            # JavaScript has one kind of number.
            return json.loads(from_node.readline(), parse_int=float)["answer"]

        yield call
        to_node.close()


@pytest.fixture(scope="session")
def committed() -> tuple[Bank, list[ContentError]]:
    """The content folder of this repository, and what reading it found wrong."""
    return read_bank(CONTENT)
