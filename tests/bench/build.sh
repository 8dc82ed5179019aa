#!/bin/bash
# What compiling Hearth costs, without a compiler cache: cold builds of `release` and of `dev` with all tests, and for each
# room the time from an edit of one of its files to the end of `ctest -L unit-<room>`. Prints processor and wall time, and
# the ten dearest units.
#
# usage: tests/bench/build.sh [DIRECTORY]     builds in DIRECTORY (a new one below $TMPDIR, removed afterwards)
#
# Limits that HACKING.md names: release 420 s of processor time, 240 s on two quiet processors; dev 900 s and 480 s; after
# an edit 25 s.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
if [ $# -gt 0 ]; then
  mkdir -p "$1"
  work=$(cd "$1" && pwd)
else
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
fi
export CCACHE_DISABLE=1

# timed NAME COMMAND…: its wall and processor seconds; what it says is kept in a file, and shown when it fails.
timed() {
  local name=$1 figures
  shift
  if ! { figures=$({ TIMEFORMAT='%R %U %S'; time "$@" >"$work/log" 2>&1; } 2>&1); }; then
    tail -n 40 "$work/log" >&2
    printf '%s: failed\n' "$name" >&2
    exit 1
  fi
  awk -v name="$name" '{ printf "%-34s wall %6.1f s   processor %6.1f s\n", name, $1, $2 + $3 }' <<<"$figures"
}

# dearest DIRECTORY: the ten steps that took longest, by ninja's own log.
dearest() {
  awk 'NR > 1 && $4 !~ /^(build\.ninja|CMakeFiles)/ { printf "  %6.1f s  %s\n", ($2 - $1) / 1000, $4 }' "$1/.ninja_log" |
    sort -rn | head -n 10
}

cold() {
  local preset=$1
  cmake -S "$root" -B "$work/$preset" --preset "$preset" >"$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }
  timed "cold $preset" cmake --build "$work/$preset"
  dearest "$work/$preset"
}

# edit ROOM FILE: as a developer: one file changed, its room's unit tests built and run.
rebuilt() {
  local room=$1 target
  for target in $(ctest --test-dir "$work/dev" -N -L "^unit-$room\$" --show-only=json-v1 |
    python3 -c 'import json, sys; print("\n".join(sorted({test["command"][0].rsplit("/", 1)[-1]
      for test in json.load(sys.stdin)["tests"] if test.get("command") and test["command"][0].endswith("_unit_tests")})))'); do
    printf '%s\n' "$target"
  done
}

edited() {
  local room=$1 file=$root/$2 targets
  mapfile -t targets < <(rebuilt "$room")
  touch "$file"
  timed "edit $2" sh -c 'cmake --build "$0" --target "$@"' "$work/dev" "${targets[@]}"
  timed "  ctest -L unit-$room" ctest --test-dir "$work/dev" -L "^unit-$room\$" -j "$(nproc)"
}

cold release
cold dev
edited base base/text.cpp
edited builder builder/elements/closure.cpp
edited metadata metadata/graph/network.cpp
edited agent agent/refresh/phases.cpp
edited pxe pxe/dhcp/engine.cpp
edited bootstrap bootstrap/conductor/flow.cpp
