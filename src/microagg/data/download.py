"""The cache folder, and what comes into it: pinned R files, converted to pinned CSV.

Nothing is used or kept that does not have its SHA-256: the R file is checked as it arrives (by
pooch), the CSV after conversion, and only then is it renamed into the cache.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from pathlib import Path

from microagg.data.catalogue import SDCMICRO_URL, CatalogueEntry, Remote
from microagg.data.convert import from_rda, need_rdata
from microagg.errors import FileError

TIMEOUT_SECONDS = 30


def cache_folder() -> Path:
    """Return the folder of MICROAGG_CACHE, or the operating system's cache folder for microagg."""
    chosen = os.environ.get("MICROAGG_CACHE")
    if chosen:
        return Path(chosen).expanduser()
    import pooch

    return Path(pooch.os_cache("microagg"))


def base_url() -> str:
    """Return the address that downloads start with: MICROAGG_MIRROR, or sdcMicro on GitHub."""
    return (os.environ.get("MICROAGG_MIRROR") or SDCMICRO_URL).rstrip("/")


def check_sha256(content: bytes, sha256: str, what: str, hint: str) -> None:
    """Raise if the bytes are not the pinned ones.

    Examples
    --------
    >>> check_sha256(b"", "0" * 64, "The file 'a.csv'", hint="Remove it.")
    Traceback (most recent call last):
    ...
    microagg.errors.FileError: The file 'a.csv' does not have the pinned SHA-256 000000000000...;
    it was not used.
    Hint: Remove it.
    """
    if hashlib.sha256(content).hexdigest() != sha256:
        raise FileError(
            f"{what} does not have the pinned SHA-256 {sha256[:12]}...; it was not used.",
            hint=hint,
        )


def download(entry: CatalogueEntry, remote: Remote) -> Path:
    """Bring a data set into the cache and return the path of its CSV file there."""
    need_rdata()  # before the download: without it the bytes would be of no use
    cache = cache_folder()
    try:
        cache.mkdir(parents=True, exist_ok=True)
        work = tempfile.TemporaryDirectory(prefix=".download-", dir=cache)
    except OSError as error:
        raise FileError(
            f"The cache folder '{cache}' cannot be written: {error.strerror}.",
            hint="Set MICROAGG_CACHE to a folder that can be written.",
        ) from error
    with work as folder:
        content = from_rda(_retrieve(entry.name, remote, Path(folder)))
        check_sha256(
            content,
            entry.sha256,
            f"The data set '{entry.name}', converted from '{remote.path}',",
            hint="Update the package 'rdata', and report this if it persists.",
        )
        return _keep(content, Path(folder) / entry.file, cache / entry.file)


def _retrieve(name: str, remote: Remote, folder: Path) -> Path:
    """Download one file with its SHA-256 checked."""
    import pooch

    url = f"{base_url()}/{remote.path}"
    try:
        path = pooch.retrieve(
            url,
            known_hash=f"sha256:{remote.sha256}",
            fname=Path(remote.path).name,
            path=folder,
            downloader=pooch.HTTPDownloader(timeout=TIMEOUT_SECONDS),
        )
    except OSError as error:  # every failure of requests is one
        raise FileError(
            f"The data set '{name}' cannot be downloaded from {url} ({type(error).__name__}).",
            hint="Check the connection, or set MICROAGG_DATA to a folder that contains the file "
            "or MICROAGG_MIRROR to another address.",
        ) from error
    except ValueError as error:  # pooch's word for a wrong hash
        raise FileError(
            f"The download {url} does not have the pinned SHA-256 {remote.sha256[:12]}...; "
            "it was not used.",
            hint="The file was changed in transit, or MICROAGG_MIRROR points to another one.",
        ) from error
    return Path(path)


def _keep(content: bytes, beside: Path, target: Path) -> Path:
    """Write beside, then rename: an interrupted run leaves no half file in the cache."""
    try:
        beside.write_bytes(content)
        beside.replace(target)
    except OSError as error:
        raise FileError(
            f"The file '{target}' cannot be written: {error.strerror}.",
            hint="Set MICROAGG_CACHE to a folder that can be written.",
        ) from error
    return target
