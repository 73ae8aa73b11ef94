"""Write the tables of options and the signatures in the documentation from the declarations."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable
from dataclasses import MISSING
from pathlib import Path
from types import ModuleType
from typing import Any, get_args

import microagg
from microagg.cli.group import load
from microagg.cli.parameters import GENERAL
from microagg.declare import Option, Topic, options_of
from microagg.reading import Reading
from microagg.settings import Settings

DOCS = Path(__file__).parent
PLACES = {
    "memory": "`protect`",
    "large": "`protect_file`",
    "partition": "`partition`",
    "compare": "`compare`",
    "assess": "`assess`",
}

INTRODUCTION = """---
html_theme.sidebar_secondary.remove: true
---

# Options

In Python, an option is a keyword argument of the functions that the column "functions" lists. On the
command line, it is one of the flags below its name. An option whose column "mixed" says "no" works only
with complete numeric columns without weights. `src/microagg/settings.py` declares each option once (and
`reading.py` those of text files); this page, the signatures and the command line follow from it.
"""


def options_page(settings: type = Settings) -> str:
    """Return the page that lists all options by topic."""
    lines = [INTRODUCTION]
    declared = options_of(settings) | options_of(Reading)
    for topic in get_args(Topic):
        rows = [each for each in declared.values() if each.topic == topic]
        lines += [
            f"## {topic}",
            "",
            "| option | meaning | value | default | functions | mixed |",
        ]
        lines += ["| --- | --- | --- | --- | --- | --- |", *map(_row, rows), ""]
    return "\n".join(lines)


def _row(each: Option) -> str:
    places = [words for place, words in PLACES.items() if place in each.places]
    where = ", ".join(places) or "every command that reads a text file"
    mixed = "yes" if "mixed" in each.places or not each.places else "no"
    default = "" if each.default in (MISSING, None, ()) else f"`{each.default!r}`"
    names = "<br>".join(f"`{name}`" for name in (each.name, *each.flags))
    meaning = f"{each.help} {each.details}".strip()
    cells = (names, meaning, each.form.words, default, where, mixed)
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


BLOCK = re.compile(r"(<!-- options of (\w+): (.*?) -->\n).*?(<!-- end of options -->)", re.DOTALL)


def cli_page(text: str) -> str:
    """Return docs/cli.md with its tables of options written again."""

    def written(block: re.Match[str]) -> str:
        panels, every = block[3].split(", "), block[3] == "all"
        own = load(block[2]).params
        parameters = [p for p in own if every or _panel(p) in panels]
        rows = [_cli_row(parameter) for parameter in parameters]
        table = "\n".join(["| option | meaning |", "| --- | --- |", *rows])
        return f"{block[1]}{table}\n{block[4]}"

    return BLOCK.sub(written, text)


def _panel(parameter: Any) -> str:
    return getattr(parameter, "topic", GENERAL)


def _cli_row(parameter: Any) -> str:
    argument = parameter.param_type_name == "argument"
    words = (
        [parameter.metavar or parameter.name.upper()]
        if argument
        else [*parameter.opts, *parameter.secondary_opts]
    )
    example = parameter.metavar if not argument and "=" in (parameter.metavar or "") else None
    help = parameter.help + (f" Example: `{example}`." if example else "")
    default = getattr(parameter, "shown_default", None)
    shown = f" Default: `{default}`." if default else ""
    meaning = f"{help}{shown}".replace("|", "\\|")
    return f"| {', '.join(f'`{word}`' for word in words)} | {meaning} |"


def api_page(text: str) -> str:
    """Return docs/api.md with its signatures written again."""
    for name in microagg.__all__:
        public = getattr(microagg, name)
        if not isinstance(public, ModuleType | str):
            heading = re.escape(f"### {name}\n")
            text = re.sub(rf"({heading}\n)`[^\n]*`\n", rf"\1`{signature(name)}`\n", text)
    return text


def signature(name: str) -> str:
    """Return the signature of a public name, without types."""
    own = inspect.signature(getattr(microagg, name))
    plain = [p.replace(annotation=inspect.Parameter.empty) for p in own.parameters.values()]
    text = str(own.replace(parameters=plain, return_annotation=inspect.Signature.empty))
    return name + text.replace("<factory>", "{}").replace("\\", "\\\\")


def pages() -> dict[str, str]:
    """Return the pages that are written, or written in part, from the declarations."""
    rewritten: Iterable[tuple[str, Any]] = (("cli.md", cli_page), ("api.md", api_page))
    partly = {name: write((DOCS / name).read_text(encoding="utf-8")) for name, write in rewritten}
    return {"options.md": options_page(), **partly}
