/* Asks the C interface about small graphs, and about everything that is wrong. Prints what differs from what it should be. */
#include <math.h>
#include <matchcount.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures = 0;

#define CHECK(condition)                                              \
  do {                                                                \
    if (!(condition)) {                                               \
      printf("line %d: %s (%s)\n", __LINE__, #condition, matchcount_error()); \
      ++failures;                                                     \
    }                                                                 \
  } while (0)

static matchcount_options* options_of(const char* const* names_and_values) {
  matchcount_options* options = NULL;
  CHECK(matchcount_options_new(&options) == MATCHCOUNT_OK);
  for (; *names_and_values != NULL; names_and_values += 2)
    CHECK(matchcount_options_set(options, names_and_values[0], names_and_values[1]) == MATCHCOUNT_OK);
  return options;
}

/* Counts, and compares value i of so many. */
static void expect(const matchcount_graph* graph, const char* const* names_and_values, size_t num_values, size_t i,
                   const char* value) {
  matchcount_options* options = options_of(names_and_values);
  matchcount_answer* answer = NULL;
  CHECK(matchcount_count(graph, options, &answer) == MATCHCOUNT_OK);
  if (answer != NULL) {
    CHECK(matchcount_num_values(answer) == num_values);
    CHECK(strcmp(matchcount_value(answer, i), value) == 0);
    CHECK(matchcount_relative_error(answer, i) == 0);
    CHECK(matchcount_method(answer)[0] != 0);
  }
  matchcount_answer_free(answer);
  matchcount_options_free(options);
}

static const char* const plain[] = {NULL};
static const char* const all[] = {"matchings", "all", NULL};
static const char* const by_size[] = {"matchings", "by-size", NULL};
static const char* const weighted[] = {"weighted", "yes", NULL};
static const char* const active[] = {"matchings", "all", "activity", "1/2", NULL};
static const char* const tuned[] = {"method", "frontier", "order", "rows",   "engine", "dense",
                                    "effort", "0.01",     "prune", "no",     "reduce", "no",
                                    "seed",   "3",        "expand-degree",   "2",      NULL};

static void test_counts(void) {
  const uint32_t u[] = {0, 1, 2, 3}, v[] = {1, 2, 3, 0};
  const double weights[] = {2, 3, 5, 7};
  matchcount_graph* graph = NULL;
  CHECK(matchcount_graph_new("undirected", 4, 4, 4, u, v, NULL, &graph) == MATCHCOUNT_OK);
  CHECK(matchcount_graph_num_edges(graph) == 4);
  expect(graph, plain, 1, 0, "2");
  expect(graph, all, 1, 0, "7");
  expect(graph, active, 1, 0, "49/16"); /* 2 + 4 / 2^2 + 1 / 2^4 */
  expect(graph, tuned, 1, 0, "2");
  expect(graph, by_size, 3, 1, "4");
  matchcount_graph_free(graph);

  CHECK(matchcount_graph_new("undirected", 4, 4, 4, u, v, weights, &graph) == MATCHCOUNT_OK);
  matchcount_options* options = options_of(weighted);
  double shares[4], errors[4];
  CHECK(matchcount_marginals(graph, options, shares, errors) == MATCHCOUNT_OK);
  uint32_t from[4], to[4];
  matchcount_graph_edges(graph, from, to);
  for (int i = 0; i < 4; ++i) { /* 0-1 with 2-3 weighs 10, 1-2 with 0-3 weighs 21 */
    const int is_first = from[i] / 2 == to[i] / 2;
    CHECK(fabs(shares[i] - (is_first ? 10 : 21) / 31.0) <= errors[i] + 1e-15);
  }
  int64_t places[2 * 100];
  size_t size = 0;
  CHECK(matchcount_samples(graph, options, 0, 100, places, &size) == MATCHCOUNT_OK && size == 2);
  int firsts = 0;
  for (int i = 0; i < 100; ++i) {
    const uint32_t* ends[] = {from, to};
    unsigned met = 0;
    for (int k = 0; k < 4; ++k) met |= 1u << ends[k % 2][places[2 * i + k / 2]];
    CHECK(met == 15);
    firsts += from[places[2 * i]] / 2 == to[places[2 * i]] / 2;
  }
  CHECK(firsts > 10 && firsts < 60);
  matchcount_options_free(options);
  matchcount_graph_free(graph);

  /* The empty graph has one, its edges' arrays may be missing; so has one arc from a vertex to itself. */
  CHECK(matchcount_graph_new("bipartite", 0, 0, 0, NULL, NULL, NULL, &graph) == MATCHCOUNT_OK);
  expect(graph, plain, 1, 0, "1");
  matchcount_graph_free(graph);
  CHECK(matchcount_graph_new("directed", 1, 1, 1, u, u, NULL, &graph) == MATCHCOUNT_OK);
  expect(graph, plain, 1, 0, "1");
  matchcount_graph_free(graph);
}

static void test_texts(void) {
  const char fractions[] = "a x 1/3\na y 1/7\nb x 2\nb y 5\n";
  matchcount_graph* graph = NULL;
  CHECK(matchcount_graph_parse(fractions, strlen(fractions), NULL, &graph) == MATCHCOUNT_OK);
  expect(graph, weighted, 1, 0, "41/21");
  expect(graph, plain, 1, 0, "2");
  matchcount_graph_free(graph);
  graph = NULL;
  CHECK(matchcount_graph_parse("1 1\n1 1\n", 8, "bipartite", &graph) == MATCHCOUNT_BAD_INPUT);
  CHECK(graph == NULL && strstr(matchcount_error(), "the text") != NULL);
  CHECK(matchcount_graph_parse("1 1\n", 4, "tripartite", &graph) == MATCHCOUNT_BAD_INPUT);
  CHECK(matchcount_graph_read("no such file", NULL, &graph) == MATCHCOUNT_BAD_INPUT && graph == NULL);
}

static void test_refusals(void) {
  const uint32_t u[] = {0, 0}, v[] = {0, 5};
  const double weights[] = {1, NAN};
  matchcount_graph* graph = NULL;
  CHECK(matchcount_graph_new("bipartite", 1, 1, 2, u, v, NULL, &graph) == MATCHCOUNT_BAD_INPUT);
  CHECK(matchcount_graph_new("bipartite", 1, 6, 2, u, v, weights, &graph) == MATCHCOUNT_BAD_INPUT);
  CHECK(matchcount_graph_new("undirected", 1, 2, 0, u, v, NULL, &graph) == MATCHCOUNT_BAD_INPUT);
  CHECK(matchcount_graph_new("undirected", 2, 2, 1, u, v, NULL, &graph) == MATCHCOUNT_BAD_INPUT); /* a loop */
  CHECK(graph == NULL);

  matchcount_options* options = options_of(plain);
  static const char* const wrong[] = {"matchings",  "some", "weighted", "true", "verify",       "1",  "method",    "guess",
                                      "threads",    "-1",   "threads",  "2x",   "seed",         "",   "device",    "abacus",
                                      "time-limit", "nan",  "time-limit", "-3", "memory-limit", "4G", "precision", "some",
                                      "colour",     "red",  "effort",   "-1",   "order",        "up", "reduce",    "1",
                                      "activity",   "x",    "expand_degree", "4"};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i += 2) {
    CHECK(matchcount_options_set(options, wrong[i], wrong[i + 1]) == MATCHCOUNT_BAD_INPUT);
    CHECK(matchcount_error()[0] != 0);
  }
  CHECK(matchcount_options_set(options, "time-limit", "0.25") == MATCHCOUNT_OK && matchcount_error()[0] == 0);

  /* 40 x 40 ones and a diagonal less: too much for a quarter of a second by inclusion-exclusion. */
  uint32_t* ends = malloc(2 * 1600 * sizeof *ends);
  size_t num_edges = 0;
  for (uint32_t i = 0; i < 40; ++i)
    for (uint32_t j = 0; j < 40; ++j)
      if (i != j) ends[num_edges] = i, ends[1600 + num_edges++] = j;
  CHECK(matchcount_graph_new("bipartite", 40, 40, num_edges, ends, ends + 1600, NULL, &graph) == MATCHCOUNT_OK);
  CHECK(matchcount_options_set(options, "method", "ryser") == MATCHCOUNT_OK);
  matchcount_answer* answer = NULL;
  CHECK(matchcount_count(graph, options, &answer) == MATCHCOUNT_UNABLE && answer == NULL);
  matchcount_options_free(options);
  options = options_of(plain);
  matchcount_options_stop(options);
  CHECK(matchcount_count(graph, options, &answer) == MATCHCOUNT_UNABLE && answer == NULL);
  double* shares = malloc(num_edges * sizeof *shares);
  CHECK(matchcount_marginals(graph, options, shares, NULL) == MATCHCOUNT_UNABLE);
  free(shares);
  free(ends);
  matchcount_options_free(options);
  matchcount_graph_free(graph);

  /* No perfect matching: the count is 0, and nothing has a share. */
  CHECK(matchcount_graph_new("bipartite", 2, 1, 1, u, u, NULL, &graph) == MATCHCOUNT_OK);
  expect(graph, plain, 1, 0, "0");
  double share;
  CHECK(matchcount_marginals(graph, NULL, &share, NULL) == MATCHCOUNT_UNABLE);
  matchcount_graph_free(graph);
  matchcount_graph_free(NULL);
  matchcount_options_free(NULL);
  matchcount_answer_free(NULL);
}

int main(void) {
  CHECK(matchcount_abi() == MATCHCOUNT_ABI);
  CHECK(strchr(matchcount_version(), '.') != NULL);
  CHECK(matchcount_error()[0] == 0);
  test_counts();
  test_texts();
  test_refusals();
  return failures != 0;
}
