"""An independent judge of what the external audience reads: no number stands for a few records.

It knows nothing of how a report is made. Every share in percent and every count of records is checked,
also what it leaves of all records, unless it stands where amounts of loss stand.
"""

from __future__ import annotations

import re
from html import unescape
from typing import Any

EXEMPT = "|".join(
    (
        r"(?:at least|fewer than|below|above|k =|k=) ?[\d.,]+",  # bounds, and k, which is promised
        r"(?:occurs in|median one in) [\d,]+ records?",  # the classes of the release, which all can count
        r"[\d,]+ of [\d,]+ (?:columns|quasi-identifiers|coefficients)",
        r"within 1 % to 10 % of the ranks",
        r"95 % interval",
        r"^ +\S.* -?[\d.,]+ +-?[\d.,]+ +\d+ %$",  # a coefficient, and how far intervals overlap
        r"overlap by \d+ %|100 % means identical|0 % disjoint",
    )
)
"""What counts no records."""

COUNT = r"(?<![\d.,#-])(\d[\d,]*)(?![\d.,]*\d)"
SHARE = re.compile(r"(?<![\d.,])(\d+(?:\.\d+)?) ?%")
PAIR = re.compile(rf"{COUNT} of {COUNT}")
RECORDS = re.compile(rf"{COUNT} (?:original |released )?(?:records?|values|units)\b")
LOSS = ("Information lost", "What was lost", "Loss and risk in one number")
"""The titles under which percent are not of records."""
LOSSES = ("il", "categories-changed", "contingency", "entropy")
"""The losses that tell how many records have another category."""


def texts_of(html: str) -> list[str]:
    """Return the texts of a page, one for each element, without styles and without the time."""
    body = re.sub(r"(?s)<style.*?</style>|<head.*?</head>", " ", html)
    texts = [unescape(text) for text in re.split(r"<[^>]*>", body) if text.strip()]
    return [text for text in texts if not re.search(r"\b\d\d:\d\d\b", text)]


def few(count: float, n: int, least: int) -> bool:
    """Tell whether a count, or what it leaves, is of a few records."""
    return 0 < count < least or 0 < n - count < least


def only_few(percent: str, n: int, least: int) -> bool:
    """Tell whether a printed share of n records can only be that of a few, or of all but a few."""
    digits = len(percent.partition(".")[2])
    half, value = 0.5 * 10**-digits + 1e-9, float(percent)
    counts = [c for c in range(n + 1) if abs(100 * c / n - value) <= half]
    return bool(counts) and all(few(c, n, least) for c in counts)


def faults_in(text: str, sizes: tuple[int, ...], least: int) -> list[str]:
    """Return the parts of a text that stand for a few of so many records."""
    plain = re.sub(EXEMPT, " ", text, flags=re.IGNORECASE)
    found = [
        m[0]
        for m in PAIR.finditer(plain)
        if few(int(m[1].replace(",", "")), int(m[2].replace(",", "")), least)
    ]
    parts_of = (max(sizes),) if plain.endswith("left out.") else sizes  # of all, not of the rest
    for match in RECORDS.finditer(plain):
        count = int(match[1].replace(",", ""))
        if count not in sizes and any(few(count, n, least) for n in parts_of):
            found.append(match[0])
    for match in SHARE.finditer(plain):
        if all(only_few(match[1], n, least) for n in sizes):
            found.append(match[0])
    return [f"{part!r} in {text!r}" for part in found]


def faults_in_json(content: Any, sizes: tuple[int, ...], least: int, path: str = "") -> list[str]:
    """Return the entries of a document that stand for a few of so many records."""
    if isinstance(content, dict):
        return [
            f for k, v in content.items() for f in faults_in_json(v, sizes, least, f"{path}/{k}")
        ]
    if isinstance(content, list | tuple):
        inner = enumerate(content)
        return [f for i, v in inner for f in faults_in_json(v, sizes, least, f"{path}/{i}")]
    if isinstance(content, str):
        return [f"{path}: {fault}" for fault in faults_in(content, sizes, least)]
    if isinstance(content, bool) or not isinstance(content, int | float):
        return []
    name = path.rpartition("/")[2]
    n = sizes[0]
    share = {"percent": content / 100, "strength": content}
    counts = [s * n for key, s in share.items() if key in name]
    counts += [content] if isinstance(content, int) and re.search("record|left|count", name) else []
    near = [c for c in counts if abs(c - round(c)) < 1e-6 and few(round(c), n, least)]
    return [f"{path}: {content}"] if near and content not in sizes else []
