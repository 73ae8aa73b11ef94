"""Where a search starts: from groups drawn at random, or from those of another method."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from microagg.constraints import WordOr
from microagg.context import Context
from microagg.errors import ParameterError, shown
from microagg.partition.names import NamedMethod, resolve
from microagg.partition.registry import TIME_LIMIT
from microagg.prepare.prepared import Prepared
from microagg.typing import Labels

RANDOM = "random"

INITIAL = WordOr((RANDOM,), "the name of a method")

Initial = Annotated[str, INITIAL]


def random_groups(n: int, k: int, rng: np.random.Generator) -> Labels:
    """Draw groups of exactly k; the n mod k records left over have the label -1.

    Examples
    --------
    >>> np.unique(random_groups(8, 3, np.random.default_rng(0)), return_counts=True)[1].tolist()
    [2, 3, 3]
    """
    labels = np.full(n, -1, dtype=np.int32)
    drawn = rng.permutation(n)[: n - n % k]
    labels[drawn] = np.arange(drawn.size) // k
    return labels


def initial_groups(
    initial: str, caller: str, prepared: Prepared, k: int, context: Context
) -> Labels:
    """Return groups to start from, of which `initial` says how they are made.

    Other methods must keep groups below 2k, because exchanges keep every size as it is.
    """
    if initial.lower() == RANDOM:
        return random_groups(prepared.n, k, context.rng)
    choice = named(initial, caller, INITIAL)
    if choice.method.max_size != "2k-1" or choice.refine:
        raise ParameterError(
            f"must be {RANDOM!r} or a method without "
            f"refinement that makes groups of at most 2k-1 records. Got {initial!r}.",
            parameter="initial",
            caller=caller,
            hint="Use, for example, 'mdav'.",
        )
    own_limit = {TIME_LIMIT: None} if choice.method.timed else {}  # that of the caller holds
    start = context.group(prepared, k, initial, parameters=own_limit)
    return np.array(start.labels, dtype=np.int32)  # a copy: the caller writes on it


def named(initial: str, caller: str, constraint: WordOr) -> NamedMethod:
    """Return what `initial` stands for, or say which parameter of `caller` is wrong."""
    try:
        return resolve(initial)
    except ParameterError as error:
        raise ParameterError(
            f"must be {constraint}. Got {shown(initial)}.",
            parameter="initial",
            caller=caller,
            hint=error.hint,
        ) from None
