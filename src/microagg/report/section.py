"""Where the sections of a report are registered.

A section is a function in a file of `sections/`, with one decorator that declares its title, its
place and its audiences. The names of its parameters are those of the parts of `Material` that it
needs: a report that lacks one goes without the section.
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
        That of its file.
    title : str
        Its heading.
    place : int
        Its place among the others, the smallest first.
    audiences : tuple of str
        Who sees it.
    needs, takes : tuple of str
        The parts of `Material` without which there is no section, and all that it reads.
    """

    name: str
    title: str
    place: int
    audiences: tuple[str, ...]
    needs: tuple[str, ...]
    takes: tuple[str, ...]
    build: Build = field(repr=False)

    def applies(self, material: Material) -> bool:
        """Tell whether a report has what the section needs, and its reader may see it."""
        has_all = all(getattr(material, name) is not None for name in self.needs)
        return has_all and material.reader.name in self.audiences

    def shown(self, material: Material) -> PageSection:
        """Return the section as it is shown."""
        content = self.build(**{name: getattr(material, name) for name in self.takes})
        return PageSection(self.name, self.title, tuple(content))


_SECTIONS: list[Section] = []


def section(
    title: str, *, place: int, audiences: tuple[str, ...] = AUDIENCES
) -> Callable[[Build], Build]:
    """Register the decorated function as a section.

    A parameter with a default is a part that the section can do without. A section without any
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
