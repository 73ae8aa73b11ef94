"""`verify`: check a released file against the provenance that was written with it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from microagg.data.source import Source, read_source
from microagg.errors import FileError, quoted_name
from microagg.measure.anonymity import anonymity_of
from microagg.measure.classes import EquivalenceClasses
from microagg.measure.diversity.promise import ConfidentialPromise
from microagg.measure.units import UnitPromise
from microagg.prepare.read import read_units
from microagg.provenance import read


@dataclass(frozen=True)
class Check:
    """One thing that was recorded, what the file has, and whether that is in order."""

    what: str
    recorded: str
    found: str
    holds: bool


@dataclass(frozen=True)
class Verification:
    """What was found when a file was checked against its provenance.

    Attributes
    ----------
    checks : tuple of Check
        The hash, the records, and each promise of k, l, t and units.
    """

    checks: tuple[Check, ...]

    @property
    def holds(self) -> bool:
        """Whether everything is as recorded."""
        return all(check.holds for check in self.checks)

    def summary(self) -> str:
        """Return the checks as text, one line each."""
        lines = [
            f"{'ok    ' if check.holds else 'FAILED'}  {check.what}: {check.found}"
            + ("" if check.holds else f" (recorded: {check.recorded})")
            for check in self.checks
        ]
        told = (
            "The file is the release that was checked."
            if self.holds
            else "The file is NOT the release that was checked."
        )
        return "\n".join([*lines, told, ""])

    def as_dict(self) -> dict[str, Any]:
        """Return the checks for a program."""
        return {"holds": self.holds, "checks": [asdict(check) for check in self.checks]}


def verify(release: str | Path, provenance: str | Path) -> Verification:
    """Check a released file against its provenance: the hash, k, and l and t where they are promised.

    Parameters
    ----------
    release : path
        The released file.
    provenance : path
        The provenance file that was written with it.

    Returns
    -------
    Verification
        Each check; `holds` says whether all are in order.

    Examples
    --------
    ``ma.verify("release.csv", "release.provenance.json").holds`` is true for a release that nobody has
    changed.
    """
    recorded = read(provenance)
    if "release" not in recorded or "promises" not in recorded.get("result", {}):
        raise FileError(
            f"{str(provenance)!r} does not say which file was released.",
            hint="Give the provenance that version 0.2 or later wrote with the release.",
        )
    source = _read(release, recorded)
    return Verification(tuple(_checks(source, recorded)))


def _read(release: str | Path, recorded: Mapping[str, Any]) -> Source:
    """Read a release in the form in which it was written."""
    form = dict(recorded["input"].get("read_as") or {})
    text = {name: form[name] for name in ("separator", "encoding") if name in form}
    return read_source(release, **text, numeric_names=True)


def _checks(source: Source, recorded: Mapping[str, Any]) -> Iterator[Check]:
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


def _k(classes: EquivalenceClasses, columns: tuple[str, ...], k: int) -> Check:
    what, recorded = f"k on {', '.join(map(quoted_name, columns))}", f"at least {k}"
    if absent := _absent(classes, columns):
        return Check(what, recorded, absent, holds=False)
    found = anonymity_of(classes, columns).k
    return Check(what, recorded, str(found), holds=found >= k)


def _limit(classes: EquivalenceClasses, promise: ConfidentialPromise) -> Check:
    side = "at most" if promise.what == "t_closeness" else "at least"
    what = f"{promise.name} of {', '.join(map(quoted_name, promise.confidential))}"
    recorded = f"{side} {promise.limit:g}"
    if absent := _absent(classes, (*promise.columns, *promise.confidential)):
        return Check(what, recorded, absent, holds=False)
    found = promise.achieved(classes)
    return Check(what, recorded, f"{found:.4g}", holds=promise.holds(found))


def _units(classes: EquivalenceClasses, recorded: Mapping[str, Any], *, same: bool) -> Check:
    """Count units where the file names them; else they are those that were counted on the same bytes."""
    unit, k = str(recorded["unit"]), int(recorded["k"])
    what, promised = f"units of {quoted_name(unit)}", f"at least {k}"
    columns = tuple(map(str, recorded["columns"]))
    if unit not in classes.frame.names:
        found = f"{recorded['achieved']}, counted when these bytes were written"
        unknown = "cannot be counted without that column, and the file was changed"
        return Check(what, promised, found if same else unknown, holds=same)
    if absent := _absent(classes, columns):
        return Check(what, promised, absent, holds=False)
    fewest = UnitPromise(columns, unit, k, read_units(classes.frame, unit)).achieved(classes)
    return Check(what, promised, str(fewest), holds=fewest >= k)


def _absent(classes: EquivalenceClasses, columns: tuple[str, ...]) -> str:
    """Say why nothing can be counted on some columns, if that is so."""
    if not classes.frame.n:
        return "the file has no records"
    absent = [name for name in columns if name not in classes.frame.names]
    return f"the file has no column {quoted_name(absent[0])}" if absent else ""


def _promise(recorded: Mapping[str, Any]) -> ConfidentialPromise:
    """Return a recorded promise about confidential values, with names as files have them."""
    names = {
        name: tuple(map(str, recorded[name])) for name in ("columns", "confidential", "nominal")
    }
    return ConfidentialPromise(**names, what=recorded["what"], limit=float(recorded["limit"]))
