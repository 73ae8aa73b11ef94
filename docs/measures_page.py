"""The page of measures, written by docs/build.py."""

from __future__ import annotations

import math

from microagg.measure.registry import KINDS, Measure, measures

NOTE = "<!-- Written by docs/build.py from the code: change that, and run `make docs`. -->\n"
TITLES = {
    "loss": "Loss: how much information is lost",
    "risk": "Risk: what an intruder can find out",
    "anonymity": "Anonymity: the size and diversity of equivalence classes",
    "score": "Score: loss and risk in one number",
}
INTRODUCTION = """# Measures

`microagg assess ORIGINAL RELEASED` computes every measure for any masked file, and `ma.assess` does so
in Python. `ma.measures()` lists the measures. A new measure is one file with one decorator, `@measure(...)`
of `microagg.measure.registry`.

In the formulas, n is the number of records, d is the number of numeric quasi-identifiers, x is an
original value, and x' is a released value. The quasi-identifiers are the columns that an intruder may
know: the columns that you name, or else every column that was changed.

Each column has a kind, by the rules of [`protect`](records.md): numbers and dates are continuous, and
categories are ordinal or nominal. The result states the kind of each column. If a measure considers only
some of the columns, the result says which. No value is called good or poor, because that
depends on the data and on the recipients.
"""
REMARKS = """## Conventions

- **Ties are shared.** If several original records are equally near, each has the same chance.
  Shuffling the rows changes nothing.
- **One information loss.** `il` is the loss that `protect` reports, over columns of all kinds. With the
  same options, the report of a release, its summary and `assess` give the same number.
- **Ordinal columns** are ranks in distance-based linkage, in rank intervals, in `il` and in
  `categories-changed`. Their covariances are not measured.
- **Missing values equal only missing values.** A record with a missing value equals only records with a
  missing value in the same column. In distances, a missing value is at the mean, one standard deviation
  aside. A value that is missing in only one of the files has changed completely. Means,
  covariances and correlations are those of the records without missing values.
- **Missing values in `il`.** A missing value that stays missing does not count. A missing value that was
  filled in counts as a lost cell of average variation. A new missing value counts as the mean, or
  as the most frequent category.
- **Weights of records** apply to measures of loss, where a record counts as that many equal records.
  They do not apply to `probabilistic`, which is about the sample. Measures of risk and anonymity count
  records.
- **Distances are compared to eight digits**, so that distances that are equal in exact arithmetic, such
  as those to the ages one below and one above, are ties.
- **No n x n matrix is stored.** Only distinct released records are compared with tiles of
  neighbouring originals, and tiles that are too far away are skipped; the result is the same.
- **Estimates.** If the comparison would still take too long, the linkages and `rld` of large files use
  evenly spaced records. With more than seven quasi-identifiers, `rld` uses evenly spaced subsets:
  127 for a large file, up to 8,191 for a small one. The result then says that it is an estimate.
- **Files larger than memory.** `microagg assess --memory` and `ma.assess_file` give these measures
  exactly, as sums and counts over all records: {exact}. All others are estimated from a
  [sample](large.md#assess-a-large-release), and the result says so. `probabilistic` has no value there,
  because it depends on the number of records.
- **Zeros** (thesis, footnote 5). If the original value is 0 and the released value is not, the change is
  divided by the released value. If both are 0, the change is 0.

## Comparison with tables 4.4 and 5.2 of the thesis

The next table shows Census with the method that the thesis calls MDAV. All 13 columns are grouped. RLD
uses the seven key variables, and the other measures use all 13 columns.

| k | G_IL | printed | ID | printed | RLD | printed | G_DR | printed |
| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
| 3 | 28.609 | 28.610 | 1.966 | 1.981 | 22.77 | 60.71 | 12.37 | 31.35 |
| 4 | 33.254 | 33.254 | 0.727 | 0.731 | 16.10 | 49.71 | 8.42 | 25.22 |
| 5 | 38.672 | 38.672 | 0.256 | 0.269 | 12.81 | 42.10 | 6.53 | 21.18 |

- **The groups** are those of `cbfs-nn`, not of `mdav`. Seven methods were compared with table 4.3 of
  the thesis. `cbfs-nn` reproduces the printed IL on Census (k = 3, 4, 5, 6) and on Tarragona (3, 6) to
  one unit of the last digit. `mdav` does not: it gives 5.6922 instead of 5.6535 at k = 3. The match was
  observed in G_IL and IL together, so it is not independent of the G_IL above.
- **G_IL** then agrees with the printed values, with the formulas of table 4.1 and no further choice. With
  the groups of `mdav`, it is 22.65, 32.99 and 34.20: M1, nine tenths of it, depends on a few values
  near 0.
- **ID** agrees to the printed digit (214, 79 and 29 disclosures of 10,800) if equal released values are
  ranked in row order. This rule was found by trying 80 combinations: ranks by row, first, last, middle
  and distinct value; in the released and in the original file; open and closed intervals; five ways to
  round their width. microagg uses the mean over all orders of equal values, because the order of the rows
  must not matter. Its values are 0.8 %, 0.6 % and 4.8 % below the printed ones.
- **RLD** is not reproduced, and neither is G_DR, which is the mean of RLD and ID. The printed values
  contradict the definition. All released records of a group are identical, so a group has one nearest and
  one second nearest original record. At most two of its k records are therefore matched, except for rare
  ties between originals. At k = 5, that is 40 %, but 42.10 is printed.
- **Variants of RLD.** 924 variants were tried: both directions; matches by record and by group, with the
  first, second and third nearest; three ways of scaling; every range of subset sizes. The closest variant
  is 9 % off at its worst k.
- **SI.** The printed values of the Census rows equal G_IL/2 + 19.5, which contradicts equation 4.4
  of the thesis. microagg follows the equation.
"""


def page() -> str:
    """Return the whole page."""
    exact = ", ".join(f"`{one.name}`" for one in measures() if one.sums)
    remarks = REMARKS.replace("{exact}", exact)
    return "\n".join([NOTE, INTRODUCTION, *map(section, KINDS), remarks])


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
