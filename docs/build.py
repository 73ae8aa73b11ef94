"""Write every part of the documentation that comes from the code: `make docs`.

A page for each method, from the docstring of its module; the tables of methods, options and measures; the
figures of the README; the type stub; and the pictures.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from inspect import getmodule
from pathlib import Path

import large_figures
import measures_page
import method_table
import option_tables
import printed_figures
import readme_figures
import type_stub

from microagg.mask.registry import Masking, maskings
from microagg.partition.refine.registry import Refinement, refinements
from microagg.partition.registry import Method, methods

DOCS = Path(__file__).parent
IMAGES = DOCS / "img"
NOTE = "<!-- Written by docs/build.py from the code: change that, and run `make docs`. -->\n"


def pages() -> dict[str, str]:
    """Return the text of every generated page, by its path in docs/."""
    written = {f"methods/{method.name}.md": method_page(method) for method in methods()}
    refining = {f"methods/{step.name}.md": refinement_page(step) for step in refinements()}
    masking = {f"methods/{found.name}.md": masking_page(found) for found in maskings()}
    method_pages = {"methods/index.md": method_table.page(NOTE), **written, **refining, **masking}
    others = {"large.md": large_figures.page(), "measures.md": measures_page.page()}
    others |= {printed_figures.PAGE: printed_figures.page(NOTE)}
    others |= {"../README.md": readme_figures.readme()}
    return method_pages | option_tables.pages() | others


def masking_page(found: Masking) -> str:
    """Return the page of a masking: the docstring of its module, its promise, how to call it."""
    title, *paragraphs = opening(found.function)
    rest = "" if found.promise.startswith("nothing") else "Nothing else is promised: "
    return "\n\n".join(
        [
            NOTE + f"\n# {title.rstrip('.')}",
            f"**Promised:** {found.promise}. {rest}**k-anonymity does not hold for the whole record.** "
            "The summary and the report of such a release open with this caution.",
            *map(_emphasised, paragraphs),
            "```python\nimport microagg as ma\nimport pandas as pd\n\n"
            'table = pd.DataFrame(ma.generate.scattered(seed=1), columns=["a", "b"])\n'
            f"{_protect_call(found)}\nprint(release.summary())\n```",
            _parameters(found),
            "[All methods](index.md)\n",
        ]
    )


def _protect_call(found: Masking) -> str:
    """Return a call of the masking in the form that the formatter gives it."""
    arguments = ["table", "k=5", 'quasi_identifiers=["a", "b"]', f'method="{found.name}"']
    arguments += [found.example] if found.example else []
    line = f"release = ma.protect({', '.join(arguments)})"
    if len(line) <= 100:
        return line
    return "release = ma.protect(\n" + "".join(f"    {one},\n" for one in arguments) + ")"


def method_page(method: Method) -> str:
    """Return the page of a method: the docstring of its module, a picture, how to call it."""
    title, *paragraphs = opening(method.function)
    return "\n\n".join(
        [
            NOTE + f"\n# {title.rstrip('.')}",
            *map(_emphasised, paragraphs),
            f"![Groups of {method.name} on 63 records with two quasi-identifiers, k = 5]"
            f"(../img/method-{method.name}.png)",
            f"```python\nimport microagg as ma\n\nX = ma.generate.scattered(seed=1)\n"
            f'part = ma.partition(X, k=5, method="{method.name}"{_limit(method)})\n```',
            _parameters(method),
            printed_figures.of_method(method.name),
            "[All methods](index.md)\n",
        ]
    )


def _limit(method: Method) -> str:
    """Return a time limit for a method that may take long, so that copied examples have it too."""
    return ', parameters={"time_limit": 5}' if method.timed else ""


def refinement_page(step: Refinement) -> str:
    """Return the page of a refinement: the docstring of its module, a picture, how to call it."""
    title, *paragraphs = opening(step.function)
    return "\n\n".join(
        [
            NOTE + f"\n# {title.rstrip('.')}",
            *map(_emphasised, paragraphs),
            f"![Groups of mdav, refined by {step.name}](../img/method-{step.name}.png)",
            f"```python\nimport microagg as ma\n\nX = ma.generate.scattered(seed=1)\n"
            f'part = ma.partition(X, k=5, method="mdav", refine="{step.name}")\n```',
            *printed_figures.of_refinement(step.name),
            "[All methods](index.md)\n",
        ]
    )


def opening(function: Callable[..., object]) -> list[str]:
    """Return the paragraphs of the docstring of the module of a method or refinement."""
    module = getmodule(function)
    text = (module.__doc__ if module else None) or ""
    blocks = text.strip().split("\n\n")
    return [each if each.startswith(("| ", "- ")) else " ".join(each.split()) for each in blocks]


def _emphasised(paragraph: str) -> str:
    """Return a paragraph with its label in bold if it has the form "Idea: ..."."""
    label, colon, rest = paragraph.partition(": ")
    if not colon or len(label) > 40:
        return _formula(paragraph)
    return f"**{label}.** {_formula(rest[:1].upper() + rest[1:])}"


def _parameters(method: Method | Masking) -> str:
    lines = []
    for name, implied in (method.printed if isinstance(method, Method) else {}).items():
        words = ", ".join(f"{parameter}={value!r}" for parameter, value in implied.items())
        rules = f" with `{words}`" if words else ""
        lines.append(f"The literature uses the name `{name}` for `{method.name}`{rules}.\n")
    lines += ["| parameter | default | must be |", "| --- | --- | --- |"]
    for name, constraint in method.constraints.items():
        lines.append(f"| `{name}` | `{method.parameters[name]!r}` | {constraint} |")
    return "\n".join(lines) if method.constraints else "The method has no parameters besides k."


def _formula(text: str) -> str:
    return text.replace("^2", "²")


def main() -> None:
    """Write every page; draw the pictures that are missing, or all of them with `--pictures`."""
    for name, text in pages().items():
        path = DOCS / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    type_stub.main()
    drawn = draw_pictures(every="--pictures" in sys.argv)
    sys.stderr.write(f"{len(pages())} pages and {drawn} pictures written.\n")


def draw_pictures(*, every: bool) -> int:
    """Draw the pictures of methods and of the README; return how many."""
    import pictures

    IMAGES.mkdir(exist_ok=True)
    tasks: dict[str, Callable[[Path], None]] = {"groups": pictures.draw_readme}
    for method in methods():
        tasks[f"method-{method.name}"] = partial(pictures.draw_method, method.name)
    for step in refinements():
        tasks[f"method-{step.name}"] = partial(pictures.draw_method, "mdav", refine=step.name)
    wanted = {IMAGES / f"{name}.png": draw for name, draw in tasks.items()}
    chosen = {path: draw for path, draw in wanted.items() if every or not path.exists()}
    for path, draw in chosen.items():
        draw(path)
    return len(chosen)


if __name__ == "__main__":
    main()
