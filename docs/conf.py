"""The documentation site: `make docs` builds it into site/, without the network."""

import inspect
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "_ext"))

import benchmark_charts
import reference
from sphinx.application import Sphinx

from cesaro import __version__

reference.write(HERE / "api.rst")

project = "cesaro"
author = "the cesaro developers"
release = version = __version__

extensions = [
    "docstrings",
    "mathml",
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
]
templates_path = ["_templates"]
highlight_language = "text"
exclude_patterns = ["_*", "figures/runs", "gallery/**/*.ipynb", "gallery/**/*.py", "gallery/**/*.md5"]
suppress_warnings = ["config.cache"]
default_role = "literal"

myst_enable_extensions = ["colon_fence", "deflist", "dollarmath", "amsmath", "fieldlist"]
myst_heading_anchors = 4
html_math_renderer = "mathml"

autosummary_generate = True
autosummary_ignore_module_all = False
autodoc_default_options = {"members": True}
autodoc_member_order = "bysource"
toc_object_entries_show_parents = "hide"
autodoc_typehints = "none"
numpydoc_show_class_members = False
numpydoc_xref_param_type = False

sphinx_gallery_conf = {
    "examples_dirs": str(HERE.parent / "examples"),
    "gallery_dirs": "gallery",
    "filename_pattern": r"\.py$",
    "within_subsection_order": "FileNameSortKey",
    "abort_on_example_error": True,
    "remove_config_comments": True,
    "download_all_examples": False,
    "show_signature": False,
    "write_computation_times": False,
    "min_reported_time": 5,
    "image_scrapers": ("matplotlib",),
    "matplotlib_animations": False,
    "image_srcset": ["2x"],
    "thumbnail_size": (480, 320),
    "plot_gallery": "True",
    "reset_modules": ("gallery_style.reset",),
    "backreferences_dir": "api/backreferences",
    "doc_module": ("cesaro",),
    "prefer_full_module": {r"cesaro\."},
}

copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
copybutton_exclude = ".linenos, .gp, .go"

html_theme = "pydata_sphinx_theme"
html_title = "cesaro"
html_context = {"default_mode": "auto"}
html_static_path = ["_static"]
html_css_files = ["style.css"]
html_favicon = "_static/mark.svg"
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "logo": {"text": "cesaro", "image_light": "_static/mark.svg", "image_dark": "_static/mark.svg"},
    "header_links_before_dropdown": 6,
    "navbar_align": "left",
    "show_prev_next": True,
    "show_toc_level": 2,
    "navigation_with_keys": False,
    "footer_start": ["copyright"],
    "footer_end": ["theme-version"],
    "secondary_sidebar_items": {  # a script of the gallery needs the width of the page; no page may match two patterns
        "gallery/plot_*": [],
        **{pages: ["page-toc"] for pages in ("[!g]*", "g[!a]*", "gallery/[!p]*")},
    },
}
html_sidebars = {"index": [], "benchmarks": [], "start": []}

# What scikit-learn and PyTorch write about themselves belongs to their own sites.
THEIRS = {"set_fit_request", "set_partial_fit_request", "set_score_request", "get_metadata_routing"}


def leave_out(app: Sphinx, what: str, name: str, thing: Any, skip: bool, options: Any) -> bool | None:
    """Whether a member has no place in the reference: it is not ours."""
    owner = getattr(inspect.unwrap(thing) if callable(thing) else thing, "__module__", None)
    return True if name in THEIRS or (owner or "cesaro").split(".")[0] not in {"cesaro", "sklearn"} else None


def setup(app: Sphinx) -> None:
    app.connect("autodoc-skip-member", leave_out)
    app.connect(
        "builder-inited",
        lambda app: benchmark_charts.draw_all(HERE.parent / "benchmarks" / "RESULTS.md", HERE / "charts"),
    )
