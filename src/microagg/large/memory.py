"""The memory that may be used, and what follows from it: sizes of blocks and of pieces."""

from __future__ import annotations

from dataclasses import dataclass, replace

from microagg.errors import ParameterError, Phrase
from microagg.partition.search.blocks.block import BLOCK_SIZE, BLOCKS_A_CELL, OVERFULL
from microagg.partition.search.blocks.blocks import SAMPLE
from microagg.threads import workers

PROGRAM = 400_000_000
"""Bytes that Python, its packages and the compiled kernels take."""

SMALLEST_BLOCK, SMALLEST_PIECE = 10_000, 1_000
"""Records of a block that we choose, and of a piece of the file, at least."""

LARGEST_BLOCK = 1_000_000
"""Records of a block that we choose, at most, where its method takes little longer for larger blocks."""

LARGEST_PIECE, LARGEST_TABLE = 1 << 18, 1 << 25
"""Records and bytes of a piece of the file, at most."""

INDEX = 1 / 10
"""Share of the memory for where blocks start in pieces, when we choose the size of blocks."""

_STEP = 10**7  # to which an amount that is needed is rounded up


@dataclass(frozen=True)
class Sizes:
    """Sizes that keep the work within a memory.

    Attributes
    ----------
    block_size : int
        Records a block, at most.
    piece : int
        Records of the file of which the quasi-identifiers are held at a time.
    table : int
        Bytes of the file that are held at a time, with all columns.
    counted : int
        Released records that are counted at a time.
    threads : int
        Blocks that are grouped at a time: one a processor, as far as the memory allows. No other size
        depends on it, so that the groups do not.
    cell_threads : int
        Cells that are repaired at a time, likewise.
    """

    block_size: int
    piece: int
    table: int
    counted: int
    threads: int = 1
    cell_threads: int = 1

    def bins(self, n: int) -> int:
        """Return in how many bins n records are counted; there is room for unequal ones."""
        return -(-2 * n // self.counted)

    def index(self, n: int) -> int:
        """Return the bytes that say where each block of n records starts in each piece, and so on.

        A block has at least half of the records that it may have, and a cell two fifths, where values
        are not tied.
        """
        pieces = -(-n // self.piece)
        blocks = min(2 * n // self.block_size, SAMPLE) + 1
        cells = min(5 * n // (2 * BLOCKS_A_CELL * self.block_size), SAMPLE) + 1
        return 4 * (pieces * (blocks + 1 + self.bins(n) + 1) + blocks * (cells + 1))


def budget(
    memory: int,
    d: int,
    block_size: int | None = None,
    n: int = 0,
    *,
    most: int = LARGEST_BLOCK,
) -> Sizes:
    """Return the sizes for `memory` bytes and d quasi-identifiers.

    A given block size is kept; else it is the largest of up to `most` that fits. No size depends on the
    number of records `n`, if it is known already, but for the threads: many records take memory too.

    Examples
    --------
    >>> sizes = budget(2 * 10**9, 10)
    >>> sizes.block_size, sizes.piece, sizes.table
    (1000000, 262144, 33554432)
    """
    sizes = _sizes(memory, d, block_size, n, most)
    if sizes is None:
        enough = -(-memory // _STEP) * _STEP
        while _sizes(enough, d, block_size, n, most) is None:
            enough += _STEP
        records = f"{n:,} records of {d}" if n else f"{d}"
        wanted = block_size or SMALLEST_BLOCK
        blocks = f" and blocks of {wanted:,} records" if block_size or not n else ""
        raise ParameterError(
            f"must be at least {_shown(enough)} for {records} "
            f"quasi-identifiers{blocks}. Got {_shown(memory)}.",
            parameter="memory",
            hint=Phrase("Set {memory}.", memory=_shown(enough)),
        )
    return sizes


def _sizes(memory: int, d: int, block_size: int | None, n: int, most: int) -> Sizes | None:
    """Return the sizes, or None if there are none for so little memory."""
    rest = memory - PROGRAM - 64 * SAMPLE * d
    in_block, in_cell = (OVERFULL * own for own in _bytes_of_record(d, most))
    # Bytes of a record in a block, and in the cells in which the block is repaired.
    record = int(max(in_block, BLOCKS_A_CELL * in_cell))
    number = 2 * (250 * d + 100)  # numbers while a piece is written as text, in half of the memory
    size = block_size or min(most, int(rest * (1 - INDEX)) // record // 1000 * 1000)
    if rest < number * SMALLEST_PIECE or (not block_size and size < SMALLEST_BLOCK):
        return None
    piece = min(LARGEST_PIECE, rest // number)
    # While it is read and written a table takes several times its size, in the other half.
    sizes = Sizes(size, piece, min(LARGEST_TABLE, rest // 12), rest // 96)
    room = rest - sizes.index(n)
    cells = min(workers(), int(room // (BLOCKS_A_CELL * in_cell * size)))
    threads = min(workers(), int(room // (in_block * size)))
    return replace(sizes, threads=threads, cell_threads=cells) if min(cells, threads) > 0 else None


def _bytes_of_record(d: int, most: int) -> tuple[int, int]:
    """Return the bytes of a record while its block is grouped, and while a cell is repaired.

    Complete numbers took 260, 560 and 1780 bytes in a block with 3, 10 and 40 columns, and 300 and 1720
    bytes in a cell with 10 and 40. Other records take more, and their joined blocks are as large as cells.
    """
    return (42 * d + 160, 45 * d + 20) if most > BLOCK_SIZE else (64 * d + 300, 64 * d + 300)


def _shown(size: int) -> str:
    return f"{size // 10**6}MB" if size >= 10**6 else f"{size} bytes"
