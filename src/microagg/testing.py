"""Checks that every method must pass, of this package or of another one.

    from microagg.testing import check_method
    check_method("mdav")

`checks_of` yields the same checks one by one, for ``parametrize`` of pytest. A method that uses a
compiled kernel can be compared with its twin, the same algorithm in plain NumPy: a function
``twin(prepared, k, rng, **parameters) -> labels``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from microagg.aggregate.mean import group_means
from microagg.context import Context
from microagg.measure.loss.information_loss import information_loss
from microagg.partition.driver import group
from microagg.partition.partition import Partition
from microagg.partition.refine.registry import Refinement, chain
from microagg.partition.registry import TIME_LIMIT, Method, declared, find
from microagg.prepare.column import Column
from microagg.prepare.prepared import Prepared, prepare
from microagg.prepare.records import Records, prepare_records
from microagg.typing import Floats

Check = Callable[[Method], None]
Twin = Callable[..., NDArray[np.int32]]


def check_method(name: str, twin: Twin | None = None, mixed_twin: Twin | None = None) -> None:
    """Run every check on the method `name`; raise AssertionError at the first check that fails.

    Parameters
    ----------
    name : str
        A registered method.
    twin, mixed_twin : function, optional
        The same algorithm in plain NumPy, on numbers and on mixed records. The method must give
        the labels of its twin.
    """
    for _, check in checks_of(name, twin, mixed_twin):
        check()


def checks_of(
    name: str, twin: Twin | None = None, mixed_twin: Twin | None = None
) -> Iterator[tuple[str, Callable[[], None]]]:
    """Yield the name of each check of `check_method`, and the check as a function."""
    method, _ = find(name)
    for check in CHECKS:
        yield check.__name__, partial(check, method)
    for compare, other in ((check_twin, twin), (check_mixed_twin, mixed_twin)):
        if other is not None:
            yield compare.__name__, partial(compare, method, other)


def check_groups_every_record(method: Method) -> None:
    """All rows are grouped, labels have no gap, and sizes lie between k and the declared maximum."""
    for X in _data_sets():
        for k in (2, 3, 5):
            part = _run(method, X, k)
            assert part.n == len(X), "a record is missing"
            assert part.sizes.min() >= k, "a group is too small"
            assert part.sizes.max() <= method.largest(len(X), k), "a group is too large"


def check_same_seed_same_labels(method: Method) -> None:
    """The same seed gives the same labels; for a deterministic method, all seeds do."""
    X = _normal(60, 3)
    first = _run(method, X, 4, seed=7)
    assert _run(method, X, 4, seed=7) == first
    if method.deterministic:
        assert _run(method, X, 4, seed=8) == first


def check_any_number_of_threads(method: Method) -> None:
    """A method that takes `threads` gives the same labels for any number of them."""
    if "threads" in method.parameters:
        X = _normal(400, 3)
        first = _run(method, X, 3, threads=1)
        assert all(_run(method, X, 3, threads=threads) == first for threads in (2, 3))


def check_translation_and_scale(method: Method) -> None:
    """With z-scores, the units of measurement do not matter."""
    X = _normal(80, 3)
    moved = X * np.array([2.0, 0.125, 1024.0]) + np.array([3.0, -40.0, 0.5])
    assert _run(method, moved, 4) == _run(method, X, 4)


def check_duplicates(method: Method) -> None:
    """Equal records, and records with few distinct values."""
    for X in (np.ones((17, 2)), np.repeat(np.eye(3), 7, axis=0), _normal(40, 2).round()):
        assert _run(method, X, 3).sizes.min() >= 3


def check_constant_columns(method: Method) -> None:
    """A constant column changes nothing."""
    X = _normal(50, 2)
    with_constant = np.column_stack([X[:, 0], np.full(50, 0.1), X[:, 1]])
    assert _run(method, with_constant, 3) == _run(method, X, 3)


def check_few_records(method: Method) -> None:
    """n = k and n < 2k are one group; n = 2k is at most two."""
    for k in (2, 3, 5):
        assert all(_run(method, _normal(n, 2), k).n_groups == 1 for n in range(k, 2 * k))
        assert _run(method, _normal(2 * k, 2), k).n_groups <= 2


def check_one_column(method: Method) -> None:
    """One column is enough."""
    assert _run(method, _normal(31, 1), 3).sizes.min() >= 3


def check_leaves_its_input_alone(method: Method) -> None:
    """The prepared matrix is read-only and is not changed."""
    prepared = _prepared(_normal(40, 3))
    before = prepared.columns.copy()
    group(prepared, 3, method.name)
    assert not prepared.columns.flags.writeable
    assert np.array_equal(prepared.columns, before)


def check_keeps_totals(method: Method) -> None:
    """Group means keep the total of each column."""
    X = _normal(70, 3)
    part = _run(method, X, 5)
    released = np.stack([group_means(column, part) for column in X.T], axis=1)
    assert np.allclose(released.sum(axis=0), X.sum(axis=0), atol=1e-9)


def check_twin(method: Method, twin: Twin) -> None:
    """The method gives the labels of its NumPy twin, for every word that a parameter accepts."""
    for X in _data_sets():
        prepared = _prepared(X)
        for parameters in _choices(method):
            for k in (2, 3, 7):
                _compare(method, twin, prepared, k, parameters)
    _compare(method, twin, _prepared(_normal(1100, 2)), 60, {})  # more than one tile


def check_mixed_records(method: Method) -> None:
    """On mixed records, sizes are within limits, and the same seed gives the same labels."""
    if method.mixed is None:
        return
    takes = (*declared(method.mixed)[0], TIME_LIMIT)
    brief = {name: value for name, value in method.brief.items() if name in takes}
    for records in _mixed_records():
        for k in (2, 5):
            part = group(records, k, method.name, seed=1, parameters=brief)
            assert part.n == records.n, "a record is missing"
            assert part.sizes.max() <= method.largest(records.n, k), "a group is too large"
            again = group(records, k, method.name, seed=1, parameters=brief)
            assert again == part, "not repeatable"


def check_mixed_twin(method: Method, twin: Twin) -> None:
    """On mixed records, the method gives the labels of its NumPy twin."""
    assert method.mixed is not None, "the method takes no mixed records"
    parameters = {name: method.parameters[name] for name in declared(method.mixed)[0]}
    for records in _mixed_records():
        for k in (2, 5):
            labels = group(records, k, method.name, seed=1).labels
            twins = twin(records, k, np.random.default_rng(1), **parameters)
            assert np.array_equal(labels, twins), (records.n, k)


def _mixed_records() -> Iterator[Records]:
    """Small mixed records: complete, with missing values and weights, and all equal."""
    for n, blanks, gower in ((31, 0.0, False), (40, 0.3, False), (26, 0.3, True)):
        rng = np.random.default_rng(n)
        values = {
            "continuous": rng.normal(size=n),
            "ordinal": rng.integers(0, 4, n).astype(np.float64),
            "nominal": rng.integers(0, 3, n).astype(np.float64),
        }
        columns = [
            Column(kind, kind, np.where(rng.random(n) < blanks, np.nan, column), tuple("abcd"))
            for kind, column in values.items()
        ]
        weights = rng.integers(1, 4, n).astype(np.float64) if blanks else None
        yield prepare_records(columns, gower=gower, weights=weights)
    yield prepare_records([Column("same", "nominal", np.zeros(12), ("a",))])


def _compare(
    method: Method, twin: Twin, prepared: Prepared, k: int, parameters: dict[str, Any]
) -> None:
    ours = group(prepared, k, method.name, parameters=parameters).labels
    rng = np.random.default_rng(0)
    twins = twin(prepared, k, rng, **{**method.parameters, **parameters})
    assert np.array_equal(ours, twins), (prepared.n, prepared.d, k, parameters)


def check_refinement(name: str, twin: Twin | None = None) -> None:
    """Raise AssertionError if a refinement does not have its declared properties.

    It never increases the loss, keeps sizes from k to 2k-1, is deterministic, accepts
    duplicates, one column and few records, and can follow another refinement. It groups like its `twin`,
    if there is one: the same algorithm in plain NumPy, ``twin(columns, labels, k) -> labels``.
    """
    (step,) = chain(name)
    for few in ((7, 14), (9, 10)):  # nothing to gain but rounding: it must end
        X = np.repeat([0.0, 1.0], few)[:, None]
        assert group(_prepared(X), 3, "v-mdav", refine=name).sizes.min() >= 3
    for X in (*_data_sets(), np.ones((17, 2)), _normal(31, 1), _normal(5, 2)):
        prepared = _prepared(X)
        for k in (2, 3, 5):
            for method in ("mdav", "cbfs-nc"):
                plain = group(prepared, k, method)
                refined = group(prepared, k, method, refine=name)
                assert refined == group(prepared, k, method, refine=name), "not repeatable"
                assert _sse(X, refined) <= _sse(X, plain) * (1 + 1e-9), "the loss is larger"
                assert refined.sizes.max() < max(2 * k, plain.sizes.max() + 1), "too large"
                again = group(prepared, k, method, refine=[name, name])
                assert _sse(X, again) <= _sse(X, refined) * (1 + 1e-9), "cannot be chained"
    if twin is not None:
        _compare_refined(step, twin)


def _compare_refined(step: Refinement, twin: Twin) -> None:
    """Compare with the twin on data without ties, which rounding could break."""
    for n, d in ((40, 1), (90, 2), (120, 5)):
        prepared = _prepared(_normal(n, d))
        for k in (2, 3, 5):
            labels = group(prepared, k, "mdav").labels.copy()  # the driver passes writable ones
            ours = step.function(prepared, labels, k, Context.of())
            assert _same_groups(ours, twin(prepared.columns, labels, k)), (n, d, k)


def _same_groups(first: NDArray[np.int32], second: NDArray[np.int32]) -> bool:
    """Return whether two labellings describe the same groups."""
    pairs = np.unique(np.stack([first, second]), axis=1).shape[1]
    return bool(pairs == np.unique(first).size == np.unique(second).size)


def _sse(X: Floats, part: Partition) -> float:
    return information_loss(X, part).sse


CHECKS: tuple[Check, ...] = (
    check_groups_every_record,
    check_same_seed_same_labels,
    check_any_number_of_threads,
    check_translation_and_scale,
    check_duplicates,
    check_constant_columns,
    check_few_records,
    check_one_column,
    check_leaves_its_input_alone,
    check_keeps_totals,
    check_mixed_records,
)


def _run(method: Method, X: Floats, k: int, *, seed: int = 0, **parameters: Any) -> Partition:
    """Group without a time limit, on which labels would depend."""
    if method.timed:
        parameters = {TIME_LIMIT: None, **parameters}
    return group(_prepared(X), k, method.name, seed=seed, parameters=parameters)


def _prepared(X: Floats) -> Prepared:
    return prepare(list(np.asarray(X, dtype=np.float64).T), [str(j) for j in range(X.shape[1])])


def _normal(n: int, d: int) -> Floats:
    return np.random.default_rng(n * 100 + d).normal(size=(n, d))


def _data_sets() -> Iterator[Floats]:
    """Small data sets of different kinds: scattered, integers with many ties, clustered, with outliers."""
    rng = np.random.default_rng(0)
    yield _normal(23, 2)
    yield _normal(101, 5)
    yield rng.integers(0, 4, size=(64, 3)).astype(np.float64)
    yield np.repeat(rng.normal(size=(9, 2)) * 10, 7, axis=0) + rng.normal(size=(63, 2)) * 0.1
    yield rng.standard_cauchy(size=(50, 4))


def _choices(method: Method) -> Iterator[dict[str, Any]]:
    """Yield the defaults, every other word that a parameter accepts, and a number in place of "auto"."""
    yield {}
    for name, constraint in method.constraints.items():
        for word in getattr(constraint, "choices", ()):
            if word != method.parameters[name]:
                yield {name: word}
        if constraint.admits("auto") and constraint.admits(0.5):
            yield {name: 0.5}
