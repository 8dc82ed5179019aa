#!/bin/bash
# A whole site over an air gap in one signed file. On the open side its image is recorded, and packed with the deploy
# ramdisk, templates, elements, recorded fetches, the Debian packages that a machine needs for Hearth, and Hearth itself.
# On the closed side there is a network namespace with nothing but loopback, and neither this source tree nor the build's:
# three blank machines become active, configured nodes, the stack is complete, and the image is built again, the same bytes.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
skip() {
    echo "SKIPPED: $*"
    exit 77
}
[ -n "${HEARTH_LONG:-}" ] || skip "HEARTH_LONG is not set"
[ "$(id -u)" = 0 ] || skip "only root may hide this tree from the closed side"
for program in qemu-system-x86_64 qemu-img ip mmdebstrap openssl; do
    type -P $program > /dev/null || skip "$program is not installed"
done
[ -c /dev/net/tun ] || skip "there is no /dev/net/tun"
for file in /usr/share/OVMF/OVMF_VARS_4M.fd /usr/lib/ipxe/undionly.kpxe /usr/lib/ipxe/snponly.efi; do
    [ -e "$file" ] || skip "there is no $file"
done
unset DIB_IMAGE_CACHE SOURCE_DATE_EPOCH
root=$(cd "$here/../.." && pwd)
example=$root/examples/three-nodes
openssl genpkey -algorithm ed25519 -out key.pem
openssl pkey -in key.pem -pubout -out key.pub

echo "== the open side"
mkdir -p open/output
cp "$example/site.yaml" "$example/three-nodes.yaml" open/
export root example
bash -euo pipefail /dev/fd/9 9<<'OPEN' < /dev/null || { fail "the open side fails"; finish; }
    cd open
    bash "$root/cmake/install-packages.sh" --download debian run
    (exec -a ramdisk-image-create "$HEARTH" -o output/deploy --ramdisk-element deploy-ramdisk debian-minimal) \
        > deploy.log 2>&1 < /dev/null || { tail -n 30 deploy.log; exit 1; }
    ELEMENTS_PATH=$example/elements DIB_GRUB_TIMEOUT=0 \
        DIB_BOOTLOADER_DEFAULT_CMDLINE='quiet systemd.show_status=no no_timer_check panic=10' \
        "$HEARTH" image create --record --lock node.lock --sign-key ../key.pem -o output/node --image-size 2 \
        vm debian-minimal enable-serial-console simple-init heat-config-script hearth-agent site-report < /dev/null
    "$HEARTH" bundle create -o ../site.bundle --lock node.lock --elements "$example/elements" --packages debian \
        --sign-key ../key.pem site.yaml
OPEN
mv open/output/node.qcow2 original.qcow2
rm -rf open "$HOME"

echo "== the closed side"
cat > closed.sh <<'CLOSED'
set -euo pipefail
for hidden in "$@"; do
    [ ! -d "$hidden" ] || mount -t tmpfs -o ro hidden "$hidden"
done
[ "$(ip -o link | wc -l)" = 1 ] || { echo "this side is not closed: $(ip -o link)"; exit 1; }
# A machine without Hearth takes it from the file, which is a tar archive. Its packages are there, with all they need.
tar -xf site.bundle hearth/bin/hearth packages
mkdir -p apt/lists/partial apt/archives/partial
: > apt/status
apt=(apt-get -q -o Dir::State="$PWD/apt" -o Dir::State::status="$PWD/apt/status" -o Dir::Cache="$PWD/apt"
    -o Dir::Etc::sourcelist="$PWD/apt/sources.list" -o Dir::Etc::sourceparts=- -o APT::Sandbox::User=root)
echo "deb [trusted=yes] copy:$PWD/packages/debian ./" > apt/sources.list
"${apt[@]}" update > apt/log
# shellcheck disable=SC2046  # words
"${apt[@]}" --no-install-recommends --simulate install '?essential' apt $(cat packages/debian/names) > apt/log
grep -q '^Inst qemu-system-x86 ' apt/log
hearth/bin/hearth bundle unpack site.bundle -C closed --key key.pub
. closed/environment
[ "$(type -P hearth)" = "$PWD/closed/hearth/bin/hearth" ]
status=0
hearth rehearse closed/site/site.yaml --accel tcg --timeout 2400 > rehearsal.log 2>&1 || status=$?
cat rehearsal.log
[ "$status" = 0 ] || exit "$status"
hearth image verify closed/site/output/node.qcow2 --key key.pub
mkdir again && cd again
DIB_GRUB_TIMEOUT=0 DIB_BOOTLOADER_DEFAULT_CMDLINE='quiet systemd.show_status=no no_timer_check panic=10' \
    hearth image create --offline --lock ../closed/locks/node.lock -o node --image-size 2 \
    vm debian-minimal enable-serial-console simple-init heat-config-script hearth-agent site-report < /dev/null
CLOSED
mapfile -t hidden < <(printf '%s\n' "$root" "$(dirname "$(dirname "$(realpath "$HEARTH")")")" | sort -u)
mkdir "$work/closed-home"
env -i PATH="$PATH" HOME="$work/closed-home" TERM=dumb unshare --net --mount -- bash closed.sh "${hidden[@]}" ||
    fail "the closed side fails"
for node in control1 compute1 compute2; do
    grep -qE "\| $node +\|.*\| power on +\| active +\|" rehearsal.log || fail "$node is not active"
    grep -qE "^$node: configured" rehearsal.log || fail "$node is not configured"
done
expect_text rehearsal.log CREATE_COMPLETE 'compute1 has heard of control1, Linux' 'compute2 has heard of control1, Linux'
cmp original.qcow2 again/node.qcow2 || fail "the closed side makes other bytes"
finish
