#!/bin/sh
# Says where to get the public matrices that the tests and timings name; they may not be distributed with matchcount.
#   public_matrices.sh           prints their addresses
#   public_matrices.sh FOLDER    downloads those that FOLDER lacks into it, as NAME.mtx (needs curl, tar and gzip)
set -eu

# The SuiteSparse Matrix Collection, https://sparse.tamu.edu (Davis and Hu 2011, doi:10.1145/2049662.2049663).
site=https://sparse.tamu.edu/MM
matrices="HB/bcspwr02 Grund/d_ss HB/curtis54 HB/will57 HB/impcol_b HB/dwt_59 Bai/bfwb62 HB/west0067 HB/steam3
HB/bcsstk01 Mycielski/mycielskian6 Pothen/mesh1e1 HB/ash85 HB/bcspwr01 HB/can_24 HB/can_61 HB/can_73 HB/dwt_66
HB/dwt_72 HB/dwt_87 HB/ibm32 HB/impcol_c HB/steam1 HB/can_144 HB/can_161 HB/dwt_162 HB/dwt_198 HB/dwt_209 HB/dwt_361
HB/lshp_265 HB/lund_a HB/hor_131 HB/lns_131 HB/will199 HB/662_bus"

if [ $# -gt 1 ]; then
  echo "usage: public_matrices.sh [FOLDER]" >&2
  exit 2
fi
if [ $# -eq 0 ]; then
  for matrix in $matrices; do
    echo "$site/$matrix.tar.gz"
  done
  exit 0
fi

folder=$1
mkdir -p "$folder"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' HUP INT TERM
for matrix in $matrices; do
  name=${matrix#*/}
  [ -e "$folder/$name.mtx" ] && continue
  echo "$site/$matrix.tar.gz" >&2
  curl --fail --silent --show-error --location --output "$scratch/$name.tar.gz" "$site/$matrix.tar.gz"
  gzip -dc "$scratch/$name.tar.gz" | tar -x -f - -C "$scratch" "$name/$name.mtx"
  mv "$scratch/$name/$name.mtx" "$folder/$name.mtx"
done
