"""The stages of `protect`, in order: read, prepare, mask, check, measure. They end in an `Outcome`."""
