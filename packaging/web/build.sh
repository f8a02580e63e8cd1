#!/bin/bash
# Compiles zlib, expat, GMP and the program with emscripten, in the system that packaging/web.sh makes.
set -euo pipefail
work=/project/build/web
prefix=$work/prefix
export EM_CACHE=$work/cache EM_FROZEN_CACHE=0
mkdir -p "$prefix/include"
ln -sfn /usr/include/{boost,nlohmann,cxxopts.hpp} "$prefix/include"
(cd /usr && cp -r --parents lib/x86_64-linux-gnu/cmake lib/cmake/cxxopts share/cmake/nlohmann_json "$prefix")

# Addresses have 64 bits in what is compiled, as the library is tested, and 32 in what runs, as every browser has them.
# (Loads of vectors are not translated by this wasm-opt, so -msimd128 has to stay away.)
flags="-Wno-experimental -O2 -sMEMORY64=2 -fwasm-exceptions"
if [ ! -e "$prefix/lib/libexpat.a" ]; then
  (cd /sources/zlib-* && emcc $flags -w -DHAVE_UNISTD_H -c ./*.c && emar rcs "$prefix/lib/libz.a" ./*.o && cp zlib.h zconf.h "$prefix/include")
  (cd /sources/expat-*/expat/lib && touch expat_config.h &&
    emcc $flags -I. -DXML_{NS,DTD,DEV_URANDOM}=1 -DXML_CONTEXT_BYTES=1024 -DBYTEORDER=1234 -c xml{parse,role,tok}.c &&
    emar rcs "$prefix/lib/libexpat.a" xml{parse,role,tok}.o && cp expat.h expat_external.h "$prefix/include")
fi
[ -e "$prefix/lib/libgmp.a" ] || (cd /sources/gmp-* && CC_FOR_BUILD=gcc emconfigure ./configure -q --host=none --disable-assembly \
  --disable-shared --prefix="$prefix" CFLAGS="$flags -w" && emmake make -s SUBDIRS="mpn mpz" install)
emcmake cmake -S /project -B "$work/wasm" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_FLAGS="$flags -D_LIBCPP_ENABLE_EXPERIMENTAL" -DCMAKE_CXX_FLAGS_RELEASE=-DNDEBUG \
  -DCMAKE_FIND_ROOT_PATH="$prefix" -DBoost_DIR="$(echo "$prefix"/lib/x86_64-linux-gnu/cmake/Boost-*)" -DCMAKE_PROJECT_INCLUDE=/project/packaging/web/platform.cmake \
  -DMATCHCOUNT_UNITY_BUILD=ON -DMATCHCOUNT_{BUILD_TESTS,BUILD_C,PRECOMPILE_HEADERS,INSTALL}=OFF
cmake --build "$work/wasm" --target matchcount_app
