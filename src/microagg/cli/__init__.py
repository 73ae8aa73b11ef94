"""The command line: `microagg`."""


def main() -> None:
    """Run the command line; the script's entry point."""
    from microagg.cli.app import run
    from microagg.cli.lean_pyarrow import own_this_process

    own_this_process()
    run()
