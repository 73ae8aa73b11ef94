"""A report as one HTML file that opens offline: no script, no network, all text escaped."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Sequence
from hashlib import sha256
from html import escape
from importlib.resources import files
from pathlib import Path

from microagg.data.atomic import replacing
from microagg.report.charts.columns import drawn
from microagg.report.charts.groups import cloud, correlations, sizes
from microagg.report.charts.risk_utility import risk_utility
from microagg.report.distributions import Distribution
from microagg.report.findings import Row
from microagg.report.page import Page, Table

_LEGEND = (
    '<p class="soft"><span class="key before"></span>original'
    '<span class="key after"></span>released</p>'
)


def write_page(page: Page, path: str | Path) -> None:
    """Write a page, or nothing when it cannot be finished."""
    with replacing(path) as (beside,):
        beside.write_text(render(page), encoding="utf-8")


def render(page: Page) -> str:
    """Return the page as HTML."""
    style = "\n" + files("microagg.report").joinpath("report.css").read_text(encoding="utf-8")
    body = "\n".join(part for part in _parts(page) if part)
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_policy(style)}">\n'
        f"<title>{escape(page.title)}</title>\n<style>{style}</style>\n</head>\n"
        f"<body>\n<main>\n{body}\n</main>\n</body>\n</html>\n"
    )


def _policy(style: str) -> str:
    """Return a policy that allows this style sheet and nothing else."""
    digest = b64encode(sha256(style.encode()).digest()).decode()
    return f"default-src 'none'; style-src 'sha256-{digest}'; img-src data:"


def _parts(page: Page) -> Iterable[str]:
    yield _head(page)
    yield _verdict(page)
    if page.warnings:
        yield _section("Cautions", map(_warning, page.warnings))
    if page.choices:
        yield _choices(page)
    yield _utility(page)
    yield _columns(page.columns, page.columns_words)
    yield _correlations(page)
    yield _groups(page)
    yield _at_risk(page)
    yield _section("What was done", [*map(_paragraph, page.done), _table(page.facts)])
    yield _section("The promise and its check", [_checks(page)])
    yield _annex(page)
    yield _section("Provenance", [_table(page.provenance)])


def _choices(page: Page) -> str:
    """Return the risk-utility map and the table of choices."""
    picture = _figure(risk_utility(page.choices, page.choice_loss), "Each circle is one choice.")
    table = _numbers(page.choice_table) if len(page.choice_table) > 1 else ""
    legend = f'<p class="soft">{escape(page.choice_legend)}</p>' if page.choice_legend else ""
    said = [_paragraph(page.choice_words), picture, table, legend]
    return _section("Which choice: the risk-utility map", said)


def _head(page: Page) -> str:
    audience = (
        "Internal: do not pass on"
        if page.audience == "internal"
        else "External: describes no single record"
    )
    facts = "".join(
        f"<div><dt>{escape(name)}</dt><dd>{escape(said)}</dd></div>"
        for name, said in [*page.about, ("Audience", audience)]
    )
    return (
        f"<header>\n<h1>{escape(page.title)}</h1>\n<p>{escape(page.lead)}</p>\n"
        f'<dl class="about">{facts}</dl>\n</header>'
    )


def _verdict(page: Page) -> str:
    boxes = "".join(
        f'<div class="box {box.state}"><h2>{escape(box.title)}</h2><p class="number">'
        f"<b>{escape(box.number)}</b> {escape(box.label)}</p>{_said(box.words)}</div>"
        for box in page.verdict
    )
    return f'<div class="verdict">{boxes}</div>'


def _said(words: Sequence[str]) -> str:
    if len(words) == 1:
        return _paragraph(words[0])
    return f"<ul>{''.join(f'<li>{escape(line)}</li>' for line in words)}</ul>" if words else ""


def _utility(page: Page) -> str:
    if not page.utility_words:
        return ""
    tables = [f"<h3>{escape(title)}</h3>{_numbers(table)}" for title, table in page.utility]
    return _section("What analysts can still do", [*map(_paragraph, page.utility_words), *tables])


def _checks(page: Page) -> str:
    lines = (
        f'<li class="{"check" if held else "cross"}">{escape(words)}</li>'
        for held, words in page.promises
    )
    return f"<ul>{''.join(lines)}</ul>" if page.promises else ""


def _annex(page: Page) -> str:
    if not page.annex:
        return ""
    heads = "".join(f"<th>{head}</th>" for head in ("Measure", "Value", "Direction and range", ""))
    tables = [
        f'<h3>{escape(title)}</h3><table class="findings"><tr>{heads}</tr>'
        f"{''.join(map(_row, rows))}</table>"
        for title, rows in page.annex
    ]
    missing = [f'<p class="soft">{escape(page.annex_words)}</p>'] if page.annex_words else []
    return _section("Annex: all measures", [*tables, *missing])


def _row(row: Row) -> str:
    note = f" <em>({escape(row.note)})</em>" if row.note else ""
    return (
        f"<tr><td>{escape(row.title)}<code>{escape(row.name)}</code></td>"
        f'<td class="value">{escape(row.value)}</td>'
        f"<td>{escape(row.direction)}<small>{escape(row.range)}</small></td>"
        f"<td>{escape(row.meaning)}{note}</td></tr>"
    )


def _at_risk(page: Page) -> str:
    if not page.at_risk:
        return ""
    return _section("The records most at risk", map(_paragraph, page.at_risk))


def _columns(columns: Iterable[Distribution], words: str) -> str:
    figures = []
    for column in columns:
        title = f"<h3>{escape(column.name)}</h3>"
        figures.append(f"<figure>{title}{drawn(column)}{_caption(column.remark)}</figure>")
    if not figures:
        return ""
    said = _paragraph(words) if words else ""
    return _section("Each column before and after", [said, _LEGEND, _side_by_side(figures)])


def _correlations(page: Page) -> str:
    if page.correlation is None:
        return ""
    names, before, after = page.correlation
    figures = [
        _figure(correlations(names, before, "Correlations before"), "Original"),
        _figure(correlations(names, after, "Correlations after"), "Released"),
    ]
    meaning = "Blue is positive, orange is negative; the paler a cell, the weaker the correlation."
    said = _paragraph(f"{meaning} {page.correlation_words}".rstrip())
    return _section("Correlations before and after", [said, _side_by_side(figures)])


def _groups(page: Page) -> str:
    figures = []
    if page.sizes:
        figures.append(_figure(sizes(page.sizes), page.sizes_remark))
    if page.cloud:
        figures.append(_figure(cloud(page.cloud), page.cloud_remark))
    said = [_paragraph(page.sizes_words)] if page.sizes_words else []
    if not figures and not said:
        return ""
    return _section("The groups", [*said, _side_by_side(figures) if figures else ""])


def _section(title: str, parts: Iterable[str]) -> str:
    return f"<section>\n<h2>{escape(title)}</h2>\n{''.join(parts)}\n</section>"


def _paragraph(words: str) -> str:
    return f"<p>{escape(words)}</p>"


def _warning(words: str) -> str:
    return f'<p class="warning">{escape(words)}</p>'


def _table(rows: Iterable[tuple[str, str]]) -> str:
    lines = (f"<tr><th>{escape(name)}</th><td>{escape(said)}</td></tr>" for name, said in rows)
    return f"<table>{''.join(lines)}</table>"


def _numbers(table: Table) -> str:
    head, *rows = table
    cells = "".join(f"<th>{escape(cell)}</th>" for cell in head)
    lines = "".join(
        f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows
    )
    return f'<div class="wide"><table class="numbers"><tr>{cells}</tr>{lines}</table></div>'


def _figure(picture: str, caption: str) -> str:
    return f"<figure>{picture}{_caption(caption)}</figure>"


def _caption(words: str) -> str:
    return f"<figcaption>{escape(words)}</figcaption>" if words else ""


def _side_by_side(figures: Iterable[str]) -> str:
    return f'<div class="grid-2">{"".join(figures)}</div>'
