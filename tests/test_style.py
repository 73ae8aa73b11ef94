"""The English of the documentation, the docstrings and the messages."""

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
LONGEST = 35
"""The maximum number of words in a sentence."""

BANNED = (
    r"what stands for",
    r"stands for a group",
    r"\bmend(s|ed|ing)?\b",
    r"(is|are) told (as|by)",
    r"\btold by\b",
    r"(is|are) said\b",
    r"\bas ever\b",
    r"that (is|are) not there",
    r"held back",
    r"\bof ours\b",
    r"\bgone on with\b",
    r"nothing else beats",
    r"(found|sought) on a tree",
    r"\b(a|one) row a \w",
    r"\b(a|one) concept a file",
    r"as the file's opening says",
    r"\bwhoever holds\b",
    r"the paper is not at hand",
    r"\bnot at hand\b",
    r"two worlds",
    r"fewer than k remaining records join",
    r"\b(is|are) searched among\b",
    r"at once that nothing",
    r"\bare told as\b",
    r"MDAV, its kin",
    r"no groups of at least k can go below",
    r"mere names",
    r"\bgives? (it|them|the original|quasi-identifiers) away\b",
    r"half-written",
    r"what is what",
    r"in its own way",
    r"how far the work is",
    r"a value of (its|their) own for each",
    r"Equal weights are no weights",
    r"fall by the seed",
    r"a mixture may hold",
    r"something else than",
    r"has other \w+ than",
    r"\bis given too\b",
    r"\bbreaks? off\b",
    r"the best that can be",
    r"\bgives? (a|these|those|the) [\w-]+ away\b",
    r"cannot be given otherwise",
    r"its name is one for",
    r"does not end as it must",
    r"row by row are",
    r"is also given",
    r"not a known one",
    r"\bKnown are\b",
    r"(kept|released) as (it is|they are)\b",
    r"\bthe very (text|bytes|file)\b",
    r"says? the format",
    r"held in memory",
    r"come out differently",
    r"makes? a release again",
    r"no other equals",
    r"leads to itself",
    r"caution that is due",
    r"there by half",
    r"no role given",
    r"\bstay as it is\b",
    r"nothing of k\b",
    r"\b(are|is) those of a (single|sample)\b",
    r"treat missing values otherwise",
    r"evaluated as it is",
    r"\bany more[.,;:]",
    r"\bin another order\b",
    r"\bmarkers? of missing\b",
    r"\bguessed closely\b",
    r"\brecords all share the same\b",
    r"\bin a format that is\b",
    r"\bof it kernel\b",
    r"silent( or wrong)?(: |\.\*\* )(how|which)\b",
    r"\bChoose otherwise\b",
    r"is a file's name",
    r"\bnames? no unit\b",
    r"(?-i:\bDrawn(:| from))",
    r"\bnearly its own\b",
    r"\bloses? as much\b",
    r"\bkeeps nothing\b",
    r"\bforms? none of\b",
    r"\b(is|are) a caution\b",
    r"\bso few\.",
    r"\b(is|are)( otherwise)? our own\b",
    r"\bstands? for far\b",
    r"\bthose of the processor\b",
    r"told apart",
    r"what (becomes|became) of",
    r"nobody can guess",
    r"what the (user|page) calls",
    r"as a person (would|reads|writes)",
    r"what a person\b",
    r"(?-i:\bOurs\b[:;])",
    r"whatever the order",
    r"stays? as it was",
    r"falls? by chance",
    r"as they are among all",
    r"has no say",
    r"somebody's",
    r"keeps all, 100",
    r"in words, or nothing",
    r"\ba (row|line|bit|bar|paragraph) (a|each) (record|value|kind|option|step|size)\b",
    r"is no reason",
    r"so done",
    r"out to the digit",
    r"cannot be had",
    r"Report for (you|others)",
    r"\bshown to others\b",
    r"how far (they|it) came",
    r"(what|that) was asked for",
    r"as far as it has come",
    r"the word to stop",
    r"\bexposes? the most\b(?! records)",
    r"the way back (to|from)",
    r"\bNaN where\b",
    r"\bsays? (so|nothing|little) of\b",
    r"\bopen points?\b",
    r"\banother \w+ than\b",
    r"(?<=\d) is usual\b",
    r"between the distribution of [^.]* and in all",
    r"in which one record( of a group)? is missing",
    r"\bone per core\b",
    r"\(the fewest: ",
    r"(?<=\d) groups by\b",
)
"""Phrases that a native technical writer would not have written."""

GENERATED = (
    "methods",
    "options.md",
    "measures.md",
    "api.md",
    "reproduction.md",
    "printed-figures.md",
)
"""Pages from docstrings and tables; their sources are tested instead."""

EXEMPT = ("reproduction.md",)
"""The tables of printed figures."""

PAGES = sorted(
    path
    for path in [*ROOT.glob("*.md"), *DOCS.rglob("*.md")]
    if path.name not in EXEMPT and "_build" not in path.parts
)
PROSE = [path for path in PAGES if path.relative_to(ROOT).parts[-1] not in GENERATED]
MODULES = sorted((ROOT / "src").rglob("*.py"))


ENDS = r"(?<=[.!?;:])[\"”)]* +(?=[\"“(]?(?:[A-Z0-9]|code|microagg))|(?<=[a-z0-9)\]%\"][.!?])(?<!al\.) +"
"""Where a sentence ends; some start with a symbol in lower case. Names of authors have initials."""


def shown(path: Path) -> str:
    return str(path.relative_to(ROOT))


def sentences(text: str) -> Iterator[str]:
    """Yield the sentences of a page, without code, tables and headings."""
    text = re.sub(r"^(`{3,}|:{3,}|~{3,}).*?^\1$", "", text, flags=re.MULTILINE | re.DOTALL)
    text = re.sub(r"<!--.*?-->", "", text, flags=re.DOTALL)
    text = re.sub(r"^(\||#|    (?![-*\d]) *\S|:).*$", "", text, flags=re.MULTILINE)
    text = re.sub(r"^[>\s]*([-*]|\d+\.) ", "\n\n", text, flags=re.MULTILINE)
    text = re.sub(r"^> ?", "", text, flags=re.MULTILINE)
    text = re.sub(r"`[^`]*`", "code", text)
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text)
    for paragraph in re.split(r"\n\s*\n", text):
        plain = re.sub(r"[*_]{1,2}", "", " ".join(paragraph.split()))
        yield from re.split(ENDS, plain)


def texts(module: Path) -> Iterator[str]:
    """Yield every string literal of a module, docstrings included."""
    for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield " ".join(node.value.split())


def banned_in(text: str) -> list[str]:
    return [found[0] for rule in BANNED for found in re.finditer(rule, text, re.IGNORECASE)]


@pytest.mark.parametrize("page", PAGES, ids=shown)
def test_no_page_uses_a_banned_phrase(page):
    prose = re.sub(r"`[^`\n]*`", "code", page.read_text(encoding="utf-8"))  # may be an old name
    assert banned_in(" ".join(prose.split())) == []


def test_no_docstring_and_no_message_uses_a_banned_phrase():
    found = {shown(module): banned_in(" \n".join(texts(module))) for module in MODULES}
    assert {name: phrases for name, phrases in found.items() if phrases} == {}


NO_NAMES = {"found", "told", "said", "given", "held", "ready", "mend", "thing", "stuff", "utils"}
"""Names that do not say what a value is."""


def names_in(module: Path) -> Iterator[str]:
    """Yield the names that a module gives to variables, parameters, attributes, functions and classes."""
    for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.attr
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.arg):
            yield node.arg


def test_names_say_what_a_value_is():
    vague = {
        shown(module): NO_NAMES & {n.strip("_") for n in names_in(module)} for module in MODULES
    }
    assert {name: names for name, names in vague.items() if names} == {}
    assert not {module.stem for module in MODULES} & NO_NAMES


def test_no_two_classes_have_the_same_name():
    classes = Counter(
        name
        for module in MODULES
        for name in re.findall(r"^\s*class (\w+)[(:]", module.read_text("utf-8"), re.MULTILINE)
    )
    assert [name for name, count in classes.items() if count > 1] == []


@pytest.mark.parametrize("page", PROSE, ids=shown)
def test_no_sentence_is_too_long(page):
    long = [s for s in sentences(page.read_text(encoding="utf-8")) if len(s.split()) > LONGEST]
    assert long == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One two. Three four.", ["One two.", "Three four."]),
        ("```python\na b c\n```\nThe end.", ["The end."]),
        ("| a | b |\n\n- First one\n- Second one", ["First one", "Second one"]),
        ("See [the page](x.md), `a b`.", ["See the page, code."]),
    ],
)
def test_sentences_leave_out_code_and_tables(text, expected):
    assert [s for s in sentences(text) if s] == expected


def test_pages_of_methods_name_no_module():
    """Readers of the site do not see the source; a benchmark that they can run is named by its path."""
    for page in (DOCS / "methods").glob("*.md"):
        text = page.read_text(encoding="utf-8").replace("Written by docs/build.py", "")
        assert re.findall(r"(?<!benchmarks/quality/)\b\w+\.py\b", text) == [], page.name


def test_a_banned_phrase_is_found():
    assert banned_in("There is one row a record.") == ["one row a r"]
