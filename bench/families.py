#!/usr/bin/env python3
"""Measures how seconds grow with size in families of graphs, for docs/performance.md: bench/families.py [PROGRAM]

Each case is run on one core where `plan` predicts fewer than LIMIT seconds, else its prediction stands for it. Seconds are
those of the processor, so that other work on the machine counts little. Writes bench/results/families.json, which
bench/pages.py makes the page of.
"""

import json
import os
import pathlib
import resource
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
LIMIT = 10
ESTIMATED = "estimate - --threads 1 --relative-error 0.05"
# Each family, how its graphs are made, what is asked, and the sizes, `x` parting the sides of a box.
FAMILIES = (
    ("planar: square grids", "grid {0} {0}", "count -", (32, 64, 128, 256, 512)),
    ("sparse: three ones a row", "regular {0} 3", "count -", (60, 80, 100, 120, 150, 200)),
    ("wide: a fifth of all entries", "random {0} {0} 0.2 --seed 7", "count -", (30, 36, 40, 44, 50, 60)),
    ("dense reals", "random {0} {0} 1 --weights uniform", "permanent - --precision double", (20, 24, 28, 32, 40, 48)),
    ("boxes", "grid3d {0}", "count -", ("4x4x8", "5x5x6", "6x6x6", "6x6x8", "6x8x8", "8x8x8")),
    ("boxes, estimated", "grid3d {0}", ESTIMATED, ("4x4x8", "6x6x6", "8x8x8", "10x10x10")),
)


def answer(program, ask, graph):
    """Returns the object that the program prints, and the seconds of the processor."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    out = subprocess.run([program, *ask.split(), "--json"], input=graph, capture_output=True, text=True).stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return json.loads(out), seconds


def main():
    program = sys.argv[1] if len(sys.argv) > 1 else str(ROOT / "build/default/matchcount")
    cases = []
    for family, make, ask, sizes in FAMILIES:
        for size in sizes:
            made = make.format(str(size).replace("x", " "))
            graph = subprocess.run([program, "generate", *made.split()], capture_output=True, text=True, check=True).stdout
            case = {"family": family, "size": str(size), "command": f"matchcount generate {made} | matchcount {ask}"}
            seconds = 0
            if ask != ESTIMATED:
                of = "--kind matrix --precision double" if "permanent" in ask else ""
                found, _ = answer(program, f"plan - {of} --threads 1", graph)
                seconds = found["seconds"]
                case.update(seconds=seconds, memory_bytes=found["memory_bytes"], predicted=True,
                            method=found["blocks"][0]["methods"][0]["name"])
            if seconds is not None and seconds <= LIMIT:
                found, seconds = answer(program, ask + " --threads 1" * ("--threads" not in ask), graph)
                case.update(seconds=seconds, elapsed_s=found["time_s"]["total"], memory_bytes=found["peak_memory_bytes"],
                            value=found["result"]["value"][:40], method=found["method"]["name"], predicted=False)
                if ask == ESTIMATED:
                    case["result"] = found["result"]
            print(json.dumps(case)[:300], flush=True)
            cases.append(case)
    devices = json.loads(subprocess.run([program, "devices", "--json"], capture_output=True, text=True).stdout)
    cpu = devices["devices"][0]
    text = ",\n".join(json.dumps(case) for case in cases)
    head = {"benchmark": "families", "command": "bench/families.py", "version": devices["version"],
            "commit": subprocess.run(["git", "rev-parse", "HEAD"], capture_output=True, text=True, cwd=ROOT).stdout.strip(),
            "date": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), "machine": cpu, "load": os.getloadavg()[0],
            "ran_on": f"one core of {cpu['model']} ({cpu['instruction_set']})"}
    (ROOT / "bench/results/families.json").write_text(json.dumps(head)[:-1] + ',\n"cases": [\n' + text + "\n]}\n")


if __name__ == "__main__":
    main()
