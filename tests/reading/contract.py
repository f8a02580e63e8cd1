"""Says what a plain text has to be read as: the contract of reading as an oracle, which shares no code with the readers.

All readings that a person might have of a text are listed, and each gives the values that it may stand for (two where
the contract is silent). If there is none, or two have nothing in common, the program has to refuse. Else what they
share is right, and a refusal is a fault only where the text is plain.
"""

import re
from dataclasses import dataclass, field

from truth import NOT_FINITE, ONE, PAIR, ZERO, ask, number, part, plus, real

# Pairs that tables have as headers, with _, - and digits taken out; the first are named by the contract.
PAIRS = {("source", "target"), ("from", "to"), ("node", "node"), ("u", "v"), ("user", "item"), ("author", "paper")}
# Pairs that may be counted among them, which the contract's "..." leaves open.
PERHAPS = PAIRS | {("src", "dst"), ("person", "event"), ("head", "tail"), ("row", "column"), ("row", "col"), ("left", "right"),
                   ("x", "y"), ("start", "end"), ("nodea", "nodeb"), ("id", "id"), ("vertex", "vertex"),
                   ("fromnode", "tonode"), ("sourceid", "targetid"), ("fromid", "toid"), ("user", "movie"), ("worker", "task"),
                   ("name", "name"), ("actor", "movie"), ("buyer", "seller")}
WEIGHTS = {"weight", "weights", "w", "value", "edgeweight"}
MATRIX = ("permanent", "determinant")
SIZE = r"0|[1-9][0-9]{0,5}"
NATIVE = {"count": "bipartite", "by-size": "bipartite", "parity": "bipartite", "decompose": "bipartite", "cycles": "directed",
          "permanent": "matrix", "determinant": "matrix", "hafnian": "undirected"}


@dataclass
class Verdict:
    allowed: list = field(default_factory=list)  # values that may be printed; none: the text has to be refused
    may_refuse: bool = True
    two: bool = False  # two readings: the refusal names the options that settle it
    noted: list = field(default_factory=list)  # values that need a note, as an edge of weight 0 was left out
    why: str = ""


@dataclass
class Reading:
    label: str
    values: set
    plain: bool = True
    noted: set = field(default_factory=set)


def contract(text, question, options=None):
    """Returns the verdict on a text that a command reads: options are kind, format, header, delimiter, weight_key."""
    return Text(text, question, dict(options or {})).verdict()


class Text:
    def __init__(self, text, question, options):
        self.question, self.options, self.plain, self.statement = question, options, True, ""
        self.blocks, self.vertices = [[]], (0, 0)
        for line in text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n"):
            bare = line.strip(" \t")
            if bare[:1] in ("#", "%"):
                self.comment(bare)
            elif bare:
                self.blocks[-1].append(line.strip(" "))
            elif self.blocks[-1]:
                self.blocks.append([])
        self.blocks = [block for block in self.blocks if block]
        self.lines = [line for block in self.blocks for line in block]
        self.lettered = any(re.search(r"(^|[\s,;])[abd-z]($|[\s,;])", line) for line in self.lines)
        if options.get("format", "edgelist") != "edgelist":
            self.statement = ""  # It is a comment like others.
        self.kind = options.get("kind") or {"sym": "undirected", "asym": "directed", "bip": "bipartite"}.get(
            self.statement, options.get("stated") or NATIVE[question])
        self.weighty = question in ("permanent", "determinant", "hafnian")
        self.matrix_first = question in MATRIX and not options.get("kind") or self.kind == "matrix"

    def comment(self, line):
        """Takes what comments state, before any edge: options, or a format of KONECT's or SNAP's."""
        if found := re.match(r"[#%]\s*(format|header|kind):\s*(\w+)\s*$", line):
            self.options.setdefault("stated" if found[1] == "kind" else found[1], found[2])
        elif (found := re.match(r"%\s*(sym|asym|bip)\b", line)) and not any(self.blocks):
            self.statement = found[1]
        elif re.match(r"[#%]\s*FromNodeId\s+ToNodeId|[#%]\s*GMT|[#%].*(directed|graph)", line, re.I):
            self.statement = self.statement or "other"

    def verdict(self):
        if not self.lines:
            return Verdict(why="an empty file")
        if self.statement == "other" or (self.matrix_first or self.question == "cycles") and (self.statement or self.options.get("stated")) or any("#" in line or "%" in line[1:] and "% " in line for line in self.lines):
            return Verdict([None], why="comments behind text, or those of other formats, are not what is tested")
        if not self.options.get("delimiter") and (any("::" in line for line in self.lines) or self.options.get("format") == "edgelist"
                                                  and re.search("[\u00a0\u2009\u202f]", "".join(self.lines))):
            return Verdict([None], why="marks that the contract has no word for")
        if self.question == "determinant" and self.kind in ("undirected", "bipartite"):
            return Verdict([None], why="what it means is not said")
        readings = self.readings()
        if not readings:
            return Verdict(why="no reading")
        shared = set.intersection(*(reading.values for reading in readings))
        labels = " | ".join(sorted({reading.label for reading in readings}))
        if not shared:
            return Verdict(two=len(readings) > 1, why="two readings: " + labels)
        noted = set.union(*(reading.noted for reading in readings)) & shared
        certain = len(readings) == 1 and len(self.lines) > 1 and readings[0].plain and self.plain and len(self.blocks) == 1
        return Verdict(list(shared), not certain, noted=list(noted), why=labels)

    # Fields.
    def grids(self):
        """Yields (separator, lines of cells, plain) for each mark that may separate the fields."""
        joined = [re.sub(r"\(([^(),\s]+)\s*,\s*([^(),\s]+)\)", rf"\1{PAIR}\2", line) for line in self.lines]
        self.bracketed = joined != self.lines
        given = self.options.get("delimiter")
        if given == "," and self.options.get("format") == "edgelist":
            joined = self.lines
        marks = [given] if given else ["blank"] + [
            mark for mark in ",;\t" if any(mark in line for line in joined)]
        for mark in marks:
            if mark == "blank":
                cells = [re.findall(r'"[^"]*"(?=[ \t]|$)|[^ \t]+', line) for line in joined]
            else:
                quoted = re.compile(rf'[ \t]*("[^"]*"|.*?)[ \t]*({re.escape(mark)}|$)' if mark != "\t" else r'( *"[^"]*" *|.*?)(\t|$)')
                cells = [self.split(quoted, line) for line in joined]
            yield mark, cells, mark in (given, "blank") or len(marks) == 2
        whole = "".join(joined)
        if not given and re.search("[\u00a0\u2009\u202f]", whole) and not re.search(r"[ ,;\t]|[\u00a0\u2009\u202f]\d{3}\b", whole):
            yield "blank", [line.split() for line in joined], False

    @staticmethod
    def split(pattern, line):
        cells, at = [], 0
        while True:
            found = pattern.match(line, at)
            cells.append(found[1].strip(" "))
            if not found[2]:
                return cells
            at = found.end()

    def readings(self):
        form, found = self.options.get("format"), []
        for mark, cells, plain in self.grids():
            ragged_end = any(row and row[-1] == "" for row in cells)
            cells = [row for row in cells if any(row)]
            while cells and all(row and row[-1] == "" for row in cells):
                cells = [row[:-1] for row in cells]
            if not cells:
                continue
            plain = plain and not (self.bracketed and (mark == "," or any(", " in line for line in self.lines)))
            quotes = any(cell[:1] == '"' for row in cells for cell in row)
            plain = plain and not ragged_end and not quotes
            cornered = mark == "blank" and not self.options.get("delimiter") and self.lines[0][0] == "\t"
            edges = [] if form == "dense" or cornered else self.edges(mark, cells, plain)
            bare = [[unquoted(cell) for cell in row] for row in cells]
            tables = [] if form == "edgelist" else self.tables(bare, plain)
            found += self.contest(bare, edges, tables, form, quotes)
        return found

    def contest(self, cells, edges, tables, form, quotes):
        """Returns the readings that stand against each other: by the command's own grammar first."""
        width = max(map(len, cells))
        square = [table for table in tables if table.label != "matrix that is not square"]
        if form in ("dense", "edgelist"):
            return edges + (square or tables)
        numbers = all(number(cell) for row in cells[1:] or cells for cell in row)
        if width == 1:
            return square or tables if self.matrix_first else union(edges, square)
        tables_of_edges = [edge for edge in edges if "known" in edge.label]
        if self.matrix_first:
            rivals = weaker(edges) if width <= 3 and numbers else []
            return tables_of_edges or rivals + square or tables
        if tables_of_edges:
            return tables_of_edges
        if width > 3:
            return square or tables
        rivals = [table for table in square if "loops" not in table.label and len(cells) > 1 and (table.label == "matrix" or len(cells) > 2 or width > 2)]
        if not rivals and self.kind == "undirected" and self.options.get("header") != "yes" and all(len(cells) == len(row) > 1 and all(map(part, row)) for row in cells):
            rivals = [Reading("matrix that is not symmetric, or has loops", set())]
        return weaker(edges or square) if quotes or not edges else edges + rivals

    # Matrices.
    def tables(self, cells, plain):
        """Lists the readings as a matrix: all cells, or those behind names in the first line or column, or below a size."""
        found = []
        blocks, at = [], 0
        for block in self.blocks:
            blocks.append(cells[at:at + len(block)])
            at += len(block)
        if len(blocks) > 1 and all(len({len(row) for row in block} | {len(block)}) == 1 for block in blocks):
            return []  # Several matrices are not one.
        if max(map(len, cells)) == 1 and any("," in row[0] for row in cells):
            return []  # Columns of decimal commas are as well lines with a separator.
        head = self.options.get("header")
        sizes = [[cell for cell in row if re.fullmatch(SIZE, cell)] for row in cells[:1]]
        if len(cells) > 1 and sizes[0] == cells[0] and len(sizes[0]) <= 2 and head != "no":
            size, body = [int(cell) for cell in sizes[0]], cells[1:]
            if len(body) == size[0] and all(len(row) == size[-1] for row in body):
                found += self.table(body, "matrix below its size", False)
        width = {len(row) for row in cells}
        uneven = len(width) == 2 and len(cells) > 1 and {len(row) for row in cells[1:]} == {len(cells[0]) + 1}
        if uneven:
            cells = [["", *cells[0]], *cells[1:]]
        elif len(width) != 1:
            return found
        for above, beside in ((0, 0), (1, 0), (0, 1), (1, 1)):
            if (above and head == "no") or (not above and head == "yes") or (uneven and not (above and beside)):
                continue
            body = [row[beside:] for row in cells[above:]]
            top, side = cells[0][beside:] if above else [], [row[0] for row in cells[above:]] if beside else []
            if not body or not body[0] or not all(number(cell) for row in body for cell in row):
                continue
            if (above or beside) and any(cell in "ij" for row in body for cell in row):
                continue  # They are letters as well.
            binary = all(cell in ("0", "1") for row in body for cell in row)
            corner = above and beside and cells[0][0] == "" and not uneven
            if above and beside and number(cells[0][0]) and not (
                    are_labels(top, body, True) and are_labels(side, body, True) and (top == side or binary or top[0] in "01" and side[0] in "01")):
                continue
            words = [are_words(names) for names in (top, side) if names]
            if binary and all(cell in ("0", "1") for row in cells for cell in row) and (above or beside) and head != "yes":
                continue
            strict = above and beside or len(cells) == len(cells[0])
            labels = [are_labels(names, body, strict) and (binary or self.matrix_first or len(cells[0]) > 3) for names in (top, side) if names]
            if corner and all(len(set(names)) == len(names) and "" not in names for names in (top, side)) or all(word or label for word, label in zip(words, labels)) or (above and not beside and head == "yes"):
                found += self.table(body, "matrix" + " with names" * bool(words), plain and not words)
        square = [table for table in found if "not square" not in table.label]
        return square or found

    def table(self, body, label, plain):
        numbers = [[number(cell) for cell in row] for row in body]
        if not all(map(all, numbers)):
            return []
        key = self.options.get("weight_key")
        if key:
            return [Reading(label, set())]  # No matrix has a column of weights.
        if key == "":
            numbers, plain = [[(cell[0] if cell[0] == ZERO or not self.weighty else ONE, False) for cell in row] for row in numbers], False
        plain = plain and all(cell[1] for row in numbers for cell in row) and len(body) > 3
        sides = [list(body[0]), [row[0] for row in body]]
        plain = plain and not any(are_labels(side[cut:], [row[1:] for row in body[1:]]) for side in sides for cut in (0, 1))
        rows, columns = range(len(body)), range(len(body[0]))
        entries = {(i, j): numbers[i][j][0] for i in rows for j in columns}
        square = len(rows) == len(columns)
        if not square:
            label, plain = "matrix that is not square", False
        if self.kind == "directed" and not square:
            return []
        if self.question == "parity" and self.kind == "matrix" and any(x[0].denominator > 1 or x[1] for x in entries.values()):
            return []
        if self.kind != "undirected":
            if self.question == "parity" and self.kind == "matrix":
                value = ask("permanent", (rows, columns, entries), True)
                return [Reading(label, {real(value[0] % 2)}, plain)]
            return self.reading(label, plain, (rows, columns, entries), True)
        if not square or any(entries[i, j] != entries[j, i] for i in rows for j in columns):
            return []
        if any(entries[i, i] != ZERO for i in rows):
            label, plain = label + " with loops", False
        return self.reading(label, plain, (tuple(rows), None, {key: value for key, value in entries.items() if key[0] < key[1]}), False)

    def reading(self, label, plain, graph, sided):
        value = ask(self.question, graph, sided)
        return [] if value is None else [Reading(label, {value}, plain)]

    # Edges.
    def edges(self, mark, cells, plain):
        """Lists the readings as edges: with the first line as an edge, as a header, as a size."""
        header, first, rest = self.options.get("header"), cells[0], cells[1:]
        if any("" in row for row in cells):
            return []
        data = self.edge_list(mark, cells, None, plain, "edges")
        names = [re.sub(r"[_\- 0-9]", "", unquoted(cell)).lower() for cell in first]
        place = self.pair(names)
        named = self.edge_list(mark, rest, (names, first, place), plain, "edges below a header")
        if self.statement:
            return known(data) if header != "yes" else union(data, named)
        sized = self.sized(mark, first, rest, plain)
        if header == "no":
            return data
        if header == "yes":
            number_alone = len(first) == 1 and re.fullmatch(SIZE, first[0])
            return sized if self.size_fits(first, rest) or number_alone else known(named, False) if place else weaker(named)
        words = [not number(unquoted(cell)) or unquoted(cell) in "ij" for cell in first[:2]]
        columns = [[unquoted(row[k]) for row in rest if len(row) > k] for k in range(max(map(len, cells)))]
        numeric = [bool(column) and all(number(cell) and cell not in "ij" for cell in column) for column in columns]
        ends = set(columns[0] if columns else []) | set(columns[1] if len(columns) > 1 else [])
        if not rest:
            return data
        if self.size_fits(first, rest):
            return (data if len(first) == len(rest[0]) else []) + sized
        if len(first) == 2 and len(rest[0]) == 3 and not any(words):
            return []  # A first line of two numbers above three fields that is no size of what follows.
        if len(first) == 1:
            if re.fullmatch(SIZE, first[0]) and (sized or not all(re.fullmatch("[0-9]+", name) for name in ends)):
                return sized
            return weaker(data)
        if words == [True, True]:
            if len(first) > 2 and number(first[2]):
                return data if place is None else weaker(data)
            if len(first) > 2:
                return known(named, place[2]) if place else weaker(named)
            if place is not None and not ends & {unquoted(cell) for cell in first}:
                return known(named, place[2])
            if ends & {unquoted(cell) for cell in first[:2]}:
                return data
            return weaker(named) if numeric[:2] == [True, True] else named + data
        if not any(words) and all(numeric[:2]):
            return data
        if not any(words):  # Numbers above words number the columns, or are names.
            return data + named if first in (["0", "1"], ["1", "2"], ["0", "1", "2"], ["1", "2", "3"]) else weaker(data)
        return weaker(data) if not named or numeric[:2] != [True, True] else union(data, named)

    def pair(self, names):
        """Finds the columns of the ends by the names in a header: (source, target, whether the contract names the pair)."""
        for first, second in sorted(PERHAPS):
            for i, name in enumerate(names):
                for j, other in enumerate(names):
                    if i != j and (name.removesuffix("id"), other.removesuffix("id")) == (first, second):
                        if i < j or (first, second) != (second, first):
                            return i, j, (first, second) in PAIRS
        return None

    def size_fits(self, first, rest):
        """Says whether a line is the size of what follows: vertices and edges, or rows, columns and entries."""
        numbers = [int(cell) for cell in first if re.fullmatch(SIZE, cell)]
        if len(numbers) < len(first) or not 2 <= len(first) <= 3 or numbers[-1] != len(rest) or any(len(row) < 2 for row in rest):
            return False
        limits = numbers[:2] if len(numbers) == 3 else numbers[:1] * 2
        if any(re.fullmatch("[0-9]+", row[k]) and int(row[k]) > limits[k] for row in rest for k in (0, 1)):
            return False
        sides = [len({row[k] for row in rest if len(row) > k}) for k in (0, 1)]
        if self.kind not in ("bipartite", "matrix"):
            sides = [len({cell for row in rest for cell in row[:2]})] * 2
        return all(size >= side for size, side in zip(limits, sides))

    def sized(self, mark, first, rest, plain):
        """Returns the readings with so many vertices, or rows and columns, as a first line says."""
        numbers = [int(cell) for cell in first if re.fullmatch(SIZE, cell)]
        if len(numbers) != len(first) or not rest:
            return []
        plainly = self.edge_list(mark, rest, None, False, "edges below a size")
        if not plainly or len(first) > 3:
            return []
        vertices, n = self.vertices, numbers[0]
        sides = self.kind in ("bipartite", "matrix")
        if len(numbers) == 1:
            lonely = n > (max(vertices) if sides else sum(vertices))
            exact = n in (len(rest), sum(vertices)) or sides and n == max(vertices) == min(vertices)
            if not lonely and not exact:
                return []  # A false size.
        else:
            exact = tuple(numbers[:2]) == tuple(vertices) if len(numbers) == 3 and sides else n in (sum(vertices), max(vertices))
            lonely = not exact
        if self.question in ("by-size", "decompose", "determinant"):
            return plainly
        values = (plainly[0].values if exact else set()) | ({real(0)} if lonely else set())
        return [Reading("edges below a size", set(values), False)]

    def edge_list(self, mark, cells, header, plain, label):
        """Returns the reading of lines u v or u v w, none if one of them is no edge."""
        konect = self.statement in ("sym", "asym", "bip")
        if not cells or any(len(row) == 1 and re.search(r"[ ;,\t|&:]", row[0]) for row in cells):
            return []
        names, place = (header[0], header[2]) if header else ([], None)
        width = max(map(len, cells))
        if width > (4 if konect else 3) and not place or header and len(header[1]) != width and self.options.get("header") != "yes":
            return []
        u, v = place[:2] if place else (0, 1)
        others = [k for k in range(width) if k not in (u, v)]
        key = self.options.get("weight_key")
        w = next((k for k in others if names[k:k + 1] and names[k] in ({key} if key else WEIGHTS)), None)
        if not header and not key and others:
            w = 2
        if mark in (",", ";") and any(re.search(r"[ \t][0-9.]+$", a) and b[:1].isdigit() for row in cells for a, b in zip(row, row[1:])):
            return []  # It is a decimal comma, and another mark separates.
        if key and w is None and width > 1:
            return [Reading(label, set())] if self.weighty else []
        if header and w is None and self.weighty and key != "" and any(
                number(unquoted(row[k])) for row in cells for k in others if k < len(row)):
            return [Reading(label, set())]  # Numbers below another word are no weights, and may have been meant to be.
        edges, loose = [], header is not None and (not place or [u, v, *others] != [*range(width)] or bool(others) and w is None)
        for row in cells:
            if 1 < len(row) < width and (len(row) > 2 or self.weighty and key != ""):
                return []  # A weight is missing, or a field of a table.
            loose = loose or len(row) < width
            ends = [unquoted(row[k]) for k in (u, v) if k < len(row)]
            if not all(self.good_name(mark, row[k]) for k in (u, v) if k < len(row)):
                return []
            value = ONE
            if w is not None and w < len(row):
                parsed = number(unquoted(row[w]))
                if parsed is None:
                    return []
                value, loose = parsed[0], loose or not parsed[1] or parsed[0][1] != 0
            edges.append((*ends, value))
        if w is None and not header and any(not number(unquoted(row[2])) for row in cells if len(row) > 2):
            return []
        if len(self.blocks) > 1 and all(re.fullmatch(r"[-+0-9. ]+", line) for line in self.lines):
            loose = True
        return self.graph(edges, label, plain and not loose and not konect)

    def good_name(self, mark, cell):
        """Says whether a cell may name a vertex: none that another separator would split, or that looks like syntax."""
        if cell[:1] == '"' and len(cell) > 1 and cell[-1] == '"':
            return len(cell) > 2
        if cell == "c" and not self.lettered or cell in ("//", "!", "REM", "--", "->", "|") or cell[:1] == '"':
            return bool(self.options.get("format"))
        if re.search(r"\S[\t;,]\S" if self.options.get("delimiter") else r"[\t;,]" if mark != "blank" else r"[;,]", cell):
            return False
        return bool(self.options.get("format")) or not re.search(r"[\[\](){}<>|\\]|->|--", cell)

    def graph(self, edges, label, plain):
        lone = [edge[0] for edge in edges if len(edge) == 2]
        edges = [edge for edge in edges if len(edge) == 3]
        lone = [name for name in lone if not any(name in edge[:2] for edge in edges)]
        pairs = [frozenset(edge[:2]) if self.kind == "undirected" else edge[:2] for edge in edges]
        left, right = ({edge[k]: None for edge in edges} for k in (0, 1))
        self.vertices = (len(left), len(right)) if self.kind in ("bipartite", "matrix") else (len({**left, **right}), 0)
        if len(set(pairs)) < len(pairs):
            if not (again := self.options.get("duplicates")):
                return []
            if again == "sum" and not self.weighty:
                return [Reading(label, {None})]  # Parallel edges may count as many.
            once = {}
            for pair, (u, v, w) in zip(pairs, edges):
                once[pair] = (u, v, w) if pair not in once else once[pair] if again == "one" else (*once[pair][:2], plus(once[pair][2], w))
            edges = list(once.values())
        if self.kind == "bipartite" and not self.options.get("kind") and self.statement != "bip" and left.keys() & right.keys():
            return []  # A name in both columns.
        if self.options.get("weight_key") == "":
            edges = [(u, v, ONE) for u, v, _ in edges]
        bare = [unquoted(name) for name in [*left, *right]]
        spelt = {part(name) if part(name) is not None else name for name in bare}
        plain = plain and not self.matrix_first and all(re.fullmatch(r"[A-Za-z][A-Za-z]*[0-9]*", name) for name in bare) and not lone
        found, noted = self.values(edges, lone)
        if not found:
            return []
        if len(spelt) < len(set(bare)):  # 1 and 01 may be one name.
            merged = [(*(name if part(name) is None else str(part(name)) for name in (u, v)), w) for u, v, w in edges]
            more = self.values(merged, lone) if len({edge[:2] for edge in merged}) == len(merged) else None
            found, plain = found | (more[0] if more else set()), False
        plain = plain and not any(u == v for u, v, _ in edges) and not noted
        return [Reading(label, found, plain, noted)]

    def values(self, edges, lone):
        """Returns (values, those of them that need a note): an edge of weight 0 may count, or be left out with a note."""
        kept = self.value(edges, lone)
        out = [(u, v, ZERO if w == ZERO else w) for u, v, w in edges]
        if self.options.get("keep_zeros") and not self.weighty:
            edges = [(u, v, ONE) for u, v, _ in edges]
            kept = self.value(edges, lone)
        if self.weighty or self.options.get("weight_key") == "" or all(w != ZERO for _, _, w in edges):
            return kept, set()
        with_all = self.value([(u, v, ONE) for u, v, w in edges], lone)
        return with_all | kept, {value for value in self.value(out, lone) if value not in with_all}

    def value(self, edges, lone):
        question = "permanent" if self.question == "parity" and self.kind == "matrix" else self.question
        if self.kind == "undirected" or self.kind == "directed":
            names = list(dict.fromkeys([name for edge in edges for name in edge[:2]] + lone))
            index = {name: k for k, name in enumerate(names)}
            if self.kind == "undirected" and question != "cycles":
                weights = {tuple(sorted((index[u], index[v]))): w for u, v, w in edges if u != v}
                return {ask(question, (tuple(range(len(names))), None, weights), False)}
            entries = {(index[u], index[v]): w for u, v, w in edges}
            if self.kind == "undirected":
                entries |= {(v, u): w for (u, v), w in entries.items()}
            return {ask(question, (range(len(names)), range(len(names)), entries), True)}
        rows, columns = list(dict.fromkeys([u for u, _, _ in edges] + lone)), list(dict.fromkeys(v for _, v, _ in edges))
        entries = {(u, v): w for u, v, w in edges}
        sides = [(rows, columns)]
        if self.matrix_first and all(re.fullmatch("[0-9]{1,4}", name) for name in rows + columns):
            rows, columns = sorted(rows, key=int), sorted(columns, key=int)
            least, most = min(map(int, rows + columns)), max(map(int, rows + columns))
            sides = [(rows, columns)]
            if most - least + 1 > max(len(rows), len(columns)) or least > 1:
                sides.append(([0], []))  # Places: a row between them that is empty makes it 0.
        found = set()
        for rows, columns in sides:
            value = ask(question, (rows, columns, entries), True)
            if value is None:
                value = ZERO
            found |= {value} | ({(-value[0], -value[1])} if question == "determinant" else set())
        if self.question == "parity" and self.kind == "matrix":
            found = {real(value[0] % 2) for value in found if value[0].denominator == 1 and not value[1]}
        return found


def unquoted(cell):
    return cell[1:-1] if len(cell) > 1 and cell[0] == cell[-1] == '"' else cell


def known(readings, plain=True):
    """Marks readings whose text says itself that it has edges: no matrix stands against them."""
    return [Reading("known " + r.label, r.values, r.plain and plain, r.noted) for r in readings]


def weaker(readings):
    return [Reading(r.label, r.values, False, r.noted) for r in readings]


def union(some, others):
    """Joins readings between which the contract is silent: either value will do."""
    if not some or not others:
        return weaker(some or others)
    return [Reading(some[0].label, some[0].values | others[0].values, False, some[0].noted)]


def are_words(names):
    """Says whether cells may be names for being no numbers, nor anything that a number was meant by."""
    names = names[1:] if names and names[0] == "" else names
    return bool(names) and not any(number(name) or NOT_FINITE.fullmatch(name) or re.match(r"[-+.$\u20ac]?[0-9(]|.*[,;]", name) for name in names)


def are_labels(names, body, strict=False):
    """Says whether numbers may be names: successive ones, or any distinct ones beside zeros and ones. Strictly: in order."""
    if len(names) < 2 or not all(re.fullmatch(r"[0-9]+", name) for name in names) or len(set(names)) < len(names):
        return False
    values = list(map(int, names))
    if max(values) - min(values) == len(values) - 1:
        return values == sorted(values) or len(values) > 2 and not strict
    binary = not {"0", "1"} & set(names) and all(cell in ("0", "1") for row in body for cell in row)
    return binary and (len(names) > 2 or not strict)
