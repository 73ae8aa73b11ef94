"""Annealing and the bound by near neighbours: where column generation is of no use."""

from __future__ import annotations

from microagg.context import Ticker
from microagg.partition.search.best.proving import Proving

STEPS_A_RECORD, MOST_ROUNDS = 100, 50
"""Steps for each record in a round, and rounds at most: few records are soon at their best."""


class Alone(Proving):
    """A bound and then a search."""

    def search(self, ticker: Ticker) -> None:
        """Prove what neighbours can, and search until the gap is small enough or it must stop."""
        self._prove_quickly(ticker)
        if self._over(ticker):
            return
        rounds = MOST_ROUNDS if self._rounds is None else self._rounds
        steps_a_round = STEPS_A_RECORD * len(self._points)
        self.rounds = self._anneal(rounds * steps_a_round, 1.0, ticker) // steps_a_round
        self._over(ticker)
