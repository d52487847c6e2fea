#!/bin/sh
# Plays a tournament in shards with GNU parallel, and merges them:
#
#     sh parallel.sh friday.toml 16
#
# HOSTS=ann,bob,: plays on those machines (: is this one). They must see this folder under the same path, and have `arena` on the PATH. Each
# machine plays one shard at a time, on all its cores. Run the script again to continue an interrupted tournament.
set -eu
file=$1
shards=$2
whole=${file%.toml}

seq "$shards" | parallel --will-cite --sshlogin "${HOSTS:-:}" --workdir "$PWD" --jobs 1 --halt soon,fail=1 \
    arena run "$file" --shard "{}/$shards" --quiet
arena merge "$whole" "$whole"-*-of-"$shards"
