"""Amounts of memory as people write them."""

from __future__ import annotations

import re

from microagg.errors import ParameterError, Phrase, shown

_UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}
_BINARY = {"ki": 2**10, "mi": 2**20, "gi": 2**30, "ti": 2**40}


def bytes_of(memory: object) -> int:
    """Return the bytes that a text such as "2GB" stands for.

    Examples
    --------
    >>> bytes_of("2GB"), bytes_of("512 MiB")
    (2000000000, 536870912)
    """
    units = {**_UNITS, **_BINARY}
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([kmgt]i?|)b?\s*", str(memory).lower())
    if match is None or isinstance(memory, bool):
        raise ParameterError(
            f'must be an amount such as "2GB". Got {shown(memory)}.',
            parameter="memory",
            hint=Phrase(
                "Units are KB, MB, GB and TB, or KiB, MiB, GiB and TiB: {memory}.", memory="500MB"
            ),
        )
    return int(float(match[1]) * units[match[2]])
