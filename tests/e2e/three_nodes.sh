#!/bin/bash
# examples/three-nodes, whole: three blank machines become three active, configured nodes.
#
# usage: HEARTH=… three_nodes.sh OUTPUT [OPTION…]     images are kept in OUTPUT
# HEARTH_BOOT_RECORD: a file that gets what the page was told of control1's boot (tests/e2e/page/whole-boot.json is one)
set -euo pipefail

skip() {
    echo "SKIPPED: $*"
    exit 77
}
if [ -n "${LONG_TEST:-}" ] && [ -z "${HEARTH_LONG:-}" ]; then skip "HEARTH_LONG is not set"; fi
for program in qemu-system-x86_64 qemu-img ip mmdebstrap; do
    command -v "$program" > /dev/null || skip "$program is not installed"
done
[ -c /dev/net/tun ] || skip "there is no /dev/net/tun"
for file in /usr/share/OVMF/OVMF_VARS_4M.fd /usr/lib/ipxe/undionly.kpxe /usr/lib/ipxe/snponly.efi; do
    [ -e "$file" ] || skip "there is no $file"
done
unshare -Urn true 2> /dev/null || skip "user namespaces are not allowed"

here=$(cd "$(dirname "$0")" && pwd)
export THREE_NODES_OUTPUT=$1
shift
mkdir -p "$THREE_NODES_OUTPUT"
log=$THREE_NODES_OUTPUT/run.log
status=0
bash "$here/../../examples/three-nodes/run.sh" --accel tcg --timeout 1200 "$@" 2>&1 | tee "$log" || status=$?

expect() {
    grep -qE -- "$1" "$log" || { echo "FAILED: '$1' is not in the output" >&2; status=1; }
}
for node in control1 compute1 compute2; do
    expect "\\| $node +\\|.*\\| power on +\\| active +\\|"
    expect "^$node: configured"
done
expect 'CREATE_COMPLETE'
expect 'compute1 has heard of control1, Linux'
expect 'compute2 has heard of control1, Linux'
# Nothing of it runs any more.
left=$(pgrep -f "$THREE_NODES_OUTPUT/rehearsal/machines" || true)
[ -z "$left" ] || { echo "FAILED: machines still run: $left" >&2; status=1; }
# What the page is told of a whole boot, for the manual's picture. A seed that is a machine has its state in it.
state=$THREE_NODES_OUTPUT/rehearsal/node
if [ "$status" = 0 ] && [ -n "${HEARTH_BOOT_RECORD:-}" ] && [ -e "$state/state.db" ]; then
    . "$here/npm.sh"
    (with_npm "$here/page" "$THREE_NODES_OUTPUT/browser" playwright-core chromium) || exit "$?"
    CHROMIUM=$(command -v chromium) timeout 600 node "$THREE_NODES_OUTPUT/browser/whole_boot.mjs" "$HEARTH" "$state" "$HEARTH_BOOT_RECORD" ||
        { echo "FAILED: the pictures of their boots" >&2; status=1; }
fi
exit "$status"
