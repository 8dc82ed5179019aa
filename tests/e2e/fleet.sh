#!/bin/bash
# Many images of one file: what they have in common runs once, they are built side by side with the bytes that each has alone;
# a failure, a full disk, kill -9 and SIGTERM of one or all of them.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
export SOURCE_DATE_EPOCH=1700000000 DIB_IMAGE_CACHE=$work/cache ELEMENTS_PATH=$work/elements:$here/elements
hook base/pre-install.d/10-shared <<< 'echo "the shared step of $DIB_FLAVOUR runs"; sleep 0.3; echo "$DIB_FLAVOUR" > /etc/flavour'
for role in 1 2 3 4; do
    hook "role-$role/install.d/50-role" <<< "echo the own step of $role runs; echo $role > /etc/role"
done
hook role-bad/install.d/50-role <<< 'echo "no <such> thing & more"; exit 7'
hook role-slow/install.d/50-role <<< "sleep $mark"
cat > images.yaml << 'END'
- template: tiny
  elements: [tiny-os, base]
  types: [tar]
  skip-base: true
- imagename: ${flavour}-${role}
  extends: tiny
  matrix: {flavour: [plain, rich], role: ['1', '2', '3', '4']}
  elements: ["role-${role}"]
  environment: {DIB_FLAVOUR: "${flavour}"}
END
# runs TEXT: how often a hook has said that, in all builds.
runs() { cat ./*.d/build.log | grep -c -- "$1" || true; }
create() { "$HEARTH" image create "$@" < /dev/null > out 2>&1; }

"$HEARTH" image plan images.yaml > plan
expect_text plan "8 images, 24 steps, 12 of them distinct: 12 are shared" "plain-2  2 steps as plain-1, up to pre-install.d/10-shared; 1 its own" \
    "  rich-1   3 steps, all its own; root.d/" " is not that of plain-1: the variable DIB_FLAVOUR changed"
"$HEARTH" image plan --json images.yaml | jq -e '.distinct == 12 and (.images | length) == 8' > /dev/null || fail "the plan as JSON"
[ ! -e cache ] || fail "image plan made the cache"

# The page's own example, with elements as `hearth element new` begins them, shares what it says.
mkdir page
sed -n '/^    - template: debian/,/^$/s/^    //p' "$here/../../docs/howto/fleet.md" > page/images.yaml
for role in web db cache; do
    (cd page && "$HEARTH" element new "$role" > /dev/null)
done
(cd page && ELEMENTS_PATH=$PWD "$HEARTH" image plan images.yaml > plan 2>&1) || fail "the page's example: $(cat page/plan)"
expect_text page/plan "5 images, " "node-bookworm-db     2 steps as node-bookworm-web, up to root.d/08-debootstrap-packages" \
    "node-trixie-db       1 step as node-trixie-web, up to root.d/08-debootstrap;"

create --jobs 4 --junit report.xml images.yaml || fail "the first build: $(cat out)"
for flavour in plain rich; do
    [ "$(runs "the shared step of $flavour runs")" = 1 ] || fail "the shared step of $flavour ran $(runs "the shared step of $flavour runs") times"
done
[ "$(runs "the own step of")" = 8 ] || fail "steps of images' own ran $(runs "the own step of") times"
expect_text out "plain-3: " "8 of 8 images are done, 0 failed" "| rich-4  | built" "| rich-4.tar"
python3 - report.xml << 'END' || fail "the report: $(cat report.xml)"
import sys, xml.etree.ElementTree as tree
suite = tree.parse(sys.argv[1]).getroot()[0]
assert suite.get("tests") == "8" and suite.get("failures") == "0" and len(suite.findall("testcase")) == 8
END
for image in plain-1 plain-4 rich-3; do
    DIB_FLAVOUR=${image%-*} "$HEARTH" image create --no-cache -n -t tar -o alone tiny-os base "role-${image#*-}" < /dev/null > out 2>&1 || fail "alone: $(cat out)"
    cmp "$image.tar" alone.tar || fail "$image has other bytes than one that is built alone"
done

# Nothing to do; and all from layers.
create images.yaml || fail "again: $(cat out)"
[ "$(grep -c "| up to date |" out)" = 8 ] || fail "not all are up to date: $(cat out)"
rm ./*.tar
"$HEARTH" image create --json images.yaml < /dev/null > events 2> out || fail "from layers: $(cat out)"
jq -es '.[-1] | .event == "images" and .failed == 0 and ([.images[].from_layers] | add) == 16 and ([.images[].ran] | add) == 8' events > /dev/null || fail "not from layers: $(tail -1 events)"
jq -es 'all(.[:-1][]; .image | startswith("/"))' events > /dev/null || fail "an event without its image: $(cat events)"

# One fails: the others are built all the same, or not begun.
sed -e "s/\['1', '2', '3', '4'\]/['1', bad, '2']/" -e 's/plain, rich/plain/' images.yaml > bad.yaml
rm -f plain-2.tar
code=0
create --jobs 1 --junit report.xml bad.yaml || code=$?
[ "$code" = 7 ] || fail "the exit code of a failure: $code"
[ -e plain-2.tar ] || fail "the image behind the failed one is not built: $(cat out)"
expect_text out "  | no <such> thing & more" "hearth: image plain-bad: install.d/50-role (element role-bad) failed" "| plain-bad | failed (7)" "2 of 3 images are done, 1 failed"
python3 -c 'import xml.etree.ElementTree as t; s = t.parse("report.xml").getroot()[0]; assert s.get("failures") == "1"; assert "50-role" in s.find("testcase/failure").get("message")' ||
    fail "the report of a failure: $(cat report.xml)"
rm -f plain-2.tar
create --jobs 1 --stop-on-failure bad.yaml && fail "--stop-on-failure hides the failure"
[ ! -e plain-2.tar ] || fail "--stop-on-failure goes on"
expect_text out "| plain-2   | not built"
create --jobs 0 images.yaml && fail "--jobs 0 is taken"
expect_text out "--jobs takes a number from 1"
create --junit /nonexistent/r.xml images.yaml && fail "a report that can't be written"
expect_text out "There is no directory /nonexistent"

# An element that is not there is told before anything is built, with its image's place.
sed 's/role-bad/role-bda/; s/bad,/bda,/' bad.yaml > unknown.yaml
create --dry-run unknown.yaml && fail "a file with an unknown element is as it should be"
expect_text out "unknown.yaml:" ": image plain-bda can't be built: Element 'role-bda' not found"
rm -f plain-1.tar
create --jobs 1 --stop-on-failure unknown.yaml && fail "an unknown element is built"
[ ! -e plain-1.tar ] || fail "an image was built before the file was found wrong"
expect_text out "1 of 3 images can't be built; nothing was begun"

# What can't be replaced gets the report as it is; more builds at once than the machine has room for wait.
mkfifo pipe.xml
timeout 20 cat pipe.xml > piped.xml &
create --junit pipe.xml images.yaml || fail "a report into a pipe: $(cat out)"
wait "$!" || true
[ -p pipe.xml ] || fail "the pipe was replaced by a file"
grep -q '</testsuites>' piped.xml || fail "the report in the pipe: $(cat piped.xml)"
rm -f ./*.tar
(ulimit -n 64 && create --jobs 20 images.yaml) || fail "with few files: $(cat out)"
expect_text out "8 of 8 images are done, 0 failed"

# diskimage-builder: the logs, one after the other.
rm -f plain-1.tar plain-2.tar
ln -s "$HEARTH" diskimage-builder
code=0
./diskimage-builder bad.yaml < /dev/null > log 2> out || code=$?
[ "$code" = 7 ] && [ -e plain-2.tar ] || fail "diskimage-builder ends with $code"
expect_text log "no <such> thing & more" "Build completed successfully"

# wait_until COMMAND…: for a minute at most.
wait_until() { for _ in $(seq 600); do "$@" > /dev/null 2>&1 && return; sleep 0.1; done; fail "in vain: $*"; }
sed -e "s/\['1', '2', '3', '4'\]/[slow, '1', '2']/" -e 's/plain, rich/plain/' images.yaml > slow.yaml
gone() { ! pgrep -f "sleep $mark"; }
begin_slow() {
    rm -f plain-?.tar
    "$HEARTH" image create --jobs 2 slow.yaml < /dev/null > out 2>&1 &
    fleet=$!
    wait_until pgrep -f "sleep $mark"
    wait_until grep -q "plain-2  [0-9]" out
}
# A shared step that can't be kept: nobody waits for the end of an image that hangs behind it.
hook unseen/extra-data.d/10-unseen <<< 'echo "unseen the weather -" >> /hearth/inputs'
sed -e 's/tiny-os, base/tiny-os, unseen, base/' slow.yaml > unkept.yaml
rm -f plain-?.tar
"$HEARTH" image create --jobs 2 unkept.yaml < /dev/null > out 2>&1 &
fleet=$!
wait_until pgrep -f "sleep $mark"
wait_until grep -q "plain-2  [0-9]" out
kill -TERM "$fleet"
wait "$fleet" 2> /dev/null || true
nothing_left plain-slow
# Another build of the same file meanwhile is refused, image by image; kill -9 of one build is no other's business.
begin_slow
"$HEARTH" image create --jobs 1 slow.yaml < /dev/null > second 2>&1 && fail "two builds of one image"
expect_text second "hearth: image plain-slow: another build makes $work/plain-slow at this moment" "2 of 3 images are done, 1 failed"
kill -9 "$(pgrep -P "$fleet")"
code=0
wait "$fleet" || code=$?
[ "$code" = 137 ] || fail "the exit code after kill -9: $code"
wait_until gone
expect_text out "hearth: image plain-slow: its build was killed by SIGKILL" "2 of 3 images are done, 1 failed"
nothing_left plain-slow
# SIGTERM ends all of them; so does the end of the one that started them.
begin_slow
kill -TERM "$fleet"
code=0
wait "$fleet" || code=$?
[ "$code" = 143 ] || fail "the exit code after SIGTERM: $code"
expect_text out "| plain-slow | interrupted" "0 failed, 1 interrupted" \
    "hearth: image plain-slow: it was stopped by SIGTERM; nothing of it was left behind" "stopped by SIGTERM; nothing was left behind of plain-slow"
nothing_left plain-slow
begin_slow
kill -9 "$fleet"
wait "$fleet" 2> /dev/null || true
wait_until gone
nothing_left plain-slow

# A full disk in one: named, the others are there.
mkdir small
full() {
    sed -e 's/imagename: \${flavour}-\${role}/imagename: "${role}\/image"/' -e "s/\['1', '2', '3', '4'\]/[small, '1']/" \
        -e 's/elements: \["role-.*/elements: [role-2]/' -e 's/plain, rich/plain/' images.yaml > full.yaml
    sed -i -e 's/matrix: {flavour: \[plain\], /matrix: {/' -e 's/"\${flavour}"/plain/' full.yaml
    unshare --mount --propagation private -- bash -euc 'mount -t tmpfs -o size=200k small small; exec "$0" image create --jobs 2 full.yaml < /dev/null' "$HEARTH"
}
if [ "$(id -u)" = 0 ]; then
    full > out 2>&1 && fail "a full disk is no failure"
    expect_text out "No space left on device" "1 of 2 images are done, 1 failed"
    [ -s 1/image.tar ] || fail "the other image is not there: $(cat out)"
else
    echo "SKIPPED: part: a full disk needs root, to mount a small one"
fi

# On a terminal, a narrow one: a line for each that runs, and one that counts; a wider one has room to say who is waited for.
sed -e "s/, '4'\]/]/" -e 's/plain, rich/plain/' images.yaml > three.yaml
rm -f ./*.tar
script -qec "export TERM=xterm; stty cols 50 rows 8; '$HEARTH' image create --no-cache --jobs 2 three.yaml" screen < /dev/null > /dev/null || fail "on a terminal: $(cat screen)"
expect_text screen " of 3 images done, " $'\e[2A\r\e[J' "3 of 3 images are done"
rm -rf cache ./*.tar
script -qec "export TERM=xterm; stty cols 90 rows 8; '$HEARTH' image create --jobs 2 three.yaml" screen < /dev/null > /dev/null || fail "on a wide terminal: $(cat screen)"
expect_text screen "2 to come: 2 wait for plain-1"
finish
