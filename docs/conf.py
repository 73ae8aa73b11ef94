"""How Sphinx builds the site: `make site`."""

import os
from importlib.metadata import version as version_of

project = "microagg"
author = "The microagg developers"
copyright = "The microagg developers"
version = release = version_of("microagg")

extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "sphinx_copybutton",
    "sphinx_design",
]
exclude_patterns = ["_build", "**.ipynb_checkpoints", "paper.md"]
templates_path = ["_templates"]
default_role = "literal"
nitpicky = False

# Markdown
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 4
suppress_warnings = ["mystnb.unknown_mime_type", "myst-nb.lexer"]

# Notebooks are executed with each build; an error in one of them ends it.
nb_execution_mode = "cache"
nb_execution_raise_on_error = True
nb_execution_timeout = 600
nb_merge_streams = True
os.environ.setdefault("OMP_NUM_THREADS", "1")  # threads of small models would wait for each other
if "MICROAGG_DATA" not in os.environ:  # the records of this notebook are not part of the package
    nb_execution_excludepatterns = ["notebooks/adult.md"]

# Reference
autosummary_generate = True
autodoc_typehints = "none"
autodoc_member_order = "bysource"
numpydoc_show_class_members = False

# Appearance. Nothing is loaded from another host, so the site works offline.
html_theme = "pydata_sphinx_theme"
html_title = "microagg"
html_favicon = "_static/icon.svg"
html_context = {"default_mode": "auto"}  # light or dark, as the reader's system
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_js_files = [("methods.js", {"defer": "defer"}), ("search.js", {"defer": "defer"})]
html_show_sourcelink = False
html_theme_options = {
    "logo": {"text": f"microagg {release}"},
    "navbar_align": "left",
    "header_links_before_dropdown": 7,
    "show_prev_next": True,
    "use_edit_page_button": False,
    "navigation_with_keys": False,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
