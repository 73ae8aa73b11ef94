"""`microagg info`: facts about the installation for bug reports."""

from __future__ import annotations

import os
import platform
import sys
from importlib.metadata import PackageNotFoundError, requires, version

from microagg.cli import options
from microagg.cli.console import answer, printable
from microagg.engine import VARIABLE, has_gpu
from microagg.lazy import lazy
from microagg.threads import workers

cache = lazy("microagg.kernels.cache_folder")

Facts = dict[str, str | int | bool | dict[str, str | None] | None]


def command(*, json: options.Json = False) -> None:
    """Describe the installation for a bug report: versions, caches, threads and GPU."""
    facts = facts_of_installation()
    if json:
        answer(facts)
    else:
        sys.stdout.write(printable(_as_text(facts)))


def facts_of_installation() -> Facts:
    """Return the versions and settings that affect results and speed, without paths except caches."""
    folder = cache.cache_root()
    return {
        "microagg": version("microagg"),
        "python": platform.python_version(),
        "platform": platform.platform(),
        "processor": platform.machine(),
        "threads": workers(),
        "kernel cache": None if folder is None else str(folder),
        "kernel cache is in use": folder is not None and folder.is_dir(),
        "engine": os.environ.get(VARIABLE, "cpu"),
        "GPU available": has_gpu(),
        "data folder (MICROAGG_DATA)": os.environ.get("MICROAGG_DATA"),
        "packages": {name: _version(name) for name in _packages()},
    }


def _packages() -> list[str]:
    """Return the names of all packages that microagg requires or can use."""
    names = set()
    for line in requires("microagg") or ():
        name = line.split(";")[0].split("[")[0]
        for sign in "<>=!~ (":
            name = name.split(sign)[0]
        if "extra == 'dev'" not in line.replace('"', "'"):
            names.add(name.strip())
    return sorted(names - {"microagg"})


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _as_text(facts: Facts) -> str:
    lines = []
    for name, value in facts.items():
        if isinstance(value, dict):
            lines += [f"{name}:", *(f"  {key}: {_word(entry)}" for key, entry in value.items())]
        else:
            lines.append(f"{name}: {_word(value)}")
    return "\n".join([*lines, ""])


def _word(value: str | int | bool | None) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "none" if value is None else str(value)
