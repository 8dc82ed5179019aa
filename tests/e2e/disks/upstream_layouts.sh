#!/bin/bash
# Layouts of diskimage-builder's own unit tests and user guide: each is taken, or refused for what is wrong with it, before
# anything is made; and a layout of two disks gives two outputs, each with its part of the tree.
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"
export PATH=$PATH:/usr/sbin:/sbin
upstream=/usr/lib/python3/dist-packages/diskimage_builder
[ -z "${HEARTH_TREES:-}" ] || upstream=$HEARTH_TREES/diskimage-builder/diskimage_builder
[ -d "$upstream/block_device/tests/config" ] || { echo "SKIPPED: python3-diskimage-builder is needed" && exit 77; }

# What is wrong with those that are wrong; the last two rows upstream's unit tests never give to mkfs and sfdisk, which refuse them.
declare -A wrong=(
    [bad_edge_graph]='Edge not defined: this_is_not_a_node->mkfs_root'
    [bad_plugin]='not a plugin value: this_is_not_a_plugin_name'
    [cmd_create]='not a plugin value: test_a' [rollback]='not a plugin value: test_a'
    [duplicate_fs_labels]='used more than once' [duplicate_name]='Duplicate node name: this_is_a_duplicate'
    [multi_key_node]='should be a single dict'
    [simple_graph]='there is no local_loop' [simple_tree]='there is no local_loop' [too_long_fs_label]='there is no local_loop'
    [lvm_tree_multiple_partitions]='not an MBR partition type: ef00'
    [multiple_partitions_graph]='not a UUID: root-uuid-1234' [multiple_partitions_tree]='not a UUID: root-uuid-1234')
seen=0
for file in "$upstream"/block_device/tests/config/*.yaml; do
    name=$(basename "$file" .yaml)
    seen=$((seen + 1))
    if "$HEARTH" image layout "$file" > out 2>&1; then
        [ -z "${wrong[$name]:-}" ] || fail "$name is taken: $(cat out)"
        expect_text out "disk image0" "mount=/"
    else
        [ -n "${wrong[$name]:-}" ] || fail "$name is refused: $(cat out)"
        expect_text out "${wrong[$name]:-}"
        # Without a root there is nothing to lie on: with one they are taken, or refused for what they are there for.
        if grep -q 'no local_loop' out; then
            { printf -- '- local_loop: {name: image0}\n' && cat "$file"; } > with-disk.yaml
            "$HEARTH" image layout with-disk.yaml > out 2>&1 || grep -qE 'too long|Edge not defined: (fake|root_part)->' out || fail "$name with a disk: $(cat out)"
        fi
    fi
done
[ "$seen" -ge 20 ] || fail "only $seen layouts"
echo "$seen layouts of upstream's unit tests"

# The guide's example of three partition tables.
cat > three.yaml << 'YAML'
- local_loop: {name: image0}
- local_loop: {name: data_image, size: 7.5GiB, directory: /var/tmp}
- local_loop: {name: gpt_image, size: 4GiB}
- partitioning:
    base: image0
    label: mbr
    partitions: [{name: part-01, flags: [ boot ], size: 1GiB}, {name: part-02, size: 100%, mkfs: {name: mkfs_root, mount: {mount_point: /}}}]
- partitioning:
    base: data_image
    label: mbr
    partitions: [{name: data0, size: 33%}, {name: data1, size: 50%}, {name: data2, size: 100%}]
- partitioning:
    base: gpt_image
    label: gpt
    partitions: [{name: ESP, type: EF00, size: 16MiB}, {name: data3, size: 1GiB}, {name: lvmdata, type: 8E00, size: 100%}]
YAML
"$HEARTH" image layout --json three.yaml > out 2>&1 || fail "three disks: $(cat out)"
[ "$(jq -c '[.holds[] | [.name, .table, (.holds | length)]]' out)" = '[["image0","mbr",2],["data_image","mbr",3],["gpt_image","gpt",3]]' ] || fail "three disks: $(cat out)"

# The guide's first example, with what its next ones put on it.
cat > two.yaml << 'YAML'
- local_loop:
    name: image0
- local_loop:
    name: data_image
    size: 75MiB
    directory: /var/tmp
- partitioning:
    base: image0
    label: mbr
    partitions:
      - name: part-01
        flags: [ boot ]
        size: 100%
        mkfs:
          name: mkfs_root
          mount: {mount_point: /, fstab: {options: defaults, fsck-passno: 1}}
- partitioning:
    base: data_image
    label: mbr
    partitions:
      - name: data0
        size: 33%
        mkfs: {type: ext4, uuid: b733f302-0336-49c0-85f2-38ca109e8bdb, mount: {mount_point: /srv, fstab: {options: nodev}}}
      - name: data1
        size: 50%
      - name: data2
        size: 100%
        mkfs: {type: ext2, mount: {mount_point: /srv/deep}}
YAML
"$HEARTH" image layout two.yaml > out 2>&1 || fail "layout: $(cat out)"
expect_text out "disk image0" "disk data_image" "mount=/srv/deep"
hook filled/install.d/50-filled <<< 'mkdir -p /srv/deep && echo data > /srv/file && echo deep > /srv/deep/file && echo root > /file'
export ELEMENTS_PATH=$work/elements:$ELEMENTS_PATH DIB_BLOCK_DEVICE_CONFIG=file://$work/two.yaml
"$HEARTH" image create -n -t raw,qcow2,tar --checksums sha256 -o two tiny-os filled > out 2>&1 < /dev/null || fail "two disks: $(tail -20 out)"
for file in two.raw two-data_image.raw two.qcow2 two-data_image.qcow2 two.tar; do
    sha256sum -c "$file.sha256" > /dev/null || fail "no $file, or another than its checksum's"
done
[ ! -e two-data_image.tar ] || fail "a disk's tar"
[ "$(stat -c %s two-data_image.raw)" = $((75 << 20)) ] || fail "the second disk has $(stat -c %s two-data_image.raw) bytes"
qemu-img compare -q two-data_image.raw two-data_image.qcow2 || fail "the second disk's formats differ"
sfdisk --json two-data_image.raw > table || fail "no partition table"
[ "$(jq '[.partitiontable.partitions[] | select(.type == "83")] | length' table)" = 3 ] || fail "partitions: $(cat table)"

# of DISK NUMBER PATH: what debugfs reads there.
of() {
    local start
    start=$(sfdisk --json "$1" | jq "[.partitiontable.partitions[] | select(.type == \"83\")][$2].start")
    debugfs -R "cat $3" "$1?offset=$((start * 512))" 2> /dev/null
}
[ "$(of two.raw 0 /file)" = root ] || fail "the root's file: $(of two.raw 0 /file)"
[ -z "$(of two.raw 0 /srv/file)" ] || fail "the root holds what lies on the second disk"
[ "$(of two-data_image.raw 0 /file)" = data ] || fail "the second disk's file: $(of two-data_image.raw 0 /file)"
[ -z "$(of two-data_image.raw 0 /deep/file)" ] || fail "/srv holds what is mounted below it"
[ "$(of two-data_image.raw 2 /file)" = deep ] || fail "the third partition's file"
of two.raw 0 /etc/fstab > fstab
expect_text fstab "UUID=b733f302-0336-49c0-85f2-38ca109e8bdb /srv ext4 nodev 0 2"
# A second build has nothing to do; one without the second disk's image makes it again.
"$HEARTH" image create -n -t raw,qcow2,tar --checksums sha256 -o two tiny-os filled > out 2>&1 < /dev/null || fail "again: $(tail -20 out)"
expect_text out "two-data_image.raw is up to date"
rm two-data_image.raw
"$HEARTH" image create -n -t raw,qcow2,tar --checksums sha256 -o two tiny-os filled > out 2>&1 < /dev/null || fail "third: $(tail -20 out)"
[ "$(of two-data_image.raw 0 /file)" = data ] || fail "the second disk is not made again"

# Disks of one machine are images of one build, or stay those of the one before: also when the second can't be converted.
mkdir bin
cat > bin/qemu-img <<SH
#!/bin/sh
case "\$*" in *convert*further*) echo "no room for the second" >&2; exit 1 ;; esac
exec $(command -v qemu-img) "\$@"
SH
chmod +x bin/qemu-img
hook paired/install.d/50-paired <<< 'mkdir -p /srv/deep && echo first > /srv/file'
"$HEARTH" image create -n -t vmdk --checksums sha256 -o pair tiny-os paired > out 2>&1 < /dev/null || fail "a pair: $(tail -20 out)"
cat pair*.vmdk.sha256 > pair.sums
hook paired/install.d/50-paired <<< 'mkdir -p /srv/deep && echo second > /srv/file'
PATH=$work/bin:$PATH "$HEARTH" image create -n -t vmdk --checksums sha256 -o pair tiny-os paired > out 2>&1 < /dev/null && fail "half a pair is well"
expect_text out "no room for the second"
sha256sum -c pair.sums > out 2>&1 || fail "half a pair was replaced: $(cat out)"
cat pair*.vmdk.sha256 | cmp -s - pair.sums || fail "the checksums of half a pair were replaced"
[ "$(find . -maxdepth 1 -name 'pair*.vmdk' | wc -l)" = 2 ] || fail "what was kept has two names: $(ls)"
"$HEARTH" image create -n -t vmdk --checksums sha256 -o pair tiny-os paired > out 2>&1 < /dev/null || fail "the second pair: $(tail -20 out)"
sha256sum -c pair.vmdk.sha256 pair-data_image.vmdk.sha256 > out 2>&1 || fail "the second pair: $(cat out)"
sha256sum -c pair.sums > out 2>&1 && fail "the second pair is the first"

# Another image may not be called as the second disk's.
printf -- '- &one {imagename: one, elements: [tiny-os], types: [raw], skip-base: true}\n- {<<: *one, imagename: one-data_image}\n' > images.yaml
"$HEARTH" image create images.yaml > out 2>&1 < /dev/null && fail "two images are one file"
expect_text out "images.yaml:2:3" "'one-data_image' would be written where 'one'" "one-data_image.raw"
# All disks are made before the first output is there, whatever they are called.
sed 's/image0/main/; s/data_image/image0/' two.yaml > odd.yaml
hook heavy/install.d/50-heavy <<< 'mkdir -p /srv/deep && head -c 60000000 /dev/urandom > /srv/file'
DIB_BLOCK_DEVICE_CONFIG=file://$work/odd.yaml "$HEARTH" image create -n -t raw -o odd tiny-os filled > out 2>&1 < /dev/null || fail "odd names: $(tail -20 out)"
[ "$(of odd.raw 0 /file)$(of odd-image0.raw 0 /file)" = rootdata ] || fail "odd names: what lies where: $(tail -20 out)"
"$HEARTH" image create -n -t raw -o heavy tiny-os heavy > out 2>&1 < /dev/null && fail "a disk of 75 MiB takes it"
[ ! -e heavy.raw ] || fail "an image was written without its second disk"

# Too small for what is to lie there: told before anything is written.
sed -i 's/75MiB/1MiB/' two.yaml
"$HEARTH" image create -n -t raw -o small tiny-os filled > out 2>&1 < /dev/null && fail "a disk of 1 MiB takes it"
[ ! -e small.raw ] || fail "an image was written"
finish
