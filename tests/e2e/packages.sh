#!/bin/bash
# The packages hearth and hearth-agent, installed by apt in clean trees of Debian 12 and 13, where nothing but what they
# depend on is; from there examples/hello is built. Takes minutes and the network. usage: packages.sh BUILD [SUITE…]
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
build=$1
suites=("${@:2}")
[ ${#suites[@]} -gt 0 ] || suites=(bookworm trixie)
skip() {
    echo "SKIPPED: $*"
    exit 77
}
[ -n "${HEARTH_LONG:-}" ] || skip "it takes minutes (HEARTH_LONG is not set)"
[ "$(id -u)" = 0 ] || skip "needs root, to enter other trees"
for program in cpack dpkg-shlibdeps dpkg-scanpackages mmdebstrap unshare pivot_root; do
    command -v "$program" > /dev/null || skip "$program is not installed"
done
# shellcheck disable=SC2016  # apt's own variable
mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Label: Debian' 'Component: main' | head -n 1)
[ -n "$mirror" ] || skip "apt knows no mirror of Debian"

# ---- the packages
chmod 755 "$work"
cpack --config "$build/CPackConfig.cmake" -G DEB -B "$work/debs" > cpack.log 2>&1 || { cat cpack.log >&2; exit 1; }
(cd debs && rm -rf _CPack_Packages && dpkg-scanpackages . > Packages 2> /dev/null)
for name in hearth hearth-agent; do
    compgen -G "debs/${name}_*_*.deb" > /dev/null || fail "there is no package $name"
done
dpkg-deb -f debs/hearth_*.deb > control
expect_text control "Depends: hearth-agent (= " "mmdebstrap" "libssl3" "libc6 (>= " "Recommends: " "qemu-system-x86"
# What has another name in the other release can't be depended on.
! grep -oE 'libyaml-cpp[0-9.]*|libboost[a-z0-9.-]*' control || fail "hearth depends on a library that one release alone has"
[ -z "$(dpkg-deb -f debs/hearth-agent_*.deb Depends)" ] || fail "hearth-agent, which is static, depends on something"
dpkg-deb -c debs/hearth_*.deb > contents
expect_text contents "./usr/bin/disk-image-create -> hearth" "./usr/share/man/man1/hearth-image-create.1"
awk '$1 !~ /^l/ && ($2 != "root/root" || $1 ~ /^(.....w|........w)/)' contents > loose
[ ! -s loose ] || { fail "what belongs to others, or can be written by them, is in the package"; head -3 loose >&2; }

# inside TREE COMMAND…: with the tree as root of a mount and pid namespace; not by chroot, in which no user namespace can be
# made.
inside() {
    local tree=$1
    shift
    # shellcheck disable=SC2016  # expanded inside
    unshare --mount --pid --fork --kill-child bash -euc '
        tree=$1; shift
        mount --bind "$tree" "$tree"
        mount --rbind /dev "$tree/dev"
        mount -t proc proc "$tree/proc"
        mount -t tmpfs tmpfs "$tree/tmp"
        cd "$tree"
        mkdir -p .old
        pivot_root . .old
        umount -l /.old
        exec "$@"' bash "$tree" "$@"
}

for suite in "${suites[@]}"; do
    tree=$work/$suite
    # mount: for umount in inside().
    # shellcheck disable=SC2016  # mmdebstrap gives hooks the tree as $1
    mmdebstrap --quiet --variant=apt --include=hearth,mount "$suite" "$tree" "$mirror" \
        --setup-hook='echo "deb [trusted=yes] copy://'"$work"'/debs ./" > "$1"/etc/apt/sources.list.d/hearth.list' \
        --customize-hook='rm "$1"/etc/apt/sources.list.d/hearth.list' > "$suite.log" 2>&1 || {
        fail "apt could not install hearth in $suite"
        tail -n 30 "$suite.log" >&2
        continue
    }
    cp /etc/resolv.conf "$tree/etc/resolv.conf"
    inside "$tree" hearth --version || fail "hearth does not start in $suite"
    inside "$tree" hearth-agent --version || fail "hearth-agent does not start in $suite"
    # shellcheck disable=SC2016  # expanded inside
    inside "$tree" /usr/bin/env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin bash -euc '
        cd /root
        hello=/usr/share/doc/hearth/examples/hello
        export ELEMENTS_PATH=$hello/elements
        hearth image create -o hello -t qcow2,tar --metadata $hello/metadata.json \
            vm debian-minimal enable-serial-console hello
        hearth image inspect hello.qcow2
        tar -tf hello.tar > files' > "$suite.build" 2>&1 || {
        fail "examples/hello could not be built in $suite"
        tail -n 30 "$suite.build" >&2
        continue
    }
    [ -s "$tree/root/hello.qcow2" ] || fail "$suite: there is no image"
    grep -q 'bin/hearth-agent$' "$tree/root/files" || fail "$suite: the image has no agent"
    echo "$suite: $(sed -n 's/^PRETTY_NAME=//p' "$tree/etc/os-release"), hello.qcow2 of $(stat -c %s "$tree/root/hello.qcow2") bytes"
    rm -rf --one-file-system "$tree"
done
finish
