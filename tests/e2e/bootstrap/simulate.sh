#!/bin/bash
# `hearth simulate`: a person's site file is played many times, its weakest points are named, one run is played again, and what
# can't be played is refused.
#
# usage: simulate.sh HEARTH
set -euo pipefail

hearth=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
mkdir tmp
export TMPDIR=$work/tmp

fail() { echo "FAILED: $*" >&2; exit 1; }
# What a command says, all of it, and that it ends with this code.
said() {
  local code=$1 got=0
  shift
  out=$("$@" 2>&1) || got=$?
  [ "$got" = "$code" ] || fail "$* ended with $got, not $code: $out"
}
holds() { [[ $out == *"$1"* ]] || fail "this does not say '$1': $out"; }

# site POOL
site() {
  cat <<YAML
network: {subnet: 192.0.2.0/24, seed: 192.0.2.1, pool: $1}
deploy: {kernel: deploy.kernel, ramdisk: deploy.initramfs}
image: node.qcow2
machines:
  - {name: control1, firmware: uefi, address: 192.0.2.11}
  - {name: compute1, firmware: bios}
  - {name: compute2, firmware: bios}
  - {name: compute3}
YAML
}
nothing_is_left() { [ -z "$(ls -A tmp)" ] || fail "$1 left in TMPDIR: $(find tmp | head -5)"; }
site 192.0.2.100-192.0.2.150 > site.yaml
site 192.0.2.100-192.0.2.101 > small.yaml

# All is well without faults, and nothing is left behind.
said 0 "$hearth" simulate site.yaml --runs 4 --faults none
holds "4 runs of 4 machines, none of the faults: 4 came to their end"
holds "all machines run: median "
holds "note: image: $work/node.qcow2 is not there"
holds "no weak point was seen"
nothing_is_left "a played site"

# Faults have their price.
said 0 "$hearth" simulate site.yaml --runs 2 --years 0.05 --faults often --json
python3 - "$out" <<'PYTHON' || fail "the report: $out"
import json, sys
report = json.loads(sys.argv[1][sys.argv[1].index("{"):])
assert report["runs"] == 2 and report["machines"] == 4 and report["faults_played"] > 30, report
assert report["converged"]["count"] == 2 and report["converged"]["median"] > 120, report["converged"]
assert any(cost["p99"] > 0 for cost in report["cost_of_faults"].values()), report["cost_of_faults"]
assert any(point["kind"] == "fault-cost" for point in report["weak_points"]), report["weak_points"]
assert report["broken"] == [], report["broken"]
PYTHON

# A pool that is too small: its machines never all run, which is told with the way to see it.
said 1 "$hearth" simulate small.yaml --runs 2 --faults none
holds "0 came to their end"
holds "6.0 h after the last fault: "
holds "hearth simulate small.yaml --faults none --replay 1"
holds "of boots wait for an address, since none is free: 2 for 3 machines"

# An image that can't come in time is not one that took no time.
truncate -s 2T node.qcow2
said 1 "$hearth" simulate site.yaml --runs 1 --faults none
holds " images of 2.0 TiB had not come when a run was given up; up to 4 were fetched at a time"
rm node.qcow2

# One run again, the same each time; drawn; and not taken for another one.
said 0 "$hearth" simulate site.yaml --faults storm --replay 3 --timeline run.svg
holds "FAULT"
holds "it came to its end"
digest=$(grep -o 'run 3, digest [0-9a-f]*' <<< "$out" | cut -d' ' -f4)
grep -q '>compute3</text>' run.svg || fail "the timeline has no row of compute3"
said 0 "$hearth" simulate site.yaml --faults storm --replay 3 --expect "$digest" --json
holds "\"digest\":\"$digest\""
said 1 "$hearth" simulate site.yaml --faults storm --replay 4 --expect "$digest"
holds "run 4 is another one than $digest"
holds "another Hearth"
said 0 "$hearth" simulate site.yaml --faults 'power-loss:compute1@200+0,kill-conductor@210.5+0' --replay 1
holds "power-loss:compute1@200.000+0.000"

# A process that is killed costs the run that it played, and is told.
"$hearth" simulate site.yaml --runs 2 --years 0.3 -j2 > killed.txt 2>&1 &
starter=$!
for _ in {1..1200}; do
  player=$(pgrep -P "$starter" | head -1) || true
  [ -z "$player" ] || break
  sleep 0.05
done
[ -n "$player" ] || fail "no process plays: $(cat killed.txt)"
for _ in {1..1200}; do
  [ -z "$(find tmp -name kernel)" ] || break
  sleep 0.05
done
kill -9 "$player"
! wait "$starter" || fail "a run whose process was killed counts as played: $(cat killed.txt)"
out=$(cat killed.txt)
holds "the process that played it ended: killed by SIGKILL (for lack of memory?)"
holds "1 came to their end"
nothing_is_left "a process that was killed"

# Nor does one that is stopped leave anything: many runs, and one that is played again.
for wish in "--runs 100 --years 20" "--replay 1 --years 20"; do
  # shellcheck disable=SC2086 # two options
  "$hearth" simulate site.yaml $wish > stopped.txt 2>&1 &
  starter=$!
  for _ in {1..1200}; do
    [ -z "$(find tmp -name ramdisk)" ] || break
    sleep 0.05
  done
  [ -n "$(find tmp -name ramdisk)" ] || fail "$wish: nothing is played: $(cat stopped.txt)"
  kill -INT "$starter"
  code=0
  wait "$starter" || code=$?
  [ "$code" = 130 ] || fail "$wish, stopped, ended with $code: $(tail -3 stopped.txt)"
  nothing_is_left "$wish, stopped,"
done

# Off a terminal, too, it says how far it is; what is stopped before a run has ended has nothing to report, and says so.
"$hearth" simulate site.yaml --runs 10000 > stopped.txt 2>&1 &
starter=$!
for _ in {1..400}; do
  ! grep -q " of 10000 runs" stopped.txt || break
  sleep 0.1
done
kill -INT "$starter" 2> /dev/null || true
wait "$starter" || true
out=$(cat stopped.txt)
holds "playing 10000 runs of 4 machines, "
holds " of 10000 runs"
holds "; --runs N plays fewer"
holds "note: stopped "
nothing_is_left "what told how far it is"

# Strangers are told of, and may be left out.
said 0 "$hearth" simulate site.yaml --runs 1 --years 0.05
holds "note: 18 computers an hour that the site does not know ask for an address, too: they have up to 18 of the pool's 51"
said 0 "$hearth" simulate site.yaml --runs 1 --years 0.05 --strangers 0
[[ $out != *"does not know"* ]] || fail "a closed network has strangers: $out"

# What can't be played.
said 2 "$hearth" simulate site.yaml --faults flood
holds "'flood' is no kind of fault: there are kill-conductor, "
said 2 "$hearth" simulate site.yaml --faults 'power-loss:compute9@1+0'
holds "there is no machine 'compute9'; did you mean compute1?"
said 2 "$hearth" simulate site.yaml --timeline run.svg
said 2 "$hearth" simulate site.yaml --replay 1 --timeline run.png
holds "--timeline run.png: it is drawn as SVG, whose files end in .svg"
said 2 "$hearth" simulate site.yaml --years 0
holds "hearth simulate: --years 0: a number above 0, and up to 20"
holds "Try 'hearth simulate --help'"
said 2 "$hearth" simulate site.yaml --strangers 3601
holds "is not a whole number from 0 to 3600"
said 2 "$hearth" simulate instackenv.json
holds "a site file (.yaml: hearth site new writes one) or an incident (.tar.zst: hearth incident NODE) is expected"
sed 's/^network:/later: {of: another version}\nnetwork:/' site.yaml > later.yaml
said 1 "$hearth" simulate later.yaml
holds "later.yaml:1"
echo "a site was played, its weak points were named, and what can't be played was refused"
