"""The page of measures, written by docs/build.py."""

from __future__ import annotations

import math

from microagg.measure.registry import KINDS, Measure, measures

NOTE = "<!-- Written by docs/build.py from the code: change that, and run `make docs`. -->\n"
TITLES = {
    "loss": "Loss: what the release no longer tells",
    "risk": "Risk: what an intruder can find out",
    "anonymity": "Anonymity: what groups promise",
    "score": "Score: both in one number",
}
INTRODUCTION = """# Measures

`microagg assess ORIGINAL RELEASED` computes all of them for any masked file; `ma.assess` does so
from Python, and `ma.measures()` lists them. A new measure is one file with one decorator,
`@measure(...)` of `microagg.measure.registry`.

n is the number of records, d that of quasi-identifiers with numbers; x is an original and x' a released
value. The quasi-identifiers are the columns that an intruder may know: those that are named, or else
every column that was changed. Each is of a kind, by the rules of [`protect`](records.md): numbers and dates
are continuous, categories ordinal or nominal; the answer says what each column was taken for, and
each number which columns it counts when it does not count all. No number is called good or poor: what
is enough depends on the data and on who receives them.
"""
REMARKS = """## What counts how

- **Ties are shared.** Where several originals are equally near, each has the same chance:
  shuffling the rows changes nothing.
- **One information loss.** `il` is the loss that `protect` tells, over columns of all kinds: with the
  same options the report of a release, its summary and `assess` say the same number.
- **Orders count.** Ordinal columns are ranks in linkage by distance, in intervals of ranks, in `il` and
  in `categories-changed`; their change of covariances is not measured.
- **Missing values count as what they are.** A record with a blank equals only records with the
  same blank. In distances, a blank lies at the mean and one standard deviation aside. A value
  that is blank in one file only has changed wholly; in `il` a blank that stays does not count, one
  that was filled in counts as a cell of average spread that is lost, and a new one is worth the mean,
  or the most frequent category. Means, covariances and
  correlations are those of the records without blanks.
- **Weights of records count in what was lost**, as that many equal records (not in `probabilistic`,
  which is about the sample). Risks and groups count records.
- **Distances are compared with eight digits**, so that those that are equal in arithmetic, such as
  to the ages one below and one above, tie.
- **No n x n matrix.** Only different released records are compared, with tiles of neighbouring
  originals, and tiles that are too far are left out; the result is the same. Where that would
  still take too long, evenly spaced records stand for all (the linkages and `rld` of large files),
  and in `rld` with more than seven keys evenly spaced subsets: 127 of a large file, up to 8,191 of a
  small one. The result then says that it is an estimate.
- **Zeros** (thesis, footnote 5): where the original is 0 and the release is not, a change is
  divided by the released value; where both are 0 nothing is added.

## Against the thesis' tables 4.4 and 5.2

Census, what the thesis calls MDAV, all 13 columns grouped; the seven key variables in RLD, all 13
columns in the others:

| k | G_IL ours | printed | ID ours | printed | RLD ours | printed | G_DR ours | printed |
| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
| 3 | 28.609 | 28.610 | 1.966 | 1.981 | 22.77 | 60.71 | 12.37 | 31.35 |
| 4 | 33.254 | 33.254 | 0.727 | 0.731 | 16.10 | 49.71 | 8.42 | 25.22 |
| 5 | 38.672 | 38.672 | 0.256 | 0.269 | 12.81 | 42.10 | 6.53 | 21.18 |

- **The groups** are those of `cbfs-nn`, not of `mdav`. Seven of our methods were compared with the
  thesis' table 4.3; `cbfs-nn` has its printed IL on Census (k = 3, 4, 5, 6) and on Tarragona (3, 6)
  to one unit of the last digit, `mdav` has not (5.6922 against 5.6535 at k = 3). The match was
  seen in G_IL and IL together, so it is not independent of the G_IL below.
- **G_IL** then comes out as printed, with the formulas of table 4.1 and no further choice. With the
  groups of `mdav` it is 22.65, 32.99 and 34.20: M1, nine tenths of it, hangs on a few values near 0.
- **ID** comes out to the printed digit (214, 79 and 29 disclosures of 10,800) when equal released
  values are ranked in row order. That rule was found by trying 80: ranks by row, first, last,
  middle and distinct value, in the released and the original file, open and closed intervals,
  five ways to round their width. Ours is the mean over all orders of equal values, because the
  order of the rows must not matter: 0.8 %, 0.6 % and 4.8 % below the printed draw.
- **RLD** was not reproduced, nor G_DR, which is its mean with ID. It cannot be what the text says:
  all released records of a group are identical, so a group has one nearest and one second nearest
  original, and at most two of its k records are matched (but for ties between originals, which are
  rare). At k = 5 that is 40 %; 42.10 is printed. Of 924 variants (released to original and back;
  matches by record and by group, with the first, second and third nearest; raw columns, both files
  on one scale, each on its own; every range of subset sizes) the closest is 9 % off at its worst k.
- The printed **SI** of the Census rows is G_IL/2 + 19.5, against the thesis' equation 4.4; ours
  follows the equation.
"""


def page() -> str:
    """Return the whole page."""
    return "\n".join([NOTE, INTRODUCTION, *map(section, KINDS), REMARKS])


def section(kind: str) -> str:
    """Return the table of the measures of one kind."""
    lines = [
        f"## {TITLES[kind]}",
        "",
        "| name | what it is | formula | range | better | source |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    lines += [row(one) for one in measures() if one.kind == kind]
    return "\n".join([*lines, ""])


def row(one: Measure) -> str:
    """Return the line of a measure."""
    high = "∞" if math.isinf(one.high) else f"{one.high:g}"
    formula = one.formula.replace("|", "\\|")
    cells = (
        f"`{one.name}`",
        f"**{one.title}**: {one.summary}",
        formula,
        f"{one.low:g} to {high} {one.unit}".strip(),
        one.better,
        one.source,
    )
    return "| " + " | ".join(cells) + " |"
