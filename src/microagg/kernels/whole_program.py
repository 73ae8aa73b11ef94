"""Compile an entry point and all that it calls as one program, optimised and translated once.

Numba compiles every function into a library of its own: it optimises the function together with all that it
calls, and turns the result into machine code. A function five calls down is therefore optimised five times,
and translated five times, of which one is used. Here a library is only linked, and nothing else, until
somebody asks for the address of a function in it. Numba asks for that of an entry point; those of the
functions that only other kernels call are never needed.

The result is what a C compiler would make of one source file. The order of floating-point operations does
not depend on how functions are put together, so neither do the results.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

from llvmlite import binding as llvm
from numba import _dynfunc  # type: ignore[attr-defined]
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler_lock import global_compiler_lock
from numba.core.cpu import CPUContext
from numba.core.runtime import _nrt_python  # type: ignore[attr-defined]

from microagg.kernels.shortcuts import shortcuts

RUNTIME: dict[str, int] = {
    name if name.startswith("_") else f"NRT_{name}": address
    for name, address in _nrt_python.c_helpers.items()
}
"""The C functions of numba's runtime and their addresses."""


@cache
def add_runtime_symbols() -> None:
    """Tell the linker where the functions of the runtime are: all that finished code needs.

    Numba's own initialisation also generates and compiles a module, for which it loads the compiler.
    """
    for name, address in RUNTIME.items():
        llvm.add_symbol(name, address)


class LinkedLibrary(JITCodeLibrary):
    """A library that is optimised and translated when an address in it is asked for, not before."""

    _translated = False

    def _optimize_functions(self, module: Any) -> None:
        """Simplify each function by itself; unlike numba, with one pass manager and no declarations."""
        if not hasattr(self._codegen, "_pass_builder"):  # numba before its new pass managers
            super()._optimize_functions(module)
            return
        module.data_layout = self._codegen._data_layout
        manager, builder = self._codegen._function_pass_manager()
        for function in module.functions:
            if not function.is_declaration:
                manager.run(function, builder)

    def finalize(self) -> None:
        """Close the library; what it calls is linked later."""
        if hasattr(self, "_reload_init"):  # numba since 0.63
            for library in self._linking_libraries:
                self._reload_init.update(library._reload_init)
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        """Return the address of a function, 0 where there is none of that name."""
        self._ensure_finalized()
        if not self._translated:
            if not _defines(self._final_module, name):
                return 0
            self._translate()
        return int(super().get_pointer_to_function(name))

    def _translate(self) -> None:
        """Link everything that is called, directly or not, and make machine code of it."""
        self._translated = True
        self._codegen._check_llvm_bugs()
        self._link_called(self._final_module)
        self._optimize_final_module()
        self._final_module.verify()
        _require_runtime(self._final_module)
        self._finalize_final_module()

    def _link_called(self, module: Any) -> None:
        """Link the libraries that this one calls, each once. IN/OUT: module.

        Those of numba's own kind come last, because only the functions that are called by then are
        linked.
        """
        seen: set[Any] = {self}
        waiting, last = list(self._linking_libraries), []
        while waiting:
            library = waiting.pop()
            if library in seen:
                continue
            seen.add(library)
            if isinstance(library, LinkedLibrary) and not library._translated:
                waiting += library._linking_libraries
                module.link_in(_shared(library._final_module), preserve=True)
            else:
                last.append(library)
        for library in last:
            module.link_in(library._get_module_for_linking(), preserve=True)

    def _get_module_for_linking(self) -> Any:
        """Return a module with all that is called, for libraries of numba's own kind."""
        self._ensure_finalized()
        if self._shared_module is None and not self._translated:
            module = self._final_module.clone()
            self._link_called(module)
            self._shared_module = _shared(module)
        return super()._get_module_for_linking()

    def serialize_using_object_code(self) -> tuple[str, str, tuple[bytes, bytes]]:
        """Return the machine code for the cache, with the names in it instead of the bitcode.

        Numba keeps the bitcode to compile it into callers; an entry point has none.
        """
        names = [f.name for f in self._final_module.functions if not f.is_declaration]
        stubs = "\n".join(f'define void @"{name}"() {{ unreachable }}' for name in names)
        return (
            self.name,
            "object",
            (self._get_compiled_object(), llvm.parse_assembly(stubs).as_bitcode()),
        )


def _defines(module: Any, name: str) -> bool:
    try:
        return not module.get_function(name).is_declaration
    except NameError:
        return False


def _require_runtime(module: Any) -> None:
    """Raise where a module calls a function of numba's runtime that finished code will not find."""
    runtime = (f.name for f in module.functions if f.is_declaration and f.name.startswith("NRT_"))
    if missing := set(runtime) - RUNTIME.keys():
        raise RuntimeError(f"Not linked: {', '.join(sorted(missing))}.")


def _shared(module: Any) -> Any:
    """Let the functions of a module be defined in several modules. IN/OUT: module."""
    for function in module.functions:
        if not function.is_declaration and function.linkage == llvm.Linkage.external:
            function.linkage = "linkonce_odr"
    return module


@contextmanager
def one_program(context: Any) -> Iterator[None]:
    """Let all libraries that are made meanwhile be linked ones."""
    codegen = context.codegen()
    with global_compiler_lock:
        if codegen.__dict__.get("_library_class") is LinkedLibrary:
            yield
            return
        codegen._library_class = LinkedLibrary
        context.get_executable = _executable.__get__(context)
        context.create_cfunc_wrapper = _no_wrapper
        context.get_abi_sizeof = cache(context.get_abi_sizeof)
        try:
            with shortcuts():
                yield
        finally:
            del codegen._library_class, context.get_executable
            del context.create_cfunc_wrapper, context.get_abi_sizeof


def _no_wrapper(*_: Any) -> None:
    """Make no wrapper for C, which nobody calls."""


def _executable(self: Any, library: Any, descriptor: Any, environment: Any) -> Any:
    """As numba's own; a function without a wrapper for Python gets a stand-in, which is never called."""
    name = descriptor.llvm_cpython_wrapper_name
    if not isinstance(library, LinkedLibrary) or library.get_pointer_to_function(name):
        return CPUContext.get_executable(self, library, descriptor, environment)
    return _dynfunc.make_function(
        descriptor.lookup_module(),
        descriptor.qualname.split(".")[-1],
        "",
        0,
        environment,
        (library,),
    )
