"""The first pass: how many records, their scales, and the cuts, from one reading of the file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from microagg.data.streams import Stream
from microagg.large.codes import Codes
from microagg.large.memory import Sizes
from microagg.large.numbers import pieces_of
from microagg.large.work import Work
from microagg.partition.search.blocks.block import Layout
from microagg.partition.search.blocks.blocks import SAMPLE
from microagg.partition.search.blocks.cuts import Cuts
from microagg.partition.search.blocks.sample import Sample
from microagg.prepare.moments import Moments
from microagg.prepare.prepared import Prepared
from microagg.prepare.scale import scaling_of
from microagg.reporter import Reporter

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Survey:
    """What one reading of the file tells.

    Attributes
    ----------
    n : int
        Number of records.
    center, scale, sst : float64[d]
        How columns are scaled, and the sum of squares around the mean once they are.
    layout : Layout
        The cuts into blocks and into cells.
    codes : tuple of str
        Columns that look like codes.
    """

    n: int
    names: tuple[str, ...]
    center: Floats
    scale: Floats
    sst: Floats
    layout: Layout
    codes: tuple[str, ...]

    def scaled(self, columns: Floats) -> Floats:
        """Return columns, float64[d, m], made comparable."""
        return _scaled(columns, self.center, self.scale)

    def prepared(self, values: Floats) -> Prepared:
        """Return raw values, float64[m, d], as a method sees them."""
        columns = self.scaled(values.T)
        columns.flags.writeable = False
        return Prepared(columns, self.names, self.center, self.scale)


def _scaled(columns: Floats, center: Floats, scale: Floats) -> Floats:
    """Return columns made comparable."""
    return np.ascontiguousarray((columns - center[:, None]) / scale[:, None])


def survey(
    stream: Stream, names: Sequence[str], work: Work, how: str, sizes: Sizes, progress: Reporter
) -> Survey:
    """Read the quasi-identifiers once, or take what was found before from the work folder."""
    if not work.has("survey"):
        progress.begin("Surveying", stream.expected)
        moments, sample, codes = Moments(len(names)), Sample(SAMPLE), Codes(names)
        for columns in pieces_of(stream, names, sizes.piece):
            sample.add(columns, np.arange(moments.n, moments.n + columns.shape[1]))
            moments.add(columns)
            codes.add(columns)
            progress.reach(moments.n)
        center, scale = scaling_of(moments, how, *names)
        sst = np.where(moments.high > moments.low, moments.squares, 0.0) / scale**2
        records = _scaled(sample.columns, center, scale)
        layout = Layout.of(records, sample.rows, moments.n, sizes.block_size)
        found = {"n": moments.n, "center": center, "scale": scale, "sst": sst, **_flat(layout)}
        work.save("survey", None, codes=np.array(codes.found(), dtype=str), **found)
    return _kept(work, tuple(names))


def _flat(layout: Layout) -> dict[str, Any]:
    """Return the cuts as arrays with a name each."""
    trees = {"blocks": layout.blocks, "cells": layout.cells}
    return {
        f"{tree}_{part.name}": getattr(cuts, part.name)
        for tree, cuts in trees.items()
        for part in fields(cuts)
    }


def _kept(work: Work, names: tuple[str, ...]) -> Survey:
    blocks, cells = (
        Cuts(**{part.name: work.load("survey", f"{tree}_{part.name}") for part in fields(Cuts)})
        for tree in ("blocks", "cells")
    )
    center, scale, sst = (work.load("survey", which) for which in ("center", "scale", "sst"))
    n, codes = int(work.load("survey", "n")), tuple(work.load("survey", "codes").tolist())
    return Survey(n, names, center, scale, sst, Layout(blocks, cells), codes)
