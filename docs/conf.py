"""How the pages are built: ``make docs``. Nothing is fetched, at build time or when read."""

import sys
from importlib.metadata import version as version_of
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

from gallery import save_figures
from methods import own_methods

project = "s2fs"
author = "The s2fs developers"
version = release = version_of("s2fs")

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_copybutton",
    "sphinx_gallery.gen_gallery",
    "accessible",
    "aligned_numbers",
    "baselines",
    "docstrings",
    "linked_names",
    "live_report",
    "mathml",
    "offline",
]
exclude_patterns = ["_build", "images"]
nitpicky = True
nitpick_ignore = [("py:func", "settings")]  # named in a docstring, not public

myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 4

templates_path = ["_templates"]
autosummary_context = {"own_methods": own_methods}
# Two names that differ by case alone would share a file on some systems.
autosummary_filename_map = {
    "s2fs.Components": "s2fs.Components-class",
    "s2fs.evaluation.Stability": "s2fs.evaluation.Stability-class",
}
# The parameters are described one by one below each signature, with their types.
autodoc_typehints = "none"
numpydoc_show_class_members = False

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "doc_module": ("s2fs",),
    "backreferences_dir": "gallery/backreferences",
    "image_scrapers": (save_figures,),
    "reset_modules": (),
    "download_all_examples": False,
    "show_memory": False,
    "show_signature": False,
    "remove_config_comments": True,
    "within_subsection_order": "FileNameSortKey",
    "abort_on_example_error": True,
    # Times differ from run to run, and those that matter are in speed.md.
    "min_reported_time": 1e9,
    "write_computation_times": False,
}
suppress_warnings = ["config.cache"]  # a function in the configuration: pages are built afresh

html_math_renderer = "mathml"
copybutton_selector = "div:not(.highlight-text) > div.highlight > pre"  # not what is printed

html_theme = "pydata_sphinx_theme"
html_title = "s2fs"
html_static_path = ["_static"]
html_css_files = ["s2fs.css"]
html_extra_path = ["llms.txt"]  # the pages in one list, for programs that read them
html_sidebars = {"**": ["pages.html"]}
html_show_search_summary = False  # a page opened as a file may not read others
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "navbar_center": [],  # the side bar has all pages
    "show_prev_next": True,
    "navigation_with_keys": False,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
}
html_context = {"default_mode": "auto"}
copyright = "the s2fs developers, BSD-3-Clause"
