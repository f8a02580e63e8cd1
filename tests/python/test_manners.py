"""Ctrl-C, threads, memory and imports: what a guest in somebody's interpreter does and does not."""

import os
import signal
import subprocess
import sys
import threading

import numpy as np
import pytest

import matchcount as mc


def symmetric(n, count):
    stack = np.random.default_rng(1).normal(size=(count, n, n))
    return stack + stack.transpose(0, 2, 1)


def large():
    return mc.generate("random", 60, 60, 0.5, seed=2)


# Each takes many seconds, most of them years, and little memory, on a machine of many cores and GPUs too.
ENDLESS = {
    "a permanent": lambda: mc.permanent(large(), method="ryser"),
    "a batch of permanents": lambda: mc.permanent(symmetric(44, 100), method="ryser"),
    "a batch of hafnians": lambda: mc.hafnian(symmetric(32, 4000), device="cpu", threads=1),
    "repeated rows and columns": lambda: mc.permanent(symmetric(14, 1)[0], rows=[*range(14)] * 4, cols=[*range(14)] * 4,
                                                      device="cpu", threads=1),
    "a hafnian": lambda: mc.hafnian(symmetric(34, 1)[0], effort=10**5),
    "a loop hafnian": lambda: mc.hafnian(symmetric(34, 1)[0], loop=True, effort=10**5),
    "matchings by size": lambda: mc.matchings_by_size(mc.generate("grid", 16, 16), effort=10**5),
    "marginals": lambda: mc.marginals(large(), method="ryser"),
    "estimated marginals": lambda: mc.marginals(large(), estimate=True, samples=10**12),
    "samples": lambda: mc.sample_matchings(large(), method="ryser"),
    "an estimate": lambda: mc.estimate(large(), samples=10**13),
    "a plan": lambda: mc.plan(large(), effort=10**5),
    "a list": lambda: [None for _ in mc.list_matchings(large()) if _ is None],
    "the heaviest matchings": lambda: mc.count_optimal_matchings(mc.generate("king", 12, 12), "heaviest", effort=10**5),
}


@pytest.fixture(autouse=True)
def heeded_signals():
    """Shells start what runs in the background with Ctrl-C ignored, and then Python leaves it so."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize("work", ENDLESS)
def test_ctrl_c_ends_what_takes_long(work):
    timer = threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        ENDLESS[work]()
    timer.join()


def test_many_threads_ask_at_once_and_share_what_they_ask():
    graph = mc.generate("grid", 6, 6)
    matrix, integers = symmetric(8, 1)[0], np.arange(36).reshape(6, 6) % 5
    listing = mc.list_matchings(mc.generate("grid", 4, 4))
    questions = [
        lambda: mc.permanent(matrix), lambda: mc.permanent(integers), lambda: mc.hafnian(matrix),
        lambda: mc.count_perfect_matchings(graph), lambda: dict(mc.marginals(graph)), lambda: mc.matchings_by_size(graph),
        lambda: mc.sample_matchings(graph, 3, seed=5), lambda: mc.decompose(graph), lambda: mc.determinant(integers),
        lambda: mc.estimate(graph, samples=200, seed=2).value, lambda: mc.count_perfect_matchings([("a", 1), ("b", 2)]),
        lambda: next(mc.list_matchings(graph)), lambda: mc.permanent(matrix, progress=lambda *_: None),
    ]
    truth = [ask() for ask in questions]
    wrong, listed, start = [], [], threading.Barrier(16)

    def work(number):
        try:
            start.wait()
            for turn in range(20):
                place = (number + turn) % len(questions)
                if questions[place]() != truth[place]:
                    wrong.append(place)
            for matching in listing:
                listed.append(tuple(matching))
        except BaseException as error:
            wrong.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    assert len(listed) == len(set(listed)) == 36


def test_a_forked_process_counts_on():
    code = """
import os, numpy as np, matchcount as mc
stack = np.random.default_rng(1).normal(size=(400, 14, 14))
graph = mc.generate("grid", 8, 8)
truth = [mc.permanent(stack, threads=4), mc.count_perfect_matchings(graph)]
child = os.fork()
right = truth == [mc.permanent(stack, threads=4), mc.count_perfect_matchings(graph)]
if child == 0:
    os._exit(0 if right else 1)
print(right, os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    assert run(code) == "True 0\n"


def run(code):
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_importing_loads_no_other_package_and_nothing_large_and_prints_nothing():
    code = """
import sys
before = set(sys.modules)
import matchcount
new = {name.partition(".")[0] for name in set(sys.modules) - before}
print(sorted(new - sys.stdlib_module_names - {"matchcount", "nanobind"}))
print(sorted({"asyncio", "ctypes", "email", "fractions", "inspect", "json", "re", "subprocess", "typing"} & new))
"""
    assert run(code).splitlines() == ["[]", "[]"]


def test_calls_leave_no_object_and_no_memory_behind():
    code = """
import gc, sys
sys.path.insert(0, %r)
import calls
calls.rounds(300)
gc.collect()
objects, resident = len(gc.get_objects()), calls.resident_kilobytes()
calls.rounds(3000)
gc.collect()
print(len(gc.get_objects()) - objects, calls.resident_kilobytes() - resident)
"""
    objects, kilobytes = map(int, run(code % os.path.dirname(__file__)).split())
    # One leaked number a call would be 3000 objects, and 100 bytes a call 300 kilobytes; pools of threads come and go.
    assert objects < 300 and kilobytes < 4096


def test_progress_of_a_count_is_a_bar_on_stderr_alone():
    code = "import sys; sys.modules['tqdm'] = sys.modules['tqdm.auto'] = None; import matchcount as mc\n" \
           "try: mc.count_perfect_matchings(mc.generate('random', 60, 60, 0.5), method='ryser', progress=True)\n" \
           "except KeyboardInterrupt: pass"
    running = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0)
    first = running.stderr.read(1)
    running.send_signal(signal.SIGINT)
    out, rest = running.communicate()
    assert first == b"\r" and b"%" in rest and out == b"" and running.returncode == 0
