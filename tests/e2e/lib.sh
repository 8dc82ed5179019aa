# shellcheck shell=bash
# Shared by the end-to-end tests. HEARTH is the program under test; each test works in a directory of its own.
set -euo pipefail

: "${HEARTH:?path of the hearth program}"
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/hearth-e2e.XXXXXX")
# remove_work: what the test started may be ending yet, and write there.
remove_work() {
    for _ in $(seq 50); do rm -rf "$work" 2> /dev/null && return; sleep 0.1; done
    rm -rf "$work"
}
trap remove_work EXIT
cd "$work"
export ELEMENTS_PATH=$here/elements
# As the machines of the tests: never KVM, which on some hosts runs a probe's guests and hangs with real ones.
export LIBGUESTFS_BACKEND=direct LIBGUESTFS_BACKEND_SETTINGS=force_tcg
export HOME=$work/home
mkdir -p "$HOME"
unset DIB_RELEASE DIB_DISTRIBUTION_MIRROR IMAGE_NAME ARCH break

failures=0
fail() {
    printf 'FAILED: %s\n' "$*" >&2
    failures=$((failures + 1))
}
# finish: the test's verdict, as its last command.
finish() {
    [ "$failures" = 0 ] || { echo "$failures failed" >&2; exit 1; }
}
# expect_text FILE TEXT…: the file holds each of the texts. Without a process for each: there are thousands of them.
expect_text() {
    local file=$1 text held=()
    shift
    mapfile -d '' held < "$file"
    for text in "$@"; do
        [[ ${held[*]} == *"$text"* ]] || { fail "'$text' is not in $file:"; cat "$file" >&2; }
    done
}
# mounts: how many there are at places of ours (field 5; another's mount may well show files of a folder named hearth); not the
# named networks of tests that run beside this one, nor what lies in those tests' directories.
mounts() {
    awk -v mine="$work" '$5 ~ /hearth/ && $5 !~ "^/(run|var/run)/netns/" && (index($5, mine "/") == 1 || $5 !~ /\/hearth-(e2e|test|node)[.-]/) { ++count }
        END { print count + 0 }' /proc/self/mountinfo
}
# nothing_left NAME: no image, temporary file, process or mount of a build is there any more.
nothing_left() {
    local left
    left=$(find . -maxdepth 1 \( -name "$1.*" -o -name ".$1.*" \) ! -name "$1.d" | head -3)
    [ -z "$left" ] || fail "$1: files were left: $left"
    left=$(find "$work/tmp" -mindepth 1 2> /dev/null | head -3 || true)
    [ -z "$left" ] || fail "$1: temporary files were left: $left"
    left=$(pgrep -f "sleep $mark" || true)
    [ -z "$left" ] || fail "$1: processes were left: $left"
    left=$(mounts)
    [ "$left" = "$mounts_before" ] || fail "$1: mounts were left"
}
# A number that only this test's sleeping hooks carry in their command line.
mark=$((100000 + $$)).$RANDOM
mounts_before=$(mounts)

# hook ELEMENT/PHASE/NAME: stdin becomes an executable hook of an element in ./elements.
hook() {
    mkdir -p "elements/$(dirname "$1")"
    { printf '#!/bin/bash\nset -eu\n' && cat; } > "elements/$1"
    chmod 0755 "elements/$1"
}

# debian_release: sets `release` and `mirror` to the oldest Debian that Hearth is tested with and this machine's apt has a mirror
# of, however its sources call it. Skips without one.
debian_release() {
    local known
    known=$(apt-get indextargets --format '$(CODENAME) $(ORIGIN) $(COMPONENT) $(REPO_URI)')
    for release in bookworm trixie; do
        mirror=$(awk -v release="$release" '$1 == release && $2 == "Debian" && $3 == "main" { print $4; exit }' <<<"$known")
        [ -z "$mirror" ] || return 0
    done
    echo "SKIPPED: this machine's apt knows no mirror of Debian 12 or 13" && exit 77
}
