#!/bin/bash
# Installs what is missing, builds, and runs the tests. Works from any directory, as root or with sudo.
#
# usage: tests/run.sh [CTEST-OPTION…]     for example: tests/run.sh -L unit
# HEARTH_PRESET=asan (or tsan, coverage) chooses another preset than dev.
#
# The last lines are ctest's own summary, the exit code is ctest's.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
preset=${HEARTH_PRESET:-dev}
jobs=$(nproc)

# stage NAME COMMAND…: runs it and says how long it took.
stage() {
  local name=$1 began=$SECONDS
  shift
  "$@"
  printf '== %s: %d s\n' "$name" $((SECONDS - began))
}

configure() {
  local log=$root/build/$preset-configure.log
  mkdir -p "$root/build"
  cmake --preset "$preset" >"$log" 2>&1 || {
    cat "$log" >&2
    return 1
  }
}

cd "$root"
stage install bash cmake/install-packages.sh build run test
stage configure configure
stage build cmake --build --preset "$preset" -j "$jobs"
exec ctest --preset "$preset" --output-on-failure -j "$jobs" "$@"
