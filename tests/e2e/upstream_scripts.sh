#!/bin/bash
# Scripts of projects that build images with diskimage-builder, whole and unmodified, with ours first in PATH: each comes to the first
# hook of the image that it means, with the elements that it asks for. (What hooks then do is compared in peers.dib.*.) The
# operating systems' first hooks are stand-ins that say what they were called for, and end the build.
# HEARTH_TREES is a directory of checkouts: diskimage-builder, octavia, ironic-python-agent-builder, trove, manila-image-elements, images
# (shakenfist's), bifrost. Without it there are the elements of Debian's package alone.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
trees=${HEARTH_TREES:-/nowhere}
upstream=$trees/diskimage-builder/diskimage_builder
[ -d "$upstream" ] || upstream=/usr/lib/python3/dist-packages/diskimage_builder
[ -d "$upstream/elements" ] || { echo "SKIPPED: python3-diskimage-builder is needed" && exit 77; }
[ "$(id -u)" = 0 ] || { echo "SKIPPED: needs root, to show scripts another machine" && exit 77; }
unset ELEMENTS_PATH
export XDG_DATA_HOME=$work/data HEARTH_UPSTREAM_ELEMENTS=first HEARTH_CACHE=0 DIB_IMAGE_CACHE=$work/cache DIB_NO_TIMESTAMP=1
theirs=$XDG_DATA_HOME/hearth/elements/diskimage-builder/elements
mkdir -p bin srv "$(dirname "$theirs")"
cp -a --no-preserve=ownership "$upstream/elements" "$theirs"
for hook in "$theirs"/*/root.d/*; do
    [ -f "$hook" ] || continue
    printf '#!/bin/bash\necho "reached: $IMAGE_NAME $ARCH ${DIB_RELEASE:-} $IMAGE_ELEMENT"\nexit 99\n' > "$hook" && chmod +x "$hook"
done
for name in disk-image-create ramdisk-image-create diskimage-builder element-info dib-lint; do ln -s "$HEARTH" "bin/$name"; done
# stand_in NAME: for what a script does to its machine before it builds; stdin is its body.
stand_in() {
    { printf '#!/bin/bash\n' && cat; } > "bin/$1" && chmod +x "bin/$1"
}
stand_in sudo <<< 'while [[ ${1:-} == -* ]]; do shift; done; exec "$@"'
stand_in apt-get <<< 'exit 0'
stand_in pip3 <<< 'exit 0'
stand_in bindep <<< 'exit 0'
stand_in curl <<< 'exit 1'
stand_in dpkg <<< '[ "$1" = --get-selections ] || exec /usr/bin/dpkg "$@"; printf "%s install\n" qemu-utils git kpartx debootstrap'
stand_in lsb_release <<< 'printf "Release:\t12\n"'
stand_in bc <<< 'exec awk "BEGIN { print 0 }"'
export PATH=$work/bin:$PATH

# as_ubuntu COMMAND…: on what says that it is one; /srv and /etc/hosts are the script's own.
printf 'NAME="Ubuntu"\nID=ubuntu\nVERSION_CODENAME=jammy\n' > os-release
cp /etc/hosts hosts
as_ubuntu() {
    # shellcheck disable=SC2016  # for the inner shell
    unshare --mount --propagation private -- bash -euc '
        mount --bind "$0/srv" /srv; mount --bind "$0/hosts" /etc/hosts
        mount --bind "$0/os-release" "$(readlink -f /etc/os-release)"; exec "$@"' "$work" "$@"
}

# calls NAME WHAT COMMAND…: the command's image is WHAT (a name, an architecture, a release), and of the elements of stdin.
reached=0
calls() {
    local name=$1 what=$2 element elements=${elements:-}
    shift 2
    "$@" > "out-$name" 2>&1 < /dev/null || true
    local line
    line=$(grep -o 'reached: .*' "out-$name" | head -1 || true)
    [ -n "$line" ] || { fail "$name: no hook was reached: $(tail -15 "out-$name")"; return 0; }
    # shellcheck disable=SC2053  # a pattern
    [[ $line == reached:\ $what\ * ]] || fail "$name: it is '$line', not '$what'"
    for element in $elements; do
        [[ " $line " == *" $element "* ]] || fail "$name: without $element: $line"
    done
    reached=$((reached + 1))
    echo "$name: $line" | cut -c1-150
}
# has_tree NAME: whether it is there.
has_tree() {
    [ -d "$trees/$1" ] || { echo "SKIPPED: part: HEARTH_TREES has no $1"; return 1; }
}

# As Zuul's nodepool-builder puts it together.
export ELEMENTS_PATH=$work/mine && mkdir -p mine/site/install.d && touch mine/site/install.d/.keep
elements="debian-minimal vm simple-init growroot site" calls nodepool "nodepool amd64 bookworm" env DIB_RELEASE=bookworm TMPDIR="$work" \
    disk-image-create -x -t qcow2,raw --checksum --no-tmpfs --qemu-img-options 'compat=0.10' -o nodepool debian-minimal vm simple-init growroot site
unset ELEMENTS_PATH

if has_tree octavia; then
    script=$trees/octavia/diskimage-create/diskimage-create.sh
    common="base vm haproxy-octavia rebind-sshd no-resolvconf amphora-agent octavia-lib sos cloud-init-datasources keepalived-octavia pip-cache certs-ramfs"
    elements="$common ubuntu-minimal amphora-apparmor" calls octavia "$work/amphora amd64 noble" bash "$script" -o "$work/amphora" -w "$work" -c "$work/amp-cache"
    elements="$common rocky-container selinux-permissive disable-makecache" calls octavia-rocky "$work/rocky amd64 9" bash "$script" -i rocky -d 9 -o "$work/rocky" -w "$work" -c "$work/amp-cache"
    elements="$common centos-minimal root-passwd cpu-pinning" calls octavia-centos "$work/centos amd64 9-stream" bash "$script" -i centos-minimal -d 9-stream -r password -m -x -o "$work/centos" -w "$work" -c "$work/amp-cache"
fi
if has_tree ironic-python-agent-builder; then
    ipa() { (cd "$trees/ironic-python-agent-builder" && python3 -B -c 'from ironic_python_agent_builder import main; main()' "$@"); }
    elements="ironic-python-agent-ramdisk ironic-ramdisk-base debian-minimal source-repositories" calls ipa "$work/ipa amd64 bookworm" \
        ipa -r bookworm -o "$work/ipa" -b stable/2026.1 --lzma debian-minimal
    elements="ironic-python-agent-ramdisk centos dynamic-login extra-hardware" calls ipa-centos "$work/ipa-centos amd64 9-stream" \
        ipa -r 9-stream -o "$work/ipa-centos" -v -e dynamic-login -e extra-hardware --extra-args="--no-tmpfs -a amd64" centos
fi
if has_tree manila-image-elements; then
    elements="manila-ssh vm manila-ubuntu-minimal dhcp-all-interfaces ubuntu-nfs ubuntu-cifs" calls manila "manila-service-image amd64 jammy" \
        as_ubuntu bash "$trees/manila-image-elements/bin/manila-image-create"
    elements="manila-centos-minimal centos-nfs" calls manila-centos "manila-service-image amd64 9-stream" \
        as_ubuntu env DISABLE_IMG_COMPRESSION=yes USE_OFFLINE_MODE=no ENABLE_DEBUG_MODE=yes bash "$trees/manila-image-elements/bin/manila-image-create" -d centos -s nfs
fi
if has_tree trove; then
    # shellcheck disable=SC2016  # for the inner shell
    elements="base vm openstack-ci-mirrors ubuntu-minimal cloud-init-datasources pip-cache guest-agent ubuntu-docker root-passwd" calls trove "$work/guest amd64 jammy" \
        env PATH_TROVE="$trees/trove" TROVE_ROOT_PASSWORD=secret DIB_LOCAL_ELEMENTS_PATH='' dev_mode=false GUEST_CACHEDIR="$work/guest-cache" bash -c '
            exclaim() { echo "$*"; }; source "$0" && build_guest_image ubuntu jammy false ubuntu "$1"' "$trees/trove/integration/scripts/functions_qemu" "$work/guest.qcow2"
fi
if has_tree images && has_tree diskimage-builder; then
    # It calls the builder by its path, and brings diskimage-builder itself.
    cp -a --no-preserve=ownership "$trees/images" images
    sed -i "s|/usr/local/bin/disk-image-create|disk-image-create|" images/build.sh
    mkdir -p images/diskimage-builder/diskimage_builder && ln -s "$theirs" images/diskimage-builder/diskimage_builder/elements
    stand_in git <<< 'exit 0'
    stand_in python3 <<< '[ "${1:-}" != setup.py ] || exit 0; exec /usr/bin/python3 "$@"'
    shakenfist() { (cd images && as_ubuntu bash build.sh "$1"); }
    elements="apparmor utilities debian debian-systemd cloud-init-growpart block-device-efi vm sf-agent" calls shakenfist "temp amd64 bookworm" shakenfist debian:12
    elements="rhel-extras sf-agent block-device-efi" calls shakenfist-rocky "temp amd64 9" shakenfist rocky:9
    rm bin/git bin/python3
fi
if has_tree bifrost && has_tree ironic-python-agent-builder && type -P ansible-playbook > /dev/null; then
    cat > play.yml <<PLAY
- hosts: localhost
  connection: local
  roles: [bifrost-create-dib-image]
PLAY
    cat > play.json <<JSON
{"dib_os_element": "debian-minimal", "dib_os_release": "bookworm", "dib_elements": "vm simple-init", "dib_imagename": "$work/deployment",
 "dib_imagetype": "raw", "dib_installtype": "qcow2", "dib_trace": true, "dib_packages": "vim,less", "dib_imagesize": 4, "dib_uncompressed": true,
 "disk_image_create_log": "$work/dib.log", "ansible_python_interpreter": "/usr/bin/python3", "enable_oci_registry_upload": false,
 "http_boot_folder": "", "ipa_builder_git_folder": "$trees/ironic-python-agent-builder"}
JSON
    bifrost() { ANSIBLE_ROLES_PATH=$trees/bifrost/playbooks/roles ansible-playbook -i localhost, -e @play.json play.yml; cat dib.log; }
    elements="base debian-minimal vm simple-init" calls bifrost "$work/deployment amd64 bookworm" bifrost
fi
if has_tree diskimage-builder; then
    # Its own functional tests; what Python's package answers is where the elements are.
    stand_in python <<< "echo $theirs"
    test=$(basename "$(printf '%s\n' "$theirs"/debian-minimal/test-elements/* | head -1)")
    functests() { bash "$trees/diskimage-builder/tests/run_functests.sh" -L "$work/func" "$1"; cat func/*.FAIL.log; }
    elements="debian-minimal $test" calls run_functests "*/image *" functests "debian-minimal/$test"
    expect_text out-run_functests "Error: Build failed for element: debian-minimal, test-element: $test"
    rm bin/python
fi
[ "$reached" -gt 0 ] || fail "nothing was called"
echo "$reached calls of scripts came to their first hook"
finish
