"""Random graphs and matrices in the forms that people's programs write: what is read has to be what was written, or refused.

usage: writers.py MATCHCOUNT [--count N] [--seed S] [--show K] [--writer WORD]

Writers of networkx, igraph, pandas, numpy, scipy and RDKit are tried where these are installed; those of graphviz, Octave,
R and others are templates here. The exit status is 1 if anything was misread, or if more than 5 % of the ordinary files
that carry their own format were refused.
"""

import argparse
import collections
import importlib
import io
import json
import os
import random
import sys
import tempfile
from dataclasses import dataclass, field, replace
from fractions import Fraction

import truth
from truth import ONE, ask, real


def package(name):
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


np, nx, pd, igraph, rdkit = map(package, ("numpy", "networkx", "pandas", "igraph", "rdkit"))
scipy = package("scipy") and package("scipy.io") and package("scipy.sparse") and package("scipy")
PLAIN = [lambda i: f"v{i}", lambda i: chr(97 + i), lambda i: str(i), lambda i: str(i + 1), lambda i: str(7 * i * i + 5),
         lambda i: ["Ann", "Bob", "Cat", "Dan", "Eve", "Fay", "Gus", "Hal"][i], lambda i: f"x{i:02}", lambda i: "äöüßéñçø"[i]]
ODD = [lambda i: f"a {i}", lambda i: f"{i}.5", lambda i: f"n,{i}", lambda i: f'"{i}"', lambda i: f"#{i}", lambda i: f"<{i}&>",
       lambda i: ["nan", "None", "inf", "1e5", "-1", "0x1", "TRUE", "node"][i], lambda i: f"({i}, 0)", lambda i: f"{i}'s",
           lambda i: f"x;{i}",
       lambda i: ["graph", "source", "edge", "c", "%", "strict", "p", "id"][i], lambda i: str(-i), lambda i: f"0{i}"]


@dataclass
class Model:
    """A graph: edges are (u, v, weight) by numbers of vertices; weight None is missing. Sides: vertices below `left`."""
    names: list
    edges: list
    directed: bool = False
    left: int = 0
    weighted: bool = False
    matrix: list = field(default_factory=list)

    def ordinary(self):
        return all(w for _, _, w in self.edges) and (self.directed or all(u != v for u, v, _ in self.edges))

    def lone(self):
        return [k for k in range(len(self.names)) if not any(k in edge[:2] for edge in self.edges)]


def graph(r, odd=False, sided=False):
    n, left = r.randint(2, 6), 0
    directed = not sided and r.random() < 0.3
    if sided:
        left, n = n // 2 + 1, n + 1
    pairs = [(u, v) for u in range(left or n) for v in range(left, n) if u != v and (directed or sided or u < v)]
    if r.random() < 0.1 and not sided:
        pairs += [(u, u) for u in range(n)]
    chosen = r.sample(pairs, min(len(pairs), r.randint(1, 2 * n)))
    if r.random() < 0.85:  # No vertex is without edges.
        chosen += [next(p for p in pairs if k in p) for k in range(n) if not any(k in pair for pair in chosen)]
    weighted = r.random() < 0.5
    weight = r.choice([lambda: r.randint(1, 9), lambda: r.randint(-4, 9), lambda: r.randint(1, 99) / 4, lambda: r.choice([1e-3, 2.5, 1e6])])
    whole = [(u, v, Fraction(str(weight())) if weighted and r.random() < 0.99 else (None if weighted else Fraction(1))) for u,
        v in dict.fromkeys(chosen)]
    name = r.choice(ODD if odd and r.random() < 0.5 else PLAIN)
    return Model([name(k) for k in range(n)], whole, directed, left, weighted)


def matrix(r):
    n = r.choice([2, 2, 3, 3, 4, 5])
    entry = r.choice([lambda: r.randint(0, 1), lambda: r.randint(-2, 9), lambda: r.randint(0, 40) / 8,
                      lambda: complex(r.randint(0, 3), r.randint(-2, 2)), lambda: r.random() < 0.6])
    rows = [[entry() for _ in range(n)] for _ in range(n)]
    if r.random() < 0.4:
        rows = [[rows[max(i, j)][min(i, j)] if i != j else 0 for j in range(n)] for i in range(n)]
    return Model([], [], matrix=rows)


def decimal(value):
    return str(value.numerator) if value.denominator == 1 else repr(float(value))


def right(model, question, name=""):
    """Returns the values that may be printed; none if the file has to be refused."""
    if "dot" in name or "gexf" in name or name == "networkx pajek":  # Their weights are 1 where there is none.
        model = replace(model, edges=[(u, v, Fraction(1) if w is None else w) for u, v, w in model.edges])
    if model.matrix:
        exact = {(i, j): (Fraction(complex(x).real), Fraction(complex(x).imag)) for i, row in enumerate(model.matrix) for j,
            x in enumerate(row)}
        n = range(len(model.matrix))
        if question != "hafnian":
            return [ask(question, (n, n, exact), True)]
        if any(exact[i, j] != exact[j, i] for i in n for j in n):
            return []
        return [ask(question, (tuple(n), None, {key: x for key, x in exact.items() if key[0] < key[1]}), False)]
    missing = [w is None for _, _, w in model.edges]  # A file in which all are missing has no weights.
    if any(missing) and not all(missing) and question in ("hafnian", "permanent"):
        return []
    found = []
    for zero_counts in (True, False):
        entries = {(u, v): real(1 if w is None or (zero_counts and question not in ("hafnian", "permanent")) else w) for u, v,
            w in model.edges}
        if model.left or model.directed:
            n = len(model.names)
            sides = (range(model.left), range(model.left, n)) if model.left else (range(n), range(n))
            found.append(ask(question, (*sides, entries), True))
        else:
            pairs = {(min(pair), max(pair)): w for pair, w in entries.items() if pair[0] != pair[1]}
            found.append(ask(question, (tuple(range(len(model.names))), None, pairs), False))
    return found


# Writers: each yields (name, extension, content, whether the file says its format); vertices that it can't write are taken out.
def templates(r, m):
    """Forms of graphviz, R, Octave and others, which need no package."""
    if m.matrix:
        rows = [[str(x).replace("True", "1").replace("False", "0") for x in row] for row in m.matrix]
        n = len(rows)
        head = [f"[,{j + 1}]" for j in range(n)]
        yield "octave text", ".txt", (f"# Created by Octave 8.4.0\n# name: A\n# type: matrix\n# rows: {n}\n# columns: {n}\n"
                                      + "".join(" " + " ".join(row) + "\n" for row in rows) + "\n\n"), False
        yield "octave print", ".txt", "A =\n\n" + "".join("   " + "   ".join(row) + "\n" for row in rows) + "\n", False
        yield "matlab literal", ".txt", "[" + "; ".join(" ".join(row) for row in rows) + "]\n", False
        yield "R print", ".txt", "     " + " ".join(head) + "\n" + "".join(f"[{i + 1},] " + "    ".join(row) + "\n" for i,
            row in enumerate(rows)), False
        quote, separator = r.choice(['"', ""]), r.choice([" ", ",", "\t", ";"])
        names = [f"{quote}V{j + 1}{quote}" for j in range(n)]
        yield "R write.table", ".txt", (separator.join(names) + "\n" + "".join(
            separator.join([f"{quote}{i + 1}{quote}", *row]) + "\n" for i, row in enumerate(rows))), False
        yield "R write.csv", ".csv", (",".join(['""', *(f'"V{j + 1}"' for j in range(n))]) + "\n" + "".join(
            ",".join([f'"{i + 1}"', *row]) + "\n" for i, row in enumerate(rows))), False
        yield "mathematica", ".txt", "{" + ", ".join("{" + ", ".join(row) + "}" for row in rows) + "}\n", False
        yield "latex", ".tex", "\\begin{pmatrix}\n" + " \\\\\n".join(" & ".join(row) for row in rows) + "\n\\end{pmatrix}\n", False
        return
    quoted = ['"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"' for name in m.names]
    bare = [name if name.isalnum() and name.isascii() and not name[0].isdigit() and name not in ("graph", "edge", "node", "strict") else q
            for name, q in zip(m.names, quoted)]
    ids = r.choice([quoted, bare])
    some = [(ids[u], ids[v], w) for u, v, w in m.edges]
    link = "->" if m.directed else "--"
    key = r.choice(["weight", "weight", "penwidth", "label"]) if m.weighted else "weight"
    if not m.weighted or key == "weight":
        lines = [f"  {u} {link} {v}" + (f" [{key}={decimal(w)}]" if m.weighted and w is not None
            else r.choice(["", " [color=red]"])) + ";" for u, v, w in some]
        nodes = [f"  {name};" for name in ids] if r.random() < 0.5 or m.lone() else []
        head = f"{'di' * m.directed}graph {r.choice(['', 'G '])}{{\n"
        yield "dot", r.choice([".dot", ".gv"]), head + "\n".join(nodes + lines) + "\n}\n", True
    if not m.lone():
        separator = r.choice([",", " ", "\t", ";"])
        weights = [f"{separator}{decimal(w)}" if w is not None else f"{separator}NA" for _, _,
            w in m.edges] if m.weighted else [""] * len(m.edges)
        header = separator.join(['"from"', '"to"'] + ['"weight"'] * m.weighted)
        yield "R edges", ".csv", header + "\n" + "".join(f'{q_u}{separator}{q_v}{w}\n' for (q_u, q_v), w in zip(
            [(quoted[u], quoted[v]) for u, v, _ in m.edges], weights)), False
        yield "R edges with row names", ".csv", separator.join(['""',
            header]) + "\n" + "".join(f'"{k + 1}"{separator}{q_u}{separator}{q_v}{w}\n'
            for k, ((q_u, q_v), w) in enumerate(zip([(quoted[u], quoted[v]) for u, v, _ in m.edges], weights))), False
        columns = r.choice([["Source", "Target", "Type"], ["Id", "Source", "Target", "Type"], ["Source", "Target", "Type", "Weight"]])
        values = [{"Source": m.names[u], "Target": m.names[v], "Type": "Directed" if m.directed else "Undirected", "Id": str(k),
            "Weight": decimal(ONE[0] if w is None else w)}
                  for k, (u, v, w) in enumerate(m.edges)]
        if not m.weighted or "Weight" in columns and all(w is not None for _, _, w in m.edges):
            if not any(mark in name for name in m.names for mark in ',"'):
                yield "gephi", ".csv", "\n".join([",".join(columns)] + [",".join(row[c] for c in columns) for row in values]) + "\n", False
    n = len(m.names)
    if any('"' in name for name in m.names):
        return  # The rest has no quotes within quotes.
    lines = [f"{u + 1} {v + 1}" + (f" {decimal(w)}" if m.weighted and w is not None else "") for u, v, w in m.edges]
    yield "pajek", ".net", f"*Vertices {n}\n" + "".join(f"{k + 1} {q}\n" for k, q in enumerate(quoted)) + (
        "*Arcs\n" if m.directed else "*Edges\n") + "".join(line + "\n" for line in lines), True
    yield "tgf", ".tgf", "".join(f"{k + 1} {name}\n" for k, name in enumerate(m.names)) + "#\n" + "".join(line + "\n"
        for line in lines), True
    yield "ucinet dl", ".dl", f"dl n={n} format=edgelist1\nlabels:\n" + ",".join(m.names) + "\ndata:\n" + "\n".join(lines) + "\n", False
    yield "gdf", ".gdf", "nodedef>name VARCHAR\n" + "\n".join(m.names) + "\nedgedef>node1 VARCHAR,node2 VARCHAR\n" + "\n".join(
        f"{m.names[u]},{m.names[v]}" for u, v, _ in m.edges) + "\n", False
    if not m.directed and all(u != v for u, v, _ in m.edges) and not m.weighted:
        yield "dimacs", ".col", f"c a graph\np edge {n} {len(m.edges)}\n" + "".join(f"e {line}\n" for line in lines), True
        neighbours = [" ".join(str(a + b - k + 1) for a, b, _ in m.edges if k in (a, b)) for k in range(n)]
        yield "metis", ".graph", f"{n} {len(m.edges)}\n" + "\n".join(neighbours) + "\n", True
    kind = "directed" if m.directed else "undirected"
    numbers = [dict(source=u, target=v) | ({"value": float(w)} if m.weighted and w is not None else {}) for u, v, w in m.edges]
    yield "d3", ".json", json.dumps({"directed": m.directed, "nodes": [{"name": name} for name in m.names], "links": numbers}), True
    yield "lgf", ".lgf", "@nodes\nlabel\n" + "".join(q + "\n" for q in quoted) + f"{'@arcs' if m.directed else '@edges'}\n\t\t" + (
        "weight" if m.weighted else "-") + "\n" + "".join(f"{quoted[u]} {quoted[v]} " + (decimal(w) if m.weighted and w is not None
            else "") + "\n"
                                                         for u, v, w in m.edges), True
    yield "matchcount", ".txt", f"# format: edgelist\n# header: no\n# kind: {kind}\n" + "".join(f"{quoted[u]} {quoted[v]}" + (
        f" {decimal(w)}" if m.weighted and w is not None else "") + "\n" for u, v, w in m.edges) + "".join(quoted[k] + "\n"
            for k in m.lone()), True


def bytes_of(write, extension=".txt"):
    """Returns what a writer puts into a file of its own."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "a" + extension)
        write(path)
        with open(next(os.path.join(folder, name) for name in os.listdir(folder)), "rb") as file:
            return file.read()


def by_networkx(r, m):
    if m.matrix or m.left:
        return
    g = nx.DiGraph() if m.directed else nx.Graph()
    names = [int(name) for name in m.names] if all(name.isdigit() and str(int(name)) == name
        for name in m.names) and r.random() < 0.7 else m.names
    g.add_nodes_from(names)
    for u, v, w in m.edges:
        value = None if w is None else int(w) if w.denominator == 1 else float(w)
        g.add_edge(names[u], names[v], **({"weight": value} if m.weighted and w is not None else {}))
    blank = any(mark in name for name in m.names for mark in " ,#;%")
    if not m.lone() and not blank:
        yield "networkx edgelist with data", ".edgelist", bytes_of(lambda path: nx.write_edgelist(g, path)), False
        separator = r.choice([" ", ",", "\t", ";"])
        if not m.weighted:
            yield "networkx edgelist", ".txt", bytes_of(lambda path: nx.write_edgelist(g, path, data=False, delimiter=separator)), False
        elif all(w is not None for _, _, w in m.edges):
            yield "networkx weighted", ".txt", bytes_of(lambda path: nx.write_weighted_edgelist(g, path, delimiter=separator)), False
    if not blank and not m.weighted:
        yield "networkx adjlist", r.choice([".adjlist", ".txt"]), bytes_of(lambda path: nx.write_adjlist(g, path)), False
        yield "networkx multiline", ".txt", bytes_of(lambda path: nx.write_multiline_adjlist(g, path)), False
    yield "networkx graphml", ".graphml", bytes_of(lambda path: nx.write_graphml(g, path, infer_numeric_types=r.random() < 0.5)), True
    yield "networkx gexf", ".gexf", bytes_of(lambda path: nx.write_gexf(g, path)), True
    yield "networkx gml", ".gml", bytes_of(lambda path: nx.write_gml(g, path)), True
    yield "networkx pajek", ".net", bytes_of(lambda path: nx.write_pajek(g, path)), True
    for form in ("node_link_data", "adjacency_data", "cytoscape_data"):
        yield "networkx " + form, ".json", json.dumps(getattr(nx, form)(g), indent=r.choice([None, 1])).encode(), form == "node_link_data"
    yield "networkx text", ".txt", bytes_of(lambda path: nx.write_network_text(g, path)), False
    if not m.weighted and not m.directed:
        yield "networkx sparse6", ".s6", bytes_of(lambda path: nx.write_sparse6(g, path, header=r.random() < 0.5)), True
        if all(u != v for u, v, _ in m.edges):
            yield "networkx graph6", ".g6", bytes_of(lambda path: nx.write_graph6(g, path, header=r.random() < 0.5)), True


def by_igraph(r, m):
    if m.matrix or m.left or any(w is None for _, _, w in m.edges):
        return
    g = igraph.Graph(n=len(m.names), edges=[edge[:2] for edge in m.edges], directed=m.directed)
    g.vs["name"] = m.names
    if m.weighted:
        g.es["weight"] = [float(w) for _, _, w in m.edges]
    for form, extension, carries in (("graphml", ".graphml", True), ("gml", ".gml", True), ("pajek", ".net", True), ("dot", ".dot", True),
                                     ("lgl", ".lgl", False), ("ncol", ".ncol", False), ("leda", ".lgr", False),
                                             ("edgelist", ".txt", False)):
        if (form in ("ncol", "edgelist") and m.lone()) or (form in ("edgelist", "leda", "pajek", "dot", "lgl", "ncol") and m.weighted
                and form == "edgelist"):
            continue
        if form in ("lgl", "ncol", "leda") and (m.directed and form != "leda"
                or any(mark in name for name in m.names for mark in " #,;%\"")):
            continue
        options = {"attr": "name", "weights": "weight" if m.weighted else None}
        try:
            if form == "leda":
                content = bytes_of(lambda path: g.write_leda(path, names="name", weights="weight" if m.weighted else None))
            elif form in ("lgl", "ncol"):
                content = bytes_of(lambda path: getattr(g, "write_" + form)(path, names="name", weights=options["weights"]))
            else:
                content = bytes_of(lambda path: getattr(g, "write_" + form)(path))
        except (igraph.InternalError, OSError):
            continue
        yield "igraph " + form, extension, content, carries


def by_pandas(r, m):
    if m.matrix:
        odd = r.choice(PLAIN)
        names = [odd(k) for k in range(len(m.matrix))]
        frame = pd.DataFrame(m.matrix, index=names, columns=names if r.random() < 0.5 else [f"c{k}" for k in range(len(names))])
    else:
        if m.lone() or any(w is None for _, _, w in m.edges):
            return
        columns = r.choice([("source", "target"), ("from", "to"), ("user", "item"), ("u", "v"), ("src", "dst")])
        values = [[m.names[u], m.names[v]] + ([decimal(w)] if m.weighted else []) for u, v, w in m.edges]
        frame = pd.DataFrame(values, columns=[*columns] + ["weight"] * m.weighted)
        if m.weighted:
            frame["weight"] = [float(w) if w.denominator > 1 else int(w) for _, _, w in m.edges]
    if any(name[0] in "#%" for name in m.names):
        return  # Without quotes such a line is a comment, whoever reads it.
    options = {"sep": r.choice([",", ";", "\t", "|", " "]), "header": r.random() < 0.7, "index": r.random() < 0.5,
        "decimal": r.choice([".", ".", ","])}
    options["quoting"] = r.choice([0, 1, 2])
    if not m.matrix and not m.weighted and any(truth.number(name) for name in m.names):
        options["index"] = options["index"] and options["header"]  # Else a row's number is the end of an edge, whoever reads it.
    yield "pandas to_csv " + " ".join(f"{k}={v!r}" for k, v in options.items()), r.choice([".csv", ".txt"]), frame.to_csv(**options), False
    yield "pandas to_string", ".txt", frame.to_string(index=r.random() < 0.5) + "\n", False
    orient = r.choice(["records", "split", "index", "columns", "values", "table"])
    if not any(isinstance(x, complex) for row in m.matrix for x in row):
        yield "pandas to_json " + orient, ".json", frame.to_json(orient=orient), False
    yield "pandas to_html", ".html", frame.to_html(), False


def by_numpy(r, m):
    if not m.matrix:
        return
    a = np.array(m.matrix)
    stream = io.StringIO()
    form = r.choice(["%.18e", "%g", "%d", "%s", "%6.2f"]) if not np.iscomplexobj(a) else "%.18e"
    if form not in ("%d", "%6.2f") or not np.any(a != np.round(a)):
        header = r.choice(["", f"{len(a)} {len(a)}", "a matrix"])
        np.savetxt(stream, a, fmt=form, delimiter=r.choice([" ", ",", "\t", ";"]), header=header, comments=r.choice(["# ", ""])
            if "m" in header else "# ")
        yield "numpy savetxt " + form, ".txt", stream.getvalue(), False
    yield "numpy save", ".npy", bytes_of(lambda path: np.save(path, np.asfortranarray(a) if r.random() < 0.5 else a), ".npy"), True
    yield "numpy savez", ".npz", bytes_of(lambda path: r.choice([np.savez, np.savez_compressed])(path, a=a), ".npz"), False
    yield "numpy str", ".txt", str(a) + "\n", False
    yield "numpy repr", ".txt", repr(a) + "\n", False
    yield "python list", ".txt", str(a.tolist()) + "\n", False


def by_scipy(r, m):
    if not m.matrix:
        return
    a = np.array(m.matrix)
    a = a.astype(int) if a.dtype == bool else a
    form = r.choice(["csr", "csc", "coo"])
    sparse = scipy.sparse.csr_matrix(a).asformat(form)
    yield "scipy mmwrite coordinate", ".mtx", bytes_of(lambda path: scipy.io.mmwrite(path, sparse), ".mtx"), True
    yield "scipy mmwrite array", ".mtx", bytes_of(lambda path: scipy.io.mmwrite(path, a), ".mtx"), True
    yield "scipy save_npz " + form, ".npz", bytes_of(lambda path: scipy.sparse.save_npz(path, sparse, compressed=r.random() < 0.5),
        ".npz"), True
    more = r.choice([{}, {"do_compression": True}, {"format": "4"}])
    yield f"scipy savemat {more}", ".mat", bytes_of(lambda path: scipy.io.savemat(path,
        {"A": r.choice([a, sparse]) if "format" not in more else a}, **more), ".mat"), not more.get("format")


SMILES = ["c1ccccc1", "c1ccc2ccccc2c1", "C=CC=C", "C=CC=CC=C", "Cc1ccccc1", "c1ccc2cc3ccccc3cc2c1", "C=C1C=CC(=C)C=C1", "CC#CC",
    "C1=CC=CC=C1", "c1ccc(-c2ccccc2)cc1"]


def by_rdkit(r):
    """Yields molecules: the vertices are atoms with a double or triple bond."""
    Chem = importlib.import_module("rdkit.Chem")
    molecule = Chem.MolFromSmiles(r.choice(SMILES))
    drawn = Chem.Mol(molecule)
    Chem.Kekulize(drawn, clearAromaticFlags=True)
    ends = {atom.GetIdx() for atom in drawn.GetAtoms() if any(bond.GetBondTypeAsDouble() > 1 for bond in atom.GetBonds())}
    index = {atom: k for k, atom in enumerate(sorted(ends))}
    pairs = [(bond.GetBeginAtomIdx(), bond.GetEndAtomIdx()) for bond in drawn.GetBonds()]
    m = Model([str(atom) for atom in index], [(index[u], index[v], Fraction(1)) for u, v in pairs if u in ends and v in ends])
    for kekulize, v3000 in ((True, False), (False, False), (True, True)):
        yield f"rdkit mol kekulize={kekulize} V3000={v3000}", ".mol", Chem.MolToMolBlock(molecule, kekulize=kekulize,
            forceV3000=v3000), not v3000 and kekulize, m
    yield "rdkit sdf", ".sdf", Chem.MolToMolBlock(molecule) + "$$$$\n", True, m
    yield "rdkit pdb", ".pdb", Chem.MolToPDBBlock(molecule), False, m
    yield "rdkit cml", ".cml", Chem.MolToCMLBlock(molecule), False, m
    yield "rdkit mrv", ".mrv", Chem.MolToMrvBlock(molecule), False, m


def cases(r):
    """Yields (writer, extension, content, carries, model) for one random graph or matrix."""
    if rdkit and r.random() < 0.04:
        yield from by_rdkit(r)
        return
    shape = r.random()
    m = matrix(r) if shape < 0.35 else graph(r, odd=True, sided=shape > 0.9)
    for module, writer in ((True, templates), (nx, by_networkx), (igraph, by_igraph), (pd, by_pandas), (np, by_numpy), (scipy, by_scipy)):
        if module and not (m.left and writer is not by_pandas):
            for name, extension, content, carries in writer(r, m):
                yield name, extension, content, carries, m


def commands(r, name, carries, m):
    """Returns a command that asks for what was written, and its question."""
    if m.matrix:
        return r.choice([("permanent", "permanent"), ("determinant", "determinant"), ("hafnian", "hafnian"),
                         ("count --kind matrix --matchings by-size", "by-size"), ("cycles", "cycles")])
    if name.startswith("rdkit"):
        return "count --matchings by-size", "by-size"
    if m.left:
        return r.choice([("count --matchings by-size", "by-size"), ("count", "count"), ("decompose", "decompose")])
    if m.directed:
        return "cycles" + " --kind directed" * (name == "tgf"), "cycles"
    kind = "" if carries and r.random() < 0.5 and "metis" not in name and name not in ("tgf", "dimacs") else " --kind undirected"
    return r.choice([("count --matchings by-size" + kind, "by-size"), ("hafnian", "hafnian"), ("count" + kind, "count"),
                     ("decompose" + kind, "decompose")])


def misread(answers, allowed, m, question):
    """Says what is wrong with the answers to a file: what was read is not what was written."""
    status, said, _, _ = answers[0] if answers else (4, None, "", "")
    if status:
        return "" if status in (2, 3) else f"exit {status}"
    if len(answers) > 1:
        return "several answers"
    if not any(truth.agrees(said, value) for value in allowed):
        return "misread"
    if question == "decompose" and not m.matrix:
        written = [{m.names[u], m.names[v]} for u, v, _ in m.edges]
        pairs = [set(pair) for pair in said["matching"]["pairs"]]
        if not any(name.isdigit() for name in m.names) and all(name in m.names for pair in pairs
                for name in pair) and not all(pair in written for pair in pairs):
            return "other edges"
    return ""


def tried(program, count, seed, word=""):
    """Yields (writer, content, extension, arguments, carries, model, question, answers); the program gets a command's files at once."""
    r, at = random.Random(seed), 0
    while at < count:
        batch = collections.defaultdict(list)
        for _ in range(60):
            for name, extension, content, carries, m in cases(r):
                if word in name and at < count:
                    command, question = commands(r, name, carries, m)
                    batch[command].append((name, content if isinstance(content, bytes) else content.encode(), extension, carries, m,
                        question))
                    at += 1
        for command, files in batch.items():
            with truth.folder_for_files() as folder:
                for k, (_, content, extension, *_) in enumerate(files):
                    with open(os.path.join(folder, f"{k}{extension}"), "wb") as file:
                        file.write(content)
                answers, _ = truth.run(program, command.split(), [f"{k}{case[2]}" for k, case in enumerate(files)], folder)
            for k, (name, content, extension, carries, m, question) in enumerate(files):
                yield name, content, extension, command, carries, m, question, answers[f"{k}{extension}"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", type=int, default=2, help="so many faults of each writer")
    parser.add_argument("--writer", default="", help="only writers with this word")
    given = parser.parse_args()
    faults, files, refused, why = collections.defaultdict(list), collections.Counter(), collections.Counter(), {}
    for name, content, _, command, carries, m, question, answers in tried(given.program, given.count, given.seed, given.writer):
        writer = name.split("=")[0]
        files[writer] += 1
        allowed = right(m, question, name)
        if fault := misread(answers, allowed, m, question):
            faults[writer].append((fault, name, content, command, answers, allowed))
        elif carries and allowed and (m.ordinary() if not m.matrix else question != "hafnian"
                or not any(row[i] for i, row in enumerate(m.matrix))):
            files["ordinary"] += 1
            if answers[0][0] == 2:
                refused[writer] += 1
                why[writer] = answers[0][2]
    for writer, found in sorted(faults.items()):
        print(f"{writer}: {len(found)} of {files[writer]} misread")
        for fault, name, content, command, answers, allowed in sorted(found, key=lambda one: len(one[2]))[:given.show]:
            print(f"  {fault}: {name}: {command}\n    {content[:400]!r}\n    got {truth.outcome(answers)}, right "
                  f"{truth.expectation(allowed)}")
    for writer, number in refused.most_common(12):
        print(f"refused: {number} of {files[writer]} by {writer}: {why[writer][:150]}")
    missing = [name for name, module in zip(("networkx", "igraph", "pandas", "numpy", "scipy", "rdkit"),
        (nx, igraph, pd, np, scipy, rdkit)) if not module]
    share = sum(refused.values()) / max(1, files["ordinary"])
    print(f"seed {given.seed}: {given.count} files, {sum(map(len, faults.values()))} misread; of {files['ordinary']} ordinary files with a "
          f"format of their own {share:.1%} refused; not installed: {', '.join(missing) or 'none'}")
    return 1 if faults or share > 0.05 else 0


if __name__ == "__main__":
    sys.exit(main())
