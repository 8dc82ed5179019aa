#!/bin/bash
# Whether Hearth, and what comes with it, can be built here: a directory that can be written, enough disk and memory. Says so at
# once where it can't.
#
# usage: check-machine.sh DIRECTORY MEGABYTES     DIRECTORY: where it is built; MEGABYTES: of disk, beside what is there already
# HEARTH_ANY_SIZE=1 tries all the same.
set -euo pipefail
directory=$1
disk_wanted=$2
memory_wanted=3000 # two compilers at once, or a virtual machine of 1 GB beside its builder

die() {
  printf 'hearth: %s\n  What to do: %s.\n' "$1" "$2" >&2
  exit 1
}
too_little() { die "$1" "$2, or set HEARTH_ANY_SIZE=1 to try all the same"; }

[ -w "$directory" ] || die "$directory can't be written by $(id -un)" "clone Hearth to a place of your own"

[ -z "${HEARTH_ANY_SIZE:-}" ] || exit 0

# What earlier builds have taken here counts as free: it is used again.
built=0
[ ! -d "$directory/build" ] || built=$(du -sm "$directory/build" | cut -f1)
free=$(($(df -Pm "$directory" | awk 'NR == 2 { print $4 }') + built))
[ "$free" -ge "$disk_wanted" ] ||
  too_little "too little room on the disk of $directory: $free MB are free, about $disk_wanted MB are needed" \
    "make room, or clone Hearth to a larger disk"

# Memory and swap; in a container, what it may have.
memory=$(awk '/^(MemTotal|SwapTotal):/ { sum += $2 } END { print int(sum / 1024) }' /proc/meminfo)
limit=$(cat /sys/fs/cgroup/memory.max 2>/dev/null || echo max)
[ "$limit" = max ] || [ $((limit / 1048576)) -ge "$memory" ] || memory=$((limit / 1048576))
[ "$memory" -ge "$memory_wanted" ] ||
  too_little "too little memory: $memory MB with swap, about $memory_wanted MB are needed" \
    "give the machine more memory, or swap (fallocate -l 4G /swap && chmod 600 /swap && mkswap /swap && swapon /swap)"
