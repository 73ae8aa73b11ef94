"""The command line: `microagg`."""

from collections.abc import Callable


def main(when_loaded: Callable[[], None] | None = None) -> None:
    """Run the command line; `when_loaded` is called once it is imported, before it does anything."""
    from microagg.cli.app import run
    from microagg.cli.lean_pyarrow import own_this_process

    own_this_process()
    if when_loaded is not None:
        when_loaded()
    run()
