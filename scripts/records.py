#!/usr/bin/env python3
"""Counts perfect matchings that stand in few tables, each twice, and writes the page about them.

  scripts/records.py run --program build/default/matchcount --output bench/results/records.json [NAME...]
  scripts/records.py write bench/results/records.json > docs/records.md

`run` counts each graph as the program generates it, and again with its vertices renamed at random and another seed, so
that the search finds another order. It adds what it counted to the file and goes on with the next graph where one takes
longer than --time-limit. `write` refuses a value whose two counts differ, or that a table contradicts.
"""

import argparse
import contextlib
import io
import json
import math
import os
import platform
import random
import subprocess
import sys
import tempfile

# The terms that stand in the encyclopedia of integer sequences, in the copy that was stored in November 2025.
BOXES, CUBES, KNIGHTS, KINGS = "A049507", "A028446", "A289202", "A239273"
KNOWN = {
    "grid3d 4 4 4": (CUBES, 5051532105),
    "grid3d 6 6 5": (BOXES, 216388579168758145017797108072),
    "knight 8 8": (KNIGHTS, 2849759680),
    "knight 10 10": (KNIGHTS, 58888109421793792),
    "king 4 4": (KINGS, 280),
}
NEW = {
    **{f"grid3d 6 6 {n}": BOXES for n in (6, 7, 8, 9, 10, 20)},
    "grid3d 6 7 7": "",
    "grid3d 6 7 8": "",
    **{f"knight {n} {n}": KNIGHTS for n in (12, 14, 16)},
    **{f"king {n} {n}": KINGS for n in (20, 22, 24, 26)},
}
DENSE = {"queen 8 8": "", "halved-cube 7": ""}  # whose vertices' pairs make the two ways of counting different
NEW |= DENSE
WHAT = {"grid3d": "box, {0} x {1} x {2} points", "knight": "knights' graph, {0} x {1}", "king": "kings' graph, {0} x {1}",
        "queen": "queens' graph, {0} x {1}", "halved-cube": "halved {0}-cube"}


def generate(program, name):
    kind, *sizes = name.split()
    if kind == "halved-cube":
        even = [v for v in range(1 << int(sizes[0])) if v.bit_count() % 2 == 0]
        edges = [f"{u} {v}" for u in even for v in even if u < v and (u ^ v).bit_count() == 2]
        return "\n".join(["# kind: undirected", *edges]) + "\n"
    return subprocess.run([program, "generate", *name.split()], check=True, capture_output=True, text=True).stdout


def renamed(text, seed):
    """The same edges, in another order, between vertices with other numbers."""
    lines = text.splitlines()
    comments = [line for line in lines if line.startswith("#")]
    edges = [line.split() for line in lines if line and not line.startswith("#")]
    rng = random.Random(seed)
    two_sides = any("bipartite" in line for line in comments)
    columns = [sorted({e[0] for e in edges}), sorted({e[1] for e in edges})] if two_sides else None
    if two_sides:
        names = [dict(zip(side, rng.sample(side, len(side)))) for side in columns]
    else:
        all_names = sorted({v for e in edges for v in e})
        names = [dict(zip(all_names, rng.sample(all_names, len(all_names))))] * 2
    rng.shuffle(edges)
    return "\n".join(comments + [f"{names[0][u]} {names[1][v]}" for u, v in edges]) + "\n"


def method_of(name):
    return "power-traces" if name in DENSE else "frontier"


def count(program, text, arguments):
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        file.write(text)
        file.flush()
        command = [program, "count", file.name, "--json", "--quiet", *arguments]
        done = subprocess.run(command, capture_output=True, text=True)
    return json.loads(done.stdout) if done.stdout else {"error": {"message": done.stderr}}


def run(options):
    record = {"records": []}
    if os.path.exists(options.output):
        with open(options.output) as file:
            record = json.load(file)
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True).stdout.strip()
    for name in options.names or [*KNOWN, *NEW]:
        text = generate(options.program, name)
        runs = []
        for seed, given in (("1", text), ("2", renamed(text, 2))):
            arguments = ["--method", method_of(name), "--seed", seed, "--device", options.device,
                         "--time-limit", str(options.time_limit)]
            answer = count(options.program, given, arguments)
            if "result" not in answer:
                print(f"{name}: {answer['error']['message']}", file=sys.stderr)
                break
            runs.append({"value": answer["result"]["value"], "seconds": answer["time_s"]["total"],
                         "device": answer["method"]["device"], "seed": int(seed)})
        if not runs:
            continue
        gpu = answer.get("method", {}).get("gpus", [])
        record["records"] = [r for r in record["records"] if r["graph"] != name]
        record["records"].append({
            "graph": name, "runs": runs, "version": answer.get("version"), "commit": options.commit or commit,
            "machine": options.machine or platform.processor() or platform.machine(), "gpus": gpu,
            "command": f"matchcount generate {name} | matchcount count - --method {method_of(name)} --device {options.device}"})
        with open(options.output, "w") as file:
            file.write('{"records": [\n' + ",\n".join(map(json.dumps, record["records"])) + "\n]}\n")
        print(f"{name}: {runs[0]['value']} in {runs[0]['seconds']:.2f} s", file=sys.stderr)


def checked(record):
    values = {run["value"] for run in record["runs"]}
    name = record["graph"]
    if len(values) != 1:
        sys.exit(f"{name}: the counts differ: {sorted(values)}")
    value = values.pop()
    if name in KNOWN and int(value) != KNOWN[name][1]:
        sys.exit(f"{name}: {value}, but {KNOWN[name][0]} has {KNOWN[name][1]}")
    return value


def row(record):
    kind, *sizes = record["graph"].split()
    orders = " and ".join(run["order"] for run in record["runs"] if "order" in run)
    seconds = " and ".join(f"{run['seconds']:.2g}" if run["seconds"] < 10 else f"{run['seconds']:.0f}"
                           for run in record["runs"])
    sequence = KNOWN[record["graph"]][0] if record["graph"] in KNOWN else NEW[record["graph"]]
    link = f"[{sequence}](https://oeis.org/{sequence})" if sequence else "-"
    if orders:
        seconds += f" ({orders})"
    return f"| {WHAT[kind].format(*sizes)} | {checked(record)} | {link} | {seconds} | {record['machine']} |"


def write(options):
    with open(options.results) as file:
        records = {r["graph"]: r for r in json.load(file)["records"]}
    head = "| graph | perfect matchings | sequence | seconds | machine |\n|---|---|---|---|---|"
    new = [records[name] for name in NEW if name in records and len(records[name]["runs"]) == 2]
    once = [records[name] for name in NEW if name in records and len(records[name]["runs"]) == 1]
    known = [records[name] for name in KNOWN if name in records]
    print(f"""# Counts that stand in no table
Numbers of perfect matchings that were not in the copy of the On-Line Encyclopedia of Integer Sequences that was stored
in November 2025, nor in any other table that we know. Each was counted twice, exactly, by the frontier method, along
two orders of the vertices: one that the search found for the graph as it is generated, and one for the same graph with
its vertices renamed at random, with another seed; or along the two orders that the row names (`--order`, `--seed`).
Queens' graphs and halved cubes were counted by power traces, whose pairs of vertices are others where these are
renamed. Both gave the same digits, and the last one has the parity of a determinant modulo 2 where the graph is
bipartite. Seconds are of the two counts, whole process.

`scripts/records.py run` counts them and `scripts/records.py write` writes this page, from
[bench/results/records.json](../bench/results/records.json), which has machine, commit and command of each.

{head}""")
    for record in new:
        print(row(record))
    if once:
        print(f"\nCounted once, along one order:\n\n{head}")
        for record in once:
            print(row(record))
    print(f"\nTerms that are known come out as they are known:\n\n{head}")
    for record in known:
        print(row(record))
    digits = max(len(checked(r)) for r in records.values())
    largest = math.log10(int(max((checked(r) for r in records.values()), key=len)))
    print(f"\nThe longest has {digits} digits (10^{largest:.1f}).")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="what", required=True)
    runner = commands.add_parser("run")
    runner.add_argument("--program", default="build/default/matchcount")
    runner.add_argument("--output", default="bench/results/records.json")
    runner.add_argument("--device", default="auto")
    runner.add_argument("--machine", help="for people; default: what the system says")
    runner.add_argument("--commit", help="default: of this folder")
    runner.add_argument("--time-limit", type=float, default=600, help="seconds for each count")
    runner.add_argument("names", nargs="*", help="such as 'knight 12 12'; default: all")
    writer = commands.add_parser("write")
    writer.add_argument("results")
    writer.add_argument("--check", metavar="PAGE", help="write nothing, and fail where this page is not what would be written")
    options = parser.parse_args()
    if options.what == "run":
        return run(options)
    page = io.StringIO()
    with contextlib.redirect_stdout(page):
        write(options)
    if not options.check:
        return print(page.getvalue(), end="")
    with open(options.check) as file:
        if file.read() != page.getvalue():
            sys.exit(f"{options.check} is not what {options.results} says: scripts/records.py write makes it anew")


if __name__ == "__main__":
    main()
