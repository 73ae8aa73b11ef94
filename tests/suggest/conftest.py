"""Frames of made-up values in the shape of public data sets, from a seed."""

import zlib
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

N = 1000
SYLLABLES = [a + b for a in "bdfgklmnprstvz" for b in ("a", "e", "i", "o", "u", "an", "er", "is")]


@pytest.fixture(scope="session")
def public_schemas():
    """Return by data set a table of made-up values, and by column the roles that are right."""
    frames, lines = {}, Path(__file__).with_name("public_schemas.txt").read_text().splitlines()
    for line in lines:
        if line.startswith("["):
            schema = line.strip("[]")
            columns, roles = frames[schema] = ({}, {})
        elif line and not line.startswith("#"):
            # Formats of times have colons of their own.
            name, rest = line.split(": ", 1)
            shape, roles[name] = rest.rsplit(": ", 1)
            rng = np.random.default_rng(zlib.crc32(f"{schema}/{name}".encode()))
            columns[name] = values(shape.split(" "), rng, N)
    return {
        schema: (pa.Table.from_pandas(pd.DataFrame(columns), preserve_index=False), roles)
        for schema, (columns, roles) in frames.items()
    }


def values(shape, rng, n):
    what, *given = shape
    if what in ("miss", "zeros", "blank"):
        given = given if what == "miss" else [None if what == "blank" else "0", *given]
        marker, share, *inner = given
        column = pd.Series(values(inner, rng, n))
        absent = rng.random(n) < float(share)
        if marker is None:
            return column.mask(absent)
        number = marker.lstrip("-").isdigit() and column.dtype != object
        column = column if number else column.astype(object).astype(str)
        return column.mask(absent, float(marker) if number else marker)
    return SHAPES[what](rng, n, *given)


def word(rng, least=2, most=3):
    size = int(rng.integers(least, most + 1))
    return "".join(SYLLABLES[at] for at in rng.integers(0, len(SYLLABLES), size).tolist())


def different(rng, count, make):
    seen = {}
    while len(seen) < count:
        seen[make()] = None
    return list(seen)


def drawn(rng, n, count, make):
    """Return values of which `count` are different, unevenly often."""
    pool = np.array(different(rng, int(count), make), dtype=object)
    often = rng.dirichlet(np.full(len(pool), 2.0))
    rest = rng.choice(pool, max(n - len(pool), 0), p=often)
    return rng.permutation(np.concatenate([pool, rest])[:n])


def name(rng):
    return word(rng).capitalize()


def random_numbers(rng, count, digits):
    low, high = 10 ** (int(digits) - 1), 10 ** int(digits)
    return different(rng, int(count), lambda: int(rng.integers(low, high)))


def household(rng, n):
    sizes = rng.integers(1, 5, n)
    return np.repeat(np.arange(1, n + 1), sizes)[:n]


def moments(rng, n, *form):
    start = pd.Timestamp("1940-01-01")
    seconds = rng.integers(0, 80 * 365 * 86400, n)
    return (start + pd.to_timedelta(seconds, "s")).strftime(" ".join(form))


def letters(rng, length, alphabet="ABCDEFGHJKLMNPQRSTUVWXYZ0123456789"):
    return "".join(alphabet[at] for at in rng.integers(0, len(alphabet), int(length)).tolist())


def alnum(rng, length):
    return "A" + letters(rng, int(length) - 2) + str(rng.integers(0, 10))


def phrase(rng, count):
    return " ".join(name(rng) for _ in range(int(count)))


def digits(rng, *sizes):
    return ["".join(map(str, rng.integers(0, 10, size).tolist())) for size in sizes]


def each(make):
    return lambda rng, n, *given: [make(rng, *given) for _ in range(n)]


SHAPES = {
    "int": lambda rng, n, low, high: rng.integers(int(low), int(high) + 1, n),
    "code": lambda rng, n, k: rng.integers(1, int(k) + 1, n),
    "code0": lambda rng, n, k: rng.integers(0, int(k), n),
    "count": lambda rng, n, mean: rng.poisson(float(mean), n),
    "yn01": lambda rng, n: rng.integers(0, 2, n),
    "yn": lambda rng, n: rng.choice(["yes", "no"], n),
    "tf": lambda rng, n: rng.random(n) < 0.3,
    "constant": lambda rng, n: ["P"] * n,
    "normal": lambda rng, n, m, s, d: np.round(np.abs(rng.normal(float(m), float(s), n)), int(d)),
    "lognormal": lambda rng, n, m, s, d: np.round(rng.lognormal(float(m), float(s), n), int(d)),
    "uniform": lambda rng, n, low, high, d: np.round(rng.uniform(float(low), float(high), n), int(d)),
    "steps": lambda rng, n, step, k: int(step) * rng.integers(1, int(k), n),
    "cat": lambda rng, n, k: drawn(rng, n, k, lambda: word(rng)),
    "words": lambda rng, n, w, k: drawn(rng, n, k, lambda: phrase(rng, w)),
    "city": lambda rng, n, k: drawn(rng, n, k, lambda: name(rng)),
    "seq": lambda rng, n, first: np.arange(int(first), int(first) + n),
    "random": lambda rng, n, d: random_numbers(rng, n, d),
    "repeated": lambda rng, n, k, d: drawn(
        rng, n, min(int(k), 9 * 10 ** (int(d) - 1)), lambda: random_numbers(rng, 1, d)[0]
    ).astype(np.int64),
    "household": household,
    "gaps": lambda rng, n: np.cumsum(rng.integers(1, 3, n)),
    "intdate_us": lambda rng, n: moments(rng, n, "%m%d%Y").astype(int),
    "icd10": lambda rng, n: drawn(rng, n, 300, lambda: f"{letters(rng, 1)}{digits(rng, 2)[0]}.1"),
    "street_de": each(lambda rng: f"{name(rng)}straße {rng.integers(1, 200)}"),
    "serialno": lambda rng, n: [f"2019HU{number:07d}" for number in household(rng, n)],
    "padded": lambda rng, n: [f"{number:9d}{at % 9:3d}" for at, number in enumerate(household(rng, n))],
    "prefixed": lambda rng, n, prefix: [f"{prefix}{number}" for number in random_numbers(rng, n, 6)],
    "digits": lambda rng, n, d: ["0" + digits(rng, int(d) - 1)[0] for _ in range(n)],
    "date": moments,
    "datetime": moments,
    "intdate": lambda rng, n: moments(rng, n, "%Y%m%d").astype(int),
    "clock": each(lambda rng: "{}:{:02d}:{:02d}".format(*rng.integers([2, 0, 0], [6, 60, 60]))),
    "first": lambda rng, n, k: drawn(rng, n, k, lambda: name(rng)),
    "last": lambda rng, n, k: drawn(rng, n, k, lambda: name(rng)),
    "names": lambda rng, n, k: drawn(rng, n, k, lambda: phrase(rng, 2)),
    "full": each(lambda rng: phrase(rng, 2)),
    "lastfirst": each(lambda rng: f"{name(rng)}, {phrase(rng, rng.integers(1, 3))}"),
    "email": each(lambda rng: f"{word(rng)}.{word(rng)}@example.org"),
    "phone": each(lambda rng: "({}) {}-{}".format(*digits(rng, 3, 3, 4))),
    "phone_de": each(lambda rng: "0{} / {}".format(*digits(rng, 3, 6))),
    "ssn": each(lambda rng: "-".join(digits(rng, 3, 2, 4))),
    "card": each(lambda rng: " ".join(digits(rng, 4, 4, 4, 4))),
    "iban": each(lambda rng: "DE" + digits(rng, 20)[0]),
    "url": each(lambda rng: f"https://www.example.org/{word(rng)}/{letters(rng, 6)}"),
    "ip": each(lambda rng: ".".join(map(str, rng.integers(1, 255, 4)))),
    "uuid": each(lambda rng: "-".join(letters(rng, k, "0123456789abcdef") for k in (8, 4, 4, 4, 12))),
    "hex": each(lambda rng: letters(rng, 16, "0123456789ABCDEF")),
    "street": each(lambda rng: f"{rng.integers(1, 9999)} {name(rng)} {rng.choice(['ST', 'Ave', 'Road'])}"),
    "text": each(lambda rng: " ".join(word(rng, 1, 3) for _ in range(rng.integers(5, 20)))),
    "alnum": each(alnum),
    "ticket": lambda rng, n, k: drawn(rng, n, k, lambda: f"A/{rng.integers(2)} {digits(rng, 5)[0]}"),
    "cabin": each(lambda rng: rng.choice(list("ABCDEF")) + str(rng.integers(1, 140))),
    "icd": lambda rng, n: drawn(rng, n, 300, lambda: f"{rng.integers(1, 999)}.{rng.integers(0, 99)}"),
    "zip": lambda rng, n: drawn(rng, n, 400, lambda: digits(rng, 5)[0]),
    "zip3": lambda rng, n: drawn(rng, n, 150, lambda: digits(rng, 3)[0] + "xx"),
    "money": each(lambda rng: f"${rng.integers(1, 900):,}.00"),
}  # fmt: skip
