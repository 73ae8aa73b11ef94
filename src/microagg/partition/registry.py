"""The registry of methods.

A method is a function ``(prepared, k, context, *, parameters) -> Grouping`` in a file of its own, with
one decorator, which declares what the method can do: mixed records, a time limit. The command
line's choice, the documentation's table, the property tests and the benchmark's row all follow
from what is written there.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any, get_type_hints

from microagg.constraints import AtLeast, Constraint, check_all, constraint_of
from microagg.errors import ParameterError, unknown_name
from microagg.lazy import import_all
from microagg.partition.grouping import Grouping

Function = Callable[..., Grouping]
StrataFunction = Callable[..., Grouping | None]
Baseline = Callable[[int, int, Mapping[str, Any]], str | None]

TIME_LIMIT = "time_limit"
"""The parameter of methods with a time limit; the driver converts it to their budget."""

PUBLISHED = ("fixed", "variable", "univariate", "graph", "learning")
FAMILIES = (*PUBLISHED, "search")
"""The families of methods: folders of `partition.methods`, one file a method, and `partition.search`."""

SIZES: dict[str, Callable[[int, int], int]] = {
    "2k-1": lambda n, k: 2 * k - 1,
    "3k-2": lambda n, k: 3 * k - 2,
    "n": lambda n, k: n,
}
"""The maximum group sizes that a method can declare."""

ADDED = "added"
"""The family of methods from outside this package."""


@dataclass(frozen=True)
class Method:
    """A registered method and its declared properties.

    Attributes
    ----------
    name, family, summary, reference : str
        The name that users type, the family (the name of a folder), a description in one line, and the
        publication.
    time, memory : str
        The complexity in n records, d columns and the group size k.
    deterministic : bool
        Whether the labels do not depend on the seed.
    max_size : str
        The maximum size of a group, as an expression in n and k; "n" promises nothing.
    parameters : mapping
        The parameters and their defaults.
    printed : mapping
        The names in the papers that denote this method with certain parameters, and these parameters.
    refined : mapping
        The names in the papers that denote this method followed by a refinement, and that refinement.
    suffixed : tuple of str
        The names of this method to which the suffix of a refinement can be added, as in "mdav-nc3".
    brief : mapping
        The parameters with which the method takes the fewest steps, to compile it.
    timed : bool
        Whether the method has the parameter `time_limit`.
    gpu : bool
        Whether the method also runs on a GPU, with the same labels.
    meets_limits : bool
        Whether the groups of the method satisfy limits on units and confidential values by themselves. On
        the groups of other methods, limits are enforced afterwards.
    optimal : str
        The cases in which the groups are proven to be optimal; empty if there are none.
    mixed : function, optional
        The variant for mixed `Records` (categories, missing values, weights); None if there is none.
    strata : function, optional
        ``(prepared, codes, k, context, *, parameters) -> Grouping | None``: the variant for many strata at
        once. It returns None if each stratum must be grouped separately.
    baseline : function, optional
        ``(n, k, parameters) -> str | None``: the method with which releases of mixed records with limits
        are compared, so that they never lose more; None without such a comparison.
    """

    name: str
    family: str
    summary: str
    reference: str
    time: str
    memory: str
    deterministic: bool
    max_size: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    printed: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    refined: Mapping[str, str] = field(default_factory=dict)
    suffixed: tuple[str, ...] = ()
    timed: bool = False
    gpu: bool = False
    meets_limits: bool = False
    optimal: str = ""
    brief: Mapping[str, Any] = field(repr=False, default_factory=dict)
    function: Function = field(repr=False, kw_only=True)
    constraints: Mapping[str, Constraint] = field(repr=False, default_factory=dict)
    mixed: Function | None = field(repr=False, default=None)
    strata: StrataFunction | None = field(repr=False, default=None)
    baseline: Baseline | None = field(repr=False, default=None)

    def largest(self, n: int, k: int) -> int:
        """Return the maximum size of a group of n records.

        Fewer than 2k records are always one group, so n is allowed there.
        """
        return min(n, max(SIZES[self.max_size](n, k), 2 * k - 1))

    def check(self, parameters: Mapping[str, Any]) -> None:
        """Raise if a parameter is unknown or invalid."""
        check_all(parameters, self.constraints, self.name)


_METHODS: dict[str, Method] = {}


def method(
    name: str,
    *,
    summary: str,
    reference: str,
    time: str,
    memory: str = "O(nd)",
    max_size: str = "2k-1",
    deterministic: bool = True,
    timed: bool = False,
    time_limit: float | None = None,
    gpu: bool = False,
    meets_limits: bool = False,
    optimal: str = "",
    module: str | None = None,
    printed: Mapping[str, Mapping[str, Any]] | None = None,
    refined: Mapping[str, str] | None = None,
    suffixed: tuple[str, ...] = (),
    brief: Mapping[str, Any] | None = None,
    mixed: Function | None = None,
    strata: StrataFunction | None = None,
    baseline: Baseline | None = None,
) -> Callable[[Function], Function]:
    """Register the decorated function as the method `name`.

    The function takes ``(prepared, k, context, *, parameters)`` and returns a `Grouping`; its keyword
    parameters and their types are those of the method. CONTRIBUTING.md has a complete example.

    Parameters
    ----------
    name, summary, reference, time, memory, max_size, deterministic, gpu, meets_limits, optimal
        The attributes of the `Method`.
    printed, refined, suffixed, brief, mixed, strata, baseline
        More attributes of the `Method`, which are optional.
    timed, time_limit
        Whether the method has the parameter `time_limit`, and its default.
    module : str, optional
        The module whose docstring describes the method, if it is not that of the function.
    """

    def register(function: Function) -> Function:
        _refuse_taken([name, *(printed or {}), *(refined or {})])
        if max_size not in SIZES:
            raise ParameterError(f"The sizes of {name!r} must be one of: {', '.join(SIZES)}.")
        if module is not None:
            function.__module__ = module
        defaults, constraints = declared(function)
        if timed:
            defaults[TIME_LIMIT] = time_limit
            constraints[TIME_LIMIT] = constraint_of(Annotated[float, AtLeast(0)] | None)
        _METHODS[name.lower()] = Method(
            name=name,
            family=_family(function.__module__),
            summary=summary,
            reference=reference,
            time=time,
            memory=memory,
            deterministic=deterministic,
            max_size=max_size,
            parameters=defaults,
            printed=printed or {},
            refined=refined or {},
            suffixed=suffixed,
            timed=timed,
            gpu=gpu,
            meets_limits=meets_limits,
            optimal=optimal,
            brief={**({TIME_LIMIT: None} if timed else {}), **(brief or {})},
            function=function,
            constraints=constraints,
            mixed=mixed,
            strata=strata,
            baseline=baseline,
        )
        return function

    return register


def _refuse_taken(names: Iterable[str]) -> None:
    """Raise if one of `names` is taken, because the new method would silently replace the other."""
    taken = {each.lower() for m in _METHODS.values() for each in (m.name, *m.printed, *m.refined)}
    for name in names:
        if name.lower() in taken:
            raise ParameterError(
                f"A method called {name!r} exists already.", hint="Choose another name."
            )


def _family(module: str) -> str:
    """Return the folder of the package with the method, or "added" for methods from elsewhere."""
    parts = module.removeprefix("microagg.partition.").removeprefix("methods.").split(".")
    return parts[0] if module.startswith("microagg.partition.") else ADDED


def declared(function: Callable[..., Any]) -> tuple[dict[str, Any], dict[str, Constraint]]:
    """Return the keyword parameters of a function by its signature: defaults and constraints."""
    hints = get_type_hints(function, include_extras=True)
    keywords = {
        parameter.name: parameter.default
        for parameter in inspect.signature(function).parameters.values()
        if parameter.kind is inspect.Parameter.KEYWORD_ONLY
    }
    return keywords, {keyword: constraint_of(hints[keyword]) for keyword in keywords}


def _load() -> None:
    """Import every file of every family, so that its decorators run."""
    import_all("microagg.partition.methods")
    import_all("microagg.partition.search")


@cache
def _modules() -> dict[str, str]:
    """Return the modules of all families by the names of their methods: each file is named after one."""
    here = Path(__file__).parent
    paths = [path for folder in ("methods", "search") for path in here.glob(f"{folder}/*/*.py")]
    modules = [".".join(path.relative_to(here).with_suffix("").parts) for path in paths]
    return {
        module.rpartition(".")[2].replace("_", "-"): f"microagg.partition.{module}"
        for module in modules
    }


def exactly(name: str) -> Method | None:
    """Return the method with exactly this name, and import no other; None if there is none.

    Examples
    --------
    >>> exactly("MDAV").name
    'mdav'
    """
    wanted = name.lower()
    if wanted not in _METHODS and wanted in _modules():
        import_module(_modules()[wanted])
    return _METHODS.get(wanted)


def methods() -> tuple[Method, ...]:
    """Return every method, sorted by family and name.

    Examples
    --------
    >>> [m.name for m in methods() if m.family == "fixed"][:2]
    ['cbfs-nc', 'cbfs-nn']
    """
    _load()
    order = [*FAMILIES, ADDED]
    return tuple(sorted(_METHODS.values(), key=lambda m: (order.index(m.family), m.name)))


def find(name: str) -> tuple[Method, dict[str, Any]]:
    """Return the method called `name` and the parameters that the name implies.

    Names are compared without regard to case. A name printed in a paper finds its method,
    with that paper's rules.
    """
    wanted = name.lower() if isinstance(name, str) else None
    if wanted is not None and (method := exactly(wanted)) is not None:
        return method, {}
    _load()
    if wanted in _METHODS:  # its file has another name
        return _METHODS[wanted], {}
    for candidate in _METHODS.values():
        for printed, parameters in candidate.printed.items():
            if printed.lower() == wanted:
                return candidate, dict(parameters)
    also = " Maskings form no groups of whole records; only protect accepts them."
    raise unknown_name("method", name, _METHODS, also)
