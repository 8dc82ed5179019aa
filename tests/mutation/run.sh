#!/bin/bash
# Plants small faults in a room, one at a time, and tells which test notices each (tests/mutation/README.md).
#
# usage: tests/mutation/run.sh ROOM|all [N | A-B | PATTERN]
#
# All rows of tests/mutation/ROOM.txt, or of all rooms; N drawn at random; those numbered A to B; those in which PATTERN is found
# (a file, a text, "control: ").
#
# Needs the build of the preset dev, or HEARTH_PRESET. HEARTH_MUTATION_SEED draws the same rows again. HEARTH_MUTATION_JOBS:
# how many at once (else one for each processor). HEARTH_MUTATION_HASTY=1: what seems unnoticed is not compiled a second time.
# Exit code 1: a fault that nobody noticed, or a row that is not true.
set -euo pipefail

case ${1:---help} in --help | -h)
  sed -n '2,/^set /{/^#/s/^# \?//p}' "${BASH_SOURCE[0]}"
  exit $(($# ? 0 : 2))
  ;;
esac
if [ "${*: -1}" = --long ]; then
  [ -n "${HEARTH_LONG:-}" ] || { echo "SKIPPED: HEARTH_LONG is not set" && exit 77; }
  set -- "${@:1:$#-1}"
fi
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
exec python3 -B "$root/tests/mutation/mutate.py" "$root" "${HEARTH_MUTATION_BUILD:-$root/build/${HEARTH_PRESET:-dev}}" "$@"
