"""The command line: `microagg`."""


def main() -> None:
    """Run the command line; the script's entry point."""
    from microagg.cli.app import run

    run()
