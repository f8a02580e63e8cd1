"""Validates what `matchcount --json` prints, answers and failures, against docs/schema.json.

usage: schema_test.py MATCHCOUNT SCHEMA DATASETS; exit status 77 where the library that validates is missing.
"""

import json
import subprocess
import sys

try:
    import jsonschema
except ImportError:
    sys.exit(77)

program, schema_file, datasets = sys.argv[1:]
with open(schema_file) as file:
    validator = jsonschema.Draft202012Validator(json.load(file))

hexagon = "1 2\n2 3\n3 4\n4 5\n5 6\n6 1\n"
triangles = "1 2\n2 3\n3 1\n1 4\n4 5\n5 6\n6 4\n"
complete = "\n".join(f"{i} {j}" for i in range(1, 7) for j in range(1, i))
large_complete = "\n".join(f"{i} {j}" for i in range(1, 31) for j in range(1, i))
reals = "# format: edgelist\n1 1 0.5\n1 2 0.25\n2 1 3\n2 2 -0.125\n"
complex_matrix = "%%MatrixMarket matrix array complex general\n2 2\n1 2\n0.5 1\n3 -1\n0 4\n"
none = "a x\nb x\n"
cells = "\n".join(f"r{i} c{j}" for i in range(16) for j in range(16) if (3 * i + 5 * j) % 7 < 5)
apart = "# format: edgelist\n" + "\n".join(f"{i} {j} {'1e-300' if (i + j) % 2 else '1e300'}" for i in range(1, 15) for j in range(1, 15))

# Command line, standard input, exit status, number of lines.
runs = [
    ("count -", "a x\na y\nb x\nb y\n", 0, 1),
    ("count - --kind undirected", hexagon, 0, 1),
    ("count - --kind undirected", triangles, 0, 1),
    ("count - --explain", cells, 0, 1),
    ("count - --explain", none, 0, 1),
    ("count - --explain --matchings all", cells, 0, 1),
    ("permanent - --explain --precision exact", reals, 0, 1),
    ("count - --kind undirected", triangles + "7 8\n8 9\n9 7\n", 0, 1),
    ("count - --kind undirected --sextets", hexagon, 0, 1),
    ("count - --sextets", none, 0, 1),
    ("count -", none, 0, 1),
    ("count -", "a x 2.5\na y 1\nb x 1\nb y 1\n", 0, 1),
    ("count - --verify", cells, 0, 1),
    ("count - --matchings maximum", none, 0, 1),
    ("count - --matchings saturating", none, 0, 1),
    ("count - --matchings by-size", cells, 0, 1),
    ("count - --matchings all --activity 1/3", cells, 0, 1),
    ("count - --matchings all --kind undirected", triangles, 0, 1),
    ("count - --matchings maximal --kind undirected", triangles, 0, 1),
    ("count - --by 3 --matchings all", "a x h\na y v\nb x v\n", 0, 1),
    ("count - --by 3", none.replace("x", "x h"), 0, 1),
    ("count - --by weight", "a x -2\n", 0, 1),
    ("cycles - --by loops", "a b\nb a\na a\nb b\n", 0, 1),
    ("permanent - --matchings by-size", reals, 0, 1),
    ("estimate - --matchings by-size --samples 2", cells, 0, 1),
    ("permanent - --matchings by-size", complex_matrix, 0, 1),
    ("permanent - --matchings saturating", "# format: edgelist\n1 1 1/2\n1 2 1/3\n", 0, 1),
    ("hafnian - --loops", "1 2 0.1\n1 1 3\n", 0, 1),
    ("plan - --matchings by-size", cells, 0, 1),
    ("plan - --matchings saturating", none, 0, 1),
    ("count - --matchings saturating --kind undirected", triangles, 2, 1),
    ("count - --matchings most", cells, 2, 1),
    ("cycles -", "a b\nb a\na a\nb b\n", 0, 1),
    ("permanent -", reals, 0, 1),
    ("permanent - --precision double --digits 3", reals, 0, 1),
    ("permanent -", complex_matrix, 0, 1),
    ("permanent -", "# format: edgelist\n1 1 1/2\n", 0, 1),
    ("hafnian - --digits 5", "1 2 0.1\n2 3 0.3\n3 4 0.7\n4 1 0.9\n1 3 2.5\n", 0, 1),
    ("determinant - --format edgelist", "1 1 1/2\n1 2 1/3\n2 1 1/3\n2 2 1/4\n", 0, 1),
    ("determinant -", "# format: edgelist\n1 1 2\n2 2 3\n", 0, 1),
    ("determinant -", reals, 0, 1),
    ("determinant - --format edgelist", "1 1 0.1\n1 2 0.1\n2 1 0.1\n2 2 0.1\n", 0, 1),
    ("determinant -", complex_matrix, 0, 1),
    ("torontonian - --format dense", "0.5 0.1\n0.1 0.5\n", 0, 1),
    ("torontonian - --format dense", "1 0.1\n0.1 0.5\n", 2, 1),
    ("parity -", cells, 0, 1),
    ("parity - --kind undirected", triangles, 0, 1),
    ("parity -", reals, 2, 1),
    ("estimate - --samples 200", cells, 0, 1),
    ("estimate -", "a x\n", 0, 1),
    ("estimate -", none, 0, 1),
    ("estimate - --kind undirected", triangles + "7 8\n8 9\n9 7\n", 0, 1),
    ("estimate - --kind undirected --samples 50", large_complete, 0, 1),
    ("estimate - --kind undirected --method scaling", large_complete, 3, 1),
    ("estimate - --kind matrix --samples 100", apart, 0, 1),
    ("estimate - --method population --population 50 --samples 5", cells, 0, 1),
    ("decompose -", cells, 0, 1),
    ("decompose - --kuratowski", cells, 0, 1),
    ("decompose -", none, 0, 1),
    ("decompose - --kind undirected --kuratowski", triangles, 0, 1),
    ("decompose - --kind undirected", triangles + "7 8\n8 9\n9 7\n", 0, 1),
    ("decompose - --kind undirected --kuratowski", complete, 0, 1),
    ("reach -", "a b\nb c\nc b\n", 0, 1),
    ("reach -", "a b 2\n", 0, 1),
    ("reach - --from b", "a b\nb c\nc b\n", 0, 1),
    ("reach - --kind undirected", triangles, 0, 1),
    ("reach - --from nobody", "a b\n", 2, 1),
    ("count - --matchings minimum-weight", cells, 0, 1),
    ("count - --matchings maximum-weight --kind undirected", triangles, 0, 1),
    ("count - --matchings minimum-weight", "a x 1/3\na y 2.5\nb x 1\nb y 1\n", 0, 1),
    ("count - --matchings minimum-weight", none, 0, 1),
    ("marginals -", cells, 0, 1),
    ("marginals - --exact", cells, 0, 1),
    ("marginals - --method planar --kind undirected", hexagon, 0, 1),
    ("marginals - --method ryser", cells, 0, 1),
    ("marginals - --exact", none, 0, 1),
    ("estimate - --matchings all --activity 1/2", cells, 0, 1),
    ("marginals - --exact --matchings all --activity 1/2", cells, 0, 1),
    ("marginals - --matchings maximum --kind undirected", triangles, 0, 1),
    ("marginals - --exact --matchings minimum-weight", cells, 0, 1),
    ("marginals - --exact --weighted --kind undirected", triangles, 0, 1),
    ("marginals - --exact --kind undirected", triangles + "7 8\n8 9\n9 7\n", 0, 1),
    ("marginals -", "a x 2.5\na y 1\nb x 1\nb y 1\n", 0, 1),
    ("marginals - --exact --kind matrix", reals, 0, 1),
    ("marginals - --exact --kind matrix", complex_matrix, 0, 1),
    ("marginals - --kind matrix", reals, 2, 1),
    ("marginals -", none, 3, 1),
    ("marginals - --estimate --samples 100", cells, 0, 1),
    ("marginals - --estimate --samples 100 --kind undirected", large_complete, 0, 1),
    ("marginals - --estimate", none, 3, 1),
    ("sample - --samples 3", cells, 0, 3),
    ("sample - --samples 3 --approximate --population 20 --kind undirected", large_complete, 0, 3),
    ("sample - --approximate", cells, 0, 1),
    ("sample -", none, 3, 1),
    ("list - --first 4 --kind undirected", hexagon, 0, 2),
    ("list - --matchings saturating", none, 0, 2),
    ("list -", none, 0, 1),
    ("list - --kind undirected", "1 2\n2 3\n3 1\n", 0, 1),
    ("list - --kind undirected --format graph6", "C~\nDqK\nA_\n", 0, 5),
    ("sample - --kind undirected --format graph6", "C~\nDqK\nA_\n", 3, 3),
    ("plan -", cells, 0, 1),
    ("plan - --device h200 --kind matrix", reals.replace("-", ""), 0, 1),
    ("plan - --kind undirected", triangles, 0, 1),
    ("plan -", none, 0, 1),
    ("plan - --of marginals", none, 0, 1),
    ("marginals - --weighted --exact", "a x 1/3\na y 1/2\nb x 1\nb y 1\n", 0, 1),
    ("plan - --of marginals --exact --weighted", "a x 2\na y 1\nb x 1\nb y 3\n", 0, 1),
    ("plan - --of sample --kind undirected --time-limit 1e-9", triangles, 0, 1),
    ("devices", "", 0, 1),
    # Failures.
    ("count", "", 2, 1),
    ("conut -", "", 2, 1),
    ("count - --colour", "", 2, 1),
    ("count - --method magic", "", 2, 1),
    ("count -", "a b\nc\x01d\n", 2, 1),
    ("count nothing-of-this-name", "", 2, 1),
    ("count - --method sparyser --no-prune", cells, 0, 1),
    ("count - --device cuda:1000", cells, 3, 1),
    ("permanent - --format edgelist --method ryser --time-limit 0.5", "\n".join(f"{i} {j} 1" for i in range(1, 41) for j in range(1, 41)
                                                              if (i + 2 * j) % 5), 3, 1),
    # Several inputs.
    (f"count - {datasets}/grid-8x8.txt nothing-of-this-name {datasets}/southern-women.csv", "a x\n", 2, 4),
]

# Commands of wings that were not built.
absent = tuple(command for command in ("torontonian",) if subprocess.run([program, command, "--help"], capture_output=True).returncode)
runs = [run for run in runs if not run[0].startswith(absent)]

failed = 0
for line, text, status, count in runs:
    outcome = subprocess.run([program, *line.split(), "--json"], input=text, capture_output=True, text=True)
    complaints = []
    if outcome.returncode != status:
        complaints.append(f"exit status {outcome.returncode}, not {status}: {outcome.stderr.strip()}")
    lines = outcome.stdout.splitlines()
    if len(lines) != count:
        complaints.append(f"{len(lines)} lines, not {count}")
    for printed in lines:
        answer = json.loads(printed)
        errors = list(validator.iter_errors(answer))
        if errors:
            best = jsonschema.exceptions.best_match(errors)
            complaints.append(f"{best.message[:300]} at {list(best.absolute_path)}")
        # The schema is of use only if it refuses what it does not name.
        if validator.is_valid({**answer, "unheard-of": 1}):
            complaints.append("the schema takes anything")
        if "error" in answer and len(lines) == 1 and answer["error"]["status"] != outcome.returncode:
            complaints.append("the error's status is not the exit status")
    for complaint in complaints:
        print(f"{line}: {complaint}")
    failed += bool(complaints)
print(f"{len(runs)} runs, {failed} failed")
sys.exit(1 if failed else 0)
