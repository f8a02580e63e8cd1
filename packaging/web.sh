#!/bin/bash
# Makes build/web/matchcount.html, a page of one file that counts in the browser: the program, compiled to WebAssembly.
# Takes emscripten and headers of Debian 13 in a system that it makes, as root, in build/web/debian: the standard library
# of Debian 12's emscripten has no std::ranges.
set -euo pipefail
cd "$(dirname "$0")/.."
debian=$PWD/build/web/debian
if ! ls "$debian"/sources/gmp-*/configure >/dev/null 2>&1; then
  scripts/install-dependencies.sh debootstrap
  mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | awk '/\/debian\/$/ {uri = $0} END {print uri}')
  mkdir -p build/web
  [ -d "$debian/usr" ] || debootstrap --variant=minbase trixie "$debian" "$mirror"
  printf 'deb %s trixie main\ndeb-src %s bookworm main\n' "$mirror" "$mirror" >"$debian/etc/apt/sources.list"
  cp /etc/resolv.conf "$debian/etc/"
  packages="emscripten cmake ninja-build libboost-dev libcxxopts-dev nlohmann-json3-dev dpkg-dev ca-certificates gcc libc6-dev m4"
  DEBIAN_FRONTEND=noninteractive chroot "$debian" sh -c "apt-get -q update && apt-get -q -y install --no-install-recommends $packages &&
    mkdir -p /sources /project && cd /sources && apt-get -q source zlib expat gmp"
fi
# What is mounted is so for this command alone.
unshare -m bash -euo pipefail -c "mount --bind '$PWD' '$debian/project'; mount -t proc proc '$debian/proc'
                                  chroot '$debian' /project/packaging/web/build.sh"
python3 - packaging/web build/web/wasm/matchcount build/web/matchcount.html <<'END'
import base64, gzip, sys
folder, program, page = sys.argv[1:]
text = open(folder + "/page.html").read()
text = text.replace("@ENGINE@", open(program + ".js").read() + open(folder + "/engine.js").read())
packed = gzip.compress(open(program + ".wasm", "rb").read(), 9, mtime=0)
open(page, "w").write(text.replace("@PROGRAM@", base64.b64encode(packed).decode()))
END
ls -l build/web/matchcount.html
