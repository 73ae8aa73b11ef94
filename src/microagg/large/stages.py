"""The stages of a release, in order: read, divide, survey, route, group, repair, write, count."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any

import numpy as np

from microagg.constraints import check_k
from microagg.context import Context
from microagg.errors import AnonymityError, DataError
from microagg.large.averages import with_averages
from microagg.large.blocks import Blocks, Leaves, hold_one
from microagg.large.cautions import warnings_of
from microagg.large.columns import Reader
from microagg.large.confidential import limited_columns, ordered_as_codes, with_kinds
from microagg.large.count import anonymity_from, count_bins, count_of, hash_file, tasks_of_bins
from microagg.large.domains import joined_domains
from microagg.large.executors.executor import Executor, Stage
from microagg.large.exposed import (
    KeptColumns,
    copies_of_files,
    exposure_of_files,
    sample_classes,
    sample_rows,
)
from microagg.large.first_passes import (
    count_keys,
    domains_of,
    empty_domains,
    expected_rows,
    is_date,
    look_like_codes,
    read_domains,
    units_by_key,
)
from microagg.large.group import (
    Grouped,
    done_for_limits,
    group_one,
    group_sizes,
    has_dominant_records,
    release_one,
    repair_one,
)
from microagg.large.made import Made
from microagg.large.memory import LARGEST_BLOCK, Sizes
from microagg.large.parts import Keys, Parts
from microagg.large.place import Uploads, upload_one
from microagg.large.plan import Plan
from microagg.large.route import route_split, routed
from microagg.large.survey import is_mixed, survey_split, surveyed
from microagg.large.tally import Kind, Tallied, Tally, tally_bins, tally_file
from microagg.large.value_counts import (
    count_values,
    counted_values,
    holding_parts,
    require_possible,
    with_counts,
)
from microagg.large.work import Work, record_type
from microagg.large.write import Written, output_files, write_file
from microagg.measure.anonymity import Anonymity
from microagg.measure.copies import Copy
from microagg.measure.exposure import Exposure
from microagg.partition.search.blocks.block import BLOCK_SIZE, check_block_size
from microagg.partition.search.blocks.blocks import WITHIN
from microagg.pipeline.cautions import strata_kept
from microagg.typing import Integers


@dataclass(frozen=True, eq=False)
class Stages:
    """Runs one stage after the other.

    Attributes
    ----------
    executor : Executor
        Where tasks run.
    context : Context
        The budget and the reporter of the release.
    """

    executor: Executor
    context: Context

    def run(self, plan: Plan, sizes_for: Callable[..., Sizes]) -> Made:
        """Do all that is left to do of a release."""
        plan = self._limited(self._divided(self._read(plan)))
        check_k(plan.settings.k, plan.divided().n, "protect_file")
        sizes = sizes_for(n=plan.divided().n, most=_most(plan))
        check_block_size(sizes.block_size, plan.settings.k)
        parameters = {**plan.settings.parameters, "block_size": sizes.block_size}
        settings = replace(plan.settings, parameters=parameters)
        plan = replace(plan, sizes=sizes, settings=settings, work=_work(plan))
        plan = self._surveyed(plan)
        for words in warnings_of(plan):
            self.context.reporter.warn(words)
        plan, blocks = self._routed(plan)
        sizes_of_groups = self._grouped(plan, blocks)
        written, hashes = self._written(plan, blocks)
        anonymity = self._counted(plan, written.records)
        joined = plan.divided().joined and bool(strata_kept(plan.settings))
        across = self._counted(plan, written.records, across=True) if joined else None
        return Made(
            plan=plan,
            blocks=len(blocks.blocks),
            sizes=sizes_of_groups,
            written=written,
            hashes=hashes,
            anonymity=anonymity,
            across=across,
            dominated=has_dominant_records(plan, blocks),
            done_for_limits=done_for_limits(plan, blocks),
            tallied=self._tallied(plan, written.records),
            exposure=self._exposure(plan),
            copies=self._copies(plan),
        )

    def publish(self, plan: Plan, uploads: Uploads) -> None:
        """Copy written files to object storage."""
        sizes = [path.stat().st_size for path, _ in uploads]
        self._stage("Publishing", upload_one, plan, uploads, sizes)

    def _stage(
        self,
        what: str,
        stage: Stage,
        shared: Any,
        items: Sequence[Any],
        records: Sequence[int],
        at_once: int = 1,
    ) -> list[Any]:
        """Run a stage, and show how many records are done of all."""
        reporter, total = self.context.reporter, 0
        reporter.begin(what, int(sum(records)))

        def done(number: int) -> None:
            nonlocal total
            total += int(records[number])
            reporter.reach(total)

        return self.executor.run(stage, shared, items, self.context, at_once=at_once, done=done)

    def _read(self, plan: Plan) -> Plan:
        """Find out how columns are read; where types tell, no record is read for it."""
        plan = replace(plan, empty=empty_domains(plan))
        text_file = plan.data.dialect is not None
        domains = list(plan.empty)
        if any(each.values is not None or is_date(each.kind) for each in plan.empty):
            rows = self._stage(
                "Reading",
                read_domains,
                plan,
                plan.splits,
                [expected_rows(plan, s) for s in plan.splits],
            )
            splits = tuple(replace(s, rows=n) for s, n in zip(plan.splits, rows, strict=True))
            plan = replace(plan, splits=splits)
            domains = joined_domains([domains_of(plan, split) for split in plan.splits])
        if not any(split.rows for split in plan.splits):
            raise DataError(
                f"'{plan.data.source}' has no records.",
                hint="Use a file with at least one record.",
            )
        if text_file and limited_columns(plan.settings):
            settings = with_kinds(plan.settings, domains, look_like_codes(plan), plan.data.decimal)
            plan = replace(plan, settings=settings)
        reader = Reader.of(
            domains,
            plan.settings,
            blank=plan.blank,
            decimal=plan.data.decimal,
            text_file=text_file,
        )
        return replace(plan, reader=reader)

    def _divided(self, plan: Plan) -> Plan:
        """Divide the records into parts that are grouped on their own."""
        settings, reader = plan.settings, plan.read()
        d = len(reader.columns)
        if not settings.strata and settings.missing == "error" and settings.weights is None:
            return replace(plan, parts=Parts.whole([split.rows for split in plan.splits], d))
        labels = [reader.categories[f"stratum {name}"] for name in reader.strata]
        categories = tuple(int(own.codes.max(initial=-1)) + 1 for own in labels)
        keys = Keys(categories, 0 if settings.missing == "error" else d)
        items = [(split, keys) for split in plan.splits]
        rows = [split.rows for split in plan.splits]
        counted = self._stage("Dividing", count_keys, plan, items, rows)
        units = None if settings.unit is None else units_by_key(plan)
        return replace(plan, parts=Parts.divided(keys, counted, d, settings, units))

    def _limited(self, plan: Plan) -> Plan:
        """Count the values that limits are about, and see that each part can hold these."""
        reader, parts = plan.read(), plan.divided()
        if not reader.secrets.has_limits:
            return plan
        rows = [split.rows for split in plan.splits]
        self._stage("Counting confidential values", count_values, plan, plan.splits, rows)
        counted = counted_values(plan)
        secrets = with_counts(reader.secrets, counted)
        require_possible(secrets, counted.of_parts(parts.stratum), parts.strata)
        if not holding_parts(secrets, counted, parts.sizes.size).all():
            parts = parts.by_stratum()
        looks = look_like_codes(plan) if secrets.columns else []
        words = ordered_as_codes(secrets, looks, plan.settings)
        reader = replace(reader, secrets=secrets, warnings=(*reader.warnings, *words))
        return replace(plan, reader=reader, parts=parts)

    def _surveyed(self, plan: Plan) -> Plan:
        rows = [split.rows for split in plan.splits]
        self._stage("Surveying", survey_split, plan, plan.splits, rows)
        return replace(plan, survey=surveyed(plan))

    def _routed(self, plan: Plan) -> tuple[Plan, Blocks]:
        rows = [split.rows for split in plan.splits]
        self._stage("Routing", route_split, plan, plan.splits, rows)
        plan = replace(plan, survey=with_averages(plan))

        def holding(items: Sequence[Leaves]) -> list[bool]:
            records = [leaves.records for leaves in items]
            return self._stage("Checking the limits", hold_one, plan, items, records)

        return plan, Blocks.of(plan, routed(plan), holding)

    def _grouped(self, plan: Plan, blocks: Blocks) -> Integers:
        """Group blocks, repair the groups near cuts, and make the values to release."""
        own, threads = blocks.blocks, plan.sizes.threads
        records = [block.records for block in own]
        groups = self._stage("Grouping blocks", group_one, plan, own, records, threads)
        grouped = Grouped.of(plan, blocks, groups)
        cells = [cell for cell in grouped.cells if cell.records]
        sizes = [cell.records for cell in cells]
        self._stage("Repairing borders", repair_one, plan, cells, sizes, plan.sizes.cell_threads)
        ends = np.cumsum(np.diff(blocks.starts, axis=1), axis=0)
        items = [
            (block, int(grouped.firsts[i]), grouped.repaired[i], ends[:, i].astype(np.int64))
            for i, block in enumerate(own)
        ]
        self._stage("Replacing values", release_one, plan, items, records, threads)
        return group_sizes(plan, blocks, grouped)

    def _written(self, plan: Plan, blocks: Blocks) -> tuple[Written, list[str]]:
        files = output_files(plan, blocks)
        rows = [sum(split.rows for split in file.splits) for file in files]
        parts = self._stage("Writing the release", write_file, plan, files, rows)
        total = Written.nothing(len(plan.surveyed().names))
        for part in parts:
            total.add(part)
        return total, [part.data for part in parts]

    def _counted(self, plan: Plan, n: int, *, across: bool = False) -> Anonymity:
        """Count on the written files, read again in the form that they were written in."""
        count = count_of(plan, n, across=across)
        numbers, rows = range(len(count.files)), rows_of_files(plan)
        hashed = self._stage("Checking the release", hash_file, count, numbers, rows)
        if (done := sum(records for _, records in hashed)) != n:
            raise AnonymityError(f"The written release has {done} of {n} records.")
        items = tasks_of_bins(count, "count", [pieces for pieces, _ in hashed])
        counted = anonymity_from(
            self._stage("Counting", count_bins, count, items, [1] * len(items))
        )
        if counted.records != n:
            raise AnonymityError(f"{counted.records} of {n} written records were counted.")
        return counted

    def _tallied(self, plan: Plan, n: int) -> dict[Kind, Tallied]:
        """Count confidential values and units on the written files."""
        count = count_of(plan, n, across=False)
        tally = Tally.of(plan, count)
        if not tally.kinds:
            return {}
        numbers, rows = range(len(count.files)), rows_of_files(plan)
        pieces = self._stage("Checking confidential values", tally_file, tally, numbers, rows)
        items = tasks_of_bins(count, "tally", pieces)
        counted = self._stage(
            "Counting confidential values", tally_bins, tally, items, [1] * len(items)
        )
        totals = (reduce(Tallied.joined, own) for own in zip(*counted, strict=True))
        return dict(zip(tally.kinds, totals, strict=True))

    def _exposure(self, plan: Plan) -> Exposure | None:
        """Count on the written files what unchanged columns add to the quasi-identifiers."""
        if KeptColumns.of(plan).exposing:
            numbers, rows = range(len(plan.data.files)), rows_of_files(plan)
            self._stage("Checking unchanged columns", sample_classes, plan, numbers, rows)
        return exposure_of_files(plan)

    def _copies(self, plan: Plan) -> tuple[Copy, ...]:
        """Look for unchanged columns that reveal a quasi-identifier."""
        if KeptColumns.of(plan).kept:
            rows = [split.rows for split in plan.splits]
            self._stage("Looking for copies", sample_rows, plan, plan.splits, rows)
        return copies_of_files(plan)


def _most(plan: Plan) -> int:
    """Return how many records a block has at most, unless a number was given.

    The time of other methods, of mixed records and of limits grows with the square of a block's records.
    """
    within = plan.settings.parameters["within"]
    slow = is_mixed(plan) or plan.read().secrets.has_limits or within != WITHIN
    return BLOCK_SIZE if slow else LARGEST_BLOCK


def rows_of_files(plan: Plan) -> list[int]:
    """Return how many records each file of the input has."""
    rows = [0] * len(plan.data.files)
    for split in plan.splits:
        rows[split.file] += split.rows
    return rows


def _work(plan: Plan) -> Work:
    """Return the work folder for records of the form that these have."""
    parts = plan.divided()
    secrets = plan.read().secrets
    kind = record_type(
        len(plan.read().columns),
        weighted=parts.weighted,
        parts=parts.sizes.size > 1,
        unit=secrets.unit is not None,
        codes=len(secrets.columns),
    )
    return Work(plan.work.folder, kind, run=plan.work.run)
