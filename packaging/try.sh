#!/bin/bash
# Installs what wheels.sh made into bare systems without a compiler, as root, and counts there: try.sh [FOLDER]. The
# systems are made in FOLDER, by default a temporary one, which is removed.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/install-dependencies.sh debootstrap
dist=$PWD/build/wheels
if [ $# -gt 0 ]; then folder=$1; else folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT; fi

expect() { # ANSWER COMMAND...: the command prints the answer
  local answer=$1 got
  shift
  got=$("$@")
  [ "$got" = "$answer" ] || { echo "$*: $got instead of $answer" >&2; exit 1; }
}
bare() { # RELEASE PACKAGES: a system with the files that are tried
  [ -d "$folder/$1/usr" ] || debootstrap --variant=minbase --include="$2" "$1" "$folder/$1" >/dev/null
  cp /etc/resolv.conf "$folder/$1/etc/"
  [ ! -e /etc/pip.conf ] || cp /etc/pip.conf "$folder/$1/etc/"
  cp -r datasets/kekulene.txt "$dist"/dist/*.whl "$dist"/library/matchcount_*.deb "$folder/$1/tmp/"
}
lines='import matchcount, numpy
assert matchcount.count_perfect_matchings(matchcount.generate("grid", 8, 8)) == 12988816
assert matchcount.hafnian(numpy.ones((4, 4))) == 3'

for release in bookworm:cp311 trixie:cp312; do
  tag=${release#*:}
  release=${release%:*}
  bare $release python3,python3-venv,ca-certificates
  in=(chroot "$folder/$release")
  "${in[@]}" sh -c "rm -rf /tmp/v && python3 -m venv /tmp/v && /tmp/v/bin/pip install --quiet --find-links /tmp /tmp/matchcount-*-$tag-*.whl"
  "${in[@]}" /tmp/v/bin/python -c "$lines"
  expect 200 "${in[@]}" /tmp/v/bin/matchcount count /tmp/kekulene.txt --kind undirected
  expect 200 "${in[@]}" /tmp/v/bin/python -m matchcount count /tmp/kekulene.txt --kind undirected
  "${in[@]}" sh -c 'apt-get update -qq && apt-get install -qq -y /tmp/matchcount_*.deb >/dev/null'
  expect 200 "${in[@]}" /usr/bin/matchcount count /tmp/kekulene.txt --kind undirected
  echo "$release: the wheel and the package count"
done
bare bullseye ca-certificates
cp "$dist/prefix/bin/matchcount" "$folder/bullseye/usr/local/bin/"
expect 200 chroot "$folder/bullseye" matchcount count /tmp/kekulene.txt --kind undirected
echo "bullseye: the program counts"
