#!/bin/bash
# Hearth is built on other hosts than Debian 12: trees of trixie and sid are made, the build's packages are installed in them by
# our own script, and everything is compiled there. In trixie warnings are errors, the unit tests run with that release's own
# mkfs, git, curl and Python, and the agent keeps its size; sid's compiler may find new things to warn of.
# usage: hosts.sh SOURCES CACHE [SUITE]     CACHE is for ccache, a directory a suite; SUITE: only that one.
set -euo pipefail
[ -n "${HEARTH_LONG:-}" ] || { echo "SKIPPED: it takes half an hour (HEARTH_LONG is not set)" && exit 77; }
[ "$(id -u)" = 0 ] || { echo "SKIPPED: only root may make a tree with mmdebstrap and chroot(1) into it" && exit 77; }
command -v mmdebstrap >/dev/null || { echo "SKIPPED: mmdebstrap is not installed" && exit 77; }
mirror=$(apt-get indextargets --format '$(REPO_URI) $(ORIGIN) $(COMPONENT)' | awk '$2 == "Debian" && $3 == "main" { print $1; exit }')
[ -n "$mirror" ] || { echo "SKIPPED: this machine's apt knows no mirror of Debian" && exit 77; }
source=$1
cache=$2
work=$(mktemp -d "${TMPDIR:-/tmp}/hearth-hosts.XXXXXX")
trap 'rm -rf --one-file-system "$work"' EXIT
jobs=$(nproc)

# make_tree SUITE: a Release file of sid that is past its date is as good as any here.
make_tree() {
    mmdebstrap --quiet --variant=apt --mode=root --include=ca-certificates,mount --aptopt='Acquire::Check-Valid-Until "false"' \
        "$1" "$work/$1" "deb $mirror $1 main"
    mkdir -p "$work/$1/source" "$work/$1/build" "$work/$1/ccache" "$cache/$1"
}

# inside SUITE COMMAND…: in the tree, with the sources (not writable) and the cache. All mounts end with the namespace. The tree
# is its root by pivot_root: after a chroot the kernel makes no user namespaces.
inside() {
    local suite=$1
    shift
    tree=$work/$suite source=$source cache=$cache/$suite unshare --mount --pid --fork --kill-child bash -c '
        set -eu
        mount --make-rprivate /
        mount --bind "$tree" "$tree"
        mount -t proc proc "$tree/proc"
        mount --rbind /dev "$tree/dev"
        mount --rbind /sys "$tree/sys"
        mount --bind -o ro "$source" "$tree/source"
        mount --bind "$cache" "$tree/ccache"
        cd "$tree"
        pivot_root . mnt
        umount -l mnt
        cd /
        exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 CCACHE_DIR=/ccache DEBIAN_FRONTEND=noninteractive \
            "$@"' inside "$@"
}

# build SUITE WERROR GROUP…: configured as the preset dev is, after these groups of packages are installed.
build() {
    local suite=$1 werror=$2
    make_tree "$suite"
    inside "$suite" bash /source/cmake/install-packages.sh "${@:3}"
    inside "$suite" cmake -S /source -B /build -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_FLAGS_RELEASE=-O1 \
        -DHEARTH_WERROR=$werror | tee "$work/$suite.log"
    [ "$werror" = OFF ] || ! grep -A3 'CMake Warning' "$work/$suite.log" || { echo "FAILED: $suite: CMake warns" && exit 1; }
    inside "$suite" ninja -C /build -k 0 -j "$jobs"
    inside "$suite" sh -c 'g++ --version | head -n 1; /build/agent/hearth-agent --version; stat -c "hearth-agent: %s bytes" /build/agent/hearth-agent'
}

if [ "${3:-sid}" = sid ]; then
    build sid OFF build test
    rm -rf --one-file-system "$work/sid"
fi
if [ "${3:-trixie}" = trixie ]; then
    build trixie ON build run test
    inside trixie ctest --test-dir /build -L '^unit$' -j "$jobs" --output-on-failure
    inside trixie ctest --test-dir /build -R '^e2e.hardening$' --output-on-failure
fi
