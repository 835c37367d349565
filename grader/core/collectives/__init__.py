"""What a compiled program communicates: one row per logical collective."""

from grader.core.collectives.finding import find_collectives
from grader.core.collectives.mesh import Mesh
from grader.core.collectives.rows import Collective, Findings, Kind, Link, NotUnderstood

__all__ = [
    "Collective",
    "Findings",
    "Kind",
    "Link",
    "Mesh",
    "NotUnderstood",
    "find_collectives",
]
