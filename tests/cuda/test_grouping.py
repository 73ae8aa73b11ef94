"""The engine is chosen below the methods, and a GPU gives the labels of the processor."""

import numpy as np
import pytest

import microagg as ma
from microagg import engine
from microagg.cuda import grouping
from microagg.engine import chosen_engine, has_gpu
from microagg.partition import driver
from microagg.partition.registry import methods
from microagg.partition.rules.index import on_records
from microagg.provenance import flat_arguments

ON_GPU = [method.name for method in methods() if method.gpu]
needs_gpu = pytest.mark.skipif(not has_gpu(), reason="needs CuPy and a CUDA device")


def records(n=60, d=2, seed=0):
    return np.random.default_rng(seed).normal(size=(n, d))


@pytest.fixture
def stand_in(monkeypatch):
    """A GPU that is the processor; yields the names of the kernels that ran on it."""
    names = []
    monkeypatch.setattr(engine, "array_module", lambda engine: np)

    def on_stand_in(name):
        def run(columns, *arguments):
            names.append(name)
            kernel = {
                "centroid_seeded": grouping.fixed_size.centroid_seeded,
                "v_mdav": grouping.v_mdav_kernel.v_mdav,
            }[name]
            return on_records(kernel, "brute")(columns, *arguments)

        return run

    replaced = {name: on_stand_in(name) for name in grouping.IMPLEMENTATIONS}
    monkeypatch.setattr(grouping, "IMPLEMENTATIONS", replaced)
    return names


@pytest.mark.parametrize("name", ON_GPU)
def test_the_engine_runs_the_method_and_is_recorded(stand_in, name):
    part = ma.partition(records(), 3, name, engine="cuda")
    assert len(stand_in) == 1
    assert part.facts.engine == "cuda"
    assert part == ma.partition(records(), 3, name)
    assert ma.partition(records(), 3, name).facts.engine is None


def test_a_release_records_it(stand_in):
    people = ma.datasets.load("diabetes").frame
    chosen = {"quasi_identifiers": ["age", "bmi"], "method": "mdav", "engine": "cuda"}
    release = ma.protect(people, 5, **chosen)
    assert stand_in == ["centroid_seeded"]
    assert release.partition.facts.engine == "cuda"
    assert release.provenance["arguments"]["engine"] == "cuda"
    assert "engine" not in flat_arguments(release.provenance)  # a processor can repeat it


def test_the_environment_names_the_engine(stand_in, monkeypatch):
    monkeypatch.setenv(engine.VARIABLE, "cuda")
    ma.partition(records(), 3, "mdav")
    ma.partition(records(), 3, "mdav", engine="cpu")
    assert len(stand_in) == 1


def test_auto_takes_the_gpu_for_many_records_alone(stand_in, monkeypatch):
    assert ma.partition(records(), 3, "mdav", engine="auto").facts.engine is None
    monkeypatch.setattr(driver, "MANY", 50)
    assert ma.partition(records(), 3, "mdav", engine="auto").facts.engine == "cuda"
    assert ma.partition(records(), 3, "md", engine="auto").facts.engine is None


def test_a_method_that_does_not_run_there_is_refused(stand_in):
    with pytest.raises(ma.ParameterError, match="md does not run on a GPU") as refused:
        ma.partition(records(), 3, "md", engine="cuda")
    assert "mdav-nc" in str(refused.value)


def test_mixed_records_are_refused(stand_in):
    people = {"age": [1, 2, 3, 4], "sex": ["a", "b", "a", "b"]}
    pd = pytest.importorskip("pandas")
    with pytest.raises(ma.ParameterError, match="only complete numeric columns"):
        ma.protect(
            pd.DataFrame(people), 2, quasi_identifiers=list(people), method="mdav", engine="cuda"
        )


@pytest.mark.skipif(has_gpu(), reason="there is a GPU")
def test_a_gpu_that_is_not_there_is_an_error_and_never_a_silent_change():
    with pytest.raises(ma.ParameterError, match="CuPy with a CUDA device is not available"):
        ma.partition(records(), 3, "mdav", engine="cuda")
    assert chosen_engine("auto") == "cpu"


def test_an_unknown_engine_is_named(monkeypatch):
    with pytest.raises(ma.ParameterError, match=r"must be one of cpu, cuda, auto\. Got 'tpu'"):
        ma.partition(records(), 3, "mdav", engine="tpu")
    monkeypatch.setenv(engine.VARIABLE, "tpu")
    with pytest.raises(ma.ParameterError, match=engine.VARIABLE):
        ma.partition(records(), 3, "mdav")


def data_sets(n):
    rng = np.random.default_rng(n)
    yield rng.normal(size=(n, 3))
    yield rng.normal(size=(n, 13))
    yield rng.normal(size=(n, 1))
    yield rng.integers(0, 6, size=(n, 3)).astype(float)
    yield rng.integers(0, 2, size=(n, 2)).astype(float)
    yield rng.normal(size=(n // 7 + 1, 4))[rng.integers(0, n // 7 + 1, size=n)]
    yield rng.standard_cauchy(size=(n, 3)) ** 3
    yield rng.normal(size=(n, 2)).round(2) + 1e7
    yield rng.normal(size=(n, 2)) * 1e140
    yield rng.normal(size=(n, 2)) * 1e-140
    yield np.ones((n, 2))
    yield np.vstack([rng.normal(size=(n - 1, 2)), [[1e100, 0]]])


@needs_gpu
@pytest.mark.parametrize("name", ON_GPU)
@pytest.mark.parametrize("n", [40, 700, 9_000])
@pytest.mark.parametrize("looks_ahead", [False, True])
def test_labels_on_a_gpu_are_those_of_the_processor(monkeypatch, name, n, looks_ahead):
    monkeypatch.setattr(grouping, "FEW", 20)  # many blocks, even of few records
    if looks_ahead:
        monkeypatch.setattr(grouping, "MANY", 0)
    for X in data_sets(n):
        for k in (2, 3, 10, n // 3):
            if n > 1000 and k > 10:
                continue
            ours = ma.partition(X, k, name, scale="none", engine="cuda")
            assert ours == ma.partition(X, k, name, scale="none")


@needs_gpu
def test_a_stop_is_heard():
    ticker = np.array([0, 1])
    labels = grouping.centroid_seeded(records(5000).T.copy(), 3, True, 0, 0, ticker)
    assert (labels < 0).any()
