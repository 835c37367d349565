"""What one chip of each TPU generation can do, in the units that the names say.

Sources, read in 2026: Google's Cloud TPU pages for each generation (peaks, memory, links); the
scaling book's tables (jax-ml.github.io/scaling-book, "How to Think About TPUs") for links at the
rate that is achieved rather than the line rate, which is 50 or 100 GB/s.
"""

import dataclasses
from typing import Final

GIB: Final = 2**30
HOP_SECONDS: Final = 1e-6
"""Latency of one hop between chips, "typically around 1 µs" in the scaling book's "Sharding"."""


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Chip:
    """One chip. Peaks are per chip; JAX may show it as two devices, which share it.

    `ici_bytes_per_second` is one link in one direction. `wraps` says which sides of a slice close
    to a ring: all, those of 16 chips, or all of a slice made of whole 4×4×4 cubes.
    """

    name: str
    devices: int
    bf16_flops_per_second: float
    int8_ops_per_second: float | None
    fp8_flops_per_second: float | None
    hbm_bytes: int
    hbm_bytes_per_second: float
    ici_bytes_per_second: float
    dcn_bytes_per_second: float | None
    wraps: str

    def flops_per_second(self, dtype: str) -> float:
        """Return the peak for operands of an HLO type; f32 is multiplied as bf16 by default."""
        if dtype in ("s8", "u8", "s4", "u4"):
            return self.int8_ops_per_second or self.bf16_flops_per_second
        if dtype.startswith("f8"):
            return self.fp8_flops_per_second or self.bf16_flops_per_second
        return self.bf16_flops_per_second


CHIPS: Final = {
    chip.name: chip
    for chip in (
        Chip(
            name="v2",
            devices=2,
            bf16_flops_per_second=46e12,
            int8_ops_per_second=None,
            fp8_flops_per_second=None,
            hbm_bytes=16 * GIB,
            hbm_bytes_per_second=700e9,
            ici_bytes_per_second=62e9,  # 496 Gb/s a link, TPU v4 paper's table of generations
            dcn_bytes_per_second=None,
            wraps="all",
        ),
        Chip(
            name="v3",
            devices=2,
            bf16_flops_per_second=123e12,
            int8_ops_per_second=None,
            fp8_flops_per_second=None,
            hbm_bytes=32 * GIB,
            hbm_bytes_per_second=900e9,
            ici_bytes_per_second=70e9,  # TPU v4 paper's table; the scaling book says 100e9
            dcn_bytes_per_second=None,
            wraps="all",
        ),
        Chip(
            name="v4",
            devices=2,
            bf16_flops_per_second=275e12,
            int8_ops_per_second=275e12,
            fp8_flops_per_second=None,
            hbm_bytes=32 * GIB,
            hbm_bytes_per_second=1_200e9,
            ici_bytes_per_second=45e9,
            dcn_bytes_per_second=None,
            wraps="cubes",
        ),
        Chip(
            name="v5e",
            devices=1,
            bf16_flops_per_second=197e12,
            int8_ops_per_second=394e12,
            fp8_flops_per_second=None,
            hbm_bytes=16_000_000_000,
            hbm_bytes_per_second=819e9,
            ici_bytes_per_second=45e9,
            dcn_bytes_per_second=3.125e9,
            wraps="sixteen",
        ),
        Chip(
            name="v5p",
            devices=1,
            bf16_flops_per_second=459e12,
            int8_ops_per_second=918e12,
            fp8_flops_per_second=459e12,
            hbm_bytes=95 * GIB,
            hbm_bytes_per_second=2_765e9,
            ici_bytes_per_second=90e9,
            dcn_bytes_per_second=6.25e9,
            wraps="cubes",
        ),
        Chip(
            name="v6e",
            devices=1,
            bf16_flops_per_second=918e12,
            int8_ops_per_second=1_836e12,
            fp8_flops_per_second=918e12,
            hbm_bytes=32_000_000_000,
            hbm_bytes_per_second=1_640e9,
            ici_bytes_per_second=90e9,
            dcn_bytes_per_second=12.5e9,
            wraps="sixteen",
        ),
        Chip(
            name="tpu7x",
            devices=2,
            bf16_flops_per_second=2_307e12,
            int8_ops_per_second=None,
            fp8_flops_per_second=4_614e12,
            hbm_bytes=192 * GIB,
            hbm_bytes_per_second=7_400e9,
            ici_bytes_per_second=90e9,
            dcn_bytes_per_second=12.5e9,
            wraps="cubes",
        ),
    )
}
