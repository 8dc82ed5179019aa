#!/bin/bash
# A real Debian image is recorded once, and built again twice, the same bytes: with the network cut, from the cache of this side (another
# directory, another name, another umask); and over an air gap, for which it is packed into one signed file with all it was made of.
# On the other side, where there is no network at all, the bundle is checked and unpacked, the image's signature holds, and the image is
# built by the bundle's own Hearth.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
unset DIB_IMAGE_CACHE SOURCE_DATE_EPOCH
openssl genpkey -algorithm ed25519 -out key.pem
openssl pkey -in key.pem -pubout -out key.pub
openssl genpkey -algorithm ed25519 -out stranger.pem
mkdir open
# In a bash of its own: in a group before "||" nobody would notice what fails in its middle.
export here
bash -euo pipefail /dev/fd/9 9<<'OPEN' < /dev/null || fail "the open side fails"
    cd open
    "$HEARTH" image create --record --sign-key ../key.pem -n -t tar,qcow2 -o web debian-minimal < /dev/null
    echo '{"nodes": []}' > instackenv.json
    "$HEARTH" bundle create -o ../site.bundle --image web.tar --lock hearth.lock --elements "$here/elements" \
        --site instackenv.json --sign-key ../key.pem
OPEN
grep -q '/pool/main/' open/hearth.lock || fail "the lock names no packages"
mkdir elsewhere
(cd elsewhere && umask 077 && unshare --net -- \
    "$HEARTH" image create --offline --lock ../open/hearth.lock -n -t tar,qcow2 -o renamed debian-minimal < /dev/null) ||
    fail "the replay fails"
for kind in tar qcow2; do
    cmp open/web.$kind elsewhere/renamed.$kind || fail "the replay gives another .$kind"
done
"$HEARTH" image sizes open/web.tar > sizes || fail "image sizes fails"
grep -A3 '^by element whose step wrote it$' sizes | grep -q ' debootstrap$' || fail "the bytes are not told by element: $(cat sizes)"
grep -A3 '^by step' sizes | grep -q ' root.d/' || fail "the bytes are not told by step: $(cat sizes)"
cp open/web.tar original.tar
rm -rf open elsewhere "$HOME" && mkdir "$HOME"

"$HEARTH" bundle verify site.bundle --key stranger.pem > out 2>&1 && fail "a stranger's key is believed"
expect_text out "is signed by a stranger"
head -c 1000000 site.bundle > short.bundle
"$HEARTH" bundle unpack short.bundle -C short --unsigned > out 2>&1 && fail "a bundle that is cut short is unpacked"
expect_text out "is not whole"
[ ! -e short ] || fail "something was unpacked of a bundle that is cut short"

unshare --net -- "$HEARTH" bundle unpack site.bundle -C closed --key key.pub || fail "the bundle can't be unpacked"
# From here on nothing is used but what came over.
bash -euo pipefail /dev/fd/9 9<<'CLOSED' < /dev/null || fail "the closed side fails"
    . closed/environment
    cd closed/images
    unset HEARTH_DATA_DIR HEARTH_AGENT_BINARY
    hearth image verify web.tar --key ../../key.pub
    mkdir again && cd again
    unshare --net -- hearth image create --offline --lock ../../locks/hearth.lock -n -t tar -o web debian-minimal < /dev/null
CLOSED
cmp original.tar closed/images/again/web.tar || fail "the closed side makes other bytes"
"$HEARTH" image verify closed/images/web.tar --key stranger.pem > out 2>&1 && fail "a stranger's signature is believed"
finish
