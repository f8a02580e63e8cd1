"""Times matchcount beside The Walrus, piquasso, Graphillion and networkx, in one run, and writes what it finds as JSON.

    python bindings/python/benchmarks/compare.py > bindings/python/benchmarks/results/HOST.json
    OMP_NUM_THREADS=1 python bindings/python/benchmarks/compare.py networkx graphillion > ...    # these alone

A package that is not installed is left out. Each time is the least of several, after a first call that compiles where
the other package does that, or the only one where one takes longer than all were to take; CPU is that of all threads;
answers are compared to the digits that both have. Graphillion's threads wait for each other, a hundred times as long
where cores are shared.
"""

import json
import os
import platform
import resource
import subprocess
import sys
import time

import numpy as np

import matchcount as mc


def least(call, seconds=0.5, most=20, compiles=True):
    """The least time of a call, the least of all threads' CPU, and what it returned."""
    answer = call() if compiles else None
    best, best_cpu, begin = float("inf"), float("inf"), time.perf_counter()
    for _ in range(most):
        start_cpu, start = time.process_time(), time.perf_counter()  # to ask for the first takes half a microsecond
        answer = call()
        best, best_cpu = min(best, time.perf_counter() - start), min(best_cpu, time.process_time() - start_cpu)
        if time.perf_counter() - begin > seconds:
            break
    return best, best_cpu, answer


def compared(name, ours, theirs, tolerance, compiles=True):
    ours_s, ours_cpu, our_answer = least(ours)
    theirs_s, theirs_cpu, their_answer = least(theirs, compiles=compiles)
    a, b = np.array(our_answer, dtype=complex), np.array(their_answer, dtype=complex)
    difference = float(np.max(np.abs(a - b) / np.maximum(np.abs(b), 1e-300)))
    assert tolerance is None or difference <= tolerance, (name, our_answer, their_answer)
    row = {"case": name, "matchcount_s": ours_s, "other_s": theirs_s, "times_faster": theirs_s / ours_s,
           "matchcount_cpu_s": ours_cpu, "other_cpu_s": theirs_cpu,
           "relative_difference": difference}
    print(f"{name}: {ours_s:.3g} s, {theirs_s:.3g} s, {theirs_s / ours_s:.3g} times faster", file=sys.stderr)
    return row


def walrus(rng):
    import thewalrus

    for n in (8, 12, 16, 20):
        matrix = rng.normal(size=(n, n))
        yield compared(f"permanent {n} x {n}, The Walrus", lambda: mc.permanent(matrix), lambda: thewalrus.perm(matrix), 1e-6)
        matrix = matrix + 1j * rng.normal(size=(n, n))
        yield compared(f"complex permanent {n} x {n}, The Walrus", lambda: mc.permanent(matrix),
                       lambda: thewalrus.perm(matrix), 1e-6)
    stack = rng.normal(size=(1000, 12, 12))
    yield compared("1000 permanents 12 x 12, The Walrus", lambda: mc.permanent(stack),
                   lambda: [thewalrus.perm(one) for one in stack], 1e-4)
    for n in (20, 22, 24, 26, 28, 30):
        matrix = rng.normal(size=(n, n))
        matrix = matrix + matrix.T
        yield compared(f"hafnian {n}, The Walrus", lambda: mc.hafnian(matrix), lambda: thewalrus.hafnian(matrix), 1e-4)
    for modes, photons in ((4, 4), (5, 4), (6, 4)):
        matrix = rng.normal(size=(modes, modes)) + 1j * rng.normal(size=(modes, modes))
        matrix = matrix + matrix.T
        indices = np.repeat(np.arange(modes), photons)
        for loop in (False, True):
            yield compared(f"{'loop ' * loop}hafnian of {modes * photons} photons in {modes} modes, The Walrus",
                           lambda: mc.hafnian(matrix, loop, rows=indices),
                           lambda: thewalrus.hafnian_repeated(matrix, [photons] * modes, loop=loop), 1e-6)


def piquasso(rng):
    from piquasso._math.permanent import permanent

    # Sums over binomials with signs may keep no digit of 40 photons; ours is within its bound, of 10^-9.
    for modes, photons in ((16, 1), (5, 4), (10, 2), (5, 8), (8, 5)):
        unitary = np.linalg.qr(rng.normal(size=(modes, modes)) + 1j * rng.normal(size=(modes, modes)))[0]
        times = np.full(modes, photons, dtype=np.int32)
        indices = np.repeat(np.arange(modes), photons)
        yield compared(f"permanent of {modes * photons} photons, {photons} in each of {modes} modes, piquasso",
                       lambda: mc.permanent(unitary, rows=indices, cols=indices),
                       lambda: permanent(unitary, times, times), 1e-3 if modes * photons <= 20 else None)


def torontonians(rng):
    import thewalrus
    from piquasso._math.torontonian import loop_torontonian, torontonian

    # Piquasso's rows of a mode stand side by side. Its doubles, and The Walrus's, keep no digit of the last of these.
    for n in range(4, 25):
        square = rng.normal(size=(2 * n, 2 * n))
        matrix = square @ square.T
        matrix = 0.6 * (matrix + matrix.T) / (2 * np.linalg.norm(matrix, 2))
        order = np.arange(2 * n).reshape(2, n).T.ravel()
        aside, loop = np.ascontiguousarray(matrix[np.ix_(order, order)]), 0.1 * rng.normal(size=2 * n)
        tolerance = 1e-6 if n <= 12 else None
        yield compared(f"torontonian of {n} modes, piquasso", lambda: mc.torontonian(matrix), lambda: torontonian(aside),
                       tolerance)
        if n <= 10:
            stack, count = np.array([matrix] * 500), 500
            yield compared(f"{count} torontonians of {n} modes, piquasso one by one", lambda: mc.torontonian(stack),
                           lambda: [torontonian(aside) for _ in stack], tolerance)
        yield compared(f"torontonian of {n} modes in doubles, piquasso", lambda: mc.torontonian(matrix, precision="double"),
                       lambda: torontonian(aside), None)
        yield compared(f"loop torontonian of {n} modes, piquasso", lambda: mc.torontonian(matrix, loop),
                       lambda: loop_torontonian(aside, loop[order]), tolerance)
        if n <= 14:
            yield compared(f"torontonian of {n} modes, The Walrus", lambda: mc.torontonian(matrix),
                           lambda: thewalrus.tor(matrix), tolerance)
            yield compared(f"loop torontonian of {n} modes, The Walrus", lambda: mc.torontonian(matrix, loop),
                           lambda: thewalrus.ltor(matrix, loop), tolerance)


def photonics(rng):
    """Asks for hafnians, many patterns, all amplitudes and probabilities, and compares bounds with the truth."""
    import thewalrus
    from piquasso._math.permanent import permanent

    def symmetric(n):
        matrix = rng.normal(size=(n, n)) + 1j * rng.normal(size=(n, n))
        return matrix + matrix.T

    def unitary(n):
        return np.linalg.qr(rng.normal(size=(n, n)) + 1j * rng.normal(size=(n, n)))[0]

    for loop, small in ((False, symmetric(6)), (True, symmetric(6))):
        thewalrus.hafnian(small, loop=loop)  # which compiles
        matrix = symmetric(30)
        yield compared(f"complex {'loop ' * loop}hafnian 30, The Walrus", lambda: mc.hafnian(matrix, loop),
                       lambda: thewalrus.hafnian(matrix, loop=loop), 1e-4, compiles=False)
    matrix, loops = symmetric(20), rng.normal(size=(1000, 20)) + 1j * rng.normal(size=(1000, 20))

    def one_by_one():
        values = []
        for diagonal in loops:
            np.fill_diagonal(matrix, diagonal)
            values.append(mc.hafnian(matrix, True))
        return values

    yield compared("1000 loop vectors of a complex 20 x 20, matchcount one by one", lambda: mc.loop_hafnians(matrix, loops),
                   one_by_one, 1e-6)
    matrix, ones = unitary(20), np.ones(8, int)
    rows, cols = rng.integers(0, 20, (2, 10000, 8))
    yield compared("10,000 patterns of 8 photons in 20 modes, The Walrus", lambda: mc.permanents(matrix, rows=rows, cols=cols),
                   lambda: [thewalrus.perm(matrix[np.ix_(r, c)]) for r, c in zip(rows, cols)], 1e-6)
    yield compared("10,000 patterns of 8 photons in 20 modes, piquasso", lambda: mc.permanents(matrix, rows=rows, cols=cols),
                   lambda: [permanent(matrix[np.ix_(r, c)], ones, ones) for r, c in zip(rows, cols)], 1e-6)
    matrix = unitary(10)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    seconds, cpu, total = least(lambda: sum(float((abs(v) ** 2).sum()) for _, v in mc.amplitudes(matrix, rows=range(10))))
    kilobytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    yield {"case": "all 92,378 amplitudes of 10 photons in 10 modes", "matchcount_s": seconds, "matchcount_cpu_s": cpu,
           "more_memory_kb": kilobytes,
           "probabilities_less_one": total - 1}
    yield {"case": "probabilities of 1000 states, photons and clicks, The Walrus", "largest_difference": probabilities(rng)}
    yield {"case": "torontonians of 1000 matrices, mpmath's 60 digits", "largest_share_of_the_bound": bounds(rng)}


def gradients(rng):
    """Times values, by default and in doubles, and values with all derivatives."""
    for kind, sizes in (("permanent", (20,)), ("hafnian", (20, 30)), ("loop hafnian", (20, 30)), ("torontonian", (15, 20))):
        for n in sizes:
            for is_complex in (False, True):
                size = 2 * n if kind == "torontonian" else n
                matrix = rng.normal(size=(size, size)) + (1j * rng.normal(size=(size, size)) if is_complex else 0)
                if kind == "torontonian":
                    matrix = matrix @ matrix.conj().T
                    matrix = 0.6 * (matrix + matrix.conj().T) / (2 * np.linalg.norm(matrix, 2))
                elif kind != "permanent":
                    matrix = matrix + matrix.T
                name, gradient = kind.split()[-1], getattr(mc.gradients, kind.replace(" ", "_"))
                options = {"loop": True} if kind == "loop hafnian" else {}
                row = {"case": f"{'complex ' * is_complex}{kind} of {n}, with all derivatives"}
                calls = {"value": lambda: getattr(mc, name)(matrix, **options),
                         "value_in_doubles": lambda: getattr(mc, name)(matrix, precision="double", **options),
                         "derivatives": lambda: gradient(matrix)}
                if "hafnian" in kind:
                    calls["derivatives_in_doubles"] = lambda: gradient(matrix, precision="double")
                for what, call in calls.items():
                    seconds, cpu, _ = least(call)
                    row |= {f"{what}_s": seconds, f"{what}_cpu_s": cpu}
                print(row, file=sys.stderr)
                yield row


def probabilities(rng):
    from thewalrus import threshold_detection_prob
    from thewalrus.quantum import density_matrix_element

    worst = 0.0
    for number in range(1000):
        n = 1 + number % 4
        unitary = np.linalg.qr(rng.normal(size=(n, n)) + 1j * rng.normal(size=(n, n)))[0]
        turn = np.block([[unitary.real, -unitary.imag], [unitary.imag, unitary.real]])
        squeezing, noise = np.exp(rng.normal(size=n) * 0.5), 1 + rng.random(n) * 0.3
        cov = turn @ np.diag(np.concatenate([noise * squeezing, noise / squeezing])) @ turn.T
        cov, means = (cov + cov.T) / 2, rng.normal(size=2 * n) * (number % 2)
        counts, clicks = rng.integers(0, 3, n).tolist(), rng.integers(0, 2, n).tolist()
        worst = max(worst, abs(mc.gbs.probability(cov, means, counts) -
                               density_matrix_element(means, cov, counts, counts).real),
                    abs(mc.gbs.probability(cov, means, clicks, threshold=True) -
                        threshold_detection_prob(means, cov, clicks)))
    assert worst < 1e-10, worst
    return worst


def bounds(rng):
    """Returns the largest |value - truth| / error."""
    import itertools

    import mpmath

    mpmath.mp.dps = 60
    worst = 0.0
    for number in range(1000):
        n = 1 + number % 4
        square = rng.normal(size=(2 * n, 2 * n))
        matrix = square @ square.T
        matrix = rng.choice([0.3, 0.9, 0.999]) * (matrix + matrix.T) / (2 * np.linalg.norm(matrix, 2))
        exact, truth = mpmath.eye(2 * n) - mpmath.matrix(matrix.tolist()), mpmath.mpf((-1) ** n)
        for size in range(1, n + 1):
            for modes in itertools.combinations(range(n), size):
                rows = [*modes, *(mode + n for mode in modes)]
                part = mpmath.matrix([[exact[i, j] for j in rows] for i in rows])
                truth += (-1) ** (n - size) / mpmath.sqrt(mpmath.det(part))
        found = mc.torontonian(matrix)
        worst = max(worst, float(abs(mpmath.mpf(float(found)) - truth) / found.error))
    assert worst <= 1, worst
    return worst


def grids_and_cubic(sides, sizes):
    import networkx

    for height, width in sides:
        yield f"grid {height} x {width}", networkx.grid_2d_graph(height, width)
    for size in sizes:
        yield f"random cubic, {size} vertices", networkx.random_regular_graph(3, size, seed=1)


def networkx(rng):
    import networkx  # noqa: F401  which says whether it is there

    def by_listing(graph):
        """Counts as networkx can: it lists no perfect matchings, so they are gone through edge by edge."""
        if not graph:
            return 1
        u = next(iter(graph))
        total = 0
        for v in list(graph[u]):
            rest = graph.copy()
            rest.remove_nodes_from((u, v))
            total += by_listing(rest)
        return total

    for name, graph in grids_and_cubic(((4, 4), (4, 5), (4, 6), (6, 6)), range(18, 31, 2)):
        yield compared(f"perfect matchings of a {name}, by networkx's graphs",
                       lambda: mc.count_perfect_matchings(graph), lambda: by_listing(graph), 0, compiles=False)


def graphillion(rng):
    import networkx
    from graphillion import GraphSet

    def by_graphillion(graph, traversal):
        """Counts in a universe of its own: the order of its edges makes most of the time, and depends on chance."""
        GraphSet.set_universe(list(graph.edges), traversal)
        return len(GraphSet.graphs(vertex_groups=None, degree_constraints={v: 1 for v in graph}))

    # A random cubic graph of 100 vertices takes it more than 8 GB.
    for name, graph in grids_and_cubic(((8, 8), (8, 10), (10, 10), (10, 12), (12, 12)), (30, 40, 60, 80)):
        graph = networkx.convert_node_labels_to_integers(graph, 1)
        for traversal, order in (("greedy", "its default order"), ("bfs", "a breadth-first order")):
            yield compared(f"perfect matchings of a {name}, Graphillion in {order}",
                           lambda: mc.count_perfect_matchings(graph), lambda: by_graphillion(graph, traversal), 1e-12,
                           compiles=False)


def main():
    rows, missing = [], []
    for package in (walrus, piquasso, photonics, gradients, torontonians, networkx, graphillion):
        if sys.argv[1:] and package.__name__ not in sys.argv[1:]:
            continue
        try:
            rows += ({name: float(f"{entry:.4g}") if isinstance(entry, float) else entry for name, entry in row.items()}
                     for row in package(np.random.default_rng(1)))
        except ImportError as error:
            missing.append(f"{package.__name__}: {error}")
    with open("/proc/cpuinfo") as file:
        cpu = next((line.split(":")[1].strip() for line in file if line.startswith("model name")), platform.processor())
    commit = subprocess.run(["git", "-C", os.path.dirname(os.path.abspath(__file__)), "rev-parse", "--short", "HEAD"],
                            capture_output=True, text=True)
    head = json.dumps({"machine": cpu, "OMP_NUM_THREADS": os.environ.get("OMP_NUM_THREADS"),
                       "python": platform.python_version(), "version": mc.__version__, "commit": commit.stdout.strip(),
                       "command": " ".join(["compare.py", *sys.argv[1:]]), "seed": 1, "left_out": missing})
    print(head[:-1] + ', "rows": [\n' + ",\n".join(map(json.dumps, rows)) + "\n]}")


main()
