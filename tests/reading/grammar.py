"""Random texts that are almost matrices and almost edges, read by every command, against the contract of reading.

usage: grammar.py MATCHCOUNT [--count N] [--seed S] [--show K] [--kind WORD]

A misreading is an answer that is not right, or an answer where the text has to be refused. Texts that are plain and are
refused all the same are counted apart. The exit status is 1 if there is a misreading.
"""

import argparse
import collections
import functools
import multiprocessing
import os
import random
import re
import sys

import truth
from contract import contract

WORDS = ["ann", "bob", "cat", "dan", "eve", "fay", "gus", "hal", "ida", "jon", "kim", "leo"]
NAMES = [
    lambda i, side: WORDS[i + 6 * side], lambda i, side: "rc"[side] + str(i + 1), lambda i, side: str(i + 1),
    lambda i, side: str(i), lambda i, side: str(i + 1 + 10 * side), lambda i, side: str(7 * i * i + 3 + side),
    lambda i, side: chr(97 + i + 8 * side), lambda i, side: f'"{WORDS[i]} {"xy"[side]}"', lambda i, side: WORDS[i] + " " + "XY"[side],
    lambda i, side: f"{i}.{5 + side}", lambda i, side: "äößñçé"[i] + "ab"[side], lambda i, side: str(1990 + i + 10 * side),
    lambda i, side: f"{i + 1}kg", lambda i, side: f"({i},{side})", lambda i, side: f"n{i:02}", lambda i, side: f"{i + 1:02}",
]
SPELLINGS = [
    lambda r: str(r.randint(0, 1)), lambda r: str(r.randint(0, 1)), lambda r: str(r.randint(1, 9)), lambda r: str(r.randint(-3, 12)),
    lambda r: f"{r.randint(0, 99) / 10}", lambda r: f"{r.randint(1, 5)}/{r.randint(1, 5)}",
    lambda r: f"{r.randint(1, 9)}e{r.randint(-2, 3)}",
    lambda r: f"{r.randint(-3, 3)}{r.choice('+-')}{r.randint(1, 4)}{r.choice('ij')}", lambda r: f"({r.randint(0, 3)},{r.randint(-2, 3)})",
    lambda r: r.choice(["2i", "i", "-i", "1", "3j", "1+i", "2-j", "0"]),
    lambda r: f"1/{r.randint(2, 4)}{r.choice('+-')}1/{r.randint(2, 4)}i",
]
ODD = [
    lambda r: f"{r.randint(0, 9)},{r.randint(1, 9)}", lambda r: f"{r.randint(1, 9)}%", lambda r: f"${r.randint(1, 9)}",
    lambda r: f"{r.randint(1, 9)} %", lambda r: f"{r.randint(1, 9)}kg", lambda r: f"0x{r.randint(1, 15):x}",
    lambda r: r.choice(["nan", "inf", "-inf", "NA", "NaN", "-", "?", "."]), lambda r: f"{r.randint(1, 9)}\u2009{r.randint(100, 999)}",
    lambda r: f"{r.randint(1, 9)}\u00a0{r.randint(100, 999)}", lambda r: f"\u2212{r.randint(1, 9)}",
    lambda r: f"{r.randint(1, 9)}d{r.randint(0, 2)}",
    lambda r: f"{r.randint(1, 9)},{r.randint(100, 999)}", lambda r: f"({r.randint(1, 9)})", lambda r: f"{r.randint(1, 9)}_000",
    lambda r: r.choice(["TRUE", "F", "x", "1O", "l", "o", "--1", "1-", "1..2", "1e", "e1", "+", "1/0", "1/2/3", "1:2", "2^3", "1+2",
    "1e999"]),
    lambda r: f"{r.randint(1, 4)} + {r.randint(1, 4)}i", lambda r: f"({r.randint(1, 4)}+{r.randint(1, 4)}j)",
    lambda r: f"{r.randint(1, 4)}+{r.randint(1, 4)}*i",
    lambda r: f"({r.randint(1, 4)}, {r.randint(1, 4)})", lambda r: f'"{r.randint(0, 9)}"', lambda r: "", lambda r: f"{r.randint(1, 9)}±0.1",
    lambda r: f"[{r.randint(1, 9)}]", lambda r: "\uff11", lambda r: "½", lambda r: f"{r.randint(1, 9)}e",
]
SEPARATORS = [" "] * 8 + [",", ",", ", ", ";", "\t", "\t", "  ", " \t", " ; ", "|", " & ", "::", "\u00a0", " , "]
HEADERS = [("source", "target"), ("Source", "Target"), ("from", "to"), ("node1", "node2"), ("u", "v"), ("user_id", "item_id"),
           ("author", "paper"), ("person", "event"), ("FromNodeId", "ToNodeId"), ("x", "y"), ("ann", "kim"), ("who", "whom"), ("0", "1"),
           ("to", "from"), ("zed", "yak"), ("c1", "c2"), ("weight", "source")]
THIRD = ["weight", "Weight", "year", "cost", "type", "label", "w", "2"]


def mostly(r, share, some, other):
    return some() if r.random() < share else other()


def matrix(r):
    rows = r.choice([1, 2, 2, 3, 3, 3, 4, 4, 4, 5])
    columns = rows if r.random() < 0.8 else r.randint(1, 5)
    spelling = mostly(r, 0.85, lambda: r.choice(SPELLINGS), lambda: r.choice(ODD))
    cells = [[spelling(r) for _ in range(columns)] for _ in range(rows)]
    if r.random() < 0.4 and rows == columns:
        cells = [["0" if i == j and r.random() < 0.9 else cells[min(i, j)][max(i, j)] for j in range(rows)] for i in range(rows)]
    if r.random() < 0.15:
        r.choice(cells)[r.randrange(columns)] = r.choice(ODD)(r)
    names = r.choice(NAMES)
    if r.random() < 0.15:
        cells = [[names(i, 0), *row] for i, row in enumerate(cells)]
    if r.random() < 0.15:
        corner = [r.choice(["", "x", "0", "name"])] if len(cells[0]) > columns and r.random() < 0.8 else []
        cells.insert(0, corner + [names(j, r.randint(0, 1)) for j in range(columns)])
    if r.random() < 0.08:
        cells.insert(0, r.choice([[rows], [rows, columns], [rows, columns, rows * columns], [columns + 1, rows], [rows, rows]]))
    return [[str(cell) for cell in row] for row in cells]


def edges(r):
    pairs, sided, names = r.randint(1, 3), r.random() < 0.5, r.choice(NAMES)
    count, found = 2 * pairs, []
    for i in range(pairs):
        found.append((i, i) if sided else (2 * i, 2 * i + 1))
    for _ in range(r.randint(0, 4)):
        found.append((r.randrange(pairs), r.randrange(pairs)) if sided else tuple(r.sample(range(count), 2)))
    found = list(dict.fromkeys(tuple(pair) if sided or r.random() < 0.1 else tuple(sorted(pair)) for pair in found))
    r.shuffle(found)
    spelling = mostly(r, 0.85, lambda: r.choice(SPELLINGS), lambda: r.choice(ODD))
    weights = r.random() < 0.45
    rows = []
    for u, v in found:
        row = [names(u, 0), names(v, int(sided))]
        if weights and r.random() < 0.97:
            row.append(spelling(r))
        rows.append(row)
    width = len(rows[0])
    if r.random() < 0.3:
        rows.insert(0, list(r.choice(HEADERS)) + [r.choice(THIRD)] * (width > 2))
    elif r.random() < 0.1:
        rows.insert(0, [str(x) for x in r.choice([[count], [count, len(found)], [pairs, pairs], [pairs, pairs, len(found)], [len(found)]])])
    if r.random() < 0.04:
        rows.insert(0, r.choice([["%", "sym"], ["%", "bip", "unweighted"], ["%", "asym", "positive"]]))
    if r.random() < 0.06:
        rows.insert(r.randrange(len(rows) + 1), r.choice([[names(0, 0)], [names(0, 0), names(0, 0)], rows[-1], ["c", "note"],
            ["//", "note"]]))
    return rows


def text(r):
    """Returns (text, extension): lines of a matrix or of edges, with what people and programs do to them."""
    rows = matrix(r) if r.random() < 0.55 else edges(r)
    separator = r.choice(SEPARATORS)
    lines = [(" " if row[0] in "%c//" and row[0] else separator).join(row) for row in rows]
    if r.random() < 0.25:
        lines = damaged(r, lines, separator)
    end = "\r\n" if r.random() < 0.1 else "\n"
    whole = end.join(lines) + end * (r.random() < 0.9)
    return "\ufeff" * (r.random() < 0.05) + whole, r.choice([".txt", ".txt", ".csv", ".tsv", ".dat", ""])


def damaged(r, lines, separator):
    def brackets():
        opening, closing = r.choice(["[]", "()", "{}", "||"])
        return r.choice([[opening + line + closing for line in lines], [opening + lines[0], *lines[1:-1], lines[-1] + closing]])

    def one(change):
        k = r.randrange(len(lines))
        return lines[:k] + [change(lines[k])] + lines[k + 1:]

    def typo(line):
        k = r.randrange(len(line) + 1)
        return line[:k] + r.choice(",; \t0-+.%eix'\"#/(") + line[k + r.randint(0, 1):]
    at = r.randrange(len(lines) + 1)
    return r.choice([
        brackets, lambda: lines[:at] + [""] + lines[at:], lambda: [line + separator for line in lines], lambda: lines + [""] + lines,
        lambda: one(typo), lambda: one(typo), lambda: one(lambda line: line.replace(separator, r.choice([",", " ", ";", "\t"]))),
        lambda: [r.choice(["# a note", "% a note", "# kind: undirected", "# header: no", "# format: dense"]), *lines],
        lambda: lines[:at] + [r.choice(["# note", "total", "1", "a b", "---", "1 2", "2 2"])] + lines[at:],
        lambda: lines[:at] + lines[at + 1:] or lines, lambda: [" " + line for line in lines], lambda: one(lambda line: line + " # note"),
        lambda: [str(k + r.randint(0, 1)) + separator + line for k, line in enumerate(lines)],
        lambda: one(lambda line: line + separator + "1"),
        lambda: lines[:1] + lines, lambda: [*lines, separator.strip() * 2] if separator.strip() else lines + ["  "],
    ])()


# Commands with what they ask and how.
COMMANDS = {
    "count": ("count", {}), "count --matchings by-size": ("by-size", {}), "count --kind undirected": ("count", {"kind": "undirected"}),
    "count --kind undirected --matchings by-size": ("by-size", {"kind": "undirected"}),
    "count --kind matrix": ("count", {"kind": "matrix"}),
    "count --kind bipartite --matchings by-size": ("by-size", {"kind": "bipartite"}), "cycles": ("cycles", {}),
    "permanent": ("permanent", {}),
    "determinant": ("determinant", {}), "hafnian": ("hafnian", {}), "parity": ("parity", {}),
    "parity --kind matrix": ("parity", {"kind": "matrix"}),
    "parity --kind undirected": ("parity", {"kind": "undirected"}), "decompose": ("decompose", {}),
    "decompose --kind undirected": ("decompose", {"kind": "undirected"}),
}
OPTIONS = [[]] * 9 + [["--header", "yes"], ["--header", "no"], ["--delimiter", ","], ["--delimiter", ";"], ["--delimiter", "tab"],
                      ["--format", "dense"], ["--format", "edgelist"], ["--weight-key", ""], ["--weight-key", "cost"]]


def spoken(arguments):
    """Returns the options of arguments such as ["--header", "yes"] for the contract."""
    pairs = dict(zip(arguments[::2], arguments[1::2]))
    options = {name.removeprefix("--").replace("-", "_"): value for name, value in pairs.items()}
    if options.get("delimiter") == "tab":
        options["delimiter"] = "\t"
    return options


def judge(verdict, answers, ascii_only=False):
    """Returns what is wrong with a file's answers: "" if nothing is."""
    if not answers:
        return "no line"
    status, said, message, notes = answers[0]
    if None in verdict.allowed or status not in (0, 2):
        return ""
    if status == 2:
        if not verdict.may_refuse:
            return "over-refused"
        return "unnamed" if verdict.two and ascii_only and message.count("--") < 2 and not ("yes" in message and "no" in message) else ""
    if len(answers) > 1:
        return "several"
    if not any(truth.agrees(said, value) for value in verdict.allowed):
        return "misread" if verdict.allowed else "not refused"
    unsaid = verdict.noted and not re.search(r"\b(weight 0|zero)", notes) and not any(
        truth.agrees(said, value) for value in verdict.allowed if value not in verdict.noted)
    return "unsaid" if unsaid else ""


def batches(count, seed, commands=COMMANDS, size=150):
    """Yields (command, arguments, [(text, extension)]): the texts of a batch come from a seed of its own."""
    for k in range(-(-count // size)):
        r = random.Random(seed * 1000003 + k)
        command = r.choice(list(commands))
        yield command, r.choice(OPTIONS), [text(r) for _ in range(min(size, count - k * size))]


def tried(program, batch):
    """Yields (text, verdict, answers) for the texts of a batch, which one process of the program reads."""
    command, arguments, texts = batch
    question, options = COMMANDS[command]
    with truth.folder_for_files() as folder:
        files = {f"{k}{extension}": content for k, (content, extension) in enumerate(texts)}
        for name, content in files.items():
            with open(os.path.join(folder, name), "w", newline="", encoding="utf-8") as file:
                file.write(content)
        answers, _ = truth.run(program, [*command.split(), *arguments], list(files), folder)
    for name, content in files.items():
        yield content, contract(content, question, options | spoken(arguments)), answers[name]


def judged(program, batch):
    """Returns (faults, numbers of texts by exit status and of those that have to be read) of a batch."""
    faults, statuses, command = [], collections.Counter(), " ".join([batch[0], *(word or "''" for word in batch[1])])
    for content, verdict, answers in tried(program, batch):
        statuses[answers[0][0] if answers else -1] += 1
        statuses["certain"] += not verdict.may_refuse
        if fault := judge(verdict, answers, content.isascii() and not batch[1]):
            faults.append((fault, content, command, verdict, answers))
    return faults, statuses


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--count", type=int, default=3000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", type=int, default=10, help="so many of each fault")
    parser.add_argument("--kind", default="", help="only faults with this word")
    given = parser.parse_args()
    faults, statuses = collections.defaultdict(list), collections.Counter()
    with multiprocessing.Pool() as pool:
        for some, counted in pool.imap(functools.partial(judged, given.program), batches(given.count, given.seed)):
            statuses += counted
            for fault, *details in some:
                faults[fault].append(details)
    for fault, found in faults.items():
        for content, command, verdict, answers in sorted(found, key=lambda one: len(one[0]))[:given.show]:
            if given.kind in fault:
                print(f"{fault}: {command}\n  {content!r}\n  got {truth.outcome(answers)}\n  right {truth.expectation(verdict.allowed)} "
                      f"({verdict.why})")
    print(f"seed {given.seed}: {given.count} texts,", ", ".join(f"{len(found)} {fault}" for fault, found in faults.items()) or "no fault",
          dict(statuses))
    return 1 if set(faults) & {"misread", "not refused", "several", "no line", "unsaid"} else 0


if __name__ == "__main__":
    sys.exit(main())
