"""A summary as plain text, readable without colour and in any width of 80 columns or more."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from microagg.errors import quoted_name
from microagg.measure.anonymity import Promise
from microagg.measure.blanks import Blanks
from microagg.measure.pair import Pair
from microagg.partition.bounds.gap import gap_of
from microagg.partition.bounds.proven import rounded_down, saving_words
from microagg.prepare.project import axis_words
from microagg.report.confidential_limits import beyond_words, counted_words, units_words
from microagg.report.summary import Summary


def render(summary: Summary) -> str:
    """Return the summary as text that ends with a line feed."""
    blocks = [_cautions(summary), _promise(summary), _loss(summary), _columns(summary)]
    blocks = [block for block in blocks if block]
    return "\n".join(line for block in blocks for line in [*block, ""])


def _cautions(summary: Summary) -> list[str]:
    return [f"CAUTION: {caution}" for caution in summary.cautions]


def _promise(summary: Summary) -> list[str]:
    return [
        _groups(summary),
        *([summary.ending] if summary.ending else []),
        *set_apart(summary),
        *(f"Promised: {promise_words(summary, p.promise)}." for p in summary.promises),
        *(f"Promised: {beyond_words(limit.promise)}." for limit in summary.limits),
        *([] if summary.units is None else [f"Promised: {units_words(summary.units)}."]),
        *([] if summary.promises or summary.limits else [f"Promised: {no_promise(summary)}."]),
        f"Checked on the released values: k = {summary.k}{_of_the_whole(summary)}"
        f"{_beyond(summary)}.",
        _unchanged(summary),
        *exposure_words(summary),
        *homogeneity_words(summary),
        *_shared(summary),
    ]


def no_promise(summary: Summary) -> str:
    """Return what is promised instead of k-anonymity."""
    masking = summary.masking
    return f"no k-anonymity; {masking.promise}" if masking and masking.private else "nothing"


def _of_the_whole(summary: Summary) -> str:
    if summary.as_a_whole:
        return ""
    return f", for the quasi-identifiers as a whole (requested k: {summary.k_promised})"


def _shared(summary: Summary) -> list[str]:
    """Return a sentence about the sizes of groups, unless each record is alone."""
    if set(summary.group_sizes) == {1}:
        return []
    return [f"{_whose_sizes(summary)}: {_sizes(summary.group_sizes)}."]


def _whose_sizes(summary: Summary) -> str:
    if summary.as_a_whole or summary.synthetic:
        return "Group sizes"
    if summary.promises:
        return "Sizes of the sets of records that share all of their groups"
    return "Sizes of the sets of records with the same released values"


def _beyond(summary: Summary) -> str:
    counted = [f"{limit.promise.name} = {counted_words(limit)}" for limit in summary.limits]
    if summary.units is not None:
        counted.insert(
            0, f"units = {summary.units.achieved} ({quoted_name(summary.units.promise.unit)})"
        )
    return "".join(f", {words}" for words in counted)


def _groups(summary: Summary) -> str:
    by = f"by {summary.method}{along(summary)}"
    records = f"{summary.rows:,} records"
    if not (summary.synthetic or summary.as_a_whole):
        return f"{records}, protected {by}: no groups of whole records were formed."
    some = set(summary.grouped_on) != set(summary.replaced)
    on = f" on {_listed(summary.grouped_on)} alone" if some else ""
    formed = f"{records} in {groups_words(summary)}, formed {by}{on}"
    synthetic = "; each record was replaced by a synthetic one" if summary.synthetic else ""
    return f"{formed}{synthetic}."


def set_apart(summary: Summary) -> list[str]:
    """Return sentences about the columns of strata and weights."""
    lines = []
    if summary.never_crossed:
        lines.append(f"No group crosses {_listed(summary.never_crossed)}.")
    if summary.weighted_by:
        lines.append(f"Records are weighted by {_listed(summary.weighted_by)}.")
    return lines


def groups_words(summary: Summary) -> str:
    """Return the number of groups in words."""
    return "1 group" if summary.groups == 1 else f"{summary.groups:,} groups"


def along(summary: Summary) -> str:
    """Return the single axis along which groups were formed, or an empty text."""
    return "" if summary.axis is None else f" along {axis_words(summary.axis)} alone"


def promise_words(summary: Summary, promise: Promise) -> str:
    """Return a promise about some columns in words."""
    columns, k = promise.columns, promise.k
    alone = f"each value of {_listed(columns)}"
    several = f"each combination of {_listed(columns)}"
    whole = set(columns) == set(summary.replaced)
    what = "each combination of quasi-identifiers" if whole else several
    what = what if whole or len(columns) > 1 else alone
    return f"{what} belongs to at least {k} released records (k = {k})"


def _unchanged(summary: Summary) -> str:
    if summary.kept == 0:
        return "Every column was replaced."
    verb = "is" if summary.kept == 1 else "are"
    return f"{summary.kept} of {summary.columns} columns {verb} released unchanged."


def exposure_words(summary: Summary) -> list[str]:
    """Return sentences about records that unchanged columns expose, if there are any."""
    exposure = summary.exposure
    if exposure is None:
        counted = "Records were not counted on the quasi-identifiers together with these columns."
        return [counted] if summary.kept > len(summary.confidential) else []
    if not exposure.columns:
        return []
    few, every = len(exposure.columns) == 1, len(exposure.columns) == summary.kept
    some = "1 of them is" if few else f"{len(exposure.columns)} of them are"
    what = f"{'It is' if few else 'They are'}" if every else some
    these = "this column" if few else "these columns"
    start = f"{what} not declared confidential: on {these} and the quasi-identifiers together, "
    if exposure.sampled_from:
        start += (
            f"counted on a sample of {exposure.records:,} of {exposure.sampled_from:,} records with "
            "complete classes, "
        )
    if not exposure.below_k:
        return [f"{start}no record is in a class of {exposure.fewer}."]
    unique, below = map(exposure.percent, (exposure.unique, exposure.below_k))
    return [
        f"{start}{exposure.unique:,} records ({unique:.1f} %) {exposure.alone} and {exposure.below_k:,} "
        f"({below:.1f} %) are in classes of {exposure.fewer}."
    ]


def homogeneity_words(summary: Summary) -> list[str]:
    """Return sentences about records in groups with a single confidential value, if there are any."""
    return [
        f"{count:,} records ({100 * count / summary.rows:.1f} %) are in groups with a single "
        f"value of {quoted_name(name)}."
        for name, count in summary.homogeneous.items()
        if count
    ]


def _loss(summary: Summary) -> list[str]:
    loss = {quoted_name(name): il for name, il in summary.loss_by_column.items()}
    width = max(map(len, loss))
    rows = [f"  {name:<{width}}  {il:7.3f} %" for name, il in loss.items()]
    only = "the mean" if summary.by_means else "one value per column"
    return [
        f"Information loss: {summary.information_loss:.3f} % of the variation between records "
        f"(0 %: nothing is lost; 100 %: only {only} is left).",
        *rows,
        *blanks_words(summary.blanks),
        *bound_words(summary),
    ]


def blanks_words(blanks: Blanks | None) -> list[str]:
    """Return sentences about missing values that were filled in, and values released as missing.

    Examples
    --------
    >>> blanks_words(Blanks(records=50, missing={"pay": 9}, filled={"pay": 9}))
    ['Missing values that were filled in: pay 9 (18.0 %).']
    """
    if blanks is None:
        return []
    lines = {
        "Missing values that were filled in": blanks.filled,
        "Values that were released as missing": blanks.blanked,
    }
    return [
        f"{what}: "
        + ", ".join(
            f"{quoted_name(name)} {count:,} ({blanks.percent(count):.1f} %)"
            for name, count in cells.items()
        )
        + "."
        for what, cells in lines.items()
        if cells
    ]


def bound_words(summary: Summary) -> list[str]:
    """Return a sentence about the proven bound, if there is one."""
    bound, lost = rounded_down(summary.lower_bound or 0.0, ".3f"), summary.information_loss
    if summary.lower_bound is None or (float(bound) <= 0 and lost > 0):
        return []
    within = " that crosses no stratum" if summary.never_crossed else ""
    within = " within the joined strata" if summary.strata_joined else within
    return [
        f"Proved: no grouping of these records{within} with k = {summary.k_promised} can lose less "
        f"than {bound} %; this one loses {lost:.3f} %, and "
        f"{saving_words(gap_of(lost, summary.lower_bound or 0.0))}."
    ]


def _columns(summary: Summary) -> list[str]:
    lines = [f"Removed (identifiers): {_listed(summary.removed)}"]
    if summary.index_dropped:
        lines.append(
            f"Removed (index that identifies each record): {_listed(summary.index_dropped)}"
        )
    lines += [
        replaced_words(summary),
        f"Released unchanged (confidential): {_listed(summary.confidential)}",
    ]
    if not summary.unchanged:
        lines.append("Released unchanged (no role): none")
    if summary.strata:
        lines.append(f"{strata_role(summary)}: {_listed(summary.strata)}")
    if summary.weights:
        lines.append(f"Released unchanged (weights of the records): {_listed(summary.weights)}")
    if summary.unchanged:
        lines.append(f"Released unchanged (no role): {_listed(summary.unchanged)}")
    if summary.index:
        lines.append(f"Index of the frame (not written to files): {_listed(summary.index)}")
    if summary.unchanged or summary.index or summary.weights or summary.strata_joined:
        lines.append(
            "  Check these: a column that can identify a person must not be released unchanged."
        )
    return lines


def strata_role(summary: Summary) -> str:
    """Return the treatment of the columns of strata."""
    crossed = (
        "some joined, so groups cross them" if summary.strata_joined else "which no group crosses"
    )
    return f"Released unchanged (strata, {crossed})"


def replaced_words(summary: Summary) -> str:
    """Return the columns that are replaced, with their representatives if these are not means."""
    if not summary.promises:
        own = summary.masking
        drawn = "synthetic values" if summary.synthetic or own is None else own.replacement
        return f"Replaced by {drawn} (quasi-identifiers): {_listed(summary.replaced)}"
    if summary.by_means:
        return f"Replaced by group means (quasi-identifiers): {_listed(summary.replaced)}"
    by = summary.aggregate
    words = [f"{quoted_name(name)} ({by[name]})" for name in summary.replaced]
    return f"Replaced by representatives of the groups (quasi-identifiers): {', '.join(words)}"


def kinds_of(pair: Pair) -> list[tuple[str, str]]:
    """Return the kinds of the quasi-identifiers, in words."""
    words = {
        "continuous": "Treated as numbers",
        "ordinal": "Treated as ordered categories",
        "nominal": "Treated as unordered categories",
    }
    rows = [(title, ", ".join(map(str, pair.of_kind(kind)))) for kind, title in words.items()]
    if pair.weights is not None:
        rows.append(("Sampling weights", f"{pair.options.weights}; they count in the loss"))
    return [(title, names) for title, names in rows if names]


def _sizes(sizes: Mapping[int, int]) -> str:
    parts = [f"{count:,} of {size}" for size, count in sizes.items()]
    return ", ".join(parts) if len(parts) <= 6 else ", ".join([*parts[:5], "..., " + parts[-1]])


def _listed(names: Iterable[object]) -> str:
    return ", ".join(map(quoted_name, names)) or "none"
