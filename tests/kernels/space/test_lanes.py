"""Vectors give the sums of plain loops, bit for bit, and a bit for each that passes."""

import numpy as np
import pytest

from microagg.kernels.jit import kernel
from microagg.kernels.space.lanes import at_least, far_leaf, first_bit, near_boxes, near_leaf
from microagg.kernels.space.leaves import BLOCK, LEAF

ROOM = 80


@kernel
def leaf_bits(tiles, leaf, q, limit, near, out):
    return near_leaf(tiles, leaf, q, limit, out) if near else far_leaf(tiles, leaf, q, limit, out)


@kernel
def box_bits(lows, highs, block, q, limit, out):
    return near_boxes(lows, highs, block, q, limit, out)


@kernel
def bits_at_least(values, limit):
    return at_least(values, limit)


@kernel
def lowest(bits):
    return first_bit(bits)


def singles(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


def unpacked(bits, size):
    assert int(bits) >> size == 0
    return np.array([int(bits) >> i & 1 for i in range(size)], dtype=bool)


@pytest.mark.parametrize("d", [1, 2, 7, 8, 10, 33])
@pytest.mark.parametrize("near", [True, False])
def test_leaves(d, near):
    tiles, q = singles(3, d, LEAF), singles(d, seed=1)
    sums = np.zeros(LEAF, dtype=np.float32)
    for j in range(d):
        sums += (tiles[1, j] - q[j]) ** 2
    limit, out = np.sort(sums)[LEAF // 2], np.full(ROOM, np.float32(-7))
    bits = leaf_bits(tiles, 1, q, limit, near, out)
    np.testing.assert_array_equal(out[:LEAF], sums)
    assert (out[LEAF:] == -7).all()  # nothing behind the leaf is written
    expected = sums <= limit if near else sums >= limit
    np.testing.assert_array_equal(unpacked(bits, LEAF), expected)


@pytest.mark.parametrize("d", [1, 3, 10, 20])
def test_boxes(d):
    ends, q = singles(2, 2, d, BLOCK), 2 * singles(d, seed=1)
    lows, highs = np.minimum(*ends), np.maximum(*ends)
    sums = np.zeros(BLOCK, dtype=np.float32)
    for j in range(d):
        gap = np.maximum(np.maximum(lows[1, j] - q[j], q[j] - highs[1, j]), np.float32(0))
        sums += gap * gap
    limit, out = np.sort(sums)[BLOCK // 3], np.full(ROOM, np.float32(-7))
    bits = box_bits(lows, highs, 1, q, limit, out)
    np.testing.assert_array_equal(out[:BLOCK], sums)
    assert (out[BLOCK:] == -7).all()
    np.testing.assert_array_equal(unpacked(bits, BLOCK), sums <= limit)
    np.testing.assert_array_equal(unpacked(bits_at_least(out, limit), BLOCK), out[:BLOCK] >= limit)


@pytest.mark.parametrize("place", [0, 1, 31, 32, 63])
def test_the_lowest_bit_that_is_set(place):
    assert lowest(np.uint64(1 << place | 1 << 63)) == place
