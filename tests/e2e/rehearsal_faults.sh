#!/bin/bash
# examples/three-nodes with something wrong at each machine: control1's disk is dead until somebody replaces it, compute1
# loses its power while its image is written, compute2's cable loses every tenth frame. At the end all is as without.
#
# usage: HEARTH=… rehearsal_faults.sh OUTPUT     images are kept in OUTPUT
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
status=0
bash "$here/three_nodes.sh" "$1" --timeout 2400 --inject dead-disk:control1 --inject power-loss:compute1@deploying \
    --inject lossy-link:compute2 || status=$?
[ "$status" != 77 ] || exit 77

# expect FILE PATTERN…: lines of the file, in this order.
expect() {
    local file=$1/$2 from=0 pattern found
    shift 2
    for pattern; do
        found=$(pattern=$pattern awk -v from="$from" 'NR > from && $0 ~ ENVIRON["pattern"] { print NR; exit }' "$file")
        [ -n "$found" ] || { echo "FAILED: '$pattern' is not in $file after line $from" >&2; status=1; return 0; }
        from=$found
    done
}
expect "$1" run.log 'fault: dead-disk:control1' 'control1 state: deploying -> deploy failed' \
    'control1 failure: .*Input/output error' 'the disk of control1 is replaced' '== deployment \(again\)' 'control1 .*-> active'
expect "$1" run.log 'fault: power-loss:compute1@deploying' 'compute1 restart: the machine booted again .*starting over' \
    'compute1 .*-> active'
expect "$1" run.log 'fault: lossy-link:compute2' 'compute2 .*-> active'
expect "$1/rehearsal/machines/compute1" console.log 'rehearsal: fault: power-loss' 'rehearsal: current is back' 'rehearsal: power on'
expect "$1/rehearsal/machines/compute2" console.log 'rehearsal: its link has lost [1-9][0-9]+ of [0-9]{3,} frames'
for never in 'not injected' 'compute1 failure' 'compute2 failure'; do
    ! grep -E -- "$never" "$1/run.log" || { echo "FAILED: '$never' is in the output" >&2; status=1; }
done
exit "$status"
