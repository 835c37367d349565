"""Reads an exercise: statement, rubric, starter, reference, and programs that must fail."""

import ast
import dataclasses
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

import msgspec

from grader.core.rubric import DataRubric, Rubric, read_rubric
from grader.core.rubric.plain import read_plain
from grader.core.verdict import Outcome
from questionbank.catalog.content.errors import ContentError
from questionbank.catalog.content.exercises import Exercise as Statement
from questionbank.catalog.content.exercises import parse_exercise
from questionbank.catalog.content.yaml_fields import SLUG

KNOWN: Final = frozenset(
    {"exercise.md", "rubric.yaml", "starter.py", "reference.py", "programs", "expected.yaml"}
)
FEWEST_WRONG, FEWEST_CHEATS = 2, 1
_NOT_A_RESULT: Final = (Outcome.LEARNER_ERROR, Outcome.LIMIT)


class Expected(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What an author says of one program that must not pass.

    `fails` names, for each backend, all checks that fail there; `outcome` stands instead where the
    program never comes to be checked.
    """

    cheat: bool = False
    story: str
    fails: dict[str, tuple[str, ...]] = {}
    outcome: Outcome = Outcome.FAILED


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class ExampleProgram:
    """One wrong answer, with what is expected of the grader."""

    name: str
    source: bytes
    expected: Expected


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Exercise:
    """One exercise, whole."""

    slug: str
    statement: Statement
    rubric: Rubric
    starter: bytes
    reference: bytes
    programs: tuple[ExampleProgram, ...]


def exercise_slugs(content: Path) -> tuple[str, ...]:
    """Return the slugs of all exercises in a content folder."""
    folder = content / "exercises"
    if not folder.is_dir():
        return ()
    return tuple(sorted(entry.name for entry in folder.iterdir() if entry.is_dir()))


def read_exercise(content: Path, slug: str) -> tuple[Exercise | None, tuple[ContentError, ...]]:
    """Return an exercise, or None with everything that is wrong with its files."""
    folder = _Folder(content, slug)
    if not SLUG.fullmatch(slug) or not folder.path.is_dir():
        return None, (ContentError(f"exercises/{slug}", 1, "there is no such exercise"),)
    folder.refuse_strangers()
    statement, errors = parse_exercise(
        folder.text("exercise.md"), folder.name("exercise.md"), slug=slug
    )
    folder.errors += errors
    rubric, problems = read_rubric(folder.text("rubric.yaml"))
    folder.errors += [
        ContentError(folder.name("rubric.yaml"), one.line, one.message) for one in problems
    ]
    starter, reference = folder.text("starter.py"), folder.text("reference.py")
    if rubric is not None:
        for file, text in (("starter.py", starter), ("reference.py", reference)):
            folder.check_code(file, text, needed=_functions(rubric, file))
    programs = folder.programs(_check_names(rubric))
    if folder.errors or statement is None or rubric is None:
        return None, tuple(sorted(set(folder.errors)))
    found = Exercise(
        slug=slug,
        statement=statement,
        rubric=rubric,
        starter=starter.encode(),
        reference=reference.encode(),
        programs=programs,
    )
    return found, ()


def _functions(rubric: Rubric, file: str) -> tuple[str, ...]:
    if isinstance(rubric, DataRubric):
        return (rubric.function,)
    return ("build", "plain") if file == "reference.py" else ("build",)


def _check_names(rubric: Rubric | None) -> Mapping[str, frozenset[str]]:
    """Return the names of the rubric's checks by backend that a program may fail on."""
    if rubric is None:
        return {}
    names = frozenset(str(check.__struct_config__.tag) for check in rubric.checks)
    if isinstance(rubric, DataRubric):
        return {"data": names}
    backends = {"cpu": names}
    if rubric.backends.tpu_compile is not None:
        backends["tpu-compile"] = names
    return backends


class _Folder:
    def __init__(self, content: Path, slug: str) -> None:
        self.slug = slug
        self.path = content / "exercises" / slug
        self.errors: list[ContentError] = []

    def name(self, file: str) -> str:
        return f"exercises/{self.slug}/{file}"

    def blame(self, file: str, line: int, message: str) -> None:
        self.errors.append(ContentError(self.name(file), line, message))

    def text(self, file: str) -> str:
        try:
            return (self.path / file).read_text(encoding="utf-8").replace("\r\n", "\n")
        except (OSError, UnicodeDecodeError) as error:
            self.blame(file, 1, f"cannot be read: {error}")
            return ""

    def refuse_strangers(self) -> None:
        for entry in sorted(self.path.iterdir()):
            if entry.name not in KNOWN and entry.name != "__pycache__":
                self.blame(
                    entry.name, 1, f"does not belong here; known: {', '.join(sorted(KNOWN))}"
                )

    def check_code(self, file: str, text: str, *, needed: Iterable[str]) -> None:
        try:
            tree = ast.parse(text)
        except (SyntaxError, ValueError) as error:
            self.blame(file, getattr(error, "lineno", None) or 1, f"is no Python: {error}")
            return
        there = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
        for name in needed:
            if name not in there:
                self.blame(file, 1, f"has no function {name}")

    def programs(self, checks: Mapping[str, frozenset[str]]) -> tuple[ExampleProgram, ...]:
        expected = self._expected()
        folder = self.path / "programs"
        files = {file.name for file in folder.glob("*.py")} if folder.is_dir() else set()
        for name in sorted(files ^ set(expected)):
            there = name in files
            message = "has no entry in expected.yaml" if there else "there is no such program"
            self.blame(f"programs/{name}" if there else "expected.yaml", 1, f"{name}: {message}")
        cheats = sum(one.cheat for one in expected.values())
        if cheats < FEWEST_CHEATS or len(expected) - cheats < FEWEST_WRONG:
            self.blame(
                "expected.yaml",
                1,
                f"needs at least {FEWEST_WRONG} wrong answers and {FEWEST_CHEATS} cheat",
            )
        found = []
        for name in sorted(files & set(expected)):
            self._check_expected(name, expected[name], checks)
            source = self.text(f"programs/{name}").encode()
            found.append(ExampleProgram(name=name, source=source, expected=expected[name]))
        return tuple(found)

    def _expected(self) -> dict[str, Expected]:
        plain = read_plain(self.text("expected.yaml"))
        for problem in plain.problems:
            self.blame("expected.yaml", problem.line, problem.message)
        found: dict[str, Expected] = {}
        for name, entry in plain.value.items() if isinstance(plain.value, dict) else ():
            try:
                found[name] = msgspec.convert(entry, Expected, strict=True)
            except msgspec.ValidationError as error:
                self.blame("expected.yaml", plain.line((name,)), f"{name}: {error}")
        return found

    def _check_expected(
        self, name: str, expected: Expected, checks: Mapping[str, frozenset[str]]
    ) -> None:
        failing = {check for names in expected.fails.values() for check in names}
        if expected.outcome is Outcome.FAILED and not failing:
            self.blame("expected.yaml", 1, f"{name}: some check has to fail on some backend")
        if expected.outcome in _NOT_A_RESULT and expected.fails:
            self.blame("expected.yaml", 1, f"{name}: a program that is not checked fails no check")
        if expected.outcome not in (Outcome.FAILED, *_NOT_A_RESULT):
            self.blame("expected.yaml", 1, f"{name}: {expected.outcome.value} is no failure")
        for backend, names in expected.fails.items() if checks else ():
            for unknown in sorted(set(names) - checks.get(backend, frozenset())):
                self.blame(
                    "expected.yaml", 1, f"{name}: {backend} has no check {unknown!r} to fail"
                )
