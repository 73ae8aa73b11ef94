"""Random small data: nothing that others read stands for a few records, or for all but a few.

`MICROAGG_HOSTILE_EXTERNAL` sets how many reports are tried; `make test-all` tries 2,000 more.
"""

import os
import re
import warnings

import numpy as np
import pandas as pd
import pytest

import microagg as ma
from microagg.errors import DataError, MicroaggError
from microagg.measure.registry import measures
from microagg.report.content import NumberTable
from microagg.report.html import render
from microagg.report.of_assessment import page_of_assessment
from microagg.report.of_release import page_of_release
from tests.hostile.checker import count_of
from tests.hostile.outside import LOSS, LOSSES, faults_in, faults_in_json, few, texts_of
from tests.hostile.seeds import rng_of

CASES = int(os.environ.get("MICROAGG_HOSTILE_EXTERNAL", "6"))
PARTS = 2
OF_NUMBERS = ("g-il", "variation-data", "variation-means", "variation-variances", "probabilistic")
"""Losses of columns of numbers."""
RECORDS = {one.name for one in measures() if one.unit == "%" and one.kind in ("risk", "anonymity")}
COUNTING = RECORDS | {"categories-changed", "contingency"}
"""Measures that are shares of the records."""


def people(rng):
    """Return few records, with rare categories, missing values, and nearly unique columns."""
    n = int(rng.integers(24, 160))
    frame = pd.DataFrame({"age": rng.integers(20, 60, n).astype(float)})
    frame["pay"] = rng.normal(3000, 700, n).round(int(rng.integers(0, 6)))
    towns = [f"town{i}" for i in range(3)]
    frame["town"] = rng.choice(towns, n)
    for number in range(rng.integers(0, 4)):
        frame.loc[rng.integers(n), "town"] = f"RARE{number}"
    frame["job"] = rng.choice([f"job{i}" for i in range(4)], n)
    frame.loc[: rng.integers(0, 8), "job"] = "RAREJOB"
    frame["ill"] = np.where(rng.random(n) < rng.choice([0.02, 0.3, 0.97]), "yes", "no")
    frame["debt"] = 0.0
    frame.loc[rng.integers(0, n, rng.integers(0, 9)), "debt"] = rng.integers(1, 4) * 1000.0
    frame["code"] = rng.permutation(n)
    frame.loc[: rng.integers(0, 5), "code"] = 0
    if rng.random() < 0.5:
        frame.loc[rng.integers(0, n, rng.integers(1, 12)), "age"] = np.nan
    return frame


def released(rng, frame):
    """Protect the records somehow; return the release, or None where it is refused."""
    names = ["age", "pay", "town", "job", "debt"]
    chosen = list(rng.permutation(names)[: rng.integers(1, 6)])
    rest = [name for name in names if name not in chosen]
    options = {"missing": str(rng.choice(["suppress", "keep", "impute", "group"]))}
    if "town" in rest and rng.random() < 0.5:
        options |= {"strata": ["town"], "small_strata": str(rng.choice(["suppress", "merge"]))}
    if rng.random() < 0.4:
        options["l_diversity"] = 2
    if "debt" in chosen and rng.random() < 0.5:
        options["aggregate"] = {"debt": str(rng.choice(["median", "trimmed"]))}
    if rng.random() < 0.5:
        frame = frame.drop(columns="code")
    try:
        release = ma.protect(
            frame,
            int(rng.integers(2, 13)),
            quasi_identifiers=chosen,
            confidential=["ill"],
            method="mdav",
            **options,
        )
    except MicroaggError:
        return frame, None
    return frame, release


def subtracted(outcome, texts, least):
    """Return the faults of counts of records that were left out, beside those that are left."""
    left = [text for text in texts if text.endswith("were left out.")]
    few_left = [text for text in left if text.startswith("Fewer")]
    whole = f"{outcome.source.rows:,}"
    told = any(re.search(rf"(?<![\d,.]){whole} (?!%)", text) for text in texts)
    return [f"{text!r}, beside all {whole}" for text in few_left if told]


def faults_of_page(page, frame, n, least):
    """Return the faults of a page, except of losses that are no shares of records."""
    sizes = (n, len(frame))
    loss = [box for box in page.verdict if box.title in LOSS]
    own = [text for box in loss for text in (box.number, *box.words[:2])]
    for content in (each for section in page.sections for each in section.content):
        if getattr(content, "title", "") in LOSS:
            own += [value for row in content.rows if row.name not in COUNTING for value in row]
        elif isinstance(content, NumberTable) and "overlap" in content.table[0][-1]:
            own += [row[-1] for row in content.table]
    texts = [text for text in texts_of(render(page)) if text not in own]
    faults = [fault for text in texts for fault in faults_in(text, sizes, least)]
    words = rare_words(frame, least)
    faults += [f"a rare category: {text}" for text in texts if any(w in text for w in words)]
    for name, value in page.measures.items():
        counted = name in COUNTING and value is not None
        if counted and few(value * n / 100, n, least) and value not in (0.0, 100.0):
            faults.append(f"measure {name}: {value}")
    return faults


def rare_words(frame, least):
    """Return the categories of a few records."""
    columns = (frame["town"], frame["job"])
    counts = {word: count for c in columns for word, count in c.value_counts().items()}
    return [word for word, count in counts.items() if count < least]


def few_changed(frame, released, names, least):
    """Return the columns in which few records changed, or of categories all but a few."""
    columns = []
    for name in {"town", "job", "debt"} & set(names):
        before, after = (list(each[name].map(repr)) for each in (frame, released))
        count = sum(x != y for x, y in zip(before, after, strict=True))
        of_few = few(count, len(frame), least)
        if of_few if name != "debt" else 0 < count < least:
            columns.append(name)
    return columns


def changes_shown(page, columns):
    """Return what a page shows of the original of some columns, next to the release."""
    shown = [
        each for s in page.sections if s.name == "columns" for c in s.content for each in c.figures
    ]
    faults = [f.title for f in shown if f.title in columns and 'fill-opacity=".45"' in f.picture]
    losses = OF_NUMBERS if "debt" in columns else ()
    texts = [row for s in page.sections for c in s.content for row in getattr(c, "rows", ())]
    faults += [r.name for r in texts if getattr(r, "name", "") in losses and r.value != "not shown"]
    return faults


def told_by(columns):
    """Return the losses from which the number of changes in some columns follows."""
    return LOSSES if {"town", "job"} & set(columns) else ("il",)


def losses_shown(page, columns):
    """Return the losses that a page shows and that tell how many categories changed."""
    faults = [
        f"{box.title}: {box.number}, {word}"
        for box in page.verdict
        for word in box.words
        if box.title in LOSS and (box.number not in ("not shown", "?") or "lost the most" in word)
    ]
    rows = [
        row
        for section in page.sections
        for content in section.content
        if getattr(content, "title", "") in LOSS
        for row in content.rows
    ]
    faults += [f"{row.name}: {row.value}" for row in rows if row.name in told_by(columns)]
    faults += [f"{text}" for text in texts_of(render(page)) if "can lose less than" in text]
    shown = [
        f"{name}: {page.measures.get(name)}" for name in told_by(columns) if page.measures.get(name)
    ]
    return [fault for fault in faults if "not shown" not in fault] + shown


COEFFICIENT = re.compile(r" -?\d\S* +-?\d\S* +\d+ %$")
"""A coefficient before and after, and the overlap of their intervals, which is no share of records."""


def attempt(seed):
    """Judge what others read of a random release and of its assessment; return whether there is one."""
    rng = rng_of(seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        frame, release = released(rng, people(rng))
        if release is None:
            return False
        outcome = release.outcome
        target = "ill" if rng.random() < 0.1 else None
        try:
            page = page_of_release(outcome, frame, audience="external", target=target)
        except DataError:  # too few records to predict the target
            return False
        least = max(int(outcome.settings.k), 5)
        faults = faults_of_page(page, frame, outcome.records, least)
        faults += subtracted(outcome, texts_of(render(page)), least)
        rows = np.arange(len(frame)) if release.rows is None else release.rows
        kept, data = (each.reset_index(drop=True) for each in (frame.iloc[rows], release.data))
        names = list(outcome.schema.quasi_identifiers)
        changed = few_changed(kept, data, names, least)
        faults += changes_shown(page, changed)
        if changed:
            faults += losses_shown(page, changed)
        found = ma.assess(kept, data, quasi_identifiers=names, target=target)
    least = max(min(found.pair.anonymity.k, 20), 5)
    n = found.pair.n
    page = page_of_assessment(found, audience="external")
    faults += faults_of_page(page, frame, n, least)
    content = found.as_dict("external")
    changed = few_changed(kept, data, names, least)
    faults += changes_shown(page, changed)
    if changed:
        faults += losses_shown(page, changed)
        hidden = (*told_by(changed), *(OF_NUMBERS if "debt" in changed else ()))
        values = {name: content["measures"][name]["value"] for name in hidden}
        faults += [f"JSON measure {name}: {each}" for name, each in values.items() if each]
    for name, each in content["measures"].items():
        counted = name in COUNTING and each["value"] not in (None, 0.0, 100.0)
        if counted and few(each["value"] * n / 100, n, least):
            faults.append(f"JSON measure {name}: {each['value']}")
    content.pop("measures")
    faults += faults_in_json(content, (n, len(frame)), least)
    for line in found.summary("external").split("\n"):
        if COEFFICIENT.search(line):
            continue
        named = re.search(r"\((\S+)\) +\S+ %", line)
        if named is None or named[1] in COUNTING:
            faults += faults_in(line, (n, len(frame)), least)
    assert not faults, f"case {seed}: n={n}, least={least}: {faults}"
    return True


@pytest.mark.parametrize("part", range(PARTS))
def test_nothing_for_others_stands_for_a_few_records(part, record_property):
    seeds = range(part, CASES, PARTS)
    shown = count_of(seeds, attempt)
    record_property("reports", len(seeds))
    record_property("written", shown)
    assert 0 < shown <= len(seeds)


@pytest.mark.exhaustive
@pytest.mark.timeout(600)
@pytest.mark.parametrize("part", range(20))
def test_nothing_in_many_reports_for_others_stands_for_a_few_records(part, record_property):
    seeds = range(CASES + part, CASES + 2_000, 20)
    record_property("written", count_of(seeds, attempt))
    record_property("reports", len(seeds))
