"""Random numbers: those published, and the same in kernels and twins."""

import numpy as np

from microagg.kernels.splitmix import STEP, below, mixed, shuffle, uniform
from tests.twins.splitmix import Stream


def stream_of(seed):
    return np.array([seed], dtype=np.uint64)


def test_they_are_those_published_for_splitmix64():
    assert int(mixed(np.uint64(1234567) + STEP)) == 6457827717110365317
    assert uniform(stream_of(0)) == (0xE220A8397B1DCDAF >> 11) * 2.0**-53


def test_they_are_those_of_the_twin():
    stream, twin = stream_of(2**63 + 5), Stream(2**63 + 5)
    assert [uniform(stream) for _ in range(50)] == [twin.uniform() for _ in range(50)]
    assert [below(stream, 7) for _ in range(50)] == [twin.below(7) for _ in range(50)]
    ours, theirs = np.arange(20), list(range(20))
    shuffle(stream, ours)
    twin.shuffle(theirs)
    assert ours.tolist() == theirs
