#!/bin/bash
# Installs what is missing, builds, and runs tests. Works from any directory, as root or with sudo.
#
# usage: tests/run.sh [--all | --long] [CTEST-OPTION…]     for example: tests/run.sh -L unit
#
#   (nothing)   the quick ones: unit, lint, and a short proof of each journey
#   --all       all that CI runs: also every journey end to end, and the original programs beside ours
#   --long      also what takes hours: HEARTH_LONG=1, the sanitizers, clang-tidy, coverage, and fuzzers with new seeds
#
# Options of ctest choose among those: -R and -E (names), -L and -LE (labels), -I, -j, -V, --rerun-failed, --repeat,
# --stop-on-failure, --timeout, --progress. HEARTH_PRESET=asan (or tsan, coverage) builds and runs another preset than dev.
#
# It ends with the tests that failed and what they said last, the ten slowest, what was skipped and why, and ctest's own summary.
# A skip that .ci/may-skip does not list is a failure.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
jobs=$((2 * $(nproc)))  # places: a test that computes takes two (tests/places/CMakeLists.txt)
size=quick
case ${1:-} in
  --all | --long) size=${1#--} && shift ;;
  --help | -h) sed -n '2,/^set /{/^#/s/^# \?//p}' "${BASH_SOURCE[0]}" && exit ;;
esac
# ctest passes over what it does not know without a word.
valued=  # the option before it, where that takes a value
for word in "$@"; do
  case $word in
    -[REILj] | -LE | --repeat | --timeout) valued=$word ;;
    -[VQ] | -VV | -j[0-9]* | --rerun-failed | --stop-on-failure | --progress) valued= ;;
    -*) echo "tests/run.sh: there is no option $word here (--all or --long comes first); see tests/run.sh --help" >&2 && exit 2 ;;
    *)
      [ -n "$valued" ] || { echo "tests/run.sh: '$word' is no option. Tests by their name: -R $word; by their label: -L $word" >&2 && exit 2; }
      valued=
      ;;
  esac
done
declare -A groups=([quick]="build run test" [all]="build run test peers" [long]="build run test peers analysis")
# What the build and the tests' images take, in megabytes.
declare -A disk=([quick]=6000 [all]=10000 [long]=40000)

# stage NAME COMMAND…: runs it and says how long it took.
stage() {
  local name=$1 began=$SECONDS code=0
  shift
  "$@" || code=$?
  printf '== %s: %d s\n' "$name" $((SECONDS - began))
  return "$code"
}

# build PRESET [OPTION…]
build() {
  stage "build ($1)" bash cmake/build.sh "$@"
}

# run_tests PRESET [CTEST-OPTION…]: and the report; fails when a test fails, or skips and may not.
run_tests() {
  local preset=$1 code=0 results
  shift
  results=$root/build/$preset/Testing
  mkdir -p "$results"
  rm -f "$results/results.xml"
  # What Debian's packages bring goes before what a manager of versions puts there: its python3 is a script of forty processes.
  # What a test leaves running must not hold the lock.
  PATH=/usr/sbin:/usr/bin:/sbin:/bin:$PATH ctest --preset "$preset" --no-tests=error --output-on-failure -j "$jobs" \
    --output-junit "$results/results.xml" --test-output-size-passed 200000 --test-output-size-failed 1000000 "$@" 2>&1 8>&- | tee "$results/output" || code=$?
  python3 -B tests/report.py "$results/results.xml" .ci/may-skip || [ "$code" -ne 0 ] || code=1
  if grep -q '^No tests were found' "$results/output" && [ "$size" = quick ]; then
    echo "None of the quick tests is one of these; bash tests/run.sh --all $* looks among all." >&2
  fi
  printf '%s\n' "$(grep -E '^[0-9]+% tests passed' "$results/output" || echo 'no test ran')"
  return "$code"
}

# others: what --long does beside the tests of the one preset; each says what failed, and the next one runs all the same.
others() {
  local preset code=0
  for preset in asan tsan; do
    build "$preset" && run_tests "$preset" -L unit "$@" || code=1
  done
  build tidy -- -k 0 || code=1  # all that it finds, not the first
  build coverage && run_tests coverage -L unit "$@" && stage "coverage" covered || code=1
  build fuzz --target fuzz_targets && run_tests fuzz "$@" || code=1
  return "$code"
}

covered() {
  gcovr --root . build/coverage --exclude tests/ --exclude build/ --json-summary build/coverage/coverage.json
  python3 -B tests/coverage.py build/coverage/coverage.json tests/coverage-floors
}

cd "$root"
bash cmake/check-machine.sh "$root" "${disk[$size]}"
mkdir -p build
exec 8>>build/tests-lock
flock --nonblock 8 || { echo "other tests run in $root; waiting until they are done…" && flock 8; }
# What only tests need is installed while the compiler works: dpkg takes one processor. At a terminal all is installed before:
# somebody may be asked for a password, or what may be removed.
first=${groups[$size]} later=
if [ "$size" != quick ] && [ ! -t 0 ]; then
  first="build test" later=${groups[$size]/build run test/run}
fi
# shellcheck disable=SC2086  # names of groups
stage install bash cmake/install-packages.sh $first
preset=${HEARTH_PRESET:-dev}
if [ -n "$later" ]; then
  # shellcheck disable=SC2086
  stage "install, beside the build" bash cmake/install-packages.sh $later &
  installing=$!
  trap 'echo "tests/run.sh: waiting until apt is done; stopped half-way it leaves a machine to mend…" >&2; wait; exit 130' INT TERM
fi
code=0
build "$preset" || code=$?
if [ -n "$later" ]; then
  ! kill -0 "$installing" 2>/dev/null || echo "the compiler is done; waiting for the packages that tests need…"
  wait "$installing" || code=$?
  trap - INT TERM
fi
[ "$code" = 0 ] || exit "$code"
case $size in
  quick) run_tests "$preset" -L '^(quick|unit)$' "$@" || code=$? ;;
  all) run_tests "$preset" "$@" || code=$? ;;
  long)
    HEARTH_LONG=1 run_tests "$preset" "$@" || code=$?
    others "$@" || code=1
    ;;
esac
printf '== %s: %d s in all, exit code %d\n' "$size" "$SECONDS" "$code"
exit "$code"
