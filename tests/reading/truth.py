"""Answers by brute force, numbers as people spell them, and runs of the program: what the tests of reading share.

Numbers are exact: a complex number is a pair of fractions. Nothing here is taken from the readers.
"""

import json
import os
import re
import subprocess
from fractions import Fraction

ZERO, ONE = (Fraction(0), Fraction(0)), (Fraction(1), Fraction(0))


def plus(a, b):
    return a[0] + b[0], a[1] + b[1]


def times(a, b):
    return a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0]


def real(x):
    return Fraction(x), Fraction(0)


# Numbers in texts.
DECIMAL = r"(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
PART = rf"(?:[0-9]+/[0-9]+|{DECIMAL})"
REAL = re.compile(rf"[+-]?{PART}")
IMAGINARY = re.compile(rf"([+-]?)({PART})?([ijIJ])")
COMPLEX = re.compile(rf"([+-]?{PART})([+-])({PART})?([ijIJ])")
NOT_FINITE = re.compile(r"[+-]?(nan|inf|infinity|na|n/a|null|none|1\.#inf)", re.I)
PAIR = "\u2016"  # Stands for the comma within (re,im), so that no separator splits it.
MOST_DIGITS = 300


def part(text):
    """Returns the real number that a text spells, None if it spells none, or one too long to be sure of."""
    if not REAL.fullmatch(text):
        return None
    if (found := re.search(r"[eE]([+-]?\d+)", text)) and abs(int(found[1])) > MOST_DIGITS:
        return None
    if re.search(r"/0+$", text):
        return None
    return Fraction(text)


def number(cell):
    """Returns (value, plain): plain spellings have to be read, others may be refused. None: it is no number."""
    value = part(cell)
    if value is not None:
        return real(value), not re.match(r"[+-]?0\d", cell)
    if PAIR in cell:
        halves = [part(half.strip()) for half in cell.split(PAIR)]
        return None if None in halves else (tuple(halves), True)
    inner = cell.replace(" ", "").replace("*", "")
    if inner.startswith("(") and inner.endswith(")") and re.search(r"[ijIJ]\)$", inner):
        inner = inner[1:-1]
    plain = inner == cell and cell[-1:] in "ij"
    if found := IMAGINARY.fullmatch(inner):
        value = part(found[2] or "1")
        return None if value is None else ((Fraction(0), -value if found[1] == "-" else value), False)
    if found := COMPLEX.fullmatch(inner):
        re_part, im_part = part(found[1]), part(found[3] or "1")
        if re_part is None or im_part is None:
            return None
        return (re_part, -im_part if found[2] == "-" else im_part), plain
    return odd_number(cell)


def odd_number(cell):
    """Returns what spellings mean that nobody has to read: a minus of typography, 1d5, 1_000, 1.5/2, 2,5."""
    changed = cell.replace("\u2212", "-").replace("_", "").replace("'", "")
    changed = re.sub(r"(?<=[0-9.])[dD](?=[+-]?[0-9])", "e", changed)
    value = part(changed)
    if value is None and re.fullmatch(r"[+-]?[0-9]+,[0-9]+", cell) and not re.fullmatch(r"[+-]?[1-9][0-9]{0,2},[0-9]{3}", cell):
        value = part(cell.replace(",", "."))
    if value is None and (found := re.fullmatch(r"([^/]+)/([^/]+)", changed)):
        above, below = part(found[1]), part(found[2])
        value = above / below if above is not None and below else None
    return None if value is None else (real(value), False)


# Questions by brute force. A matrix is a list of rows of numbers.
def permanent(rows):
    sums = {0: ONE}
    for row in rows:
        after = {}
        for taken, value in sums.items():
            for j, entry in enumerate(row):
                if not taken >> j & 1 and entry != ZERO:
                    after[taken | 1 << j] = plus(after.get(taken | 1 << j, ZERO), times(value, entry))
        sums = after
    return sums.get((1 << len(rows)) - 1, ZERO) if all(len(row) == len(rows) for row in rows) else ZERO


def determinant(rows):
    if not rows:
        return ONE
    total = ZERO
    for j, entry in enumerate(rows[0]):
        if entry != ZERO:
            minor = determinant([row[:j] + row[j + 1:] for row in rows[1:]])
            total = plus(total, times((-entry[0], -entry[1]) if j % 2 else entry, minor))
    return total


def matchings(vertices, weights, known=None):
    """Returns the sums over matchings of 0, 1, ... edges: weights is a dict from a pair (u, v), u before v, to a number."""
    known = {} if known is None else known  # by the vertices that are left
    place = tuple(vertices)
    if place not in known:
        known[place] = sums_over(vertices, weights, known)
    return known[place]


def sums_over(vertices, weights, known):
    if not vertices:
        return [ONE]
    u, rest = vertices[0], vertices[1:]
    sums = list(matchings(rest, weights, known))
    for k, v in enumerate(rest):
        weight = weights.get((u, v), ZERO)
        if weight != ZERO:
            for size, value in enumerate(matchings(rest[:k] + rest[k + 1:], weights, known), 1):
                sums += [ZERO] * (size + 1 - len(sums))
                sums[size] = plus(sums[size], times(weight, value))
    while len(sums) > 1 and sums[-1] == ZERO:
        sums.pop()
    return sums


def perfect(vertices, weights):
    sums = matchings(vertices, weights)
    return sums[-1] if 2 * (len(sums) - 1) == len(vertices) else ZERO


def ask(question, graph, sided):
    """Answers a question about graph = (rows, columns, entries) if sided, else (vertices, _, weights of pairs)."""
    rows, columns, entries = graph
    counted = question not in ("permanent", "determinant", "hafnian")
    if counted:
        entries = {key: ONE for key, value in entries.items() if value != ZERO}
    if sided:
        matrix = [[entries.get((u, v), ZERO) for v in columns] for u in rows]
        if question in ("count", "cycles", "parity", "permanent", "hafnian"):
            value = permanent(matrix) if len(rows) == len(columns) else ZERO
            return real(value[0] % 2) if question == "parity" else value
        if question == "determinant":
            return determinant(matrix) if len(rows) == len(columns) else None
        entries = {((0, u), (1, v)): value for (u, v), value in entries.items()}
        rows = [(0, u) for u in rows] + [(1, v) for v in columns]
    if question in ("by-size", "decompose"):
        sums = matchings(rows, entries)
        return tuple(sums) if question == "by-size" else real(len(sums) - 1)
    value = perfect(rows, entries)
    return real(value[0] % 2) if question == "parity" else value


# The program.
def run(program, arguments, files, folder):
    """Returns for every file its answers: a list of (status, value, message, notes). The program gets many files at once."""
    done = subprocess.run([os.path.abspath(program), *arguments, *files, "--json"], cwd=folder, capture_output=True, text=True,
                          errors="replace")
    answers = {name: [] for name in files}
    for line in done.stdout.splitlines():
        said = json.loads(line)
        name = said.get("input", said).get("file", files[0])
        if "error" in said:
            answers[name].append((said["error"]["status"], None, said["error"]["message"], ""))
        else:
            answers[name].append((0, said, "", "; ".join(said["input"].get("notes", []))))
    for line in done.stderr.splitlines():
        name, _, note = line.partition(": ")
        if name in answers and answers[name] and not answers[name][0][0]:
            status, said, message, notes = answers[name][0]
            answers[name][0] = (status, said, message, notes + "; " + note)
    return answers, done


def claimed(said):
    """Returns what an answer in JSON claims: a list of (re, im, tolerance)."""
    if said["command"] == "decompose":
        return [(Fraction(said["matching"]["size"]), Fraction(0), Fraction(0))]
    result = said["result"]
    texts = result["values"] if "values" in result else [result]
    return [spelled(text) for text in texts]


def digits(text):
    """Returns the value of a decimal and half of a unit of its last digit; of [+/- x], 0 and x."""
    if text.startswith("[+/- "):
        return Fraction(0), Fraction(text[5:-1]) if "inf" not in text else Fraction(10) ** 400
    value = Fraction(text)
    if "/" in text or not re.search(r"[.e]", text):
        return value, Fraction(0)
    mantissa, _, exponent = text.partition("e")
    return value, Fraction(10) ** (int(exponent or 0) - len(mantissa.partition(".")[2]))


def spelled(result):
    if isinstance(result, str):
        value, error = digits(result) if re.fullmatch(r"[-+0-9.e/]+|\[.*\]", result) else (number(result)[0], Fraction(1, 10**6))
        return (*value, error) if isinstance(value, tuple) else (value, Fraction(0), error)
    if result["kind"] == "complex":
        (re_part, e), (im_part, f) = digits(result["re"]), digits(result["im"])
        return re_part, im_part, max(e, f) + (abs(re_part) + abs(im_part)) * Fraction(result["relative_error"] or 0)
    value, error = digits(result["value"])
    return value, Fraction(0), error + abs(value) * Fraction(result.get("relative_error") or 0)


def agrees(said, truth):
    """Says whether an answer is the truth: exactly for integers and fractions, to the stated error else."""
    claims, truths = claimed(said), list(truth) if isinstance(truth[0], tuple) else [truth]
    claims += [(Fraction(0), Fraction(0), Fraction(0))] * (len(truths) - len(claims))
    truths += [ZERO] * (len(claims) - len(truths))
    return all(abs(c[0] - t[0]) <= c[2] and abs(c[1] - t[1]) <= c[2] for c, t in zip(claims, truths))


def spell(value):
    """Writes a number, or a list of numbers, as people read it."""
    if isinstance(value[0], tuple):
        return "(" + ", ".join(map(spell, value)) + ")"
    return f"{value[0]}{'+' * (value[1] > 0)}{value[1]}i" if value[1] else str(value[0])


def expectation(allowed):
    return " or ".join(spell(value) for value in allowed if value) or "a refusal"


def outcome(answers):
    return "; ".join(message or spell(tuple(claim[:2] for claim in claimed(said))) for _, said, message, _ in answers)


def folder_for_files():
    """Returns a new folder, in memory where the system has one there."""
    import tempfile
    return tempfile.TemporaryDirectory(dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None)
