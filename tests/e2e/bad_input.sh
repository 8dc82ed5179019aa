#!/bin/bash
# Bad input gets an error that says what, where and what to do; nothing is written, and the next build works.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

# refused NAME CODE COMMAND… : COMMAND fails with CODE and writes no image. Its output is in out-NAME.
refused() {
    local name=$1 code=$2 got=0
    shift 2
    "$@" > "out-$name" 2>&1 < /dev/null || got=$?
    [ "$got" = "$code" ] || fail "$name: exit code $got instead of $code: $(cat "out-$name")"
    nothing_left "$name"
}
create() { "$HEARTH" image create -n -t tar "$@"; }

refused unknown 1 create -o unknown tiny-oss
expect_text out-unknown "Element 'tiny-oss' not found" "did you mean 'tiny-os'?" "$ELEMENTS_PATH"

refused cycle 1 create -o cycle tiny-os cycle-a
expect_text out-cycle "cycle-a -> cycle-b -> cycle-a"
create -o cycle-accepted --accept-cycles tiny-os cycle-a > out 2>&1 || fail "accepted cycles don't build: $(cat out)"

refused no-os 1 create -o no-os failing
expect_text out-no-os "Please include an operating system element" "tiny-os"

refused two-os 1 create -o two-os tiny-os second-os
expect_text out-two-os "operating-system: already provided by ['" "provides it too" "tiny-os" "second-os"

refused hook 7 create -o hook tiny-os failing
expect_text out-hook "install.d/30-fails (element failing) failed: exit code 7" "the reason why it fails" \
    "hook.d/build.log" "--break after-error"

mkdir -p mine/idle-os/root.d
echo operating-system > mine/idle-os/element-provides
printf '#!/bin/sh\n' > mine/idle-os/root.d/10-root
ELEMENTS_PATH=$work/mine refused idle 1 create -o idle idle-os
expect_text out-idle "Failed to deploy the root element" "mine/idle-os/root.d/10-root does not run: it is not executable (chmod +x)"

# Options of other programs are tried before the first hook.
refused mkfs 2 "$HEARTH" image create -n -t raw --mkfs-options '-O nonsense' -o mkfs tiny-os failing
expect_text out-mkfs "the options '" "nonsense' of mkfs_root are refused: " "nonsense" "--mkfs-options"
refused qemu 2 "$HEARTH" image create -n -t qcow2 --qemu-img-options cluster_sise=65536 -o qemu tiny-os failing
expect_text out-qemu "--qemu-img-options 'cluster_sise=65536': qemu-img refuses them for qcow2: " "cluster_sise" "-o help"

# An image without bash, or with one that can't start: the file that is missing is the image's, and so says the error.
export TINY_OS_PROGRAMS='cat ls'
refused no-bash 127 create -o no-bash tiny-os failing
expect_text out-no-bash "environment.d of install.d could not be started in the image: there is no bash in any directory of PATH" \
    "while preparing install.d/30-fails (element failing)" "let a hook in root.d bring them"
unset TINY_OS_PROGRAMS
mkdir -p elements/no-loader/root.d elements/no-library/root.d
printf '#!/bin/bash\nrm -r "$TARGET_ROOT/lib64"\n' > elements/no-loader/root.d/90-rm
printf '#!/bin/bash\nfind "$TARGET_ROOT" -name "libtinfo*" -delete\n' > elements/no-library/root.d/90-rm
chmod +x elements/*/root.d/*
ELEMENTS_PATH=$PWD/elements:$ELEMENTS_PATH refused no-loader 127 create -o no-loader tiny-os no-loader failing
expect_text out-no-loader "in the image: /bin/bash needs the loader /lib64/" "which is not there" "install.d/30-fails (element failing)"
ELEMENTS_PATH=$PWD/elements:$ELEMENTS_PATH refused no-library 127 create -o no-library tiny-os no-library failing
expect_text out-no-library "in the image: /bin/bash: exit code 127" "libtinfo.so" "install.d/30-fails (element failing)"

printf '{\n  "a": 1,\n  "b": oops\n}\n' > metadata.json
refused meta 1 "$HEARTH" image create -n -t tar -o meta --metadata metadata.json tiny-os
expect_text out-meta "metadata.json:3:"

refused packages 1 create -o packages tiny-os bad-packages
expect_text out-packages "bad-packages/package-installs.yaml:3:" "unknown key 'fase'" "build-only"

refused layout 1 env DIB_BLOCK_DEVICE_CONFIG='- local_loop: {name: image0}
- nonsense: {}' "$HEARTH" image create -n -t raw -o layout tiny-os
expect_text out-layout "DIB_BLOCK_DEVICE_CONFIG:2:" "plugin"

refused small 1 "$HEARTH" image create -n -t raw --image-size 0.003 -o small tiny-os
expect_text out-small "need at least" "--image-size"

refused mirror 1 env DIB_DISTRIBUTION_MIRROR=http://127.0.0.1:9/debian DIB_RELEASE=bookworm "$HEARTH" image create -t tar -o mirror debian-minimal
expect_text out-mirror "the package mirror http://127.0.0.1:9/debian does not answer" "DIB_DISTRIBUTION_MIRROR"

refused path 1 env ELEMENTS_PATH=/no/such/directory "$HEARTH" image create -n -o path tiny-os
expect_text out-path "ELEMENTS_PATH entry '/no/such/directory' is not a directory"

refused type 2 "$HEARTH" image create -n -t qcow3 -o type tiny-os
expect_text out-type "qcow3" "qcow2"

refused option 2 "$HEARTH" image create --image-sice 3 tiny-os
expect_text out-option "did you mean '--image-size'?"

# wrong NAME TEXT OPTION… : refused before anything runs, with TEXT.
wrong() {
    refused "$1" 2 create -o "$1" "${@:3}" tiny-os
    expect_text "out-$1" "$2"
}
# What is in an output's place is not Hearth's to take away.
mkdir -p place.tar layout.oci && echo mine > layout.oci/mine
! create -o place tiny-os > out 2>&1 < /dev/null || fail "a directory was taken for an output"
expect_text out "$work/place.tar can't be written: a directory is there"
! OVERWRITE_OLD_IMAGE=1 "$HEARTH" image create -n -t oci -o layout tiny-os > out 2>&1 < /dev/null || fail "a directory was taken for a layout"
expect_text out "$work/layout.oci can't be written: what is there is no OCI layout"
[ "$(cat layout.oci/mine)" = mine ] && [ ! -e place.d ] || fail "what was there has gone, or the build began"
rm -r place.tar layout.oci
refused no-name 2 create -o "" tiny-os
expect_text out-no-name "-o: '' names no image"
wrong docker-name "'UPPER:1' is no name of a container image" --docker-target UPPER:1
wrong journal "--mkfs-journal-size: '99999999999' is not a number from 0 to 40000" --mkfs-journal-size 99999999999
wrong checksums "did you mean 'sha256'?" --checksums sha265
wrong install-type "is source, package, repo or any, not 'foo'" --install-type foo
wrong resize "--max-online-resize: 'abc' is not a whole number" --max-online-resize abc
wrong arch "-a is amd64, arm64" -a sparc
wrong break "did you mean 'before-install'?" --break before-instal
wrong fresh "did you mean 'install'?" --fresh-from instal
wrong image-size "--image-size: '3 gibs' is not a size" --image-size "3 gibs"
DIB_BLOCK_SIZE=abc wrong sector "Known: 512, 4096"
SOURCE_DATE_EPOCH=yesterday wrong epoch "SOURCE_DATE_EPOCH: 'yesterday'"
mkdir lock-place
for lock in lock-place missing/lock /proc/lock; do
    refused lock 1 create -o lock --record --lock $lock tiny-os
    expect_text out-lock "$lock"
    [ ! -e lock.d ] || fail "lock: the build began"
done
refused sign 1 create -o sign --sign-key /nonexistent/key tiny-os
expect_text out-sign /nonexistent/key
[ ! -e sign.d ] || fail "sign: the build began"

# What an IMAGE.yaml says acts as it does on the command line.
printf -- '- imagename: described\n  elements: [tiny-os]\n  types: [tar]\n  skip-base: true\n  options: [--locked, --lock, /nonexistent/lock]\n' > images.yaml
refused described 1 "$HEARTH" image create images.yaml
expect_text out-described "images.yaml:1:3" "there is no lock file /nonexistent/lock"

refused in-root 1 create -o /hearth-image tiny-os
expect_text out-in-root "the image /hearth-image would lie in /" "-o DIRECTORY/NAME"
[ ! -e /hearth-image.d ] || fail "a directory was made in /"

# A home that is not there is not made.
HOME=$work/no-home refused no-home 1 env -u DIB_IMAGE_CACHE "$HEARTH" image create -n -t tar -o no-home tiny-os
expect_text out-no-home "the home $work/no-home, where $work/no-home/.cache/image-create would be made, is no directory" "DIB_LOCKFILES"
[ ! -e no-home ] || fail "a missing home was made"

# A full disk where the image is to appear: the old image stays, nothing half-written does.
mkdir full
if unshare -m true 2> /dev/null; then
    refused full 1 unshare -m bash -c '
        mount -t tmpfs -o size=3m tmpfs full
        echo old > full/image.tar
        code=0
        "$HEARTH" image create -n -t tar -o full/image tiny-os || code=$?
        grep -qx old full/image.tar || exit 9
        [ -z "$(find full -name "*.tar*" ! -name image.tar)" ] || exit 8
        exit $code'
    expect_text out-full "No space left on device"
    # NAME.d, where the evidence is written when the outputs are there: it is looked at before.
    "$HEARTH" image create -n -t tar -o kept tiny-os > out 2>&1 < /dev/null || fail "a build to be kept: $(cat out)"
    stat -c '%i %y' kept.tar > kept-looks
    refused full-evidence 1 unshare -m bash -c '
        cp -a kept.d kept-copy
        mount -t tmpfs -o size=64k tmpfs kept.d
        cp kept-copy/* kept.d
        head -c 1m /dev/zero > kept.d/fill 2> /dev/null
        code=0
        OVERWRITE_OLD_IMAGE=1 "$HEARTH" image create -n --no-cache -t tar -o kept tiny-os || code=$?
        cmp kept.d/provenance.json kept-copy/provenance.json && cmp kept.d/manifest.json kept-copy/manifest.json || exit 9
        exit "$code"'
    expect_text out-full-evidence "for the evidence of kept.tar in $PWD/kept.d: No space left on device"
    stat -c '%i %y' kept.tar | cmp - kept-looks || fail "the image was replaced, and its evidence was not"
    # The work area, at the first directory that is made there, and while a hook writes.
    refused full-places 1 unshare -m bash -c '
        mount -t tmpfs -o size=9m,nr_inodes=12 tmpfs full
        TMPDIR=$PWD/full "$HEARTH" image create -n --no-tmpfs -t tar -o full-places tiny-os'
    expect_text out-full-places "No space left on device" "setting up the sandbox" "a directory in TMPDIR with --no-tmpfs. It may be full."
    refused full-work 1 unshare -m bash -c '
        mount -t tmpfs -o size=1m tmpfs full
        TMPDIR=$PWD/full "$HEARTH" image create -n --no-tmpfs -t tar -o full-work tiny-os || code=$?
        [ -z "$(ls -A full)" ] || exit 9
        exit "$code"'
    expect_text out-full-work "No space left on device" "root.d/10-tiny-os (element tiny-os) failed"
else
    echo "SKIPPED: a full disk: needs root, for a mount namespace"
fi

# break=after-error gives a shell in the target, with the hook's environment.
break_cmd='echo "shell in $(cat /etc/hostname) for $IMAGE_NAME"' \
    "$HEARTH" image create -n -t tar --break after-error -o shell tiny-os failing > out 2>&1 < /dev/null && fail "the failing build passes"
expect_text out "Starting debug shell" "At stage after-error" "shell in tiny for shell"

# A daemon that a hook leaves behind is noted and killed; hooks can't write outside.
create --no-cache -o contained tiny-os daemon outside > out 2>&1 || fail "contained: $(cat out)"
expect_text contained.d/build.log "install.d/30-daemon left '" "refused in /etc" "refused in /usr"
for place in /etc /usr /root /var/lib /tmp; do
    [ ! -e "$place/written-by-a-hook" ] || fail "a hook wrote to $place"
done
tar -tf contained.tar > listing
expect_text listing ./.dotfile ./etc/hostname
finish
