#!/bin/sh
# Plays a tournament in shards with GNU parallel, and puts them together:
#
#     sh parallel.sh friday.toml 16
#
# HOSTS=ann,bob,: plays on those machines (: is this one), which see this folder under the same path and have `arena` on the
# path; each plays one shard at a time, on all its cores. Run again, it goes on where it was.
set -eu
file=$1
shards=$2
whole=${file%.toml}

seq "$shards" | parallel --will-cite --sshlogin "${HOSTS:-:}" --workdir "$PWD" --jobs 1 --halt soon,fail=1 \
    arena run "$file" --shard "{}/$shards" --quiet
arena merge "$whole" "$whole"-*-of-"$shards"
