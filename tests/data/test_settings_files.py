"""Files beside the records: pipes, devices and folders in their place, and very long ones."""

import os

import pyarrow as pa
import pytest

import microagg as ma
from microagg.data.settings_files import LARGEST, read_settings_file
from microagg.errors import FileError, MicroaggError

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes as Unix has them")


def pipes(folder):
    """Return a pipe that nobody writes to, and a device without an end."""
    os.mkfifo(folder / "pipe")
    return [folder / "pipe", "/dev/zero"]


@pytest.mark.parametrize("option", ["hierarchies", "distance_tables"])
def test_a_pipe_or_a_device_is_refused_and_not_waited_for(option, tmp_path):
    table = pa.table({"age": [40, 41] * 3, "ill": ["flu", "cold"] * 3})
    for pipe in pipes(tmp_path):
        roles = {"quasi_identifiers": ["age", "ill"], "method": "mdav"}
        with pytest.raises(MicroaggError, match="is a pipe or a device"):
            ma.protect(table, 2, **roles, **{option: {"ill": pipe}})


def test_so_it_is_as_a_schema(tmp_path):
    for pipe in pipes(tmp_path):
        with pytest.raises(FileError, match="is a pipe or a device"):
            ma.Schema.from_toml(pipe)


def test_so_it_is_as_provenance(tmp_path):
    for pipe in pipes(tmp_path):
        with pytest.raises(FileError, match="is a pipe or a device"):
            ma.verify(tmp_path / "release.csv", pipe)
        with pytest.raises(FileError, match="is a pipe or a device"):
            ma.read_arguments(pipe)


def test_folders_and_very_long_files_are_refused(tmp_path):
    with pytest.raises(FileError, match="it is a folder"):
        read_settings_file(tmp_path)
    path = tmp_path / "long.toml"
    path.touch()
    os.truncate(path, LARGEST + 1)
    with pytest.raises(FileError, match="longer than 256 MiB"):
        read_settings_file(path)
