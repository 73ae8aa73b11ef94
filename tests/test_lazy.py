"""Lazy modules are imported at the first use of an attribute, and see changes of the module."""

import subprocess
import sys

from microagg.lazy import lazy


def test_nothing_is_imported_before_it_is_used():
    code = (
        "import sys; from microagg.lazy import lazy; m = lazy('colorsys'); "
        "before = 'colorsys' in sys.modules; m.rgb_to_hsv(0, 0, 0); "
        "print(before, 'colorsys' in sys.modules, m)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False True lazy('colorsys')"


def test_a_changed_attribute_is_seen(monkeypatch):
    fractions = lazy("fractions")
    monkeypatch.setattr("fractions.Fraction", 5)
    assert fractions.Fraction == 5
