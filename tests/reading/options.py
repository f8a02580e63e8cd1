"""Tries every option of reading on every format: it is honoured, or refused by its name, and never silently ignored.

usage: options.py MATCHCOUNT [--all]

The table below is what the contract of reading expects: of each option, the formats that can honour it, and what is right
then. An option that a format can't honour is refused, the exit status 2 and a message that names it; where it has nothing to
act upon (no weights, no loops) the answer may also stay as it is. With --all every command that reads is tried, not two.
"""

import argparse
import collections
import io
import json
import os
import struct
import subprocess
import sys
import zipfile

import truth

# A cycle a b c d, each edge with a weight and a cost. The hafnian is 31 by weights, 11 by costs, 2 without either.
CYCLE = [("a", "b", 2, 1), ("b", "c", 3, 2), ("c", "d", 5, 3), ("d", "a", 7, 4)]
ZERO = [("a", "b", 2, 1), ("b", "c", 0, 2), ("c", "d", 5, 3), ("d", "a", 7, 4)]
LOOP = [*CYCLE, ("a", "a", 1, 1)]
TWICE = [*CYCLE, ("a", "b", 2, 1)]
COMMANDS = ("count", "hafnian", "cycles", "permanent", "determinant", "torontonian", "marginals", "sample", "list", "parity", "estimate",
            "decompose", "reach", "plan")


def numbered(edges):
    return [("abcd".index(u) + 1, "abcd".index(v) + 1, w, c) for u, v, w, c in edges]


def rows(edges):
    a = [[0] * 4 for _ in range(4)]
    for u, v, w, _ in numbered(edges):
        a[u - 1][v - 1] = a[v - 1][u - 1] = w
    return a


def npy(a):
    head = f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({len(a)}, {len(a)}), }}"
    head += " " * (-(len(head) + 11) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + b"".join(struct.pack("<d", x) for row in a for x in row)


def mat(arrays):
    def element(kind, data):
        return struct.pack("<II", kind, len(data)) + data + b"\0" * (-len(data) % 8)
    content = b"MATLAB 5.0 MAT-file".ljust(124) + struct.pack("<H", 0x0100) + b"IM"
    for name, a in arrays.items():
        values = b"".join(struct.pack("<d", row[j]) for j in range(len(a)) for row in a)
        content += element(14, element(6, struct.pack("<II", 6, 0)) + element(5, struct.pack("<ii", len(a), len(a))) + element(1,
            name.encode()) + element(9, values))
    return content


def archive(members):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as file:
        for name, content in members.items():
            file.writestr(name, content)
    return stream.getvalue()


def lines(edges, form, head="", tail=""):
    return head + "".join(form.format(u=u, v=v, w=w, c=c) + "\n" for u, v, w, c in edges) + tail


def xml(edges, node, edge, between=""):
    return "".join(node.format(u=u) for u in "abcd") + between + "".join(
        edge.format(u=u, v=v, w=w, c=c, i=i) for i, (u, v, w, c) in enumerate(edges))


MOLECULE = "propene\n  test\n\n  3  2  0  0  0  0            999 V2000\n"
MOLECULE += "    0.0000    0.0000    0.0000 C   0  0\n" * 3 + "  1  2  2  0\n  2  3  1  0\nM  END\n"
MOL2 = ("@<TRIPOS>MOLECULE\npropene\n 3 2\nSMALL\nNO_CHARGES\n@<TRIPOS>ATOM\n 1 C1 0 0 0 C.2\n 2 C2 0 0 0 C.2\n 3 C3 0 0 0 C.3\n"
        "@<TRIPOS>BOND\n 1 1 2 2\n 2 2 3 1\n")
# Formats: extension, and a function from edges to text. Edges in these have weights; costs where `{c}` stands.
FORMATS = {
    "edgelist": (".txt", lambda e: lines(e, "{u} {v} {w}")),
    "table": (".csv", lambda e: lines(e, "{u},{v},{w},{c}", "source,target,weight,cost\n")),
    "networkx": (".edgelist", lambda e: lines(e, "{u} {v} {{'weight': {w}, 'cost': {c}}}")),
    "dense": (".txt", lambda e: "".join(" ".join(map(str, row)) + "\n" for row in rows(e))),
    "npy": (".npy", lambda e: npy(rows(e))),
    "npz": (".npz", lambda e: archive({"a.npy": npy(rows(e))})),
    "mat": (".mat", lambda e: mat({"A": rows(e)})),
    "mtx": (".mtx", lambda e: lines([(max(u, v), min(u, v), w, c) for u, v, w, c in numbered(e)], "{u} {v} {w}",
                                    f"%%MatrixMarket matrix coordinate integer symmetric\n4 4 {len(e)}\n")),
    "dimacs": (".col", lambda e: lines(numbered(e), "e {u} {v}", f"p edge 4 {len(e)}\n")),
    "metis": (".graph", lambda e: f"4 {len(e)} 1\n" + "".join(" ".join(
        f"{b if a == k else a} {w}" for a, b, w, _ in numbered(e) if k in (a, b)) + "\n" for k in (1, 2, 3, 4))),
    "graphml": (".graphml", lambda e: '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">'
                '<key id="w" for="edge" attr.name="weight" attr.type="int"/><key id="c" for="edge" attr.name="cost" attr.type="int"/>'
                '<graph edgedefault="undirected">' + xml(e, '<node id="{u}"/>', '<edge source="{u}" target="{v}"><data key="w">{w}</data>'
                                                         '<data key="c">{c}</data></edge>') + "</graph></graphml>\n"),
    "gexf": (".gexf", lambda e: '<gexf version="1.2"><graph defaultedgetype="undirected"><attributes class="edge">'
             '<attribute id="0" title="cost" type="integer"/></attributes><nodes>' + xml(
                 e, '<node id="{u}" label="{u}"/>', '<edge id="{i}" source="{u}" target="{v}" weight="{w}"><attvalues>'
                 '<attvalue for="0" value="{c}"/></attvalues></edge>', "</nodes><edges>") + "</edges></graph></gexf>\n"),
    "gml": (".gml", lambda e: "graph [\n" + "".join(f'node [ id {k} label "{u}" ]\n' for k, u in enumerate("abcd", 1)) + lines(
        numbered(e), "edge [ source {u} target {v} weight {w} cost {c} ]", "", "]\n")),
    "dot": (".dot", lambda e: lines(e, "{u} -- {v} [weight={w}, cost={c}];", "graph {\n", "}\n")),
    "json": (".json", lambda e: json.dumps({"directed": False, "nodes": [{"id": u} for u in "abcd"],
                                            "links": [dict(source=u, target=v, weight=w, cost=c) for u, v, w, c in e]})),
    "lgf": (".lgf", lambda e: "@nodes\nlabel\na\nb\nc\nd\n@edges\n\t\tweight cost\n" + lines(e, "{u} {v} {w} {c}")),
    "pajek": (".net", lambda e: "*Vertices 4\n" + "".join(f'{k} "{u}"\n' for k,
        u in enumerate("abcd", 1)) + "*Edges\n" + lines(numbered(e), "{u} {v} {w}")),
    "tgf": (".tgf", lambda e: "".join(f"{k} {u}\n" for k, u in enumerate("abcd", 1)) + "#\n" + lines(numbered(e), "{u} {v} {w}")),
    "adjlist": (".adjlist", lambda e: "a b d\nb c\nc d\nd\n"),
    "graph6": (".g6", lambda e: ">>graph6<<Cl\n"),
    "sparse6": (".s6", lambda e: ">>sparse6<<:Cda\n"),
    "planar_code": (".pc", lambda e: b">>planar_code<<\x04\x02\x04\x00\x01\x03\x00\x02\x04\x00\x03\x01\x00"),
    "mol": (".mol", lambda e: MOLECULE),
    "mol2": (".mol2", lambda e: MOL2),
}
MOLECULES = {"mol", "mol2"}
WEIGHTLESS = {"dimacs", "adjlist", "graph6", "sparse6", "planar_code"} | MOLECULES
NAMED = {"table", "networkx", "graphml", "gexf", "gml", "dot", "json", "lgf"}  # Edges have attributes with names.
MATRICES = {"dense", "npy", "npz", "mat", "mtx"}
TEXT = {"edgelist", "table", "networkx", "dense", "adjlist"}
ONCE = {"dense", "npy", "npz", "mat", "metis", "adjlist", "graph6", "sparse6", "planar_code"} | MOLECULES  # No edge can be there twice.
UNLOOPED = {"dimacs", "metis", "adjlist", "graph6", "sparse6", "planar_code"} | MOLECULES
EVERY = set(FORMATS)
# Option, command that shows it, edges, the value if it is honoured, the formats that may honour it, those where it may have
# nothing to do. In all others, and there too, it may be refused by name. None: no answer at all is right.
TABLE = [
    (["--weight-key", ""], "hafnian", CYCLE, 2, EVERY - WEIGHTLESS, WEIGHTLESS),
    (["--weight-key", "cost"], "hafnian", CYCLE, 11, NAMED, set()),
    (["--weight-key", "nosuch"], "hafnian", CYCLE, None, set(), set()),
    (["--weight-key", "nosuch"], "count --kind undirected", CYCLE, None, set(), set()),
    (["--keep-zeros"], "count --kind undirected", ZERO, 2, EVERY - WEIGHTLESS, WEIGHTLESS),
    (["--duplicates", "one"], "hafnian", TWICE, 31, EVERY - ONCE - {"dimacs"}, ONCE | {"dimacs"}),
    (["--duplicates", "sum"], "hafnian", TWICE, 41, EVERY - ONCE - {"dimacs"}, ONCE | {"dimacs"}),
    (["--loops", "drop"], "count --kind undirected", LOOP, 2, EVERY - UNLOOPED, UNLOOPED),
    (["--loops", "refuse"], "count --kind undirected", LOOP, None, set(), UNLOOPED),
    (["--no-edge", "3"], "count --kind undirected", CYCLE, 1, EVERY - WEIGHTLESS, WEIGHTLESS),
    (["--no-edge", "2"], "hafnian", CYCLE, 21, EVERY - WEIGHTLESS, WEIGHTLESS),
    (["--skeleton"], "count --kind undirected", CYCLE, 0, MOLECULES, set()),
    (["--delimiter", ";"], "count --kind undirected", CYCLE, None, set(), set()),
    (["--header", "yes"], "hafnian", CYCLE, 31, {"table"}, {"networkx"}),
    (["--header", "no"], "hafnian", CYCLE, 31, {"edgelist", "dense"}, {"networkx", "adjlist"}),
    (["--columns", "1,2,4"], "hafnian", CYCLE, 11, {"table"}, set()),
    (["--columns", "2,3"], "count --kind undirected", CYCLE, 1, {"table", "edgelist"}, set()),
    (["--member", "other"], "count --kind undirected", CYCLE, None, set(), set()),
    (["--base", "0"], "count --kind undirected", CYCLE, None, set(), set()),
]
# Inputs made for one option: file, content, command, the value with the option and whether it may be refused.
CASES = [
    ("e.csv", "a;b;2\nb;c;3\nc;d;5\nd;a;7\n", ["hafnian", "--delimiter", ";"], 31),
    ("d.csv", "0;2;0;7\n2;0;3;0\n0;3;0;5\n7;0;5;0\n", ["hafnian", "--delimiter", ";"], 31),
    ("i.csv", "k,from,to,cost\n1,a,b,2\n2,b,c,3\n3,c,d,5\n4,d,a,7\n", ["hafnian", "--columns", "from,to,cost"], 31),
    ("i.csv", "k,from,to,cost\n1,a,b,2\n2,b,c,3\n3,c,d,5\n4,d,a,7\n", ["hafnian", "--columns", "2,3"], 2),
    ("h.txt", "who whom weight\na b 2\nb c 3\nc d 5\nd a 7\n", ["hafnian", "--header", "yes"], 31),
    ("h.txt", "who whom\na b\n", ["count", "--matchings", "by-size", "--header", "no"], (1, 2, 1)),
    ("h.txt", "who whom\na b\n", ["count", "--matchings", "by-size", "--header", "yes"], (1, 1)),
    ("h.txt", "who whom year\na b 2\nb c 3\nc d 5\nd a 7\n", ["hafnian", "--header", "yes"], None),
    ("z.zip", archive({"a.txt": lines(CYCLE, "{u} {v} {w}"), "b.txt": "a b 9\n"}), ["hafnian", "--member", "b.txt"], 9),
    ("z.npz", archive({"a.npy": npy(rows(CYCLE)), "b.npy": npy(rows(ZERO))}), ["hafnian", "--member", "b"], 10),
    ("z.mat", mat({"A": rows(CYCLE), "B": rows(ZERO)}), ["hafnian", "--member", "B"], 10),
    ("z.npz", archive({"a.npy": npy(rows(CYCLE)), "b.npy": npy(rows(ZERO))}), ["hafnian", "--member", "c"], None),
    ("b.txt", "0 0 2\n1 1 3\n0 1 1\n", ["determinant", "--base", "0"], 6),
    ("b.txt", "1 1 2\n2 2 3\n1 2 1\n", ["determinant", "--base", "1"], 6),
    ("b.txt", "0 0 2\n1 1 3\n0 1 1\n", ["determinant", "--base", "1"], None),
    ("n.txt", "0 2 inf 7\n2 0 3 inf\ninf 3 0 5\n7 inf 5 0\n", ["count", "--kind", "undirected", "--no-edge", "inf"], 2),
    ("n.txt", "a b 2\nb c 3\nc d -1\nd a 7\n", ["count", "--kind", "undirected", "--no-edge", "-1"], 1),
    ("l.txt", "a a 4\na b 2\nb b 5\n", ["hafnian", "--loops", "drop"], 2),
    ("l.txt", "a a 4\na b 2\nb b 5\n", ["hafnian", "--loops", "keep"], 22),
    ("l.txt", "a a\na b\n", ["count", "--kind", "undirected", "--loops", "keep"], None),
    ("l.txt", "a a\na b\nb a\n", ["cycles", "--loops", "drop"], 1),
    ("c.txt", "####\n#..#\n#..#\n####\n", ["count", "--format", "cells"], 2),
    ("c.txt", "1111\n1111\n", ["count", "--format", "cells"], 5),
    ("c.txt", "1 1 1\n1 1 1\n", ["count", "--format", "cells"], 3),
    ("c.txt", "###\n###\n###\n", ["count", "--format", "cells"], 0),
    ("c.txt", "##x\n###\n", ["count", "--format", "cells"], None),
    ("g.graphml", FORMATS["graphml"][1](CYCLE), ["permanent", "--kind", "matrix"], 2 * 2 * 5 * 5 + 3 * 3 * 7 * 7 + 2 * 2 * 3 * 5 * 7),
    ("g.graphml", FORMATS["graphml"][1](CYCLE), ["count", "--kind", "directed"], 4),
    ("e.txt", "a b\nb c\nc d\nd a\n", ["count", "--kind", "bipartite"], 1),
    ("e.txt", "a b\nb c\nc d\nd a\n", ["count", "--kind", "undirected"], 2),
]


def answer(program, arguments, name, content, folder):
    """Returns (exit status, value or None, message)."""
    path = os.path.join(folder, name)
    with open(path, "wb") as file:
        file.write(content if isinstance(content, bytes) else content.encode())
    words = arguments.split() if isinstance(arguments, str) else list(arguments)
    done = subprocess.run([os.path.abspath(program), words[0], name, *words[1:],
        *(["--samples", "10"] if words[0] == "estimate" else []), "--json"],
                          cwd=folder, capture_output=True, text=True, errors="replace")
    said = json.loads(done.stdout.splitlines()[0]) if done.returncode == 0 and done.stdout.strip() else {}
    if "error" in said or not said:
        return done.returncode, None, done.stderr + done.stdout
    result = said.get("result", {})
    return done.returncode, said if "value" in result or "values" in result else None, ""


def is_value(said, value):
    exact = [truth.real(x) for x in value] if isinstance(value, tuple) else truth.real(value)
    return said is not None and truth.agrees(said, tuple(exact) if isinstance(value, tuple) else exact)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--all", action="store_true")
    given = parser.parse_args()
    faults, tried = collections.defaultdict(list), 0
    with truth.folder_for_files() as folder:
        def judge(what, words, name, content, right, others=(), must_name=None):
            nonlocal tried
            tried += 1
            status, said, message = answer(given.program, words, name, content, folder)
            fault = ""
            if status == 2 and must_name and must_name not in message:
                fault = f"refused without naming {must_name}"
            elif status == 0 and (right is None or not any(is_value(said, value) for value in (right, *others))):
                got = [str(x[0]) for x in truth.claimed(said)] if said else "an answer"
                fault = f"got {got}, expected {'' if right is None else f'{right} or '}a refusal"
            elif status not in (0, 2, 3):
                fault = f"exit {status}"
            if fault:
                where, _, which = what.partition(": ")
                faults[which, fault].append(where)

        for form, (extension, write) in FORMATS.items():
            kind = "" if form in MOLECULES else " --kind undirected"
            for option, command, edges, value, honoured, idle in TABLE:
                words = command.split() if form not in MOLECULES else command.split()[:1]
                plain = {"hafnian": 1 if form in MOLECULES else 2}.get(words[0], 1 if form in MOLECULES
                    else 2) if form in WEIGHTLESS else 31
                if form in honoured:
                    right, others = value, ()
                elif form in idle:
                    right, others = plain if words[0] == "hafnian" else 2, (1, 2, 3, 31, value) if form in WEIGHTLESS | ONCE else (2,
                        21, 31)
                else:
                    right, others = None, ()
                others = tuple(x for x in others if x is not None)
                named = option[0].strip("-").rstrip("s") if form not in honoured | idle | TEXT and edges is CYCLE else None
                judge(f"{form}: {command} {option[0]} {option[1:] and option[1] or repr('') if len(option) > 1 else ''}",
                    [*words, *option], "g" + extension,
                      write(edges), right, others, named)
            wrong = next(other for other in ("gml", "mtx", "graph6") if other != form)
            judge(f"{form}: --format {wrong}", f"count --format {wrong}" + kind, "g" + extension, write(CYCLE), None)
            if form not in ("table", "networkx"):
                judge(f"{form}: --format {form}", f"hafnian --format {form}", "g" + extension, write(CYCLE), 1 if form in MOLECULES
                    else 2 if form in WEIGHTLESS else 31)
            for command in COMMANDS if given.all else ():
                for option, _, edges, _, honoured, idle in TABLE:
                    if edges is CYCLE and form not in honoured | idle:
                        judge(f"{form}: {command} {' '.join(option)}", [command, *option], "g" + extension, write(CYCLE), None)
        for name, content, words, value in CASES:
            judge(f"{name}: {' '.join(words)}: {content[:60]!r}", words, name, content, value)
    for (which, fault), where in sorted(faults.items()):
        print(f"{which}: {fault}: {', '.join(where)}")
    print(f"{tried} runs, {sum(map(len, faults.values()))} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
