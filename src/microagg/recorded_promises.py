"""Whether a provenance file records the promises that its settings require."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from microagg.mask.registry import Masking, named
from microagg.settings import Settings


def weaker(settings: Settings, result: Mapping[str, Any]) -> bool:
    """Return whether a recorded promise is weaker than the settings require, or missing.

    A promise is also weaker if it covers fewer columns: k on some of the quasi-identifiers, or a limit on
    some of the confidential columns.
    """
    return (
        _weaker_k(settings, result["promises"])
        or _weaker_limits(settings, result.get("beyond_k") or ())
        or _weaker_units(settings, result.get("units"))
    )


def _weaker_k(settings: Settings, promises: Sequence[Mapping[str, Any]]) -> bool:
    if any(promise["k"] < settings.k for promise in promises):
        return True
    if not _promises_k(settings):
        return False
    keys, promised = _keys(settings), [_texts(promise["columns"]) for promise in promises]
    if settings.segments is None:
        return not any(keys <= columns for columns in promised)
    segments = () if isinstance(settings.segments, int) else map(_texts, settings.segments)
    covered = set[str]().union(*promised)
    return not keys <= covered or any(
        not any(segment <= columns for columns in promised) for segment in segments
    )


def _promises_k(settings: Settings) -> bool:
    """Return whether such a release always promises k; maskings and synthetic records may not."""
    return settings.aggregate != "hybrid" and not isinstance(named(settings.method), Masking)


def _weaker_limits(settings: Settings, recorded: Sequence[Mapping[str, Any]]) -> bool:
    least, t = settings.l_diversity, settings.t_closeness
    limits = {
        each["what"]: float(each["limit"]) for each in recorded if _covers_all(settings, each)
    }
    return (least is not None and limits.get("l_diversity", 0) < least) or (
        t is not None and not limits.get("t_closeness", 2) <= t
    )


def _covers_all(settings: Settings, limit: Mapping[str, Any]) -> bool:
    """Return whether a recorded limit covers all confidential columns, compared by their kinds."""
    kinds = settings.schema.kinds
    confidential = settings.schema.confidential
    by_equality = [name for name in confidential if kinds.get(name) == "nominal"]
    return (
        _keys(settings) <= _texts(limit["columns"])
        and _texts(confidential) <= _texts(limit["confidential"])
        and _texts(by_equality) <= _texts(limit["nominal"])
    )


def _weaker_units(settings: Settings, units: Mapping[str, Any] | None) -> bool:
    if settings.unit is None:
        return False
    return not units or not (
        units["k"] >= settings.k
        and str(units["unit"]) == str(settings.unit)
        and _keys(settings) <= _texts(units["columns"])
    )


def _keys(settings: Settings) -> set[str]:
    return _texts(settings.schema.quasi_identifiers)


def _texts(names: Iterable[Any]) -> set[str]:
    """Return column names as text, as in files."""
    return set(map(str, names))
