# Counts the matchings of a hexagon's bonds by size: Rscript by_size.R. R passes numbers to C but neither handles nor single
# texts, so it compiles a function between them, by R CMD SHLIB, which takes PKG_CPPFLAGS and PKG_LIBS=-lmatchcount_c.
code <- '
#include <matchcount.h>
#include <Rinternals.h>
SEXP by_size(SEXP vertices, SEXP u, SEXP v) {
  matchcount_graph* graph = NULL; matchcount_options* options = NULL; matchcount_answer* answer = NULL;
  const uint32_t n = asInteger(vertices);
  int status = matchcount_graph_new("undirected", n, n, XLENGTH(u), (uint32_t*)INTEGER(u), (uint32_t*)INTEGER(v), NULL, &graph);
  if (status == 0) status = matchcount_options_new(&options);
  if (status == 0) status = matchcount_options_set(options, "matchings", "by-size");
  if (status == 0) status = matchcount_count(graph, options, &answer);
  SEXP values = PROTECT(allocVector(STRSXP, status == 0 ? matchcount_num_values(answer) : 0));
  for (R_xlen_t i = 0; i < XLENGTH(values); ++i) SET_STRING_ELT(values, i, mkChar(matchcount_value(answer, i)));
  matchcount_answer_free(answer); matchcount_options_free(options); matchcount_graph_free(graph);
  if (status != 0) error("%s", matchcount_error());
  UNPROTECT(1);
  return values;
}'
setwd(tempdir())
writeLines(code, "between.c")
stopifnot(system2(file.path(R.home("bin"), "R"), c("CMD", "SHLIB", "between.c"), stdout = FALSE) == 0)
dyn.load(paste0("between", .Platform$dynlib.ext))
# The matchings of 0, 1, 2 and 3 bonds. Numbers are texts: they may have any number of digits.
writeLines(paste(.Call("by_size", 6L, 0:5, c(1:5, 0L)), collapse = " "))
