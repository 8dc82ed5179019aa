#!/bin/bash
# What is kept of a build: what runs again after which change, the same bytes as without a cache, damage noticed, races, a
# full disk, carrying it elsewhere. Each step makes a layer here (HEARTH_LAYER_WORTH=0).
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
export SOURCE_DATE_EPOCH=1700000000 DIB_IMAGE_CACHE=$work/cache HEARTH_LAYER_WORTH=0
mkdir -p elements/{reader,writer}/{extra-data.d,install.d,post-install.d} elements/reader/data elements/writer/data
export ELEMENTS_PATH=$work/elements:$here/elements
echo one > elements/reader/data/read.txt
echo one > elements/reader/data/unread.txt
hook reader/extra-data.d/10-read <<< 'cp "$TMP_HOOKS_PATH/data/read.txt" "$TMP_MOUNT_PATH/etc/read"; echo scratch > "$TMPDIR/left"; echo host > /var/tmp/left'
hook reader/install.d/20-tree <<< 'mkdir -p /opt/a/b && echo x > /opt/a/b/file && ln /opt/a/b/file /opt/a/hard && ln -s b /opt/a/link && chown 5:6 /opt/a/b/file'
hook writer/install.d/30-replace <<< 'rm -r /opt/a/b; mkdir /opt/a/b; echo y > /opt/a/b/other; rm /etc/hostname'
hook writer/install.d/90-last <<< 'echo "${FLAVOUR:-plain}" > /opt/last'
hook writer/post-install.d/50-after <<< 'sleep 0; echo after > /opt/after'
hook writer/extra-data.d/20-scratch <<< '[ "$(cat "$TMPDIR/left")$(cat /var/tmp/left)" = scratchhost ]; echo fine > "$TMP_MOUNT_PATH/etc/scratch"'

# What `image plan` foretells is held to what runs then. Before the first build there is nothing to look at, and it makes nothing.
plan() { "$HEARTH" image plan --json -n -t tar -o image "$@" tiny-os reader writer > plan.json 2> /dev/null || fail "image plan fails"; }
plan
[ ! -e cache ] || fail "image plan made the cache"
build() {
    plan "$@" && "$HEARTH" image create -n -t tar -o image "$@" tiny-os reader writer > out 2>&1 < /dev/null || fail "the build fails: $(cat out)"
    local came=false
    ! grep -q "is up to date" out || came=true
    [ "$(jq .up_to_date plan.json)" = $came ] || fail "image plan foretold up_to_date $(jq .up_to_date plan.json): $(cat out)"
}
# ran STEP…: exactly these steps of the last build ran.
ran() {
    local expected
    expected=$(printf '%s\n' "$@" | sed '/^$/d')
    "$HEARTH" image why image > why
    [ "$(awk '$1 == "ran" { print $2 }' why)" = "$expected" ] || { fail "not just ${expected:-nothing} ran:"; cat why >&2; }
    [ "$(jq -r '.steps[] | select(.from_layers | not) | "\(.phase).d/\(.name)"' plan.json)" = "$expected" ] ||
        { fail "image plan foretold something else than ${expected:-nothing}:"; jq -c '.steps[]' plan.json >&2; }
}
# same_as_clean: the image has the bytes of one that is built without a cache.
same_as_clean() {
    "$HEARTH" image create -n -t tar -o clean --no-cache tiny-os reader writer > out 2>&1 < /dev/null || fail "without a cache: $(cat out)"
    cmp image.tar clean.tar || { fail "$1: not what a clean build makes"; diff <(tar -tvf image.tar) <(tar -tvf clean.tar) >&2; }
}

build
same_as_clean "the first build"
build
expect_text out "is up to date"
"$HEARTH" image plan -n -t tar -o image tiny-os reader writer > plan.txt 2>&1 || fail "image plan: $(cat plan.txt)"
expect_text plan.txt "Up to date, nothing would run: $work/image.tar"
[ "$(jq -c '[.steps[] | select(.runs_because)]' plan.json)" = "[]" ] || fail "image plan has steps run of what is up to date"

# A hard link to a file of a layer below stays one, though no layer is made behind it.
hook writer/post-install.d/60-link <<< 'ln /bin/cat /opt/linked; ln /opt/linked /opt/linked-too'
HEARTH_LAYER_WORTH=1000 build
[ "$(tar -tvf image.tar | grep -c '/linked.* link to ')" = 2 ] || fail "hard links are two files: $(tar -tvf image.tar | grep -E 'linked|bin/cat')"
same_as_clean "hard links"
rm elements/writer/post-install.d/60-link
build

# On a terminal it is a tree, what has changed at the step that it makes run.
echo two > elements/reader/data/read.txt
script -qec "export TERM=xterm LC_ALL=C.UTF-8; stty cols 200; '$HEARTH' image plan -n -t tar -o image tiny-os reader writer" screen < /dev/null > /dev/null ||
    fail "image plan on a terminal: $(cat screen)"
expect_text screen "├─ steps"
grep -q '10-read  *reader  *runs: .*read.txt' screen || fail "the tree does not say why 10-read runs: $(cat screen)"
[ "$(grep -c 'kept: nothing that it depends on has changed' screen)" = 1 ] || fail "the tree tells what is kept so: $(cat screen)"
echo one > elements/reader/data/read.txt

rm image.tar
build
ran
same_as_clean "all from layers"

# Programs follow a build by its events; errors of the sandbox look like others.
events() { "$HEARTH" image create --json -n -t tar -o "$@" < /dev/null > events 2> out || true; jq -e . events > /dev/null || fail "no JSON: $(cat events)"; }
event() { jq -es "any(.[]; $1)" events > /dev/null || { fail "no event $1:" && cat events >&2; }; }
events image tiny-os reader writer
event '.event == "up-to-date" and (.output | endswith("/image.tar"))'
[ "$(tail -1 events)" = "{\"event\":\"end\",\"image\":\"$work/image\",\"code\":0}" ] || fail "the last event: $(tail -1 events)"
hook writer/post-install.d/60-fails <<< 'printf "why \xbc\n" >&2; exit 3'
events failing tiny-os reader writer
event '.event == "step-end" and .name == "post-install.d/60-fails" and .outcome == "failed"'
event '.event == "output" and (.text | contains("why"))'
event '.event == "end" and .code == 3 and (.error | startswith("post-install.d/60-fails"))'
expect_text out "hearth image create: post-install.d/60-fails (element writer) failed"
rm elements/writer/post-install.d/60-fails

hook writer/install.d/90-last <<< 'echo "changed ${FLAVOUR:-plain}" > /opt/last'
build
ran install.d/90-last post-install.d/50-after
expect_text why "install.d/90-last changed" "it comes after install.d/90-last"
same_as_clean "a changed script"

# A plan names what has changed of the steps that no layer holds, one for a new name by the last build of the same steps; and a build
# whose layers are gone says so, and the changed variable, too.
hook writer/install.d/90-last <<< 'echo "changed again ${FLAVOUR:-plain}" > /opt/last'
"$HEARTH" image plan -n -t tar -o other tiny-os reader writer > plan.txt 2>&1 || fail "image plan: $(cat plan.txt)"
expect_text plan.txt "runs: install.d/90-last: install.d/90-last changed" \
    "Compared with the last build of image, which has the same steps: there is none of other here (-o image plans that image)"
"$HEARTH" cache prune > out
FLAVOUR=mint build
"$HEARTH" image why image > why
expect_text why "root.d/10-tiny-os" "its layer is not in the cache any more: it was pruned" "the variable FLAVOUR is new"
build
"$HEARTH" image why image > why
expect_text why "the variable FLAVOUR is gone"

# Where another image's build made the changed step first, this one takes it, and whose it is is the cause; a README is one by itself.
hook writer/install.d/90-last <<< 'echo "once more ${FLAVOUR:-plain}" > /opt/last'
"$HEARTH" image create -n -t tar -o other tiny-os reader writer > out 2>&1 < /dev/null || fail "another image: $(cat out)"
build
ran
"$HEARTH" why image image > said
expect_text said "install.d/90-last was taken as the build of other had made it, because it changed"
echo words > elements/writer/README.md
build
ran
"$HEARTH" why image image > said
expect_text said "It was made anew because a file of the element writer changed." "none reads that file"
! grep -q other said || fail "a README is laid to another image: $(cat said)"
rm other.* elements/writer/README.md -r

echo two > elements/reader/data/unread.txt
build
ran
echo two > elements/reader/data/read.txt
build
ran extra-data.d/10-read extra-data.d/20-scratch install.d/20-tree install.d/30-replace install.d/90-last post-install.d/50-after
expect_text why "data/read.txt changed"
same_as_clean "a changed file"

# A hook that takes something out of all elements, as pkg-map's does: of their files those count that it read or asked for.
hook writer/extra-data.d/40-maps << 'MAPS'
declare -A elements="($(get_image_element_array))"
for place in "${elements[@]}"; do [ ! -f "$place/site-map" ] || cat "$place/site-map" >> "$TMP_MOUNT_PATH/etc/maps"; done
MAPS
echo one > elements/reader/site-map
build
echo "A word more." > elements/reader/README.md
build
ran
echo two > elements/reader/site-map
build
ran extra-data.d/40-maps install.d/20-tree install.d/30-replace install.d/90-last post-install.d/50-after
expect_text why "site-map of the element reader changed"
echo three > elements/writer/site-map
build
"$HEARTH" image why image > why
expect_text why "site-map of the element writer changed"
same_as_clean "a file of all elements"
# Of a link that it copies the link counts; a file that it gives another name, or adds to, it read by that.
ln -s /etc/one elements/reader/link
hook writer/extra-data.d/40-maps <<< 'cp -a "${ELEMENTS_PATH%%:*}/reader/link" "$TMP_MOUNT_PATH/etc"; cd "${ELEMENTS_PATH%%:*}/reader"
echo more >> site-map; mv "$PWD/site-map" /tmp/renamed-map; cat /tmp/renamed-map > "$TMP_MOUNT_PATH/etc/map"'
build
ln -sfn /etc/two elements/reader/link
build
same_as_clean "a link of an element"
echo four > elements/reader/site-map
build
same_as_clean "a file of an element that a hook renamed"
rm elements/reader/link
# A new element that the image has not counts for who lists where elements lie, and for nobody else.
hook writer/extra-data.d/40-maps <<< 'cat "${ELEMENTS_PATH%%:*}/reader/site-map" > "$TMP_MOUNT_PATH/etc/map"'
build
mkdir -p elements/unused && echo five > elements/unused/site-map && build
expect_text out "is up to date"
rm -r elements/unused
hook writer/extra-data.d/40-maps <<< 'cat "${ELEMENTS_PATH%%:*}"/*/site-map > "$TMP_MOUNT_PATH/etc/map"'
build
mkdir -p elements/unused && echo five > elements/unused/site-map && build
same_as_clean "a new element beside others, for who lists them"
rm -r elements/unused
rm elements/writer/extra-data.d/40-maps elements/*/site-map elements/reader/README.md
build
FLAVOUR=sour build
"$HEARTH" image why image > why
expect_text why "the variable FLAVOUR is new (named in $work/elements/writer/install.d/90-last:"
build --fresh-from post-install
ran post-install.d/50-after

# Who only opens /tmp does not depend on what others have there; who lists it does.
hook writer/extra-data.d/21-tar <<< 'tar -C /tmp -cf "$TMP_MOUNT_PATH/etc/some.tar" --files-from /dev/null'
build
touch "/tmp/hearth-other.$$" && build
expect_text out "is up to date"
rm "/tmp/hearth-other.$$"
hook writer/extra-data.d/21-tar <<< 'ls /tmp > /dev/null'
build
touch "/tmp/hearth-other.$$" && build
! grep -q "is up to date" out || fail "a step that lists /tmp was taken for the same"
rm "/tmp/hearth-other.$$"
# A link that a hook made there leads to what is the machine's all the same.
mkdir linked && echo one > linked/file
hook writer/extra-data.d/21-tar <<< "ln -s \"\$(rev <<< '$(rev <<< "$work/linked")')\" /tmp/to; cat /tmp/to/file > \"\$TMP_MOUNT_PATH/etc/linked\""
build
echo two > linked/file && build
! grep -q "is up to date" out || fail "a step that reads by a link of its own was taken for the same"
# A file of the machine that it gives another name there, it read by that.
echo one > "/tmp/hearth-own.$$"
hook writer/extra-data.d/21-tar <<< "mv \"\$(rev <<< '$(rev <<< "/tmp/hearth-own.$$")')\" /tmp/mine; cat /tmp/mine > \"\$TMP_MOUNT_PATH/etc/mine\""
build
echo two > "/tmp/hearth-own.$$" && build
! grep -q "is up to date" out || fail "a step that renamed a file of the machine's /tmp was taken for the same"
rm "/tmp/hearth-own.$$"
rm -r linked elements/writer/extra-data.d/21-tar
build

# Evidence that somebody took away, emptied or edited is made anew, and said to be; what only a build can tell, by one, from layers.
build
for way in 'rm' 'truncate -s 0' 'sed -i s/e/E/'; do
    for name in sbom.spdx.json provenance.json manifest.json steps.json timing.json timing.svg; do
        $way image.d/$name
        build
        case $name in
            sbom* | prov*) expect_text out "$work/image.d" ": it is made anew" "is up to date" ;;
            *) ran ;;
        esac
        [ -s image.d/$name ] || fail "$way $name: it was not made anew"
        "$HEARTH" image verify image.tar > out 2>&1 || fail "$way $name: $(cat out)"
    done
done
# Evidence that was edited into other valid evidence is what the builder did not write, too, and `plan` says so; so are notes that fit it.
python3 - << 'END'
import hashlib, json
def read(name): return open("image.d/" + name, encoding="utf-8").read()
sbom = read("sbom.spdx.json")
statement = json.loads(read("provenance.json"))
text = json.dumps(statement).replace(hashlib.sha256(sbom.encode()).hexdigest(), hashlib.sha256((sbom + "\n").encode()).hexdigest())
assert text != json.dumps(statement)
open("image.d/sbom.spdx.json", "w", encoding="utf-8").write(sbom + "\n")
open("image.d/provenance.json", "w", encoding="utf-8").write(text)
END
"$HEARTH" image verify image.tar > out 2>&1 || fail "the edited evidence is not valid: $(cat out)"
"$HEARTH" image plan -n -t tar -o image tiny-os reader writer > out 2>&1 || fail "plan: $(cat out)"
expect_text out "Up to date" "but for evidence: " "provenance.json is not what the builder wrote"
build
expect_text out "provenance.json is not what the builder wrote: it is made anew" "is up to date"
build
! grep -q "made anew" out || fail "evidence is made anew each time: $(cat out)"
sed -i 's/"records": {/"records": { /' image.d/output.json && build
expect_text out "is up to date"
python3 - << 'END'
import hashlib, json
notes = json.load(open("image.d/output.json", encoding="utf-8"))
text = open("image.d/manifest.json", encoding="utf-8").read() + " "
open("image.d/manifest.json", "w", encoding="utf-8").write(text)
notes["records"]["manifest.json"] = hashlib.sha256(text.encode()).hexdigest()
json.dump(notes, open("image.d/output.json", "w", encoding="utf-8"))
END
build
ran

# A later time of the image than that of the layers: what they wrote has the image's time all the same.
# What a step copies with its own time keeps that, of the second in which the build began, or of days to come; a file of a layer
# below that a later step touches does not.
echo copied > now.txt && cp now.txt soon.txt && touch -d '+1 hour' soon.txt
hook reader/install.d/21-copy <<< 'echo x > /opt/touched'
hook reader/extra-data.d/11-copy <<< "cp -a '$work/now.txt' '$work/soon.txt' \"\$TMP_MOUNT_PATH/etc/\""
hook writer/post-install.d/40-touch <<< 'chmod 0600 /opt/touched'
python3 -c 'import time; time.sleep(1 - time.time() % 1)'
touch now.txt && build
hook writer/post-install.d/40-touch <<< 'sleep 1.1; chmod 0640 /opt/touched'
build
sleep 1
later=$(($(date +%s) + 7200))
SOURCE_DATE_EPOCH=$later build
SOURCE_DATE_EPOCH=$later "$HEARTH" image create -n -t tar -o clean --no-cache tiny-os reader writer > out 2>&1 < /dev/null || fail "without a cache: $(cat out)"
for name in etc/now.txt etc/soon.txt; do
    [ "$(tar -tvf image.tar --full-time "./$name")" = "$(tar -tvf clean.tar --full-time "./$name")" ] || fail "$name has another time"
done
[ "$(date -d "$(tar -tvf image.tar --full-time ./opt/touched | awk '{ print $4, $5 }')" +%s)" -ge $((later - 7200)) ] ||
    fail "a file of a layer below has the time of its build: $(tar -tvf image.tar --full-time ./opt/touched)"
rm elements/reader/{install.d/21-copy,extra-data.d/11-copy} elements/writer/post-install.d/40-touch
build
later=$(date +%s)
rm image.tar
SOURCE_DATE_EPOCH=$later build
ran
SOURCE_DATE_EPOCH=$later same_as_clean "layers older than the image's time"
build

# A hook more in a phase of which the first steps are kept, and one less.
hook writer/install.d/95-more <<< 'echo more > /opt/more'
build
ran install.d/95-more post-install.d/50-after
same_as_clean "a further hook"
rm elements/writer/install.d/95-more
build
same_as_clean "a hook less"

# Files that a hook only asks for: of the machine, by a fixed path, and beside the hooks.
if [ "$(id -u)" = 0 ]; then
    # Not below /tmp, where hooks don't see the machine's; a killed test leaves it in the build folder.
    place=$(dirname "$(realpath "$HEARTH")")
    [[ $place != /tmp/* && $place != /var/tmp/* ]] || place=/opt
    machine=$(mktemp -d "$place/hearth-e2e.XXXXXX")
    trap 'rm -rf "$work" "$machine"' EXIT
    hook writer/extra-data.d/30-ask <<< "a=no; b=no; [ ! -e $machine/flag ] || a=yes; [ ! -e \"\$TMP_HOOKS_PATH/data/flag\" ] || b=yes; echo \$a \$b > \"\$TMP_MOUNT_PATH/etc/asked\""
    build
    touch "$machine/flag"
    build
    expect_text out "extra-data.d/30-ask"
    "$HEARTH" image why image > why
    expect_text why "the machine's $machine/flag changed"
    same_as_clean "a file of the machine that a hook asks for"
    touch elements/writer/data/flag
    build
    "$HEARTH" image why image > why
    expect_text why "data/flag changed"
    same_as_clean "a file beside the hooks that a hook asks for"
else
    echo "SKIPPED: files that a hook only asks for: needs root"
fi

# A hook that reads the clock is named.
hook writer/extra-data.d/40-clock <<< 'date > /dev/null'
build
expect_text out "extra-data.d/40-clock (element writer) reads the clock (date)"
rm elements/writer/extra-data.d/40-clock
build

# How long, and where the time went.
build --fresh-from root
"$HEARTH" image timing image > timing
expect_text timing "root.d/10-tiny-os" "total"
"$HEARTH" image timing --svg image > timing.svg
cmp timing.svg image.d/timing.svg || fail "the picture is not the one beside the image"
expect_text timing.svg "<svg" "root.d/10-tiny-os" "</svg>"

# Damage: a flipped byte in each blob is noticed, and the steps run again.
rm image.tar
for blob in cache/layers/blobs/*; do
    chmod u+w "$blob"
    printf '\x5a\xa5' | dd of="$blob" bs=1 seek=$(($(stat -c %s "$blob") / 2)) conv=notrunc status=none
done
build
expect_text out "can't be used" "its steps run again"
same_as_clean "damaged layers"
code=0
"$HEARTH" cache verify > verified || code=$?
[ "$code" = 1 ] || fail "cache verify finds no damage: $(cat verified)"
"$HEARTH" cache verify > verified || fail "cache verify: $(cat verified)"
build --fresh-from root

# Carried elsewhere, to somebody else's home, cut short on the way, pruned.
"$HEARTH" cache export layers.tar > /dev/null || fail "export"
"$HEARTH" cache import --image-cache other layers.tar > /dev/null || fail "import"
rm image.tar
mkdir -p homes/other
HOME=$work/homes/other DIB_IMAGE_CACHE=$work/other build
ran
"$HEARTH" cache list --image-cache other | grep -q 'root.d/10-tiny-os' || fail "cache list"
"$HEARTH" cache list --json --image-cache other > listed.json
jq -e --arg here "$work/other/layers" '.directory == $here and (.layers | length > 0) and (.pins == []) and (.fetched | type == "array")
  and all(.layers[]; (.sha256 | length == 64) and .bytes > 0 and .last_used > 1700000000 and .pinned == false)
  and any(.layers[]; .steps | contains("root.d/10-tiny-os"))' listed.json > /dev/null || fail "cache list --json: $(cat listed.json)"
"$HEARTH" cache prune --unused-for 1 --image-cache other | grep -qx "0 removed" || fail "layers of today are pruned by age"
"$HEARTH" cache prune --image-cache other > out
expect_text out " removed (" "iB)" "No layer is left: the next build of each image starts from the bootstrap. --keep GIB"
[ -z "$(ls other/layers/blobs)" ] || fail "prune leaves blobs"
head -c 20000 layers.tar > cut.tar
! "$HEARTH" cache import --image-cache cut cut.tar > out 2>&1 || fail "a cut file is imported"

# Without overlay: copies, and it says so.
rm image.tar
HEARTH_LAYERS=copies DIB_IMAGE_CACHE=$work/copies build
expect_text out "layers are copies of the whole tree"
same_as_clean "copies"
hook writer/install.d/90-last <<< 'echo again > /opt/last'
HEARTH_LAYERS=copies DIB_IMAGE_CACHE=$work/copies build
ran install.d/90-last post-install.d/50-after
same_as_clean "copies, a changed script"

# Two builds at once with an empty cache.
race() { "$HEARTH" image create -n -t tar -o "$1" tiny-os reader writer > "$1.out" 2>&1 < /dev/null; }
export DIB_IMAGE_CACHE=$work/race
race first & pid=$!
race second || fail "the second of two at once: $(cat second.out)"
wait $pid || fail "the first of two at once: $(cat first.out)"
cmp first.tar second.tar || fail "two builds at once differ"
"$HEARTH" cache verify > /dev/null || fail "two builds at once damage the cache"

# Two builds of one name: the second is refused while the first goes on, and changes nothing of it.
hook writer/install.d/95-slow <<< 'echo slow; sleep 3'
race first & pid=$!
for _ in $(seq 100); do grep -q '^.*slow' first.d/build.log 2> /dev/null && break; sleep 0.1; done
! "$HEARTH" image create -n -t tar -o first tiny-os > out 2>&1 < /dev/null || fail "two builds of one name at once"
expect_text out "another build makes" "first.d/build.log"
wait $pid || fail "the first of two of one name: $(cat first.out)"
rm elements/writer/install.d/95-slow

# Something mounted below /tmp and /var/tmp, as other builders do: hooks see those directories in another way. What hooks
# left there comes back all the same, and nothing of the machine's gets into a layer.
if [ "$(id -u)" = 0 ]; then
    mounted=$(mktemp -d /var/tmp/hearth-e2e.XXXXXX)
    trap 'rm -rf "$work" "$machine" "$mounted" "$mounted.file"' EXIT
    head -c 3000000 /dev/urandom > "$mounted.file"
    mkdir below
    export mounted DIB_IMAGE_CACHE=$work/mounts
    beside_mounts() {
        plan
        unshare -m bash -c 'mount -t tmpfs none "$mounted" && mount -t tmpfs none below && exec "$HEARTH" image create -n -t tar -o image tiny-os reader writer' > out 2>&1 < /dev/null ||
            fail "beside mounts: $(cat out)"
    }
    rm -f image.tar
    beside_mounts
    [ "$(du -sk "$work/mounts" | cut -f1)" -lt 8000 ] || fail "beside mounts: the machine's own files are in the layers"
    hook writer/extra-data.d/20-scratch <<< '[ "$(cat "$TMPDIR/left")$(cat /var/tmp/left)" = scratchhost ]; echo again > "$TMP_MOUNT_PATH/etc/scratch"'
    beside_mounts
    ran extra-data.d/20-scratch extra-data.d/30-ask install.d/20-tree install.d/30-replace install.d/90-last post-install.d/50-after
    same_as_clean "beside mounts"
    # What others have mounted, and take away while the build runs, keeps no layer from being kept. A file that Hearth hides from
    # hooks, replaced as packages do that bring users, does, and which it was is said.
    hook writer/install.d/95-slow <<< 'echo slow; sleep 2'
    mkdir upper working
    # shellcheck disable=SC2016  # expanded inside
    changed_meanwhile() {
        CHANGE=$1 unshare -m bash -uc 'mount -t tmpfs none "$mounted" && mount -t overlay none -o lowerdir=/etc,upperdir=upper,workdir=working /etc
            "$HEARTH" image create -n -t tar -o image tiny-os reader writer & pid=$!
            for _ in $(seq 200); do ! tail -n 3 image.d/build.log | grep -q "^.*slow" || break; sleep 0.1; done
            eval "$CHANGE"
            wait $pid' > out 2>&1 < /dev/null || fail "$1: $(cat out)"
    }
    changed_meanwhile 'umount "$mounted" && rmdir "$mounted"'
    [ ! -e "$mounted" ] || fail "the mount did not go"
    rm image.tar
    build
    ran
    mkdir "$mounted"
    hook writer/install.d/95-slow <<< 'echo slow again; sleep 2'
    changed_meanwhile 'cp /etc/shadow /etc/shadow.new && mv /etc/shadow.new /etc/shadow'
    expect_text image.d/build.log "/etc/shadow, which Hearth had mounted for hooks, is mounted no more"
    rm elements/writer/install.d/95-slow
    # What a hook mounts over a mount that is there: no layer holds it. What is left mounted in the tree ends no build.
    hook reader/extra-data.d/11-shm <<< 'mount -t tmpfs none /dev/shm; echo flag > /dev/shm/flag'
    hook writer/extra-data.d/21-flag <<< 'cat /dev/shm/flag > "$TMP_MOUNT_PATH/etc/flag"'
    build
    expect_text image.d/build.log "a hook has mounted /dev/shm"
    hook writer/extra-data.d/21-flag <<< 'cat /dev/shm/flag /dev/shm/flag > "$TMP_MOUNT_PATH/etc/flag"'
    build
    [ "$(tar -xOf image.tar ./etc/flag)" = $'flag\nflag' ] || fail "a layer was kept behind a mount: $(tar -xOf image.tar ./etc/flag)"
    rm elements/reader/extra-data.d/11-shm elements/writer/extra-data.d/21-flag
    mkdir -p elements/writer/cleanup.d
    hook writer/cleanup.d/50-left <<< 'mkdir "$TARGET_ROOT/mnt-left"; mount -t tmpfs none "$TARGET_ROOT/mnt-left"'
    build
    rm -r elements/writer/cleanup.d
    build
    rm -rf "$mounted" "$mounted.file"
else
    echo "SKIPPED: beside mounts: needs root"
fi
export DIB_IMAGE_CACHE=$work/race

# A disk that fills up: the image is made, the layer is not kept.
if [ "$(id -u)" = 0 ]; then
    mkdir small
    unshare -m bash -c 'mount -t tmpfs -o size=300k tmpfs small && DIB_IMAGE_CACHE=$PWD/small "$HEARTH" image create -n -t tar -o full tiny-os reader writer' > out 2>&1 < /dev/null ||
        fail "with a full disk: $(cat out)"
    expect_text out "a layer was not kept"
    cmp full.tar image.tar || fail "with a full disk the image differs"

    # The disk that the image lies on: the earlier image stays under its name, and under no other.
    mkdir place
    # shellcheck disable=SC2016  # expanded inside
    unshare -m bash -euc 'mount -t tmpfs -o size=30m tmpfs place && cd place
        build() { "$HEARTH" image create -n --no-cache --no-tmpfs -t qcow2 -o kept disk-tree; }
        build
        before=$(sha256sum < kept.qcow2)
        head -c 100m /dev/zero > fill 2> /dev/null || true
        rm -f kept.d/clusters
        truncate -s -200K fill
        ! build || { echo "it goes on"; exit 1; }
        [ "$before" = "$(sha256sum < kept.qcow2)" ] || { echo "the earlier image is not as it was"; exit 1; }
        [ "$(echo kept*)" = "kept.d kept.qcow2" ] || { echo "left: $(echo kept*)"; exit 1; }' > out 2>&1 < /dev/null ||
        fail "an image on a full disk: $(cat out)"
    expect_text out "No space left on device" "kept.qcow2" "Make room there: " " are free in "
    [ "$(grep -c "while writing" out)" = 1 ] || fail "not said once: $(cat out)"
else
    echo "SKIPPED: a disk that fills up: needs root"
fi

# What is pinned stays, whatever is pruned; the layers of the image's next build take its place, unless that fails.
hook writer/install.d/90-last <<< '[ "$FLAVOUR" != broken ]; echo "$FLAVOUR" > /opt/last'
export FLAVOUR=first
build
"$HEARTH" cache pin image > out 2>&1 || fail "cache pin: $(cat out)"
# Of one image, for another machine.
"$HEARTH" cache export layers.tar > all || fail "export"
"$HEARTH" cache export --image image images.tar > some || fail "export of an image's layers"
[ "$(cut -d' ' -f1 some)" -lt "$(cut -d' ' -f1 all)" ] || fail "an image's layers are all that there are: $(cat some all)"
"$HEARTH" cache export --image nosuch no.tar > out 2>&1 && fail "layers of no image are exported"
expect_text out "nosuch.d/steps.json"
"$HEARTH" cache import --image-cache one images.tar > /dev/null || fail "import of an image's layers"
rm image.tar
DIB_IMAGE_CACHE=$work/one build
ran
FLAVOUR=second build
! FLAVOUR=broken "$HEARTH" image create -n -t tar -o image tiny-os reader writer > out 2>&1 < /dev/null || fail "a hook fails, and the build does not"
"$HEARTH" image why image > why
expect_text why "The last build (begun 2" "failed. What is there, if anything, is of an earlier one." "install.d/90-last" "kept  "
"$HEARTH" why image > why
expect_text why "image: The last build (begun 2" "next: read image.d/build.log" "Of the build before: " "kept  "
"$HEARTH" why image --json | jq -e '.[0] | .kind == "image" and (.findings | length) == 2' > /dev/null || fail "why --json of an image: no findings"
"$HEARTH" image why --json image | jq -e '.unfinished.error | contains("install.d/90-last")' > /dev/null || fail "image why --json: no word of the failure"
"$HEARTH" cache prune --unused-for 0 > /dev/null || fail "cache prune --unused-for 0"
HEARTH_CACHE_LIMIT=0 "$HEARTH" image create -n -t tar -o pruning tiny-os reader > out 2>&1 < /dev/null || fail "a build that prunes: $(cat out)"
"$HEARTH" cache prune > out 2>&1 || fail "cache prune: $(cat out)"
expect_text out "pinned ones stay"
rm image.tar
FLAVOUR=second build
ran
! grep -q "The last build" why || fail "a build that ended well is told to have failed"
"$HEARTH" cache unpin image
"$HEARTH" cache prune > out 2>&1 || fail "cache prune: $(cat out)"
[ -z "$(ls "$DIB_IMAGE_CACHE/layers/blobs")" ] || fail "layers that nobody pins any more stay: $("$HEARTH" cache list)"
! "$HEARTH" cache pin image > out 2>&1 || fail "layers that are not there are pinned"
rm image.tar  # as it says
FLAVOUR=second build
"$HEARTH" cache pin image > out 2>&1 || fail "cache pin: $(cat out)"

# A directory that is not there is made, and said to be: a slip of the hand would else be found by nobody.
"$HEARTH" image create -n -t tar -o made/here/image tiny-os > out 2>&1 < /dev/null || fail "into a directory that is not there: $(cat out)"
expect_text out "note: there was no directory $work/made/here; it is made"
"$HEARTH" image create -n -t tar -o made/here/image tiny-os > out 2>&1 < /dev/null || fail "again: $(cat out)"
! grep -q "; it is made" out || fail "a directory that was there is said to be made"
finish
