"""Fuzzy clusters again in plain NumPy."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def memberships(columns: Floats, centres: Floats, form: str, sharpness: float) -> Floats:
    """Membership of every record in every cluster, as float64[n, c]."""
    gaps = ((columns.T[:, None, :] - centres[None, :, :]) ** 2).sum(axis=2)
    nearest = gaps.min(axis=1, keepdims=True)
    if form == "entropy":
        weights = np.exp(-sharpness * (gaps - nearest))
    else:
        with np.errstate(divide="ignore", invalid="ignore"):
            weights = np.where(nearest > 0, (nearest / gaps) ** sharpness, gaps == 0)
    degrees: Floats = weights / weights.sum(axis=1, keepdims=True)
    return degrees


def cluster(
    columns: Floats,
    start: Floats,
    least: float,
    form: str,
    power: float,
    sharpness: float,
    iterations: int,
    close: float,
) -> Floats:
    """Move centres until they stay and no cluster is too light; returns them."""
    centres = start.copy()
    for _ in range(iterations):
        degrees = memberships(columns, centres, form, sharpness)
        weights = degrees**power
        means = (columns @ weights / weights.sum(axis=0)).T
        moved, centres = np.abs(means - centres).max(), means
        if moved <= close:
            masses = degrees.sum(axis=0)
            light = np.count_nonzero(masses < least)
            if light == 0 or masses.size == 1:
                break
            keep = np.sort(np.argsort(masses, kind="stable")[(light + 1) // 2 :])
            centres = centres[keep]
    return centres


def choose(
    degrees: Floats, *, by_membership: bool, least: float, draws: Floats
) -> NDArray[np.int64]:
    """Draw a cluster for each record and each row of `draws`."""
    if not by_membership:
        enough = np.minimum(least, degrees.max(axis=1, keepdims=True))
        degrees = (degrees >= enough).astype(np.float64)
    upto = np.cumsum(degrees, axis=1)
    marks = draws * upto[:, -1]
    chosen: NDArray[np.int64] = (marks[:, :, None] >= upto[None, :, :]).sum(axis=2)
    return np.minimum(chosen, degrees.shape[1] - 1)
