#!/bin/bash
# The build as an ordinary user gives the same tree as the build as root: names, modes, owners, links, hard links, capabilities
# and contents. With the argument "debian", in long runs: of a real one.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
[ "${1:-}" != debian ] || [ -n "${HEARTH_LONG:-}" ] || { echo "SKIPPED: HEARTH_LONG is not set" && exit 77; }
# shellcheck source=as_user.sh
. "$here/as_user.sh"
need_user

# manifest TAR: every member with mode, numeric owner, link, attributes and digest, without times.
manifest() {
    python3 - "$1" <<'PYTHON'
import hashlib, sys, tarfile
with tarfile.open(sys.argv[1]) as tar:
    for member in sorted(tar, key=lambda m: m.name):
        digest = hashlib.sha256(tar.extractfile(member).read()).hexdigest() if member.isreg() else ""
        attributes = sorted(item for item in member.pax_headers.items() if "xattr" in item[0])
        print(member.name, oct(member.mode), member.uid, member.gid, member.type, member.linkname, digest, attributes)
PYTHON
}
build() { "$HEARTH" image create -t tar -o "$@"; }

# What only attributes and hard links tell.
hook odd-tree/cleanup.d/50-odd-tree << 'END'
cp "$TARGET_ROOT/bin/cat" "$TARGET_ROOT/bin/pinger"
ln "$TARGET_ROOT/bin/pinger" "$TARGET_ROOT/bin/twin"
python3 -c 'import os, struct, sys; os.setxattr(sys.argv[1], "security.capability", struct.pack("<IIIII", 0x02000001, 1 << 13, 0, 0, 0))' "$TARGET_ROOT/bin/pinger"
END
export ELEMENTS_PATH=$work/elements:$ELEMENTS_PATH
chmod -R a+rX "$work/elements"
elements=(-n tiny-os wait-in-phase odd-tree)
[ "${1:-}" != debian ] || elements=(debian-minimal hearth-agent odd-tree)
build as-root "${elements[@]}" > out 2>&1 < /dev/null || fail "as root: $(cat out)"
mkdir -p "$work/user/cache"
# What was fetched; not the layers, gigabytes of them: every step is to run.
[ ! -d "${DIB_IMAGE_CACHE:-}" ] || find "$DIB_IMAGE_CACHE" -mindepth 1 -maxdepth 1 ! -name layers -exec cp -a -t "$work/user/cache" {} +
chown -R "$user:" "$work/user"
as_user "$HEARTH" image create -t tar -o as-user "${elements[@]}" > "$work/user/out" 2>&1 < /dev/null ||
    fail "as an ordinary user: $(cat "$work/user/out")"
! grep ' cached$' user/out || fail "the user's build took root's layers"
manifest as-root.tar > root.txt
manifest user/as-user.tar > user.txt
# Written anew by every run, with a clock or random bytes in it.
volatile='/(ldconfig/aux-cache|cache/debconf|lib/dpkg/info/.*\.list|var/log/|lib/apt/extended_states|etc/ld.so.cache|initrd.img|machine-id|__pycache__|etc/ssl/certs)'
diff <(grep -Ev "$volatile" root.txt) <(grep -Ev "$volatile" user.txt) > difference ||
    { fail "the trees differ:"; head -20 difference >&2; }
for what in "security.capability" "bin/twin .*bin/pinger"; do
    grep -q -- "$what" root.txt || fail "the tree has no '$what' to compare"
done
[ "$(wc -l < root.txt)" -gt 30 ] || fail "the tree is suspiciously small"
[ "$(stat -c %U user/as-user.tar)" = "$user" ] || fail "the image does not belong to the user"
finish
