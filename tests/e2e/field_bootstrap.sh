#!/bin/bash
# A bootstrap as diskimage-builder's debootstrap element does it, the newest where mmdebstrap is installed and the others: its command
# line, no source left of what it took, and then hooks that call programs of the target with nothing mounted there. Again from the
# layer that it left.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
debian_release
for program in mmdebstrap debootstrap; do
    type -P $program > /dev/null || { echo "SKIPPED: $program is needed" && exit 77; }
done
element=$work/mine/field-os
mkdir -p "$element/root.d"
export ELEMENTS_PATH=$work/mine HEARTH_UPSTREAM_ELEMENTS=no FIELD_RELEASE=$release FIELD_MIRROR=${mirror%/}
echo operating-system > "$element/element-provides"
cat > "$element/root.d/08-bootstrap" <<'HOOK'
#!/bin/bash
set -eu -o pipefail
sudo sh -c "http_proxy= $FIELD_PROGRAM --verbose --variant=minbase --components=main --arch=$ARCH --include=apt,tzdata \
    $FIELD_RELEASE $TARGET_ROOT $FIELD_MIRROR "
sudo rm -fr "$TARGET_ROOT/etc/apt/sources.list" "$TARGET_ROOT/etc/apt/sources.list.d"
HOOK
cat > "$element/root.d/75-use" <<'HOOK'
#!/bin/bash
set -eu -o pipefail
for name in full null random tty urandom zero; do  # a sandbox has no console
    [ -c "$TARGET_ROOT/dev/$name" ] || { echo "/dev/$name is no device in the target"; exit 1; }
done
[ -L "$TARGET_ROOT/dev/fd" ] && [ -d "$TARGET_ROOT/dev/shm" ] || { echo "/dev has no fd or shm"; exit 1; }
echo "deb $FIELD_MIRROR $FIELD_RELEASE main" | sudo tee "$TARGET_ROOT/etc/apt/sources.list" > /dev/null
sudo chroot "$TARGET_ROOT" apt-get update
HOOK
chmod +x "$element/root.d"/*
build() {
    "$HEARTH" image create -n -t tar -o field field-os > out 2>&1 < /dev/null || { fail "$1: $(tail -30 out)"; finish; }
}
for FIELD_PROGRAM in mmdebstrap debootstrap; do
    export FIELD_PROGRAM
    build "$FIELD_PROGRAM"
    grep -q "Get:\|Hit:" field.d/build.log || fail "$FIELD_PROGRAM: apt asked nobody"
    ! grep -q "can't be kept" field.d/build.log || fail "$FIELD_PROGRAM: $(grep "can't be kept" field.d/build.log)"
    tar -tvf field.tar > listed
    ! grep -E "^[bc]| \./dev/(null|zero)$" listed || fail "$FIELD_PROGRAM: device nodes, or what stood in for them, are in the image"
    echo "# again" >> "$element/root.d/75-use"
    build "$FIELD_PROGRAM, from a layer"
    "$HEARTH" image why field > why
    grep -qE "^ *kept .*08-bootstrap|08-bootstrap.*kept" why || fail "$FIELD_PROGRAM ran again: $(cat why)"
done
finish
