"""Every stored bound is at most the loss of every known partition of its cell."""

from collections import defaultdict

from benchmarks.quality.check_labels import LABELS, stated
from benchmarks.quality.gaps import draw, earlier_gaps, gaps_of
from benchmarks.quality.page import best_published
from benchmarks.quality.runs import DATA, SIZES, read_results
from benchmarks.quality.table import RESULTS


def test_every_bound_is_at_most_every_loss_of_its_cell():
    losses, bounds = defaultdict(list), defaultdict(list)
    for result in read_results([RESULTS]):
        cell = result.run.data, result.run.k
        if result.loss is not None:
            losses[cell].append(result.loss)
        if result.bound is not None:
            bounds[cell].append(result.bound)
    for cell, loss in stated(LABELS).items():
        losses[cell].append(loss)
    assert len(bounds) == len(DATA) * len(SIZES)
    for cell, of_cell in bounds.items():
        assert max(of_cell) <= min(losses[cell]) * (1 + 1e-6), cell
        assert max(of_cell) <= best_published().get(cell, float("inf")), cell


def test_the_picture_of_gaps_is_drawn(tmp_path):
    before, now = earlier_gaps(), gaps_of(read_results([RESULTS]), stated(LABELS))
    assert all(now[cell] <= gap + 0.01 for cell, gap in before.items())  # in percent, as printed
    draw(before, now, tmp_path / "gaps.png")
    assert (tmp_path / "gaps.png").read_bytes().startswith(b"\x89PNG")
