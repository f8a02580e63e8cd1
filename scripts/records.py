#!/usr/bin/env python3
"""Makes terms of sequences that stand in no table, each counted twice, and writes the page about them.

  scripts/records.py run [NAME...]      counts what is missing of scripts/sequences.py, or of --table
  scripts/records.py verify [NAME...]   counts what is there once more, along another order, and keeps nothing
  scripts/records.py merge FILE...      takes in what another machine counted
  scripts/records.py terms NAME         prints a sequence as the encyclopedia takes it, `n a(n)` a line
  scripts/records.py write [--check]    writes docs/records.md, and lists of terms too long for it in docs/records/

Published terms of a sequence are counted before new ones, and new ones in a row. Every count is kept when it is done,
so that a run may be interrupted at any time, and the next one goes on. Whatever contradicts a published term or another
count of the same ends the run with status 1, and is not kept.
"""

import argparse
import contextlib
import heapq
import itertools
import json
import os
import pathlib
import random
import runpy
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass

ROOT = pathlib.Path(__file__).resolve().parent.parent
LONG = 100  # digits beyond which the page shortens a number


@dataclass(frozen=True)
class Task:
    sequence: object
    n: int
    way: str


class Results:
    """Holds what was counted: which published terms came out so, and new ones with the ways that agree on them."""

    def __init__(self, path, table):
        self.path, self.table = path, {sequence.name: sequence for sequence in table}
        stored = json.loads(path.read_text()) if path.exists() else {"machines": [], "agree": {}, "terms": []}
        self.machines, self.agree = stored["machines"], {name: set(ns) for name, ns in stored["agree"].items()}
        self.terms = {(term["of"], term["n"]): term for term in stored["terms"]}
        for term in self.terms.values():
            self.check(term["of"], term["n"], term["value"])

    def check(self, name, n, value):
        if name not in self.table:
            raise SystemExit(f"{name}: not in the table of sequences")
        published = self.table[name].value(n)
        if published not in (None, value):
            raise SystemExit(f"{name}({n}): counted {value}, but published is {published}")

    def add(self, name, n, value, count, machine):
        """Keeps a count [way, seconds, MiB] of a term, unless something contradicts it."""
        self.check(name, n, value)
        if self.table[name].value(n) is not None:
            return
        term = self.terms.setdefault((name, n), {"of": name, "n": n, "value": value, "ways": []})
        if value != term["value"]:
            raise SystemExit(f"{name}({n}): {count[0]} says {value}, but {term['ways'][0][0]} said {term['value']}")
        if machine not in self.machines:
            self.machines.append(machine)
        if count[0] not in [way for way, *_ in term["ways"]]:
            term["ways"].append([*count, self.machines.index(machine)])

    def merge(self, other):
        for name, ns in other.agree.items():
            self.agree.setdefault(name, set()).update(ns)
        for (name, n), term in other.terms.items():
            for *count, machine in term["ways"]:
                self.add(name, n, term["value"], count, other.machines[machine])

    def save(self):
        order = {name: place for place, name in enumerate(self.table)}
        terms = [self.terms[key] for key in sorted(self.terms, key=lambda key: (order[key[0]], key[1]))]
        agree = [f"{json.dumps(name)}: {sorted(self.agree[name])}" for name in self.table if self.agree.get(name)]
        text = "\n".join(['{"machines": [', ",\n".join(map(json.dumps, self.machines)), '],\n"agree": {',
                          ",\n".join(agree), '},\n"terms": [', ",\n".join(map(json.dumps, terms)), "]}\n"])
        written = self.path.with_suffix(".new")
        written.write_text(text)
        os.replace(written, self.path)

    def record(self, name, n):
        """The value, if two ways agree on it."""
        term = self.terms.get((name, n))
        return term["value"] if term and len(term["ways"]) > 1 else None

    def new(self, sequence):
        """The indices of new terms that follow the last published one in a row."""
        ns = itertools.count(sequence.published + 1)
        return list(itertools.takewhile(lambda n: self.record(sequence.name, n), ns))


def renamed(graph, symmetric, rng):
    """The same, with other names in another order."""
    if isinstance(graph, list):
        rows = rng.sample(range(len(graph)), len(graph))
        columns = rows if symmetric else rng.sample(rows, len(rows))
        return [[graph[j][i] for j in columns] for i in rows]
    lines = graph.splitlines()
    comments = [line for line in lines if line.startswith("#")]
    edges = [line.split() for line in lines if line and not line.startswith("#")]  # or vertices without any
    sides = [set().union(*(edge[:1] for edge in edges)), set().union(*(edge[1:] for edge in edges))]
    if not any("bipartite" in line for line in comments):
        sides = [sides[0] | sides[1]]
    names = [dict(zip(sorted(side), rng.sample(sorted(side), len(side)))) for side in sides]
    rng.shuffle(edges)
    return "\n".join(comments + [" ".join(names[-k][v] for k, v in enumerate(edge)) for edge in edges]) + "\n"


class Pool:
    """Counts of the program that run side by side."""

    def __init__(self, options):
        self.options, self.running = options, {}
        self.folder = tempfile.TemporaryDirectory()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process, *_ in self.running.values():
            process.kill()
        for process, *_ in self.running.values():
            process.wait()
        self.folder.cleanup()

    def start(self, key, task):
        method, _, seed = task.way.partition("/")
        family, graph = task.sequence.family, task.sequence.graph(task.n)
        if isinstance(graph, str) and "\n" not in graph:
            graph = subprocess.run([self.options.program, "generate", *graph.split()], check=True, capture_output=True,
                                   text=True).stdout
        if seed:
            graph = renamed(graph, family.question[0] == "hafnian", random.Random(int(seed)))
        text, dense = graph, []
        if isinstance(graph, list):
            text, dense = "".join(" ".join(map(str, row)) + "\n" for row in graph), ["--format", "dense"]
        stem = pathlib.Path(self.folder.name) / str(key)
        stem.with_suffix(".in").write_text(text)
        with open(stem.with_suffix(".in")) as given, open(stem.with_suffix(".out"), "w") as out:
            process = subprocess.Popen(
                [self.options.program, *family.question, "-", *dense, "--json", "--quiet", "--method", method,
                 "--seed", seed or "1", "--threads", str(self.options.threads), "--device", self.options.device,
                 "--time-limit", str(self.options.time_limit), "--memory-limit", self.options.memory_limit],
                stdin=given, stdout=out, stderr=subprocess.DEVNULL)
        self.running[key] = process, task, stem.with_suffix(".out")

    def finished(self):
        """Waits for counts, and gives key, task and answer of those that are done."""
        while not (done := [key for key, (process, *_) in self.running.items() if process.poll() is not None]):
            time.sleep(0.002)
        for key in done:
            process, task, out = self.running.pop(key)
            answer = json.loads(out.read_text() or "{}")
            if process.returncode not in (0, 3, 4):
                raise SystemExit(f"{task.sequence.name}({task.n}) by {task.way}: status {process.returncode}, {answer}")
            yield key, task, answer if process.returncode == 0 else None


def drive(options, questions):
    """Answers generators of tasks, one task of each at a time; those whose last one was quick go first."""
    with Pool(options) as pool:
        ready = [(0, place, None) for place in range(len(questions))]
        while ready or pool.running:
            while ready and len(pool.running) < options.jobs:
                _, place, answer = heapq.heappop(ready)
                with contextlib.suppress(StopIteration):
                    pool.start(place, questions[place].send(answer))
            if not pool.running:
                continue
            for place, _, answer in pool.finished():
                heapq.heappush(ready, (answer["time_s"]["total"] if answer else options.time_limit, place, answer))


def say(*words):
    print(*words, file=sys.stderr, flush=True)


def count_of(way, answer):
    return [way, float(f"{answer['time_s']['total']:.2g}"), round(answer["peak_memory_bytes"] / 2**20)]


def missing(sequence, results, options):
    """Asks for the terms of a sequence that are missing, the published ones first, each by two ways."""
    name, agree = sequence.name, results.agree.setdefault(sequence.name, set())
    published = [n for n in range(max(1, sequence.first), sequence.published + 1) if sequence.value(n)]
    for n in published + list(range(sequence.published + 1, sequence.end + 1)):
        done = [way for way, *_ in results.terms.get((name, n), {"ways": []})["ways"]]
        if n in agree or len(done) > 1:
            continue
        for way in [way for way in sequence.family.ways if way not in done]:
            answer = yield Task(sequence, n, way)
            if answer:
                done.append(way)
                machine = {"machine": options.machine, "device": answer["method"].get("device", "cpu"),
                           "threads": options.threads, "version": answer["version"], "commit": options.commit}
                results.add(name, n, answer["result"]["value"], count_of(way, answer), machine)
                if n in published and len(done) > 1:
                    agree.add(n)
                results.save()
            if len(done) > 1:
                break
        if len(done) < 2:
            return say(f"{name}({n}): out of reach within the limits" if not done else f"{name}({n}): counted once")
        if n not in published:
            say(f"{name}({n}) = {results.record(name, n)}")


def again(sequence, results, checked):
    """Asks for the terms that are there, by the first way, renamed anew."""
    for n in sorted(n for name, n in results.terms if name == sequence.name):
        answer = yield Task(sequence, n, f"{sequence.family.ways[0]}/3")
        if answer and answer["result"]["value"] != results.terms[sequence.name, n]["value"]:
            raise SystemExit(f"{sequence.name}({n}): counted again {answer['result']['value']}")
        checked += [n] if answer else []


def short(value):
    return value if len(value) <= LONG else f"{value[:30]}...{value[-30:]} ({len(value)} digits)"


def spans(ns):
    """Indices as text, those in a row by the first and the last."""
    runs = [[n for _, n in run] for _, run in itertools.groupby(enumerate(ns), lambda pair: pair[1] - pair[0])]
    return ", ".join(str(run[0]) if len(run) == 1 else f"{run[0]} to {run[-1]}" for run in runs) or "none"


def terms(sequence, results):
    """The lines `n a(n)`, from the first index on or from behind the last published term that no stored copy shows."""
    lines = []
    for n in itertools.count(sequence.first):
        value = sequence.value(n) or results.record(sequence.name, n)
        if value is None and n > sequence.published:
            return lines
        lines = lines + [f"{n} {value}"] if value else []


def page(results):
    encyclopedia = [s for s in results.table.values() if s.name.startswith("A")]
    new = {s.name: results.new(s) for s in encyclopedia}
    extended = [name for name in new if new[name]]
    agree = sum(map(len, results.agree.values()))
    in_a_row = [results.terms[name, n] for name in new for n in new[name]]
    by_two = [t["value"] != "0" and len({way[0].split("/")[0] for way in t["ways"]}) > 1 for t in in_a_row]
    yield f"""# Terms that stand in no table
**{len(by_two)} new terms of {len(extended)} sequences** of the On-Line Encyclopedia of Integer Sequences, in a row
behind the last term that is published there. We know the published ones by copies of its pages, which were stored
from 2011 to 2026. Each was counted twice, exactly, with the same digits: {sum(by_two)} by two methods, the others by
one method along two orders (a 0 is proven, by rows that have too few columns). Before, {agree} published terms of these
sequences were counted in the same ways: all came out as published.

Behind the name of a method, a slash and a number say by which seed rows and columns were permuted (and transposed,
where the matrix is not symmetric), or vertices renamed. Seconds and memory are the process's, of both ways. Numbers of
more than {LONG} digits are shortened here; the results have them in full, and so have the lists that are linked, in
the encyclopedia's format.

`scripts/records.py run` goes on with what is missing, `verify` counts anew, `terms A356481` prints a list of terms for
the encyclopedia and `write` this page, from [bench/results/records.json](../bench/results/records.json) and the
definitions and published terms of [scripts/sequences.py](../scripts/sequences.py).

Machines:
"""
    for place, m in enumerate(results.machines):
        threads = f", {m['threads']} thread{'s' * (m['threads'] > 1)}" if m.get("threads") else ""
        yield f"{place + 1}. {m['machine']}, {m['device']}{threads}, commit {m['commit']}"
    for family, sequences in itertools.groupby(results.table.values(), lambda s: s.family):
        yield f"\n## {family.title}\n{family.meaning}\n"
        rows = []
        for s in sequences:
            counted = [n for name, n in results.terms if name == s.name and results.record(name, n)]
            named = f"[{s.name}](https://oeis.org/{s.name})" if s in encyclopedia else s.name
            published = f"; published to {s.published}, recomputed {spans(sorted(results.agree.get(s.name, ())))}"
            link = f", [terms](records/b{s.name[1:]}.txt)" if has_list(s, results) else ""
            yield f"- {named}: {s.what}{published * (s in encyclopedia)}, new {spans(sorted(counted))}{link}"
            for n in sorted(counted):
                term = results.terms[s.name, n]
                ways, seconds, memory, machines = zip(*term["ways"][:2])
                rows.append(f"| {s.name}({n}) | {short(term['value'])} | {', '.join(ways)} | "
                            f"{', '.join(f'{x:g}' for x in seconds)} | "
                            f"{', '.join('-' if x is None else str(x) for x in memory)} | "
                            f"{', '.join(str(m + 1) for m in dict.fromkeys(machines))} |")
        if rows:
            yield "\n| term | value | ways | seconds | MiB | machine |\n|---|---|---|---|---|---|"
            yield from rows


def has_list(sequence, results):
    return any(len(results.record(sequence.name, n)) > LONG for n in results.new(sequence))


def write(options, results):
    pages = {"records.md": "\n".join(page(results)) + "\n"}
    for s in results.table.values():
        if s.name.startswith("A") and has_list(s, results):
            pages[f"records/b{s.name[1:]}.txt"] = "\n".join(terms(s, results)) + "\n"
    there = {f"records/{path.name}" for path in (options.docs / "records").glob("b*.txt")}
    for name in sorted(there | set(pages)):
        path = options.docs / name
        if options.check:
            if not path.exists() or path.read_text() != pages.get(name):
                raise SystemExit(f"{path} is not what {options.results} says: scripts/records.py write makes it anew")
        elif name in pages:
            path.parent.mkdir(exist_ok=True)
            path.write_text(pages[name])
        else:
            path.unlink()


def commit_here():
    """Returns the commit of this tree; "unknown" where it is no repository, or git is not there."""
    with contextlib.suppress(FileNotFoundError):
        git = subprocess.run(["git", "-C", str(ROOT), "rev-parse", "--short", "HEAD"], capture_output=True, text=True)
        if git.returncode == 0:
            return git.stdout.strip()
    return "unknown"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["run", "verify", "merge", "terms", "write"])
    parser.add_argument("names", nargs="*", help="of sequences; default: all; of files to merge")
    parser.add_argument("--table", type=pathlib.Path, default=ROOT / "scripts/sequences.py")
    parser.add_argument("--results", type=pathlib.Path, default=ROOT / "bench/results/records.json")
    parser.add_argument("--docs", type=pathlib.Path, default=ROOT / "docs")
    parser.add_argument("--check", action="store_true", help="write nothing, and fail if that would change a file")
    parser.add_argument("--program", default=str(ROOT / "build/default/matchcount"))
    parser.add_argument("--device", default="auto")
    parser.add_argument("--threads", type=int, default=1, help="of each count")
    parser.add_argument("--jobs", type=int, default=1, help="counts side by side")
    parser.add_argument("--time-limit", type=float, default=20, help="seconds for each count")
    parser.add_argument("--memory-limit", default="4G", help="for each count")
    parser.add_argument("--machine", default=f"{os.cpu_count()} cores", help="its name on the page")
    parser.add_argument("--commit", help="default: of this folder")
    options = parser.parse_intermixed_args()
    options.commit = options.commit or commit_here()
    for number in signal.SIGINT, signal.SIGTERM:
        signal.signal(number, lambda number, _: sys.exit(128 + number))
    results = Results(options.results, runpy.run_path(str(options.table))["SEQUENCES"])
    if options.what == "merge":
        for name in options.names:
            results.merge(Results(pathlib.Path(name), results.table.values()))
        return results.save()
    if options.what == "write":
        return write(options, results)
    if unknown := set(options.names) - set(results.table):
        raise SystemExit(f"no such sequence: {', '.join(sorted(unknown))}")
    chosen = [s for s in results.table.values() if s.name in options.names or not options.names]
    if options.what == "terms":
        return print(*itertools.chain(*(terms(s, results) for s in chosen)), sep="\n")
    if options.what == "run":
        return drive(options, [missing(s, results, options) for s in chosen])
    checked = []
    drive(options, [again(s, results, checked) for s in chosen])
    say(f"{len(checked)} terms of {len(results.terms)} counted again: they are the same")


if __name__ == "__main__":
    main()
