"""Methods for one attribute, and for several through an axis."""
