#!/bin/bash
# Two releases of one image as two disks of one machine, in either order: each starts with its own root and mounts its own
# /boot/efi, by BIOS and by UEFI: boot_two_releases.sh DIRECTORY. DIRECTORY has the tree of boot_tree.sh.
# shellcheck source-path=SCRIPTDIR source=lib.sh
directory=$1
. "$(dirname "$0")/lib.sh"
[ -n "${HEARTH_LONG:-}" ] || { echo "SKIPPED: HEARTH_LONG is not set" && exit 77; }
[ -s "$directory/tree.tar" ] || { echo "SKIPPED: there is no tree (e2e.boot_tree)" && exit 77; }
type -P qemu-system-x86_64 > /dev/null || { echo "SKIPPED: qemu-system-x86_64 is needed" && exit 77; }
[ -f /usr/share/OVMF/OVMF_CODE_4M.fd ] || { echo "SKIPPED: ovmf is needed" && exit 77; }
export DEBIAN_TREE=$directory/tree.tar DIB_GRUB_TIMEOUT=0
export DIB_BOOTLOADER_DEFAULT_CMDLINE='mitigations=off no_timer_check apparmor=0 init=/usr/local/sbin/small-init'
export ELEMENTS_PATH=$work/elements:$ELEMENTS_PATH
mkdir -p elements/named/root.d
cat > elements/named/root.d/50-name << 'HOOK'
#!/bin/bash
set -eu
set -o pipefail
echo "$RELEASE_NAME" > "$TARGET_ROOT/etc/hostname"
HOOK
chmod +x elements/named/root.d/50-name
for release in first second; do
    RELEASE_NAME=$release "$HEARTH" image create -n -t qcow2 -o $release --image-version $release debian-tree named bootloader block-device-efi \
        < /dev/null || fail "the release $release can't be made"
done
# start FIRMWARE DISK DISK: what the machine says until it asks for a login.
start() {
    local firmware=() pid
    if [ "$1" = uefi ]; then
        cp /usr/share/OVMF/OVMF_VARS_4M.fd vars.fd
        firmware=(-drive "if=pflash,format=raw,readonly=on,file=/usr/share/OVMF/OVMF_CODE_4M.fd" -drive "if=pflash,format=raw,file=vars.fd")
    fi
    rm -f console
    timeout 600 qemu-system-x86_64 -accel tcg -m 512 -display none -nic none -no-reboot -serial file:console "${firmware[@]}" \
        -drive "if=virtio,format=qcow2,snapshot=on,file=$2.qcow2" -drive "if=virtio,format=qcow2,snapshot=on,file=$3.qcow2" &
    pid=$!
    until grep -q 'login: ' console 2> /dev/null; do kill -0 $pid 2> /dev/null || break; sleep 1; done
    kill $pid 2> /dev/null || true
    wait $pid 2> /dev/null || true
}
for firmware in bios uefi; do
    for order in "first second" "second first"; do
        # shellcheck disable=SC2086
        start $firmware $order
        grep -q "^${order% *} login: " console || fail "$firmware, $order: the first disk's system does not run: $(tail -5 console)"
        mounted=$(tr -d '\r' < console | awk '$2 ~ "^/dev/" && $1 ~ "^/" { where[$1] = $2 } END { print where["/"], where["/boot/efi"] }')
        [[ $mounted == /dev/vda*\ /dev/vda* ]] || fail "$firmware, $order: / and /boot/efi are $mounted, not the first disk's"
    done
done
finish
