"""The examples of docs/python.md run, one after another."""

import re
from pathlib import Path

import pytest

PAGE = Path(__file__).resolve().parents[2] / "docs" / "python.md"


def test_the_examples_of_the_page_run(tmp_path, monkeypatch):
    pytest.importorskip("networkx")
    monkeypatch.chdir(tmp_path)
    examples = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    assert len(examples) == 15
    names = {}
    for number, example in enumerate(examples, 1):
        exec(compile(example, f"example {number} of {PAGE.name}", "exec"), names)
