"""What the stages of a release have made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from microagg.large.plan import Plan
from microagg.large.tally import Kind, Tallied
from microagg.large.write import Written
from microagg.measure.anonymity import Anonymity
from microagg.measure.copies import Copy
from microagg.measure.exposure import Exposure
from microagg.typing import Integers


@dataclass(frozen=True, eq=False)
class Made:
    """What the stages have made.

    Attributes
    ----------
    plan : Plan
        With all that the passes have found.
    blocks : int
        How many blocks there are.
    sizes : int64[m]
        How many groups have each size, from 0.
    written : Written
        What is known of all written files together.
    hashes : list of str
        The SHA-256 of each written data file.
    anonymity : Anonymity
        Counted on the written files.
    across : Anonymity, optional
        The same together with the columns of strata, where small strata were joined.
    dominated : bool
        Whether a record has nearly all the weight of its group.
    done_for_limits : list of int64[5]
        What was done in each block so that its groups hold the limits.
    tallied : mapping to Tallied
        What was counted of confidential values and units, on the written files.
    exposure : Exposure, optional
        What unchanged columns add to the released quasi-identifiers.
    copies : tuple of Copy
        The unchanged columns that reveal a quasi-identifier.
    """

    plan: Plan
    blocks: int
    sizes: Integers
    written: Written
    hashes: list[str]
    anonymity: Anonymity
    across: Anonymity | None
    dominated: bool
    done_for_limits: list[Integers]
    tallied: Mapping[Kind, Tallied]
    exposure: Exposure | None
    copies: tuple[Copy, ...]
