#!/bin/bash
# Compiling a TripleO tree (branch pike, the deployed-server plan: 700 resources, four stacks deep) beside Heat's own
# engine in process, with the values compared; then 1,000 servers with 10 deployments each. Prints times, memory, ratios.
#
# usage: heat_compile.sh HEARTH [ROUNDS]      HEARTH_TRIPLEO_TREE=DIR: tripleo-heat-templates, as checked out, for the
# first part; needs python3-heat
set -euo pipefail

hearth=$(readlink -f "$1")
rounds=${2:-7}
peers=$(dirname "$(readlink -f "$0")")/../peers/heat
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# measure NAME COMMAND…: "SECONDS KILOBYTES" of the median run, CPU time.
measure() {
    local name=$1
    shift
    for _ in $(seq "$rounds"); do
        /usr/bin/python3 -c 'import resource, subprocess, sys
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
u = resource.getrusage(resource.RUSAGE_CHILDREN)
print(f"{u.ru_utime + u.ru_stime:.3f} {u.ru_maxrss}")' "$@" >> "$work/$name.times"
    done
    sort -n "$work/$name.times" | awk '{ v[NR] = $0 } END { print v[int((NR + 1) / 2)] }'
}

thousand() {
    /usr/bin/python3 "$peers/thousand.py" "$work/thousand" 1000 10
    read -r seconds kilobytes < <(measure thousand "$hearth" metadata compile -t "$work/thousand/top.yaml" -o "$work/out")
    printf '1,000 servers with 10 deployments: %s s CPU, %s MB (at most 1 s, 300 MB: ratio %s)\n' "$seconds" \
        "$((kilobytes / 1024))" "$(awk -v s="$seconds" 'BEGIN { printf "%.2f", s / 1 }')"
}

tripleo() {
    [ -n "${HEARTH_TRIPLEO_TREE:-}" ] || { echo "SKIPPED: TripleO's tree: HEARTH_TRIPLEO_TREE names none"; return; }
    /usr/bin/python3 -c 'import heat' 2> /dev/null || { echo "SKIPPED: TripleO's tree: python3-heat is not installed"; return; }
    /usr/bin/python3 "$peers/tripleo.py" prepare "$HEARTH_TRIPLEO_TREE" "$work/tripleo" "$hearth"
    local command=("$hearth" metadata compile)
    mapfile -t options < "$work/tripleo/options"
    cd "$HEARTH_TRIPLEO_TREE"
    read -r seconds kilobytes < <(measure tripleo "${command[@]}" "${options[@]}" -o "$work/tripleo/out")
    local heat
    heat=$(/usr/bin/python3 "$peers/tripleo.py" compare "$work/tripleo" "$hearth" "${options[@]}")
    printf '%s\n' "$heat"
    printf 'TripleO tree: %s s CPU, %s MB (at most 0.5 s); Heat %s s: ratio %s\n' "$seconds" "$((kilobytes / 1024))" \
        "${heat##* }" "$(awk -v a="$seconds" -v b="${heat##* }" 'BEGIN { printf "%.3f", a / b }')"
}

thousand
tripleo
