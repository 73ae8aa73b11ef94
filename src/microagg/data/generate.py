"""Simulated data of the kinds that the papers describe, generated from a seed.

References
----------
Survey: Domingo-Ferrer, Solanas, Martinez-Balleste 2006, Privacy in Statistical Databases:
k-Anonymity Through Microaggregation, section VI. Thesis: Fayyoumi 2008, sections 4.5.1, 5.4.1 and
6.3.1. TFRP: Chang, Li, Huang 2007, An Efficient Microaggregation Algorithm, section 4.1.

The papers publish neither seeds nor files, so these are data of the same kind, not the same records.
If a paper leaves something open, the docstring says what was chosen. Every value depends only on
NumPy's PCG64 and the seed: the same seed gives the same array.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from microagg.errors import DataError, ParameterError, did_you_mean
from microagg.typing import Floats

__all__ = [
    "SIMULATED_TREES",
    "clustered",
    "dependence_tree",
    "image_blocks",
    "normal",
    "normal_500_150",
    "scattered",
    "uniform",
    "uniform_40000",
]


# Parent of each variable, counted from 0; -1 is the root. Figure 6.4 of the thesis, which shows
# the trees, is not in its text. Tables 6.5 and 6.6 tell which variables (counted from 1) have the
# most edges: 1 and 3, then 4 and 6 alike (Sim_1, Sim_2) or 5 and 18 alike (Sim_3). These trees
# have that property; in the rest they are ours.
SIMULATED_TREES: dict[str, tuple[int, tuple[int, ...]]] = {
    "sim-1": (5_000, (-1, 0, 0, 0, 2, 2, 3, 5)),
    "sim-2": (10_000, (-1, 0, 0, 0, 0, 2, 2, 2, 3, 3, 5, 5, 1, 4, 6, 7)),
    "sim-3": (
        20_000,
        (-1, 0, 0, 0, 0, 2, 2, 4, 4, 1, 3, 5, 6, 7, 8, 9, 10, 2, 11, 12, 17, 17),
    ),
}


def scattered(seed: int = 0, *, n: int = 1_000, d: int = 2) -> Floats:
    """Draw the "Scattered" data: no natural clusters (survey, section VI).

    "Attribute values were drawn from the [-10000, 10000] range by simple random sampling." The paper
    leaves open whether values are integers. Here they are continuous and uniform.

    Examples
    --------
    >>> scattered(1).shape
    (1000, 2)
    """
    return uniform(seed, n=n, d=d, low=-10_000.0, high=10_000.0)


def clustered(
    seed: int = 0,
    *,
    n: int = 1_000,
    d: int = 2,
    sizes: tuple[int, int] = (3, 5),
    spread: float = 100.0,
) -> Floats:
    """Draw the "Clustered" data: natural clusters of 3 to 5 records (survey, section VI).

    "Attribute values were drawn as in the previous case, but forming clusters with between 3 and 5
    records each." The paper leaves open how sizes are drawn, how wide a cluster is, and the order of
    the records. Here sizes are uniform, and a few are changed by one until they add up to n. Records
    are uniform within `spread` of a centre, which is uniform too, and in random order. A spread of 100
    is about a sixth of the distance between neighbouring centres; MDAV then loses about as much as the
    survey prints.

    Parameters
    ----------
    sizes : tuple of int
        The smallest and the largest cluster.
    spread : float
        The maximum distance from a record to the centre of its cluster, in each attribute.

    Examples
    --------
    >>> X = clustered(1, spread=0)  # all records of a cluster in one place
    >>> [int(size) for size in np.unique(np.unique(X, axis=0, return_counts=True)[1])]
    [3, 4, 5]
    """
    rng = _rng(seed, "clustered")
    _at_least_one(n, "n", "clustered")
    _at_least_one(d, "d", "clustered")
    if not 0 <= spread <= 10_000:
        raise ParameterError(
            f"must be from 0 to 10000. Got {spread!r}.", parameter="spread", caller="clustered"
        )
    counts = _cluster_sizes(n, sizes, rng)
    reach = 10_000.0 - spread
    centres = -reach + 2 * reach * rng.random((len(counts), d))
    X = np.repeat(centres, counts, axis=0) + spread * (2 * rng.random((n, d)) - 1)
    return X[rng.permutation(n)]


def uniform(seed: int = 0, *, n: int, d: int, low: float = 0.0, high: float = 1_000.0) -> Floats:
    """Draw independent uniform values (thesis, items 3 of sections 4.5.1 and 5.4.1).

    The thesis gives only ranges, so n and d have no default: n from 1,200 to 5,400 and d from 12 to 22
    in 4.5.1; n from 10,000 to 100,000 and d from 10 to 80 in 5.4.1.

    Examples
    --------
    >>> X = uniform(1, n=1_200, d=12)
    >>> bool(X.min() >= 0 and X.max() < 1_000)
    True
    """
    rng = _rng(seed, "uniform")
    _at_least_one(n, "n", "uniform")
    _at_least_one(d, "d", "uniform")
    if not (np.isfinite(low) and np.isfinite(high) and low < high):
        raise ParameterError(
            f"must be finite, with low below high. Got {low!r} and {high!r}.",
            parameter=("low", "high"),
            caller="uniform",
        )
    return low + (high - low) * rng.random((n, d))


def normal(seed: int = 0, *, n: int, d: int, mean: float = 0.0, sd: float = 0.05) -> Floats:
    """Draw independent normal values (thesis, items 4 of sections 4.5.1 and 5.4.1).

    The thesis gives only ranges for n and d, the same as for `uniform`. It leaves open whether
    attributes depend on each other. Here they are independent.

    Examples
    --------
    >>> normal(1, n=1_200, d=12).shape
    (1200, 12)
    """
    rng = _rng(seed, "normal")
    _at_least_one(n, "n", "normal")
    _at_least_one(d, "d", "normal")
    if not (np.isfinite(mean) and np.isfinite(sd) and sd > 0):
        raise ParameterError(
            f"must be finite, with sd above 0. Got {mean!r} and {sd!r}.",
            parameter=("mean", "sd"),
            caller="normal",
        )
    return mean + sd * rng.standard_normal((n, d))


def uniform_40000(seed: int = 0, *, n: int = 10_000) -> Floats:
    """Draw the uniform data from 0 to 40,000 with 16 attributes (thesis, item 5).

    The list in the thesis says 10,000 records, and the text after it says 4,800 (a multiple of 3, 4, 5
    and 6); the default is 10,000. The thesis leaves open whether values are integers, although it
    counts repeated ones. Here they are continuous.

    Examples
    --------
    >>> uniform_40000(1).shape
    (10000, 16)
    """
    return uniform(seed, n=n, d=16, high=40_000.0)


def normal_500_150(seed: int = 0, *, n: int = 6_000) -> Floats:
    """Draw the normal data with mean 500, sd 150 and 16 attributes (thesis, item 6).

    The list in the thesis says 6,000 records, and the text after it says 1,560; the default is 6,000.

    Examples
    --------
    >>> normal_500_150(1).shape
    (6000, 16)
    """
    return normal(seed, n=n, d=16, mean=500.0, sd=150.0)


def dependence_tree(
    seed: int = 0,
    *,
    tree: str | Sequence[int] = "sim-1",
    n: int | None = None,
    intervals: int = 10,
    width: int = 100,
) -> Floats:
    """Draw variables that depend on each other along a tree (thesis, section 6.3.1).

    The root falls into one of 10 intervals, [1, 100] to [901, 1000], with random probabilities. Every
    other variable falls into an interval with random probabilities that depend on the interval of its
    parent. The thesis leaves open the distribution of the probabilities and of the values inside an
    interval. Here probabilities are uniform numbers divided by their sum, and the values are integers
    with equal probability.

    Parameters
    ----------
    tree : str or sequence of int
        "sim-1" (8 variables, 5,000 records), "sim-2" (16, 10,000), "sim-3" (22, 20,000), or the
        parent of each variable counted from 0, with -1 for the root. The thesis shows its trees only
        in a figure; `SIMULATED_TREES` describes what is known about them.
    n : int, optional
        Number of records; required for a tree without a name.

    Examples
    --------
    >>> dependence_tree(1).shape
    (5000, 8)
    >>> dependence_tree(1, tree=[-1, 0, 1], n=4).shape
    (4, 3)
    """
    rng = _rng(seed, "dependence_tree")
    n, parents = _tree(tree, n)
    for value, name in ((n, "n"), (intervals, "intervals"), (width, "width")):
        _at_least_one(value, name, "dependence_tree")
    interval = np.zeros((n, len(parents)), dtype=np.int64)
    for child in _parents_first(parents):
        condition = interval[:, parents[child]] if parents[child] >= 0 else np.zeros(n, np.int64)
        table = rng.random((intervals, intervals))
        upto = np.cumsum(table / table.sum(axis=1, keepdims=True), axis=1)
        # One uniform number a record picks its interval; the last bound may fall short of 1.
        chosen = (rng.random((n, 1)) >= upto[condition]).sum(axis=1)
        interval[:, child] = np.minimum(chosen, intervals - 1)
    return (interval * width + rng.integers(1, width + 1, interval.shape)).astype(np.float64)


def image_blocks(image: ArrayLike, *, block: int = 2) -> Floats:
    """Cut a grey image into records: each block x block square is one (TFRP, section 4.1).

    The paper leaves the order open. Here blocks, and the pixels in them, are ordered row by row. The
    paper lists 65,535 records for 2 x 2 blocks of 512 x 512 pixels; there are 65,536, and all are
    returned.

    Examples
    --------
    >>> image_blocks(np.arange(16).reshape(4, 4))[0]
    array([0., 1., 4., 5.])
    """
    pixels = np.asarray(image)
    if pixels.ndim != 2 or pixels.dtype.kind not in "uif":
        raise DataError(
            f"The image must be a 2-D array of numbers. Got {pixels.ndim}-D of {pixels.dtype}.",
            hint="Use one grey level per pixel.",
        )
    _at_least_one(block, "block", "image_blocks")
    rows, columns = pixels.shape
    if rows % block or columns % block or not pixels.size:
        raise ParameterError(
            f"must divide both sides of the image, {rows} x {columns}. Got {block}.",
            parameter="block",
            caller="image_blocks",
            hint="Cut the image first, or choose another size.",
        )
    squares = pixels.reshape(rows // block, block, columns // block, block).swapaxes(1, 2)
    return np.ascontiguousarray(squares.reshape(-1, block * block), dtype=np.float64)


def _is_int(value: object) -> bool:
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def _rng(seed: int, function: str) -> np.random.Generator:
    if not _is_int(seed) or seed < 0:
        raise ParameterError(
            f"must be an integer of at least 0. Got {seed!r}.", parameter="seed", caller=function
        )
    return np.random.Generator(np.random.PCG64(seed))


def _at_least_one(value: int, name: str, function: str) -> None:
    if not _is_int(value) or value < 1:
        raise ParameterError(
            f"must be an integer of at least 1. Got {value!r}.", parameter=name, caller=function
        )


def _cluster_sizes(n: int, sizes: tuple[int, int], rng: np.random.Generator) -> NDArray[np.int64]:
    """Draw cluster sizes within bounds that add up to n exactly."""
    smallest, largest = sizes
    if not (_is_int(smallest) and _is_int(largest) and 1 <= smallest <= largest):
        raise ParameterError(
            f"must be two integers, 1 <= smallest <= largest. Got {sizes!r}.",
            parameter="sizes",
            caller="clustered",
        )
    fewest, most = -(-n // largest), n // smallest
    if fewest > most:
        raise ParameterError(
            f"must be a sum of sizes from {smallest} to {largest}. Got {n}.",
            parameter="n",
            caller="clustered",
        )
    clusters = min(max(round(2 * n / (smallest + largest)), fewest), most)
    counts = rng.integers(smallest, largest + 1, clusters)
    while gap := n - int(counts.sum()):
        room = np.flatnonzero(counts < largest if gap > 0 else counts > smallest)
        counts[rng.choice(room, min(len(room), abs(gap)), replace=False)] += np.sign(gap)
    return counts


def _tree(tree: str | Sequence[int], n: int | None) -> tuple[int, tuple[int, ...]]:
    """Return the number of records and the parents of a tree."""
    if isinstance(tree, str):
        if tree not in SIMULATED_TREES:
            raise ParameterError(
                f"must be one of "
                f"{', '.join(SIMULATED_TREES)}, or the parent of each variable. Got {tree!r}.",
                parameter="tree",
                caller="dependence_tree",
                hint=did_you_mean(tree, SIMULATED_TREES),
            )
        default, parents = SIMULATED_TREES[tree]
        return (default if n is None else n), parents
    if n is None:
        raise ParameterError(
            "is required for a tree without a name.", parameter="n", caller="dependence_tree"
        )
    return n, tuple(tree)


def _parents_first(parents: tuple[int, ...]) -> list[int]:
    """Return the variables with each after its parent, or raise if they do not form a tree."""
    order = [child for child, parent in enumerate(parents) if parent == -1]
    valid = len(order) == 1 and all(_is_int(p) and -1 <= p < len(parents) for p in parents)
    for variable in order:  # grows while it is walked
        order += [child for child, parent in enumerate(parents) if parent == variable]
    if not valid or len(order) != len(parents):
        raise ParameterError(
            "must contain the parent of each variable, from "
            f"0 to {len(parents) - 1}, and -1 for exactly one root, without a cycle.",
            parameter="tree",
            caller="dependence_tree",
            hint="A chain of three variables is [-1, 0, 1].",
        )
    return order
