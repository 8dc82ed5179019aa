#!/bin/bash
# Services whose port is taken already: of a start that did not happen nothing is left where their state would be. In a network
# of its own; as root they become another user meanwhile, who can't remove the folder itself from root's.
# shellcheck source-path=SCRIPTDIR source=lib.sh
here=$(cd "$(dirname "$0")" && pwd)
if [ -z "${IN_NETWORK:-}" ]; then
    words=(unshare -n)
    [ "$(id -u)" = 0 ] || words=(unshare -Urn)
    "${words[@]}" true 2> /dev/null || { echo "SKIPPED: no network namespaces"; exit 77; }
    IN_NETWORK=yes exec "${words[@]}" bash "$0" "$@"
fi
. "$here/lib.sh"
chmod 0755 "$work"
ip link set lo up
ip link add br0 type bridge
ip addr add 192.0.2.1/24 dev br0
ip link set br0 up

cat > stack.yaml << 'YAML'
heat_template_version: 2018-08-31
resources: {words: {type: OS::Heat::RandomString}}
YAML
"$HEARTH" metadata compile -o compiled -t stack.yaml > said 2>&1 || fail "$(cat said)"
mkdir root
echo '{"interfaces": ["br0"], "state_dir": "boot/state", "root": "root", "networks": [
  {"subnet": "192.0.2.0/24", "server": "192.0.2.1", "pools": ["192.0.2.100-192.0.2.199"]}]}' > site.json

python3 - taken > taken.ports << 'PYTHON' &
import socket, sys, time
held = []
for port in (6385, 8004, 8000):
    held.append(socket.create_server(("127.0.0.1", port)))
held.append(socket.create_server(("192.0.2.1", 80)))
print("held", flush=True)
time.sleep(3600)
PYTHON
holder=$!
trap 'kill "$holder" 2> /dev/null || true; remove_work' EXIT
for _ in $(seq 600); do
    grep -q held taken.ports && break
    sleep 0.1
done

# not_begun STATE WORD…: `hearth WORD…` says whose port is taken, and leaves nothing of STATE, nor of what is above it.
not_begun() {
    local state=$1 got=0 left
    shift
    timeout 180 "$HEARTH" "$@" > said 2>&1 < /dev/null || got=$?
    [ "$got" = 1 ] || fail "hearth $*: exit code $got in place of 1: $(cat said)"
    grep -qi 'in use' said || fail "hearth $*: the port is not named: $(cat said)"
    left=$(find "${state%%/*}" ! -type d 2> /dev/null || true)
    [ -z "$left" ] || fail "hearth $*: left behind: $left"
    [ -z "$(find "$state" -mindepth 1 2> /dev/null)" ] || fail "hearth $*: folders are left in $state"
    # Whoever root became by then can't remove what stands in a folder of root's.
    if [ "$stays_who_it_is" = yes ] && [ -d "${state%%/*}" ]; then fail "hearth $*: an empty $state is left"; fi
    rm -rf "${state%%/*}"
}

stays_who_it_is=yes
not_begun new/state node serve --state new/state --keep-rights
not_begun new/state metadata serve --state new/state
not_begun new/state metadata serve --state new/state --compiled compiled
not_begun new/state deploy -t stack.yaml --state new/state
[ "$(id -u)" != 0 ] || stays_who_it_is=no
not_begun new/state node serve --state new/state
not_begun new/state node serve --state new/state --port 0 --engine --heat-port 8004 --agents 127.0.0.1
not_begun boot/state pxe serve --force site.json
not_begun boot/state node serve --state new --port 0 --boot site.json
[ ! -e new ] || [ -z "$(find new -mindepth 1)" ] || fail "beside its boot servers' files a conductor left: $(find new)"
rm -rf new

mkdir new
not_begun new deploy -t stack.yaml --state new

# What was there before stays, and serves when the port is free.
kill "$holder"
wait "$holder" 2> /dev/null || true
"$HEARTH" node serve --state kept --port 0 --keep-rights > served 2>&1 &
conductor=$!
for _ in $(seq 600); do
    [ -e kept/endpoint ] && break
    sleep 0.1
done
kill "$conductor"
wait "$conductor" || true
python3 -c 'import socket, time; s = socket.create_server(("127.0.0.1", 6385)); print("held", flush=True); time.sleep(3600)' > taken.ports &
holder=$!
for _ in $(seq 600); do
    grep -q held taken.ports && break
    sleep 0.1
done
before=$(find kept -type f ! -name '*-wal' ! -name '*-shm' | sort)
timeout 180 "$HEARTH" node serve --state kept --keep-rights > said 2>&1 && fail "it serves at a port that is taken"
[ "$before" = "$(find kept -type f ! -name '*-wal' ! -name '*-shm' | sort)" ] || fail "a state that was there is not as it was: $(find kept)"
finish
