"""splitmix64 again in plain Python, for the twins of kernels that draw."""

from __future__ import annotations

_WORD = 2**64 - 1


class Stream:
    """Random numbers from a seed."""

    def __init__(self, seed: int) -> None:
        self.state = seed

    def uniform(self) -> float:
        self.state = (self.state + 0x9E3779B97F4A7C15) & _WORD
        z = self.state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _WORD
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _WORD
        return ((z ^ (z >> 31)) >> 11) / 2**53

    def below(self, limit: int) -> int:
        return int(self.uniform() * limit)

    def shuffle(self, items: list[int]) -> None:
        for i in range(len(items) - 1, 0, -1):
            j = self.below(i + 1)
            items[i], items[j] = items[j], items[i]
