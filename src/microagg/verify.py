"""`verify`: check a released file against the provenance that was written with it."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from microagg.data.formats.registry import format_of
from microagg.data.source import read_source
from microagg.errors import FileError, MicroaggError, quoted_name
from microagg.large.dataset import SourceFiles
from microagg.measure.anonymity import anonymity_of
from microagg.measure.classes import EquivalenceClasses
from microagg.measure.diversity.promise import ConfidentialPromise
from microagg.measure.exposure import Exposure, exposure_of
from microagg.measure.units import UnitPromise
from microagg.prepare.read import read_units
from microagg.provenance import flat_arguments, read
from microagg.recorded_promises import weaker
from microagg.settings import Settings

if TYPE_CHECKING:
    import pyarrow as pa

ROWS = 1 << 20
"""Records that are read at a time."""


@dataclass(frozen=True)
class Check:
    """A recorded value, the value of the file, and whether the check passes."""

    what: str
    recorded: str
    observed: str
    holds: bool


@dataclass(frozen=True)
class Verification:
    """The result of checking a file against its provenance.

    Attributes
    ----------
    checks : tuple of Check
        The hash, the number of records, and each promise of k, l, t and units.
    not_promised : tuple of str
        What the release does not promise, with counts on the file.
    cautions : tuple of str
        The cautions that the provenance records.
    """

    checks: tuple[Check, ...]
    not_promised: tuple[str, ...] = ()
    cautions: tuple[str, ...] = ()

    @property
    def holds(self) -> bool:
        """Whether everything is as recorded."""
        return all(check.holds for check in self.checks)

    def __repr__(self) -> str:
        failed = [check.what for check in self.checks if not check.holds]
        named = f", failed={failed}" if failed else ""
        return f"Verification(holds={self.holds}, checks={len(self.checks)}{named})"

    def summary(self) -> str:
        """Return the checks as text, one line each, with what is not promised."""
        lines = [
            f"{'ok    ' if check.holds else 'FAILED'}  {check.what}: {check.observed}"
            + ("" if check.holds else f" (recorded: {check.recorded})")
            for check in self.checks
        ]
        words = (
            "The file is the release that was checked."
            if self.holds
            else "The file is NOT the release that was checked."
        )
        aside = [f"Not promised: {line}" for line in self.not_promised]
        aside += [f"Recorded caution: {line}" for line in self.cautions]
        return "\n".join([*lines, *aside, words, ""])

    def as_dict(self) -> dict[str, Any]:
        """Return the checks for other programs."""
        return {
            "holds": self.holds,
            "checks": [asdict(check) for check in self.checks],
            "not_promised": list(self.not_promised),
            "cautions": list(self.cautions),
        }


def verify(release: str | Path, provenance: str | Path) -> Verification:
    """Check a released file against its provenance: the hash, k, and l and t if they are promised.

    Parameters
    ----------
    release : path
        The released file, or the folder of its parts.
    provenance : path
        The provenance file that was written with it.

    Returns
    -------
    Verification
        The result of each check; `holds` says whether all of them passed.

    Examples
    --------
    ``ma.verify("release.csv", "release.provenance.json").holds`` is true for an unchanged release.
    """
    recorded = read(provenance)
    try:
        return _verified(release, provenance, recorded)
    except (TypeError, KeyError, ValueError, AttributeError, IndexError, OverflowError) as error:
        if isinstance(error, MicroaggError):
            raise
    raise FileError(
        f"{str(provenance)!r} lacks entries, or some have the wrong type.",
        hint="Use the provenance file as it was written with the release.",
    )


def _verified(
    release: str | Path, provenance: str | Path, recorded: Mapping[str, Any]
) -> Verification:
    if "release" not in recorded or "promises" not in recorded.get("result", {}):
        raise FileError(
            f"{str(provenance)!r} does not record which file was released.",
            hint="Use the provenance that version 0.2 or later wrote with the release.",
        )
    settings = Settings.create("protect", **flat_arguments(recorded))
    if weaker(settings, recorded["result"]):
        raise FileError(
            f"{str(provenance)!r} records weaker promises than its own settings require.",
            hint="Use the provenance file as it was written with the release.",
        )
    source = _read(release, recorded)
    return Verification(
        checks=tuple(_checks(source, recorded)),
        not_promised=tuple(_not_promised(EquivalenceClasses(source.table), settings, recorded)),
        cautions=tuple(map(str, recorded["result"].get("cautions") or ())),
    )


@dataclass(frozen=True)
class _Released:
    """The records of a release as they were read, and the SHA-256 of the bytes."""

    table: pa.Table
    sha256: str


def _read(release: str | Path, recorded: Mapping[str, Any]) -> _Released:
    """Read a release with the dialect in which it was written."""
    path, form = Path(release), dict(recorded["input"].get("read_as") or {})
    text = {name: form[name] for name in ("separator", "encoding") if name in form}
    if path.is_dir():
        return _read_parts(path, text)
    # The names were accepted when the release was made; only text can have numbers in their place.
    numbers = "numeric_names" in format_of(path).options
    source = read_source(path, **text, numeric_names=numbers)
    return _Released(source.table, source.sha256)


def _read_parts(folder: Path, text: Mapping[str, Any]) -> _Released:
    import pyarrow as pa

    parts = SourceFiles.of(folder, sys.maxsize, dict(text))
    tables = [table for split in parts.splits(sys.maxsize) for table in parts.tables(split, ROWS)]
    hashes = [parts.sha256(file) for file in range(len(parts.files))]
    return _Released(pa.concat_tables(tables), parts.sha256_of_all(hashes))


def _checks(source: _Released, recorded: Mapping[str, Any]) -> Iterator[Check]:
    result, expected = recorded["result"], recorded["release"]["sha256"]
    same = source.sha256 == expected
    yield Check("SHA-256", expected, source.sha256, same)
    rows = source.table.num_rows
    yield Check("records", str(result["records"]), str(rows), rows == result["records"])
    classes = EquivalenceClasses(source.table)
    for promise in result["promises"]:
        yield _k(classes, tuple(map(str, promise["columns"])), int(promise["k"]))
    for each in result.get("beyond_k") or ():
        yield _limit(classes, _promise(each))
    if result.get("units"):
        yield _units(classes, result["units"], same=same)


def _not_promised(
    classes: EquivalenceClasses, settings: Settings, recorded: Mapping[str, Any]
) -> Iterator[str]:
    """Return what a release does not promise, with counts on the file."""
    schema = settings.schema
    keys, kept = (
        tuple(map(str, names)) for names in (schema.quasi_identifiers, schema.confidential)
    )
    result, names = recorded["result"], [str(name) for name in classes.frame.names]
    k = settings.k
    if not any(set(map(str, p["columns"])) == set(keys) for p in result["promises"]):
        counted = "" if _absent(classes, keys) else f" In this file, k = {_counted(classes, keys)}."
        yield f"k on all quasi-identifiers together.{counted}"
    unchanged = [name for name in names if name not in (*keys, *kept)]
    if unchanged:
        yield (
            f"k together with the unchanged columns ({', '.join(map(quoted_name, unchanged))})."
            + ("" if _absent(classes, keys) else _exposed(exposure_of(classes, keys, unchanged, k)))
        )
    limited = {name for each in result.get("beyond_k") or () for name in each["confidential"]}
    if free := [name for name in kept if name not in set(map(str, limited))]:
        yield f"different values of {', '.join(map(quoted_name, free))} within a class."


def _counted(classes: EquivalenceClasses, keys: tuple[str, ...]) -> int:
    return anonymity_of(classes, keys).k


def _exposed(exposure: Exposure) -> str:
    return (
        f" In this file, {exposure.unique:,} of {exposure.records:,} records are unique and "
        f"{exposure.below_k:,} are in classes of fewer than k = {exposure.k} records."
    )


def _k(classes: EquivalenceClasses, columns: tuple[str, ...], k: int) -> Check:
    what, recorded = f"k on {', '.join(map(quoted_name, columns))}", f"at least {k}"
    if absent := _absent(classes, columns):
        return Check(what, recorded, absent, holds=False)
    counted = anonymity_of(classes, columns).k
    return Check(what, recorded, str(counted), holds=counted >= k)


def _limit(classes: EquivalenceClasses, promise: ConfidentialPromise) -> Check:
    side = "at most" if promise.what == "t_closeness" else "at least"
    what = f"{promise.name} of {', '.join(map(quoted_name, promise.confidential))}"
    recorded = f"{side} {promise.limit:g}"
    if absent := _absent(classes, (*promise.columns, *promise.confidential)):
        return Check(what, recorded, absent, holds=False)
    achieved = promise.achieved(classes)
    return Check(what, recorded, f"{achieved:.4g}", holds=promise.holds(achieved))


def _units(classes: EquivalenceClasses, recorded: Mapping[str, Any], *, same: bool) -> Check:
    """Count units if the file names them; otherwise return the recorded count of the same bytes."""
    unit, k = str(recorded["unit"]), int(recorded["k"])
    what, promised = f"units of {quoted_name(unit)}", f"at least {k}"
    columns = tuple(map(str, recorded["columns"]))
    if unit not in classes.frame.names:
        counted = f"{recorded['achieved']}, counted when these bytes were written"
        unknown = "cannot be counted without that column, and the file was changed"
        return Check(what, promised, counted if same else unknown, holds=same)
    if absent := _absent(classes, columns):
        return Check(what, promised, absent, holds=False)
    fewest = UnitPromise(columns, unit, k, read_units(classes.frame, unit)).achieved(classes)
    return Check(what, promised, str(fewest), holds=fewest >= k)


def _absent(classes: EquivalenceClasses, columns: tuple[str, ...]) -> str:
    """Return why nothing can be counted on some columns, if that is the case."""
    if not classes.frame.n:
        return "the file has no records"
    absent = [name for name in columns if name not in classes.frame.names]
    return f"the file has no column {quoted_name(absent[0])}" if absent else ""


def _promise(recorded: Mapping[str, Any]) -> ConfidentialPromise:
    """Return a recorded promise about confidential values, with the column names of files."""
    names = {
        name: tuple(map(str, recorded[name])) for name in ("columns", "confidential", "nominal")
    }
    return ConfidentialPromise(**names, what=recorded["what"], limit=float(recorded["limit"]))
