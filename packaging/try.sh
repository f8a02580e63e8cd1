#!/bin/bash
# Installs what wheels.sh made into bare systems without a compiler, as root, and counts there: try.sh [FOLDER]. The
# systems are made in FOLDER, by default a temporary one, which is removed.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/install-dependencies.sh debootstrap
dist=$PWD/build/wheels/dist
if [ $# -gt 0 ]; then folder=$1; else folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT; fi

expect() { # ANSWER COMMAND...: the command prints the answer
  local answer=$1 got
  shift
  got=$("$@")
  [ "$got" = "$answer" ] || { echo "$*: $got instead of $answer" >&2; exit 1; }
}
timed() { # WHAT COMMAND...: says how long it took
  local what=$1 start=$EPOCHREALTIME
  shift
  "$@"
  echo "$what: $(((${EPOCHREALTIME/./} - ${start/./}) / 1000)) ms"
}
bare() { # RELEASE PACKAGES: a system with the files that are tried; inside() runs a command there
  root=$folder/$1
  [ -d "$root/usr" ] || debootstrap --variant=minbase --include="$2" "$1" "$root" >/dev/null
  cp /etc/resolv.conf "$root/etc/"
  [ ! -e /etc/pip.conf ] || cp /etc/pip.conf "$root/etc/"
  cp /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/"
  rm -rf "$root"/tmp/*
  cp -r datasets/kekulene.txt "$dist"/* "$root/tmp/"
  tar -xzf "$dist"/matchcount-*-Linux-x86_64.tar.gz -C "$root/tmp" --strip-components 1
}
inside() { chroot "$root" "$@"; }
counts() { expect 200 inside "$@" count /tmp/kekulene.txt --kind undirected; }
lines='import time; start = time.time()
import matchcount as mc; print(f"import matchcount: {1000 * (time.time() - start):.0f} ms")
import networkx as nx, numpy as np
assert mc.count_perfect_matchings(nx.grid_2d_graph(8, 8)) == 12988816
values = mc.permanent(np.random.rand(1000, 12, 12)); assert len(values) == 1000 and 0 <= values[0].error < 1e-9 * values[0]
assert mc.hafnian(np.ones((30, 30)), loop=True) == 606917269909048576'
c_lines='import ctypes
library, graph, answer = ctypes.CDLL("libmatchcount_c.so.1"), ctypes.c_void_p(), ctypes.c_void_p()
assert library.matchcount_graph_parse(b"a b\nb c\nc d\nd a\n", ctypes.c_size_t(16), b"undirected", ctypes.byref(graph)) == 0
assert library.matchcount_count(graph, None, ctypes.byref(answer)) == 0
library.matchcount_value.restype = ctypes.c_char_p
print(library.matchcount_value(answer, ctypes.c_size_t(0)).decode())'

# Debian 11 has a Python that is too old for the wheels.
for release in bookworm:cp311 trixie:cp312 bullseye:; do
  tag=${release#*:}
  release=${release%:*}
  bare $release python3,python3-venv,ca-certificates
  if [ -n "$tag" ]; then
    inside sh -c 'python3 -m venv /tmp/v && /tmp/v/bin/pip install --quiet networkx'
    timed "$release: pip install" inside sh -c "/tmp/v/bin/pip install --quiet /tmp/matchcount-*-$tag-*x86_64.whl"
    inside /tmp/v/bin/python -c "$lines"
    counts /tmp/v/bin/matchcount
    counts /tmp/v/bin/python -m matchcount
  fi
  inside apt-get update -qq
  timed "$release: apt install" inside sh -c 'DEBIAN_FRONTEND=noninteractive apt-get install -qq -y /tmp/matchcount_*.deb >/dev/null 2>&1'
  counts matchcount
  counts /tmp/bin/matchcount
  for file in man/man1/matchcount.1 bash-completion/completions/matchcount zsh/site-functions/_matchcount \
              fish/vendor_completions.d/matchcount.fish doc/matchcount/README.md; do
    [ -s "$root/usr/share/$file" ] || { echo "$release: no $file" >&2; exit 1; }
  done
  # The library for C loads, whose libraries the package depends on.
  expect 2 inside python3 -c "$c_lines"
  echo "$release: all that is for it counts"
done
root=$folder/empty
rm -rf "$root" && mkdir -p "$root/tmp"
cp "$folder/bullseye/tmp/bin/matchcount" datasets/kekulene.txt "$root/tmp/"
counts /tmp/matchcount
echo "without anything: the static program counts"
