"""Files larger than memory or than one machine: tasks on pieces and blocks, a release in the same order."""
