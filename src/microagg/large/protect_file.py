"""`protect_file`: from a file that is larger than memory to a checked release in a folder."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from microagg.arguments import schema_of
from microagg.constraints import AnyOf, IsInteger, OneOf, check
from microagg.data.streams import Stream
from microagg.errors import ParameterError, did_you_mean, unknown_column
from microagg.large.file_release import FileRelease
from microagg.large.job import Job
from microagg.large.memory import budget, bytes_of
from microagg.partition.search.blocks.block import LEAST_GROUPS, check_block_size
from microagg.partition.search.blocks.blocks import WITHIN, check_within
from microagg.prepare.scale import SCALINGS
from microagg.protect import protect
from microagg.reporter import Reporter
from microagg.schema import Schema


def protect_file(
    source: str | Path,
    output: str | Path,
    k: int,
    *,
    quasi_identifiers: Sequence[str] | None = None,
    identifiers: Sequence[str] = (),
    confidential: Sequence[str] = (),
    kinds: Mapping[str, str] | None = None,
    schema: Schema | Mapping[str, Any] | None = None,
    memory: str | int = "2GB",
    method: str = WITHIN,
    block_size: int | None = None,
    scale: str = "zscore",
    seed: int = 0,
    separator: str | None = None,
    encoding: str = "utf-8",
    decimal: str = ".",
    numeric_names: bool = False,
    overwrite: bool = False,
    progress: Reporter | None = None,
    **others: Any,
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
        How many records, at least, share every combination of released quasi-identifiers.
    quasi_identifiers, identifiers, confidential, kinds, schema
        The roles of columns, as `protect` has them. Quasi-identifiers are complete numbers.
    memory : str or int
        What may be used at most, such as "2GB"; blocks and pieces are made to fit.
    method : str
        A name of `methods()` that groups each block; swap-shift improves what it makes.
    block_size : int, optional
        Records a block, at most; by default up to 100,000, as the memory allows.
    scale : {"zscore", "range", "none"}
        How columns become comparable while grouping.
    seed : int
        Where every random choice comes from.
    separator, encoding, decimal, numeric_names
        The form of delimited text, as `read_file` takes it.
    overwrite : bool
        Whether files of the same name may be replaced, and unfinished work be given up.
    progress : Reporter, optional
        Told how far the work is.

    Returns
    -------
    FileRelease
        Checked on what is written; files that do not hold k never get their names.

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
    _refuse(others)
    roles = schema_of(schema, quasi_identifiers, identifiers, confidential, kinds, None)
    _check_roles(roles)
    check_within(method, "method")
    check("scale", scale, OneOf(tuple(SCALINGS)), "protect_file")
    check("seed", seed, IsInteger(0), "protect_file")
    check("k", k, IsInteger(2), "protect_file")
    check("block_size", block_size, AnyOf((IsInteger(8), OneOf((None,)))), "protect_file")
    form: dict[str, Any] = {"separator": separator, "encoding": encoding, "decimal": decimal}
    form["numeric_names"] = numeric_names
    sizes_for = partial(budget, bytes_of(memory), len(roles.quasi_identifiers), block_size)
    sizes = sizes_for()
    stream = Stream(Path(source), size=sizes.table, **form)
    _require_columns(stream, roles)
    if block_size is None and sizes.block_size < LEAST_GROUPS * k:
        raise ParameterError(
            f"The 'k' parameter must be at most {sizes.block_size // LEAST_GROUPS:,} within this "
            f"memory, which allows blocks of {sizes.block_size:,} records. Got {k}.",
            hint="Give more memory, or protect a frame that fits into memory.",
        )
    check_block_size(sizes.block_size, k)
    job = Job(
        stream=stream,
        roles=roles,
        sizes=sizes,
        sizes_for=sizes_for,
        form=form,
        arguments={
            "k": int(k),
            "schema": roles.as_dict(),
            "method": "blocks",
            "scale": scale,
            "seed": int(seed),
            "parameters": {"within": method, "block_size": sizes.block_size},
        },
        folder=Path(output),
        progress=progress or Reporter(),
    )
    return job.run(overwrite=overwrite)


def _refuse(others: Mapping[str, Any]) -> None:
    """Raise for what `protect` can do with a frame and nobody can with a piece of a file."""
    known = set(inspect.signature(protect).parameters)
    for name in others:
        if name in known:
            raise ParameterError(
                f"The '{name}' parameter cannot be used on a file that is read piece by piece.",
                hint="Leave it out, or protect a frame that fits into memory.",
            )
        own = [*inspect.signature(protect_file).parameters][:-1]
        raise ParameterError(
            f"protect_file has no parameter '{name}'.", hint=did_you_mean(name, own)
        )


def _check_roles(roles: Schema) -> None:
    for name in (*roles.kinds, *roles.orders):
        if roles.kinds.get(name, "ordinal") != "continuous":
            raise ParameterError(
                f"The 'kinds' parameter says that {name!r} holds categories, and a file that is "
                "read piece by piece must have numbers as quasi-identifiers.",
                hint="Leave it out of the quasi-identifiers, or protect a frame that fits into "
                "memory.",
            )


def _require_columns(stream: Stream, roles: Schema) -> None:
    for parameter in ("quasi_identifiers", "identifiers", "confidential", "kinds"):
        for name in getattr(roles, parameter):
            if name not in stream.names:
                raise unknown_column(parameter, name, stream.names)
