"""Values that name a person by their form: e-mail, telephone, IBAN, national numbers, names, addresses."""

from __future__ import annotations

import re
from collections.abc import Sequence

MOSTLY = 0.8
"""The share of different values that must have the form."""

_PART = r"[A-Z][\w'\u2019.-]"
_FORMS = {
    "e-mail addresses": r"[^@\s]+@[^@\s]+\.[A-Za-z]{2,}",
    "web addresses": r"(?:https?://|www\.)\S+",
    "IBANs": r"[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,4})?",
    "IP addresses": r"\d{1,3}(?:\.\d{1,3}){3}|(?:[0-9a-fA-F]{1,4}:){3,7}[0-9a-fA-F:]+",
    "UUIDs": r"\{?[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}\}?",
    "hash values": r"(?=.*[a-fA-F])(?=.*\d)[0-9a-fA-F]{16,}",
    "national numbers": r"\d{3}-\d{2}-\d{4}|\d{3}\.\d{3}\.\d{3}-\d{2}|\d{6,8}[-+]\d{4}|"
    r"[A-Z]{2} ?\d{2} ?\d{2} ?\d{2} ?[A-D]|\d{8}-?[A-Z]|[XYZ]\d{7}[A-Z]|"
    r"[A-Z]{6}\d{2}[A-Z]\d{2}[A-Z]\d{3}[A-Z]",
    "card numbers": r"\d{4}[ -]\d{4}[ -]\d{4}[ -]\d{4}",
    "telephone numbers": r"(?:\+\d[\d ()./-]{6,18}\d|\(\d{2,5}\)[\d ./-]{5,}|0\d{1,4}[ /-][\d /-]{5,}\d|"
    r"\d{3}[-. ]\d{3}[-. ]\d{4}(?: ?x\d+)?)",
    "names of persons": rf"{_PART}+(?: {_PART}*)*, (?:(?:Mr|Mrs|Miss|Ms|Dr|Master|Rev)\.? )?"
    rf"{_PART}*(?: .*)?",
    "postal addresses": r"\d+\w? .*\b(?i:street|st|avenue|ave|road|rd|drive|dr|lane|ln|blvd|way|court|ct|"
    r"place|pl)\b.*|[A-Z].*(?i:str\.|straße|strasse|weg|gasse|platz|allee) ?\d+\w?",
}
_COMPILED = {what: re.compile(form) for what, form in _FORMS.items()}
_FULL_NAME = re.compile(r"[A-Z][a-z'\u2019-]+(?: [A-Z]\.?)?(?: [A-Z][a-z'\u2019-]+){1,2}")
_CODE = re.compile(r"(?=.*\d)(?=.*[A-Za-z])[A-Za-z0-9 ./_-]{5,}|\d{5,}")


def identifying_form(values: Sequence[str]) -> str | None:
    """Return what values name a person by, as a plural, or None.

    Examples
    --------
    >>> identifying_form(["ann@example.org", "bob@example.com"])
    'e-mail addresses'
    >>> identifying_form(["red", "blue"]) is None
    True
    """
    for what, form in _COMPILED.items():
        if values and _share(values, form) >= MOSTLY:
            return what
    return None


def are_full_names(values: Sequence[str]) -> bool:
    """Return whether values look like first and last names; so do other things in title case."""
    return bool(values) and _share(values, _FULL_NAME) >= MOSTLY


def are_codes(values: Sequence[str]) -> bool:
    """Return whether values are of letters and digits, as the numbers of tickets and cases are."""
    return bool(values) and _share(values, _CODE) >= MOSTLY and _words(values) < 3


def are_free_text(values: Sequence[str]) -> bool:
    """Return whether values are sentences rather than words."""
    return bool(values) and _words(values) >= 5


def _words(values: Sequence[str]) -> float:
    return sum(len(value.split()) for value in values) / len(values)


def _share(values: Sequence[str], form: re.Pattern[str]) -> float:
    return sum(form.fullmatch(value) is not None for value in values) / len(values)
