#!/bin/bash
# The agent binary as it ships: fully static, small, and able to run where there is nothing else.
# Usage: binary_test.sh BINARY. Exit 77 = skipped.
set -eu
set -o pipefail

binary=$1
limit=7000000

headers=$(readelf -lW "$binary")
if [[ $headers == *INTERP* ]]; then
    echo "it has an interpreter: not static"
    exit 1
fi
dynamic=$(readelf -dW "$binary")
if [[ $dynamic == *NEEDED* ]]; then
    echo "it needs shared libraries: $dynamic"
    exit 1
fi
size=$(stat -c %s "$binary")
if [ "$size" -gt "$limit" ]; then
    echo "it has $size bytes, more than $limit"
    exit 1
fi

root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
cp "$binary" "$root/hearth-agent"
enter=(chroot "$root")
if [ "$(id -u)" != 0 ]; then
    if ! unshare -r true 2>/dev/null; then
        echo "SKIPPED: the chroot: neither root nor user namespaces"
        exit 77
    fi
    enter=(unshare -r chroot "$root")
fi
"${enter[@]}" /hearth-agent --version
"${enter[@]}" /hearth-agent install-links /bin
mkdir "$root/data"
echo '{"a": [1.0]}' >"$root/data/x"
report=$("${enter[@]}" /bin/os-collect-config --print --local-path /data local 2>/dev/null)
expected=$'{\n "x": {\n  "a": [\n   1.0\n  ]\n }\n}'
if [ "$report" != "$expected" ]; then
    echo "os-collect-config in an empty root printed: $report"
    exit 1
fi
"${enter[@]}" /bin/os-refresh-config --print-phases >/dev/null
answer=$(echo '{"config": {"/data/y": [1]}}' | "${enter[@]}" /bin/hooks/json-file 2>/dev/null)
if [ "$answer" != '{"deploy_stdout": "", "deploy_stderr": "", "deploy_status_code": 0}' ] || [ ! -s "$root/data/y" ]; then
    echo "the hook json-file in an empty root answered: $answer"
    exit 1
fi
echo "static, $size bytes, runs in an empty root"
