# shellcheck shell=bash disable=SC2154
# Images for the tests of pipelines: two flavours of three roles, and one with a name that is hard to quote. Source it behind lib.sh.
export SOURCE_DATE_EPOCH=1700000000 DIB_IMAGE_CACHE=$work/cache ELEMENTS_PATH=$work/elements:$here/elements
hook base/pre-install.d/10-shared <<< 'sleep 1; echo "$DIB_FLAVOUR" > /etc/flavour'
for role in 1 2; do hook "role-$role/install.d/50-role" <<< "echo $role > /etc/role"; done
hook role-slow/install.d/50-role <<< 'sleep 3; echo slow > /etc/role'
hook role-bad/install.d/50-role <<< 'exit 7'
cat > images.yaml << 'END'
- template: tiny
  elements: [tiny-os, base]
  types: [tar]
  skip-base: true
- imagename: ${flavour}-${role}
  extends: tiny
  matrix: {flavour: [plain, rich], role: ['1', '2', slow]}
  elements: ["role-${role}"]
  environment: {DIB_FLAVOUR: "${flavour}"}
- imagename: it's "$(false)" $HOME $(HOME) `#
  extends: tiny
  elements: [role-1]
  environment: {DIB_FLAVOUR: plain}
END
sed -e 's/slow\]/bad]/' images.yaml > bad.yaml
digests() { sha256sum ./*.tar; }
# remember: what all images are, built by one command.
remember() {
    "$HEARTH" image create images.yaml < /dev/null > out 2>&1 || fail "image create: $(cat out)"
    digests > "$work/wanted"
    [ "$(wc -l < "$work/wanted")" = 7 ] || fail "not seven images: $(cat "$work/wanted")"
    forget
}
forget() { rm -rf "$work/cache" ./*.tar ./*.d; }
same_digests() { digests | cmp - "$work/wanted" || fail "$1: other bytes than by one image create: $(digests)"; }
# shared_once: no image ran what it has in common with others.
shared_once() {
    local steps
    for steps in ./*.d/steps.json; do
        jq -e '[.steps[] | select(.step != "install.d/50-role") | .outcome] | length == 2 and all(. == "taken")' "$steps" > /dev/null ||
            fail "$steps: a shared step ran again: $(jq -c "[.steps[] | {step, outcome, why}]" "$steps")"
    done
}

# copies_while_jobs_end DIRECTORY: an rsync for gitlab-ci-local. It copies its directory for each job while other jobs bring their
# images into it, and takes it for a failure that a name that was listed (an artifact's, not yet in place) is gone: code 24.
copies_while_jobs_end() {
    local rsync
    rsync=$(command -v rsync) || { echo "SKIPPED: there is no rsync (cmake/install-packages.sh peers)" && exit 77; }
    mkdir -p "$1"
    printf '#!/bin/sh\n%s "$@" || { code=$?; [ "$code" = 24 ] || exit "$code"; }\n' "$rsync" > "$1/rsync"
    chmod 0755 "$1/rsync"
}
