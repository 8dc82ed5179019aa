#!/bin/bash
# examples/ci as it stands: the pipeline builds, starts and asks the machine; what is wrong with a machine is told, all of it.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
type -P mmdebstrap qemu-system-x86_64 ssh > /dev/null || { echo "SKIPPED: mmdebstrap, qemu and ssh are needed" && exit 77; }
debian_release
export DIB_RELEASE=$release
example=$here/../../examples/ci
bash "$example/pipeline.sh" out > log 2>&1 < /dev/null || { cat log >&2; exit 1; }
expect_text log "service nginx: running: active" "package nginx-light: installed: installed: " "http 80/: HTTP 200"
python3 - out/web.test.xml <<'END' || fail "$(cat out/web.test.xml)"
import sys, xml.etree.ElementTree as tree
root = tree.parse(sys.argv[1]).getroot()
names = {case.get("name") for case in root.iter("testcase")}
assert root.get("failures") == "0" and len(names) == 10, root.attrib
assert "file /var/www/html/index.html: contents" in names and "http 80/" in names, names
END
# The same machine, and a file that is wrong in five ways.
cat > wrong.yaml <<'END'
service:
  nginx: {running: false}
file:
  /var/www/html/index.html: {mode: "0600", contents: ["goodbye"]}
package:
  apache2: {installed: true}
mount:
  /: {exists: true}
http:
  http://localhost/missing: {status: 200}
END
code=0
"$HEARTH" image test out/web.qcow2 --accel tcg --checks wrong.yaml --junit wrong.xml --retry-timeout 1 --timeout 900 > log 2>&1 || code=$?
[ $code = 3 ] || fail "exit code $code"
expect_text log "FAILED  service nginx: running: active" "mode: is 644, not 0600" "not so: goodbye; it is: <h1>" \
    "FAILED  package apache2: installed: not installed" "mount /: exists: mounted" "FAILED  http 80/missing: HTTP 404" \
    "(5 of 6 checks failed)"
[ "$(grep -c '<failure' wrong.xml)" = 5 ] || fail "$(cat wrong.xml)"
# Disks on which there is nothing to boot: no check has failed, as nobody was there to answer one.
truncate -s 64M zeros.raw
cp zeros.raw hangs.raw
printf '\353\376' | dd of=hangs.raw conv=notrunc status=none  # a loader that goes round in a circle
printf '\125\252' | dd of=hangs.raw bs=1 seek=510 conv=notrunc status=none
# no_sign DISK TEXT OPTION…: nobody answers, TEXT says why, and the report tells of errors only.
no_sign() {
    local code=0
    "$HEARTH" image test "$1.raw" --accel tcg --checks wrong.yaml --junit "$1.xml" "${@:3}" > log 2>&1 || code=$?
    [ $code = 4 ] || fail "$1: exit code $code: $(cat log)"
    expect_text log "NO ANSWER  service nginx: running: not a" "the machine gave no sign of life: $2" "last lines of the console"
    ! grep -q FAILED log || fail "$1: $(cat log)"
    expect_text "$1.xml" ' failures="0" '
}
no_sign zeros "the firmware found nothing to boot" --run true --http 80/ --timeout 900
expect_text zeros.xml ' errors="8" '
no_sign hangs "the deadline passed" --timeout 15
finish
