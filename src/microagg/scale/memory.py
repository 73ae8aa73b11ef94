"""The memory that may be used, and what follows from it: sizes of blocks and of pieces."""

from __future__ import annotations

import re
from dataclasses import dataclass

from microagg.errors import ParameterError, shown
from microagg.partition.blocks.block import BLOCK_SIZE, BLOCKS_A_CELL, OVERFULL
from microagg.partition.search.blocks import SAMPLE
from microagg.partition.threads import workers

PROGRAM = 400_000_000
"""Bytes that Python, its packages and the compiled kernels take."""

SMALLEST_BLOCK, SMALLEST_PIECE = 10_000, 1_000
"""Records of a block that we choose, and of a piece of the file, at least."""

LARGEST_PIECE, LARGEST_TABLE = 1 << 18, 1 << 25
"""Records and bytes of a piece of the file, at most."""

_UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}
_BINARY = {"ki": 2**10, "mi": 2**20, "gi": 2**30, "ti": 2**40}


@dataclass(frozen=True)
class Budget:
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
    """

    block_size: int
    piece: int
    table: int
    counted: int
    threads: int = 1


def bytes_of(memory: object) -> int:
    """Return the bytes that a text such as "2GB" stands for.

    Examples
    --------
    >>> bytes_of("2GB"), bytes_of("512 MiB")
    (2000000000, 536870912)
    """
    units = {**_UNITS, **_BINARY}
    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([kmgt]i?|)b?\s*", str(memory).lower())
    if found is None or isinstance(memory, bool):
        raise ParameterError(
            f"The 'memory' parameter must be an amount such as \"2GB\". Got {shown(memory)}.",
            hint='Units are KB, MB, GB and TB, or KiB, MiB, GiB and TiB: memory="500MB".',
        )
    return int(float(found[1]) * units[found[2]])


def budget(memory: int, d: int, block_size: int | None = None) -> Budget:
    """Return the sizes for `memory` bytes and d quasi-identifiers.

    A given block size is kept; else it is the largest of up to 100,000 that fits.

    Examples
    --------
    >>> sizes = budget(2 * 10**9, 10)
    >>> sizes.block_size, sizes.piece, sizes.table
    (100000, 262144, 33554432)
    """
    fixed = PROGRAM + 64 * SAMPLE * d
    record = int(OVERFULL * BLOCKS_A_CELL * (64 * d + 300))  # while a cell of blocks is mended
    held = 2 * (250 * d + 100)  # numbers while a piece is written as text, in half of the memory
    wanted = block_size or SMALLEST_BLOCK
    needed = fixed + max(record * wanted, held * SMALLEST_PIECE)
    if memory < needed:
        raise ParameterError(
            f"The 'memory' parameter must be at least {_rounded_up(needed)} for {d} "
            f"quasi-identifiers and blocks of {wanted:,} records. Got {_shown(memory)}.",
            hint=f'Give memory="{_rounded_up(needed)}".',
        )
    rest = memory - fixed
    size = block_size or min(BLOCK_SIZE, rest // record // 1000 * 1000)
    threads = min(workers(), rest // (record * size))
    piece = min(LARGEST_PIECE, rest // held)
    # While it is read and written a table takes several times its size, in the other half.
    return Budget(size, piece, min(LARGEST_TABLE, rest // 12), rest // 96, threads)


def _shown(size: int) -> str:
    return f"{size // 10**6}MB" if size >= 10**6 else f"{size} bytes"


def _rounded_up(size: int) -> str:
    return f"{-(-size // 10**7) * 10}MB"
