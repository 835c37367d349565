"""Which program is compiled for which mesh; one golden file per case and backend."""

import dataclasses
from collections.abc import Mapping
from pathlib import Path

GOLDEN = Path(__file__).parent
BACKENDS = ("cpu", "tpu")


@dataclasses.dataclass(frozen=True, kw_only=True)
class Case:
    """A program, the mesh that it is compiled for, and the slice that carries the mesh."""

    name: str
    program: str
    mesh: Mapping[str, int]
    topology: str
    slices: int = 1
    axis_types: str = "auto"
    backends: tuple[str, ...] = BACKENDS

    def hlo_path(self, backend: str) -> Path:
        """Where the compiled text lies."""
        return GOLDEN / "hlo" / f"{self.name}.{backend}.hlo"

    def rows_path(self, backend: str) -> Path:
        """Where the expected rows lie."""
        return GOLDEN / "rows" / f"{self.name}.{backend}.json"

    @property
    def program_path(self) -> Path:
        """Where the program lies."""
        return GOLDEN / "programs" / f"{self.program}.py"


_DATA_MODEL = {"data": 4, "model": 2}


def _case(name: str, mesh: Mapping[str, int], topology: str, program: str = "", **rest: object) -> Case:
    return Case(name=name, program=program or name, mesh=mesh, topology=topology, **rest)  # type: ignore[arg-type]  # each is a field of Case


# The twelve that a specialist would be shown first.
SHOWN = (
    _case("matmul_contracted", _DATA_MODEL, "v5e:2x4"),
    _case("matmul_gathered", _DATA_MODEL, "v5e:2x4"),
    _case("matmul_scattered", _DATA_MODEL, "v5e:2x4"),
    _case("fsdp", _DATA_MODEL, "v5e:2x4"),
    _case("megatron_mlp", _DATA_MODEL, "v5e:2x4"),
    _case("sequence_parallel_mlp", _DATA_MODEL, "v5e:2x4"),
    _case("ring_attention", {"seq": 8}, "v5e:2x4"),
    _case("moe_dispatch", {"data": 2, "expert": 4}, "v5e:2x4"),
    _case("pipeline", {"pipe": 4}, "v5e:2x2"),
    _case("halo", {"x": 8}, "v5e:2x4"),
    _case("multi_slice", {"slice": 2, "data": 4, "model": 2}, "v5e:2x4", slices=2),
    _case("embedding", _DATA_MODEL, "v5e:2x4"),
)

# One for each spelling and shape of compiled HLO that the reader must understand.
SHAPES = (
    _case("scan_of_five", _DATA_MODEL, "v5e:2x4"),
    _case("nested_scans", _DATA_MODEL, "v5e:2x4"),
    _case("unknown_times", _DATA_MODEL, "v5e:2x4"),
    _case("every_kind", _DATA_MODEL, "v5e:2x4"),
    _case("gather_behind_compute", _DATA_MODEL, "v5e:2x4"),
    _case("collective_matmul", {"x": 8}, "v5e:2x4"),
    _case("scattered_gradient", {"x": 8}, "v5e:2x4"),
    _case("short_ring", {"data": 4, "model": 16}, "v5p:4x4x4"),
    _case("padded_scatter", {"x": 4}, "v5e:2x2"),
    _case("padded_scatter_on_an_axis", {"x": 4, "y": 4}, "v5e:4x4", program="padded_scatter"),
    _case("combined_gradients", {"data": 4, "model": 4}, "v5p:2x2x4"),
    _case("part_of_an_axis", {"x": 8}, "v5e:2x4"),
    _case("sums_within_an_axis", {"x": 8}, "v5e:2x4"),
    _case("transposed_layout", _DATA_MODEL, "v5e:2x4"),
    _case("split_axis", {"x": 8}, "v5e:2x4"),
    _case("hoisted_sum", _DATA_MODEL, "v5e:2x4"),
    _case("transposed_mesh", {"x": 4, "y": 4}, "v5e:4x4"),
    _case("ring_per_slice", {"slice": 2, "data": 2, "model": 4}, "v5p:2x2x2", slices=2, backends=("tpu",)),
    _case("rolled_blocks", {"x": 2, "y": 2}, "v5e:2x2"),
    _case("ragged_exchange", {"expert": 8}, "v5p:2x2x2", backends=("tpu",)),
    _case("sparsecore", {"fsdp": 8}, "tpu7x:2x2x1", backends=("tpu",)),
    _case("multi_slice_axis", {"slice": 2, "data": 2, "model": 2}, "v5e:2x2", program="across", slices=2),
    _case("axis_over_slices", {"slice": 4, "data": 1, "model": 2}, "v5e:2x2", program="across", slices=2),
)

CASES = SHOWN + SHAPES
