// Is refused by the compiler, with the header that it lacks; by the standard before C++20 with that.

#include <matchcount/matchcount.hpp>

struct Graph {};

int main() { matchcount::count_perfect_matchings(Graph()); }
