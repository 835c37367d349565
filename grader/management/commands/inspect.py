"""Say what the compilers make of a program; needs no database, broker or web server."""

import json
import shutil
import sys
from argparse import ArgumentParser
from io import StringIO
from pathlib import Path
from typing import override

from django.core.management.base import BaseCommand, CommandError
from rich.console import Console

from grader.core.hlo import HloError
from grader.inspecting import Inspected, inspect_source
from grader.sandbox.confinement import best_confinement
from grader.sandbox.errors import SandboxUnavailableError
from grader.terminal import learner_error_report, report
from tpu_runner.protocol import AxisType, Backend, BackendStatus, MeshAxis, MeshSpec, Target

FAILED, USAGE, NOT_GRADED = 1, 2, 3
_LARGEST_FILE_BYTES = 1 << 20
_WIDTH_OF_A_FILE = 120


class Command(BaseCommand):
    """Adapter: the work is in `grader.inspecting`, the look in `grader.terminal`."""

    help = (
        "Trace FILE's build(mesh), compile it for fake CPU devices and for a TPU slice, and show "
        "the collectives, memory, products and layouts that came of it."
    )
    requires_system_checks = ()

    @override
    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "file", type=Path, help="a module with build(mesh) and example_args(mesh)"
        )
        parser.add_argument("--mesh", required=True, help="axes and sizes, such as data=4,model=2")
        parser.add_argument("--backend", help="cpu, tpu-compile, or both with a comma")
        parser.add_argument("--topology", help="a TPU slice, such as v5e:2x4")
        parser.add_argument(
            "--slices",
            type=int,
            default=1,
            help="how many slices; the first mesh axis crosses them",
        )
        parser.add_argument("--axis-types", choices=("auto", "explicit"), default="auto")
        parser.add_argument(
            "--no-sandbox",
            action="store_true",
            help="run without a sandbox: unsafe, for a file of your own that you trust",
        )
        parser.add_argument("--json", action="store_true", help="print one JSON object instead")

    @override
    def handle(self, *args: object, **options: object) -> None:
        file = Path(str(options["file"]))
        source = _read(file)
        mesh = parse_mesh(str(options["mesh"]), AxisType(str(options["axis_types"])))
        targets = parse_targets(
            _optional(options["backend"]),
            _optional(options["topology"]),
            slices=int(str(options["slices"])),
        )
        holder = best_confinement() if options["no_sandbox"] else None
        try:
            found = inspect_source(source, mesh=mesh, targets=targets, holder=holder)
        except SandboxUnavailableError as error:
            raise CommandError(
                f"{error}\n--no-sandbox runs a file of your own without one.", returncode=NOT_GRADED
            ) from error
        except HloError as error:
            raise CommandError(
                f"The compiled program cannot be read: {error}", returncode=NOT_GRADED
            ) from error
        if options["json"]:
            self.stdout.write(json.dumps(as_json(found), indent=1))
        else:
            self._print(found, file, source)
        if status := exit_status(found):
            sys.exit(status)

    def _print(self, found: Inspected, file: Path, source: bytes) -> None:
        shown = StringIO()
        is_terminal = self.stdout.isatty()
        width = shutil.get_terminal_size().columns if is_terminal else _WIDTH_OF_A_FILE
        console = Console(file=shown, force_terminal=is_terminal, width=width)
        text = source.decode("utf-8", "replace")
        if found.learner_error is not None:
            learner_error_report(console, found.learner_error, file=str(file))
        elif found.refusal or found.failure:
            console.print(found.refusal or found.failure, style="bold red", markup=False)
        else:
            report(console, found.inspections, file=str(file), source=text)
        self.stdout.write(shown.getvalue(), ending="")


def parse_mesh(text: str, axis_type: AxisType) -> MeshSpec:
    """Return the mesh that `data=4,model=2` names, or raise CommandError with what to write."""
    axes = []
    for part in text.split(","):
        name, _, size = part.strip().partition("=")
        if not name or not size.isascii() or not size.isdigit() or not 0 < int(size) < 65536:
            raise CommandError(
                f"--mesh {text!r} is no mesh. Write axes and sizes, such as data=4,model=2.",
                returncode=USAGE,
            )
        axes.append(MeshAxis(name=name, size=int(size), type=axis_type))
    try:
        return MeshSpec(axes=tuple(axes))
    except ValueError as error:
        raise CommandError(f"--mesh {text!r}: {error}.", returncode=USAGE) from error


def parse_targets(backends: str | None, topology: str | None, *, slices: int) -> tuple[Target, ...]:
    """Return what to compile for: CPU alone, and the slice too where one is named."""
    names = (backends or ("cpu,tpu-compile" if topology else "cpu")).split(",")
    if slices < 1:
        raise CommandError("--slices is a number of at least 1.", returncode=USAGE)
    targets = []
    for name in dict.fromkeys(name.strip() for name in names):
        if name == Backend.CPU.value:
            targets.append(Target(backend=Backend.CPU, topology=None, slices=slices))
        elif name == Backend.TPU_COMPILE.value:
            if topology is None:
                raise CommandError(
                    "tpu-compile needs a slice: add --topology, such as --topology v5e:2x4.",
                    returncode=USAGE,
                )
            targets.append(Target(backend=Backend.TPU_COMPILE, topology=topology, slices=slices))
        else:
            raise CommandError(
                f"There is no backend {name!r}: choose cpu, tpu-compile, or both with a comma.",
                returncode=USAGE,
            )
    return tuple(targets)


def as_json(found: Inspected) -> dict[str, object]:
    """Return one backend's object, or several under `backends`, or the error."""
    if found.learner_error is not None:
        error = found.learner_error
        frames = [{"line": one.line, "function": one.function} for one in error.frames]
        return {"error": {"kind": error.kind.value, "message": error.message, "frames": frames}}
    if found.refusal or found.failure:
        kind = "refused" if found.refusal else "not_graded"
        return {"error": {"kind": kind, "message": found.refusal or found.failure}}
    objects = [inspection.as_json() for inspection in found.inspections]
    return objects[0] if len(objects) == 1 else {"backends": objects}


def exit_status(found: Inspected) -> int:
    """Return 0 inspected, 1 the program fails, 2 wrong usage, 3 not graded."""
    if found.learner_error is not None or found.refusal:
        return FAILED
    if found.failure:
        return NOT_GRADED
    statuses = {inspection.status for inspection in found.inspections}
    if statuses & {BackendStatus.UNKNOWN_TOPOLOGY, BackendStatus.MESH_DOES_NOT_FIT}:
        return USAGE
    if BackendStatus.COMPILER_ERROR in statuses:
        return FAILED
    unread = any(one.reading and one.reading.not_understood for one in found.inspections)
    return NOT_GRADED if unread or BackendStatus.COMPILED not in statuses else 0


def _read(file: Path) -> bytes:
    try:
        if file.stat().st_size > _LARGEST_FILE_BYTES:
            raise CommandError(
                f"{file} is larger than {_LARGEST_FILE_BYTES >> 20} MiB. Data and weights are "
                "arguments: keep only the program.",
                returncode=USAGE,
            )
        return file.read_bytes()
    except OSError as error:
        raise CommandError(f"Cannot read {file}: {error.strerror}.", returncode=USAGE) from error


def _optional(value: object) -> str | None:
    return None if value is None else str(value)
