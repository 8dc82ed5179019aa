#!/bin/bash
# How fast the live engine is, beside a plain file server on the same machine.
#
#     bash tests/bench/metadata.sh build/release/builder/hearth [SERVERS] [DEPLOYMENTS]
#
# Figures: a signal's way through a stack of SERVERS × DEPLOYMENTS (1000 × 10), polls of 10,000 agents (333 a second, and
# as many at once as 256 connections carry), and nginx serving one static file of the same size in the same run. Needs wrk,
# ab (apache2-utils), nginx and python3. Both servers get one core (taskset) where there is more than one.
set -euo pipefail

hearth=$(realpath "${1:?usage: metadata.sh HEARTH [SERVERS] [DEPLOYMENTS]}")
servers=${2:-1000}
deployments=${3:-10}
here=$(cd "$(dirname "$0")" && pwd)
for program in wrk ab nginx python3; do
  command -v "$program" >/dev/null || { echo "$program is not installed" >&2; exit 77; }
done

work=$(mktemp -d)
server=
cleanup() {
  [ -z "$server" ] || kill "$server" 2>/dev/null || true
  [ ! -f "$work/nginx.pid" ] || kill "$(cat "$work/nginx.pid")" 2>/dev/null || true
  rm -rf "$work"
}
trap cleanup EXIT

one_core() { if [ "$(nproc)" -gt 1 ]; then taskset -c 0 "$@"; else "$@"; fi; }

one_core "$hearth" metadata serve --state "$work/state" --trust-loopback --cfn-port 28000 --objects-port 28080 \
  --heat-port 28004 --identity-port 25000 >"$work/ports" 2>"$work/log" &
server=$!
for _ in $(seq 100); do [ "$(wc -l <"$work/ports")" = 4 ] && break; sleep 0.05; done

python3 "$here/metadata_stack.py" "$hearth" "$servers" "$deployments" "$work"
url=$(cat "$work/poll_url")
tag=$(curl -sS -o "$work/document" -D - "$url" | tr -d '\r' | sed -n 's/^Etag: //Ip')

cat >"$work/nginx.conf" <<CONF
worker_processes 1;
pid $work/nginx.pid;
error_log $work/nginx.log;
events { worker_connections 20000; }
http { access_log off; keepalive_requests 1000000;
  server { listen 127.0.0.1:28081 backlog=4096; root $work; } }
CONF
one_core nginx -c "$work/nginx.conf" -p "$work"
sleep 0.3
file_tag=$(curl -sS -o /dev/null -D - http://127.0.0.1:28081/document | tr -d '\r' | sed -n 's/^ETag: //p')

rate() { wrk -t1 -c64 -d5s --latency -H "If-None-Match: $2" "$1" | awk '/99%/ {p=$2} /Requests\/sec/ {printf "%s/s, p99 %s\n", $2, p}'; }
number() { sed 's/\/s.*//' <<<"$1"; }
for round in 1 2 3; do
  ours=$(rate "$url" "$tag")
  theirs=$(rate http://127.0.0.1:28081/document "$file_tag")
  echo "round $round: idle polls (304, keep-alive): hearth $ours; nginx, static file: $theirs; ratio $(
    awk -v a="$(number "$ours")" -v b="$(number "$theirs")" 'BEGIN {printf "%.2f", a / b}')"
done
echo "10,000 agents at once, a connection each, 256 at a time:"
for each in "$url|$tag|hearth" "http://127.0.0.1:28081/document|$file_tag|nginx"; do
  IFS='|' read -r where held name <<<"$each"
  ab -q -n 10000 -c 256 -H "If-None-Match: $held" "$where" 2>/dev/null |
    awk -v n="$name" '/Requests per second/ {r=$4} / 99%/ {p=$2} /Failed/ {f=$3} END {printf "  %s: %s/s, p99 %s ms, failed %s\n", n, r, p, f}'
done
python3 "$here/metadata_polls.py" "$work/poll_urls" 333 10
