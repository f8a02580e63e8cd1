"""Follows the advice of refusals: each option that one names is tried on that very input, and must not give a wrong number.

usage: advice.py MATCHCOUNT [--count N] [--seed S] [--show K]

The inputs are those of grammar.py and writers.py, the right answers theirs with the option applied. A further refusal is
right. The exit status is 1 if an option that a refusal names gives a wrong number.
"""

import argparse
import collections
import os
import re
import sys

import grammar
import truth
import writers
from contract import contract

# Options of reading with the values that may be advised; others, such as --help or --kind in a description, say nothing here.
ADVICE = re.compile(r"--(header|format|kind|weight-key|delimiter|duplicates|loops|base|no-edge|columns|keep-zeros|member)"
                    r"(?:[ =]('[^']*'|\"[^\"]*\"|[^\s,.;:)]+|[,;]))?")
CHOICES = {"header": ("yes", "no"), "kind": ("bipartite", "undirected", "directed", "matrix"), "duplicates": ("sum", "one"),
           "loops": ("drop", "keep"), "base": ("0", "1")}
UNDERSTOOD = {"header", "format", "kind", "weight-key", "delimiter", "duplicates", "keep-zeros", "loops"}


def advised(message):
    """Yields the options that a refusal names, each as arguments."""
    expected = message.partition("expected ")[2] or message
    for name, value in ADVICE.findall(expected):
        value = value.strip("'\"") if value[:1] in "'\"" else value
        if name == "keep-zeros":
            yield ["--keep-zeros"]
        elif name in CHOICES:
            for choice in CHOICES[name] if "|" in value else (value,):
                if choice in CHOICES[name]:
                    yield ["--" + name, choice]
        elif name == "columns" and not re.fullmatch(r"[0-9]+(,[0-9]+)+", value):
            continue
        elif (value or name == "weight-key" and re.search(r"--weight-key ''", expected)) and value not in ("NAME", "LIST", "MARKS",
                "VALUE", "and", "or", "tells", "where"):
            yield ["--" + name, value]


def merged(command, arguments, more):
    """Returns a command line with one more option, which takes the place of another value of its own."""
    words, k = [*command.split(), *arguments], 0
    kept = []
    while k < len(words):
        width = 2 if words[k].startswith("--") and words[k] != "--keep-zeros" else 1
        if words[k] != more[0]:
            kept += words[k:k + width]
        k += width
    return tuple(kept + more)


def spoken(words):
    """Returns the options on a command line for the contract."""
    return grammar.spoken([word for word in words[1:] if word != "--keep-zeros"]) | ({"keep_zeros": True} if "--keep-zeros" in words
        else {})


def questions(words):
    if "--matchings" in words:
        return "by-size"
    return words[0]


def refusals(program, count, seed):
    """Yields (content, extension, command line, what is right with an option) for the inputs that are refused."""
    for batch in grammar.batches(count // 2, seed):
        for (content, extension), (_, _, answers) in zip(batch[2], grammar.tried(program, batch)):
            if answers and answers[0][0] == 2:
                yield content.encode(), extension, (batch[0], batch[1]), answers[0][2], by_contract(content)
    for name, content, extension, command, carries, m, question, answers in writers.tried(program, count // 2, seed):
        if answers and answers[0][0] == 2:
            text = content.decode("utf-8", "replace")
            yield content, extension, (command, []), answers[0][2], by_truth(m, question, name) if carries else by_contract(text)


def by_contract(content):
    return lambda words: contract(content, questions(words), {k: v for k, v in spoken(words).items() if k != "matchings"}).allowed


def by_truth(m, question, name):
    """Says what is right for a model that was written: options may say that weights are 1, or what kind of graph is meant."""
    def right(words):
        options = spoken(words)
        kind = options.get("kind", "directed" if m.directed else "undirected")
        if m.matrix:
            return writers.right(m, question) if options.get("kind") != "undirected" and "hafnian" not in words else [None]
        if kind != ("directed" if m.directed else "undirected") or options.get("duplicates") == "sum":
            return [None]
        edges = [(u, v, writers.Fraction(1) if options.get("weight_key") == "" else w) for u, v, w in m.edges]
        return writers.right(writers.replace(m, edges=edges), question, name)
    return right


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", type=int, default=3)
    given = parser.parse_args()
    batches, tried, faults = collections.defaultdict(list), collections.Counter(), collections.defaultdict(list)
    for content, extension, (command, arguments), message, right in refusals(given.program, given.count, given.seed):
        for more in {tuple(option): option for option in advised(message)}.values():
            batches[merged(command, arguments, more), tuple(more)].append((content, extension, message, right))
    for (words, more), inputs in batches.items():
        for start in range(0, len(inputs), 200):
            part = inputs[start:start + 200]
            with truth.folder_for_files() as folder:
                for k, (content, extension, *_) in enumerate(part):
                    with open(os.path.join(folder, f"{k}{extension}"), "wb") as file:
                        file.write(content)
                answers, done = truth.run(given.program, words, [f"{k}{one[1]}" for k, one in enumerate(part)], folder)
            for k, (content, extension, message, right) in enumerate(part):
                answer = answers[f"{k}{extension}"]
                name = " ".join(word or "''" for word in more)
                tried[name] += 1
                if not answer and done.returncode == 2:
                    tried["usage"] += 1  # The option doesn't go with the command, which says so.
                elif not answer:
                    faults[name].append((content, words, message, f"exit {done.returncode}", ""))
                elif answer[0][0] == 0 and more[0].removeprefix("--") in UNDERSTOOD and more[1:2] not in (("metis",), ("adjlist",)):
                    allowed = right(words)
                    if None not in allowed and not any(truth.agrees(answer[0][1], value) for value in allowed):
                        faults[name].append((content, words, message, truth.outcome(answer), allowed))
    for name, found in sorted(faults.items()):
        print(f"{name}: {len(found)} of {tried[name]} wrong")
        for content, words, message, got, allowed in sorted(found, key=lambda one: len(one[0]))[:given.show]:
            print(f"  {' '.join(word or repr('') for word in words)}: {content[:200]!r}\n    got {got}, right "
                  f"{truth.expectation(allowed)}\n    advised by: {message[:240]}")
    print(f"seed {given.seed}: {sum(tried.values())} options followed, {sum(map(len, faults.values()))} wrong;",
          ", ".join(f"{number} {name}" for name, number in tried.most_common(14)))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
