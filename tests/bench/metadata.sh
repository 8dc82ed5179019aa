#!/bin/bash
# How fast the live engine is, beside a plain file server on the same machine.
#
#     bash tests/bench/metadata.sh build/release/builder/hearth [SERVERS] [DEPLOYMENTS]
#
# Figures, each with its peer's in the same run:
#   - a signal's way through a stack of SERVERS × DEPLOYMENTS (1000 × 10), to the answer, which comes when it is on disk;
#     beside it what one flush of as many bytes costs on that disk, below which no durable answer can be;
#   - 10,000 agents with an interval of 30 s: 333 polls a second, each on a connection of its own, whole documents and idle
#     ones (304);
#   - the storm: all 10,000 at once. Whoever comes last waits for all the others, so its p99 is 10,000 times what one poll
#     costs a core (nginx, with 30 µs of it: 0.3 s), and no server answers it in 20 ms. What can be compared is the ratio to
#     nginx with a static file, and the p99 where 256 are in flight at a time, as whoever retries in turn sees it.
# Needs wrk, ab (apache2-utils), nginx, curl and python3. Servers get one core (taskset), clients the others.
set -euo pipefail

hearth=$(realpath "${1:?usage: metadata.sh HEARTH [SERVERS] [DEPLOYMENTS]}")
servers=${2:-1000}
deployments=${3:-10}
here=$(cd "$(dirname "$0")" && pwd)
for program in wrk ab nginx python3; do
  command -v "$program" >/dev/null || { echo "$program is not installed" >&2; exit 77; }
done

work=$(mktemp -d)
chmod 755 "$work"  # nginx drops root
server=
cleanup() {
  [ -z "$server" ] || kill "$server" 2>/dev/null || true
  [ ! -f "$work/nginx.pid" ] || kill "$(cat "$work/nginx.pid")" 2>/dev/null || true
  rm -rf "$work"
}
trap cleanup EXIT

one_core=() others=()  # words in front of a command: a function's process could not be killed
if [ "$(nproc)" -gt 1 ]; then one_core=(taskset -c 0) others=(taskset -c "1-$(($(nproc) - 1))"); fi
ulimit -n 20000 2>/dev/null || echo "no more than $(ulimit -n) descriptors: the whole storm will fail" >&2

"${one_core[@]}" "$hearth" metadata serve --state "$work/state" --trust-loopback --cfn-port 28000 --objects-port 28080 \
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
"${one_core[@]}" nginx -c "$work/nginx.conf" -p "$work"
sleep 0.3
file_tag=$(curl -sS -o /dev/null -D - http://127.0.0.1:28081/document | tr -d '\r' | sed -n 's/^ETag: //p')
for each in "$url $tag" "http://127.0.0.1:28081/document $file_tag"; do
  status=$(curl -s -o /dev/null -w '%{http_code}' -H "If-None-Match: ${each##* }" "${each% *}")
  [ "$status" = 304 ] || { echo "an idle poll of ${each% *} was answered with $status" >&2; exit 1; }
done

rate() { "${others[@]}" wrk -t1 -c64 -d5s --latency -H "If-None-Match: $2" "$1" | awk '/99%/ {p=$2} /Requests\/sec/ {printf "%s/s, p99 %s\n", $2, p}'; }
number() { sed 's/\/s.*//' <<<"$1"; }
for round in 1 2 3; do
  ours=$(rate "$url" "$tag")
  theirs=$(rate http://127.0.0.1:28081/document "$file_tag")
  echo "round $round: idle polls (304, keep-alive): hearth $ours; nginx, static file: $theirs; ratio $(
    awk -v a="$(number "$ours")" -v b="$(number "$theirs")" 'BEGIN {printf "%.2f", a / b}')"
done
storm() {
  "${others[@]}" ab -q -n 10000 -c "$2" -s 60 -H "If-None-Match: $4" "$3" 2>/dev/null |
    awk -v n="$1" -v c="$2" '/Requests per second/ {r=$4} / 50%/ {m=$2} / 99%/ {p=$2} /Failed/ {f=$3}
      END {printf "  %s, %s in flight: %s/s, median %s ms, p99 %s ms, failed %s\n", n, c, r, m, p, f}'
}
echo "the storm of 10,000 agents, a connection each (304):"
for flight in 256 10000; do
  for round in 1 2 3; do
    storm hearth "$flight" "$url" "$tag"
    storm nginx "$flight" http://127.0.0.1:28081/document "$file_tag"
  done
done
echo "333 polls a second for 10 s, a connection each:"
steady() { "${others[@]}" python3 "$here/metadata_polls.py" "$@"; }
echo http://127.0.0.1:28081/document >"$work/file_url"
steady "hearth, documents" "$work/poll_urls" 333 10
steady "hearth, idle" "$work/poll_url" 333 10 "$tag"
steady "nginx, documents" "$work/file_url" 333 10
steady "nginx, idle" "$work/file_url" 333 10 "$file_tag"
