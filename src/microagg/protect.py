"""`protect`: from a frame of records to a checked release."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from microagg.data.frames import Frame
from microagg.errors import enough_memory
from microagg.mask.registry import Masking, check_parameters, named
from microagg.partition.names import NamedMethod
from microagg.pipeline.run import run
from microagg.release import Release
from microagg.reporter import Reporter
from microagg.schema import Schema
from microagg.settings import Settings
from microagg.signatures import with_options


@with_options("memory")
def protect(
    data: Any,
    k: int,
    *,
    schema: Schema | Mapping[str, Any] | None = None,
    progress: Reporter | None = None,
    **options: Any,
) -> Release:
    """Replace the quasi-identifiers of each record by values that represent at least k records.

    Parameters
    ----------
    data : DataFrame
        A pandas, polars or pyarrow frame. The released frame has the same type and order of rows.
    k : int, from 2 to n
        The minimum group size: every combination of released quasi-identifiers is shared by at
        least k records.
    {options}
    schema : Schema, optional
        The roles, kinds and orders in one object, instead of separate arguments.
    progress : Reporter, optional
        Shows the progress.

    Returns
    -------
    Release
        Checked on its released values. A release that does not satisfy its promises is never returned.

    Examples
    --------
    >>> import microagg as ma, pyarrow as pa
    >>> people = pa.table({"name": list("abcd"), "age": [30, 32, 60, 64], "ill": [0, 1, 0, 0]})
    >>> release = ma.protect(people, k=2, quasi_identifiers=["age"], identifiers=["name"])
    >>> release.data.to_pydict()
    {'age': [31.0, 31.0, 62.0, 62.0], 'ill': [0, 1, 0, 0]}
    """
    method = named(options.get("method", "auto"))  # an unknown method is named before all else
    frame = Frame(data)
    settings = Settings.create("protect", schema=schema, table=frame, k=k, **options)
    return release_by(frame, settings, method, progress)


def release_by(
    frame: Frame,
    settings: Settings,
    method: NamedMethod | Masking,
    progress: Reporter | None = None,
) -> Release:
    """Protect a frame by settings that were checked against it, and the method that they name."""
    check_parameters(method, settings.parameters)
    with enough_memory(f"protect {frame.n:,} records with k={settings.k}"):
        return Release(run(frame, settings, method, progress))
