"""Words that several parts of a rubric share."""

import enum
from typing import Annotated

from msgspec import Meta

type Spec = tuple[str | tuple[str, ...] | None, ...]
type Name = Annotated[str, Meta(pattern=r"^[a-z_][a-z0-9_]*(\.[a-z0-9_]+)*$")]


class Dtype(enum.StrEnum):
    """Element types of hidden inputs and outputs, as numpy and ml_dtypes name them."""

    BOOL = "bool"
    INT8 = "int8"
    INT16 = "int16"
    INT32 = "int32"
    UINT8 = "uint8"
    UINT32 = "uint32"
    FLOAT32 = "float32"
    FLOAT16 = "float16"
    BFLOAT16 = "bfloat16"
    FLOAT8_E4M3FN = "float8_e4m3fn"
    FLOAT8_E5M2 = "float8_e5m2"
