"""Where a release comes from: enough to do it again and get the same bytes."""

from __future__ import annotations

import json
import platform
import warnings
from collections.abc import Mapping
from dataclasses import asdict
from datetime import UTC, datetime
from math import isclose
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from microagg.data.frames import Frame
from microagg.errors import FileError, MicroaggWarning
from microagg.mask.masked import Masked
from microagg.measure.anonymity import Anonymity
from microagg.measure.diversity.promise import ConfidentialPromise
from microagg.measure.loss.information_loss import InformationLoss
from microagg.prepare.column import Column, fingerprint
from microagg.report.stopping import not_repeatable

FORMAT = 1


def record(
    *,
    frame: Frame,
    columns: Mapping[str, Column],
    arguments: Mapping[str, Any],
    masked: Masked,
    held: Anonymity,
    achieved: Mapping[ConfidentialPromise, float],
    loss: InformationLoss,
    proved: Mapping[str, float],
    strata_joined: bool,
    seconds: float,
) -> dict[str, Any]:
    """Return what is kept about a release: where from, how, with what result.

    `columns` are the quasi-identifiers, `arguments` those of `protect` that made it, `proved` a
    bound of the loss and the gap to it, if there is one.
    """
    part = masked.partition
    return sealed(
        seconds,
        source={
            "rows": frame.n,
            "columns": frame.names,
            "index": frame.index_names,
            "kinds": {str(name): column.kind for name, column in columns.items()},
            "quasi_identifiers_sha256": fingerprint(columns),
        },
        arguments=arguments,
        result={
            "records": part.n,
            "k_achieved": held.k,
            "promises": [{"columns": p.columns, "k": p.k} for p in masked.promises],
            "beyond_k": [
                {**asdict(promise), "achieved": value} for promise, value in achieved.items()
            ],
            "cautions": list(masked.cautions),
            "strata_joined": strata_joined,
            "method": part.method,
            "aggregate": dict(masked.rules),
            "groups": part.n_groups,
            "group_sizes": _histogram(part.sizes),
            "information_loss_percent": loss.il,
            "information_loss_percent_by_column": dict(loss.by_column),
            "sse": loss.sse,
            "sst": loss.sst,
            **dict(proved),
            "details": part.facts.as_dict(),
            "segments": [
                {
                    "columns": columns,
                    "groups": own.n_groups,
                    "group_sizes": _histogram(own.sizes),
                    "details": own.facts.as_dict(),
                }
                for columns, own in masked.segments.items()
            ],
        },
    )


def sealed(
    seconds: float,
    *,
    source: Mapping[str, Any],
    arguments: Mapping[str, Any],
    result: Mapping[str, Any],
) -> dict[str, Any]:
    """Return the parts of a provenance together, with when it was made and by what."""
    return {
        "provenance_format": FORMAT,
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "seconds": round(seconds, 3),
        "software": software(),
        "input": dict(source),
        "arguments": dict(arguments),
        "result": dict(result),
    }


def _histogram(sizes: NDArray[np.int64]) -> dict[str, int]:
    """Return how many groups (value) have which size (key)."""
    values, counts = np.unique(sizes, return_counts=True)
    return {str(size): int(count) for size, count in zip(values, counts, strict=True)}


def software() -> dict[str, str]:
    """Return the versions that a result depends on."""
    from importlib.metadata import version  # a slow import, and only needed here

    packages = {name: version(name) for name in ("microagg", "numpy", "numba")}
    return {**packages, "python": platform.python_version()}


def to_json(values: Mapping[str, Any] | list[Any]) -> str:
    """Return facts as text for a file or a program."""
    return json.dumps(values, indent=2, ensure_ascii=False, allow_nan=False, default=_plain) + "\n"


def read_arguments(path: str | Path) -> dict[str, Any]:
    """Return the arguments of `protect` that a provenance file records.

    Examples
    --------
    ``ma.protect(df, **ma.read_arguments("out/provenance.json"))`` does a release again. A
    `MicroaggWarning` says so when it depends on the clock or on Ctrl-C: then it may come out otherwise.
    """
    recorded = read(path)
    inexact = not_repeatable(recorded.get("result", {}))
    if inexact:
        warnings.warn(inexact, MicroaggWarning, stacklevel=2)
    return flat_arguments(recorded)


def difference(recorded: Mapping[str, Any], repeated: Mapping[str, Any]) -> str:
    """Return in what the result of a repeated release differs from the recorded one, or nothing.

    Losses that differ by less than a billionth are the same: other machines add up otherwise.
    """
    before, after = recorded.get("result", {}), repeated["result"]
    said = []
    for name, words in _COMPARED.items():
        old, new = before.get(name), after[name]
        if old is None or old == new or (isinstance(old, float) and isclose(old, new)):
            continue
        shown = [f"{value:.6g}" if isinstance(value, float) else str(value) for value in (old, new)]
        said.append(words if isinstance(old, dict) else f"{words} {shown[1]} instead of {shown[0]}")
    if not said:
        return ""
    versions = recorded.get("software") != repeated["software"]
    why = " The versions of the software differ." if versions else ""
    return f"The result is not that of the recorded release: {', '.join(said)}.{why}"


_COMPARED = {
    "k_achieved": "k",
    "groups": "groups",
    "information_loss_percent": "information loss in percent",
    "group_sizes": "other sizes of groups",
}
"""What of two results is compared, and in what words."""


def flat_arguments(provenance: Mapping[str, Any]) -> dict[str, Any]:
    """Return recorded arguments as `protect` takes them, the method's parameters among them."""
    arguments = dict(provenance["arguments"])
    parameters = arguments.pop("parameters")
    return {**arguments, **parameters}


def read(path: str | Path) -> dict[str, Any]:
    """Read a provenance file."""
    try:
        content: dict[str, Any] = json.loads(Path(path).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise FileError(f"There is no provenance file {str(path)!r}.") from None
    except (OSError, ValueError):
        raise FileError(f"{str(path)!r} cannot be read as a provenance file (JSON).") from None
    if not _is_repeatable(content):
        raise FileError(
            f"{str(path)!r} is not a provenance file that this version can repeat.",
            hint="Give the file ending in 'provenance.json' that was written with a release.",
        )
    return content


def _is_repeatable(content: Any) -> bool:
    """Tell whether `content` is of our form and has arguments that `protect` can be given."""
    if not isinstance(content, dict) or content.get("provenance_format") != FORMAT:
        return False
    source, arguments = content.get("input"), content.get("arguments")
    if not isinstance(source, dict) or not isinstance(arguments, dict):
        return False
    mappings = (arguments.get("schema"), arguments.get("parameters"))
    complete = all(isinstance(part, dict) for part in mappings) and "k" in arguments
    form = source.get("read_as", {})
    readable = isinstance(form, dict) and form.keys() <= {
        "separator",
        "encoding",
        "decimal",
        "numeric_names",
    }
    if not (complete and readable) or {"data", "progress"} & arguments.keys():
        return False
    return not {"data", "progress", *arguments} & arguments["parameters"].keys()


def _plain(value: Any) -> Any:
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        return value.tolist()
    return str(value)
