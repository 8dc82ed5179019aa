#!/bin/bash
# A build of root's runs with ids of a range: root-only files of the machine can't be read but where they are named, what hooks copy,
# write and leave has the owners that it has without a range, and where ids can't be shifted the build says so and makes the same bytes.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
[ "$(id -u)" = 0 ] || { echo "SKIPPED: needs root"; exit 77; }
# In a mount namespace of its own: /var/opt and /etc/subuid are the test's.
if [ -z "${RANGE_APART:-}" ]; then
    cd "$here" && rm -rf "$work"
    RANGE_APART=yes exec unshare --mount bash "$here/roots_range.sh"
fi
mount --make-rshared /  # as systemd has it
export DIB_IMAGE_CACHE=$work/cache SOURCE_DATE_EPOCH=1700000000 HEARTH_CACHE=0 TINY_OS_PROGRAMS='bash cat cp env id mkdir touch'
export ELEMENTS_PATH=$work/elements:$here/elements
mount -t tmpfs -o mode=755 none /var/opt
printf 'root:300000:65536\n' > sub-ids
for file in /etc/subuid /etc/subgid; do mount --bind sub-ids "$file"; done
echo secret > /var/opt/secret && echo named > /var/opt/named && chmod 600 /var/opt/secret /var/opt/named
mkdir -p /var/opt/site/deep && echo text > /var/opt/site/deep/file && chown 33:44 /var/opt/site/deep/file && chmod 700 /var/opt/site
echo plain > /var/opt/plain
mkdir -p closed/given && echo given > closed/given/file && chown 33:44 closed/given/file && chmod 700 closed

mkdir -p elements/ranged/extra-data.d elements/ranged/install.d
cat > elements/ranged/extra-data.d/50-ranged << 'HOOK'
#!/bin/bash
set -eu
[ -z "${SEEN_FROM_OUTSIDE:-}" ] || sleep "$SEEN_FROM_OUTSIDE"
if cat /var/opt/secret; then echo "the secret: read"; else echo "the secret: closed"; fi
cat "$DIB_NAMED" "$DIB_MOUNTED/file"
mkdir -p "$TMP_MOUNT_PATH/opt"
stat -c "the owner: %u" "$(printf '/%s/opt/plain' var)"
cp -a "$DIB_SITE" "$GIVEN" "$TMP_MOUNT_PATH/opt"
touch "$DIB_IMAGE_CACHE/by-hook" "$IMAGE_NAME.by-hook"
[ ! -e /dev/kvm ] || { exec 3<> /dev/kvm; echo "kvm: opened"; }
HOOK
cat > elements/ranged/install.d/50-ranged << 'HOOK'
#!/bin/bash
set -eu
echo mine > /opt/mine
HOOK
chmod +x elements/ranged/*/*
# What is mounted below the outputs' directory, and in a home that the sandbox's root can't enter.
mkdir -p mounted home-of-another/mounted && mount -t tmpfs none mounted && echo "from a mount" > mounted/file
chown 100001:100001 home-of-another && chmod 700 home-of-another && mount -t tmpfs none home-of-another/mounted
export DIB_MOUNTED=$work/mounted DIB_NAMED=/var/opt/named DIB_SITE=/var/opt/site GIVEN=$work/closed/given

# build NAME OPTION…: with the hooks' words in NAME.d/build.log, and the builder's notes in out.
build() {
    local before
    before=$(wc -l < /proc/self/mountinfo)
    "$HEARTH" image create -n -t tar -o "$@" tiny-os ranged > out 2>&1 < /dev/null || fail "the build of $1: $(cat out)"
    [ "$(wc -l < /proc/self/mountinfo)" = "$before" ] || fail "$1: mounts of the sandbox show on the machine"
}
# owners NAME: as they are in the image.
owners() { tar --numeric-owner -tvf "$1.tar" | awk '/opt/ { print $2, $6 }'; }
# outside: the id that a hook of a build has for this machine.
outside() {
    local id="" pid
    SEEN_FROM_OUTSIDE=$moment build image &
    for _ in {1..100}; do
        pid=$(pgrep -xf "sleep $moment" | head -1) && id=$(stat -c %u "/proc/$pid" 2> /dev/null) && break
        sleep 0.1
    done
    wait $!
    echo "$id"
}
moment=3.$$
[ "$(outside)" = 300000 ] || fail "the ids are not those that /etc/subuid gives"
build image
expect_text image.d/build.log "the secret: closed" named "from a mount"
[ ! -e /dev/kvm ] || expect_text image.d/build.log "kvm: opened"
! grep -q "this machine's root's ids" out || fail "it fell back: $(cat out)"
diff <(owners image) - << 'END' || fail "the owners in the image"
0/0 ./opt/
0/0 ./opt/given/
33/44 ./opt/given/file
0/0 ./opt/mine
0/0 ./opt/site/
0/0 ./opt/site/deep/
33/44 ./opt/site/deep/file
END
[ "$(stat -c %u:%g cache/by-hook image.by-hook image.tar image.d/manifest.json | sort -u)" = 0:0 ] ||
    fail "what the build left is not root's: $(stat -c '%u:%g %n' cache/by-hook image.*)"
build on-disk --no-tmpfs
cmp image.tar on-disk.tar || fail "the work area on a disk makes another image"

# Owners are inputs as hooks see them: of what is named, not of what they see as nobody's.
kept() { (unset HEARTH_CACHE && build "$@"); }
is_kept() { grep -q "is up to date" out; }
kept owned
expect_text owned.d/build.log "the owner: 65534"
chown 5 /var/opt/plain && kept owned
is_kept || fail "an owner that hooks don't see counts: $("$HEARTH" image why owned)"
chown 55:66 /var/opt/site/deep/file && kept owned
[ "$(owners owned | grep deep/file)" = "55/66 ./opt/site/deep/file" ] || fail "the owner of what a variable names in /var is stale"
chown 33:44 /var/opt/site/deep/file

umount /etc/subuid /etc/subgid
for file in /etc/subuid /etc/subgid; do mount --bind /dev/null "$file"; done
[ "$(outside)" = 1000000 ] || fail "the ids are not the default ones"

# Overlays can't shift ids.
mkdir lower upper over && mount -t tmpfs none upper && mkdir upper/{up,work}
mount -t overlay -o "lowerdir=lower,upperdir=upper/up,workdir=upper/work" none over
build over/image
expect_text out "hooks run with this machine's root's ids, and not with a range of their own: the kernel can't shift ids of the file system that $work/over"
expect_text over/image.d/build.log "the secret: read"
mv over/image.tar fallback.tar
kept over/owned
expect_text over/owned.d/build.log "the owner: 5"
kept over/owned
is_kept || fail "built again: $("$HEARTH" image why over/owned)"
chown 6 /var/opt/plain && kept over/owned
! is_kept || fail "an owner that hooks see, and only ask for, is stale"
# What belongs to an id outside of the range is found before the first hook.
mkdir others && chown 70000:70000 others
"$HEARTH" image create -n -t tar -o others/image tiny-os ranged > out 2>&1 < /dev/null && fail "outputs in another's directory"
expect_text out "hearth image create: $work/others belongs to user 70000: builds of root's don't have that id"
! grep -q 50-ranged others/image.d/build.log || fail "hooks ran before the directory was looked at"
umount over upper
cmp image.tar fallback.tar || fail "the fallback makes another image"
# The machine's settings, which may hold a password: the build follows them, hooks can't read them.
mkdir etc && mount -t tmpfs none etc && mkdir etc/{up,work} && mount -t overlay -o lowerdir=/etc,upperdir=etc/up,workdir=etc/work none /etc
(umask 077; printf 'remote-cache = http://me:very-secret@127.0.0.1:9/\nremote-cache-insecure = true\n' > /etc/hearth.conf)
cp -p /etc/hearth.conf machine.conf  # where root's hooks could read it
printf '#!/bin/bash\nset -eu\necho "the settings: $(cat /etc/hearth.conf %s)."; env\n' "$work/machine.conf" > elements/ranged/extra-data.d/60-settings
chmod +x elements/ranged/extra-data.d/60-settings
HEARTH_CACHE=1 DIB_IMAGE_CACHE=$work/own build told
expect_text out "the remote cache http://127.0.0.1:9/ is not used any more"
HEARTH_CONFIG=$work/machine.conf HEARTH_CACHE=1 DIB_IMAGE_CACHE=$work/own build named
expect_text out "the remote cache http://127.0.0.1:9/ is not used any more"
expect_text named.d/build.log "the settings: ."
! grep -rlF very-secret named.d out own || fail "the password of the machine's settings is told"
chmod 644 /etc/hearth.conf
! "$HEARTH" image plan tiny-os > out 2>&1 || fail "a password that all can read is taken"
expect_text out "/etc/hearth.conf holds a password, and everybody can read it"
umount /etc etc mounted home-of-another/mounted
finish
