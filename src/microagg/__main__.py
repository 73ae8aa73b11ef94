"""`python -m microagg` is the command `microagg`."""

from microagg_command import main

if __name__ == "__main__":
    main()
