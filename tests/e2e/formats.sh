#!/bin/bash
# Every output format from one tree: written at once, sound by the judgement of other programs, and the same bytes when it
# is done again later, in another directory, under another name, with another umask and on one processor. And what stands in
# its way.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
export SOURCE_DATE_EPOCH=1700000000
types=qcow2,raw,vhd,vpc,vhdx,vmdk,vdi,qed,parallels,tar,tgz,tar.zst,aci,squashfs,erofs,ext4,xfs,btrfs,docker,oci,oci-archive
for program in qemu-img mksquashfs mkfs.erofs mkfs.xfs mkfs.btrfs; do
    PATH=$PATH:/usr/sbin:/sbin type -P $program > /dev/null || { echo "SKIPPED: $program is needed" && exit 77; }
done
mkdir first second
(cd first && "$HEARTH" image create -n --image-size 0.3 -t $types -o image --checksums md5,sha256,sha512 --docker-target me:1 tiny-os \
    > out 2>&1 < /dev/null) || fail "first: $(cat first/out)"
(cd second && umask 0077 && TMPDIR=$work/second taskset -c 0 "$HEARTH" image create -n --image-size 0.3 -t $types -o other \
    --docker-target me:1 tiny-os > out 2>&1 < /dev/null) || fail "second: $(cat second/out)"
for file in first/image.*; do
    again=second/other.${file#first/image.}
    case $file in
        *.d | *.md5 | *.sha256 | *.sha512 | *.vmdk) ;; # VMDK holds its own file's name: below
        *.oci) diff -r "$file" "$again" > difference || fail "the OCI layouts differ: $(cat difference)" ;;
        *) cmp "$file" "$again" || fail "$file is not the same every time" ;;
    esac
done
# Alone, a qcow2 takes the files' data from the tree; no raw disk holds it.
mkdir third
(cd third && "$HEARTH" image create -n --image-size 0.3 -t qcow2 -o image tiny-os > out 2>&1 < /dev/null) || fail "third: $(cat third/out)"
cmp first/image.qcow2 third/image.qcow2 || fail "the qcow2 is another one where it is made alone"
mkdir fourth
(cd fourth && "$HEARTH" image create -n --image-size 0.3 -t vmdk -o image tiny-os > out 2>&1 < /dev/null) || fail "fourth: $(cat fourth/out)"
cmp first/image.vmdk fourth/image.vmdk || fail "the VMDK is not the same every time"
for kind in md5 sha256 sha512; do
    [ "$(find first -name "*.$kind" | wc -l)" = 20 ] || fail "there are not 20 files .$kind"
    (cd first && cat *.$kind | "${kind}sum" --check --quiet --strict) || fail "${kind}sum finds differences"
done

# Other programs read them.
for format in qcow2 vhdx vmdk vdi vpc qed parallels; do
    qemu-img compare -q -f raw -F $format first/image.raw first/image.$format || fail "$format differs from raw"
done
qemu-img check -q first/image.qcow2 || fail "qemu-img check finds errors"
qemu-img compare -q -f raw -F vpc first/image.raw first/image.vhd || fail "vhd differs from raw"
for archive in tar tgz tar.zst; do
    tar -tf first/image.$archive > members || fail "tar can't read .$archive"
    expect_text members ./bin/bash ./etc/shadow
done
fsck.erofs first/image.erofs > verdict 2>&1 || fail "fsck.erofs: $(cat verdict)"
unsquashfs -s first/image.squash > verdict || fail "unsquashfs can't read it"
PATH=$PATH:/sbin e2fsck -fn first/image.ext4 > verdict 2>&1 || fail "e2fsck: $(cat verdict)"
PATH=$PATH:/sbin xfs_repair -n -f first/image.xfs > verdict 2>&1 || fail "xfs_repair: $(cat verdict)"
PATH=$PATH:/sbin btrfs check --readonly first/image.btrfs > verdict 2>&1 || fail "btrfs check: $(cat verdict)"
if type -P skopeo > /dev/null; then
    for reference in oci-archive:first/image.oci.tar oci:first/image.oci:me:1 docker-archive:first/image.docker; do
        skopeo inspect "$reference" > verdict 2>&1 || fail "skopeo: $reference: $(cat verdict)"
    done
fi

# libguestfs, with a kernel of its own, mounts each that is a disk or a file system.
export LIBGUESTFS_BACKEND=direct LIBGUESTFS_BACKEND_SETTINGS=force_tcg LIBGUESTFS_CACHEDIR=${DIB_IMAGE_CACHE:-$work}/appliance
if [ -z "${HEARTH_LONG:-}" ]; then
    echo "SKIPPED: libguestfs as a reader: HEARTH_LONG is not set"
elif type -P guestfish supermin qemu-system-x86_64 > /dev/null && ls /boot/vmlinuz-* > /dev/null 2>&1; then
    mkdir -p "$LIBGUESTFS_CACHEDIR"
    {
        for drive in raw:raw qcow2:qcow2 vhd:vpc vpc:vpc vhdx:vhdx vmdk:vmdk vdi:vdi qed:qed parallels:parallels squash:raw ext4:raw xfs:raw btrfs:raw; do
            echo "add-drive first/image.${drive%:*} format:${drive#*:} readonly:true label:$(tr -d 0-9 <<< "${drive%:*}")"
        done
        echo run
        for drive in raw qcow2 vhd vpc vhdx vmdk vdi qed parallels squash ext4 xfs btrfs; do
            printf '%s\n' "mount-ro /dev/disk/guestfs/$(tr -d 0-9 <<< $drive) /" 'checksum sha256 /bin/bash' umount-all
        done
    } > script
    timeout 900 guestfish -f script > sums 2>&1 < /dev/null || fail "guestfish: $(cat sums)"
    expected=$(tar -xOf first/image.tar ./bin/bash | sha256sum | cut -d ' ' -f 1)
    [ "$(grep -c "^$expected$" sums)" = 13 ] || fail "libguestfs does not read the same file everywhere: $(cat sums)"
else
    echo "SKIPPED: libguestfs as a reader: needs guestfish, supermin, QEMU and a kernel in /boot"
fi

# What was there keeps its contents under another name; with OVERWRITE_OLD_IMAGE it is replaced.
cd first
"$HEARTH" image create -n --image-size 0.31 -t qcow2 -o image tiny-os > out 2>&1 < /dev/null || fail "$(cat out)"
[ "$(find . -name 'image-20*.qcow2' | wc -l)" = 1 ] || fail "the old image was not kept"
expect_text out "image-20" "its evidence image-20"
"$HEARTH" image verify image-20*.qcow2 > out 2>&1 || fail "the old image's evidence was not kept: $(cat out)"
find . -path './image-20*.d/provenance.json' | grep -q . || fail "the old image's evidence does not lie beside it"
"$HEARTH" image create -n --image-size 0.31 -t qcow2,tar -o image tiny-os > out 2>&1 < /dev/null || fail "$(cat out)"
[ "$(find . -name 'image-20*.qcow2' | wc -l)" = 1 ] || fail "the same bytes were kept twice"
expect_text out "image.qcow2 is the earlier one, byte by byte"
[ "$(find . -name 'image-20*.d' | wc -l)" = 1 ] || fail "of the same bytes evidence was kept twice"
# Its evidence can't be kept, as on a full disk: the earlier image stays in its place, with it.
stat -c '%i %y' image.qcow2 > looks
printf '%s\n' image-20* > kept
now=$(date +%s)
for second in {0..600}; do TZ=UTC printf -v name 'image-%(%Y.%m.%d-%H.%M.%S)T.d' $((now + second)); : > "$name"; done
"$HEARTH" image create -n --image-size 0.32 -t qcow2 -o image tiny-os > out 2>&1 < /dev/null && fail "evidence was lost: $(cat out)"
find . -name 'image-20*.d' -type f -delete
stat -c '%i %y' image.qcow2 | cmp - looks || fail "the image was replaced before its evidence was kept: $(cat out)"
"$HEARTH" image verify image.qcow2 > out 2>&1 || fail "the image that stayed: $(cat out)"
printf '%s\n' image-20* | cmp - kept || fail "of a build that failed something stayed"
OVERWRITE_OLD_IMAGE=1 "$HEARTH" image create -n --image-size 0.3 -t qcow2 -o image tiny-os > out 2>&1 < /dev/null || fail "$(cat out)"
[ "$(find . -name 'image-20*.qcow2' | wc -l)" = 1 ] || fail "the old image was kept though it shall be overwritten"
cd ..

"$HEARTH" image create -n -t qcow3 -o image tiny-os > out 2>&1 < /dev/null && fail "an unknown type is taken"
expect_text out "not 'qcow3'; did you mean 'qcow2'?"

# A full or read-only directory: an error that names the file, and nothing half-written.
if [ "$(id -u)" = 0 ] && unshare -m true 2> /dev/null; then
    for place in full read-only; do
        mkdir $place
        unshare -m bash -c '
            options=size=3m
            [ "$1" = full ] || options=ro
            mount -t tmpfs -o $options none "$1" && cd "$1" || exit 99
            "$HEARTH" image create -n --image-size 0.3 -t raw,tar,tgz,squashfs,vmdk,oci -o "$PWD/image" tiny-os > ../out 2>&1 < /dev/null
            echo "code $?" >> ../out
            find . -name "*image.*" ! -name image.d ! -path "./image.d/*" >> ../out' bash $place
        expect_text out "code 1" "$work/$place"
        ! grep -qE '^\./' out || fail "$place: something was left: $(cat out)"
    done
else
    echo "SKIPPED: full and read-only directories: needs root"
fi
finish
