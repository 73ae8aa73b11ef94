"""`microagg info` says what a bug report needs, and nothing about records."""

import json

from click.testing import CliRunner

from microagg.cli.app import app

RUN = CliRunner()


def test_text_names_versions_and_caches(monkeypatch):
    monkeypatch.setenv("MICROAGG_ENGINE", "auto")
    result = RUN.invoke(app, ["info"])
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert "engine: auto" in lines
    assert any(line.startswith("kernel cache: ") for line in lines)
    assert any(line.startswith("  numpy: ") for line in lines)


def test_json_is_for_programs(monkeypatch):
    monkeypatch.delenv("MICROAGG_DATA", raising=False)
    facts = json.loads(RUN.invoke(app, ["info", "--json"]).stdout)
    assert facts["threads"] >= 1
    assert facts["data folder (MICROAGG_DATA)"] is None
    assert facts["packages"]["numba"]
    assert "pytest" not in facts["packages"]


def test_a_user_without_a_home_folder_has_no_kernel_cache(monkeypatch):
    monkeypatch.setattr("microagg.kernels.cache_folder.cache_root", lambda: None)
    lines = RUN.invoke(app, ["info"]).stdout.splitlines()
    assert {"kernel cache: none", "kernel cache is in use: no"} <= set(lines)
