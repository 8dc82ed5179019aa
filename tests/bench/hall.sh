#!/bin/bash
# How large a site can be, in one table at the end: what was asked, what was measured, on which machine, and what each figure includes.
#
#   hall.py       what a node costs in halls of 100 to 100,000, each operation: processor time
#   hall_fleet.py 13,500 machines from nothing to available on one core, then 1,000 deployments at once
#   hall_postgres.py 3,000 machines and 300 deployments, with the state in PostgreSQL
#   hall_seed.py  10,000 nodes and 10,000 pollers in one seed
#   hall_page.sh  the page with 10,000 nodes, in Chromium
#   spread.sh     one image for 64 machines; of a build with tests
#
# Each part tells on stderr how far it is, and has a time at which it is broken off. All of it takes half an hour where it has the machine. Other programs may run
# meanwhile: costs are processor time; where time on the clock is meant, the load is told beside it. Exit 1 where a goal is missed.
#
# usage: hall.sh HEARTH [PART…]      PART: hall fleet postgres seed page spread (all)
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
hearth=$(realpath "$1")
shift
[ $# -gt 0 ] || set -- hall fleet postgres seed page spread
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
missed=0

# part NAME SECONDS COMMAND…: its rows go to the table, the rest of what it prints to stderr.
part() {
    local name=$1 seconds=$2 status=0
    shift 2
    echo "== $name, $seconds s at most" >&2
    timeout --kill-after=20 "$seconds" "$@" > "$work/said" || status=$?
    grep -v '^ROW' "$work/said" >&2 || true
    printf '\n%s\n' "$name" >> "$work/table"
    grep '^ROW' "$work/said" | cut -f2- >> "$work/table" || true
    case $status in
        0) ;;
        77) printf '%s\t\t%s\n' "not measured" "$(tail -n 1 "$work/said")" >> "$work/table" ;;
        1) missed=1 ;;
        *) missed=1 && printf '%s\t\t%s\tMISSED\n' "broken off" "exit $status (124: $seconds s were over)" >> "$work/table" ;;
    esac
}
excluded() { printf '%s\t\t%s\n' "left out" "$1" >> "$work/table"; }
wanted() { for each in "${parts[@]}"; do [ "$each" != "$1" ] || return 0; done && return 1; }

parts=("$@")
began=$(cut -d' ' -f1-3 /proc/loadavg)
if wanted hall; then
    part 'What a node costs: halls of 100 / 1,000 / 10,000 / 100,000 nodes' 2700 python3 -B "$here/hall.py" "$hearth"
    excluded "what BMCs and networks take (fake-hardware), and whoever asks; wall time. DHCP is a relay's, two packets each way"
fi
if wanted fleet; then
    part 'A fleet on one core' 2400 python3 -B "$here/hall_fleet.py" "$hearth"
    excluded "firmware, network boot, kernel, cleaning, disks: minutes of a real machine each. In it: verification, power, boot order and inspection, for 2,000 machines by Redfish over sockets of their own"
fi
if wanted postgres; then
    part 'The fleet in PostgreSQL, 3,000 machines' 900 python3 -B "$here/hall_postgres.py" "$hearth"
    excluded "as above; the database flushes nothing to its disk, and shares this machine"
fi
if wanted seed; then
    part 'Nodes and pollers in one seed' 900 python3 -B "$here/hall_seed.py" "$hearth"
    excluded "the agents' own work. In it: a connection and a TLS handshake for each poll, and the regular look at power"
fi
if wanted page; then
    part 'The page with 10,000 nodes, in Chromium' 600 bash "$here/hall_page.sh" "$hearth"
    excluded "the network. In it: the seed's picture, its way into the page, and drawing"
fi
if wanted spread; then
    # shellcheck disable=SC2016  # the inner shell's
    part 'One image for 64 machines: at most twice from the seed, the last within 1.3 of one alone' 1800 bash -euo pipefail -c '
        [ -x "$2" ] || { echo "there is no $2: give the hearth of a build with tests (cmake --preset dev)"; exit 77; }
        bash "$0" "$1" "$2" | sed -uE "s/^([a-z0-9 %]+): ([0-9]+ machines.*)/ROW\t\1\t\t\2/; s/^  (the last after .*)/ROW\t \t\t\1/"' \
        "$here/spread.sh" "$hearth" "$(dirname "$(dirname "$hearth")")/tests/e2e/deploy/spread_machine"
fi

printf '%s\n%s, %s cores, %s MiB; Linux %s; load at the beginning %s, at the end %s\n' "$("$hearth" --version | head -n 1)" \
    "$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)" "$(nproc)" "$(awk '/^MemTotal/ { print int($2 / 1024) }' /proc/meminfo)" \
    "$(uname -r)" "$began" "$(cut -d' ' -f1-3 /proc/loadavg)"
printf '\nwhat\tasked\tmeasured\t\n' | cat - "$work/table" | awk -F'\t' '
    NF < 2 { print; next }
    { printf "%-62s %-44s %s%s\n", $1, $2, $3, $4 == "" ? "" : "  " $4 }'
exit "$missed"
