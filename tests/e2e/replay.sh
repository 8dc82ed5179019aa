#!/bin/bash
# A real Debian image is recorded, then built again with the network cut: another directory, another name, another umask,
# another archive in the environment's place. The same bytes come out.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
unset DIB_IMAGE_CACHE SOURCE_DATE_EPOCH
"$HEARTH" image create --record -n -t tar,qcow2 -o image debian-minimal < /dev/null || fail "the recorded build fails"
grep -q '/pool/main/' hearth.lock || fail "the lock names no packages"
mkdir elsewhere
(cd elsewhere && umask 077 && unshare --net -- \
    "$HEARTH" image create --offline --lock ../hearth.lock -n -t tar,qcow2 -o renamed debian-minimal < /dev/null) ||
    fail "the replay fails"
for kind in tar qcow2; do
    cmp image.$kind elsewhere/renamed.$kind || fail "the replay gives another .$kind"
done
"$HEARTH" image sizes image.tar > sizes || fail "image sizes fails"
grep -A3 '^by element whose step wrote it$' sizes | grep -q ' debootstrap$' || fail "the bytes are not told by element: $(cat sizes)"
grep -A3 '^by step' sizes | grep -q ' root.d/' || fail "the bytes are not told by step: $(cat sizes)"
finish
