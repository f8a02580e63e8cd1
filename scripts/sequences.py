"""The table of sequences that scripts/records.py makes terms of: definitions, published terms, how to count them.

A family says what is asked of the program, and by which ways: a term takes the first two that answer within the limits.
A way is a method, as it is given (seed 1) or, with another seed behind a slash, of renamed vertices: of a matrix, with
rows and columns permuted, and transposed where it need not be symmetric. `known` are published values, from index
`first` on, as stored copies of the encyclopedia of integer sequences show them; `published` is the last index that is
said to be there, in a list of terms further than the page's too. A sequence without a number of the encyclopedia has a
name of ours. The machine starts at index 1 and ends at `end`.
"""

import functools
import math
import random
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Family:
    title: str
    meaning: str  # of the terms, for the page
    question: tuple[str, ...]  # command and options of the program
    ways: tuple[str, ...]


@dataclass(frozen=True)
class Sequence:
    name: str
    family: Family
    what: str
    graph: Callable[[int], "list | str"]  # rows of a matrix, or what `matchcount generate` takes, or an edge list
    first: int
    known: str
    published: int
    end: int

    def value(self, n):
        """The published term, or None where no stored copy shows it."""
        values = self.known.split()
        return values[n - self.first] if self.first <= n < self.first + len(values) else None


HAFNIANS = Family(
    "Hafnians of named matrices", "The matrix M has order 2n; what stands on its diagonal does not matter.",
    ("hafnian",), ("power-traces", "frontier", "power-traces/2"))
PERMANENTS = Family(
    "Permanents of named matrices", "The matrix M has order n.",
    ("permanent",), ("staged", "low-rank", "skipper/2", "staged/2"))
PERMUTATIONS = Family(
    "Permutations with a condition", "How many permutations p of 1, ..., n there are such that for every i:",
    ("permanent",), ("frontier", "staged", "frontier/2"))
ARRAYS = Family(
    "Permutations of arrays", "How many there are of the cells of arrays of any size, in a table by antidiagonals. It "
    "is symmetric, so that\nsome of its new terms are old ones mirrored. Steps are those of a city block.",
    ("permanent",), ("frontier", "staged", "frontier/2"))
MATCHINGS = Family(
    "All matchings", "How many matchings there are of any size, the empty one included.",
    ("count", "--matchings", "all"), ("frontier", "frontier/2"))
MAXIMUM = Family(
    "Maximum matchings", "How many matchings there are of as many edges as there can be.",
    ("count", "--matchings", "maximum"), ("frontier", "frontier/2"))
PERFECT = Family("Perfect matchings", "How many perfect matchings there are.", ("count",), ("frontier", "frontier/2"))
DENSE = Family(
    "Perfect matchings of dense graphs", "How many perfect matchings there are.",
    ("count",), ("power-traces", "power-traces/2"))


@functools.cache
def is_prime(n):
    """Miller and Rabin's test with the first 13 primes, certain below 3.3e24; beyond, 20 more bases."""
    small = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41)
    if n < 2 or any(n % p == 0 for p in small):
        return n in small
    odd = (n - 1) // ((n - 1) & (1 - n))
    for base in small if n < 3 * 10**24 else (*small, *random.Random(n).sample(range(43, 10**6), 20)):
        x, d = pow(base, odd, n), odd
        while x not in (1, n - 1) and 2 * d < n - 1:
            x, d = x * x % n, 2 * d
        if x != n - 1 and not (x == 1 and d == odd):
            return False
    return True


@functools.cache
def prime(n):
    return 2 if n == 1 else next(p for p in range(prime(n - 1) + 1, 4 * n * n + 9) if is_prime(p))


def symmetric(entry):
    """Rows of the matrix of order 2n with entry(i, j, 2n), nothing on the diagonal: a hafnian does not depend on it."""
    return lambda n: [[entry(i, j, 2 * n) if i != j else 0 for j in range(1, 2 * n + 1)] for i in range(1, 2 * n + 1)]


def square(entry):
    return lambda n: [[int(entry(i, j, n)) for j in range(1, n + 1)] for i in range(1, n + 1)]


def toeplitz(row, column):
    """Entries of a matrix with row(k) at k to the right of the diagonal, k >= 0, and column(k) at k below it, k > 0."""
    return lambda i, j, n: row(j - i, n) if j >= i else column(i - j, n)


def array(distance):
    """Rows for the cells of an array, the index-th of all sizes by antidiagonals: 1 for others that are near."""
    def rows(index):
        diagonal = (math.isqrt(8 * index - 7) + 1) // 2
        height = index - diagonal * (diagonal - 1) // 2
        cells = [(x, y) for x in range(height) for y in range(diagonal + 1 - height)]
        return [[int(0 < abs(x - u) + abs(y - v) <= distance) for u, v in cells] for x, y in cells]
    return rows


def triangle(n):
    """A triangular grid of n rows, i vertices in row i."""
    edges = [f"{i}.{j} {u}.{v}" for i in range(n) for j in range(i + 1)
             for u, v in ((i, j + 1), (i + 1, j), (i + 1, j + 1)) if v <= u < n]
    return "\n".join(["# kind: undirected", "# format: edgelist", "0.0", *edges]) + "\n"


def halved_cube(n):
    even = [v for v in range(1 << n) if v.bit_count() % 2 == 0]
    edges = [f"{u} {v}" for u in even for v in even if u < v and (u ^ v).bit_count() == 2]
    return "\n".join(["# kind: undirected", *edges]) + "\n"


def mirrored(text):
    """Writes out the antidiagonals of a symmetric table, of 1, 2, 3, ... terms, which are given up to their middles."""
    diagonals = [half.split() for half in text.split("/")]
    return " ".join(" ".join(half + half[::-1][k % 2 == 0:]) for k, half in enumerate(diagonals))


SEQUENCES = [
    Sequence("A338456", HAFNIANS, "symmetric Toeplitz, first row 0, 1, 1, 2, 2, ...", symmetric(
        lambda i, j, m: (abs(i - j) + 1) // 2), 0,
        "1 1 4 45 968 34265 1799748 131572357 12770710096 1589142683313 246658484353100", 10, 26),
    Sequence("A356481", HAFNIANS, "symmetric Toeplitz, first row 1, 2, ..., 2n", symmetric(
        lambda i, j, m: abs(i - j) + 1), 0,
        "1 2 21 532 24845 1856094 203076097 30633787976 6097546660185 1548899852221210 489114616743840461", 10, 26),
    Sequence("A356482", HAFNIANS, "symmetric Toeplitz, first row 2n, ..., 2, 1", symmetric(
        lambda i, j, m: m - abs(i - j)), 0,
        "1 1 16 714 62528 9056720 1960138560 592615689904 238560786221056 123358665203311104 79683847063011614720",
        10, 26),
    Sequence("A356483", HAFNIANS, "symmetric Toeplitz, first row the primes 2, 3, ..., prime(2n)", symmetric(
        lambda i, j, m: prime(abs(i - j) + 1)), 0,
        "1 3 55 2999 347391 69702479 22441691645 10776262328919 7190279422736061 6439969796874334809 "
        "7447188585071730451961", 10, 26),
    Sequence("A356484", HAFNIANS, "symmetric Toeplitz, first row the primes prime(2n), ..., 3, 2", symmetric(
        lambda i, j, m: prime(m - abs(i - j))), 0,
        "1 2 44 5210 1368900 604109562 535920536336 728155179271474 1103827431509790216 2651375713654260218986 "
        "7537958658258053003685636", 10, 26),
    Sequence("A357279", HAFNIANS, "M[i, j] = i + j - 1", symmetric(lambda i, j, m: i + j - 1), 0,
        "1 2 43 2610 312081 61825050 18318396195 7586241152490 4184711271725985 2965919152834367730 "
        "2626408950849351178875", 10, 26),
    Sequence("A357419", HAFNIANS, "Pascal's, M[i, j] = binomial(i + j - 2, i - 1)", symmetric(
        lambda i, j, m: math.comb(i + j - 2, i - 1)), 0,
        "1 1 17 4929 23872137 1901611778409 2469317979267366913 52019468048773355156225921 "
        "17726418489020770628047341494927089 97518325438289444681986165275143492027985129 "
        "8648473129650550498122567373327602114148485950241817345", 10, 26),
    Sequence("A357503", HAFNIANS, "M[i, j] = |i - j|", symmetric(lambda i, j, m: abs(i - j)), 0,
        "1 1 8 174 7360 512720 53245824 7713320944 1486382446592 367691598791424 113570289012090880", 10, 26),
    Sequence("A358158", HAFNIANS, "M[i, j] = floor(i j / 3)", symmetric(lambda i, j, m: i * j // 3), 0,
        "1 0 4 238 31992 9390096 4755878928 3802500283680 4720879431568800 8379987002639042400 "
        "20346893722025317036800", 10, 26),
    Sequence("A358164", HAFNIANS, "M[i, j] = i j - ceiling(i j / 3)", symmetric(lambda i, j, m: i * j + -i * j // 3), 0,
        "1 1 26 2704 698568 384890688 378771904512 597991783196160 1450380828625459200 5077825865646165964800 "
        "24487520383436615392204800", 10, 26),
    Sequence("A381514", HAFNIANS, "M[i, j] = prime(|i - j|)", symmetric(lambda i, j, m: prime(abs(i - j))), 0,
        "1 2 23 899 85072 15120411 4439935299 1989537541918 1264044973158281 1090056235155152713 "
        "1227540523199054294506", 10, 26),

    Sequence("A332566", PERMANENTS, "symmetric Toeplitz, first row 0, 1, 1, 2, 2, ...", square(
        lambda i, j, n: (abs(i - j) + 1) // 2), 0,
        "1 0 1 2 16 150 2333 45840 1227816 40715300 1701223409 84902728550 5108474886424 357837483830570 "
        "29336856811970045 2745407159100236484 294324995624694053072 35473014438701226021416 "
        "4818705384665419284918401 727012502373285844943278058 122057159014198483893887865744", 20, 34),
    Sequence("A347768", PERMANENTS, "M[i, j] = |i - j + 1|", square(lambda i, j, n: abs(i - j + 1)), 1,
        "1 1 8 80 1568 42308 1632544 82377984 5340729728 429905599744 42164608801024 4944386388782080 "
        "683353973472423936 109907353260811403520 20352830852731108528128 4299139435513999926820864 "
        "1027450150728092835655335936 275824741022588671077713641472", 18, 34),
    Sequence("A349099", PERMANENTS, "M[i, j] = i j mod (n + 1)", square(lambda i, j, n: i * j % (n + 1)), 0,
        "1 1 5 32 1074 12600 1525292 34078720 4072850100 263459065600 106809546673488 2254519427530752 "
        "3172225081523720416 210351382651302645760 45654014718074873700000 11122845097194072534155264 "
        "18156837198112938091803999360 795289872611524024920215715840", 17, 34),
    Sequence("A356491", PERMANENTS, "symmetric Toeplitz, first row the primes 2, 3, ..., prime(n)", square(
        lambda i, j, n: prime(abs(i - j) + 1)), 0,
        "1 2 13 184 4745 215442 14998965 1522204560 208682406913 37467772675962 8809394996942597 2597094620811897948 "
        "954601857873086235553 428809643170145564168434 229499307540038336275308821 144367721963876506217872778284 "
        "106064861375232790889279725340713", 16, 34),
    Sequence("A356493", PERMANENTS, "symmetric Toeplitz, first row the primes prime(n), ..., 3, 2", square(
        lambda i, j, n: prime(n - abs(i - j))), 0,
        "1 2 13 271 12030 1346758 214022024 51763672608 16088934953136 6611717516842608 4412314619046451200 "
        "3533754988232088933120 3506189715435673999194112 4444138735439968822425464576 "
        "5893766827264238066914528545792 8502284313901016361834901076874240 15350799440394462109333953415858960384",
        16, 34),
    Sequence("A358157", PERMANENTS, "M[i, j] = floor(i j / 3)", square(lambda i, j, n: i * j // 3), 0,
        "1 0 0 1 32 1422 146720 18258864 3217515264 910849979232 316878962588928 143616562358849280 "
        "90359341652805156864 68004478547050644357120 63187026071337208000512000 75392341069747600992153600000 "
        "104962910849766568886449582080000 174017685915978467201007058206720000", 17, 34),
    Sequence("A358159", PERMANENTS, "M[i, j] = i j - floor(i j / 3)", square(lambda i, j, n: i * j - i * j // 3), 0,
        "1 1 7 102 4396 374216 49857920 11344877568 3879729283968 1804571320405248 1195546731955854336 "
        "1058730877124859138048 1184751018265831288602624 1725335046543668616765112320 "
        "3147123030650561978295975936000 6934187745940804400441946931200000 18840570649600136750602236509552640000",
        16, 34),
    Sequence("A358161", PERMANENTS, "M[i, j] = ceiling(i j / 3)", square(lambda i, j, n: -(-i * j // 3)), 0,
        "1 1 3 19 434 18142 1138592 131646240 22247821152 4990553682336 1661493079305216 729074911776673536 "
        "397903630707426852864 290086114501734871449600 262660633302518916820992000 284075108357948520100761600000 "
        "385808192325346588875691868160000 626209817056857125529475382231040000", 17, 34),
    Sequence("A358163", PERMANENTS, "M[i, j] = i j - ceiling(i j / 3)", square(lambda i, j, n: i * j + -i * j // 3), 0,
        "1 0 1 30 1272 113224 18615680 4299553536 1507609286784 781464165813504 525599814806986752 "
        "473934337123421786112 567876971785035135320064 837723761443461191423754240 1549608938859438129393893376000 "
        "3582000047767392376356107059200000 9838495669776145718724862743674880000", 16, 34),
    Sequence("A392679", PERMANENTS, "circulant, first row the cubes 0, 1, ..., (n - 1)^3", square(
        lambda i, j, n: ((j - i) % n) ** 3), 0,
        "1 0 1 513 543908 1199444500 5385515948772 48652959927554325 824226474957656292928 23380465445249384396260368 "
        "1017148143575174098003758617600 64774199420138979827742196838391625 5886752952942633823627471414110768054528 "
        "746719128243209696417240109710609290312373364", 13, 34),
    Sequence("A306457", PERMANENTS, "Toeplitz, first row 2, 3, ..., prime(n), column 2, prime(n + 1), ...", square(
        toeplitz(lambda k, n: prime(k + 1), lambda k, n: prime(n + k))), 0,
        "1 2 19 546 40851 4747510 986799301 292666754602 135134321711681 80312872924339660 55242523096584443271 "
        "52058868505260739019880 55579419798019716586180451 72402676504369062268839297084 "
        "120521257466525185305708420453019 234000358527930078723939842673115488", 35, 38),
    Sequence("A307783", PERMANENTS, "symmetric Toeplitz, first row n, ..., 2, 1", square(
        lambda i, j, n: n - abs(i - j)), 1,
        "1 5 62 1472 57228 3300052 264163120 28004426240 3796084024832 640290996560896 131495036625989504 "
        "32300689159458652160 9350873610168606862080 3150550820854335942423808 1222211647879605626853439488 "
        "540858935979668390014623285248 270804098518125729769134021574656", 35, 38),
    Sequence("A322909", PERMANENTS, "Toeplitz, first row 1, ..., n, first column 1, n + 1, ..., 2n - 1", square(
        toeplitz(lambda k, n: k + 1, lambda k, n: n + k)), 0,
        "1 1 7 100 2840 129428 8613997 791557152 95921167710 14818153059968 2842735387366627 663020104070865664 "
        "184757202542187563476 60623405966739216871680 23135486197103263598936745 10160292704659539620791062528 "
        "5087671168376607498331875818106", 35, 38),
    Sequence("A323255", PERMANENTS, "Toeplitz, first row 2n - 1, n - 1, ..., 1, first column 2n - 1, ..., n", square(
        toeplitz(lambda k, n: n - k if k else 2 * n - 1, lambda k, n: 2 * n - 1 - k)), 0,
        "1 1 11 248 9968 638772 60061657 7798036000 1336715859150 292406145227392 79483340339739367 "
        "26280500564448081664 10386012861097225139356 4834639222955142417477888 2618110215141486526589786501 "
        "1631888040186649673361825042432 1159983453675106278249250918734938", 35, 38),

    Sequence("A000341", PERMUTATIONS, "2 i + 2 p(i) - 1 is prime", square(
        lambda i, j, n: is_prime(2 * (i + j) - 1)), 1,
        "1 2 3 6 26 96 210 1106 3759 12577 74072 423884 2333828 16736611 99838851 630091746 4525325020 38848875650 "
        "342245714017 3335164762941 31315463942337 241353231085002 2350106537365732 17903852593938447 "
        "158065352670318614 1815064841856534244 20577063085601738871 276081763499377227299", 36, 38),
    Sequence("A071059", PERMUTATIONS, "the sum of 2 i <= n and the p(i)-th odd number above n is prime",
        lambda n: square(lambda i, j, m: is_prime(2 * (i + j) - 1 + n + n % 2))(n // 2), 2,
        "1 1 1 1 2 2 6 4 7 6 11 11 53 53 181 171 939 925 4432 4545 15811 15583 67891 68193 434963 388975 2718150 "
        "3113343 21580655 18425145 92370364 94887088 564878656 572364768 4545704064 4092294083 36878092180 "
        "36363930614",
        70, 82),
    Sequence("A103687", PERMUTATIONS, "i + p(i) + 1 is prime", square(lambda i, j, n: is_prime(i + j + 1)), 1,
        "1 1 2 2 3 6 12 36 156 520 1920 5760 12600 39900 210140 844984 2871876 8784783 29392449 123405524 726794464 "
        "3669378736 20998365592 139906305272 770298602024 4979077340664 35706521898618 187318543647373 "
        "1117410697347693 7335115455487050 46292557037334300", 31, 43),
    Sequence("A134293", PERMUTATIONS, "2 i + 2 p(i) + 1 is prime", square(
        lambda i, j, n: is_prime(2 * (i + j) + 1)), 1,
        "1 1 2 6 20 60 190 764 2337 9812 49538 330058 2133438 11192143 73469550 462692414 3692965270 32635321384 "
        "290171883863 2572828730372 22299380503953 195129375058656 1544534855847233 13144353749969945 "
        "128883813733449772 1365629506139662111", 35, 38),
    Sequence("A320843", PERMUTATIONS, "p(i) divides i or i divides p(i)", square(
        lambda i, j, n: i % j == 0 or j % i == 0), 0,
        "1 1 2 3 8 10 36 41 132 250 700 750 4010 4237 10680 24679 87328 90478 435812 449586 1939684 3853278 8650900 "
        "8840110 60035322 80605209 177211024 368759752 1380348224 1401414640 8892787136 9014369784 33923638848 "
        "59455553072 126536289568 207587882368", 35, 47),
    Sequence("A321597", PERMUTATIONS, "i p(i) + 1 is prime", square(lambda i, j, n: is_prime(i * j + 1)), 1,
        "1 2 1 6 1 24 9 38 36 702 196 7386 3364 69582 45369 885360 110224 14335236 640000 19867008 11009124 "
        "1288115340 188485441 17909627257 4553145529 363106696516 149376066064 11141446425852 990882875761 "
        "371060259505399 16516486146304 1479426535706319 497227517362801 102319410607145600 32589727661167504 "
        "12597253470226980096",
        36, 48),
    Sequence("A321610", PERMUTATIONS, "i^2 + p(i)^2 is prime", square(lambda i, j, n: is_prime(i**2 + j**2)), 1,
        "1 1 1 1 1 4 0 16 4 144 64 81 256 5184 1600 25600 8100 183184 108900 5924356 342225 9066121 11356900 "
        "106853569 105698961 16119349444 1419933124 69792129124 14251584400 613950602500 304388337796 25042678198756 "
        "10080904401936 1179245283899881 1045903153861476 31082438574307129", 36, 48),
    Sequence("A321611", PERMUTATIONS, "i^4 + p(i)^4 is prime", square(lambda i, j, n: is_prime(i**4 + j**4)), 1,
        "1 1 1 4 4 4 4 64 16 144 144 0 144 144 289 4356 2916 22500 79524 1887876 313600 3459600 2985984 50069776 "
        "32353344 2056803904 237591396 11713732900 10265337124 342040164964 30744816964 2507750953744 378640854244 "
        "53517915572836 7415600385600 230030730231696", 36, 48),
    Sequence("A321727", PERMUTATIONS, "prime(i) + prime(p(i)) + 1 is prime", square(
        lambda i, j, n: is_prime(prime(i) + prime(j) + 1)), 1,
        "1 1 1 2 6 10 31 76 696 4294 5772 8472 128064 147960 1684788 26114739 523452320 1029877159 1772807946 "
        "28736761941 19795838613 31445106424 1313504660737 54477761675626 105122845176663 2200119900732333 "
        "2761739099984389 83123428119278837 219734505495953342 7228968492870136475 13623311188546432233 "
        "625620139149376861330 18603738861035365389401 64952397216275572992159 3115094155636931821691880 "
        "4788927142804364353625983", 36, 48),
    Sequence("A321766", PERMUTATIONS, "3^i + 3^p(i) - 1 is prime", square(lambda i, j, n: is_prime(3**i + 3**j - 1)), 1,
        "1 2 3 11 14 33 59 290 843 690 231 978 2896 2966 38252 384917 22351 68546 28245 147459 84578 17647 17647 "
        "232213 17647 792 93640 785178 5635699 11658279 67706584 351837312 233636388 26967286 35027435 242576452",
        36, 48),
    Sequence("A321805", PERMUTATIONS, "i! p(i) + 1 is prime", square(
        lambda i, j, n: is_prime(math.factorial(i) * j + 1)), 1,
        "1 2 4 6 10 10 13 40 212 702 3531 19008 34858 39764 102312 47927 94860 232006 658766 829583 1547703 2040211 "
        "32073218 51347260 496226762 1504307318 16663026685 125080784519 241032642271 1216752358950 2147004248698 "
        "9320087810948 19383919945950 16259146126113 81023699301023 124167501991213", 36, 50),

    Sequence("A188966", ARRAYS, "all cells move, by steps of 3 at most", array(3), 1, mirrored(
        "0 / 1 / 2 9 / 9 265 / 24 8132 78976 / 57 154564 22666641 / 140 2790864 4064659324 62394485617 / 376 55327556 "
        "741295637637 109564294856817"), 39, 45),
    Sequence("A188981", ARRAYS, "all cells move, by steps of 2 at most", array(2), 1, mirrored(
        "0 / 1 / 2 9 / 4 116 / 6 900 7264 / 13 7836 295264 / 24 71865 12838276 54113236 / 45 640513 577290185 "
        "10523263424 / 84 5706113 25631148992 2184414516364 9562891914304 / 160 51056136 1136766429824 "
        "446454227170968 9298230791255360"), 59, 66),

    Sequence("A028420", MATCHINGS, "grid of n x n", lambda n: f"grid {n} {n}", 0,
        "1 1 7 131 10012 2810694 2989126727 11945257052321 179788343101980135 10185111919160666118608 "
        "2172138783673094193937750015 1743829823240164494694386437970640 5270137993816086266962874395450234534887 "
        "59956919824257750508655631107474672284499736089", 21, 25),
    Sequence("A220638", MATCHINGS, "kings' graph of n x n", lambda n: f"king {n} {n}", 0,
        "1 1 10 369 92801 128171936 1040315976961 48590896359378961 13140746227808545282304 "
        "20540255065209806005525289313 185661218973084382181156348510614065 "
        "9703072851259276652446200332793680010752000 2932144456272256572796083896528773941130429279461761", 16, 22),
    Sequence("A269869", MATCHINGS, "triangular grid of side n", triangle, 1,
        "1 4 27 425 14278 1054396 169858667 59811185171 46012925161519 77344464552678876 284066030784415134855 "
        "2279568155737623235728996 39969481180418160836567285156 1531253921482570179838977438893104 "
        "128176575381689893022287259560629125869", 25, 28),
    Sequence("A243510", MAXIMUM, "kings' graph of n x n", lambda n: f"king {n} {n}", 0,
        "1 1 3 58 280 170985 3037561 35203565096 3263262629905 580992839261272720 326207195516663381931 "
        "811740344447523575023878026 3011882198082438957330143630563 98662906581850761030365769529236858241 "
        "2565014347691062208319404612723752103028288", 14, 15),
    Sequence("A289202", MAXIMUM, "knights' graph of n x n", lambda n: f"knight {n} {n}", 1,
        "1 1 2 16 644 10304 65113608 2849759680 118928612871184 58888109421793792", 10, 14),
    Sequence("A239273", PERFECT, "kings' graph of 2n x 2n", lambda n: f"king {2 * n} {2 * n}", 0,
        "1 3 280 3037561 3263262629905 326207195516663381931 3011882198082438957330143630563 "
        "2565014347691062208319404612723752103028288", 9, 13),
    Sequence("A049507", PERFECT, "box of 6 x 6 x n points", lambda n: f"grid3d 6 6 {n}", 5,
        "216388579168758145017797108072", 5, 20),
    Sequence("A028446", PERFECT, "box of 2n x 2n x 2n points", lambda n: f"grid3d {2 * n} {2 * n} {2 * n}", 2,
        "5051532105", 2, 3),
    Sequence("box-6-7", PERFECT, "box of 6 x 7 x n points", lambda n: f"grid3d 6 7 {n}", 7, "", 6, 8),
    Sequence("halved-cube", DENSE, "halved n-cube", halved_cube, 7, "", 6, 7),
]
