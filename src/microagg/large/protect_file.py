"""`protect_file`: from a file larger than memory to a checked release in a folder."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from microagg.constraints import AnyOf, Constraint, IsInteger, IsText, OneOf, check, check_all
from microagg.data.remote import located
from microagg.errors import ParameterError, Phrase, unknown_column
from microagg.large.amounts import bytes_of
from microagg.large.dataset import SourceFiles
from microagg.large.executors.choose import executor_of
from microagg.large.file_release import FileRelease
from microagg.large.job import Job
from microagg.large.memory import budget
from microagg.large.place import place_of
from microagg.large.refused import reason_for_value
from microagg.large.report import Reports
from microagg.partition.names import resolve
from microagg.partition.search.blocks.block import LEAST_GROUPS, check_block_size
from microagg.partition.search.blocks.blocks import WITHIN, check_within
from microagg.reading import Reading
from microagg.reporter import Reporter
from microagg.schema import Schema
from microagg.settings import Settings
from microagg.signatures import with_options


@with_options("large", text_files=True)
def protect_file(
    source: str | Path,
    output: str | Path,
    k: int,
    *,
    memory: str | int = "2GB",
    work: str | Path | None = None,
    workers: int | None = None,
    cluster: str | None = None,
    client: Any = None,
    schema: Schema | Mapping[str, Any] | None = None,
    report: str | Path | None = None,
    external_report: str | Path | None = None,
    audience: str = "internal",
    overwrite: bool = False,
    progress: Reporter | None = None,
    **options: Any,
) -> FileRelease:
    """Protect a file larger than memory, which is read in pieces and grouped block by block.

    The records are cut into blocks of similar records, which are grouped and improved separately. The
    groups near a cut are then improved together with those on the other side. A run that was killed
    continues where it stopped if it is started again with the same input and options, and gives the
    same bytes.

    Parameters
    ----------
    source : path or URI
        Parquet or delimited text: a file, or a folder of such files, which are the parts of one table.
        A URI such as "s3://bucket/people" names one in object storage.
    output : path or URI
        The folder of the release. Until it is complete, its folder ".microagg-work" contains unfinished
        work, including records: protect it like the input.
    k : int, from 2 to n
        The minimum group size: every combination of released quasi-identifiers is shared by at
        least k records.
    {options}
    memory : str or int
        The maximum memory of a process, such as "2GB"; it determines the size of blocks and pieces.
    work : path, optional
        The folder of unfinished work, for an output in object storage; all workers must access it.
    workers : int, optional
        The number of worker processes on this machine; by default, this process uses threads.
    cluster : str, optional
        The address of a Dask scheduler, such as "tcp://10.0.0.1:8786", whose workers do the work. They must
        access the input and the output under the same paths.
    client : distributed.Client, optional
        A client of such a scheduler, instead of its address.
    schema : Schema, optional
        The roles and kinds in one object, instead of separate arguments.
    report, external_report : path, optional
        Where to write the report as an HTML file, and the one for readers outside.
    audience : {"internal", "external"}
        The audience of the report.
    overwrite : bool
        Whether files of the same name may be replaced, and unfinished work discarded.
    progress : Reporter, optional
        Shows the progress.

    Returns
    -------
    FileRelease
        Checked on the written files. Files that do not satisfy k never get their final names.

    Notes
    -----
    Records are grouped block by block, which is what `method` "auto" and "blocks" mean here. The bytes of
    the release do not depend on the number of threads, workers or machines.
    ``parameters={"within": "mdav-nc", "block_size": 100_000}`` sets the method that groups each block,
    whose groups swap-shift then improves, and the maximum number of records in a block.

    Examples
    --------
    >>> import microagg as ma, pyarrow as pa, pyarrow.parquet as pq, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     people = pa.table({"name": list("abcd"), "age": [30, 32, 60, 64]})
    ...     pq.write_table(people, f"{folder}/people.parquet")
    ...     roles = {"quasi_identifiers": ["age"], "identifiers": ["name"]}
    ...     release = protect_file(f"{folder}/people.parquet", f"{folder}/release", k=2, **roles)
    ...     ma.read_file(release.paths["data"]).to_pydict()
    {'age': [31.0, 31.0, 62.0, 62.0]}
    """
    form = {name: options.pop(name, default) for name, default in FORM.items()}
    reading = Reading.create("protect_file", **form, blank=options.pop("blank", None))
    settings = Settings.create("protect_file", schema=schema, k=k, **options)
    within, block_size = _blocks(settings)
    refuse_unfit(settings)
    sizes_for = partial(budget, bytes_of(memory), len(settings.quasi_identifiers), block_size)
    sizes = sizes_for()
    place = place_of(located(output), work)
    check("audience", audience, OneOf(("internal", "external")), "protect_file")
    reports = {"report": report, "external_report": external_report}
    data = SourceFiles.of(located(source), sizes.table, form, _only_removed(settings))
    data.refuse_empty()
    _require_columns(data, settings)
    if reading.blank and data.dialect is None:
        raise ParameterError("applies to delimited text.", parameter="blank", hint="Leave it out.")
    if block_size is None and sizes.block_size < LEAST_GROUPS * settings.k:
        raise ParameterError(
            f"must be at most {sizes.block_size // LEAST_GROUPS:,} within this "
            f"memory, which allows blocks of {sizes.block_size:,} records. Got {k}.",
            parameter="k",
            hint="Allow more memory, or protect a frame that fits into memory.",
        )
    check_block_size(sizes.block_size, settings.k)
    reporter = progress or Reporter()
    job = Job(
        data=data,
        settings=replace(
            settings,
            method="blocks",
            parameters={"within": within, "block_size": sizes.block_size},
        ),
        sizes=sizes,
        sizes_for=sizes_for,
        form=form,
        blank=reading.blank or (),
        place=place,
        reports=Reports(
            {what: Path(path) for what, path in reports.items() if path is not None}, audience
        ),
        progress=reporter,
    )
    job.refuse_existing(overwrite=overwrite)
    with executor_of(client, cluster, workers, reporter.announce) as executor:
        return job.run(executor, overwrite=overwrite)


FORM: dict[str, Any] = {
    "separator": None,
    "encoding": "utf-8",
    "decimal": ".",
    "numeric_names": False,
}
"""How delimited text is read by default."""


def _blocks(settings: Settings) -> tuple[str, int | None]:
    """Return the method within blocks and the size of blocks, if it was specified."""
    if resolve(settings.method).method.name not in ("auto", "blocks"):
        raise ParameterError(
            f"cannot be {settings.method!r}: a file that is read piece by piece is grouped in blocks.",
            parameter="method",
            hint=Phrase(
                "Leave it out; {parameters} groups each block by this method.",
                parameters={"within": settings.method},
            ),
        )
    allowed: dict[str, Constraint] = {
        "within": IsText(),
        "block_size": AnyOf((IsInteger(8), OneOf((None,)))),
    }
    check_all(settings.parameters, allowed, "protect_file")
    within = settings.parameters.get("within", WITHIN)
    check_within(within, "within")
    return within, settings.parameters.get("block_size")


def refuse_unfit(settings: Settings) -> None:
    """Raise for values of options that need the whole table in memory."""
    for name in ("aggregate", "missing"):
        value = getattr(settings, name)
        if reason := reason_for_value(name, value):
            raise ParameterError(
                f"cannot be {value!r} for a file that is read piece by piece: {reason}.",
                parameter=name,
                hint="Choose another value, or protect a frame that fits into memory.",
            )
    if settings.weights is not None and settings.weights in settings.quasi_identifiers:
        raise ParameterError(
            f"names a quasi-identifier, {settings.weights!r}.", parameter="weights"
        )


def _only_removed(settings: Settings) -> set[str]:
    """Return the identifiers that are not read for anything else."""
    read = {*settings.confidential, *settings.strata, settings.unit, settings.weights}
    return set(settings.schema.identifiers) - read


def _require_columns(data: SourceFiles, settings: Settings) -> None:
    """Raise if an option names a missing column, or would change a column that folders name."""
    asked = settings.named_columns()
    every = {column for columns in asked.values() for column in columns}
    names = data.names
    # Where none of them is a column, the first line may be a record.
    shown = names if every & set(names) or data.dialect is None else []
    for parameter, columns in asked.items():
        for column in columns:
            if column not in names:
                raise unknown_column(parameter, column, shown)
    for parameter, columns in settings.named_by_column().items():
        for column in columns:
            if column not in settings.quasi_identifiers:
                raise ParameterError(
                    f"names {column!r}, which is not a quasi-identifier.", parameter=parameter
                )
    for parameter in ("quasi_identifiers", "identifiers"):
        for column in getattr(settings, parameter):
            if column in data.folders(0):
                raise ParameterError(
                    f"names {column!r}, whose values are folder names and cannot be replaced.",
                    parameter=parameter,
                    hint="Move it into the files, or change the role of the column.",
                )
