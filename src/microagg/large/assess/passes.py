"""The passes over two files that `assess_file` compares: keys, counts, a sample, the loss, the copies."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from microagg.assessment import (
    OUT_OF_ORDER,
    Assessment,
    alike_but_for_missing,
    doubts_about,
    with_doubts,
)
from microagg.data.frames import Frame
from microagg.errors import DataError, ParameterError
from microagg.large.assess.class_counts import Bins, classes_of, hashes_as_written, in_both
from microagg.large.assess.comparing import Compared, compared, weights_of
from microagg.large.assess.counting import Counting, confidential_values
from microagg.large.assess.paired_files import PairedFiles, TypedFile
from microagg.large.assess.paired_keys import PairedKeys, must_collect
from microagg.large.assess.room import Room
from microagg.large.assess.summing import KeySums, LossSums
from microagg.measure.at_risk import AtRisk, most_at_risk
from microagg.measure.classes import EquivalenceClasses
from microagg.measure.copies import Copy
from microagg.measure.exposure_in_pieces import copies_in
from microagg.measure.loss.information_loss import InformationLoss
from microagg.measure.loss.mean_variation import INFINITE
from microagg.measure.other_columns import OtherColumns
from microagg.measure.pair import Pair
from microagg.measure.paired_sample import PairedSample, paired_sample
from microagg.measure.plausibility import foreign_in_words, in_order, same_population
from microagg.measure.registry import Finding, evaluate
from microagg.measure.registry import measures as all_measures
from microagg.measure.units import unit_in_file
from microagg.prepare.read import read_units
from microagg.schema import Schema
from microagg.settings import Settings

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True, eq=False)
class Passes:
    """Both files, and what the first passes have told.

    Attributes
    ----------
    files : PairedFiles
        The original and the release.
    settings : Settings
        What is asked for.
    folder : Path
        Where counts are kept.
    room : Room
        What the memory has room for.
    compared : Compared
        Which columns differ.
    schema : Schema
        The keys, and how they are read.
    """

    files: PairedFiles
    settings: Settings
    folder: Path
    room: Room
    compared: Compared
    schema: Schema

    @classmethod
    def of(cls, files: PairedFiles, settings: Settings, folder: Path, room: Room) -> Passes:
        """Compare the columns of both files, and choose the keys."""
        for name in filter(None, (settings.weights, settings.unit)):
            _require(files.before, [name], "weights" if name == settings.weights else "unit")
        of_columns = compared(files, settings.weights)
        keys = list(settings.quasi_identifiers) or _default_keys(files, settings, of_columns)
        _require(files.before, keys, "quasi_identifiers")
        _require(files.after, keys, "quasi_identifiers", "the release")
        _require(files.after, settings.confidential, "confidential", "the release")
        for parameter in ("kinds", "orders"):
            _require(files.before, list(getattr(settings, parameter)), parameter)
        for parameter, names in settings.named_by_column().items():
            _require(files.before, names, parameter)
        schema = Schema(keys, (), settings.confidential, settings.kinds, settings.orders)
        if settings.weights in keys:
            raise ParameterError(
                f"names a quasi-identifier, {settings.weights!r}.", parameter="weights"
            )
        return cls(files, settings, folder, room, of_columns, schema)

    @property
    def weights(self) -> str | None:
        """The column of weights, where these differ."""
        return self.settings.weights if self.compared.weighted else None

    def assessment(self, measures: str | Sequence[str] | None, loss_weight: float) -> Assessment:
        """Return the measures: exact ones of all records, others of a sample."""
        keys = self._keys()
        naming, unchanged = self._other_columns()
        sums = KeySums(keys.columns, self.compared.sizes)
        counting = Counting(
            keys=keys,
            sums=sums,
            bins=self._bins(),
            unchanged=unchanged,
            confidential=self._confidential(),
            unit=self.settings.unit,
            weights=self.weights,
        )
        sample = self._sample(counting)
        loss = self._loss(keys, sums)
        pair = self._pair(keys, counting, sample, loss)
        aside = OtherColumns(
            kept=tuple(self._kept()),
            naming=tuple(naming),
            unchanged=tuple(unchanged),
            alone=counting.alone(),
            n=self.compared.n,
            missing=self._missing(),
        )
        copies = self._copies(unchanged)
        foreign = foreign_in_words(sums.foreign(self.compared.n))
        matched = in_order(pair)
        warnings = (
            *unit_in_file(self.settings.unit, self.files.after.names),
            *same_population(sums.extremes()),
            *doubts_about(pair, keys.distinct[0], self._averaged_codes(keys, sums), aside, copies),
            *alike_but_for_missing(counting.alike_but_for_missing, self.compared.n),
            *(() if matched else (OUT_OF_ORDER,)),
            *foreign,
            *([] if sample.whole else [_of_sample(sample)]),
        )
        findings = evaluate(pair, measures, self.files.reporter)
        noted = [_noted(finding, counting, pair, sample) for finding in findings]
        return Assessment(
            pair=pair,
            findings=with_doubts(noted, matched=matched, foreign=bool(foreign)),
            matched_by="position",
            left_out=0,
            warnings=warnings,
            other_columns=aside,
            copies=copies,
            at_risk=most_at_risk(pair) if matched and sample.whole else AtRisk(),
            loss_weight=loss_weight,
            alike_but_for_missing=counting.alike_but_for_missing,
        )

    def _keys(self) -> PairedKeys:
        names, fields = list(self.schema.quasi_identifiers), self.compared.fields
        tables = None
        if must_collect(fields, names, self.schema, self.settings):
            tables = self.files.tables("Reading categories", names, names)
        return PairedKeys.of(fields, tables, self.schema, self.settings)

    def _bins(self) -> Bins:
        return Bins(self.folder, self.room.bins(self.compared.n))

    def _kept(self) -> list[str]:
        """Return the columns of both files that are not judged."""
        own = (self.settings.weights, self.settings.unit)
        roles = {*self.schema.quasi_identifiers, *self.settings.confidential, *own}
        return [name for name in self.files.shared if name not in roles]

    def _missing(self) -> tuple[str, ...]:
        one, other = self.files.before.names, self.files.after.names
        return tuple(name for name in (*one, *other) if (name in one) != (name in other))

    def _other_columns(self) -> tuple[list[str], list[str]]:
        """Return the columns that identify each record, and the others that are unchanged."""
        same = [name for name in self._kept() if name not in self.compared.changed]
        fields = self.compared.fields
        chosen = [
            name
            for name in self._kept()
            if self.compared.may_identify(name)
            and (name in same or fields[0].field(name).type == fields[1].field(name).type)
        ]
        naming = [name for name, alone in self._identifying(chosen).items() if alone]
        return naming, [name for name in same if name not in naming]

    def _identifying(self, names: list[str]) -> dict[str, bool]:
        """Tell of each column whether released values differ in all records and the original has them."""
        if not names:
            return {}
        bins = self._bins()
        for both in self.files.tables("Looking for identifiers", names, names):
            for file, table in enumerate(both):
                values = np.full(table.num_rows, file, dtype=np.uint64)
                for number, name in enumerate(names):
                    own = classes_of([hashes_as_written(table[name])], table.num_rows)
                    bins.add(f"name {number}", own, values)
        n = self.compared.n
        counts = (in_both(bins, f"name {number}", alone=False) for number in range(len(names)))
        return {
            name: both == second == n for name, (both, second) in zip(names, counts, strict=True)
        }

    def _confidential(self) -> dict[str, Any]:
        kinds = {name: self.schema.kinds.get(name) for name in self.settings.confidential}
        if not kinds:
            return {}
        return confidential_values(
            self._released_schema(), self.files.after.tables([*kinds]), kinds
        )

    def _released_schema(self) -> Any:
        table = next(self.files.after.tables(self.files.after.names))
        return table.schema

    def _sample(self, counting: Counting) -> PairedSample:
        """Read all records once, count them, and draw the sample."""
        keys = list(self.schema.quasi_identifiers)
        more = [name for name in (self.settings.unit, self.settings.weights) if name is not None]
        after = dict.fromkeys([*keys, *self.settings.confidential, *counting.unchanged])
        before = dict.fromkeys([*keys, *more])
        tables = self.files.tables("Counting", list(before), list(after))
        return paired_sample(counting.watched(tables), keys)

    def _loss(self, keys: PairedKeys, sums: KeySums) -> InformationLoss | None:
        """Return the information loss of all records; that of Gower's distance needs medians."""
        if self.settings.gower:
            return None
        survey = sums.survey(self.settings, weighted=self.weights is not None)
        total = LossSums(survey, sums.original_codes())
        names = list(self.schema.quasi_identifiers)
        own = [] if self.weights is None else [self.weights]
        for before, after in self.files.tables("Measuring the loss", [*names, *own], names):
            weights = None if self.weights is None else weights_of(before, self.weights)
            total.add(keys.numbers(before, 0), keys.numbers(after, 1), weights)
        return total.loss()

    def _pair(
        self,
        keys: PairedKeys,
        counting: Counting,
        sample: PairedSample,
        loss: InformationLoss | None,
    ) -> Pair:
        """Return the sample with what is known of all records."""
        before, after = keys.numbers(sample.original, 0), keys.numbers(sample.released, 1)
        rows = zip(keys.columns.items(), before, strict=True)
        original = Frame(sample.original)
        pair = Pair(
            columns={name: replace(column, values=own) for (name, column), own in rows},
            values=dict(zip(keys.keys, after, strict=True)),
            before=EquivalenceClasses(original),
            after=EquivalenceClasses(Frame(sample.released)),
            confidential_kinds={
                name: self.schema.kinds.get(name) for name in self.settings.confidential
            },
            options=self.settings,
            weights=None if self.weights is None else weights_of(sample.original, self.weights),
            units=read_units(original, self.settings.unit),
            loss=loss,
            counted=counting.anonymity(),
            covariations=counting.sums.covariations,
            sample_of=None if sample.whole else sample.n,
        )
        pair.measured |= counting.measured()
        if not np.isfinite(pair.measured.get("variation-data", 0.0)):
            del pair.measured["variation-data"]
            pair.not_applicable["variation-data"] = INFINITE
        categories = counting.sums.of_categories()
        if categories is not None:
            own = (one for one in all_measures() if one.sums and one.counts == "categories")
            findings = evaluate(categories, [one.name for one in own])
            pair.measured |= {f.measure.name: f.value for f in findings if f.value is not None}
        return pair

    def _copies(self, unchanged: Sequence[str]) -> tuple[Copy, ...]:
        """Return the unchanged columns that reveal quasi-identifiers, including confidential ones."""
        kept = {*self.settings.confidential, self.settings.weights}
        same = [name for name in self.files.shared if name not in self.compared.changed]
        others = [name for name in same if name in unchanged or name in kept]
        keys = list(self.schema.quasi_identifiers)

        def tables() -> Iterator[pa.Table]:
            return self.files.before.tables([*keys, *others])

        return copies_in(tables, keys, others, self.room.table)

    def _averaged_codes(self, keys: PairedKeys, sums: KeySums) -> list[str]:
        numeric = {name for name in keys.keys if keys.distinct[0].is_numeric(name)}
        looks = sums.codes.look_like_codes()
        return [name for name in looks if name in numeric and name not in self.settings.kinds]


def _noted(finding: Finding, counting: Counting, pair: Pair, sample: PairedSample) -> Finding:
    """Return a finding that says whether it is of the sample alone."""
    one = finding.measure
    exact = one.sums and one.name not in _estimated(counting, pair)
    if exact or finding.value is None or sample.whole:
        return finding
    return replace(finding, note="; ".join(filter(None, (finding.note, f"of {sample.words}"))))


def _estimated(counting: Counting, pair: Pair) -> set[str]:
    """Return the measures that sums would give, but not of these files."""
    names: set[str] = set()
    if pair.options.gower:
        names.add("il")
    if any(values is None for values in counting.confidential.values()):
        names.add("t-closeness")
    if counting.sums.combinations is None:
        names |= {one.name for one in all_measures() if one.sums and one.counts == "categories"}
    return names


def _of_sample(sample: PairedSample) -> str:
    return (
        f"Measures that compare individual records are estimated from {sample.words}; all others count "
        "every record. Most records are recognised more easily among fewer ones, but rare exposed "
        "records may not be in the sample. No row is named."
    )


def _default_keys(files: PairedFiles, settings: Settings, of_columns: Compared) -> list[str]:
    """Return the columns that differ, or all that both files have, but for those of other roles."""
    out = {*settings.confidential, settings.weights, settings.unit}
    shared = [name for name in files.shared if name not in out]
    if not shared:
        raise DataError(
            "The two files have no column in common.",
            hint="Columns are matched by name. Is this the right file?",
        )
    return [name for name in shared if name in of_columns.changed] or shared


def _require(
    file: TypedFile, names: Sequence[str], parameter: str, place: str = "the data"
) -> None:
    """Raise where a parameter names a column that a file does not have."""
    import pyarrow as pa

    empty = pa.table({name: pa.nulls(0) for name in file.names})
    Frame(empty).require(names, parameter, place)
