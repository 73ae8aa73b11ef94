"""The command line: `microagg`."""

import gc
from collections.abc import Callable


def main(when_loaded: Callable[[], None] | None = None) -> None:
    """Run the command line; `when_loaded` is called after the imports, before any work."""
    # Imports make many objects that stay: to search them for garbage takes 0.1 s.
    gc.set_threshold(50_000)
    from microagg.cli.app import run
    from microagg.cli.lean_pyarrow import own_this_process

    own_this_process()
    if when_loaded is not None:
        when_loaded()
    run()
