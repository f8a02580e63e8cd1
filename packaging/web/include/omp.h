#pragma once
// Answers for OpenMP where there is one thread.

inline int omp_get_thread_num() { return 0; }
inline int omp_get_max_threads() { return 1; }
