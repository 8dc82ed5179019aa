#!/bin/bash
# Our agent against Debian's Python programs, in one run on the same inputs: seconds of wall and CPU time, their ratio,
# memory and size. Usage: agent.sh BINARY [ROUNDS]. Needs python3-os-collect-config and python3-os-apply-config.
set -eu
set -o pipefail

binary=$(readlink -f "$1")
rounds=${2:-10}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$binary" install-links "$work/bin"
ours=$work/bin
theirs=/usr/bin
for program in os-collect-config os-apply-config; do
    if [ ! -x "$theirs/$program" ]; then
        echo "SKIPPED: $theirs/$program is not installed"
        exit 77
    fi
done

python3 - "$work" <<'PYTHON'
import json, os, sys
work = sys.argv[1]
os.makedirs(work + "/local")
for i in range(10):
    with open("%s/local/%02d.json" % (work, i), "w") as f:
        json.dump({"key%d" % j: {"text": "x" * 40, "list": [j, 1.5, None]} for j in range(100)}, f)
data = {"item%d" % i: {"name": "n%d" % i, "text": "y" * 900, "on": True} for i in range(1100)}
with open(work + "/metadata.json", "w") as f:
    json.dump(data, f)
for i in range(100):
    path = "%s/templates/etc/d%d/file%d.conf" % (work, i % 10, i)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as f:
        for j in range(25):
            f.write("{{#item%d}}{{name}}={{on}}{{/item%d}} {{item%d.name}}\n" % (i + j, i + j, i + j * 7))
PYTHON
printf '[DEFAULT]\ncachedir=%s/cache\n[local]\npath=%s/local\n' "$work" "$work" >"$work/c.conf"
chmod 755 "$work" "$work/local"

collect=(os-collect-config --config-file "$work/c.conf" --one-time --print local)
apply=(os-apply-config --templates "$work/templates" --metadata "$work/metadata.json" --fallback-metadata --output)
start=(os-apply-config --print-templates)

# measure LABEL DIRECTORY COMMAND…: sets wall and cpu (milliseconds a run) and rss (KiB).
measure() {
    local directory=$1
    shift
    local program=$1
    shift
    local figures
    figures=$(python3 - "$rounds" "$directory/$program" "$@" <<'PYTHON'
import os, subprocess, sys, time
rounds, command = int(sys.argv[1]), sys.argv[2:]
env = {"PATH": "/usr/bin:/bin", "HOME": "/nonexistent", "LC_ALL": "C"}
begin, best_rss = time.monotonic(), 0
cpu = 0.0
for _ in range(rounds):
    child = subprocess.Popen(command, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = status
    if status != 0:
        sys.exit("%s: status %d" % (command, status))
    cpu += usage.ru_utime + usage.ru_stime
    best_rss = max(best_rss, usage.ru_maxrss)
wall = time.monotonic() - begin
print("%.2f %.2f %d" % (1000 * wall / rounds, 1000 * cpu / rounds, best_rss))
PYTHON
    )
    read -r wall cpu rss <<<"$figures"
}

compare() {
    local label=$1
    shift
    measure "$ours" "$@"
    local our_wall=$wall our_cpu=$cpu our_rss=$rss
    measure "$theirs" "$@"
    awk -v l="$label" -v a="$our_wall" -v b="$wall" -v c="$our_cpu" -v d="$cpu" -v e="$our_rss" -v f="$rss" 'BEGIN {
        printf "%-28s wall %7.2f / %8.2f ms = 1/%-6.1f cpu %7.2f / %8.2f ms = 1/%-6.1f rss %6.1f / %5.1f MB = 1/%.1f\n",
            l, a, b, b / a, c, d, (c > 0 ? d / c : 0), e / 1024, f / 1024, f / e }'
}

mkdir "$work/out"
echo "ours / Debian's Python, mean of $rounds runs; load $(cut -d' ' -f1 /proc/loadavg)"
compare "start (--print-templates)" "${start[@]}"
compare "os-collect-config --print" "${collect[@]}"
compare "os-apply-config 100 x 1 MB" "${apply[@]}" "$work/out"
echo "binary: $(stat -c %s "$binary") bytes, $("$binary" --version)"
