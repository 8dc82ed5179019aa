#!/bin/bash
# Installs what is missing, builds, and runs the tests. Works from any directory, as root or with sudo.
#
# usage: tests/run.sh [CTEST-OPTION…]     for example: tests/run.sh -L unit
# HEARTH_PRESET=asan (or tsan, coverage) chooses another preset than dev.
#
# The last lines are ctest's own summary and, where tests failed, the end of what each of them said. The exit code is
# ctest's.
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

# last_words FILE: of ctest's log, the last lines of each test that failed.
last_words() {
  awk -v most=20 '
    /^[0-9]+\/[0-9]+ Test: / { name = $3; said = 0 }
    /^<end of output>$/ { inside = 0 }
    inside { line[said++ % most] = $0 }
    /^Output:$/ { inside = 1; getline }
    /^Test time =/ { took = $4 }
    /^Test Failed/ {
      print "== " name " failed after " took " s; it ended with:"
      for (i = said > most ? said - most : 0; i < said; ++i) print "  " line[i % most]
    }' "$1"
}

cd "$root"
stage install bash cmake/install-packages.sh build run test
stage configure configure
stage build cmake --build --preset "$preset" -j "$jobs"
code=0
ctest --preset "$preset" --output-on-failure -j "$jobs" "$@" || code=$?
[ "$code" -eq 0 ] || last_words "build/$preset/Testing/Temporary/LastTest.log"
exit "$code"
