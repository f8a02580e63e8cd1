"""Expands the patterns of the site's contents, each to the pages that stand nowhere else in them."""

from fnmatch import fnmatch
from pathlib import Path


def on_config(config):
    root = Path(config["docs_dir"])
    pages = sorted(path.relative_to(root).as_posix() for path in root.rglob("*.md"))

    def named(entry):
        if isinstance(entry, dict):
            return [name for value in entry.values() for name in named(value)]
        return [name for value in entry for name in named(value)] if isinstance(entry, list) else [entry]

    def expanded(entry):
        if isinstance(entry, dict):
            return [{title: expanded(value) if isinstance(value, list) else value for title, value in entry.items()}]
        if isinstance(entry, list):
            return [page for value in entry for page in expanded(value)]
        if "*" not in entry:
            return [entry]
        return [page for page in pages if page.count("/") == entry.count("/") and fnmatch(page, entry) and page not in listed]

    listed = set(named(config["nav"]))
    config["nav"] = expanded(config["nav"])
    return config
