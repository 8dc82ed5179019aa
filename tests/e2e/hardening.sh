#!/bin/bash
# The programs have what their build asks for against memory errors (cmake/Hardening.cmake), read from the finished files.
# usage: hardening.sh HEARTH AGENT ARCHIVE…   (archives of our own code: a stripped program no longer tells how it was compiled)
set -euo pipefail
export LC_ALL=C.UTF-8
failures=0
fail() {
    printf 'FAILED: %s\n' "$*" >&2
    failures=$((failures + 1))
}

# program FILE: position independent, all bound and read-only after the start, no memory that can be written and executed,
# constants not executable.
program() {
    local header dynamic segments
    header=$(readelf -h "$1")
    dynamic=$(readelf -d "$1")
    segments=$(readelf -W -l "$1")
    grep -q 'Type: *DYN' <<<"$header" || fail "$1: its addresses are fixed (no PIE)"
    grep -q 'FLAGS_1.* NOW' <<<"$dynamic" || fail "$1: symbols are bound late (no BIND_NOW)"
    grep -q TEXTREL <<<"$dynamic" && fail "$1: code is relocated (TEXTREL)"
    grep -q '^ *GNU_RELRO' <<<"$segments" || fail "$1: no part of its data becomes read-only (RELRO)"
    grep -qE '^ *GNU_STACK .* RW +0x' <<<"$segments" || fail "$1: its stack is executable"
    grep -qE '^ *LOAD .* RWE ' <<<"$segments" && fail "$1: a segment is writable and executable"
    constants_apart "$1" "$segments"
}

# constants_apart FILE SEGMENTS: .rodata is in no executable segment. readelf lists segments, then their sections by number.
constants_apart() {
    awk '
        /^  [A-Z]/ && $1 != "Type" { flags = ""; for (i = 7; i < NF; i++) flags = flags $i; executable[count++] = (flags ~ /E/) }
        /^   [0-9][0-9] / { for (i = 2; i <= NF; i++) if ($i == ".rodata" && executable[$1 + 0]) bad = 1; if (/ \.rodata/) seen = 1 }
        END { exit !seen || bad }' <<<"$2" || fail "$1: its constants are executable"
}

# compiled ARCHIVE: with guarded branches, stack protector and checked functions of the C library.
compiled() {
    local objects guarded symbols
    objects=$(ar t "$1" | wc -l)
    guarded=$(readelf -n "$1" 2>/dev/null | grep -cE 'x86 feature: .*IBT.*SHSTK|AArch64 feature: .*BTI' || true)
    [ "$guarded" -eq "$objects" ] || fail "$1: branches are guarded in $guarded of $objects objects (-fcf-protection)"
    symbols=$(nm -u "$1" 2>/dev/null)
    grep -q __stack_chk_fail <<<"$symbols" || fail "$1: no stack protector"
    grep -qE ' __[a-z]+_chk$' <<<"$symbols" || fail "$1: no checked functions (_FORTIFY_SOURCE)"
}

program "$1"
program "$2"
grep -q INTERP <<<"$(readelf -l "$2")" && fail "$2: it is not static"
for archive in "${@:3}"; do compiled "$archive"; done
size=$(stat -c %s "$2")
[ "$size" -lt 7000000 ] || fail "hearth-agent has $size bytes; at most 7,000,000 are allowed"
echo "hearth-agent: $size bytes"
exit $((failures > 0))
