"""`python -m microagg` is the command `microagg`."""

from microagg.cli import main

if __name__ == "__main__":
    main()
