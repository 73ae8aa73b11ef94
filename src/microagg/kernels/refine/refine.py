"""Refinements of a partition: labels in, labels of no more error out."""

from microagg.kernels.jit import kernel
from microagg.kernels.refine.decompose import decompose
from microagg.kernels.refine.groups import labels_of_rows, new_groups
from microagg.kernels.refine.near_groups import new_near_groups
from microagg.kernels.refine.pairwise_means import pairwise_means
from microagg.kernels.refine.shrink import shrink
from microagg.kernels.refine.split import split_large
from microagg.kernels.refine.swap_shift import swap_shift


def refine_decompose(columns, labels, k, order, cap, split, ticker):
    """Try to give up each group once, then split what has become too large."""
    return refine_by_giving_up(columns, labels, k, order, cap, split, False, ticker)


def refine_decompose_shrink(columns, labels, k, order, split, ticker):
    """Decompose and shrink in turn until neither changes anything."""
    return refine_by_giving_up(columns, labels, k, order, 0, split, True, ticker)


@kernel
def refine_by_giving_up(columns, labels, k, order, cap, split, shrinks, ticker):
    """Decompose once or, if it `shrinks`, in turn with that: one kernel, since nearly all is the same."""
    groups = new_groups(columns, labels, k)
    cache = new_near_groups(groups)
    again = not shrinks or ticker[1] == 0
    while again:
        changes = decompose(groups, cache, k, cap, order, ticker)
        split_large(groups, cache, k, split)
        again = False
        if shrinks:
            changes += shrink(groups, cache, k, ticker)
            split_large(groups, cache, k, split)
            again = changes > 0 and ticker[1] == 0
    return labels_of_rows(groups)


@kernel
def refine_swap_shift(columns, labels, k, width, ticker):
    """Move and exchange single records until nothing improves."""
    groups = new_groups(columns, labels, k)
    swap_shift(groups, k, width, ticker)
    return labels_of_rows(groups)


@kernel
def refine_pairwise_means(columns, labels, k, width, ticker):
    """Divide pairs of near groups anew until that gains little."""
    groups = new_groups(columns, labels, k)
    pairwise_means(groups, k, width, ticker)
    return labels_of_rows(groups)
