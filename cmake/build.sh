#!/bin/bash
# Configures and builds a preset, and tells how far it is, how long it has taken and about how long it will yet: in one line on
# a terminal, in one for each tenth elsewhere. What the compiler says goes to build/PRESET-build.log, and is shown when it fails.
#
# usage: build.sh PRESET [OPTION-OF-CMAKE-BUILD…]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
preset=$1
shift
log=build/$preset-build.log
mkdir -p build
# Two ninjas in one directory spoil each other's work. Whoever compiles has the lock, also when this script was killed.
exec 9>>build/lock
flock --nonblock 9 || { echo "another build runs in $PWD; waiting until it is done…" && flock 9; }
cmake --preset "$preset" >"$log" 2>&1 || {
  cat "$log" >&2
  exit 1
}

# The compiler touches a gigabyte a source, in pages of 4 KiB: in large ones a cold build takes a fifth less processor time where
# a hypervisor keeps the page tables. It is a setting of the whole machine: only where that is there for this, and given back.
large_pages=/sys/kernel/mm/transparent_hugepage/enabled
if [ -n "${HEARTH_MAY_REMOVE:-}" ] && [ -w "$large_pages" ] && grep -q '\[madvise\]' "$large_pages"; then
  trap 'echo madvise >"$large_pages" || true' EXIT
  echo always >"$large_pages" || true
fi

# clock SECONDS
clock() { printf '%d:%02d' $(($1 / 60)) $(($1 % 60)); }

# follow: ninja's lines come in; how far it is goes out.
follow() {
  local line began=$SECONDS told=-1 made total took left
  while IFS= read -r line; do
    printf '%s\n' "$line" >>"$log"
    [[ $line =~ ^\[([0-9]+)/([0-9]+)\] ]] || continue
    made=${BASH_REMATCH[1]} total=${BASH_REMATCH[2]} took=$((SECONDS - began))
    # Ninja looks at directories and configures anew in steps of their own, which begin with 0.
    [ "$made" -gt 0 ] || continue
    left=$((took * (total - made) / made))
    if [ -t 1 ]; then
      printf '\r\e[Kcompiling: %d of %d, %s so far, about %s left' "$made" "$total" "$(clock $took)" "$(clock $left)"
    elif [ $((made * 10 / total)) -gt "$told" ] && [ "$took" -gt 5 ]; then
      told=$((made * 10 / total))
      printf 'compiling: %d of %d, %s so far, about %s left\n' "$made" "$total" "$(clock $took)" "$(clock $left)"
    fi
  done
  [ ! -t 1 ] || printf '\r\e[K'
}

if ! cmake --build --preset "$preset" -j "$(nproc)" "$@" 2>&1 | follow; then
  # From the first step that failed on, without the steps that went well meanwhile.
  sed -n '/^FAILED:/,$p' "$log" | grep -v '^\[' | head -n 200 >&2
  echo "the build failed; all of it is in $log" >&2
  exit 1
fi
