"""How every kernel is compiled.

The flags allow no reassociation and no fused multiply-add, so a kernel gives the same bits
on every machine and the same as its NumPy twin. They only promise the compiler that no
value is NaN or infinite (`prepare` has made sure), which lets minima and maxima vectorise.

A kernel that Python calls is an entry point: it is compiled together with all that it calls, and kept on
disk. One that other kernels call is compiled into these. The same function can be both.
"""

from collections.abc import Callable
from functools import cached_property
from typing import Any

from numba import types
from numba.core.compiler_lock import global_compiler_lock
from numba.core.dispatcher import _FunctionCompiler  # type: ignore[attr-defined]
from numba.core.registry import CPUDispatcher

from microagg.kernels.cache import KernelCache
from microagg.kernels.compiling import announced, tell, timed
from microagg.kernels.whole_program import one_program

OPTIONS: dict[str, Any] = {
    "nopython": True,
    "nogil": True,
    "_nrt": True,
    "error_model": "numpy",
    "fastmath": {"nnan", "nsz", "ninf"},
}


def kernel(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile `function` when it is first called, and keep the result on disk."""
    return Kernel(function, OPTIONS)


def inlined(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile `function` into its callers: for small steps of inner loops, which make no array.

    A call passes each field of each array of a tuple on its own, which costs more than such a step.
    """
    return Kernel(function, {**OPTIONS, "forceinline": True, "_nrt": False})


def borrowing(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile a `function` that makes no array and gets none back: it borrows those of its caller.

    Otherwise numba counts who holds an array: two locked additions for each array of a tuple at each
    call. A `function` that makes an array does not compile; one that is handed an array by a kernel
    would never free it.
    """
    return Kernel(function, {**OPTIONS, "_nrt": False})


class Kernel(CPUDispatcher):
    """A function that numba compiles for each combination of types it is called with.

    Python calls it as an entry point. To other kernels it is `inner`, which has no wrapper for Python and
    no file on disk.
    """

    def __init__(self, function: Callable[..., Any], options: dict[str, Any]) -> None:
        super().__init__(function, targetoptions=dict(options))
        own: Any = self._compiler  # type: ignore[has-type]
        self._compiler = _WholeProgram(
            function, own.targetdescr, own.targetoptions, own.locals, own.pipeline_class
        )
        self._cache = KernelCache(function)

    @cached_property
    def inner(self) -> Any:
        """The kernel as other kernels call it."""
        options = {**self.targetoptions, "no_cpython_wrapper": True}
        return _Inner(self.py_func, targetoptions=options)

    def __reduce__(self) -> Any:
        """Pickle the kernel by its name, as functions are."""
        return str(self.py_func.__qualname__)

    def compile(self, sig: Any) -> Any:
        """Load or compile the entry point for some types; another process may be doing the same."""

        def waiting() -> None:
            tell(name_of(self.py_func), 0, len(called_by(self.py_func, sig)))

        with global_compiler_lock, timed(), self._cache.alone(sig, self.targetctx, waiting):
            return super().compile(sig)

    @property
    def _numba_type_(self) -> Any:
        return types.Dispatcher(self.inner)

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """Let other kernels call `inner`, whichever way they came to know this one."""
        return self.inner.get_call_template(args, kws)

    def get_overload(self, sig: Any) -> Any:
        """As `get_call_template`."""
        return self.inner.get_overload(sig)


class _Inner(CPUDispatcher):
    """A kernel as other kernels call it: once for all integers, constant or not."""

    def get_call_template(self, args: Any, kws: Any) -> Any:
        return super().get_call_template(tuple(map(types.unliteral, args)), kws)


class _WholeProgram(_FunctionCompiler):  # type: ignore[misc]
    """Compiles an entry point and all that it calls as one program."""

    def compile(self, args: Any, return_type: Any) -> Any:
        context = self.targetdescr.target_context
        context.refresh()  # before `one_program`: numba's runtime is a library of the ordinary kind
        total = len(called_by(self.py_func, args))
        with announced(name_of(self.py_func), total), one_program(context):
            return super().compile(args, return_type)


def name_of(function: Callable[..., Any]) -> str:
    """Return the name of a kernel, such as "fixed.fixed_size.centroid_seeded"."""
    return f"{function.__module__}.{function.__name__}".removeprefix("microagg.kernels.")


def called_by(function: Callable[..., Any], args: tuple[Any, ...]) -> set[Callable[..., Any]]:
    """Return a function and the kernels that it calls, directly or not, as far as their names tell.

    Where it depends on the class of a tuple which kernel is called, that is looked up in `answers`.
    """
    classes = [getattr(kind, "instance_class", None) for kind in args]
    seen: set[Callable[..., Any]] = set()
    waiting: list[Any] = [function]
    while waiting:
        caller = waiting.pop()
        if caller in seen:
            continue
        seen.add(caller)
        for name in caller.__code__.co_names:
            called = caller.__globals__.get(name)
            answers = getattr(called, "answers", {})
            kernels = [called, *(answers[each] for each in classes if each in answers)]
            waiting += [each.py_func for each in kernels if isinstance(each, Kernel)]
    return seen
