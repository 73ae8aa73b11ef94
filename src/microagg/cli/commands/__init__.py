"""The commands of `microagg`: one file each, named after its command, with a function `command`."""
