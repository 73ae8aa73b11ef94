"""The rules that assign roles to columns, by values and then by names; the first that applies decides."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from microagg.data.codes import sounds_like_a_place, sounds_like_an_amount
from microagg.errors import Phrase
from microagg.suggest import vocabulary as words
from microagg.suggest.patterns import are_codes, are_free_text, are_full_names, identifying_form
from microagg.suggest.profile import Profile
from microagg.suggest.suggestion import Confidence, Role, Suggestion

HANDFUL = 30
"""The minimum number of records for rules by values; with fewer, the name decides."""
NEARLY_ALL = 0.9
"""Share of different values from which on an identifier numbers the records."""

Rule = Callable[[Profile, frozenset[str]], Suggestion | None]


def judge(column: Profile, beside: frozenset[str]) -> Suggestion:
    """Return a role for a column; `beside` contains the words of all column names of the frame."""
    for rule in RULES:
        suggestion = rule(column, beside)
        if suggestion is not None:
            if column.leading_zeros and suggestion.role != "identifier":
                suggestion = replace(suggestion, kind=suggestion.kind or "nominal")
            return _with_blanks(suggestion, column)
    raise AssertionError("the last rule knows every column")


def _with_blanks(suggestion: Suggestion, column: Profile) -> Suggestion:
    """Add advice about the missing values of a column."""
    suggestion = replace(suggestion, blanks=column.markers)
    if suggestion.role != "quasi-identifier" or not column.missing:
        return suggestion
    blank = "name its codes with {blank}, and " if column.markers else ""
    reason = Phrase(
        f"{suggestion.reason}; {_records(column.missing)} without a value: {blank}set {{missing}}",
        missing=...,
        blank=...,
    )
    return replace(suggestion, reason=reason, to_do="repair")


def _says(
    column: Profile,
    role: Role,
    reason: str | Phrase,
    confidence: Confidence = "medium",
    *,
    to_do: str = "",
    kind: str = "",
) -> Suggestion:
    return Suggestion(column.name, role, reason, to_do, confidence, kind)


def _constant(column: Profile, _: frozenset[str]) -> Suggestion | None:
    if column.kind == "empty":
        return _says(column, "other", "no values", "high")
    if column.distinct == 1 and column.present > 1:
        return _says(column, "other", "the same value in every record", "high")
    return None


def _marks_in_numbers(column: Profile, _: frozenset[str]) -> Suggestion | None:
    if column.decimal_commas and column.thousands:
        both = Phrase(
            "numbers with thousands separators and decimal commas: remove the separators first, and set "
            "{decimal}",
            decimal=",",
        )
        return _says(column, "other", both, "high", to_do="repair")
    if column.decimal_commas:
        commas = Phrase("looks like decimal commas: set {decimal}", decimal=",")
        return _says(column, "other", commas, "high", to_do="repair")
    if column.thousands:
        reason = "numbers with thousands separators: remove the separators first"
        return _says(column, "other", reason, "high", to_do="repair")
    return None


def _form_of_values(column: Profile, _: frozenset[str]) -> Suggestion | None:
    if column.kind != "text" or column.few:
        return None
    form = identifying_form(column.texts)
    if form is None:
        return None
    return _says(column, "identifier", f"its values look like {form}", "high")


def _dates(column: Profile, _: frozenset[str]) -> Suggestion | None:
    integers = column.codes is not None and column.codes.are_dates
    if column.kind != "date" and not integers:
        return None
    birth = bool(words.BIRTH & set(column.words))
    what = "dates of birth" if birth else "dates, which others could know"
    confidence: Confidence = "high" if birth else "medium"
    if integers:
        reason = f"{what}, written as whole numbers: specify their format with date_format"
        return _says(column, "quasi-identifier", reason, confidence)
    kind = "" if column.dates is None else "continuous"
    if column.dates is not None and column.dates.ambiguous:
        what += "; the order of day and month, or the century, is not certain: specify date_format"
    if column.dates is not None and column.dates.wrong:
        what += f"; {_records(len(column.dates.wrong))} in another format"
    return _says(column, "quasi-identifier", what, confidence, kind=kind)


def _names(column: Profile, _: frozenset[str]) -> Suggestion | None:
    if column.kind != "text" or not words.sounds_like_a_name(column.name):
        return None
    # Two or three values are answers to a question about names rather than names.
    if column.distinct <= 3 and column.few:
        return None
    confidence: Confidence = "medium" if column.few or column.present < HANDFUL else "high"
    return _says(column, "identifier", "its name suggests names of persons", confidence)


def _contact(column: Profile, _: frozenset[str]) -> Suggestion | None:
    meanings = (words.CONTACT | words.NATIONAL) & set(column.words)
    place = _is_place(column) and column.unique < 0.5
    if not meanings or place or column.few or column.kind not in ("text", "whole"):
        return None
    if column.kind == "whole" and not (meanings & words.NATIONAL or column.unique >= 0.5):
        return None
    reason = (
        "its name suggests contact details or an official number, and it has many different values"
    )
    return _says(column, "identifier", reason, "high" if column.unique >= 0.5 else "medium")


def _numbered(column: Profile, _: frozenset[str]) -> Suggestion | None:
    """Judge columns that are named an ID or a number by their number of distinct values."""
    named_id = words.sounds_like_an_identifier(column.name)
    numbered = words.sounds_like_a_number(column.name)
    if not (named_id or numbered) or column.kind not in ("text", "whole") or column.few:
        return None
    if sounds_like_an_amount(column.name) and not named_id and column.unique < 1:
        return None
    share = f"{_percent(column.unique)} as many different values as records"
    reason = f"its name suggests identifiers, and it has {share}"
    if column.unique >= 0.5 and (named_id or column.unique >= 0.9):
        return _says(column, "identifier", _with_unit(reason, column), "high")
    person = words.sounds_like_a_person(column.name)
    often = column.unique >= 0.2 or column.present < HANDFUL
    if (named_id and (person or column.present < HANDFUL)) or (numbered and person and often):
        return _says(column, "identifier", _with_unit(reason, column), "medium")
    return None


def _with_unit(reason: str, column: Profile) -> str | Phrase:
    """Add to the reason of an identifier that k may have to count units instead of records."""
    if column.unique >= NEARLY_ALL:
        return reason
    return Phrase(
        f"{reason}; one person may have several records: set {{unit}} so that k counts persons",
        unit=column.name,
    )


def _counter(column: Profile, _: frozenset[str]) -> Suggestion | None:
    """Judge whole numbers that all differ: row numbers, and long numbers of one length."""
    values = column.numbers
    if column.kind != "whole" or values is None or column.codes is None or column.distinct < 3:
        return None
    if sounds_like_a_place(column.name):
        return None
    if column.unique == 1:
        width = float(np.ptp(values)) + 1
        if width == values.size:
            return _says(column, "identifier", "it numbers the records", "high")
        rising = values.size >= HANDFUL and bool((np.diff(values) > 0).all())
        if rising and width <= 3 * values.size:
            return _says(column, "identifier", "it numbers the records, with gaps")
    long = column.codes.are_long or _same_length(column)
    if long and column.unique >= 0.5:
        return _says(column, "identifier", "long numbers of equal length, most of them different")
    return None


def _same_length(column: Profile) -> bool:
    """Return whether numbers of seven or more digits are all different and of the same length."""
    values = column.numbers
    if values is None or values.size < HANDFUL or values.min() < 10**6:
        return False
    digits = len(str(int(values.max())))
    alike = len(str(int(values.min()))) == digits
    enough = 0.95 if digits >= 9 else 1.0
    return alike and column.unique >= enough and bool(np.mean(values % 10 == 0) < 0.3)


def _own_text(column: Profile, _: frozenset[str]) -> Suggestion | None:
    """Judge text by the share of records with a unique value."""
    if column.kind != "text" or column.few or column.distinct < 3:
        return None
    place = _is_place(column)
    if column.distinct == column.n or (column.unique >= 0.95 and column.present >= HANDFUL):
        confidence: Confidence = "high" if column.present >= HANDFUL and not place else "medium"
        return _says(column, "identifier", "every record has a different value", confidence)
    if column.present < HANDFUL:
        return None
    least = 0.1 if words.FREE_TEXT & set(column.words) else 0.5
    if column.unique >= least and are_free_text(column.texts):
        return _says(column, "identifier", "free text, which may name persons")
    if column.unique >= 0.5 and are_codes(column.texts) and not place:
        return _says(column, "identifier", "codes that are different in most records")
    if column.unique >= 0.8 and are_full_names(column.texts):
        return _says(column, "identifier", "its values look like names of persons")
    return None


def _sampling_weight(column: Profile, beside: frozenset[str]) -> Suggestion | None:
    if column.kind not in ("whole", "number") or not words.WEIGHT.search(column.name):
        return None
    if column.few and column.kind == "whole":
        return None
    if _is_body_weight(column, beside):
        return _says(column, "quasi-identifier", "body weights, judging by their size", "medium")
    return _says(column, "other", "its name and values are those of a sampling weight")


def _is_body_weight(column: Profile, beside: frozenset[str]) -> bool:
    """Return whether a weight is a body weight, not a sampling weight, by its values and neighbours."""
    values = column.numbers
    assert values is not None
    if values.min() <= 0 or not 2 <= np.median(values) <= 5000 or column.few:
        return False  # bodies vary; a stratum of a sample has one weight
    spread = float(values.std() / values.mean())
    unit = bool(words.BODY & set(column.words))
    full = any(word.startswith("weight") for word in column.words)
    coarse = bool(np.allclose(values * 10, np.rint(values * 10)))
    plausible = unit or (words.STATURE & beside and np.median(values) <= 300) or (full and coarse)
    return bool(plausible) and spread < 0.6


def _confidential(column: Profile, _: frozenset[str]) -> Suggestion | None:
    if not words.CONFIDENTIAL.search(column.name):
        return None
    return _says(column, "confidential", "its name suggests a sensitive subject")


def _codes(column: Profile, _: frozenset[str]) -> Suggestion | None:
    """Judge numbers that are categories: few values, value labels, or codes by name."""
    coded = column.labelled or (column.codes is not None and column.codes.look_like_codes)
    coded = coded or (sounds_like_a_place(column.name) and column.kind in ("text", "whole"))
    if not coded:
        return None
    count = f"{column.distinct:,} values"
    if _is_place(column):
        reason = f"codes of places, {count}, which others could know"
        return _says(column, "quasi-identifier", reason, "high", kind="nominal")
    if _is_demographic(column):
        reason = f"codes, {count}; its name suggests that others could know it about a person"
        return _says(column, "quasi-identifier", reason, kind="nominal")
    reason = f"looks like a code ({count}): decide whether others could know it"
    return _says(column, "other", reason, "low", to_do="code", kind="nominal")


def _amounts(column: Profile, _: frozenset[str]) -> Suggestion | None:
    if column.kind not in ("whole", "number"):
        return None
    recognised = _is_demographic(column) or _is_place(column) or sounds_like_an_amount(column.name)
    reason = f"numbers, {column.distinct:,} different values"
    return _says(column, "quasi-identifier", reason, "high" if recognised else "medium")


def _categories(column: Profile, _: frozenset[str]) -> Suggestion | None:
    if column.kind not in ("text", "boolean"):
        return None
    what = "yes or no" if column.kind == "boolean" else f"text, {column.distinct:,} values"
    if _is_place(column):
        return _says(column, "quasi-identifier", f"{column.distinct:,} different places", "high")
    if _is_demographic(column):
        reason = f"{what}; its name suggests that others could know it about a person"
        return _says(column, "quasi-identifier", reason, "high" if column.few else "medium")
    return _says(column, "other", f"{what}: decide whether others could know it", "low")


def _rest(column: Profile, _: frozenset[str]) -> Suggestion | None:
    return _says(column, "other", f"{column.distinct:,} values of a type without a kind", "low")


RULES: tuple[Rule, ...] = (
    _constant,
    _marks_in_numbers,
    _form_of_values,
    _dates,
    _names,
    _contact,
    _numbered,
    _counter,
    _own_text,
    _sampling_weight,
    _confidential,
    _codes,
    _amounts,
    _categories,
    _rest,
)
"""In order: what the values say for certain, identifiers, and then the other roles."""


def _is_place(column: Profile) -> bool:
    # A short name such as CP with few values is one for something else.
    coded = sounds_like_a_place(column.name) and not column.few
    return coded or bool(words.PLACES & set(column.words))


def _is_demographic(column: Profile) -> bool:
    return bool((words.DEMOGRAPHIC | words.BIRTH) & set(column.words))


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def _records(count: int) -> str:
    return f"{count:,} record{'' if count == 1 else 's'}"
