"""The page of measures, written by docs/build.py."""

from __future__ import annotations

import math

from microagg.measure.registry import KINDS, Measure, measures

WIDE = "---\nhtml_theme.sidebar_secondary.remove: true\n---\n"
NOTE = "<!-- Written by docs/build.py from the code: change that, and run `make docs`. -->\n"
TITLES = {
    "loss": "Loss: how much information is lost",
    "risk": "Risk: what an intruder can find out",
    "anonymity": "Anonymity: the size and diversity of equivalence classes",
    "score": "Score: loss and risk in one number",
}
INTRODUCTION = """# Measures

`microagg assess ORIGINAL RELEASED` computes every measure for any masked file, and `ma.assess` does so
in Python. `ma.measures()` lists the measures. [Contributing](project/contributing.md) shows how to add one.

In the formulas, n is the number of records, d is the number of numeric quasi-identifiers, x is an
original value, and x' is a released value. The quasi-identifiers are the columns that an intruder may
know: the columns that you name, or else every column that was changed.

Each column has a kind, by the rules of [`protect`](records.md): numbers and dates are continuous, and
categories are ordinal or nominal. The result states the kind of each column. If a measure considers only
some of the columns, the result says which. Whether a value is acceptable depends on the data and on the
recipients, so the result does not call it good or poor.
"""
REMARKS = """## Conventions

- **Ties are shared.** If several original records are equally near, each has the same chance.
  Shuffling the rows changes nothing.
- **One information loss.** `il` is the loss that `protect` reports, over columns of all kinds. With the
  same options, the report of a release, its summary and `assess` give the same number.
- **Ordinal columns** are ranks in distance-based linkage, in rank intervals, in `il` and in
  `categories-changed`. Their covariances are not measured.
- **Missing values equal only missing values.** A record with a missing value equals only records with a
  missing value in the same column. In distances, a missing value counts as the mean
  of the column, plus a distance of one standard deviation from every value that is present. A value that
  is missing in only one of the files has changed completely. Means, covariances and correlations are those
  of the records without missing values.
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
  127 for a large file, up to 8,191 for a small one. With 32 quasi-identifiers or more, it uses fewer
  subsets, but at least 16, and evenly spaced sizes of subsets if there are more sizes than subsets.
  The result then says that it is an estimate.
- **Files larger than memory.** `microagg assess --memory` and `ma.assess_file` give these measures
  exactly, as sums and counts over all records: {exact}. All others are estimated from a
  [sample](large.md#assess-a-large-release), and the result says so. `probabilistic` has no value there,
  because it depends on the number of records.
- **Zeros** (Fayyoumi 2008, footnote 5). If only the original value is 0, the change is
  divided by the released value. If both are 0, the change is 0.

[Comparison with Fayyoumi (2008)](thesis.md) compares the measures with printed figures.
"""


def page() -> str:
    """Return the whole page."""
    exact = ", ".join(f"`{one.name}`" for one in measures() if one.sums)
    remarks = REMARKS.replace("{exact}", exact)
    return "\n".join([WIDE, NOTE, INTRODUCTION, *map(section, KINDS), remarks])


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
