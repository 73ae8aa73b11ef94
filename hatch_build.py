"""Write the description and the addresses of the package for a package index.

A package index does not resolve relative links. `repository`, in `[tool.hatch.metadata.hooks.custom]` of
pyproject.toml, is the public address of the source. With it, the links and pictures of the README become
absolute, and the package has `[project.urls]`. Without it, links become plain text, and pictures and the
parts of the README that consist of links are left out.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

FENCE = re.compile(r"(^```.*?^```$)", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"(!?)\[([^\]]*)\]\((?!https?:|mailto:|#)([^)\s]+)\)")
LINKS_ONLY = re.compile(r"<!-- links -->\n.*?<!-- end of links -->\n+", re.DOTALL)


class CustomMetadataHook(MetadataHookInterface):
    """Set the fields that `dynamic` of pyproject.toml lists."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Add the description and the addresses."""
        address = self.config.get("repository", "").rstrip("/")
        version = metadata["version"]
        revision = "main" if "dev" in version else f"v{version}"
        readme = Path(self.root, "README.md").read_text(encoding="utf-8")
        text = described(readme, address, revision)
        metadata["readme"] = {"content-type": "text/markdown", "text": text}
        metadata["urls"] = addresses(address, revision)


def addresses(address: str, revision: str) -> dict[str, str]:
    """Return the addresses of the package; none without an address of the source."""
    if not address:
        return {}
    return {
        "Source": address,
        "Documentation": f"{address}/blob/{revision}/docs/index.md",
        "Changelog": f"{address}/blob/{revision}/CHANGELOG.md",
        "Issues": f"{address}/issues",
    }


def described(readme: str, address: str, revision: str) -> str:
    """Return the README without relative links; code blocks are unchanged."""
    if not address:
        readme = LINKS_ONLY.sub("", readme)
    change = absolute(address, revision) if address else plain
    parts = FENCE.split(readme)
    text = "".join(part if FENCE.match(part) else LINK.sub(change, part) for part in parts)
    return re.sub(r"\n{3,}", "\n\n", text)


def absolute(address: str, revision: str) -> Callable[[re.Match[str]], str]:
    """Return the function that makes a link absolute."""

    def change(link: re.Match[str]) -> str:
        picture, text, target = link.groups()
        return f"{picture}[{text}]({address}/{'raw' if picture else 'blob'}/{revision}/{target})"

    return change


def plain(link: re.Match[str]) -> str:
    """Return the text of a link, and nothing for a picture."""
    picture, text, _ = link.groups()
    return "" if picture else text
