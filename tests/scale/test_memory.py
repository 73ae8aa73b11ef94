"""The memory that is asked for decides the sizes, or is refused with what is needed."""

import re

import pytest

from microagg.errors import ParameterError
from microagg.scale.memory import budget, bytes_of


@pytest.mark.parametrize(
    ("text", "size"),
    [("2GB", 2e9), ("1.5 gb", 1.5e9), ("800M", 8e8), ("1GiB", 2**30), (123, 123), ("4000000", 4e6)],
)
def test_amounts(text, size):
    assert bytes_of(text) == size


@pytest.mark.parametrize("text", ["", "two", "2XB", "-1GB", True, None, "2GBs"])
def test_what_is_no_amount(text):
    with pytest.raises(ParameterError, match="must be an amount"):
        bytes_of(text)


def test_more_memory_means_larger_blocks_up_to_a_size():
    sizes = [budget(size, 10, 100.0).block_size for size in (6 * 10**8, 10**9, 4 * 10**9)]
    assert sizes == sorted(sizes)
    assert sizes[0] < sizes[-1] == 100_000


def test_what_is_said_to_be_needed_is_enough():
    with pytest.raises(ParameterError) as refused:
        budget(10**8, 40, 5000.0)
    needed = re.search(r'memory="(\w+)"', str(refused.value))[1]
    assert budget(bytes_of(needed), 40, 5000.0).block_size >= 10_000


def test_a_block_size_that_does_not_fit_is_refused():
    assert budget(10**9, 5, 100.0, 20_000).block_size == 20_000
    with pytest.raises(ParameterError, match="blocks of 9,000,000 records"):
        budget(10**9, 5, 100.0, 9_000_000)
