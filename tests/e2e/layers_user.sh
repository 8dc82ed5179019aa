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
as_user "$HEARTH" cache verify --image-cache "$work/user/cache" > /dev/null || fail "the cache is damaged"
finish
