#!/bin/sh
# Installs the packages that matchcount is built from, and those named as arguments, where they are missing (Debian 12,
# Ubuntu 24.04 and later).
set -eu

packages="g++ cmake ninja-build libboost-dev libexpat1-dev libgmp-dev libarchive-dev libcxxopts-dev nlohmann-json3-dev zlib1g-dev catch2 $*"

missing=""
for package in $packages; do
  if ! dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'install ok installed'; then
    missing="$missing $package"
  fi
done
[ -n "$missing" ] || exit 0

if [ "$(id -u)" -eq 0 ]; then
  as_root=""
elif command -v sudo >/dev/null; then
  as_root="sudo"
else
  echo "please install, as root:$missing" >&2
  exit 1
fi
$as_root apt-get update -q
$as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends $missing
