#ifndef MATCHCOUNT_H
#define MATCHCOUNT_H
/* Counts matchings from C, and from every language that calls C.
 *
 *   matchcount_graph* graph;
 *   matchcount_answer* answer;
 *   if (matchcount_graph_read("datasets/grid-8x8.txt", NULL, &graph) == MATCHCOUNT_OK &&
 *       matchcount_count(graph, NULL, &answer) == MATCHCOUNT_OK)
 *     puts(matchcount_value(answer, 0));
 *   else
 *     fputs(matchcount_error(), stderr);
 *
 * What is asked for is counted as by the program, whose documentation says more. Functions return a status, the
 * program's exit status, unless their comment says otherwise; on any but MATCHCOUNT_OK nothing is written to their last
 * argument, and matchcount_error tells why. Graphs and options may be used by several threads at once while none changes
 * them. Texts are UTF-8, end with 0 and belong to what they were asked of. No pointer may be NULL unless it is said. */

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Changes whenever a program that was compiled against an older header would no longer run as it did. */
#define MATCHCOUNT_ABI 1

enum matchcount_status {
  MATCHCOUNT_OK = 0,
  MATCHCOUNT_BAD_INPUT = 2, /* a file, an argument or an option is wrong */
  MATCHCOUNT_UNABLE = 3,    /* a limit, a stop, no method applies, memory is short */
  MATCHCOUNT_FAILED = 4     /* a device failed, or the library itself */
};

typedef struct matchcount_graph matchcount_graph;
typedef struct matchcount_options matchcount_options;
typedef struct matchcount_answer matchcount_answer;

/* Returns MATCHCOUNT_ABI of the library that runs, and its version, such as "0.2.0". */
int matchcount_abi(void);
const char* matchcount_version(void);
/* Returns why the last call of this thread that failed did so; "" before. Holds until the thread's next call. */
const char* matchcount_error(void);

/* Reads a file, or a text of so many bytes, in any format that the program reads. kind is "bipartite", "undirected",
 * "directed" or "matrix"; NULL: what the file says, else bipartite. Weights are exact, fractions as well. */
int matchcount_graph_read(const char* file, const char* kind, matchcount_graph** graph);
int matchcount_graph_parse(const char* text, size_t bytes, const char* kind, matchcount_graph** graph);
/* Makes a graph of num_edges edges u[i], v[i], counted from 0: u below rows and v below columns where the kind is
 * bipartite, directed (arcs u -> v) or matrix; both below rows, which is equal to columns, where it is undirected. weights
 * may be NULL: none. */
int matchcount_graph_new(const char* kind, uint32_t rows, uint32_t columns, size_t num_edges, const uint32_t* u,
                         const uint32_t* v, const double* weights, matchcount_graph** graph);
/* Returns how many edges there are, and writes their ends, in the order in which marginals and samples name them. */
size_t matchcount_graph_num_edges(const matchcount_graph* graph);
void matchcount_graph_edges(const matchcount_graph* graph, uint32_t* u, uint32_t* v);
void matchcount_graph_free(matchcount_graph* graph); /* NULL: nothing happens, here and below */

/* Makes options. Names and values are those of the program without dashes: "matchings" ("perfect", "maximum",
 * "saturating", "all", "by-size", "maximal"), "weighted" ("yes", "no": whether a matching counts as the product of its
 * weights, which makes permanents and hafnians), "activity", "method", "order", "engine", "effort", "verify", "prune",
 * "reduce" ("yes", "no"), "expand-degree", "expand-rows", "threads", "seed", "device", "precision", "time-limit" (seconds)
 * and "memory-limit" (bytes). */
int matchcount_options_new(matchcount_options** options);
int matchcount_options_set(matchcount_options* options, const char* name, const char* value);
/* Ends what runs with these options, now and from now on: MATCHCOUNT_UNABLE. Of any thread, at any time. */
void matchcount_options_stop(matchcount_options* options);
void matchcount_options_free(matchcount_options* options);

/* Counts the matchings that the options ask for, or sums their weights; of a directed graph the cycle covers. options may
 * be NULL: perfect ones, unweighted, without limits. */
int matchcount_count(const matchcount_graph* graph, const matchcount_options* options, matchcount_answer** answer);
/* Returns how many values there are: 1, or with "by-size" one for every number of edges from 0. Value i is a text: all
 * digits of an integer or a fraction, of others those that are proven. Its relative error is at most so much; 0: exact.
 * The method is that of the part that took most. */
size_t matchcount_num_values(const matchcount_answer* answer);
const char* matchcount_value(const matchcount_answer* answer, size_t i);
double matchcount_relative_error(const matchcount_answer* answer, size_t i);
const char* matchcount_method(const matchcount_answer* answer);
void matchcount_answer_free(matchcount_answer* answer);

/* Writes for every edge its share of the matchings, and how far it is off at most; errors may be NULL. */
int matchcount_marginals(const matchcount_graph* graph, const matchcount_options* options, double* shares,
                         double* errors);
/* Writes random matchings, samples first, ..., first + count - 1 of an endless sequence that the seed tells: places of
 * edges, matching_size of each, ascending; a smaller matching has -1 in its last places. places may be NULL: only the
 * size is written. */
int matchcount_samples(const matchcount_graph* graph, const matchcount_options* options, uint64_t first, size_t count,
                       int64_t* places, size_t* matching_size);

#ifdef __cplusplus
}
#endif
#endif
