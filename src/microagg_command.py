"""The entry point of the command `microagg`.

It lies outside the package, which takes a moment to import: Ctrl-C in that moment must not end in a
traceback.
"""

import sys


def main() -> None:
    """Run the command line; an interrupt, however early, ends in a word and in status 130."""
    try:
        from microagg.cli import main as run

        run()
    except KeyboardInterrupt:
        sys.stderr.write("Interrupted; no file is left half-written.\n")
        sys.exit(130)
