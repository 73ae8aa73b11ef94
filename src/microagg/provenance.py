"""Provenance: an `Outcome` as a file, with everything that is needed to reproduce the release."""

from __future__ import annotations

import json
import warnings
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from math import isclose
from pathlib import Path
from typing import Any

from microagg.budget import Stop
from microagg.data.settings_files import read_settings_file
from microagg.errors import FileError, MicroaggError, MicroaggWarning, ParameterError, Phrase
from microagg.mask.registry import is_private
from microagg.partition.grouping import Facts
from microagg.pipeline.ending import Ending, ending_of
from microagg.pipeline.outcome import CheckedUnits, GroupFacts, InputFacts, Outcome
from microagg.reading import Reading
from microagg.settings import Settings, recorded_values

FORMAT = 2
READABLE = (1, 2)
"""The formats that can be repeated; 0.1 wrote format 1."""

_WHICH_FILE = "Use the file ending in 'provenance.json' that was written with a release."


@dataclass(frozen=True)
class WrittenFile:
    """The name of a written release and the SHA-256 of its bytes."""

    name: str
    sha256: str


def document(outcome: Outcome, written: WrittenFile | None = None) -> dict[str, Any]:
    """Return the provenance of an outcome: input, settings and results.

    `written` is the file of the released data, if there is one.
    """
    return {
        "provenance_format": FORMAT,
        "created": outcome.created,
        "seconds": outcome.seconds,
        "software": dict(outcome.software),
        "input": input_facts(outcome.source),
        "arguments": outcome.settings.as_dict(),
        "result": _result(outcome),
        **({} if written is None else {"release": asdict(written)}),
    }


def input_facts(source: InputFacts) -> dict[str, Any]:
    """Return the facts about the input of a release, as in a provenance file."""
    facts: dict[str, Any] = {
        "rows": source.rows,
        "columns": list(source.columns),
        "index": list(source.index),
        "kinds": dict(source.kinds),
    }
    if source.fingerprint:
        facts["quasi_identifiers_sha256"] = source.fingerprint
    if source.file:
        facts |= {"file": source.file, "file_sha256": source.sha256, "read_as": source.read_as}
    return facts | ({"blank": list(source.blank)} if source.blank else {})


def _result(outcome: Outcome) -> dict[str, Any]:
    loss, bound, exposure, blanks = outcome.loss, outcome.bound, outcome.exposure, outcome.blanks
    return {
        "records": outcome.records,
        "k": outcome.anonymity.k,
        "promises": [
            {"columns": list(p.promise.columns), "k": p.promise.k, "achieved": p.achieved}
            for p in outcome.promises
        ],
        "beyond_k": [{**asdict(p.promise), "achieved": p.achieved} for p in outcome.limits],
        "units": None if outcome.units is None else _units(outcome.units),
        "exposure": None if exposure is None else exposure.as_dict(),
        "records_in_homogeneous_classes": dict(outcome.homogeneous),
        "copies": [asdict(copy) for copy in outcome.copies],
        "missing_values": None if blanks is None else blanks.as_dict(),
        "index_dropped": outcome.index_dropped,
        "cautions": list(outcome.cautions),
        "strata_joined": outcome.strata_joined,
        "method": outcome.groups.method,
        "aggregate": dict(outcome.rules),
        **_groups(outcome.groups),
        "il": loss.il,
        "il_by_column": dict(loss.by_column),
        "sse": loss.sse,
        "sst": loss.sst,
        **({} if bound is None else asdict(bound)),
        "segments": [
            {"columns": list(segment.columns), **_groups(segment)} for segment in outcome.segments
        ],
    }


def _units(units: CheckedUnits) -> dict[str, Any]:
    """Return the promise about units and the count, without the unit of any record."""
    promise = units.promise
    return {
        "unit": promise.unit,
        "columns": list(promise.columns),
        "k": promise.k,
        "achieved": units.achieved,
        "count": promise.count,
        "released": units.released,
    }


def _groups(groups: GroupFacts) -> dict[str, Any]:
    return {
        "groups": groups.count,
        "group_sizes": {str(size): count for size, count in groups.sizes.items()},
        "facts": groups.facts.as_dict(),
    }


def read_arguments(path: str | Path, *, spend_again: bool = False) -> dict[str, Any]:
    """Return the arguments of `protect` that a provenance file records.

    Parameters
    ----------
    path : path
        The provenance file.
    spend_again : bool
        Whether a differentially private release may be repeated. It draws new noise, which spends its
        epsilon again.

    Examples
    --------
    ``ma.protect(df, **ma.read_arguments("out/provenance.json"))`` repeats a release. If a time limit
    or Ctrl-C ended its search, the result may differ, and a `MicroaggWarning` is issued.
    """
    recorded = read(path)
    refuse_to_spend_again(recorded, allowed=spend_again)
    inexact = not_repeatable(recorded_ending(recorded))
    if inexact:
        warnings.warn(inexact, MicroaggWarning, stacklevel=2)
    return flat_arguments(recorded)


def refuse_to_spend_again(recorded: Mapping[str, Any], *, allowed: bool) -> None:
    """Raise if repeating a release would spend its epsilon again, unless that is `allowed`."""
    method = str(recorded["arguments"].get("method", "auto"))
    if allowed or not is_private(method):
        return
    raise ParameterError(
        f"That release is differentially private by {method}. Repeating it draws new noise and "
        "spends its epsilon again.",
        hint=Phrase("Use the existing release, or set {spend_again}.", spend_again=True),
    )


def recorded_ending(recorded: Mapping[str, Any]) -> Ending:
    """Return how the search of a recorded release ended."""
    result = recorded.get("result", {})
    parts = [part.get("facts", {}) for part in (result, *(result.get("segments") or ()))]
    return ending_of(_facts(part) for part in parts)


def _facts(recorded: Mapping[str, Any]) -> Facts:
    """Return recorded facts; those without a field are kept unchanged."""
    names = {each.name for each in fields(Facts)} - {"more", "stopped"}
    values = {name: value for name, value in recorded.items() if name in names}
    more = {name: value for name, value in recorded.items() if name not in {*names, "stopped"}}
    stopped = recorded.get("stopped")
    return Facts(**values, stopped=Stop(stopped) if stopped in set(Stop) else None, more=more)


def not_repeatable(ending: Ending) -> str:
    """Return why a release cannot be reproduced exactly, or an empty text.

    Examples
    --------
    >>> not_repeatable(Ending())
    ''
    """
    if ending.repeatable:
        return ""
    how = "had a time limit"
    if ending.stopped is not None:
        by = "Ctrl-C" if ending.stopped is Stop.INTERRUPTED else "its time limit"
        how = f"was stopped by {by}"
    return (
        f"The search for that release {how}, so it cannot be reproduced exactly. Use max_iterations and "
        "no time limit."
    )


def difference(recorded: Mapping[str, Any], repeated: Outcome) -> str:
    """Return how the result of a repeated release differs from the recorded one, or an empty text.

    Losses that differ by less than a billionth count as equal, because machines add in different orders.
    """
    before, after = recorded.get("result", {}), _result(repeated)
    differing = []
    for name, words in _COMPARED.items():
        old, new = before.get(name), after[name]
        if old is None or old == new or _close(old, new):
            continue
        shown = [f"{value:.6g}" if isinstance(value, float) else str(value) for value in (old, new)]
        own = words if isinstance(old, dict) else f"{words} {shown[1]} instead of {shown[0]}"
        differing.append(own)
    if not differing:
        return ""
    versions = recorded.get("software") != repeated.software
    why = " The versions of the software differ." if versions else ""
    return f"The result differs from the recorded release: {', '.join(differing)}.{why}"


def _close(one: object, other: object) -> bool:
    return isinstance(one, float) and isinstance(other, float | int) and isclose(one, other)


_COMPARED = {
    "k": "k",
    "groups": "groups",
    "il": "information loss in percent",
    "group_sizes": "other group sizes",
}
"""The results that are compared, and their names in the message."""


def flat_arguments(provenance: Mapping[str, Any]) -> dict[str, Any]:
    """Return recorded arguments as `protect` takes them, without the engine, which changes no group."""
    arguments = recorded_values(provenance["arguments"])
    arguments.pop("engine", None)
    distinct = arguments.pop("p_sensitive", None)  # of 0.1, which had two names for one limit
    if distinct is not None:
        arguments["l_diversity"] = max(distinct, arguments.get("l_diversity") or 0)
    return arguments


def read(path: str | Path) -> dict[str, Any]:
    """Read a provenance file."""
    try:
        content: Any = json.loads(
            read_settings_file(path), parse_constant=_refused, object_pairs_hook=_named_once
        )
    except FileNotFoundError:
        raise FileError(f"There is no provenance file {str(path)!r}.") from None
    except (OSError, ValueError, RecursionError):
        raise FileError(
            f"{str(path)!r} cannot be read as a provenance file (JSON).", hint=_WHICH_FILE
        ) from None
    if not _is_repeatable(content):
        raise FileError(
            f"{str(path)!r} is not a provenance file that this version can read.", hint=_WHICH_FILE
        )
    recorded = _as_format_2(content) if content["provenance_format"] == 1 else content
    _require_settings(recorded, path)
    return recorded


def _refused(constant: str) -> float:
    raise ValueError(constant)  # NaN and infinities, which `to_json` does not write


def _named_once(entries: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object, or raise if a name occurs twice, because readers may use either entry."""
    content = dict(entries)
    if len(content) < len(entries):
        raise ValueError
    return content


def _require_settings(recorded: Mapping[str, Any], path: str | Path) -> None:
    """Raise if a file does not record valid settings, because anyone may have changed it."""
    try:
        Settings.create("protect", **flat_arguments(recorded))
        Reading.create("protect", **recorded_reading(recorded))
        recorded_ending(recorded)
    except MicroaggError:
        raise
    except (TypeError, ValueError, LookupError, AttributeError, ArithmeticError, RecursionError):
        pass  # raised below, because the caught error may show what the file holds
    else:
        return
    raise FileError(
        f"{str(path)!r} is not a provenance file that this version can read: some of its entries "
        "are not of the right type.",
        hint="Use the file as it was written with a release.",
    )


def recorded_reading(recorded: Mapping[str, Any]) -> dict[str, Any]:
    """Return how the file of a release was read."""
    source = recorded["input"]
    blank = {"blank": source["blank"]} if "blank" in source else {}
    return {**source.get("read_as", {}), **blank}


def _as_format_2(content: Mapping[str, Any]) -> dict[str, Any]:
    """Return a recorded release of version 0.1 in the form of this version."""
    result = dict(content.get("result") or {})
    segments = [_with_facts(segment) for segment in result.get("segments") or ()]
    result = {_NAMES_OF_0_1.get(name, name): value for name, value in result.items()}
    result = _with_facts({**result, "segments": segments})
    return {**content, "provenance_format": FORMAT, "result": result}


_NAMES_OF_0_1 = {
    "k_achieved": "k",
    "information_loss_percent": "il",
    "information_loss_percent_by_column": "il_by_column",
}
"""Figures with a different name in version 0.1."""


def _with_facts(part: Mapping[str, Any]) -> dict[str, Any]:
    renamed = {name: value for name, value in part.items() if name != "details"}
    return {**renamed, "facts": part.get("details") or {}}


def _is_repeatable(content: Any) -> bool:
    """Return whether `content` is a provenance that contains arguments for `protect`."""
    if not isinstance(content, dict) or content.get("provenance_format") not in READABLE:
        return False
    source, arguments = content.get("input"), content.get("arguments")
    if not isinstance(source, dict) or not isinstance(arguments, dict):
        return False
    # Version 0.1 also wrote options that were not set.
    absent: dict[str, Any] | None = None if content["provenance_format"] == 1 else {}
    mappings = (arguments.get("schema", absent), arguments.get("parameters", absent))
    complete = all(isinstance(part, dict) for part in mappings) and "k" in arguments
    form = source.get("read_as", {})
    readable = isinstance(form, dict) and form.keys() <= {
        "separator",
        "encoding",
        "decimal",
        "numeric_names",
    }
    return complete and readable and not {"data", "progress"} & arguments.keys()
