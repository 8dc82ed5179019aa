#!/bin/bash
# Layers of an ordinary user: kept and taken over as root's are, the same bytes, owners as the build sees them.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=as_user.sh
. "$here/as_user.sh"
need_user
export SOURCE_DATE_EPOCH=1700000000 HEARTH_LAYER_WORTH=0
mkdir -p elements/owner/install.d
export ELEMENTS_PATH=$work/elements:$here/elements
printf '#!/bin/bash\nset -eu\nmkdir /opt; echo a > /opt/a; chown 5:6 /opt/a\n' > elements/owner/install.d/20-owner
printf '#!/bin/bash\nset -eu\necho one > /opt/last\n' > elements/owner/install.d/90-last
chmod 0755 elements/owner/install.d/*
build() { # build NAME OPTION…: as the user
    as_user "$HEARTH" image create -n -t tar -o "$@" tiny-os owner > "$work/user/out" 2>&1 < /dev/null ||
        fail "as an ordinary user: $(cat "$work/user/out")"
}
clean() {
    "$HEARTH" image create -n -t tar -o clean --no-cache tiny-os owner > out 2>&1 < /dev/null || fail "as root: $(cat out)"
    cmp user/image.tar clean.tar || fail "$1: not what root's build without a cache makes"
}
build image
clean "the first build"
sed -i s/one/two/ elements/owner/install.d/90-last
build image
"$HEARTH" image why user/image > why
[ "$(awk '$1 == "ran" { print $2 }' why)" = install.d/90-last ] || fail "not just the changed step ran: $(cat why)"
clean "a changed script"
[ -z "$(find user/cache ! -user "$user")" ] || fail "the cache holds files of others"
# Another user of the same cache takes the layers, which are then not unused for who made them.
as_user sh -c 'umask 0 && DIB_IMAGE_CACHE=$HOME/shared exec "$@"' sh "$HEARTH" image create -n -t tar -o first tiny-os owner \
    > out 2>&1 < /dev/null || fail "the first user of a shared cache: $(cat out)"
mv user/shared . && mv user/first.tar . && chmod 0777 shared
layers=$(find shared/layers/blobs -type f | wc -l)
touch -d '40 days ago' shared/layers/blobs/*
mv user first-user
user=backup
need_user
second() {
    as_user sh -c 'umask 0 && DIB_IMAGE_CACHE=$1 && export DIB_IMAGE_CACHE && shift && exec "$@"' sh "$work/shared" \
        "$HEARTH" image create -n -t tar -o image tiny-os owner > out 2>&1 < /dev/null || fail "the second user: $(cat out)"
}
second
cmp first.tar user/image.tar || fail "the second user's image differs"
jq -e 'all(.steps[]; .outcome == "taken")' user/image.d/steps.json > /dev/null ||
    fail "the second user took nothing: $(jq -c '[.steps[] | {step, outcome, why}]' user/image.d/steps.json)"
"$HEARTH" cache prune --unused-for 30 --image-cache shared > out || fail "prune: $(cat out)"
[ "$(find shared/layers/blobs -type f | wc -l)" = "$layers" ] || fail "what another user took is pruned as unused"
# It keeps what it adds there, and prunes what the first one has made.
sed -i s/two/three/ elements/owner/install.d/90-last
second
jq -r '.layers[]' user/image.d/steps.json | (cd shared/layers/blobs && xargs ls) > out 2>&1 || fail "the second user's layers: $(cat out)"
! grep -q "not kept" user/image.d/build.log || fail "the second user keeps nothing: $(cat user/image.d/build.log)"
as_user "$HEARTH" cache prune --image-cache "$work/shared" > out 2>&1 || fail "the second user can't prune: $(cat out)"
[ -z "$(ls -A shared/layers/blobs && ls -A shared/layers/records)" ] || fail "the second user's pruning leaves $(ls -R shared/layers)"
user=nobody && rm -rf user && mv first-user user
as_user "$HEARTH" cache verify --image-cache "$work/user/cache" > /dev/null || fail "the cache is damaged"
finish
