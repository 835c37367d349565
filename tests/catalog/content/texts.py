"""A folder of content that is right, made of the examples in FORMAT.md, for tests to break."""

import re
from pathlib import Path

FORMAT = Path(__file__).parents[3] / "content" / "FORMAT.md"
_EXAMPLE = re.compile(r"^````\w+ example=(\S+)\n(.*?)^````$", re.M | re.S)

QUESTION = "questions/dist/gather-time/question.md"
CONCEPT = "concepts/zero-fsdp.md"
DRAWING = "questions/dist/gather-time/diagrams/shards.svg"


def examples() -> dict[str, str]:
    """The examples of FORMAT.md, by name."""
    return dict(_EXAMPLE.findall(FORMAT.read_text(encoding="utf-8")))


def example_files() -> dict[str, str]:
    """The examples, by the path that each would have in a content folder."""
    found = examples()
    lists = ("topics.yaml", "tracks.yaml", "planned.yaml", "facts.yaml")
    files = {name: found[name] for name in lists}
    return files | {
        QUESTION: found["question"],
        CONCEPT: found["concept"],
        DRAWING: found["drawing"],
    }


def lay(folder: Path, files: dict[str, str]) -> Path:
    """Write files into a folder, and give the folder."""
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    return folder


def line_of(text: str, start: str) -> int:
    """Line on which `start` first stands, from 1."""
    return text[: text.index(start)].count("\n") + 1
