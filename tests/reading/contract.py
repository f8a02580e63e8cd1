"""Says what a plain text has to be read as: the contract of reading as an oracle, which shares no code with the readers.

All readings that a person might have of a text are listed, each with the values that it may stand for: two where the
contract is silent. If there is none, or two have no value in common, the program has to refuse. Else what they share is
right, and a refusal is a fault only where the text is plain.
"""

import re
from dataclasses import dataclass, field
from functools import lru_cache

import truth
from truth import NOT_FINITE, ONE, PAIR, ZERO, ask, part, plus, real

# Pairs that tables have as headers, in small letters without _, -, digits and a final id: those that the contract names.
PAIRS = {("source", "target"), ("from", "to"), ("node", "node"), ("u", "v"), ("user", "item"), ("author", "paper")}
# Pairs that its "..." leaves open: the line is a header, or refused.
PERHAPS = PAIRS | {("src", "dst"), ("person", "event"), ("head", "tail"), ("row", "column"), ("row", "col"), ("left", "right"), ("x", "y"),
                   ("start", "end"), ("nodea", "nodeb"), ("id", "id"), ("vertex", "vertex"), ("fromnode", "tonode"), ("user", "movie"),
                   ("worker", "task"), ("name", "name"), ("actor", "movie"), ("buyer", "seller")}
WEIGHTS = {"weight", "weights", "w", "value", "edgeweight"}
LABELS = {"type", "label", "id", "name"}
KONECT = {"sym": "undirected", "asym": "directed", "bip": "bipartite"}
NATIVE = {"count": "bipartite", "by-size": "bipartite", "parity": "bipartite", "decompose": "bipartite", "cycles": "directed",
          "permanent": "matrix", "determinant": "matrix", "hafnian": "undirected"}
SIZE = r"0|[1-9][0-9]{0,5}"
WIDE_BLANKS = "\u00a0\u2009\u202f"


@dataclass
class Verdict:
    allowed: list = field(default_factory=list)  # values that may be printed: none if the text has to be refused, [None] if any may
    may_refuse: bool = True
    two: bool = False  # two readings: the refusal names the options that settle it
    noted: list = field(default_factory=list)  # values that need a note, as an edge of weight 0 was left out
    why: str = ""


@dataclass
class Reading:
    label: str
    values: set
    plain: bool = True  # the text has to be read so, if nothing stands against it
    noted: set = field(default_factory=set)
    square: bool = True
    looped: bool = False
    known: bool = False  # the text says itself that it has edges


@lru_cache(maxsize=100000)
def number(cell):
    return truth.number(cell)


def contract(text, question, options=None):
    """Returns the verdict on a text that a command reads.

    The options are kind, format, header, delimiter, weight_key, duplicates, loops and keep_zeros.
    """
    verdict = Text(text, question, dict(options or {})).verdict()
    bare = text.strip()
    for opening, closing in ("[]", "()", "{}", "||"):
        lines = bare.splitlines()
        if all(line[:1] == opening and line[-1:] == closing for line in lines) and lines:
            inner = "\n".join(line[1:-1] for line in lines)
        else:
            inner = bare[1:-1] if bare[:1] == opening and bare[-1:] == closing else opening
        if opening not in inner and closing not in inner:  # Brackets around each line or the whole may be seen through.
            seen = Text(inner, question, dict(options or {})).verdict()
            return Verdict(list({*verdict.allowed, *seen.allowed}), noted=[*verdict.noted, *seen.noted], why="in brackets: " + seen.why)
    return verdict


class Text:
    def __init__(self, text, question, options):
        self.question, self.options, self.statement, self.foreign = question, options, "", False
        self.blocks, self.vertices = [[]], (0, 0)
        for k, line in enumerate(text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n")):
            bare = line.strip(" \t")
            if bare[:1] in ("#", "%"):
                self.comment(bare, k == 0)
            elif bare:
                self.blocks[-1].append(line.strip(" "))
            elif self.blocks[-1]:
                self.blocks.append([])
        self.blocks = [block for block in self.blocks if block]
        self.lines = [line for block in self.blocks for line in block]
        self.whole = "".join(self.lines)
        self.lettered = any(re.search(r"(^|[\s,;])[abd-z]($|[\s,;])", line) for line in self.lines)
        self.form, self.header, self.delimiter, self.key = map(options.get, ("format", "header", "delimiter", "weight_key"))
        if self.form not in (None, "edgelist"):
            self.statement = ""  # It is a comment like others.
        self.kind = options.get("kind") or KONECT.get(self.statement) or options.get("stated") or NATIVE[question]
        self.weighty = question in ("permanent", "determinant", "hafnian") or question == "parity" and self.kind == "matrix"
        self.matrix_first = question in ("permanent", "determinant") and not options.get("kind") or self.kind == "matrix"

    def comment(self, line, is_first):
        """Takes what comments state: options, or on the first line a format of KONECT's."""
        if found := re.match(r"[#%]\s*(format|header|kind):\s*(\w+)\s*$", line):
            self.options.setdefault("stated" if found[1] == "kind" else found[1], found[2])
        elif (found := re.match(r"%\s*(sym|asym|bip)\b", line)) and is_first:
            self.statement = found[1]
        elif re.match(r"[#%]\s*FromNodeId\s+ToNodeId|[#%]\s*GMT|[#%].*(directed|graph)", line, re.I):
            self.foreign = True

    def silent(self):
        """Says whether the contract has no word for such a text or command."""
        stated = self.statement or self.options.get("stated")
        return (self.foreign or re.search(r"\{['}]", self.whole) or any(re.search(r"#|[\s,;]%", line[1:]) for line in self.lines)
                or stated and (self.matrix_first or self.question == "cycles")
                or self.question == "determinant" and self.kind in ("undirected", "bipartite")
                or not self.delimiter and ("::" in self.whole or self.form == "edgelist" and re.search(f"[{WIDE_BLANKS}]", self.whole))
                or self.header == "yes" and (self.statement or len(self.lines) == 1))

    def verdict(self):
        if not self.lines:
            return Verdict(why="an empty file")
        if self.silent():
            return Verdict([None], why="the contract is silent")
        readings = self.readings()
        if not readings:
            return Verdict(why="no reading")
        shared = set.intersection(*(reading.values for reading in readings))
        labels = " | ".join(sorted({"known " * reading.known + reading.label for reading in readings}))
        if not shared:
            return Verdict(two=len(readings) > 1, why="two readings: " + labels)
        noted = set.union(*(reading.noted for reading in readings)) & shared
        certain = len(readings) == 1 and readings[0].plain and len(self.lines) > 1 and len(self.blocks) == 1
        return Verdict(list(shared), not certain, noted=list(noted), why=labels)

    # Fields.
    def grids(self):
        """Yields (separator, lines of cells, plain) for each mark that may separate the fields."""
        joined = [re.sub(r"\(([^(),\s]+)\s*,\s*([^(),\s]+)\)", rf"\1{PAIR}\2", line) for line in self.lines]
        if self.delimiter == "," and self.form == "edgelist":
            joined = self.lines
        paired = joined != self.lines
        marks = [self.delimiter] if self.delimiter else ["blank"] + [mark for mark in ",;\t" if any(mark in line for line in joined)]
        for mark in marks:
            if mark == "blank":
                cells = [re.findall(r'"[^"]*"(?=[ \t]|$)|[^ \t]+', line) for line in joined]
            else:
                field_of = re.compile(rf'[ \t]*("[^"]*"|.*?)[ \t]*({re.escape(mark)}|$)' if mark != "\t" else r'( *"[^"]*" *|.*?)(\t|$)')
                cells = [self.split(field_of, line) for line in joined]
            plain = (mark in (self.delimiter, "blank") or len(marks) == 2) and not ("\t" in self.whole and re.search(r"\t\t| ", self.whole))
            yield mark, cells, plain and not (paired and (mark == "," or any(", " in line for line in self.lines)))
        thousands = re.search(rf"[ ,;\t]|[{WIDE_BLANKS}]\d{{3}}\b", "".join(joined))
        if not self.delimiter and not thousands and re.search(f"[{WIDE_BLANKS}]", self.whole):
            yield "blank", [line.split() for line in joined], False

    @staticmethod
    def split(field_of, line):
        cells, at = [], 0
        while True:
            found = field_of.match(line, at)
            cells.append(found[1].strip(" "))
            if not found[2]:
                return cells
            at = found.end()

    def readings(self):
        found = []
        for mark, cells, plain in self.grids():
            plain = plain and not any(row[-1] == "" or cell[:1] == '"' for row in cells for cell in row)
            cells = [row for row in cells if any(row)]
            for row in cells:
                while row[-1] == "":
                    row.pop()  # Empty cells at the ends of lines.
            if not cells:
                continue
            cornered = mark == "blank" and not self.delimiter and self.lines[0][0] == "\t" and len(self.lines) > 1  # An empty first cell.
            edges = [] if self.form == "dense" or cornered else self.edges(mark, cells, plain)
            bare = [[unquoted(cell) for cell in row] for row in cells]
            found += self.contest(bare, edges, [] if self.form == "edgelist" else self.tables(bare, plain), bare != cells)
        return found

    def contest(self, cells, edges, tables, quotes):
        """Returns the readings that stand against each other: by the command's own grammar first."""
        width = max(map(len, cells))
        square = [table for table in tables if table.square]
        if self.form in ("dense", "edgelist"):
            return edges + (square or tables)
        if width == 1:
            return square or tables if self.matrix_first else union(edges, square)
        known = [edge for edge in edges if edge.known]
        if self.matrix_first:
            body = cells[1:] if self.header == "yes" or not number(cells[0][0]) else cells
            places = width <= 3 and bool(body) and all(
                len(row) > 1 and all(re.fullmatch("[0-9]+", cell) for cell in row[:2]) for row in body)
            if known:
                return known if places or not square else union(known, square)
            return weaker(edges if places and all(map(number, cells[0][2:])) else []) + square or tables
        if known:
            return known
        if width > 3:
            return square or tables
        if quotes or not edges:
            return weaker(edges or square)
        rivals = [t for t in square if not t.looped and len(cells) > 1 and (t.label == "matrix" or len(cells) > 2 or width > 2)]
        if not rivals and self.kind == "undirected" and self.header != "yes" and all(
                len(cells) == len(row) > 1 and all(map(part, row)) for row in cells):
            rivals = [Reading("matrix that is not symmetric, or has loops", set())]
        return edges + rivals

    # Matrices.
    def tables(self, cells, plain):
        """Lists the readings as a matrix: all cells, or those behind names in the first line or column, or below a size."""
        if self.several(cells) or max(map(len, cells)) == 1 and any("," in row[0] for row in cells):
            return []  # Several matrices are not one; columns of decimal commas are as well lines with a separator.
        found, first = [], cells[0]
        if len(cells) > 1 and len(first) <= 2 and self.header != "no" and all(re.fullmatch(SIZE, cell) for cell in first):
            if len(cells) == int(first[0]) + 1 and all(len(row) == int(first[-1]) for row in cells[1:]):
                found += self.table(cells[1:], "matrix below its size", False)
        if self.header == "yes" and len(cells) > 1 and len({len(row) for row in cells[1:]}) == 1 and len(first) != len(cells[1]):
            return union(found, self.table(cells[1:], "matrix below a header", False))
        # R's names above lack the corner.
        uneven = len(cells) > 1 and len(first) > 1 and {len(row) for row in cells[1:]} == {len(first) + 1}
        if uneven:
            cells = [["", *first], *cells[1:]]
        elif len({len(row) for row in cells}) > 1:
            return found
        for above, beside in ((0, 0), (1, 0), (0, 1), (1, 1)):
            if above and self.header == "no" or not above and self.header == "yes" or uneven and not (above and beside):
                continue
            body = [row[beside:] for row in cells[above:]]
            if body and body[0] and all(number(cell) for row in body for cell in row) and (
                    not (above or beside) or self.named(cells, body, above, beside, uneven)):
                found += self.table(body, "matrix with names" if above or beside else "matrix", plain and not (above or beside))
        if self.form == "dense" and found and all(number(cell) for row in cells for cell in row):
            whole = found[0]  # All may be entries then.
            for other in found[1:]:
                whole = union([whole], [other])[0]
            return [whole]
        return [table for table in found if table.square] or found

    def several(self, cells):
        """Says whether blank lines separate matrices, each of which is square."""
        sizes, at = [], 0
        for block in self.blocks:
            sizes.append({len(row) for row in cells[at:at + len(block)]} | {len(block)})
            at += len(block)
        return len(sizes) > 1 and all(len(size) == 1 and size != {1} for size in sizes)

    def named(self, cells, body, above, beside, uneven):
        """Says whether the first line, the first column or both may be names of what else there is."""
        names = ([cells[0][beside:]] if above else []) + ([[row[0] for row in cells[above:]]] if beside else [])
        binary = all(cell in ("0", "1") for row in body for cell in row)
        lettered = not self.matrix_first and not self.form and any(cell in "ij" for row in body for cell in row)
        if len(cells[0]) <= 3 and lettered and not (above and beside and cells[0][0] == ""):
            return False  # They are letters as well, unless an empty corner says that names stand above and beside.
        if above and not beside and self.header == "yes":
            return cells[0][0] != ""  # An empty corner says that the first column has names.
        if binary and all(cell in ("0", "1") for row in cells for cell in row) and self.header != "yes":
            return False
        strict = above and beside or len(cells) == len(cells[0])
        if above and beside:
            top, side = names
            distinct = all(len(set(some)) == len(some) and "" not in some for some in names)
            if distinct and cells[0][0] == "" and (not uneven or are_words(top)):
                return True  # An empty corner says it, or one that lacks.
            if number(cells[0][0]) and not (are_labels(top, body, True) and are_labels(side, body, True) and (
                    top == side or binary or top[0] in "01" and side[0] in "01")):
                return False
        wide = binary or self.matrix_first or len(cells[0]) > 3
        return all(are_words(some) or wide and are_labels(some, body, strict) for some in names)

    def table(self, body, label, plain):
        """Returns the reading of lines of numbers as a matrix of the command's kind, none if it can't be that."""
        numbers = [[number(cell) for cell in row] for row in body]
        if not all(map(all, numbers)):
            return []
        if self.key:
            return [Reading(label, set())]  # No matrix has a column of weights.
        sides = [body[0], [row[0] for row in body]]
        plain = plain and self.key is None and len(body) > 3 and all(cell[1] for row in numbers for cell in row) and not any(
            are_labels(side[cut:], [row[1:] for row in body[1:]]) for side in sides for cut in (0, 1))
        rows, columns = range(len(body)), range(len(body[0]))
        entries = {(i, j): numbers[i][j][0] for i in rows for j in columns}
        if self.key == "":
            entries = {place: ONE for place, value in entries.items() if value != ZERO}
        square = len(rows) == len(columns)
        if self.kind in ("directed", "undirected") and not square:
            return []
        if self.kind == "undirected":
            if any(entries.get((i, j)) != entries.get((j, i)) for i in rows for j in columns):
                return []
            looped = any(entries.get((i, i), ZERO) != ZERO for i in rows)
            pairs = {place: value for place, value in entries.items() if place[0] < place[1]}
            return [Reading(label, {ask(self.question, (tuple(rows), None, pairs), False)}, plain and not looped, looped=looped)]
        values = self.sided(rows, columns, entries)
        return [Reading(label if square else "matrix that is not square", values, plain and square, square=square)] if values else []

    def sided(self, rows, columns, entries):
        """Returns the answer for rows and columns, none where the question does not go with them."""
        if self.question != "parity" or self.kind != "matrix":
            value = ask(self.question, (rows, columns, entries), True)
            return set() if value is None else {value}
        if any(value[0].denominator > 1 or value[1] for value in entries.values()):
            return set()
        return {real(ask("permanent", (rows, columns, entries), True)[0] % 2)}

    # Edges.
    def edges(self, mark, cells, plain):
        """Lists the readings as edges: with the first line as an edge, as a header, as a size."""
        first, rest = [unquoted(cell) for cell in cells[0]], cells[1:]
        place = ends_in([re.sub(r"[_\- 0-9]", "", cell).lower() for cell in first])
        if any("" in row for row in cells[0 if place is None else 1:]):
            return []
        data = self.edge_list(mark, cells, None, plain, "edges")
        named = self.edge_list(mark, rest, (first, place), plain, "edges below a header")
        if place:
            for reading in named:
                reading.known, reading.plain = True, reading.plain and place[2]
        if self.statement:
            for reading in data:
                reading.known = True
            return data if self.header != "yes" else union(data, named)
        if self.header == "no":
            return data
        alone, fits = len(first) == 1 and first != ["0"] and re.fullmatch(SIZE, first[0]), self.size_fits(first, rest)
        if self.header == "yes":
            return self.sized(mark, first, rest) if fits or alone else weaker(named)
        if not rest:
            return data
        if fits:
            sized, data = self.sized(mark, first, rest), data if len(first) == len(rest[0]) else []
            return union(data, sized) if self.form else data + sized  # A format says that all lines are edges.
        ends = [[unquoted(row[k]) for row in rest if len(row) > k] for k in (0, 1)]
        if len(first) == 1:
            sized = self.sized(mark, first, rest) if alone else []
            if self.form:
                return union(data, sized)
            return sized if sized or alone and not all(re.fullmatch("[0-9]+", name) for name in ends[0] + ends[1]) else weaker(data)
        words = [not number(cell) or k < 2 and cell in "ij" for k, cell in enumerate(first)]
        numeric = all(end and all(number(name) and name not in "ij" for name in end) for end in ends)
        if words[:2] == [True, True]:
            return self.words_above(first, data, named, words, numeric, place, {*ends[0], *ends[1]})
        if not any(words[:2]) and len(first) == 2 and len(rest[0]) == 3:
            return []  # A first line of two numbers above three fields that is no size of what follows.
        if not any(words[:2]):  # Numbers above words may number the columns.
            columns = first in (["0", "1"], ["1", "2"], ["0", "1", "2"], ["1", "2", "3"])
            wordy = [end and not any(number(name) for name in end) for end in ends]  # Columns of words, as tables have.
            alone = all(wordy) or any(wordy) and len(rest) > 1
            return data if numeric else data + named if columns and alone else weaker(data)
        return union(data, named) if numeric and named else weaker(data)

    @staticmethod
    def words_above(first, data, named, words, numeric, place, below):
        """Says what a first line of words is: a header above numbers, or if tables have such a pair; else there are two readings."""
        if len(first) > 2:
            return (named if place else weaker(named)) if words[2] else weaker(data) if place else data
        if place and not below & set(first):
            return named
        if below & set(first):
            return weaker(data) if place else data
        return weaker(named) if numeric else named + data

    def size_fits(self, first, rest):
        """Says whether a line is the size of what follows: vertices and edges, or rows, columns and entries."""
        if not 2 <= len(first) <= 3 or not all(re.fullmatch(SIZE, cell) for cell in first) or int(first[-1]) != len(rest):
            return False
        limits = [int(first[0]), int(first[len(first) - 2])]
        if any(len(row) < 2 for row in rest):
            return False
        beyond = any(re.fullmatch("[0-9]+", row[k]) and int(row[k]) > limits[k] for row in rest for k in (0, 1))
        sides = [{row[0] for row in rest}, {row[1] for row in rest}]
        if self.kind not in ("bipartite", "matrix"):
            sides = [sides[0] | sides[1]] * 2
        # Numbers beyond the size are names like others, of which there are as many.
        return all(limit == len(side) if beyond else limit >= len(side) for limit, side in zip(limits, sides))

    def sized(self, mark, first, rest):
        """Returns the reading with so many vertices, or rows and columns, as a first line of integers says."""
        if len(rest) > 1 and len(rest[0]) == 1 and re.fullmatch(SIZE, rest[0][0]):
            return self.sized(mark, rest[0], rest[1:])  # Vertices, then edges.
        plainly = self.edge_list(mark, rest, None, False, "edges below a size")
        if not plainly or not rest:
            return []
        n, (left, right), sides = int(first[0]), self.vertices, self.kind in ("bipartite", "matrix")
        if len(first) == 1:
            lonely = n > (max(left, right) if sides else left)
            exact = n in (len(rest), sum(len(row) > 1 for row in rest), left + right) or sides and n == left == right
            if not lonely and not exact:
                return []  # A false size.
        else:
            exact = (n, int(first[1])) == (left, right) if len(first) == 3 and sides else n in (left + right, max(left, right))
            lonely = not exact
        if self.question in ("by-size", "decompose", "determinant"):
            return plainly  # Vertices without edges change nothing.
        return [Reading("edges below a size", (plainly[0].values if exact else set()) | ({real(0)} if lonely else set()), False)]

    def edge_list(self, mark, cells, header, plain, label):
        """Returns the reading of lines u v or u v w below a header = (names, ends) or None, none if one of them is no edge."""
        width = max(map(len, cells), default=0)
        names, place = header or ([], None)
        if not cells or not place and width > (4 if self.statement else 3) or any(cell in (",", ";") for row in cells for cell in row):
            return []
        if header and len(names) != width and (place or self.header != "yes"):
            return []
        marks = r"[ ;,\t]" if self.form else r"[ ;,\t|&:]"
        lumps = any(len(row) == 1 and row[0] == unquoted(row[0]) and re.search(marks, row[0]) for row in cells)
        if lumps or not place and mark in (",", ";") and any(
                re.search(r"[ \t][0-9.]+$", a) and b[:1].isdigit() for row in cells for a, b in zip(row, row[1:])):
            return []  # Another mark separates; the second is a decimal comma.
        u, v = place[:2] if place else (0, 1)
        others = [k for k in range(width) if k not in (u, v)]
        words = [re.sub(r"[_\- 0-9]", "", name).lower() for name in names]
        w = next((k for k in others if k < len(words) and (names[k] == self.key if self.key else words[k] in WEIGHTS)), None)
        if not header and not self.key and others:
            w = 2
        if header and (not place or [u, v, *others] != [*range(width)] or others and w is None) or len(self.blocks) > 1 or self.statement:
            plain = False
        types = {unquoted(row[k]).lower() for row in cells for k in others if k < min(len(row), len(words)) and words[k] == "type"}
        if types & {"directed", "undirected"}:
            if types != {"undirected"} or self.options.get("kind"):
                return [Reading(label, {None})]  # It is what it says, which the command may not ask for.
            self.kind = "undirected"
        edges, lone = [], []
        for row in cells:
            if 1 < len(row) < width and (len(row) > 2 or self.weighty and self.key != ""):
                return []  # A weight is missing, or a field of a table.
            if not all(self.good_name(mark, row[k], place, k == 0) for k in (u, v) if k < len(row)):
                return []
            weight = number(unquoted(row[w])) if w is not None and w < len(row) else (ONE, True)
            if not weight and (self.weighty or not header or words[w] == "weight"):
                return []
            weight = weight or (ONE, False)
            plain = plain and len(row) == width and weight[1] and weight[0][1] == 0
            if len(row) > max(u, v):
                edges.append((unquoted(row[u]), unquoted(row[v]), ONE if self.key == "" else weight[0]))
            else:
                lone.append(unquoted(row[0]))
        if w is None and width > 1 and self.key:
            return [Reading(label, set())]  # No column has that name.
        if header and w is None and self.weighty and self.key != "" and any(
                number(unquoted(row[k])) for row in cells for k in others if k < len(row) and (words + [""] * k)[k] not in LABELS):
            return [Reading(label, set())]  # Numbers below another word are no weights, and may have been meant to be.
        return self.graph(edges, lone, label, plain)

    def good_name(self, mark, cell, table, is_first):
        """Says whether a cell may name a vertex: none that another separator would split outside tables, or that looks like syntax."""
        if not cell or re.fullmatch('"[^"]*"', cell):
            return len(cell) > 2
        if is_first and cell == "c" and not self.lettered or cell in ("//", "!", "REM", "--", "->", "|") or cell[:1] == '"':
            return bool(self.form)
        if not table and not self.delimiter and re.search(r"[\t;,]" if mark != "blank" else r"[;,]", cell):
            return False
        return bool(self.form or table) or not re.search(r"[\[\](){}<>|\\]|->", cell)

    def graph(self, edges, lone, label, plain):
        """Returns the reading of edges as a graph of the command's kind."""
        if self.kind == "undirected" and self.options.get("loops"):
            loops = [u for u, v, _ in edges if u == v]
            if loops and self.options["loops"] != "drop":
                return []
            lone, edges = lone + loops, [edge for edge in edges if edge[0] != edge[1]]
        edges = self.once(edges)
        if edges is None:
            return [] if self.options.get("duplicates") != "sum" else [Reading(label, {None})]  # Parallel edges may count as many.
        left, right = (list(dict.fromkeys(edge[k] for edge in edges)) for k in (0, 1))
        bare = {*left, *right}
        lone = [name for name in lone if name not in bare]
        self.vertices = (len(left), len(right)) if self.kind in ("bipartite", "matrix") else (len(bare), 0)
        if self.kind == "bipartite" and not self.options.get("kind") and self.statement != "bip" and set(left) & set(right):
            return []  # A name in both columns.
        found, noted = self.values(edges, lone)
        plain = plain and not (self.matrix_first or lone or noted or any(u == v for u, v, _ in edges)) and all(
            re.fullmatch(r"[A-Za-z]+[0-9]*", name) for name in bare)
        merged = [(*(str(name if part(name) is None else part(name)) for name in edge[:2]), edge[2]) for edge in edges]
        if found and len({name for edge in merged for name in edge[:2]}) < len(bare):  # 1 and 01 may be one name.
            found, plain = found | (self.values(merged, lone)[0] if len({edge[:2] for edge in merged}) == len(merged) else set()), False
        return [Reading(label, found, plain, noted)] if found else []

    def once(self, edges):
        """Returns the edges, each once as --duplicates says; None if that is not said."""
        pairs, again = {}, self.options.get("duplicates")
        for u, v, w in edges:
            pair = frozenset((u, v)) if self.kind == "undirected" else (u, v)
            if pair in pairs and (not again or again == "sum" and not self.weighty):
                return None
            pairs[pair] = (u, v, w) if pair not in pairs else pairs[pair] if again == "one" else (*pairs[pair][:2], plus(pairs[pair][2], w))
        return list(pairs.values())

    def values(self, edges, lone):
        """Returns (values, those of them that need a note): an edge of weight 0 may count, or be left out with a note."""
        kept = self.value(edges, lone)
        if self.weighty or all(w != ZERO for _, _, w in edges):
            return kept, set()
        whole = self.value([(u, v, ONE) for u, v, _ in edges], lone)
        return (whole, set()) if self.options.get("keep_zeros") else (whole | kept, kept - whole)

    def value(self, edges, lone):
        if self.kind in ("undirected", "directed"):
            index = {name: k for k, name in enumerate(dict.fromkeys([name for edge in edges for name in edge[:2]] + lone))}
            entries = {(index[u], index[v]): w for u, v, w in edges}
            if self.kind == "directed" or self.question == "cycles":
                both = {(v, u): w for (u, v), w in entries.items()} if self.kind == "undirected" else {}
                return self.sided(range(len(index)), range(len(index)), entries | both)
            pairs = {(min(pair), max(pair)): w for pair, w in entries.items() if pair[0] != pair[1]}
            return {ask(self.question, (tuple(range(len(index))), None, pairs), False)}
        rows, columns = list(dict.fromkeys([u for u, _, _ in edges] + lone)), list(dict.fromkeys(v for _, v, _ in edges))
        places = self.matrix_first and all(re.fullmatch("[0-9]{1,4}", name) for name in rows + columns)
        if places:
            rows, columns = sorted(rows, key=int), sorted(columns, key=int)
        found = self.sided(rows, columns, {(u, v): w for u, v, w in edges})
        if self.question == "determinant":
            found = {sign for value in found or {ZERO} for sign in (value, (-value[0], -value[1]))}  # The order of names is not said.
        numbers = list(map(int, rows + columns)) if places else []
        if places and self.question != "decompose" and (min(numbers) > 1 or max(numbers) - min(numbers) >= max(len(rows), len(columns))):
            found |= {(ONE,) if self.question == "by-size" else ZERO}  # Rows between are empty.
        return found


def ends_in(names):
    """Finds the columns of the ends by the names in a header: (source, target, whether the contract names the pair)."""
    bare = [name.removesuffix("id") for name in names]
    for pair in sorted(PERHAPS):
        for i, name in enumerate(bare):
            for j, other in enumerate(bare):
                if (name, other) == pair and (i < j or pair[0] != pair[1] and i != j):
                    return i, j, pair in PAIRS
    return None


def unquoted(cell):
    return cell[1:-1] if re.fullmatch('"[^"]*"', cell) else cell


def weaker(readings):
    for reading in readings:
        reading.plain = False
    return readings


def union(some, others):
    """Joins readings between which the contract is silent: either value will do."""
    if not some or not others:
        return weaker(some or others)
    return [Reading(some[0].label, some[0].values | others[0].values, False, some[0].noted, known=some[0].known)]


def are_words(names):
    """Says whether cells may be names for being no numbers, nor anything that a number was meant by."""
    names = names[1:] if names and names[0] == "" else names
    meant = re.compile(r"[-+.$\u20ac]?[0-9(]|.*[,;]")
    return bool(names) and not any(number(name) and name not in "ij" or NOT_FINITE.fullmatch(name) or meant.match(name) for name in names)


def are_labels(names, body, strict=False):
    """Says whether numbers may be names: successive ones, or any distinct ones beside zeros and ones. Strictly: in order."""
    if len(names) < 2 or not all(re.fullmatch(r"[0-9]+", name) for name in names) or len(set(names)) < len(names):
        return False
    values = list(map(int, names))
    if max(values) - min(values) == len(values) - 1:
        return (len(values) > 2 if values != sorted(values) or strict else True) and (not strict or values == sorted(values)) and (
            len(body) == len(body[0]) or values[0] < 2)
    binary = not {"0", "1"} & set(names) and all(cell in ("0", "1") for row in body for cell in row)
    return binary and (len(names) > 2 or not strict)
