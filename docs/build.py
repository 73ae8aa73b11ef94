"""Write the parts of the documentation that come from the code: `make docs`.

A page a method, from the opening of its file, the table of methods, and the pictures.
"""

from __future__ import annotations

import sys
from inspect import getmodule
from pathlib import Path

from microagg.partition.registry import Method, methods

DOCS = Path(__file__).parent
IMAGES = DOCS / "img"
NOTE = "<!-- Written by docs/build.py from the code: change that, and run `make docs`. -->\n"


def pages() -> dict[str, str]:
    """Return the text of every generated page, by its path in docs/."""
    written = {f"methods/{method.name}.md": method_page(method) for method in methods()}
    return {"methods/index.md": methods_table(), **written}


def methods_table() -> str:
    """Return the page that lists all methods."""
    lines = [
        NOTE,
        "# Methods",
        "",
        "`microagg methods` prints the same, and `microagg methods --json` gives it to programs.",
        "n is the number of records, d that of quasi-identifiers, k the smallest size of a group.",
        "",
        "| name | family | what it does | time | memory | sizes | seed matters | reference |",
        "| --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for method in methods():
        cells = (
            f"[`{method.name}`]({method.name}.md)",
            method.family,
            method.summary,
            _formula(method.time),
            _formula(method.memory),
            f"k to {method.max_size}",
            "no" if method.deterministic else "yes",
            method.reference,
        )
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join([*lines, ""])


def method_page(method: Method) -> str:
    """Return the page of a method: the opening of its file, a picture, how to call it."""
    title, *paragraphs = opening(method)
    return "\n\n".join(
        [
            NOTE + f"\n# {title.rstrip('.')}",
            *map(_emphasised, paragraphs),
            f"![Groups of {method.name} on 63 records with two quasi-identifiers, k = 5]"
            f"(../img/method-{method.name}.png)",
            f"```python\nimport microagg as ma\n\nX = ma.generate.scattered(seed=1)\n"
            f'part = ma.partition(X, k=5, method="{method.name}")\n```',
            _parameters(method),
            "[All methods](index.md)\n",
        ]
    )


def opening(method: Method) -> list[str]:
    """Return the paragraphs of the docstring that opens the method's file."""
    module = getmodule(method.function)
    text = (module.__doc__ if module else None) or ""
    return [" ".join(block.split()) for block in text.strip().split("\n\n")]


def _emphasised(paragraph: str) -> str:
    """Set the first words in bold where a paragraph has the form "Idea: ..."."""
    label, colon, rest = paragraph.partition(": ")
    if not colon or len(label) > 40:
        return _formula(paragraph)
    return f"**{label}.** {_formula(rest[:1].upper() + rest[1:])}"


def _parameters(method: Method) -> str:
    lines = []
    for name, implied in method.printed.items():
        words = ", ".join(f"{parameter}={value!r}" for parameter, value in implied.items())
        lines.append(f"The printed name `{name}` stands for `{method.name}` with `{words}`.\n")
    lines += ["| parameter | default | must be |", "| --- | --- | --- |"]
    for name, constraint in method.constraints.items():
        lines.append(f"| `{name}` | `{method.parameters[name]!r}` | {constraint} |")
    return "\n".join(lines) if method.constraints else "It takes no parameters but k."


def _formula(text: str) -> str:
    return text.replace("^2", "²")


def main() -> None:
    from pictures import draw_method, draw_readme

    for name, text in pages().items():
        path = DOCS / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    IMAGES.mkdir(exist_ok=True)
    draw_readme(IMAGES / "groups.png")
    for method in methods():
        draw_method(method.name, IMAGES / f"method-{method.name}.png")
    sys.stderr.write(f"{len(pages())} pages and {len(methods()) + 1} pictures written.\n")


if __name__ == "__main__":
    main()
