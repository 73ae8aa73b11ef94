"""The page and the table of printed figures, and those of microagg."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from benchmarks.reproduce.figures import Figure, Result

WHY = {
    "tfrp-2007 TFRP": "the paper does not say how remaining records are treated at large k",
    "tfrp-2007 TFRP-I": "the paper does not say how remaining records are treated at large k",
    "comparative-study-2012 MDAV": "the Tarragona row of the paper repeats that of V-MDAV",
    "comparative-study-2012 DBA-2": "the paper does not say how large groups are split",
    "comparative-study-2012 V-MDAV": (
        "the paper chose gamma for each k; microagg chooses it from the data"
    ),
    "comparative-study-2012 ip-style": (
        "the paper of IP was not available, so its rules are only approximated"
    ),
    "fayyoumi-thesis-2008 cbfs-nn": (
        "printed as MDAV; the figure for Census with k=3 is truncated, not rounded"
    ),
    "fayyoumi-thesis-2008 IAMAT": "unexplained; scales, precisions and 48 rules were tried",
    "fayyoumi-thesis-2008 OMMA": (
        "the method is random: microagg states the median of ten seeds, and the thesis does not "
        "say how many runs it made"
    ),
    "k-anonymity-survey-2006 MD": "the paper does not specify ties and the order of the two groups",
    "k-anonymity-survey-2006 MDAV": (
        "for Census with k=4 and 10, the figures differ from later ones of the same authors"
    ),
    "k-anonymity-survey-2006 V-MDAV": "the difference is at most 0.002 %",
    "group-decomposition-2018 CBFS-NN": (
        "unexplained; ten rules for remaining records and single precision were tried"
    ),
    "group-decomposition-2018 MDAV-NN": (
        "unexplained; ten rules for remaining records and single precision were tried"
    ),
}
SUFFIX = (
    "followed as described, the steps of the paper mostly give a lower loss than the printed one"
)

HEAD = """---
html_theme.sidebar_secondary.remove: true
---

# Reproduce the literature: printed and computed figures

**{met} of {computed} figures ({share:.1f} %) are reproduced to the printed digit.** Many of the
others are lower than the printed ones, which means that microagg loses less. The papers print
{printed} figures; those that were not computed are listed at the end. `make reproduce` computes
this page. The [appendix](printed-figures.md) lists every figure, and so does the CSV file next to
this page.

- **reproduced**: the figure of microagg rounds to the printed one.
- **reproduced or lower**: figures that are reproduced, or below the printed ones.
- **largest difference**: the largest among the figures that are not reproduced, in percent of the
  printed figure. A negative difference means that microagg loses less.
- **source**: `comparative-study-2012` is Chettri, Paul and Dutta 2012; `fayyoumi-thesis-2008` is
  the thesis of Fayyoumi 2008; `group-decomposition-2018` is Khomnotai, Lin, Peng and Samanta Santra
  2018; `k-anonymity-survey-2006` is Domingo-Ferrer, Solanas and Martinez-Balleste 2006; `tfrp-2007`
  is Chang, Li and Huang 2007. The pages of the [methods](methods/index.md) describe how each paper
  was read.
"""


def page_of(wanted: list[Figure], results: list[Result]) -> str:
    """Return the page in Markdown: what is met, by source and method, and what is not computed."""
    met = sum(result.met for result in results)
    share = 100 * met / max(len(results), 1)
    lines = [
        HEAD.format(met=met, computed=len(results), share=share, printed=len(wanted)),
        "| source | method | figures | reproduced | reproduced or lower | largest difference | reason |",
        "| --- | --- | ---: | ---: | ---: | ---: | --- |",
    ]
    for row in summary(results):
        lines.append(
            f"| {row['source']} | {row['method']} | {row['figures']} | {row['met']} | "
            f"{row['met_or_lower']} | {row['largest_percent']:+.2f} % | {_why(row)} |"
        )
    lines += ["", "## Figures that were not computed", "", *_left_out(wanted), ""]
    return "\n".join(lines)


def _why(row: dict[str, Any]) -> str:
    if row["met"] == row["figures"]:
        return ""
    if row["method"][-1] in "23" and row["source"].startswith("group"):
        return SUFFIX
    return WHY.get(f"{row['source']} {row['method']}", "see the method's page")


def _left_out(wanted: list[Figure]) -> list[str]:
    reasons: dict[str, int] = {}
    for figure in wanted:
        if figure.why_not:
            reasons[figure.why_not] = reasons.get(figure.why_not, 0) + 1
    return [f"- {count} figures: {reason}." for reason, count in sorted(reasons.items())]


def to_csv(results: Iterable[Result]) -> str:
    """Return the results as a table for programs."""
    lines = ["source,data,k,method,computed_as,measure,printed,ours,difference_percent,reproduced"]
    for result in _sorted(results):
        f = result.figure
        lines.append(
            f"{f.source},{f.data},{f.k},{f.plain},{f.recipe[0].lower()},{f.measure},"
            f"{f.printed},{result.ours:.6f},"
            f"{result.difference:.4f},{'yes' if result.met else 'no'}"
        )
    return "\n".join(lines) + "\n"


def _sorted(results: Iterable[Result]) -> list[Result]:
    return sorted(
        results, key=lambda r: (r.figure.source, r.figure.name, r.figure.data, r.figure.k)
    )


def summary(results: Iterable[Result]) -> list[dict[str, Any]]:
    """Return, for each source and method, how many figures there are, are met, are not above.

    The largest difference is that of the figures that are not met.
    """
    rows: dict[tuple[str, str], list[Result]] = {}
    for result in _sorted(results):
        rows.setdefault((result.figure.source.split(" ")[0], result.figure.name), []).append(result)
    return [
        {
            "source": source,
            "method": name,
            "figures": len(group),
            "met": sum(result.met for result in group),
            "met_or_lower": sum(result.met or result.difference < 0 for result in group),
            "largest_percent": max(
                (result.difference for result in group if not result.met), key=abs, default=0.0
            ),
        }
        for (source, name), group in rows.items()
    ]
