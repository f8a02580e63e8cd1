#!/bin/bash
# Adds to build/wheels/dist what wheels.sh makes for x86-64, for aarch64: a wheel for all Pythons from 3.12 on and the program
# in one static file, without GPUs. Runs on Debian 12 after wheels.sh, whose wheel lends all that is not compiled, with the
# distribution's cross-compiler, and counts with both by an emulator of the processor.
set -euo pipefail
cd "$(dirname "$0")/.."
. packaging/unpack_packages.sh
scripts/install-dependencies.sh g++-aarch64-linux-gnu qemu-user-static
work=$PWD/build/wheels
arm=$work/aarch64
export PATH=$work/tools/bin:$PATH
pip install --quiet wheel
compiler=aarch64-linux-gnu-gcc
libraries=$arm/root/usr/lib/aarch64-linux-gnu
openmp=$libraries/libgomp.so.1

[ -e "$libraries/libgmp.a" ] || unpack_packages bullseye arm64 "$arm/root" libgomp1 zlib1g-dev libexpat1-dev libgmp-dev libgmp10 libboost1.74-dev
# Two libraries of headers alone are this machine's, whose other headers must not be seen.
for header in nlohmann cxxopts.hpp; do ln -sfn "/usr/include/$header" "$arm/root/usr/include/$header"; done
python3 packaging/old_glibc.py "$arm/glibc" 2.28 $compiler
old="-L$arm/glibc $arm/glibc/newer.o -Wl,--no-as-needed -lpthread -ldl -Wl,--as-needed -static-libstdc++"
old+=" -Wl,--exclude-libs,ALL -Wl,--allow-shlib-undefined"

gomp=$($compiler -print-file-name=libgomp.a)
common=(-G Ninja -DCMAKE_BUILD_TYPE=Release -DMATCHCOUNT_WITH_PHOTONICS=ON -DMATCHCOUNT_UNITY_BUILD=ON -DMATCHCOUNT_BUILD_TESTS=OFF -DMATCHCOUNT_BUILD_C=OFF
  -DMATCHCOUNT_WITH_MPI=OFF -DMATCHCOUNT_WITH_CUDA=OFF -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=aarch64
  -DCMAKE_CXX_COMPILER=aarch64-linux-gnu-g++ -DCMAKE_CROSSCOMPILING_EMULATOR="qemu-aarch64-static;-L;/usr/aarch64-linux-gnu"
  -DBoost_DIR="$libraries/cmake/Boost-1.74.0" -DZLIB_INCLUDE_DIR="$arm/root/usr/include" -DZLIB_LIBRARY="$libraries/libz.a"
  -DEXPAT_INCLUDE_DIR="$arm/root/usr/include" -DEXPAT_LIBRARY="$libraries/libexpat.a"
  -DGMP_INCLUDE_DIR="$arm/root/usr/include/aarch64-linux-gnu" -DGMP_LIBRARY="$libraries/libgmp.a")
cmake -S . -B "$arm/library" "${common[@]}" -DOpenMP_gomp_LIBRARY="$gomp" \
  "-DCMAKE_EXE_LINKER_FLAGS=$old $arm/glibc/start.o -Wl,--wrap=__libc_start_main"
cmake --build "$arm/library"
cmake --install "$arm/library" --prefix "$arm/prefix" >/dev/null

# The static program is the same library's.
$compiler -O2 -fPIE -c -o "$arm/no_loader.o" packaging/no_loader.c
cmake -S . -B "$arm/static" "${common[@]}" -DOpenMP_gomp_LIBRARY="$gomp" "-DCMAKE_EXE_LINKER_FLAGS=-static-pie $arm/no_loader.o"
cmake --build "$arm/static"
(cd "$arm/static" && cpack -G TGZ -B "$work/dist" \
  -D CPACK_INSTALL_CMAKE_PROJECTS="$arm/static;matchcount;program;/" -D CPACK_PACKAGING_INSTALL_PREFIX=/ >/dev/null)
rm -rf "$work/dist/_CPack_Packages"

python=$work/environment-312/bin/python
version=$(sed -n 's/.*MATCHCOUNT_VERSION "\(.*\)"/\1/p' matchcount/version.hpp)
headers=$("$python" -c 'import sysconfig; print(sysconfig.get_path("include"))')
cmake -S bindings/python -B "$arm/module" "${common[@]}" -DSKBUILD_PROJECT_VERSION="$version" -DSKBUILD_SCRIPTS_DIR=bin \
  -DSKBUILD_SABI_COMPONENT=Development.SABIModule -DPython_EXECUTABLE="$python" -DPython_INCLUDE_DIR="$headers" \
  -Dmatchcount_DIR="$arm/prefix/lib/cmake/matchcount" -DOpenMP_gomp_LIBRARY="$openmp" -DGMP_LIBRARY="$libraries/libgmp.so.10" \
  "-DCMAKE_MODULE_LINKER_FLAGS=$old"
cmake --build "$arm/module" --target _core
rm -rf "$arm/wheel" "$arm/raw"
wheel unpack --dest "$arm/wheel" "$work"/raw/matchcount-*-cp312-abi3-linux_x86_64.whl
folder=$arm/wheel/matchcount-$version
aarch64-linux-gnu-strip -o "$folder/matchcount/_core.abi3.so" "$arm/module/_core.abi3.so"
aarch64-linux-gnu-strip -o "$folder/matchcount-$version.data/scripts/matchcount" "$arm/prefix/bin/matchcount"
mkdir "$arm/raw"
wheel pack --dest-dir "$arm/raw" "$folder" >/dev/null
wheel tags --remove --platform-tag linux_aarch64 "$arm"/raw/*.whl
LD_LIBRARY_PATH=$libraries auditwheel repair --plat auto --wheel-dir "$work/dist" "$arm"/raw/*.whl
ls -l "$work"/dist/*aarch64*

# Both are tried by an emulator of the processor, the wheel with the Python of a newer release.
expect() { # ANSWER COMMAND...: the command prints the answer
  local answer=$1 got
  shift
  got=$("$@")
  [ "$got" = "$answer" ] || { echo "$*: $got instead of $answer" >&2; exit 1; }
}
system=$arm/system
[ -e "$system/usr/bin/python3.13" ] || unpack_packages trixie arm64 "$system" libc6 libexpat1 libffi8 libgcc-s1 libgomp1 \
  libpython3.13-minimal libpython3.13-stdlib libstdc++6 python3.13-minimal zlib1g
ln -sfn usr/lib "$system/lib"
site=$arm/site
rm -rf "$site"
pip install --quiet --no-deps --only-binary :all: --platform manylinux_2_28_aarch64 --platform manylinux_2_26_aarch64 \
  --python-version 313 --target "$site" numpy "$work"/dist/matchcount-*_aarch64.whl
mkdir -p "$arm/program"
tar -xzf "$work"/dist/matchcount-*-Linux-aarch64.tar.gz -C "$arm/program" --strip-components 1
expect 200 qemu-aarch64-static "$arm/program/bin/matchcount" count datasets/kekulene.txt --kind undirected
expect 200 qemu-aarch64-static -L "$system" "$site/bin/matchcount" count datasets/kekulene.txt --kind undirected
PYTHONHOME=$system/usr PYTHONPATH=$site qemu-aarch64-static -L "$system" "$system/usr/bin/python3.13" -c '
import matchcount as mc, numpy as np
assert mc.count_perfect_matchings(mc.read("datasets/grid-8x8.txt")) == 12988816
values = mc.permanent(np.random.rand(100, 12, 12)); assert len(values) == 100 and 0 <= values[0].error < 1e-9 * values[0]
assert mc.hafnian(np.ones((30, 30)), loop=True) == 606917269909048576'
echo "aarch64: program and wheel count"
