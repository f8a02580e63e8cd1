#!/usr/bin/env python3
"""Writes the pages and pictures of what the benchmarks found, from their JSON.

  bench/pages.py [--docs docs] [--pictures bench/results] [--check]
                 [--published bench/results/published-cpu.json ...] [--grids bench/results/grids.json]
                 [--families bench/results/families.json]

docs/published.md and docs/published/ have the tables of papers beside ours (`matchcount-bench published --json FILE`, a
file for each machine), docs/grids.md the estimates of grids (`matchcount-bench grid --json FILE`), docs/gallery.md the
pictures of both, docs/performance.md how seconds grow with size (`bench/families.py`). --check writes nothing, and fails
where a page or a picture is not what would be written. Needs nothing but Python; the same numbers give the
same bytes.
"""

import argparse
import collections
import json
import math
import os
import re
import sys
import textwrap
from xml.sax.saxutils import escape

# ---- Line charts as SVG, on logarithmic axes.

WIDTH, HEIGHT, COLUMNS = 330, 260, 3  # of a panel, and panels a row
LEFT, RIGHT, TOP, BOTTOM, HEAD, LEGEND_ROW, SWATCH = 58, 12, 28, 42, 34, 18, 28
LETTER = 7  # at the most, of 12 pixels' height, on average
# Okabe and Ito's colours, which the colour-blind tell apart, and two greys.
COLOURS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#d55e00", "#56b4e9", "#000000", "#777777", "#bbbb00")


class Axis:
    """From a power of ten, or of two where there are few, to another."""

    def __init__(self, values):
        least, most = min(values), max(values)
        self.base = 2 if most / least < 32 else 10
        self.low = math.floor(math.log(least) / math.log(self.base) + 1e-9)
        self.high = max(self.low + 1, math.ceil(math.log(most) / math.log(self.base) - 1e-9))

    def place(self, value):
        return (math.log(value) / math.log(self.base) - self.low) / (self.high - self.low)

    def ticks(self):
        for power in range(self.low, self.high + 1, (self.high - self.low + 7) // 8):
            value = float(self.base) ** power
            yield self.place(value), f"{value:g}" if 0.001 <= value < 100000 else f"1e{power}"


def svg_text(x, y, anchor, words, size=11):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}">{escape(words)}</text>'


def svg(title, x_label, y_label, panels):
    """Panels are pairs of a title and a dictionary of names to points, which are positive; one panel a line of text."""
    points = [point for _, lines in panels for line in lines.values() for point in line]
    x_axis, y_axis = (Axis([point[i] for point in points]) for i in (0, 1))
    names = list(dict.fromkeys(name for _, lines in panels for name in lines))
    colour = {name: COLOURS[i % len(COLOURS)] for i, name in enumerate(names)}
    columns = min(len(panels), COLUMNS)
    rows = -(-len(panels) // columns)
    legend_column = SWATCH + LETTER * max(map(len, names)) + 16
    width = max(columns * WIDTH, 20 + legend_column)
    legend_columns = max(1, (width - 20) // legend_column)
    height = HEAD + rows * HEIGHT + -(-len(names) // legend_columns) * LEGEND_ROW + 10
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif">'
           '<rect width="100%" height="100%" fill="#fff"/>' + svg_text(width / 2, 22, "middle", title, 15)]
    w, h = WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM
    for i, (panel_title, lines) in enumerate(panels):
        x0, y0 = i % columns * WIDTH + LEFT, HEAD + i // columns * HEIGHT + TOP
        panel = [svg_text(x0 + w / 2, y0 - 8, "middle", panel_title, 12)]
        for share, label in x_axis.ticks():
            x = x0 + w * share
            panel += [f'<path d="M{x:.1f} {y0}v{h}" stroke="#ddd"/>', svg_text(x, y0 + h + 14, "middle", label)]
        for share, label in y_axis.ticks():
            y = y0 + h - h * share
            panel += [f'<path d="M{x0} {y:.1f}h{w}" stroke="#ddd"/>', svg_text(x0 - 5, y + 4, "end", label)]
        panel += [f'<rect x="{x0}" y="{y0}" width="{w}" height="{h}" fill="none" stroke="#444"/>',
                  svg_text(x0 + w / 2, y0 + h + 30, "middle", x_label),
                  f'<g transform="translate({x0 - 44} {y0 + h / 2:.1f}) rotate(-90)">{svg_text(0, 0, "middle", y_label)}</g>']
        for name, line in lines.items():
            at = [(x0 + w * x_axis.place(x), y0 + h - h * y_axis.place(y)) for x, y in line]
            path = "L".join(f"{x:.1f} {y:.1f}" for x, y in at)
            panel.append(f'<path fill="none" stroke-width="1.6" stroke="{colour[name]}" d="M{path}"/>')
            panel += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.6" fill="{colour[name]}"/>' for x, y in at]
        out.append("".join(panel))
    for i, name in enumerate(names):
        x, y = 20 + i % legend_columns * legend_column, HEAD + rows * HEIGHT + i // legend_columns * LEGEND_ROW + 8
        out.append(f'<path stroke-width="3" stroke="{colour[name]}" d="M{x} {y}h22"/>' +
                   svg_text(x + SWATCH, y + 4, "start", name, 12))
    return "\n".join(out) + "\n</svg>\n"


# ---- Published tables.


def wrapped(text):
    return textwrap.fill(text, 120, break_long_words=False, break_on_hyphens=False) + "\n"


def markdown(heading, rows):
    lines = [heading, ["---"] * len(heading), *rows]
    return "".join("|" + "|".join(cell if cell == "---" else f" {cell} " for cell in line) + "|\n" for line in lines)


def number(text):
    """A cell as a number; None for other text."""
    return float(text) if re.fullmatch(r"-?[0-9.]+(e[-+]?[0-9]+)?", text) else None


def short(value, most=34):
    return value if len(value) <= most else f"{value[:most - 10]}..., {len(value)} characters"


def ours_text(case):
    if case["standing"] == "unavailable":
        return "-"
    if "ours" not in case:
        return short(case.get("value", ""))
    value = case["ours"]
    text = f"{value:.2e}" if value < 1e-3 or value >= 1e5 else f"{value:.3g}"
    return text + (" (predicted)" if case["standing"] == "predicted" else "")


def ratio_text(case):
    if "printed_over_ours" in case:
        ratio = case["printed_over_ours"]
        return f"{ratio:.2g}" if ratio < 100 else f"{ratio:.3g}"
    return {None: "", True: "agrees", False: "**wrong**"}[case.get("printed_value_agrees")]


def remark_text(case):
    parts = [short(case["value"])] if "ours" in case and case.get("value") else []
    if case.get("right") is False:
        parts.append("**OURS FAILED ITS CHECK**")
    return "; ".join(parts + ([case["remark"]] if case.get("remark") else []))


def machine(run):
    return "GPU" if run["on_gpu"] else "CPU"


def table_page(table, runs):
    """A table, each printed cell in a line beside what the runs found."""
    name = f"{table['paper']} {table['table']}"
    rows = [[cell.replace("|", "\\|") for cell in
             (case["name"], case.get("printed_by", ""), case.get("printed", ""), machine(run), case.get("method", ""),
              ours_text(case), ratio_text(case), case.get("quantity", ""), remark_text(case))]
            for run in runs for case in run["cases"] if case["group"] == name]
    text = f"# {table['paper']}, table {table['table']}: {table['title']}\n"
    text += "[All tables](../published.md), with machines and what the columns mean.\n"
    text += "\n" + wrapped(table["note"]) if table["note"] else ""
    heading = ["row", "printed for", "printed", "on", "method", "ours", "ratio", "quantity", "remark"]
    return text + ("\n" + markdown(heading, rows) if rows else "")


def file_name(table):
    return f"{table['paper']}-{table['table']}.md"


def published_pages(runs):
    """The first page, of a screen, and one for each table that was redone."""
    tables = runs[0]["tables"]
    redone = [table for table in tables if any(c["group"] == f"{table['paper']} {table['table']}" for c in runs[0]["cases"])]
    pages = {f"published/{file_name(table)}": table_page(table, runs) for table in redone}
    tally, missed = [], collections.Counter()
    for paper in dict.fromkeys(table["paper"] for table in tables):
        for run in runs:
            cases = [case for case in run["cases"] if case["group"].startswith(paper + " ")]
            ratios = [(c["printed_over_ours"] >= 1, c["standing"]) for c in cases if "printed_over_ours" in c]
            agrees = [c["printed_value_agrees"] for c in cases if "printed_value_agrees" in c]
            tally.append([paper, machine(run), *map(str, (
                sum(faster for faster, _ in ratios), ratios.count((False, "measured")), ratios.count((False, "predicted")),
                agrees.count(True), agrees.count(False), sum(c["standing"] == "unavailable" for c in cases)))])
            if run["on_gpu"]:
                missed.update(c["group"] for c in cases if c.get("printed_over_ours", 1) < 1)
    text = ("# Published tables\nThe tables of five documents, measured anew, each printed cell beside ours. "
            "[datasets/published](../datasets/published/README.md)\nhas them as they are printed, with citations; "
            "`bench/pages.py` writes these pages from the records of runs:\n\n")
    for run in runs:
        seconds = sum(table["seconds"] for table in run["tables"])
        command = re.sub(r" --page \S+", "", run["command"])  # which wrote these pages before this program did
        text += (f"- **{machine(run)}**: {run['ran_on']}, {run['date'][:10]}, commit {run['commit'][:7]}, {seconds:.0f} s in "
                 f"all, load when it began {run['load']:.1f}:\n  `{command}`\n")
    text += "\n" + markdown(["paper", "on", "faster than printed", "slower", "slower, predicted", "printed values that agree",
                             "that are wrong", "not to be had"], tally)
    text += "\n**The tables:**\n" + "".join(
        f"- {paper} " + ", ".join(f"[{t['table']}](published/{file_name(t)})" for t in redone if t["paper"] == paper) + "\n"
        for paper in dict.fromkeys(t["paper"] for t in redone))
    text += "\n**What misses.** Slower than printed on the GPU: " + (
        ", ".join(f"{name}, {count} cell{'s' * (count > 1)}" for name, count in missed.items()) or "nothing") + ". Not redone:\n"
    text += "".join(f"- {t['paper']} {t['table']}: {t['note'].rstrip('.')}\n" for t in tables if t not in redone)
    text += """
**How to read them.** *ratio*: the printed seconds over ours, above 1 where ours are fewer. *predicted*: what `plan`
forecasts, since it would take longer than a row may; of kernels and samples, from a part of the work. Two lines of one
cell are the published method under its name, and what matchcount takes by itself. *quantity* is of ours: papers print
whole processes or kernels, and rarely say which. Below about a second theirs is start-up. Random matrices are of the same
law as theirs and not the same matrices: no paper gives a seed. Where ours is slower, the remark has the machine beside it.
"""
    return {"published.md": text, **pages}


# ---- Pictures. Each: paper and table, what stands before x in a row's name, which lines ("!": which not), whether ours alone.

PICTURES = (
    ("codegen 3", "density ", "", False, "published-codegen-3", "Sparse random matrices", "density",
     "Seconds against density: the paper's programs and matchcount, what it would take longer for predicted."),
    ("superman 4", "n = ", "!with CEG", False, "published-superman-4", "Dense matrices", "n",
     "The printed kernels, in chunks of any size, and the fastest here."),
    ("superman 4", "n = ", "2^k", True, "placements", "Placements on one GPU", "n",
     "The same kernels here: what the place of row sums and matrix costs."),
    ("superman 3", "n = ", "", False, "published-superman-3", "Precisions", "n", "What wider sums cost."),
    ("thesis 6.6", "density ", "", False, "published-thesis-6.6", "Matrices of 40 rows", "density",
     "Ryser, SpaRyser and SkipPer as printed for a TITAN X, integers and ones."),
    ("thesis 6.14", "density ", "", False, "published-thesis-6.14", "Samples, scaled every row", "density",
     "What a million samples cost by Scaling and Scaling+."),
    ("bitmatrix 9", "n = ", "", False, "published-bitmatrix-9", "Boolean products", "rows",
     "Products of bit matrices on one GPU."),
    ("condensation 27", "order ", "", False, "published-condensation-27", "Determinants of Hilbert matrices", "order",
     "Seconds of exact values and of doubles."),
)


def short_name(text):
    return text.split("_seconds")[0].replace(", Arch-", " A")[:19]


def published_picture(runs, group, before, only, ours_alone, title, x_label):
    """Seconds by rising x, of several at one x the least: a line for each of our methods, or the printed ones and ours."""
    panels = collections.defaultdict(lambda: collections.defaultdict(dict))
    for run in runs:
        for case in run["cases"]:
            if case["group"] != group or case["unit"] != "s" or before not in case["name"]:
                continue
            x, rest = re.fullmatch(r"([0-9.]+)(.*)", case["name"].split(before, 1)[1]).groups()
            lines = panels[(case["name"].split(before)[0] + rest).strip(", ")]

            def add(name, y, x=float(x), lines=lines):
                lines[name][x] = min(y, lines[name].get(x, y))

            def wanted(name):
                return (only[1:] not in name) if only.startswith("!") else only in name

            printed, ours = number(case.get("printed", "")), case.get("ours")
            if ours_alone:
                if run["on_gpu"] and ours and wanted(case["method"]):
                    add(case["method"].split(", chunks")[0], ours)
                continue
            if printed and wanted(case.get("printed_by", "")):
                add(short_name(case["printed_by"]), printed)
            if ours:
                add(f"matchcount, {machine(run)}", ours)
    # Rows that no paper has are not compared.
    drawn = [(panel, {name: sorted(points.items()) for name, points in sorted(lines.items())})
             for panel, lines in sorted(panels.items()) if any(not name.startswith("matchcount") for name in lines)]
    return svg(title, x_label, "seconds", drawn) if drawn else None


# ---- Estimates of grids.


def last_cells(run):
    """The last cell of every grid and estimator."""
    return list({(case["size"], case["estimator"]): case for case in run["cases"]}.values())


def says(case):
    if "unable" in case:
        return case["unable"]
    return ", ".join(["warns"] * bool(case.get("warning")) + ["time over"] * case["out_of_time"])


def grids_page(run, pictures):
    rows = []
    for case in last_cells(run):
        found = "unable" not in case
        rows.append([f"{case['size']} x {case['size']}", case["estimator"], str(case.get("samples", 0)),
                     f"{case['seconds']:.3g}", f"{case['cpu_s']:.3g}", f"{case['estimate_over_exact']:.4g}" if found else "-",
                     f"[{case['low_over_exact']:.4g}, {case['high_over_exact']:.4g}]" if found else "-",
                     {True: "yes", False: "no", None: "-"}[case.get("covered")], says(case), case.get("published", "")])
    heading = ["grid", "estimator", "samples", "s", "CPU s", "estimate / exact", "95 % interval", "holds", "says", "published"]
    return f"""# Grids
Written by `bench/pages.py` from the record of
`{run['command']}`
on {run['ran_on']}, {run['date'][:10]}, commit {run['commit'][:7]}.

Perfect matchings of square grids: estimates over the exact count, which is Kasteleyn's product. `scaling/5` scales every 5
rows, with {run['rounds']} rounds. *holds*: whether the interval has the exact count within it; where the tool warns it says
that it may not. *time over*: the cell's limit of {run['cell_limit_s']:g} s came before its samples. A population is of 64
particles, which are counted as samples, and drawn on the CPU. *published*: what Dufosse, Kaya, Panagiotas and Ucar report at
a million samples.

![Error against samples]({pictures}/grids-error.svg)

![Time against size]({pictures}/grids-time.svg)

""" + markdown(heading, rows)


def grid_pictures(run):
    cells = [case for case in run["cases"] if "unable" not in case]
    names = list(dict.fromkeys(case["estimator"] for case in cells))

    def lines(cells, point):
        return {name: found for name in names if (found := [point(c) for c in cells if c["estimator"] == name])}

    sizes = list(dict.fromkeys(case["size"] for case in cells))
    count = min(6, len(sizes))
    shown = [sizes[i * (len(sizes) - 1) // max(count - 1, 1)] for i in range(count)]
    # Values below one in 10^5 are drawn there, those above 10 there.
    errors = [(f"{size} x {size}", lines([c for c in cells if c["size"] == size], lambda c: (
        c["samples"], min(max(abs(c["estimate_over_exact"] - 1), 1e-5), 10)))) for size in shown]
    times = lines([c for c in last_cells(run) if "unable" not in c and c["sample_s"] > 0],
                  lambda c: (c["size"], 1000 * c["sample_s"] / c["samples"]))
    return {"grids-error.svg": svg("Error against samples", "samples", "|estimate / exact - 1|", errors),
            "grids-time.svg": svg("Time against size", "side of the grid", "seconds for 1000 samples", [("", times)])}


# ---- How seconds grow with size.

ROOMS = (("inclusion-exclusion", "permanent/ryser"), ("the frontier method", "permanent/frontier"),
         ("pairs of vertices", "permanent/power_traces"), ("determinants", "linear"),
         ("matrices of bits", "linear/bits"), ("estimates", "approx"), ("photonics and batches", "photonics"))
YEAR = 365.25 * 86400


def time_text(seconds):
    for least, unit, name in ((YEAR, YEAR, "years"), (2 * 86400, 86400, "days"), (7200, 3600, "h"), (120, 60, "min")):
        if seconds >= least:
            return f"{float(f'{seconds / unit:.2g}'):g} {name}"
    return f"{seconds:.2g} s"


def family_rows(run):
    """A row for each family: its sizes by whether they take seconds, minutes or hours, or more."""
    for family in dict.fromkeys(case["family"] for case in run["cases"]):
        cases = [case for case in run["cases"] if case["family"] == family]
        columns = {limit: [] for limit in (60, 2 * 86400, math.inf)}
        for case in cases:
            seconds = case.get("seconds", math.inf)
            text = f"{case['size']}: {time_text(seconds) if seconds < math.inf else 'no method'}"
            if "result" in case:
                text += f" to {100 * case['result']['relative_error']:.2g} %"
            limit = next(limit for limit in columns if seconds < limit or limit == math.inf)
            columns[limit].append(text + " (predicted)" * case["predicted"])
        first = cases[0]["command"].replace("|", "\\|")
        methods = ", ".join(dict.fromkeys(case["method"] for case in cases))
        yield [family, f"`{first}`", methods, *("; ".join(cells) for cells in columns.values())]


def gpu_rows(folder):
    """Finds what single GPUs were measured to take, by the records of their runs."""
    for name, n in (("h200", 36), ("h200", 40), ("h200-dense-45", 45)):
        run = read(f"{folder}/{name}.json")
        seconds = next(case["seconds"] for case in run["cases"] if case["group"] == f"dense-{n}")
        yield [f"dense reals, {n} x {n}", time_text(seconds), f"{name}.json, {run['date'][:10]}"]
    for run in read(f"{folder}/power-traces.json")["runs"]:
        if run["machine"].get("gpu") and run["graph"] in ("random 48", "random 56", "random 64"):
            yield [f"{run['graph'].replace('random', 'random graph of')} vertices, half of all edges",
                   time_text(run["seconds"]), f"power-traces.json, commit {run['commit']}"]
    records = read(f"{folder}/records.json")
    for term in records["terms"]:
        machine_of = records["machines"][term["ways"][0][3]]
        if term["of"] in ("A049507", "box-6-7") and machine_of["machine"] == "one H200" and term["n"] <= 10:
            sides = "6 x 6" if term["of"] == "A049507" else "6 x 7"
            yield [f"box of {sides} x {term['n']}", time_text(term["ways"][0][1]), f"records.json, commit {machine_of['commit']}"]
    for run in read(f"{folder}/estimates.json"):
        if "H200" in run["machine"]:
            low, high = run["log10_interval_95"]
            yield [f"`{run['command'].split(' | ')[0].removeprefix('matchcount ')}`, estimated to a factor of "
                   f"{10 ** ((high - low) / 2):.3g} either way", "60 s", f"estimates.json, commit {run['commit']}"]


def performance_page(run, results, folder):
    there = [(words, room) for words, room in ROOMS if os.path.exists(f"{folder}/../../{room}/performance.md")]
    return f"""# Performance
Written by `bench/pages.py` from the record of `{run['command']}` on {run['ran_on']}, {run['date'][:10]}, commit
{run['commit'][:7]}. The load was {run['load']:.0f} when it ended: others used the cores too, so measured seconds are those of the
processor, and all of them are more than a quiet machine takes.

*predicted*: `matchcount plan` says so, and nothing was counted. It says the same of your file, on your machine, before you
count. What is wide, not large, is dear: a row more doubles the time of a dense matrix, while planar graphs take a power of
their size. The commands are those of the first size; the others stand in place of it.

""" + markdown(["family", "command", "method", "seconds", "minutes, hours", "days, years"], list(family_rows(run))) + f"""
Estimates end where the 95 % interval reaches 5 % either way, or after a minute; the cells have what was reached. Public
matrices, and what programs of papers take for them, are in the [published tables](published.md), grids by every estimator
in [grids](grids.md).

## One H200
Whole counts, with the start of the device; the records are in [bench/results]({results}).

""" + markdown(["what", "time", "record"], list(gpu_rows(folder))) + "\n## In detail\n" + wrapped(
        "Pages beside the code say what was measured there, when and on what: " +
        ", ".join(f"[{words}](../{room}/performance.md)" for words, room in there) + ".")


def gallery_page(pictures, drawn):
    text = """# Gallery
Pictures of what matchcount takes, which `bench/pages.py` draws from the records of its benchmarks as SVG.
[Published tables](published.md) has the numbers and the machines, [datasets/published](../datasets/published/README.md) the
citations.
"""
    if "grids-error.svg" in drawn:
        text += (f"\n## Estimates of grids\n[Grids](grids.md) has the numbers.\n\n![Error against samples]({pictures}/"
                 f"grids-error.svg)\n\n![Time against size]({pictures}/grids-time.svg)\n")
    for group, _, _, _, name, title, _, words in PICTURES:
        if f"{name}.svg" in drawn:
            paper, table = group.split(" ")
            text += (f"\n## {title}\n{words}\n`matchcount-bench published --paper {paper} --table {table}`\n\n"
                     f"![{title}]({pictures}/{name}.svg)\n")
    return text


def read(name):
    """A record, without the members that are null."""
    with open(name) as file:
        return json.load(file, object_hook=lambda members: {key: value for key, value in members.items() if value is not None})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    results = os.path.join(os.path.dirname(os.path.abspath(__file__)), "results")
    parser.add_argument("--published", nargs="*", default=[os.path.join(results, f"published-{m}.json") for m in ("cpu", "h200")])
    parser.add_argument("--grids", default=os.path.join(results, "grids.json"), help="empty: none")
    parser.add_argument("--families", default=os.path.join(results, "families.json"), help="empty: none")
    parser.add_argument("--docs", default=os.path.join(results, "../../docs"))
    parser.add_argument("--pictures", default=results)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    to_pictures = os.path.relpath(options.pictures, options.docs)
    drawn, pages = {}, {}
    if options.grids:
        run = read(options.grids)
        drawn.update(grid_pictures(run))
        pages["grids.md"] = grids_page(run, to_pictures)
    if options.families:
        pages["performance.md"] = performance_page(read(options.families), to_pictures, results)
    runs = [read(name) for name in options.published]
    if runs:
        pages.update(published_pages(runs))
    for group, before, only, ours_alone, name, title, x_label, _ in PICTURES:
        if picture := published_picture(runs, group, before, only, ours_alone, title, x_label):
            drawn[f"{name}.svg"] = picture
    pages["gallery.md"] = gallery_page(to_pictures, drawn)
    files = {os.path.join(options.docs, name): text for name, text in pages.items()}
    files.update({os.path.join(options.pictures, name): text for name, text in drawn.items()})
    for name, text in files.items():
        if options.check:
            with open(name) as file:
                if file.read() != text:
                    sys.exit(f"{os.path.relpath(name)} is not what the records say: bench/pages.py writes it anew")
        else:
            os.makedirs(os.path.dirname(name) or ".", exist_ok=True)
            with open(name, "w") as file:
                file.write(text)


if __name__ == "__main__":
    main()
