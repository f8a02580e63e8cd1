"""Checks the pages: no paragraph or item has more than 120 words and no sentence more than 35, links lead to files that
are there, and docs/README.md names every page that people look for: check_prose.py SOURCE."""
import re
import sys
from pathlib import Path

MOST_OF_PARAGRAPH, MOST_OF_SENTENCE = 120, 35
LEFT_OUT = {"build"}
FENCE = re.compile(r"^```.*?^```[^\n]*$", re.MULTILINE | re.DOTALL)
ITEM = re.compile(r"\s*(?:[-*]|\d+\.)\s+")
LINK = re.compile(r"\]\(([^)\s]+)\)")


def paragraphs(text):
    """Yields the first line and the text of each paragraph and item; tables, headings and examples are none."""
    first, lines = 0, []
    for number, line in enumerate([*text.split("\n"), ""], 1):
        item = ITEM.match(line)
        if item or not line.strip() or line.startswith(("#", "|", "    ")):
            if lines:
                yield first, " ".join(lines)
            lines = [line[item.end():]] if item else []
            first = number
        else:
            first = first if lines else number
            lines.append(line.strip())


def faults(page, root):
    text = FENCE.sub(lambda found: "\n" * found.group().count("\n"), page.read_text())
    name = page.relative_to(root)
    for line, words in paragraphs(text):
        # A name in code and a link are a word each; a colon parts sentences as a stop does.
        words = re.sub(r"`[^`]*`", "code", LINK.sub("]", words))
        if len(words.split()) > MOST_OF_PARAGRAPH:
            yield f"{name}:{line}: a paragraph of {len(words.split())} words"
        for sentence in re.split(r"(?<=[.:!?])[)\"*]*\s+", words):
            if len(sentence.split()) > MOST_OF_SENTENCE:
                yield f"{name}:{line}: a sentence of {len(sentence.split())} words: {sentence[:60]}..."
    for target in LINK.findall(text):
        # Pages of the site are made with it.
        if "://" not in target and not target.endswith(".html") and not (page.parent / target.split("#")[0]).exists():
            yield f"{name}: no file {target}"


def main(root):
    pages = [page for page in sorted(root.rglob("*.md")) if page.relative_to(root).parts[0] not in LEFT_OUT]
    found = [fault for page in pages for fault in faults(page, root)]
    contents = root / "docs/README.md"
    listed = {(contents.parent / target.split("#")[0]).resolve() for target in LINK.findall(contents.read_text())}
    found += [f"docs/README.md does not name {page.name}" for page in pages
              if page.parent == contents.parent and page != contents and page.resolve() not in listed]
    if len(pages) < 50 or found:
        sys.exit("\n".join(found) + f"\n{len(found)} faults in {len(pages)} pages")


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
