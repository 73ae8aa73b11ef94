"""Charts as inline SVG, for reports, web pages and notebooks.

Each function takes plain data and returns one ``<svg>`` element as text. Its appearance is defined by
its attributes, so it needs neither style sheets nor scripts, and a page may forbid both.

- `columns.before_and_after(name, before, after)`: the distribution of a column, from its values.
- `columns.histogram` and `columns.bars`: the same from counts.
- `groups.sizes`, `groups.correlations`, `groups.cloud`: groups, correlations, records.
- `risk_utility.risk_utility(points)`: the risk-utility map; its labels do not overlap.

In a notebook, ``IPython.display.HTML(before_and_after("age", original, released))`` shows one;
`drawing.as_file` turns it into a file.
"""
