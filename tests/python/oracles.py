"""Slow truths, in pure Python: numbers without rounding, matchings by enumeration, permanents, hafnians and determinants by definition."""

import collections
import itertools
import math
from fractions import Fraction


def exactly(value):
    """A number without rounding, as two fractions."""
    return (Fraction(value.real), Fraction(value.imag)) if isinstance(value, complex) else (Fraction(value), Fraction(0))


class Gaussian(collections.namedtuple("Gaussian", "re im")):
    """A complex number of fractions."""

    def __add__(self, other):
        other = other if isinstance(other, Gaussian) else Gaussian(other, 0)
        return Gaussian(self.re + other.re, self.im + other.im)

    def __mul__(self, other):
        other = other if isinstance(other, Gaussian) else Gaussian(other, 0)
        return Gaussian(self.re * other.re - self.im * other.im, self.re * other.im + self.im * other.re)

    __radd__, __rmul__ = __add__, __mul__


def matchings(edges):
    """Every matching of a list of edges (u, v, ...) as a tuple of places in it; u and v are distinct where they differ."""
    def extend(place, used, chosen):
        yield tuple(chosen)
        for later in range(place, len(edges)):
            u, v = edges[later][:2]
            if u not in used and v not in used and u != v:
                yield from extend(later + 1, used | {u, v}, [*chosen, later])
    yield from extend(0, frozenset(), [])


def perfect_matchings(edges, num_vertices):
    return [matching for matching in matchings(edges) if 2 * len(matching) == num_vertices]


def permanent(matrix):
    n = len(matrix)
    return sum(math.prod(matrix[i][p[i]] for i in range(n)) for p in itertools.permutations(range(n)))


def determinant(matrix):
    n = len(matrix)
    sign = lambda p: (-1) ** sum(p[i] > p[j] for i in range(n) for j in range(i + 1, n))
    return sum(sign(p) * math.prod(matrix[i][p[i]] for i in range(n)) for p in itertools.permutations(range(n)))


def hafnian(matrix, loop=False):
    def sum_over(vertices):
        if not vertices:
            return 1
        first, *rest = vertices
        total = matrix[first][first] * sum_over(rest) if loop else 0
        return total + sum(matrix[first][v] * sum_over([w for w in rest if w != v]) for v in rest)
    return sum_over(list(range(len(matrix))))


def reachable_pairs(arcs):
    """The pairs with a path of at least one arc."""
    pairs = set(arcs)
    while True:
        more = pairs | {(u, w) for u, v in pairs for x, w in arcs if v == x}
        if more == pairs:
            return pairs
        pairs = more
