"""Blocks of arrays are views, so that what is written to a block is in the whole."""

import numpy as np

from grader.core.arrays import part_of
from tpu_runner.protocol import Shard


def test_a_block_is_written_where_it_belongs() -> None:
    whole = np.zeros((4, 2), np.bool_)
    part_of(whole, Shard(start=(2, 0), stop=(3, 2)))[...] = True
    assert whole.tolist() == [[False, False], [False, False], [True, True], [False, False]]


def test_the_block_of_a_scalar_is_written_to_the_scalar() -> None:
    whole = np.zeros((), np.bool_)
    part_of(whole, Shard(start=(), stop=()))[...] = True
    assert whole.all()
