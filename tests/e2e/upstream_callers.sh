#!/bin/bash
# disk-image-create and its like as scripts of the field call them: all elements in one word, empty words, options twice and
# abbreviated, merge keys in YAML, another gzip, elements of diskimage-builder's own that ELEMENTS_PATH does not name.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
mkdir -p bin theirs/package-installs theirs/upstream-only/install.d theirs/tiny-os mine/wants mine/args/install.d
for name in disk-image-create diskimage-builder element-info dib-lint dib-block-device; do ln -s "$HEARTH" bin/$name; done
export PATH=$work/bin:$PATH ELEMENTS_PATH=$work/mine:$ELEMENTS_PATH
printf '#!/bin/bash\ntouch /from-upstream\n' > theirs/upstream-only/install.d/50-theirs
printf '#!/bin/bash\necho "$DIB_ARGS" > /dib-args\n' > mine/args/install.d/50-args
chmod +x theirs/upstream-only/install.d/50-theirs mine/args/install.d/50-args
touch theirs/package-installs/README.rst
echo upstream-only > mine/wants/element-deps

# build WORD…: by disk-image-create.
build() {
    disk-image-create "$@" > out 2>&1 < /dev/null || fail "disk-image-create $*: $(tail -20 out)"
}
has() {
    tar -tf "$1" > listed 2>&1 || fail "no $1: $(cat listed)"
    grep -qx "\(\./\)\?$2" listed || fail "$1 has no $2"
}

# As octavia's diskimage-create.sh.
build "" "" -o one -t tar --image-size 2 "" "-n" "tiny-os  args"
has one.tar dib-args
# The last types count, an abbreviation is upstream's option, arguments are as typed.
build -n -o two -t raw -t tar --check tiny-os args
[ ! -e two.raw ] || fail "both types are written"
sha256sum -c two.tar.sha256 > /dev/null || fail "no checksum"
[ "$(tar -xOf two.tar ./dib-args)" = "-n -o two -t raw -t tar --check tiny-os args" ] || fail "DIB_ARGS: $(tar -xOf two.tar ./dib-args)"
disk-image-create -n "" " " > out 2>&1 && fail "no element is an image"
expect_text out "At least one distribution root element must be specified"

# Another gzip, with its options; one that fails, or is not there.
printf '#!/bin/bash\necho "$*" > "%s/gzip-words"\nexec gzip "$@"\n' "$work" > bin/my-gzip && chmod +x bin/my-gzip
DIB_GZIP_BIN="my-gzip -n" build -n -o three -t tgz tiny-os
has three.tgz etc/hostname
[ "$(cat gzip-words)" = "-n -9" ] || fail "my-gzip was called with: $(cat gzip-words 2>&1)"
DIB_GZIP_BIN=false disk-image-create -n -o four -t tgz tiny-os > out 2>&1 < /dev/null && fail "a failing gzip makes a tgz"
expect_text out "DIB_GZIP_BIN (false -9): exit code 1"
[ ! -e four.tgz ] || fail "four.tgz is there"
DIB_GZIP_BIN=nosuch disk-image-create -n -o five -t tgz tiny-os > out 2>&1 < /dev/null && fail "a missing gzip makes a tgz"
expect_text out "nosuch"
[ ! -e five.d/build.log ] || ! grep -q "running root.d" five.d/build.log || fail "told too late: $(cat out)"

# Merge keys.
printf -- '- &first\n  imagename: six\n  elements: [tiny-os]\n  types: [tar]\n  skip-base: true\n- <<: *first\n  imagename: seven\n' > images.yaml
diskimage-builder images.yaml > out 2>&1 < /dev/null || fail "merge keys: $(tail -5 out)"
has six.tar etc/hostname
has seven.tar etc/hostname

# What says how images are built may stand on the command line; what is in them has keys.
"$HEARTH" image create --strict --no-cache --dry-run images.yaml > out 2>&1 || fail "options for all: $(cat out)"
"$HEARTH" image create --compression best images.yaml > out 2>&1 && fail "what is in an image is taken for all"
expect_text out "Its key there is 'compression'"
printf -- '- {imagename: keyed, elements: [tiny-os], types: [tar], skip-base: true, compression: bets}\n' > keyed.yaml
"$HEARTH" image create keyed.yaml > out 2>&1 && fail "a wrong value is taken"
expect_text out "keyed.yaml:1:87" "'compression' is one of fast, best, zstd, none, not 'bets', did you mean best?"
# The command line of an image goes into logs of CI: without what is secret in its environment.
printf -- '- imagename: hush\n  elements: [tiny-os]\n  types: [tar]\n  skip-base: true\n  environment: {DIB_ROOT_PASSWORD: hunter2hunter2, SITE: "https://me:hunter3hunter3@example.org/"}\n' > hush.yaml
"$HEARTH" image create --dry-run hush.yaml > out 2>&1 || fail "a file with secrets: $(cat out)"
expect_text out "DIB_ROOT_PASSWORD=REDACTED SITE=https://example.org/ disk-image-create -o hush"
"$HEARTH" image create hush.yaml > out 2>&1 < /dev/null || fail "a file with secrets: $(tail -5 out)"
! grep -qr 'hunter[23]hunter[23]' out hush.d || fail "a secret is told: $(grep -r 'hunter[23]hunter[23]' out hush.d)"

# Upstream's own elements stand behind Hearth's; "first" puts them before, "no" leaves them out.
export HEARTH_UPSTREAM_ELEMENTS=$work/theirs
build -n -o eight -t tar tiny-os wants
has eight.tar from-upstream
! grep -q overrides eight.d/build.log || fail "what is the rule is noted: $(grep overrides eight.d/build.log)"
[ "$(element-info tiny-os wants)" = "tiny-os upstream-only wants" ] || fail "element-info: $(element-info tiny-os wants 2>&1)"
"$HEARTH" image plan -n tiny-os wants > plan 2>&1 || fail "no plan: $(cat plan)"
expect_text plan upstream-only
HEARTH_UPSTREAM_ELEMENTS=no element-info tiny-os wants > out 2>&1 && fail "found all the same"
expect_text out "Element 'upstream-only' not found"
HEARTH_UPSTREAM_ELEMENTS=$work/nothing element-info tiny-os > out 2>&1 && fail "a directory that is not there is taken"
expect_text out "does not hold diskimage-builder's elements"

# dib-block-device, as upstream's library asks it; what it made there Hearth makes by itself.
printf -- '- local_loop:\n    name: image0\n    mkfs:\n      name: mkfs_root\n      mount: {mount_point: /}\n' > layout.yaml
printf 'config: layout.yaml\nroot-fs-type: xfs\nroot-label: mine\n' > params.yaml
[ "$(for symbol in root-label root-fstype mount-points boot-label; do dib-block-device --params params.yaml getval $symbol; done | xargs)" = "mine xfs /" ] ||
    fail "dib-block-device: $(dib-block-device --params params.yaml getval root-label 2>&1)"
for words in getval "getval root-label boot-label"; do
    # shellcheck disable=SC2086  # words
    dib-block-device --params params.yaml $words > out 2>&1 && fail "dib-block-device $words is taken"
    expect_text out "getval takes one symbol" "root-fstype and root-label"
done
DIB_BLOCK_DEVICE_PARAMS_YAML=params.yaml dib-block-device init || fail "init"
for words in create umount cleanup delete writefstab "getval image-block-device"; do
    # shellcheck disable=SC2086  # words
    dib-block-device --params params.yaml $words > out 2>&1 && fail "dib-block-device $words is taken"
    expect_text out "${words#getval }"
done
dib-block-device init > out 2>&1 && fail "init of nothing"
expect_text out "DIB_BLOCK_DEVICE_PARAMS_YAML"

# dib-lint, as opendev's tox calls it.
mkdir -p elements/good
printf 'good\n' > elements/good/README.rst
ELEMENTS_DIR=elements dib-lint > out 2>&1 || fail "dib-lint: $(cat out)"
expect_text out PASS
mkdir elements/bad
ELEMENTS_DIR=elements dib-lint > out 2>&1 && fail "dib-lint finds nothing"
expect_text out "ERROR: " "elements/bad" "FAIL"
finish
