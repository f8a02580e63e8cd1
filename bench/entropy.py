#!/usr/bin/env python3
"""Finds the entropy of dimers on the cubic lattice, and writes its page and picture.

  bench/entropy.py --run PROGRAM [--seconds 100] [--sides 4,6,8,10,12]   # of matchcount, to bench/results/entropy.json
  bench/entropy.py [--check]                                             # docs/entropy.md and the picture, from that

Tori of an even side L have about exp(s L^3 + a + b log L) perfect matchings, so that three unknowns are fitted to those
that are estimated, by least squares weighted by their intervals. Needs nothing but Python; the same record gives the
same bytes.
"""

import argparse
import json
import math
import os
import subprocess
import sys

from pages import svg, wrapped

HERE = os.path.dirname(os.path.abspath(__file__))
RECORD, PICTURE, PAGE = (os.path.join(HERE, path) for path in
                         ("results/entropy.json", "results/entropy.svg", "../docs/entropy.md"))


def run(program, sides, seconds):
    cases = []
    for side in sides:
        for kind in ("torus3d", "grid3d"):
            lattice = [program, "generate", kind] + 3 * [str(side)]
            graph = subprocess.run(lattice, check=True, capture_output=True).stdout
            command = ["count", "-"] if side <= 4 else ["estimate", "-", "--time-limit", str(seconds), "--seed", "1"]
            done = subprocess.run([program] + command + ["--json"], input=graph, check=True, capture_output=True)
            cases.append(case_of(kind, side, json.loads(done.stdout)))
    with open(RECORD, "w", encoding="utf-8") as file:
        json.dump(cases, file, indent=1)
        file.write("\n")


def case_of(kind, side, answer):
    result = answer["result"]
    return {"kind": kind, "side": side, "log": result["log10"] * math.log(10), "method": answer["method"]["name"],
            "error": result.get("relative_error", 0.0), "seconds": round(answer["time_s"]["total"], 1)}


def fitted(cases):
    """The entropy of a vertex of an infinite torus, its standard error, and the constants a and b."""
    rows = [(case["side"], case["log"], case["error"] / 1.96) for case in cases
            if case["kind"] == "torus3d" and case["error"]]
    unit = [[float(i == j) for j in range(3)] for i in range(3)]
    matrix = [[sum(basis(side)[i] * basis(side)[j] / error ** 2 for side, _, error in rows) for j in range(3)] +
              [sum(basis(side)[i] * log / error ** 2 for side, log, error in rows)] + unit[i] for i in range(3)]
    for i in range(3):  # Gauss and Jordan; the matrix is positive definite
        matrix[i] = [x / matrix[i][i] for x in matrix[i]]
        for k in range(3):
            if k != i:
                matrix[k] = [x - matrix[k][i] * y for x, y in zip(matrix[k], matrix[i])]
    return matrix[0][3], math.sqrt(matrix[0][4]), matrix[1][3], matrix[2][3]


def basis(side):
    return side ** 3, 1.0, math.log(side)


def pages(cases):
    names = {"torus3d": "torus", "grid3d": "box"}
    limit, error, a, b = fitted(cases)
    lines = {}
    for case in cases:
        apart = abs(case["log"] / case["side"] ** 3 - limit)
        lines.setdefault(names[case["kind"]], []).append((case["side"], apart))
    picture = svg("Entropy of dimers on cubic lattices", "side", "distance from the limit, a vertex", [("", lines)])
    text = "# The entropy of dimers on the cubic lattice\n"
    text += wrapped("The logarithm of the number of perfect matchings of tori of L x L x L vertices, over L^3, tends "
                    f"to **{limit:.4f}** +- {1.96 * error:.5f} (95 %), twice that a dimer: three unknowns of exp(s L^3 + "
                    f"a + b log L) are fitted to the estimated tori, with a = {a:.1f} and b = {b:.1f}. Boxes lose "
                    "at their faces. `bench/entropy.py` writes this page and the picture, with `--run` the record; one thread "
                    "drew each estimate for 100 s (tori) or 50 s (boxes), beside others.")
    text += "\n" + wrapped("Published values are lower: 0.446 by importance sampling (Beichl and Sullivan 1999, J. "
                          "Comput. Phys. 149), and 0.4462 is the sum of the first terms in 1/d, 1/2 log 6 - 1/2 + 1/24 "
                          "+ 5/864 + 5/1728 (Federbush), behind which more follow. Tori of every side up to 14 are "
                          "above 0.4506, and what they have more than 0.446 would have to grow faster than L.")
    text += "\n![Distance from the limit](../bench/results/entropy.svg)\n\n"
    text += "| graph | side | entropy a vertex | interval, 95 % | method | s |\n|---|---|---|---|---|---|\n"
    for case in sorted(cases, key=lambda case: (case["kind"], case["side"])):
        n = case["side"] ** 3
        reach = f"+- {case['error'] / n:.1e}" if case["error"] else "exact"
        text += (f"| {names[case['kind']]} | {case['side']} | {case['log'] / n:.6f} | {reach} | {case['method']} | "
                 f"{case['seconds']:g} |\n")
    return {PICTURE: picture, PAGE: text}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--run", metavar="PROGRAM")
    parser.add_argument("--seconds", type=float, default=100)
    parser.add_argument("--sides", default="4,6,8,10,12")
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    if arguments.run:
        run(arguments.run, [int(side) for side in arguments.sides.split(",")], arguments.seconds)
    with open(RECORD, encoding="utf-8") as file:
        written = pages(json.load(file))
    for path, text in written.items():
        if not arguments.check:
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        elif open(path, encoding="utf-8").read() != text:
            sys.exit(f"{os.path.relpath(path)} is not what bench/entropy.py would write")


if __name__ == "__main__":
    main()
