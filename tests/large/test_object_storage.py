"""Input and output in object storage, against an S3 server on this machine; and packed text."""

import gzip

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import microagg as ma
from microagg.data.remote import RemotePath, located
from microagg.errors import FileError, ParameterError
from microagg.large import memory, place

GIVEN = {
    "k": 5,
    "quasi_identifiers": ["x0", "x1", "x2"],
    "identifiers": ["name"],
    "parameters": {"block_size": 150},
}


@pytest.fixture(autouse=True)
def _small_pieces(monkeypatch):
    monkeypatch.setattr(memory, "LARGEST_PIECE", 250)


@pytest.fixture(scope="module")
def server():
    """Start an S3 server; return its address."""
    moto = pytest.importorskip("moto.server")
    running = moto.ThreadedMotoServer(ip_address="127.0.0.1", port=0)
    running.start()
    host, port = running.get_host_and_port()
    yield f"{host}:{port}"
    running.stop()


@pytest.fixture
def bucket(server, monkeypatch):
    """Return a function that makes the URI of a key, and the file system; the bucket is fresh."""
    fs = pytest.importorskip("pyarrow.fs")
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "test")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    storage = fs.S3FileSystem(
        endpoint_override=server, scheme="http", allow_bucket_creation=True,
        allow_bucket_deletion=True, region="us-east-1",
    )  # fmt: skip
    storage.create_dir("people")
    yield lambda key: f"s3://people/{key}?scheme=http&endpoint_override={server}", storage
    storage.delete_dir_contents("people")
    storage.delete_dir("people")


def put(storage, key, table, **options):
    with storage.open_output_stream(f"people/{key}") as sink:
        pq.write_table(table, sink, **options)


def files_of(storage, key):
    from pyarrow.fs import FileSelector

    found = storage.get_file_info(FileSelector(f"people/{key}", recursive=True))
    return sorted(info.path.removeprefix("people/") for info in found if info.is_file)


def content(storage, key):
    with storage.open_input_stream(f"people/{key}") as stream:
        return stream.read()


@pytest.mark.slow
def test_one_file_from_and_to_object_storage(people, source, bucket, tmp_path):
    uri, storage = bucket
    put(storage, "in/people.parquet", people, row_group_size=200)
    ma.protect_file(source(), tmp_path / "local", **GIVEN)
    release = ma.protect_file(uri("in/people.parquet"), uri("out"), work=tmp_path / "work", **GIVEN)
    assert files_of(storage, "out") == [
        "out/groups.parquet", "out/provenance.json", "out/release.parquet", "out/summary.txt",
    ]  # fmt: skip
    table = pq.read_table(pa.BufferReader(content(storage, "out/release.parquet")))
    assert table.equals(pq.read_table(tmp_path / "local" / "release.parquet"))
    assert str(release.paths["data"]) == "s3://people/out/release.parquet"
    assert not (tmp_path / "work").exists()
    assert "test" not in str(release.provenance["input"])  # the credentials


@pytest.mark.slow
def test_a_folder_of_parts_is_mirrored_there_and_bytes_are_those_of_a_local_run(
    people, bucket, tmp_path
):
    uri, storage = bucket
    for year, start in (("2023", 0), ("2024", 350)):
        part = people.slice(start, 350 if year == "2023" else 250)
        put(storage, f"in/year={year}/part.parquet", part)
        (tmp_path / "in" / f"year={year}").mkdir(parents=True)
        pq.write_table(part, tmp_path / "in" / f"year={year}" / "part.parquet")
    ma.protect_file(tmp_path / "in", tmp_path / "local", **GIVEN)
    ma.protect_file(uri("in"), uri("out"), work=tmp_path / "work", **GIVEN)
    for name in ("release/year=2023/part.parquet", "groups/year=2024/part.parquet"):
        assert content(storage, f"out/{name}") == (tmp_path / "local" / name).read_bytes()


@pytest.mark.slow
def test_what_cannot_be_published_leaves_nothing_there_and_goes_on(
    people, bucket, tmp_path, monkeypatch
):
    uri, storage = bucket
    put(storage, "in/people.parquet", people)
    names = (uri("in/people.parquet"), uri("out"))
    plain = place.upload

    def failing(path, target):
        if target.name == "provenance.json":
            raise FileError("gone")
        plain(path, target)

    with monkeypatch.context() as patch:
        patch.setattr(place, "upload", failing)
        with pytest.raises(FileError, match="gone"):
            ma.protect_file(*names, work=tmp_path / "work", **GIVEN)
    assert files_of(storage, "out") == []
    assert (tmp_path / "work" / ".microagg-work" / "manifest.json").exists()
    ma.protect_file(*names, work=tmp_path / "work", **GIVEN)
    assert len(files_of(storage, "out")) == 4
    with pytest.raises(FileError, match=r"s3://people/out/release\.parquet' exists already"):
        ma.protect_file(*names, work=tmp_path / "work", **GIVEN)
    ma.protect_file(*names, work=tmp_path / "work", overwrite=True, **GIVEN)


@pytest.mark.slow
def test_parts_of_an_earlier_release_go_before_the_provenance_comes(
    people, bucket, tmp_path, monkeypatch
):
    uri, storage = bucket
    put(storage, "in/part-0.parquet", people)
    put(storage, "out/release/part-9.parquet", people)
    plain, seen = place.upload, []

    def watched(path, target):
        if target.name == "provenance.json":
            seen.extend(files_of(storage, "out/release"))
        plain(path, target)

    monkeypatch.setattr(place, "upload", watched)
    ma.protect_file(uri("in"), uri("out"), work=tmp_path / "work", overwrite=True, **GIVEN)
    assert seen == ["out/release/part-0.parquet"]


@pytest.mark.slow
def test_the_command_line_takes_uris(microagg_app, people, bucket, tmp_path):
    uri, storage = bucket
    put(storage, "in/people.parquet", people)
    done = microagg_app(
        "protect", uri("in/people.parquet"), "-k", "5", "--qi", "x0,x1,x2", "--id", "name",
        "-o", uri("out"), "--memory", "1GB", "--work", str(tmp_path / "work"),
    )  # fmt: skip
    assert done.exit_code == 0, done.output
    assert "s3://people/out/release.parquet" in done.output
    assert "endpoint_override" not in done.output


@pytest.fixture
def microagg_app():
    from click.testing import CliRunner

    from microagg.cli.app import app

    return lambda *words: CliRunner().invoke(app, words)


@pytest.mark.slow
def test_what_is_not_there_or_has_no_place(people, bucket, tmp_path):
    uri, storage = bucket
    with pytest.raises(FileError, match=r"'s3://people/in/nobody\.parquet'"):
        ma.protect_file(uri("in/nobody.parquet"), tmp_path / "out", **GIVEN)
    put(storage, "in/people.parquet", people)
    with pytest.raises(ParameterError, match="'work' parameter is required, because 's3://"):
        ma.protect_file(uri("in/people.parquet"), uri("out"), **GIVEN)
    with pytest.raises(ParameterError, match="is inside the input folder"):
        ma.protect_file(uri("in"), uri("in/out"), work=tmp_path / "work", **GIVEN)
    with pytest.raises(
        ParameterError, match="'work' parameter applies to a release in object storage"
    ):
        ma.protect_file(uri("in"), tmp_path / "out", work=tmp_path / "work", **GIVEN)


def test_paths_and_addresses_are_told_apart(tmp_path):
    assert located("a/b.parquet").name == "b.parquet"
    assert located(tmp_path / "c") == tmp_path / "c"
    assert located(f"file://{tmp_path}/x.csv") == tmp_path / "x.csv"
    with pytest.raises(FileError, match="'odd://place/x' is not the address of a file"):
        located("odd://key:secret@place/x?token=secret")
    remote = RemotePath("s3", "people/in/a.csv.gz", None)
    assert (str(remote.parent), remote.suffix) == ("s3://people/in", ".gz")
    assert str(remote.parent / "b" / "c") == "s3://people/in/b/c"


@pytest.mark.slow
@pytest.mark.parametrize("suffix", ["csv.gz", "csv.zst", "tsv.zst"])
def test_packed_text_in_and_out(people, source, tmp_path, suffix):
    ma.protect_file(source("csv"), tmp_path / "plain", **GIVEN)
    release = ma.protect_file(source(suffix), tmp_path / "packed", **GIVEN)
    assert release.paths["data"].name == f"release.{suffix}"
    plain = ma.read_file(tmp_path / "plain" / "release.csv")
    assert ma.read_file(release.paths["data"]).equals(plain)
    if suffix == "csv.gz":
        data = gzip.decompress(release.paths["data"].read_bytes())
        assert data == (tmp_path / "plain" / "release.csv").read_bytes()


@pytest.mark.parametrize("suffix", ["csv.gz", "csv.zst"])
def test_packed_text_that_breaks_off(source, tmp_path, suffix):
    path = source(suffix)
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(FileError, match="data ends early"):
        ma.protect_file(path, tmp_path / "out", **GIVEN)
    with pytest.raises(FileError, match="data ends early"):
        ma.read_file(path)


def test_parquet_packed_with_zstd_or_gzip_is_read(people, tmp_path):
    labels = []
    for codec in ("zstd", "gzip", "snappy"):
        path = tmp_path / f"{codec}.parquet"
        pq.write_table(people, path, compression=codec)
        release = ma.protect_file(path, tmp_path / codec, **GIVEN)
        labels.append(pq.read_table(release.paths["groups"])["group"].to_numpy())
    assert all(np.array_equal(labels[0], own) for own in labels)
