#!/bin/sh
# Plays a tournament in shards as a Slurm array job, and merges them when all have ended, even if some failed. The log of the merge,
# arena-JOB-merge.log, lists what is missing:
#
#     sh slurm.sh friday.toml 16
#
# To continue shard 7, and merge again:
#
#     sbatch --array=7 slurm.sh friday.toml 16
#     arena merge friday friday-*-of-16
#
# The options in SBATCH_MORE are passed on to sbatch.
#
#SBATCH --job-name=arena
#SBATCH --cpus-per-task=4
#SBATCH --output=arena-%A-%a.log
#SBATCH --requeue
set -eu
file=$1
shards=$2
whole=${file%.toml}

if [ -z "${SLURM_ARRAY_TASK_ID:-}" ]; then
    play=$(sbatch --parsable --array="1-$shards" ${SBATCH_MORE:-} "$0" "$file" "$shards")
    merge=$(sbatch --parsable --dependency="afterany:$play" --job-name=arena-merge \
        --output=arena-%j-merge.log ${SBATCH_MORE:-} --wrap="arena merge '$whole' '$whole'-*-of-$shards")
    echo "jobs $play (shards) and $merge (merge)"
else
    cores=${SLURM_CPUS_PER_TASK:-1}
    # Where Slurm does not bind a task to its cores, workers must not be pinned, because another task may use the same core.
    [ "$(nproc)" -eq "$cores" ] || free=--no-pin
    exec arena run "$file" --shard "$SLURM_ARRAY_TASK_ID/$shards" --jobs "$cores" ${free:-} --progress plain
fi
