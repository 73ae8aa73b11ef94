"""A report as one HTML file that opens offline: no script, no network, all text escaped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from importlib.resources import files
from pathlib import Path

from microagg.data.atomic import replacing
from microagg.measure.registry import Finding
from microagg.report import charts
from microagg.report.distributions import Distribution
from microagg.report.findings import by_kind, judgement, not_measured, sentence, value_text
from microagg.report.page import Page

_LEGEND = (
    '<p class="soft"><span class="key before"></span>original'
    '<span class="key after"></span>released</p>'
)
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"


def write_page(page: Page, path: str | Path) -> None:
    """Write a page, or nothing when it cannot be finished."""
    with replacing(path) as (beside,):
        beside.write_text(render(page), encoding="utf-8")


def render(page: Page) -> str:
    """Return the page as HTML."""
    style = files("microagg.report").joinpath("report.css").read_text(encoding="utf-8")
    body = "\n".join(part for part in _parts(page) if part)
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        f"<title>{escape(page.title)}</title>\n<style>\n{style}</style>\n</head>\n"
        f"<body>\n<main>\n{body}\n</main>\n</body>\n</html>\n"
    )


def _parts(page: Page) -> Iterable[str]:
    yield _head(page)
    yield "\n".join(map(_warning, page.warnings))  # above all numbers
    yield _tiles(page)
    if page.choices:
        yield _choices(page)
    yield _section("What was done", [*map(_paragraph, page.done), _table(page.facts)])
    yield _section("The promise and its check", [_checks(page)])
    for title, findings in by_kind(page.findings).items():
        yield _section(title, [_findings(findings)])
    yield _at_risk(page)
    yield _columns(page.columns, page.columns_words)
    yield _correlations(page)
    yield _groups(page)
    yield _section("Provenance", [_table(page.provenance)])


def _choices(page: Page) -> str:
    """Return the risk-utility map and the table of choices."""
    picture = _figure(
        charts.risk_utility(page.choices, page.choice_loss), "Each circle is one choice."
    )
    head, *rows = page.choice_table or [[]]
    cells = "".join(f"<th>{escape(cell)}</th>" for cell in head)
    lines = "".join(
        f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows
    )
    table = f'<table class="numbers"><tr>{cells}</tr>{lines}</table>' if rows else ""
    said = [_paragraph(page.choice_words), picture, table]
    return _section("Which choice: the risk-utility map", said)


def _head(page: Page) -> str:
    audience = (
        "internal: do not pass on"
        if page.audience == "internal"
        else "external: describes no single record"
    )
    return f"<h1>{escape(page.title)}</h1>\n<p class='audience'>{audience}</p>\n<p>{escape(page.lead)}</p>"


def _tiles(page: Page) -> str:
    tiles = (
        f'<div class="tile{" alarming" if tile.alarming else ""}"><b>{escape(tile.value)}</b>'
        f"<span>{escape(tile.label)}</span></div>"
        for tile in page.tiles
    )
    return f'<div class="tiles">{"".join(tiles)}</div>'


def _checks(page: Page) -> str:
    lines = (
        f'<li class="{"check" if held else "cross"}">{escape(words)}</li>'
        for held, words in page.promises
    )
    return f"<ul>{''.join(lines)}</ul>" if page.promises else ""


def _findings(findings: Sequence[Finding]) -> str:
    rows, missing = [], not_measured(findings)
    for finding in findings:
        if finding.value is None:
            continue
        verdict, name = finding.verdict, finding.measure.name
        chip = f'<span class="verdict {verdict}">{verdict}</span>' if verdict else ""
        said = " ".join(filter(None, [sentence(finding), judgement(finding)]))
        note = f" <em>({escape(finding.note)})</em>" if finding.note else ""
        rows.append(
            f'<tr><td>{escape(finding.measure.title)}<code>{escape(name)}</code></td><td class="value">'
            f"{escape(value_text(finding))}</td><td>{chip}</td><td>{escape(said)}{note}</td></tr>"
        )
    table = f'<table class="findings">{"".join(rows)}</table>' if rows else ""
    return table + (f'<p class="soft">{escape(missing)}</p>' if missing else "")


def _at_risk(page: Page) -> str:
    if not page.at_risk:
        return ""
    return _section("The records most at risk", map(_paragraph, page.at_risk))


def _columns(columns: Iterable[Distribution], words: str) -> str:
    figures = []
    for column in columns:
        if column.labels:
            picture = charts.bars(column.name, column.labels, column.before, column.after)
        elif column.edges:
            picture = charts.histogram(column.name, column.edges, column.before, column.after)
        else:
            picture = ""
        title = f"<h3>{escape(column.name)}</h3>"
        figures.append(f"<figure>{title}{picture}{_caption(column.remark)}</figure>")
    if not figures:
        return ""
    said = _paragraph(words) if words else ""
    return _section("Each column before and after", [said, _LEGEND, _side_by_side(figures)])


def _correlations(page: Page) -> str:
    if page.correlation is None:
        return ""
    names, before, after = page.correlation
    figures = [
        _figure(charts.correlations(names, before, "Correlations before"), "Original"),
        _figure(charts.correlations(names, after, "Correlations after"), "Released"),
    ]
    meaning = "Blue cells rise together, orange ones against each other; pale is none."
    said = _paragraph(f"{meaning} {page.correlation_words}".rstrip())
    return _section("How columns go together, before and after", [said, _side_by_side(figures)])


def _groups(page: Page) -> str:
    figures = []
    if page.sizes:
        figures.append(_figure(charts.sizes(page.sizes), page.sizes_remark))
    if page.cloud:
        figures.append(_figure(charts.cloud(page.cloud), page.cloud_remark))
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


def _figure(picture: str, caption: str) -> str:
    return f"<figure>{picture}{_caption(caption)}</figure>"


def _caption(words: str) -> str:
    return f"<figcaption>{escape(words)}</figcaption>" if words else ""


def _side_by_side(figures: Iterable[str]) -> str:
    return f'<div class="grid-2">{"".join(figures)}</div>'
