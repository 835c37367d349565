"""How long products and collectives take on a named TPU slice: a model, not a measure."""

from grader.core.cost.chips import CHIPS, Chip
from grader.core.cost.network import Ring, collective_seconds, permute_seconds
from grader.core.cost.programs import ModelledCollective, ModelledTime, model_time
from grader.core.cost.torus import Torus

__all__ = [
    "CHIPS",
    "Chip",
    "ModelledCollective",
    "ModelledTime",
    "Ring",
    "Torus",
    "collective_seconds",
    "model_time",
    "permute_seconds",
]
