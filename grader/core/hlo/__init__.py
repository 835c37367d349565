"""Read compiled HLO text: the parser and the questions every reader of a module asks."""

from grader.core.hlo.errors import HloError
from grader.core.hlo.module import Computation, Instruction, Module, Unparsed
from grader.core.hlo.parsing import parse_module
from grader.core.hlo.shapes import ArrayShape, Shape, TupleShape, parse_shape

__all__ = [
    "ArrayShape",
    "Computation",
    "HloError",
    "Instruction",
    "Module",
    "Shape",
    "TupleShape",
    "Unparsed",
    "parse_module",
    "parse_shape",
]
