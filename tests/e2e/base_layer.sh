#!/bin/bash
# Images of one Debian with other packages have the bootstrap in common: the second begins with the first's layer, is told so before and
# after, and is the same as one that was built from nothing (that, in long runs).
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
type -P mmdebstrap > /dev/null || { echo "SKIPPED: mmdebstrap is needed" && exit 77; }
debian_release
export DIB_RELEASE=$release
base=root.d/08-debootstrap
own=root.d/08-debootstrap-packages
create() { "$HEARTH" image create -n -t tar -o "$@" < /dev/null > out 2>&1 || { cat out >&2 && exit 1; }; }

# A list of this run's own: no layer of an earlier run has it, whose base is as good as one of now.
mine=mine-$mark
mkdir -p "mine/$mine"
export ELEMENTS_PATH=$work/mine:$ELEMENTS_PATH
echo 'netbase:' > "mine/$mine/package-installs.yaml"
# systemctl has nothing to talk to, and says so, as in the chroot of diskimage-builder: it ends no hook.
hook "$mine/install.d/50-systemctl" <<'E2'
systemctl daemon-reload
systemctl restart cron.service
E2
mv "elements/$mine/install.d" "mine/$mine"
create one debian-minimal "$mine"
grep -q "$own .*cached" out && fail "the packages were taken from an earlier run: $(cat out)"
echo 'less:' >> "mine/$mine/package-installs.yaml"
"$HEARTH" image plan -n debian-minimal "$mine" > plan
expect_text plan "From layers: 1 of " "runs: $own: the package $mine/package-installs.yaml less is new"
create two debian-minimal "$mine"
grep -q "$base .*cached" out || fail "the base was made again: $(cat out)"
grep -q "$own .*cached" out && fail "the packages were taken from an image without them: $(cat out)"
"$HEARTH" why image two > why
expect_text why "$own ran because" less "kept  $base "
tar -tf two.tar > files
expect_text files ./usr/bin/less ./etc/protocols
tar -tf one.tar | grep -q '^./usr/bin/less$' && fail "the first image has the second's package"
# Nor do elements that only set and check variables have a base of their own.
for others in dhcp-all-interfaces "vm block-device-gpt" "vm block-device-efi" hearth-agent \
    "modprobe-blacklist cloud-init-datasources"; do
    # shellcheck disable=SC2086 # words
    DIB_MODPROBE_BLACKLIST=floppy DIB_CLOUD_INIT_DATASOURCES=NoCloud "$HEARTH" image plan -n debian-minimal $others > plan
    expect_text plan "From layers: 1 of " "runs: $own: "
done
tar -xOf two.tar ./var/lib/apt/extended_states > states
grep -A3 '^Package: less$' states | grep -q 'Auto-Installed: 1' && fail "apt takes a package that was asked for as a dependency"
grep -q hearth-lists files && fail "the image has a file of its bootstrap's own"

# A package that a hook of pre-install.d brings is no matter of the bootstrap; one that nobody brings is, as ever.
echo "brought-$mark:" >> "mine/$mine/package-installs.yaml"
"$HEARTH" image create -n -t tar -o brought debian-minimal "$mine" < /dev/null > out 2>&1 && fail "a package that nobody has is there"
expect_text out "brought-$mark is in no repository of debian"
hook "$mine/pre-install.d/05-bring" <<E2
cd "\$(mktemp -d)"
mkdir -p p/DEBIAN
printf 'Package: brought-$mark\nVersion: 1\nArchitecture: all\nMaintainer: nobody <nobody@example.org>\nDescription: none\n' > p/DEBIAN/control
dpkg-deb --build p brought.deb
dpkg -i brought.deb
E2
mv "elements/$mine/pre-install.d" "mine/$mine"
create brought debian-minimal "$mine"
tar -xOf brought.tar ./var/lib/dpkg/status > status
expect_text status "Package: brought-$mark" "Package: less"

# What Debian calls otherwise, and a mirror that is no URL, are told by name before anything is fetched.
"$HEARTH" image create -n -t tar -a x86_64 -o not debian-minimal < /dev/null > out 2>&1 && fail "-a x86_64 builds"
expect_text out "environment: error: -a x86_64: Debian calls that architecture amd64"
DIB_DISTRIBUTION_MIRROR=deb.example.org/debian "$HEARTH" image create -n -t tar -o not debian-minimal < /dev/null > out 2>&1 && fail "a mirror without http:// builds"
expect_text out "is no URL; did you mean http://deb.example.org/debian?"

# A cache without room for what was fetched gets no part of it, and that ends no build.
mkdir full
unshare --user --map-root-user --mount bash -eu -o pipefail -c '
    mount -t tmpfs -o size=4k none full
    export DIB_IMAGE_CACHE=$PWD/full TMPDIR=$PWD/tmp TARGET_ROOT=$PWD/tree DISTRO_NAME=debian
    umount() { :; }
    . "$1"
    mkdir -p "$cache/archives" "$layers/archives/new"
    head -c 15M /dev/zero | split -b 5k -a 4 --additional-suffix=.deb - "$layers/archives/new/a-package-with-a-long-name_"  # more names than a pipe holds
    keep cache/apt/archives archives "*.deb"
    ls -A "$cache/archives"
    rm -r "$layers/archives/new" && mkdir "$layers/archives/new" && echo small > "$layers/archives/new/small.deb"
    keep cache/apt/archives archives "*.deb"
    ls -A "$cache/archives"' full "$here/../../elements/.lib/debootstrap/grow-tree" > handed 2> said || fail "a full cache ends it: $(cat said)"
expect_text said "WARNING: the next build fetches it again: " "No space left on device"
[ "$(cat handed)" = small.deb ] || fail "the full cache has: $(cat handed)"

[ -n "${HEARTH_LONG:-}" ] || { echo "SKIPPED: part: the same image from nothing: HEARTH_LONG is not set" && finish && exit; }
create alone --no-cache debian-minimal "$mine"
list() { tar --numeric-owner -tvf "$1.tar" | awk '{ $3 = $1 ~ /^[-]/ ? $3 : 0; $4 = $5 = ""; print }' | grep -vE '/(ldconfig/aux-cache|cache/debconf|var/log/)' | sort; }
diff <(list two) <(list alone) > difference || fail "on a layer it is another image: $(head -20 difference)"
for file in etc/passwd etc/group var/lib/dpkg/diversions var/lib/dpkg/statoverride var/lib/apt/extended_states; do
    cmp <(tar -xOf two.tar "./$file") <(tar -xOf alone.tar "./$file") || fail "$file is another one"
done
finish
