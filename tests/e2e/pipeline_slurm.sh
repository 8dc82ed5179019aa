#!/bin/bash
# `hearth image pipeline --for slurm`, run by Slurm itself: two nodes of one processor each, on this machine, in namespaces of their
# own. The same bytes as by one command; a failed job stops no other, one that is killed is done again.
# shellcheck source-path=SCRIPTDIR source=lib.sh source=slurm_site.sh
[ -n "${HEARTH_TEST_SITE:-}" ] || exec "$(dirname "$0")/slurm_site.sh" "$0"
. "$(dirname "$0")/lib.sh"
# shellcheck source=pipeline_images.sh
. "$here/pipeline_images.sh"
export HEARTH
remember

. "$here/slurm_site.sh"
start_site || { finish; exit; }

"$HEARTH" image pipeline images.yaml --for slurm -o images.sh || fail "the pipeline"
sh images.sh > submitted 2> out || fail "sbatch: $(cat out)"
[ "$(wc -l < submitted)" = 10 ] || fail "not ten jobs: $(cat submitted)"
until_true 90 nothing_waits
same_digests "on two nodes"
shared_once
[ "$(squeue -h -t completed -o %N | sort -u | tr '\n' ' ')" = "n1 n2 " ] || fail "not both nodes did something: $(squeue -t all)"
grep -q "The steps up to pre-install.d/10-shared are kept." shared-1.log || fail "the log of a shared job: $(cat shared-1.log)"

# kill -9 of a shared job and of an image's; what needs them is not run. The script once more: the same bytes.
submit() { sh images.sh > submitted 2> out || fail "sbatch: $(cat out)"; }
number() { awk -v name="$1" '$2 == name { print $1 }' submitted; }
for name in shared-1 image-rich-slow; do
    forget
    submit
    running() { [ "$(state "$name")" = RUNNING ]; }
    until_true 60 running
    sleep "0.$((RANDOM % 4))"
    scancel --full --signal=KILL "$(number "$name")" || fail "no $name to kill: $(squeue -t all)"
    until_true 90 nothing_waits
    case $(state "$name") in COMPLETED) fail "$name was killed too late" ;; esac
    [ "$name" != shared-1 ] || [ "$(state image-plain-1)" = CANCELLED ] || fail "image-plain-1 is $(state image-plain-1) without $name"
    submit
    until_true 90 nothing_waits
    same_digests "behind a killed $name"
done

forget
"$HEARTH" image pipeline bad.yaml --for slurm > bad.sh || fail "the pipeline of a bad image"
sh bad.sh --nice=1 > submitted 2> out || fail "sbatch of a bad image: $(cat out)"
until_true 90 nothing_waits
[ "$(state image-plain-bad)" = FAILED ] && [ "$(state image-rich-2)" = COMPLETED ] || fail "states: $(squeue -t all)"
[ "$(ls ./*.tar | wc -l)" = 5 ] || fail "the others are not built: $(ls)"
finish
