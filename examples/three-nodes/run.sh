#!/bin/bash
# Three blank machines (QEMU; BIOS and UEFI) become a site of three active, configured nodes: inventory, inspection,
# deployment of a stack with software deployments. Ends with the table of nodes, CREATE_COMPLETE and what the agents did.
#
# usage: examples/three-nodes/run.sh [OPTION…]     options go to hearth rehearse (--seed vm, --inject …, --no-inspection)
#
# HEARTH names the program (default: build/release, built by examples/quickstart.sh, else built now); THREE_NODES_OUTPUT
# the folder for images and logs (default: examples/three-nodes/output). Images that are there are used again.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
output=${THREE_NODES_OUTPUT:-$here/output}
hearth=${HEARTH:-$root/build/release/builder/hearth}
hearth=$(realpath -m "$hearth")
mkdir -p "$output"
output=$(cd "$output" && pwd)

stage() {
    printf '\n== %s\n' "$*"
}

if [ ! -x "$hearth" ]; then
    stage install and compile
    bash "$root/cmake/install-packages.sh" build run
    (cd "$root" && cmake --preset release && cmake --build --preset release -j "$(nproc)") > "$output/build.log" 2>&1 ||
        { tail -n 40 "$output/build.log"; exit 1; }
fi

# The site file's paths are relative to it.
cp "$here/site.yaml" "$here/three-nodes.yaml" "$output/"
sed -i 's|output/||' "$output/site.yaml"
cd "$output"

# Images are built once; a newer agent makes them anew. The builder's layers make that quick.
agent=${HEARTH_AGENT_BINARY:-$(dirname "$(dirname "$hearth")")/agent/hearth-agent}
if [ ! -e deploy.kernel ] || [ ! -e deploy.initramfs ] || [ "$agent" -nt deploy.initramfs ]; then
    stage the ramdisk that machines are deployed with
    (exec -a ramdisk-image-create "$hearth" -o deploy --ramdisk-element deploy-ramdisk debian-minimal) > deploy.log 2>&1 ||
        { tail -n 30 deploy.log; exit 1; }
fi
if [ ! -e node.qcow2 ] || [ "$agent" -nt node.qcow2 ]; then
    stage the image that they get
    # Without KVM each line on a console and each second in a menu counts, and the kernel's check of its timer may fail.
    ELEMENTS_PATH=$here/elements DIB_GRUB_TIMEOUT=0 DIB_BOOTLOADER_DEFAULT_CMDLINE='quiet systemd.show_status=no no_timer_check panic=10' \
        "$hearth" image create -o node --image-size 2 \
        vm debian-minimal enable-serial-console simple-init heat-config-script hearth-agent site-report
fi
if [[ " $* " == *" --seed vm "* ]] && { [ ! -e seed.qcow2 ] || [ "$hearth" -nt seed.qcow2 ]; }; then
    stage the seed
    "$hearth" seed create site.yaml --image-size 4
fi

stage the rehearsal
exec "$hearth" rehearse site.yaml --output "$output/rehearsal" "$@"
