"""The NumPy twin of each method and refinement that has one.

A twin takes what a method takes, except for a way to report progress:
``twin(prepared, k, rng, **parameters) -> labels``, and for refinements ``twin(columns, labels, k)``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from microagg.partition.driver import group
from microagg.partition.methods.univariate.genetic_1d import EvolutionRules, evolve
from microagg.partition.methods.univariate.hanani import best_of_restarts
from microagg.partition.methods.univariate.moving_average import smoothed
from microagg.partition.methods.variable.hilbert_mhm import BITS, cells_of
from microagg.partition.methods.variable.v_mdav import gamma_of, sample
from microagg.partition.refine.open_rules import best_of_open_rules
from microagg.partition.rules.along_axis import along_axis
from microagg.partition.rules.two_point_seeded import reference_points
from tests.twins import fixed, graph, mixed, path, refine
from tests.twins.line import cuts_1d, genetic_1d, k_ward_1d, optimal_1d
from tests.twins.space import Floats, Labels

Twin = Callable[..., Labels]


def centroid_seeded(*, opposite: bool, growth: str) -> Twin:
    def twin(prepared, k, rng, *, leftovers, index):
        return fixed.centroid_seeded(
            prepared.columns, k, opposite=opposite, growth=growth, leftovers=leftovers
        )

    return twin


def diameter_seeded(*, growth: str) -> Twin:
    def twin(prepared, k, rng, *, leftovers, index):
        return fixed.diameter_seeded(prepared.columns, k, growth=growth, leftovers=leftovers)

    return twin


def two_point_seeded(*, growth: str) -> Twin:
    def twin(prepared, k, rng, *, references, start, leftovers, index):
        first, second = reference_points(prepared.columns, references, start)
        return fixed.reference_seeded(
            prepared.columns,
            k,
            references=(first, second),
            growth=growth,
            sorted_leftovers=leftovers == "sorted",
        )

    return twin


def gsms(prepared, k, rng, *, leftovers, index):
    return fixed.gsms(prepared.columns, k, leftovers=leftovers)


def dba_1(prepared, k, rng, *, index):
    return fixed.density_seeded(prepared.columns, k)


def iamat(prepared, k, rng, *, index):
    return fixed.iamat(prepared.columns, k)


def v_mdav(prepared, k, rng, *, gamma, index):
    if isinstance(gamma, str):
        rows, m = sample(prepared.n, k)
        gamma = gamma_of(fixed.neighbour_distances(prepared.columns, rows, m))
    return fixed.v_mdav(prepared.columns, k, gamma)


def npn_mhm(prepared, k, rng):
    start, _, _ = path.farthest_pair(prepared.columns)
    return path.cut_path(prepared.columns, path.walk(prepared.columns, start), k)


def hilbert_mhm(prepared, k, rng):
    cells, order = cells_of(prepared), np.arange(prepared.n)
    if len(cells):
        order = path.curve_order(cells, BITS)
    return path.cut_path(prepared.columns, order, k)


def path_through_groups(heuristic: str, leftovers: str) -> Twin:
    """Return the twin of the best path through the groups of a method that has a twin of its own."""

    def twin(prepared, k, rng):
        labels = group(prepared, k, heuristic, parameters={"leftovers": leftovers}).labels
        order = path.through_groups(prepared.columns, labels)
        return path.cut_path(prepared.columns, order, k)

    return twin


def m_d(prepared, k, rng, *, split):
    parts = graph.cut_longest(graph.spanning_tree(prepared.columns), prepared.n, k)
    return graph.split_parts(prepared.columns, parts, k, split=split)


def mu_approx(prepared, k, rng):
    parents = graph.nearest_forest(prepared.columns, k)
    parts = graph.decompose_forest(prepared.columns, parents, k)
    return graph.split_parts(prepared.columns, parts, k, split="mdav")


def k_ward(prepared, k, rng):
    return graph.k_ward(prepared.columns, k)


def on_axis(group_values: Callable[..., Labels]) -> Twin:
    """Return the twin that groups the values on an axis by ``group_values(values, k, **rest)``."""

    def twin(prepared, k, rng, *, axis, **parameters):
        return along_axis(prepared, axis, lambda values: group_values(values, k, **parameters))

    return twin


def gap_width(values, k, *, form):
    cut = cuts_1d.cut_widest_gaps if form == "recursive" else cuts_1d.cut_widest_sum
    return cut(values, k)


def moving_average(values, k, *, a, b, c):
    return optimal_1d.optimal_1d(smoothed(values, a, b, c), k)


def k_ward_whole(values, k):
    return k_ward_1d.k_ward_1d(values, [0, values.size], k)


def k_ward_pieces(values, k, *, parts, theta):
    return k_ward_1d.k_ward_1d(values, k_ward_1d.pieces(values, k, parts, theta), k)


def hanani(prepared, k, rng, *, axis, restarts):
    def group_values(values: Floats) -> Labels:
        def settle(cuts: Any, ticker: Any) -> float:
            return cuts_1d.settle(values, k, cuts)

        ticker = np.zeros(2, dtype=np.int64)
        return best_of_restarts(values.size, k, rng, restarts, settle, ticker)

    return along_axis(prepared, axis, group_values)


def genetic(prepared, k, rng, *, axis, population, generations, crossover, mutation, patience):
    def group_values(values: Floats) -> Labels:
        def breed(strings, losses, chances, ticker):
            return genetic_1d.next_generation(values, k, strings, losses, chances, crossover)

        rules = EvolutionRules(lambda string: genetic_1d.loss(values, string), breed)
        limits = (population, generations, mutation, patience)
        return evolve(values, k, rng, rules, *limits, np.zeros(2, dtype=np.int64))

    return along_axis(prepared, axis, group_values)


TWINS: dict[str, Twin] = {
    "mdav": centroid_seeded(opposite=True, growth="nn"),
    "mdav-nc": centroid_seeded(opposite=True, growth="nc"),
    "cbfs-nn": centroid_seeded(opposite=False, growth="nn"),
    "cbfs-nc": centroid_seeded(opposite=False, growth="nc"),
    "ip-style": centroid_seeded(opposite=False, growth="nc"),
    "md": diameter_seeded(growth="nn"),
    "dbfs-nc": diameter_seeded(growth="nc"),
    "tfrp-i": two_point_seeded(growth="nn"),
    "tfrp-nc": two_point_seeded(growth="nc"),
    "gsms": gsms,
    "dba-1": dba_1,
    "iamat": iamat,
    "v-mdav": v_mdav,
    "npn-mhm": npn_mhm,
    "hilbert-mhm": hilbert_mhm,
    "mdav-mhm": path_through_groups("mdav", "group"),
    "md-mhm": path_through_groups("md", "group"),
    "cbfs-mhm": path_through_groups("cbfs-nn", "nearest"),
    "m-d": m_d,
    "mu-approx": mu_approx,
    "k-ward": k_ward,
    "optimal-1d": on_axis(optimal_1d.optimal_1d),
    "gap-width": on_axis(gap_width),
    "moving-average": on_axis(moving_average),
    "k-ward-1d": on_axis(k_ward_whole),
    "kwd": on_axis(k_ward_whole),
    "kwr": on_axis(k_ward_pieces),
    "kwdr": on_axis(k_ward_pieces),
    "hanani": hanani,
    "genetic-1d": genetic,
}
"""Twins by the name of their method."""


def mixed_centroid_seeded(*, opposite: bool, growth: str) -> Twin:
    def twin(records, k, rng, *, leftovers):
        return mixed.centroid_seeded(
            mixed.Mixed(records.arrays()), k, opposite=opposite, growth=growth, leftovers=leftovers
        )

    return twin


def mixed_v_mdav(records, k, rng, *, gamma):
    arrays = mixed.Mixed(records.arrays())
    if isinstance(gamma, str):
        rows, m = sample(records.n, k)
        gamma = gamma_of(mixed.neighbour_distances(arrays, rows, m))
    return mixed.v_mdav(arrays, k, gamma)


MIXED_TWINS: dict[str, Twin] = {
    "mdav": mixed_centroid_seeded(opposite=True, growth="nn"),
    "mdav-nc": mixed_centroid_seeded(opposite=True, growth="nc"),
    "cbfs-nn": mixed_centroid_seeded(opposite=False, growth="nn"),
    "cbfs-nc": mixed_centroid_seeded(opposite=False, growth="nc"),
    "v-mdav": mixed_v_mdav,
}
"""Twins on mixed records, by the name of their method."""


def best_of(plain: Callable[..., Labels]) -> Twin:
    """Return the twin that tries all pairs of the rules that the paper of 2018 leaves open."""

    def twin(columns, labels, k):
        return best_of_open_rules(
            columns, lambda *rules: plain(columns, labels, k, *rules), lambda: False
        )

    return twin


REFINEMENT_TWINS: dict[str, Twin] = {
    "decompose": refine.decompose_2007,
    "decompose-2018": best_of(refine.decompose_2018),
    "decompose-shrink": best_of(refine.decompose_shrink),
    "swap-shift": refine.swap_shift,
    "pairwise-means": refine.pairwise_means,
}
"""Twins by the name of their refinement."""
