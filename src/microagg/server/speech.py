"""The names of options on the page: the labels of its forms."""

from __future__ import annotations

from collections.abc import Mapping

from microagg.errors import PythonSpeech

LABELS: Mapping[str, str] = {
    "k": "k, the minimum group size",
    "missing": "Missing values",
    "l_diversity": "l-diversity",
    "t_closeness": "t-closeness",
    "round_to": "Rounding",
    "weights": "Sampling weights",
    "parameters": "Parameters of the method",
    "refine": "Refinements",
    "target": "Target column",
    "date_format": "Formats of dates",
    "blank": "Codes for missing values",
    "numeric_names": "Numeric column names",
}
"""The labels of options whose names alone would not be clear."""


def label(name: str) -> str:
    """Return the label of an option.

    Examples
    --------
    >>> label("round_to"), label("small_strata")
    ('Rounding', 'Small strata')
    """
    return LABELS.get(name, name.replace("_", " ").capitalize())


class PageSpeech(PythonSpeech):
    """The notation of options and values in the messages of the page.

    Examples
    --------
    >>> PageSpeech().assigned("missing", "keep"), PageSpeech().assigned("missing", ...)
    ("'Missing values': keep", "'Missing values'")
    """

    def assigned(self, parameter: str, value: object) -> str:
        """Return the label of an option, with a value if there is one."""
        name = f"'{label(parameter)}'"
        if value is ...:
            return name
        if isinstance(value, Mapping):
            return f"{name}: {', '.join(f'{key} = {each}' for key, each in value.items())}"
        return f"{name}: {', '.join(map(str, value)) if isinstance(value, list | tuple) else value}"


PAGE = PageSpeech()
