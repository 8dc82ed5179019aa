#!/bin/bash
# `hearth image pipeline --for make`, run by GNU make: side by side, the same bytes as by one command, what is shared once; a job
# that fails stops no other, one that is killed at any time and run again changes nothing. And what is refused, for all engines.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=pipeline_images.sh
. "$here/pipeline_images.sh"
export HEARTH
command -v make > /dev/null || { echo "SKIPPED: there is no make (cmake/install-packages.sh peers)"; exit 77; }
remember

"$HEARTH" image pipeline images.yaml --for make > images.mk || fail "the pipeline"
"$HEARTH" image pipeline images.yaml --for make -o again.mk || fail "the pipeline in a file"
cmp images.mk again.mk || fail "twice the same file is not the same pipeline"
[ ! -e cache ] || fail "image pipeline made the cache"
[ "$(grep -c '^shared-' images.mk)" = 3 ] || fail "not three shared jobs: $(cat images.mk)"
make -j2 -f images.mk < /dev/null > out 2>&1 || fail "make: $(cat out)"
same_digests "make -j2"
shared_once
# Not even for another number of jobs.
make -j3 -k -f images.mk < /dev/null > out 2>&1 || fail "make again: $(cat out)"
[ "$(grep -c "up to date" out)" -ge 7 ] || fail "make again builds something: $(cat out)"

# kill -9 of one job after the other, at moments that differ, and all of them once more.
job() { for pid in $(pgrep -f -- "image create --only=$1" || true); do [ "$(readlink "/proc/$pid/cwd")" != "$work" ] || echo "$pid"; done; }
told=0
for target in plain-1 plain-slow rich-slow; do
    forget
    make -k -j2 -f images.mk < /dev/null > out 2>&1 &
    maker=$!
    until [ -n "$(job "$target" | head -1)" ] || ! kill -0 "$maker" 2> /dev/null; do sleep 0.05; done
    sleep "0.$((RANDOM % 10))"
    job "$target" | xargs -r kill -9 || true  # it may have ended just now
    wait "$maker" || told=$((told + 1))
    make -j2 -f images.mk < /dev/null > out 2>&1 || fail "make behind a killed $target: $(cat out)"
    same_digests "behind a killed $target"
done
[ "$told" -ge 2 ] || fail "make does not tell that jobs were killed, of which two take seconds"

forget
"$HEARTH" image pipeline bad.yaml --for make > bad.mk || fail "the pipeline of a bad image"
make -k -j2 -f bad.mk < /dev/null > out 2>&1 && fail "make hides a failure"
expect_text out "hearth: image plain-bad: install.d/50-role (element role-bad) failed" "image-rich-bad] Error 7"
[ "$(ls ./*.tar | wc -l)" = 5 ] || fail "the others are not built: $(ls)"

# The first steps by hand.
forget
"$HEARTH" image create --only plain-1 --until pre-install.d/10-shared images.yaml > out 2>&1 || fail "--until: $(cat out)"
expect_text out "The steps up to pre-install.d/10-shared are kept."
[ -z "$(find . -maxdepth 1 -name '*.tar')" ] && [ ! -e plain-1.d/provenance.json ] || fail "--until writes an image"
refused() {
    local text=$1
    shift
    "$HEARTH" "$@" > out 2>&1 && fail "not refused: $*"
    expect_text out "$text"
}
refused "did you mean 'pre-install.d/10-shared'?" image create --only plain-1 --until pre-install.d/10-shard images.yaml
refused "--until is for one image" image create --until pre-install.d/10-shared images.yaml
refused "no image is called 'plain1' in images.yaml; did you mean 'plain-1'?" image create --only plain1 images.yaml
refused "--until keeps the layers" image create --no-cache --until pre-install.d/10-shared tiny-os base
refused "gitlab" image pipeline images.yaml --for gitlap
refused "--for ENGINE is missing" image pipeline images.yaml
refused "--for nomad needs --container" image pipeline images.yaml --for nomad
refused "the engine can't carry" image pipeline images.yaml --for gitlab
printf -- '- {imagename: a, elements: [tiny-os]}\n- {imagename: ./a, elements: [tiny-os]}\n' > wrong.yaml
refused "wrong.yaml:2:3: the image './a' would be written where 'a' (wrong.yaml:1:3) is" image pipeline wrong.yaml --for make
printf -- '- {imagename: a, extends: b}\n- {imagename: b, extends: a}\n' > wrong.yaml
refused "'a' extends 'b' extends 'a': that is a cycle" image pipeline wrong.yaml --for make
printf -- '- {imagename: "a-${x}", elements: [tiny-os], matrix: {x: []}}\n' > wrong.yaml
refused "wrong.yaml:1:58: 'x' has no values" image pipeline wrong.yaml --for make
printf -- '- {imagename: a, elements: [tiny-os], types: [raw], checks: "a\\nb"}\n' > wrong.yaml
refused "has a control character, which no job can name" image pipeline wrong.yaml --for make
printf -- '- {imagename: a, elements: [tiny-os], types: [raw], checks: none.yaml}\n' > wrong.yaml
refused "wrong.yaml:1:3: image 'a': there is no file none.yaml" image pipeline wrong.yaml --for make
printf -- '- {imagename: a, elements: [tiny-so], types: [raw]}\n' > wrong.yaml
refused "image 'a' can't be planned: Element 'tiny-so' not found" image pipeline wrong.yaml --for make
refused "No pipeline was written. hearth image plan wrong.yaml says the same" image pipeline wrong.yaml --for make
printf -- '- {template: a, elements: [tiny-os]}\n' > wrong.yaml
refused "there are templates, but no image for a job" image pipeline wrong.yaml --for gitlab

# Publishing, by a checkout that has no folder for it.
printf -- '- {imagename: a, elements: [tiny-os], types: [raw], skip-base: true, publish: "pub/stable web/a.frames"}\n' > web.yaml
"$HEARTH" image pipeline web.yaml --for make > web.mk || fail "the pipeline of what is published"
make -f web.mk < /dev/null > out 2>&1 || fail "publishing by make: $(cat out)"
[ -s "pub/stable web/a.frames" ] && [ -s "pub/stable web/a.frames.json" ] || fail "not published: $(find pub) $(cat out)"
# It is not published with evidence of other bytes.
sed -i 's/^image-a:/image-a:\n\t:\nold-a:/' web.mk
rm -r pub
printf x >> a.raw
make -f web.mk publish-a < /dev/null > out 2>&1 && fail "other bytes are published: $(cat out)"
[ ! -e pub ] || fail "something half is published: $(find pub)"
finish
