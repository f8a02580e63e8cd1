#pragma once
// MATCHCOUNT_API marks what programs may use: the namespace's part in a public header, which is all that a shared
// library of ours exports.

#define MATCHCOUNT_API [[gnu::visibility("default")]]
