#!/bin/bash
# What a node costs the conductor in halls of three sizes: processor time of `hearth node serve` for each, brought from nothing to
# available, looked at by the regular power sync, listed, asked for by name, and idle. Goal: the same for each node in a hall four and
# sixteen times as large, within 20 %, which is checked. Machines are made up (fake-hardware): what BMCs and networks take is not in it.
#
# usage: hall.sh HEARTH [NODES]      NODES: of the smallest hall (1,000)
set -euo pipefail
hearth=$(readlink -f "$1")
smallest=${2:-1000}
work=$(mktemp -d)
chmod 755 "$work" # the server becomes a user who is nobody else
server=
trap '[ -z "$server" ] || kill "$server"; rm -rf "$work"' EXIT

# ticks: processor time of the server so far, in hundredths of a second.
ticks() { awk -v hz="$(getconf CLK_TCK)" '{ print int(($14 + $15) * 100 / hz) }' "/proc/$server/stat"; }
# cost WORD COUNT COMMAND…: what COMMAND made the server take, in microseconds for each of COUNT.
cost() {
  local word=$1 count=$2 before
  shift 2
  before=$(ticks)
  "$@" > /dev/null
  echo "$word $((($(ticks) - before) * 10000 / count))" >> "$work/costs"
}
ask() { curl -sS --fail-early -f --unix-socket "$work/state/api.socket" -H 'X-OpenStack-Ironic-API-Version: 1.82' "$@"; }

# hall NODES: the costs, into $work/costs
hall() {
  local nodes=$1
  rm -rf "$work/state" "$work/costs"
  mkdir "$work/state"
  jq -nc --argjson n "$nodes" '{nodes: [range($n) | {name: "n\(.)", driver: "fake-hardware", ports: [{address:
    ("52:54" + ([.] | map([. / 16777216, . / 65536, . / 256, .] | map(floor % 256 + 256) | map(["0123456789abcdef"[((. - 256) / 16 | floor):][:1],
      "0123456789abcdef"[(. % 16):][:1]] | ":" + join("")) | join("")) | join("")))}]}]}' > "$work/hall.json"
  "$hearth" node serve --state "$work/state" --rehearsal --port 0 --power-sync-interval 15 > "$work/out" 2> "$work/log" &
  server=$!
  until [ -S "$work/state/api.socket" ]; do sleep 0.1; done
  cost import "$nodes" "$hearth" node import --state "$work/state" "$work/hall.json"
  cost power-sync "$nodes" sleep 16
  cost list "$nodes" "$hearth" node list --state "$work/state" --json
  cost by-name 1000 ask "http://localhost/v1/nodes/n[0-999]" # curl asks for each, on one connection
  kill "$server"
  wait "$server" || true
  server=
}

for size in 1 4 16; do
  hall $((smallest * size))
  cp "$work/costs" "$work/costs.$size"
done
echo "us for each node   $(printf '%14s' "$smallest" $((smallest * 4)) $((smallest * 16))) nodes"
missed=0
while read -r word one; do
  four=$(awk -v w="$word" '$1 == w { print $2 }' "$work/costs.4")
  sixteen=$(awk -v w="$word" '$1 == w { print $2 }' "$work/costs.16")
  printf '%-18s %14d%14d%14d\n' "$word" "$one" "$four" "$sixteen"
  [ $((sixteen * 10)) -le $((one * 12 + 100)) ] || { echo "  dearer in the larger hall by more than 20 %"; missed=1; }
done < "$work/costs.1"
exit $missed
