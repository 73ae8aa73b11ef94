"""The registry of report sections.

A section is a function in a file of `sections/`, with one decorator that declares its title, its
place and its audiences. The names of its parameters are those of the parts of `Material` that it
needs: a report without one of them omits the section.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, fields

from microagg.errors import ParameterError
from microagg.lazy import import_all
from microagg.report.audience import AUDIENCES
from microagg.report.content import Content, PageSection
from microagg.report.material import Material

Build = Callable[..., Iterable[Content]]


@dataclass(frozen=True)
class Section:
    """A registered section.

    Attributes
    ----------
    name : str
        The name of its file.
    title : str
        Its title.
    place : int
        Its position; the smallest comes first.
    audiences : tuple of str
        The audiences that see it.
    needs, takes : tuple of str
        The parts of `Material` that it requires, and all parts that it uses.
    """

    name: str
    title: str
    place: int
    audiences: tuple[str, ...]
    needs: tuple[str, ...]
    takes: tuple[str, ...]
    build: Build = field(repr=False)

    def applies(self, material: Material) -> bool:
        """Return whether a report has the required parts, and its audience may see the section."""
        has_all = all(getattr(material, name) is not None for name in self.needs)
        return has_all and material.reader.name in self.audiences

    def shown(self, material: Material) -> PageSection:
        """Return the section for a page."""
        content = self.build(**{name: getattr(material, name) for name in self.takes})
        return PageSection(self.name, self.title, tuple(content))


_SECTIONS: list[Section] = []


def section(
    title: str, *, place: int, audiences: tuple[str, ...] = AUDIENCES
) -> Callable[[Build], Build]:
    """Register the decorated function as a section.

    A parameter with a default is an optional part. A section without any
    content is left out.
    """

    def register(build: Build) -> Build:
        parameters = inspect.signature(build).parameters
        parts = {part.name for part in fields(Material)}
        if unknown := [name for name in parameters if name not in parts]:
            raise ParameterError(
                f"The section '{title}' asks for '{unknown[0]}', which no report has.",
                hint=f"A report has: {', '.join(sorted(parts))}.",
            )
        needs = tuple(n for n, each in parameters.items() if each.default is each.empty)
        name = build.__module__.rpartition(".")[2]
        _SECTIONS.append(Section(name, title, place, audiences, needs, tuple(parameters), build))
        return build

    return register


def sections_of(material: Material) -> list[PageSection]:
    """Return the sections of a report, in order."""
    import_all("microagg.report.sections")
    ordered = sorted(_SECTIONS, key=lambda each: each.place)
    shown = [each.shown(material) for each in ordered if each.applies(material)]
    return [each for each in shown if each.content]
