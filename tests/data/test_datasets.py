"""Data sets by name: found, checked, converted, downloaded, cached.

The downloads run against a server in this process and an R file built here byte by byte, with
its own pins: no real data set is needed, and no network. Tests on the real sets skip without them.
"""

import gzip
import hashlib
import os
import struct
import subprocess
import sys
import threading
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from microagg.data import convert, datasets
from microagg.data.catalogue import ENTRIES, SDCMICRO_URL, CatalogueEntry, Remote
from microagg.data.download import base_url, cache_folder
from microagg.errors import DataError, FileError, MissingDependencyError, ParameterError

TINY_CSV = b"code,share,town\n1,0.5,Reus\n2,-1.25,Valls\n3,3.0,Reus\n"
REAL_TABLES = [entry.name for entry in ENTRIES.values() if entry.kind == "table"]


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


class R:
    """R's serialization, version 2, XDR: as much of it as a data frame needs."""

    NIL = struct.pack(">i", 254)

    @staticmethod
    def char(text: str) -> bytes:
        return struct.pack(">ii", 0x40009, len(text)) + text.encode("ascii")

    @classmethod
    def strings(cls, *texts: str) -> bytes:
        return struct.pack(">ii", 16, len(texts)) + b"".join(map(cls.char, texts))

    @staticmethod
    def integers(*values: int) -> bytes:
        return struct.pack(f">ii{len(values)}i", 13, len(values), *values)

    @staticmethod
    def doubles(*values: float) -> bytes:
        return struct.pack(f">ii{len(values)}d", 14, len(values), *values)

    @classmethod
    def pairs(cls, **values: bytes) -> bytes:
        nodes = (
            struct.pack(">ii", 0x402, 1) + cls.char(name.replace("_", ".")) + value
            for name, value in values.items()
        )
        return b"".join(nodes) + cls.NIL

    @classmethod
    def frame(cls, n: int, **columns: bytes) -> bytes:
        attributes = cls.pairs(
            names=cls.strings(*columns),
            row_names=cls.integers(-(2**31), -n),
            **{"class": cls.strings("data.frame")},
        )
        return struct.pack(">ii", 0x313, len(columns)) + b"".join(columns.values()) + attributes

    @classmethod
    def file(cls, **objects: bytes) -> bytes:
        head = b"RDX2\nX\n" + struct.pack(">iii", 2, 0x30000, 0x20300)
        return gzip.compress(head + cls.pairs(**objects), mtime=0)


TINY_RDA = R.file(
    tiny=R.frame(
        3,
        code=R.integers(1, 2, 3),
        share=R.doubles(0.5, -1.25, 3.0),
        town=R.strings("Reus", "Valls", "Reus"),
    )
)


@pytest.fixture
def tiny(monkeypatch) -> CatalogueEntry:
    """A data set that only this test knows, pinned like the others."""
    entry = CatalogueEntry(
        name="tiny",
        file="tiny.csv",
        sha256=sha256(TINY_CSV),
        rows=3,
        n_columns=3,
        columns=("code", "share"),
        description="",
        source="",
        licence="",
        remote=Remote("data/tiny.rda", sha256(TINY_RDA)),
    )
    monkeypatch.setitem(ENTRIES, "tiny", entry)
    return entry


@pytest.fixture
def cache(monkeypatch, tmp_path) -> Path:
    monkeypatch.delenv("MICROAGG_DATA", raising=False)
    monkeypatch.setenv("MICROAGG_CACHE", str(tmp_path / "cache"))
    # Nothing here may reach the network, even by mistake: nobody listens on the discard port.
    monkeypatch.setenv("MICROAGG_MIRROR", "http://127.0.0.1:9")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    return tmp_path / "cache"


class Server(ThreadingHTTPServer):
    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.content = TINY_RDA
        self.requests: list[str] = []


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        self.server.requests.append(self.path)
        self.send_response(200 if self.path == "/data/tiny.rda" else 404)
        self.send_header("Content-Length", str(len(self.server.content)))
        self.end_headers()
        self.wfile.write(self.server.content)

    def log_message(self, *args):
        pass


@pytest.fixture
def server(monkeypatch, cache):
    with Server() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        monkeypatch.setenv("MICROAGG_MIRROR", f"http://127.0.0.1:{server.server_port}/")
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture
def folder(monkeypatch, tmp_path, cache) -> Path:
    """An empty folder that MICROAGG_DATA points to."""
    own = tmp_path / "own"
    own.mkdir()
    monkeypatch.setenv("MICROAGG_DATA", str(own))
    return own


def where(name: str) -> str:
    return next(info.where for info in datasets.available() if info.name == name)


def real(name: str) -> datasets.Dataset:
    folder = os.environ.get("MICROAGG_DATA")
    if not folder or not (Path(folder) / ENTRIES[name].file).is_file():
        pytest.skip(f"MICROAGG_DATA has no {ENTRIES[name].file}")
    return datasets.load(name)


# Downloads


def test_download_converts_checks_and_caches(tiny, server, cache):
    assert where("tiny") == "download"
    loaded = datasets.load("tiny")
    assert server.requests == ["/data/tiny.rda"]
    assert [path.name for path in cache.iterdir()] == ["tiny.csv"]
    assert (cache / "tiny.csv").read_bytes() == TINY_CSV
    assert loaded.frame.column_names == ["code", "share", "town"]
    assert loaded.frame["town"].to_pylist() == ["Reus", "Valls", "Reus"]
    np.testing.assert_array_equal(loaded.X, [[1, 0.5], [2, -1.25], [3, 3]])
    assert loaded.sha256 == tiny.sha256


def test_second_load_comes_from_the_cache_without_a_request(tiny, server):
    first = datasets.load("tiny")
    assert where("tiny") == "cache"
    second = datasets.load("tiny")
    assert len(server.requests) == 1
    assert second.frame.equals(first.frame)


def test_download_with_a_wrong_hash_is_refused_and_not_kept(tiny, server, cache):
    server.content = TINY_RDA + b"\0"
    with pytest.raises(FileError, match="does not have the pinned SHA-256") as caught:
        datasets.load("tiny")
    assert f"127.0.0.1:{server.server_port}/data/tiny.rda" in str(caught.value)
    assert list(cache.iterdir()) == []


def test_conversion_with_a_wrong_hash_is_refused_and_not_kept(monkeypatch, tiny, server, cache):
    monkeypatch.setitem(ENTRIES, "tiny", replace(tiny, sha256="0" * 64))
    with pytest.raises(FileError, match=r"converted from 'data/tiny.rda'.*pinned SHA-256"):
        datasets.load("tiny")
    assert list(cache.iterdir()) == []


def test_server_down_is_a_clear_error(tiny, server, cache):
    server.shutdown()
    server.server_close()
    with pytest.raises(FileError, match="'tiny' cannot be downloaded from http") as caught:
        datasets.load("tiny")
    assert "MICROAGG_DATA" in caught.value.hint
    assert list(cache.iterdir()) == []


def test_file_not_on_the_server_is_a_clear_error(monkeypatch, tiny, server, cache):
    monkeypatch.setitem(ENTRIES, "tiny", replace(tiny, remote=Remote("data/no.rda", "0" * 64)))
    with pytest.raises(FileError, match="cannot be downloaded"):
        datasets.load("tiny")
    assert list(cache.iterdir()) == []


def test_without_rdata_nothing_is_downloaded(monkeypatch, tiny, server):
    monkeypatch.setitem(sys.modules, "rdata", None)
    with pytest.raises(MissingDependencyError) as caught:
        datasets.load("tiny")
    assert caught.value.hint == "Install it with: pip install 'microagg[datasets]'"
    assert server.requests == []


def test_cache_that_cannot_be_written_is_a_clear_error(monkeypatch, tmp_path, tiny, server):
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("MICROAGG_CACHE", str(tmp_path / "file"))
    with pytest.raises(FileError, match="cannot be written") as caught:
        datasets.load("tiny")
    assert "MICROAGG_CACHE" in caught.value.hint


def test_matrix_with_column_names_is_converted_too(tmp_path):
    attributes = R.pairs(
        dim=R.integers(2, 2),
        dimnames=struct.pack(">ii", 19, 2) + R.NIL + R.strings("a", "b"),
    )
    values = bytearray(R.doubles(1.0, 2.0, 0.5, 4.0))
    values[2] = 0x02  # the flag: attributes follow
    (tmp_path / "m.rda").write_bytes(R.file(m=bytes(values) + attributes))
    assert convert.from_rda(tmp_path / "m.rda") == b"a,b\n1,0.5\n2,4.0\n"


def test_defaults_of_address_and_cache(monkeypatch):
    monkeypatch.delenv("MICROAGG_MIRROR", raising=False)
    monkeypatch.delenv("MICROAGG_CACHE", raising=False)
    assert base_url() == SDCMICRO_URL
    assert cache_folder().name == "microagg"


# Folders


def test_own_folder_comes_before_the_cache(tiny, folder, cache):
    cache.mkdir()
    (cache / "tiny.csv").write_bytes(b"never read")
    (folder / "tiny.csv").write_bytes(TINY_CSV)
    assert where("tiny") == "MICROAGG_DATA"
    assert datasets.load("tiny").frame.num_rows == 3


@pytest.mark.parametrize("place", ["folder", "cache"])
def test_file_with_a_wrong_hash_is_never_used(request, tiny, folder, cache, place):
    cache.mkdir()
    path = request.getfixturevalue(place) / "tiny.csv"
    path.write_bytes(TINY_CSV.replace(b"0.5", b"0.6"))
    with pytest.raises(FileError, match="does not have the pinned SHA-256") as caught:
        datasets.load("tiny")
    assert str(path) in str(caught.value)
    assert "0.6" not in str(caught.value)


def test_set_without_a_pinned_source_says_how_to_get_it(cache):
    assert where("adult") == "unavailable"
    with pytest.raises(FileError, match="'adult' is not in") as caught:
        datasets.load("adult")
    assert "10.24432/C5XW20" in caught.value.hint
    assert "'adult.csv'" in caught.value.hint
    assert "MICROAGG_DATA" in caught.value.hint


def test_compressed_and_plain_forms_have_a_pin_each(monkeypatch, tiny, folder):
    packed = gzip.compress(TINY_CSV)
    both = replace(tiny, file="tiny.csv.gz", sha256=sha256(packed), also=("tiny.csv", tiny.sha256))
    monkeypatch.setitem(ENTRIES, "tiny", both)
    (folder / "tiny.csv").write_bytes(TINY_CSV)
    plain = datasets.load("tiny")
    (folder / "tiny.csv.gz").write_bytes(packed)
    unpacked = datasets.load("tiny")
    assert unpacked.frame.equals(plain.frame)
    assert (plain.sha256, unpacked.sha256) == (sha256(TINY_CSV), sha256(packed))


# Dataset


def test_missing_values_are_null_and_x_refuses_them(monkeypatch, tiny, folder):
    content = b"code,share,town\n1,?,?\n2,0.5,NA\n"
    monkeypatch.setitem(ENTRIES, "tiny", replace(tiny, sha256=sha256(content), missing="?"))
    (folder / "tiny.csv").write_bytes(content)
    loaded = datasets.load("tiny")
    assert loaded.frame["town"].to_pylist() == [None, "NA"]
    with pytest.raises(DataError, match=r"'tiny' has missing values in 'share' \(1\)\.") as caught:
        _ = loaded.X
    assert "complete()" in caught.value.hint
    np.testing.assert_array_equal(loaded.complete().X, [[2, 0.5]])


def test_diabetes_is_always_there(cache):
    patients = datasets.load("diabetes")
    assert where("diabetes") == "embedded"
    assert patients.frame.shape == (442, 11)
    assert patients.frame.column_names[-1] == "progression"
    assert patients.X.shape == (442, 9)
    assert patients.X.dtype == np.float64
    assert patients.X.flags.c_contiguous
    assert patients.frame["age"].type == pa.int64()
    assert not cache.exists()


def test_text_of_a_dataset_holds_no_record():
    patients = datasets.load("diabetes")
    assert "frame" not in repr(patients)
    assert "pyarrow" not in repr(patients)
    with pytest.raises(AttributeError):
        patients.name = "other"


def test_available_tells_of_every_set_and_reads_none(cache):
    infos = datasets.available()
    assert [info.name for info in infos] == list(ENTRIES)
    assert all(info.description and info.source and info.licence for info in infos)
    assert {info.name for info in infos if info.where == "download"} == {
        *("tarragona", "census", "eia", "testdata", "free1", "francdat")
    }
    assert not cache.exists()


# Names


@pytest.mark.parametrize("name", ["Diabetes", " diabetes "])
def test_case_and_blanks_in_a_name_do_not_matter(name):
    assert datasets.load(name).name == "diabetes"


def test_underscore_is_understood(cache):
    with pytest.raises(FileError, match="'nist-acs'"):
        datasets.load("nist_acs")


def test_unknown_name_suggests_the_nearest():
    with pytest.raises(
        ParameterError, match=r"There is no data set 'cenus' that datasets\.load "
    ) as caught:
        datasets.load("cenus")
    assert caught.value.hint == "Did you mean 'census'?"


@pytest.mark.parametrize("name", [None, 3, ""])
def test_what_is_no_name_is_refused(name):
    with pytest.raises(ParameterError, match=r"There is no data set .* Available: tarragona, "):
        datasets.load(name)


def test_images_and_tables_point_to_each_other():
    with pytest.raises(ParameterError, match=r"datasets\.load ") as caught:
        datasets.load("camera")
    assert "load_image('camera')" in caught.value.hint
    with pytest.raises(ParameterError, match=r"datasets\.load_image ") as caught:
        datasets.load_image("census")
    assert "load('census')" in caught.value.hint


# Images


def test_image_is_read_as_grey_levels(monkeypatch, folder):
    image_module = pytest.importorskip("PIL.Image", reason="needs the extra 'plots'")
    pixels = np.arange(12, dtype=np.uint8).reshape(3, 4) * 20
    image_module.fromarray(pixels).save(folder / "image_camera_512.png")
    pin = sha256((folder / "image_camera_512.png").read_bytes())
    monkeypatch.setitem(ENTRIES, "camera", replace(ENTRIES["camera"], sha256=pin))
    loaded = datasets.load_image("camera")
    assert loaded.dtype == np.uint8
    np.testing.assert_array_equal(loaded, pixels)


def test_without_pillow_the_error_names_the_package(monkeypatch):
    monkeypatch.setitem(sys.modules, "PIL", None)
    with pytest.raises(MissingDependencyError) as caught:
        datasets.load_image("camera")
    assert caught.value.hint == "Install it with: pip install 'microagg[plots]'"


def test_import_loads_nothing_heavy():
    code = (
        "import sys, microagg.data.datasets, microagg.data.generate\n"
        "print([m for m in ('pooch', 'pyarrow', 'sklearn', 'rdata', 'PIL') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


# The real sets


@pytest.mark.parametrize("name", REAL_TABLES)
def test_real_set_has_its_shape_and_columns(name):
    loaded = real(name)
    entry = ENTRIES[name]
    assert loaded.frame.shape == (entry.rows, entry.n_columns)
    assert loaded.sha256 == entry.sha256
    assert all(pa.types.is_integer(t) or pa.types.is_floating(t) for t in types_of(loaded))
    assert loaded.complete().X.shape[1] == len(entry.columns)


def types_of(loaded: datasets.Dataset) -> list[pa.DataType]:
    return [loaded.frame.schema.field(column).type for column in loaded.columns]


@pytest.mark.parametrize(
    ("name", "shape"), [("tarragona", (834, 13)), ("census", (1080, 13)), ("eia", (4092, 11))]
)
def test_real_benchmark_has_the_shape_of_the_literature(name, shape):
    assert real(name).X.shape == shape


@pytest.mark.parametrize(("name", "complete"), [("nycflights", 327_346), ("nist-acs", 21_586)])
def test_real_set_with_gaps(name, complete):
    loaded = real(name)
    with pytest.raises(DataError, match="missing values"):
        _ = loaded.X
    assert loaded.complete().frame.num_rows == complete


@pytest.mark.parametrize("name", ["camera", "grass"])
def test_real_image(name):
    pytest.importorskip("PIL.Image", reason="needs the extra 'plots'")
    if where(name) == "unavailable":
        pytest.skip(f"MICROAGG_DATA has no {ENTRIES[name].file}")
    assert datasets.load_image(name).shape == (512, 512)
