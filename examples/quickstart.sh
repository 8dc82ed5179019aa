#!/bin/bash
# From a fresh Debian 12 machine to a virtual machine that configured itself: installs what is needed, builds Hearth,
# builds examples/hello, starts it, and shows what it did.
#
# usage: examples/quickstart.sh [OUTPUT-DIRECTORY]     default: examples/output
set -euo pipefail
case ${1:-} in
    --help | -h) sed -n '2,/^set /{/^#/s/^# \?//p}' "${BASH_SOURCE[0]}" && exit ;;
    -*) echo "quickstart.sh: there is no option $1; usage: examples/quickstart.sh [OUTPUT-DIRECTORY]" >&2 && exit 2 ;;
esac
[ $# -le 1 ] || { echo "quickstart.sh: one directory, please: $*" >&2 && exit 2; }

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
bash "$root/cmake/check-machine.sh" "$root" 6000
output=${1:-$root/examples/output}
mkdir -p "$output"
output=$(cd "$output" && pwd)
stages=()

# stage NAME COMMAND…: runs it under a headline, and remembers how long it took.
stage() {
    local name=$1 began=$SECONDS
    shift
    printf '\n== %s\n' "$name"
    "$@"
    stages+=("$(printf '%-12s %4d s' "$name" $((SECONDS - began)))")
}

build_image() {
    ELEMENTS_PATH=$root/examples/hello/elements "$hearth" image create -o "$output/hello" --image-size 2 \
        --metadata "$root/examples/hello/metadata.json" vm debian-minimal enable-serial-console hello
}

boot_image() {
    "$hearth" image test "$output/hello.qcow2" --timeout 400 \
        --expect 'greeting = Hello from a machine that configured itself' \
        --expect '"deploy_stdout": "hello from the deployment' \
        --expect '"deploy_status_code": "?0' --expect 'hello: done'
}

cd "$root"
hearth=$root/build/release/builder/hearth
stage install bash cmake/install-packages.sh build run
stage compile bash cmake/build.sh release
stage image build_image
stage boot boot_image

cat <<END

The machine rendered its template, ran its deployment and recorded the result: deploy_stdout, status 0.

Where the time went:
$(printf '  %s\n' "${stages[@]}")

Try next:
  $hearth image boot $output/hello.qcow2          its console on your terminal (Ctrl-A x ends it)
  $hearth image test $output/hello.qcow2 --firmware uefi --expect 'hello: done' --timeout 400
  $hearth image plan vm debian-minimal             what a build runs, in order
  $hearth element list                             the elements that there are
  edit examples/hello/metadata.json and run this script again
  bash tests/run.sh                                all tests
END
