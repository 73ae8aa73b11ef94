"""A report as one HTML file that opens offline: no script, no network, all text escaped."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Sequence
from functools import singledispatch
from hashlib import sha256
from html import escape
from importlib.resources import files
from pathlib import Path

from microagg.data.atomic import replacing, write_text
from microagg.data.remote import not_too_long
from microagg.errors import FileError, visible
from microagg.report.content import (
    Caution,
    Checks,
    Content,
    FactTable,
    Figure,
    Figures,
    MeasureRow,
    MeasureTable,
    NumberTable,
    Page,
    PageSection,
    Paragraph,
)

_KEY = (
    '<p class="soft"><span class="key before"></span>original'
    '<span class="key after"></span>released</p>'
)

_AUDIENCES = {
    "internal": "Internal: do not pass on",
    "external": "External: describes no single record",
}


def require_html_name(path: str | Path) -> None:
    """Raise if a report would get a name that programs do not open as HTML, such as `report.pdf`."""
    not_too_long(Path(path))
    if not str(path).lower().endswith((".html", ".htm")):
        raise FileError(
            f"A report is an HTML file, so it cannot be named '{path}'.",
            hint="Use a name that ends in .html. A browser can print the report as PDF.",
        )


def write_page(page: Page, path: str | Path) -> None:
    """Write a page, or nothing if an error occurs; only the owner can read an internal page."""
    private = [path] if page.audience == "internal" else []
    with replacing(path, private=private) as (beside,):
        write_text(beside, render(page))


def render(page: Page) -> str:
    """Return the page as HTML."""
    style = "\n" + files("microagg.report").joinpath("report.css").read_text(encoding="utf-8")
    body = "\n".join([_head(page), _verdict(page), *map(_section, page.sections)])
    return visible(
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_policy(style)}">\n'
        f"<title>{escape(page.title)}</title>\n<style>{style}</style>\n</head>\n"
        f"<body>\n<main>\n{body}\n</main>\n</body>\n</html>\n"
    )


def _policy(style: str) -> str:
    """Return a content security policy that allows only this style sheet."""
    digest = b64encode(sha256(style.encode()).digest()).decode()
    return f"default-src 'none'; style-src 'sha256-{digest}'; img-src data:"


def _head(page: Page) -> str:
    facts = "".join(
        f"<div><dt>{escape(name)}</dt><dd>{escape(words)}</dd></div>"
        for name, words in [*page.about, ("Audience", _AUDIENCES[page.audience])]
    )
    return (
        f"<header>\n<h1>{escape(page.title)}</h1>\n<p>{escape(page.lead)}</p>\n"
        f'<dl class="about">{facts}</dl>\n</header>'
    )


def _verdict(page: Page) -> str:
    boxes = "".join(
        f'<div class="box {box.state}"><h2>{escape(box.title)}</h2><p class="number">'
        f"<b>{escape(box.number)}</b> {escape(box.label)}</p>{_lines(box.words)}</div>"
        for box in page.verdict
    )
    return f'<div class="verdict">{boxes}</div>'


def _lines(words: Sequence[str]) -> str:
    if len(words) == 1:
        return html_of(Paragraph(words[0]))
    return f"<ul>{''.join(f'<li>{escape(line)}</li>' for line in words)}</ul>" if words else ""


def _section(section: PageSection) -> str:
    content = "".join(map(html_of, section.content))
    return f"<section>\n<h2>{escape(section.title)}</h2>\n{content}\n</section>"


@singledispatch
def html_of(content: Content) -> str:
    """Return a piece of content as HTML; there is a function for each type below."""
    raise TypeError(f"no HTML for {type(content).__name__}")


@html_of.register
def _(content: Paragraph) -> str:
    start = '<p class="soft">' if content.quiet else "<p>"
    return f"{start}{escape(content.text)}</p>"


@html_of.register
def _(content: Caution) -> str:
    return f'<p class="warning">{escape(content.text)}</p>'


@html_of.register
def _(content: FactTable) -> str:
    rows = (f"<tr><th>{escape(n)}</th><td>{escape(v)}</td></tr>" for n, v in content.rows)
    return f"<table>{''.join(rows)}</table>"


@html_of.register
def _(content: NumberTable) -> str:
    head, *rows = content.table
    title = f"<h3>{escape(content.title)}</h3>" if content.title else ""
    lines = "".join(f"<tr>{_cells(row, 'td')}</tr>" for row in rows)
    return (
        f'{title}<div class="wide"><table class="numbers"><tr>{_cells(head, "th")}</tr>{lines}'
        "</table></div>"
    )


@html_of.register
def _(content: Checks) -> str:
    lines = (
        f'<li class="{"check" if holds else "cross"}">{escape(words)}</li>'
        for holds, words in content.lines
    )
    return f"<ul>{''.join(lines)}</ul>"


@html_of.register
def _(content: Figure) -> str:
    title = f"<h3>{escape(content.title)}</h3>" if content.title else ""
    caption = f"<figcaption>{escape(content.caption)}</figcaption>" if content.caption else ""
    return f"<figure>{title}{content.picture}{caption}</figure>"


@html_of.register
def _(content: Figures) -> str:
    key = _KEY if content.key else ""
    return f'{key}<div class="grid-2">{"".join(map(html_of, content.figures))}</div>'


@html_of.register
def _(content: MeasureTable) -> str:
    heads = _cells(("Measure", "Value", "Direction and range", ""), "th")
    return (
        f'<h3>{escape(content.title)}</h3><table class="findings"><tr>{heads}</tr>'
        f"{''.join(map(_measure, content.rows))}</table>"
    )


def _measure(row: MeasureRow) -> str:
    note = f" <em>({escape(row.note)})</em>" if row.note else ""
    return (
        f"<tr><td>{escape(row.title)}<code>{escape(row.name)}</code></td>"
        f'<td class="value">{escape(row.value)}</td>'
        f"<td>{escape(row.direction)}<small>{escape(row.range)}</small></td>"
        f"<td>{escape(row.meaning)}{note}</td></tr>"
    )


def _cells(texts: Iterable[str], tag: str) -> str:
    return "".join(f"<{tag}>{escape(text)}</{tag}>" for text in texts)
