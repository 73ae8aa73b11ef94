"""`protect_file`: from a file that is larger than memory to a checked release in a folder."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from microagg.constraints import AnyOf, Constraint, IsInteger, IsText, OneOf, check_all
from microagg.data.streams import Stream
from microagg.errors import ParameterError, Phrase, unknown_column
from microagg.large.file_release import FileRelease
from microagg.large.job import Job
from microagg.large.memory import budget, bytes_of
from microagg.partition.names import resolve
from microagg.partition.search.blocks.block import LEAST_GROUPS, check_block_size
from microagg.partition.search.blocks.blocks import WITHIN, check_within
from microagg.reading import Reading
from microagg.reporter import Reporter
from microagg.schema import Schema
from microagg.settings import Settings
from microagg.signatures import with_options


@with_options("large", text_files=True, without=["blank"])
def protect_file(
    source: str | Path,
    output: str | Path,
    k: int,
    *,
    memory: str | int = "2GB",
    schema: Schema | Mapping[str, Any] | None = None,
    overwrite: bool = False,
    progress: Reporter | None = None,
    **options: Any,
) -> FileRelease:
    """Protect a file that is larger than memory: read in pieces, grouped block by block.

    The records are cut into blocks of similar ones, which are grouped on their own and improved; the
    groups near a cut are then improved together with those on its other side. A run that was killed goes on
    where it stood when it is started again with the same input and options, and ends in the same
    bytes.

    Parameters
    ----------
    source : path
        Parquet or delimited text.
    output : path
        The folder of the release. While it is unfinished, a folder ".microagg-work" inside holds what is
        done: the records, so keep it as safe as the input.
    k : int, from 2 to n
        The minimum group size: every combination of released quasi-identifiers belongs to at least
        k records.
    {options}
    memory : str or int
        The most memory that may be used, such as "2GB"; blocks and pieces are made to fit.
    schema : Schema, optional
        The roles and kinds in one, instead of one by one.
    overwrite : bool
        Whether files of the same name may be replaced, and unfinished work be given up.
    progress : Reporter, optional
        Told how far the work is.

    Returns
    -------
    FileRelease
        Checked on what is written; files that do not hold k never get their names.

    Notes
    -----
    Quasi-identifiers are complete numbers. Records are grouped block by block, which is what `method`
    "auto" and "blocks" mean here; ``parameters={"within": "mdav-nc", "block_size": 100_000}`` gives the
    method that groups each block, which swap-shift then improves, and the most records in a block.

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
    form = {name: options.pop(name, default) for name, default in _FORM.items()}
    Reading.create("protect_file", **form)
    settings = Settings.create("protect_file", schema=schema, k=k, **options)
    roles = settings.schema
    within, block_size = _blocks(settings)
    _check_roles(roles)
    sizes_for = partial(budget, bytes_of(memory), len(roles.quasi_identifiers), block_size)
    sizes = sizes_for()
    stream = Stream(Path(source), size=sizes.table, **form)
    _require_columns(stream, roles)
    if block_size is None and sizes.block_size < LEAST_GROUPS * settings.k:
        raise ParameterError(
            f"must be at most {sizes.block_size // LEAST_GROUPS:,} within this "
            f"memory, which allows blocks of {sizes.block_size:,} records. Got {k}.",
            parameter="k",
            hint="Give more memory, or protect a frame that fits into memory.",
        )
    check_block_size(sizes.block_size, settings.k)
    job = Job(
        stream=stream,
        settings=replace(
            settings,
            method="blocks",
            parameters={"within": within, "block_size": sizes.block_size},
        ),
        sizes=sizes,
        sizes_for=sizes_for,
        form=form,
        folder=Path(output),
        progress=progress or Reporter(),
    )
    return job.run(overwrite=overwrite)


_FORM: dict[str, Any] = {
    "separator": None,
    "encoding": "utf-8",
    "decimal": ".",
    "numeric_names": False,
}
"""How delimited text is read by default."""


def _blocks(settings: Settings) -> tuple[str, int | None]:
    """Return the method within blocks and the size of blocks, if one was given."""
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


def _check_roles(roles: Schema) -> None:
    for name in (*roles.kinds, *roles.orders):
        if roles.kinds.get(name, "ordinal") != "continuous":
            raise ParameterError(
                f"says that {name!r} holds categories, and a file that is "
                "read piece by piece must have numbers as quasi-identifiers.",
                parameter="kinds",
                hint="Leave it out of the quasi-identifiers, or protect a frame that fits into "
                "memory.",
            )


def _require_columns(stream: Stream, roles: Schema) -> None:
    parameters = ("quasi_identifiers", "identifiers", "confidential", "kinds")
    asked = {name for parameter in parameters for name in getattr(roles, parameter)}
    # Where none of them is a column, the first line may be a record.
    shown = stream.names if asked & set(stream.names) or stream.dialect is None else []
    for parameter in parameters:
        for name in getattr(roles, parameter):
            if name not in stream.names:
                raise unknown_column(parameter, name, shown)
