"""The report of a release of files: what was counted on all records, and measures of a sample."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from microagg.data.atomic import refuse_overwrite, replacing, write_text
from microagg.data.text_columns import parse_columns
from microagg.large.exposed import original_tables, released_tables
from microagg.large.plan import Plan
from microagg.measure.pair import Pair, pair_of
from microagg.measure.paired_sample import PairedSample, in_step, paired_sample
from microagg.pipeline.cautions import strata_kept
from microagg.pipeline.outcome import Outcome
from microagg.provenance import WrittenFile
from microagg.report.html import render
from microagg.report.of_release import page_of_sample


@dataclass(frozen=True)
class Reports:
    """The reports that are asked for.

    Attributes
    ----------
    paths : mapping of str to Path
        Where they go: "report" and "external_report".
    audience : {"internal", "external"}
        Who reads "report".
    """

    paths: Mapping[str, Path]
    audience: str = "internal"

    def refuse_existing(self, overwrite: bool) -> None:
        """Raise where a report is there already and may not be replaced."""
        refuse_overwrite(self.paths.values(), overwrite)

    def rendered(self, plan: Plan, outcome: Outcome, written: WrittenFile) -> dict[str, str]:
        """Return the text of each report."""
        if not self.paths:
            return {}
        sample = _sample(plan)
        pair = _pair(plan, sample)
        words = "all records" if sample.whole else sample.words
        audiences = {"report": self.audience, "external_report": "external"}
        return {
            what: render(
                page_of_sample(outcome, pair, words, audience=audiences[what], written=written)
            )
            for what in self.paths
        }

    def write(self, texts: Mapping[str, str], *, overwrite: bool) -> None:
        """Write the reports, all or none; an internal one for its owner alone."""
        if not texts:
            return
        private = (
            [self.paths["report"]] if self.audience == "internal" and "report" in texts else []
        )
        targets = [self.paths[what] for what in texts]
        with replacing(*targets, overwrite=overwrite, private=private) as beside:
            for path, text in zip(beside, texts.values(), strict=True):
                write_text(path, text)


def _sample(plan: Plan) -> PairedSample:
    """Return a sample of the released records, as they were and as they are."""
    settings = plan.settings
    keys = list(settings.quasi_identifiers)
    gone = {*settings.identifiers, *plan.data.folders(0)}
    names = [name for name in plan.data.names if name not in gone]
    more = [name for name in (settings.unit, settings.weights) if name is not None]
    before = original_tables(plan, list(dict.fromkeys([*names, *more])))
    return paired_sample(in_step(before, released_tables(plan, names)), keys)


def _pair(plan: Plan, sample: PairedSample) -> Pair:
    reader, settings = plan.read(), plan.settings
    before = reader.typed(sample.original, str)
    after = reader.of_release(strata_kept(settings)).typed(sample.released, str)
    roles = settings.schema
    if reader.text_file:  # ordered by their values, which are numbers, as in memory
        ranked = [name for name, kind in roles.kinds.items() if kind == "ordinal"]
        ranked = [name for name in ranked if name not in roles.orders]
        before, after = (
            parse_columns(table, ranked, decimal=reader.decimal) for table in (before, after)
        )
    columns = (roles.quasi_identifiers, roles.confidential, roles.kinds, roles.orders)
    pair = pair_of(before, after, *columns, settings)
    pair.sample_of = None if sample.whole else sample.n
    return pair
