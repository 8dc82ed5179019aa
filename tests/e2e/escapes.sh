#!/bin/bash
# Attempts to get out of the sandbox, by hooks of the host, hooks in the target, a package's postinst, links in trees and at the
# names of outputs: none succeeds, as root and as an ordinary user, and a canary on the host is as it was.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=as_user.sh
. "$here/as_user.sh"
need_user
# In a mount namespace of its own: /srv is the test's, where a service listens as others do below /var.
if [ -z "${ESCAPES_APART:-}" ]; then
    cd "$here" && rm -rf "$work"
    ESCAPES_APART=yes exec unshare --mount bash "$here/escapes.sh"
fi
mount -t tmpfs -o mode=755 none /srv
export CANARY=$work/canary SERVICE=/srv/service/socket ABSTRACT=$mark-abstract
export HEARTH_NETWORK=private # and no build without one

# plant DIRECTORY: what the attempts are after.
plant() {
    rm -rf "$CANARY" port && mkdir -p "$CANARY" "$1/.ssh" && mkfifo port
    echo untouched > "$CANARY/file"
    echo secret > "$1/.ssh/id_rsa"
    echo secret > "$1/.netrc"
    chmod -R a+rX "$CANARY"
    rm -rf "${SERVICE%/*}" && mkdir "${SERVICE%/*}"
    python3 -c 'import os, socket, sys, time
listening = []
for path in sys.argv[1:3]:
    one = socket.socket(socket.AF_UNIX)
    one.bind(path)
    one.listen()
    os.chmod(path, 0o777)
    listening.append(one)
abstract = socket.socket(socket.AF_UNIX)
abstract.bind("\0" + sys.argv[3])
abstract.listen()
local = socket.create_server(("::", 0), family=socket.AF_INET6, dualstack_ipv6=True)
with open(sys.argv[4], "w") as port:
    print(local.getsockname()[1], file=port)
while True:
    local.accept()[0].sendall(b"secret")' "$CANARY/socket" "$SERVICE" "$ABSTRACT" port "sleep $mark" &
    service=$!
    read -r LOCAL_PORT < port
    SHARED_MEMORY=$((RANDOM * 32768 + RANDOM + 1))
    export LOCAL_PORT SHARED_MEMORY
    perl -e 'defined shmget($ARGV[0], 4096, 01666) or die' "$SHARED_MEMORY"
    sleep 600 &
    export HOST_PID=$!
}
# machine: what must not change.
machine() {
    cat /proc/sys/kernel/core_pattern /proc/sys/kernel/modprobe /sys/kernel/uevent_helper 2> /dev/null || true
    hostname
    find / -xdev -maxdepth 3 -name 'hearth-escape*' 2> /dev/null || true
}
# judge NAME LOG: no attempt came through, and the canary lives.
judge() {
    local name=$1 log=$2
    ! grep -a 'escape: .* OPEN' "$log" >&2 || fail "$name: these attempts came through"
    local made
    made=$(grep -ac 'escape: .* refused' "$log" || true)
    [ "$made" -ge 160 ] || fail "$name: only $made attempts were made: $(tail -5 "$log")"
    [ "$(cat "$CANARY/file")" = untouched ] || fail "$name: the canary was written"
    [ "$(ls "$CANARY")" = "$(printf 'file\nsocket')" ] || fail "$name: there is more beside the canary: $(ls "$CANARY")"
    kill -0 "$HOST_PID" 2> /dev/null || fail "$name: a process of the host was killed"
    kill -0 "$service" 2> /dev/null || fail "$name: a service of the host was killed"
    kill "$HOST_PID" "$service" 2> /dev/null || true
    ipcrm -M "$SHARED_MEMORY" || fail "$name: shared memory of the host was removed"
    machine > after
    diff before after || fail "$name: the machine changed"
    echo "$name: $made attempts refused"
}
# no_host_packages DIRECTORY: the links in the tree led to nothing of the host.
no_host_packages() {
    ! grep -q '"package"' "$1/manifest.json" || fail "packages of the host are in $1/manifest.json"
    grep -q '"distribution": ""' "$1/manifest.json" || fail "the host's name is in $1/manifest.json"
}

plant "$HOME"
machine > before
mkdir out
keyctl=$(type -P keyctl || true)
[ -z "$keyctl" ] || keyctl add user hearth-escape secret @s > /dev/null 2>&1 || true
OUTPUT=$work/out/root "$HEARTH" image create -n -t tar -o out/root --checksums sha256 tiny-os escapes > log-root 2>&1 < /dev/null ||
    fail "as root: $(tail -40 log-root)"
judge root out/root.d/build.log
no_host_packages out/root.d

# Something mounted beside the canary: then the directory can't be shown as one overlay.
plant "$HOME"
machine > before
mkdir mounted out/divided
OUTPUT=$work/out/divided/root unshare -m bash -c '
    mount -t tmpfs none mounted && exec "$HEARTH" image create -n -t tar -o out/divided/root tiny-os escapes' > log-divided 2>&1 < /dev/null ||
    fail "as root, with something mounted: $(tail -40 log-divided)"
judge divided out/divided/root.d/build.log

plant "$work/user"
install -d -o "$user" "$work/user/out"
chown -R "$user" "$work/user"
machine > before
OUTPUT=$work/user/out/user as_user "$HEARTH" image create -n -t tar -o out/user tiny-os escapes > log-user 2>&1 < /dev/null ||
    fail "as an ordinary user: $(tail -40 log-user)"
judge user user/out/user.d/build.log
no_host_packages user/out/user.d
finish
