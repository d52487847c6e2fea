#!/bin/sh
# Makes coda.jsonl: `make.sh FOLDER` plays the built-in bots in FOLDER, and prints 200 positions of their matches.
set -eu
seed=0
table() {
    seed=$((seed + 1))
    folder="$1/$seed"
    shift
    arena run -q --seed "$seed" --rule rounds=1 "$@" --out "$folder" > "$folder.log"
    arena analyse "$folder" --positions "$folder.jsonl" > "$folder.txt"
}
pairs() {
    left="random excluding exact inferring bayesian rollouts concealing"
    for one in $left; do
        left="${left#* }"
        for other in $left; do
            [ "$one" = "$other" ] || table "$1" --deals 3 --bot "$one" --bot "$other"
        done
    done
}
mkdir -p "$1"
pairs "$1"
pairs "$1"
for third in random excluding bayesian concealing; do
    table "$1" --seats 3 --deals 1 --bot "$third" --bot exact --bot rollouts
    table "$1" --seats 4 --rule dashes=true --deals 1 --bot "$third" --bot exact --bot inferring --bot rollouts
done
pairs "$1"
for kind in attack:70 stop:50 draw:200; do
    cat $(ls "$1"/*.jsonl | sort -rV) | grep "\"kind\":\"${kind%:*}\"" | head -n "${kind#*:}"
done | head -n 200
