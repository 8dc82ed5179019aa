#!/bin/bash
# `hearth pxe serve` over a link that loses, doubles and swaps frames, with clients that are slow, vanish or lie, behind a
# relay, and with a pool that is too small: no transfer is stuck, no copy breeds copies, nothing is amplified.
# usage: bad_link_peer.sh HEARTH
set -euo pipefail
hearth=$(realpath "$1")
here=$(realpath "$(dirname "$0")")
# shellcheck source=tests/peers/pxe/lib.sh
. "$here/lib.sh"
need dhclient curl atftp python3
[ -e /usr/lib/ipxe/snponly.efi ] || skip "the package ipxe is not installed"
make_networks

# Between the two namespaces a third: the link itself, later a relay.
link_net=hearth-l-$$
# shellcheck disable=SC2317  # called by the trap
remove_all() {
  ip netns pids "$link_net" 2>/dev/null | xargs -r kill -9 2>/dev/null || true
  ip netns del "$link_net" 2>/dev/null || true
  remove_networks
}
trap remove_all EXIT
ip netns add "$link_net"
ip -n "$server_net" link del s0
for side in server:s0:right client:c0:left; do
  IFS=: read -r net name end <<<"$side"
  net="${net}_net"
  ip -n "${!net}" link add "$name" type veth peer name "$end" netns "$link_net"
  ip -n "${!net}" link set "$name" up
  ip -n "$link_net" link set "$end" up
  # Frames as they would be on a wire: whole, with their checksums (SIOCETHTOOL: tx checksums, segmentation, off).
  ip netns exec "${!net}" python3 - "$name" <<'PY'
import array, fcntl, socket, struct, sys
link = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
for command in (0x1F, 0x24, 0x2C, 0x17):
    value = array.array("B", struct.pack("II", command, 0))
    try:
        fcntl.ioctl(link, 0x8946, struct.pack("16sP", sys.argv[1].encode(), value.buffer_info()[0]))
    except OSError:
        pass
PY
done
ip -n "$server_net" addr add 192.0.2.1/24 dev s0
ip -n "$client_net" addr add 192.0.2.2/24 dev c0

head -c 3000000 /dev/urandom >"$work/kernel"
head -c 300000 /dev/urandom >"$work/ramdisk"
chmod 755 "$work"
cat >"$work/site.json" <<JSON
{"interfaces": ["s0"], "state_dir": "$work/state",
 "networks": [{"subnet": "192.0.2.0/24", "server": "192.0.2.1", "pools": ["192.0.2.100-192.0.2.101"], "lease_s": 4},
              {"subnet": "198.51.100.0/24", "server": "192.0.2.1", "pools": ["198.51.100.10-198.51.100.20"], "router": "198.51.100.1"}],
 "profiles": {"deploy": {"kernel": "$work/kernel", "ramdisk": "$work/ramdisk"}},
 "nodes": [{"name": "far", "circuit": "left", "address": "198.51.100.50", "state": "deploy"}]}
JSON

carry() { # carry LOSS DOUBLE SWAP: the link works from here on
  : >"$work/link"
  ip netns exec "$link_net" python3 "$here/bad_link.py" left right "$1" "$2" "$3" 7 >"$work/link" 2>&1 &
  link=$!
  for ((try = 0; try < 100; try++)); do
    grep -q ready "$work/link" && return
    read -rt 0.1 <> <(:) || true
  done
}
cut() { # the link is gone; $packets came from the server
  kill "$link"
  wait "$link" || true
  packets=$(tail -n 1 "$work/link")
}

serve "$work/site.json" || fail "it starts" "$work/serve.log"
odd() { in_client python3 "$here/odd_client.py" "$@"; }

pids=()
# 5 % of the frames lost, 5 % doubled, 5 % swapped. atftp gives up when an OACK comes twice: it may try again.
carry 0.05 0.05 0.05
by_atftp() { # by_atftp WINDOWSIZE
  local try
  for ((try = 0; try < 6; try++)); do
    in_client timeout 60 atftp --option "blksize 1468" --option "windowsize $1" --option "timeout 1" -g -r image/deploy/ramdisk \
      -l "$work/got-$1" 192.0.2.1 && break
  done
  cmp "$work/got-$1" "$work/ramdisk"
}
# Without options: with its own, curl asks the server to wait 6 seconds before it repeats anything.
by_tftp() {
  in_client timeout 100 curl -sS --tftp-no-options -o "$work/got-tftp" tftp://192.0.2.1/image/deploy/ramdisk && cmp "$work/got-tftp" "$work/ramdisk"
}
by_http() {
  in_client timeout 100 curl -sSf -o "$work/got-http" http://192.0.2.1/image/deploy/kernel && cmp "$work/got-http" "$work/kernel"
}
# All at once: they wait for what is lost, most of their time.
transfers=("by_atftp 1" "by_atftp 4" "by_atftp 16" by_tftp by_http)
for transfer in "${transfers[@]}"; do
  $transfer >"$work/out-$transfer" 2>&1 &
  pids["${#pids[@]}"]=$!
done
for index in "${!transfers[@]}"; do
  wait "${pids[$index]}" && ok "${transfers[$index]} over a bad link" ||
    fail "${transfers[$index]} over a bad link" "$work/out-${transfers[$index]}" "$work/serve.log"
done
cut

# Every frame doubled: each ACK comes twice. 300000 bytes are 205 blocks of 1468; a server that answers copies sends
# each of them twice from the first on.
carry 0 1 0
in_client timeout 60 curl -sS --tftp-blksize 1468 -o "$work/got" tftp://192.0.2.1/image/deploy/ramdisk >"$work/out" 2>&1 || true
cut
cmp -s "$work/got" "$work/ramdisk" && [ "$packets" -lt 225 ] && ok "copies of ACKs breed no copies of blocks ($packets packets for 205)" ||
  fail "copies of ACKs: $packets packets for 205 blocks" "$work/out"

carry 0 0 0
copies=$(odd - slow 192.0.2.1 image/deploy/ramdisk 0.7)
[ "$copies" -le 4 ] && ok "a slow client gets $copies copies" || fail "a slow client gets $copies copies"
# The server tries for a while; what follows goes on meanwhile.
odd - vanish 192.0.2.1 image/deploy/ramdisk >"$work/vanished" &
vanished=$!

[ "$(odd c0 discover 52:54:00:00:01:01 203.0.113.7)" = nothing ] && grep -q 'relay 203.0.113.7: no network of this site' "$work/serve.log" &&
  ok "a relay of no known network gets no answer, and an event" || fail "a forged relay" "$work/serve.log"

# The pool has two addresses, of which another machine uses one without a lease.
ip -n "$client_net" addr add 192.0.2.100/24 dev c0
for ((try = 0; try < 60; try++)); do
  grep -q '192.0.2.100 is in use' "$work/serve.log" && break
  read -rt 0.1 <> <(:) || true
done
first=$(odd c0 discover 52:54:00:00:01:01)
[ "$first" = 192.0.2.101 ] && ok "an address in use is not offered" || fail "offered $first, which is in use" "$work/serve.log"
[ "$(odd c0 request 52:54:00:00:01:01 192.0.2.101)" = ACK ] || fail "the other address"
[ "$(odd c0 discover 52:54:00:00:01:02)" = nothing ] && grep -q 'no free address in 192.0.2.0/24' "$work/serve.log" &&
  ok "an exhausted pool is an event" || fail "an exhausted pool" "$work/serve.log"
read -rt 5 <> <(:) || true # its lease of 4 seconds ends
ip -n "$client_net" addr add 192.0.2.101/24 dev c0
read -rt 2.5 <> <(:) || true
again="$(odd c0 discover 52:54:00:00:01:01) $(odd c0 request 52:54:00:00:01:01 192.0.2.101)"
case $again in
  *NAK) ok "an address that somebody took meanwhile is not given again ($again)" ;;
  *) fail "an address in use is given again: $again" "$work/serve.log" ;;
esac
wait $vanished
read -r sent received <"$work/vanished"
[ "$received" -le $((sent * 5)) ] && ok "who asks and vanishes was sent $received bytes for $sent" ||
  fail "amplified: $received bytes for $sent"
grep -q 'the client fell silent' "$work/serve.log" && ok "and the transfer is over" || fail "a stuck transfer" "$work/serve.log"
cut

# A relay between two networks.
if ! dhcrelay=$(command -v dhcrelay); then
  (cd "$work" && apt-get download isc-dhcp-relay >/dev/null 2>&1 && dpkg -x isc-dhcp-relay_*.deb relay) || true
  dhcrelay=$work/relay/usr/sbin/dhcrelay
fi
if [ -x "$dhcrelay" ]; then
  ip -n "$client_net" addr flush dev c0
  ip -n "$link_net" addr add 198.51.100.1/24 dev left
  ip -n "$link_net" addr add 192.0.2.254/24 dev right
  ip -n "$server_net" route add 198.51.100.0/24 via 192.0.2.254
  ip netns exec "$link_net" "$dhcrelay" -4 -d -a -id left -iu right 192.0.2.1 >"$work/relay.log" 2>&1 &
  read -rt 1 <> <(:) || true
  ip netns exec "$client_net" timeout 30 dhclient -4 -1 -v -lf "$work/leases" -pf "$work/dhclient.pid" -sf /bin/true c0 >"$work/dhclient.log" 2>&1 || true
  grep -q '^bound to 198.51.100.50' "$work/dhclient.log" && ok "behind ISC's relay a node is known by its port (option 82)" ||
    fail "behind a relay" "$work/dhclient.log" "$work/relay.log" "$work/serve.log"
else
  echo "SKIPPED: behind a relay: isc-dhcp-relay is not to be had"
fi
kill "$server"
wait "$server" && ok "SIGTERM ends it well" || fail "SIGTERM" "$work/serve.log"
exit $((failures > 0))
