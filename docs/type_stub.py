"""Write `src/microagg/__init__.pyi`: the public names, with every option as a parameter."""

from __future__ import annotations

import inspect
from pathlib import Path
from types import ModuleType
from typing import Any

import microagg

PATH = Path(microagg.__file__).with_suffix(".pyi")

HEAD = '''"""The public names as type checkers see them; `make docs` writes it from the options."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from numpy.typing import ArrayLike

'''


def stub() -> str:
    """Return the text of the stub."""
    imports, functions, modules = [], [], []
    for name in sorted(microagg.__all__):
        public = getattr(microagg, name)
        if isinstance(public, ModuleType):
            modules.append(f"from microagg.data import {name} as {name}")
        elif isinstance(public, str):
            continue
        elif hasattr(public, "__signature__") and inspect.isfunction(public):
            functions.append(_function(name, public))
        else:
            imports.append(f"from {public.__module__} import {name} as {name}")
    schema = "from microagg.schema import Schema as Schema"
    listed = "\n".join(sorted({*imports, *modules, schema}))
    names = ",\n".join(f'    "{name}"' for name in microagg.__all__)
    exported = f"__version__: str\n__all__ = [\n{names},\n]"
    return f"{HEAD}{listed}\n\n{exported}\n\n" + "\n".join(functions)


def _function(name: str, function: Any) -> str:
    signature = inspect.signature(function)
    lines, star = [], False
    for parameter in signature.parameters.values():
        if parameter.kind is parameter.KEYWORD_ONLY and not star:
            lines.append("    *,")
            star = True
        default = "" if parameter.default is parameter.empty else " = ..."
        lines.append(f"    {parameter.name}: {parameter.annotation}{default},")
    return f"def {name}(\n" + "\n".join(lines) + f"\n) -> {signature.return_annotation}: ...\n"


def main() -> None:
    """Write the stub."""
    PATH.write_text(stub(), encoding="utf-8")


if __name__ == "__main__":
    main()
