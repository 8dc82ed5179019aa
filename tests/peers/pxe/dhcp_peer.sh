#!/bin/bash
# `hearth pxe serve` behind ISC's relay, with ISC's client renewing past it, and under the load of Kea's perfdhcp: nodes lease and
# renew without a drop, and a flood of strangers takes nothing from them. usage: dhcp_peer.sh HEARTH
set -euo pipefail
hearth=$(realpath "$1")
# shellcheck source=tests/peers/pxe/lib.sh
. "$(dirname "$0")/lib.sh"
need dhclient dhcrelay perfdhcp python3
make_networks

# The relay stands between the two; the client's network is its own.
relay_net=hearth-r-$$
# shellcheck disable=SC2317  # called by the trap
remove_all() {
  ip netns pids "$relay_net" 2>/dev/null | xargs -r kill -9 2>/dev/null || true
  ip netns del "$relay_net" 2>/dev/null || true
  remove_networks
}
trap remove_all EXIT
ip netns add "$relay_net"
ip -n "$server_net" link del s0
ip -n "$server_net" link add s0 type veth peer name right netns "$relay_net"
ip -n "$client_net" link add c0 type veth peer name left netns "$relay_net"
ip -n "$client_net" link set c0 address 52:54:00:00:00:01
for link in "$server_net s0" "$client_net c0" "$relay_net left" "$relay_net right" "$relay_net lo"; do
  ip -n "${link% *}" link set "${link#* }" up
done
ip -n "$server_net" addr add 192.0.2.1/24 dev s0
ip -n "$relay_net" addr add 192.0.2.254/24 dev right
ip -n "$relay_net" addr add 198.51.100.1/24 dev left
ip -n "$relay_net" addr add 198.18.0.1/15 dev right
ip -n "$relay_net" addr add 198.18.0.2/15 dev right
ip -n "$server_net" route add 198.51.100.0/24 via 192.0.2.254
ip -n "$relay_net" addr add 203.0.113.1/24 dev right
ip -n "$server_net" route add 203.0.113.0/24 via 192.0.2.254
ip -n "$server_net" route add 198.18.0.0/15 via 192.0.2.254
ip netns exec "$relay_net" sysctl -qw net.ipv4.ip_forward=1

# perfdhcp's machines are 00:0c:01:02:03:04 and those after it.
python3 - "$work" >"$work/site.json" <<'PY'
import json, sys
def network(subnet, pool, **more):
    return {"subnet": subnet, "server": "192.0.2.1", "pools": [pool], **more}
nodes = [{"name": "far", "mac": "52:54:00:00:00:01", "address": "198.51.100.50"}]
nodes += [{"name": f"n{i}", "mac": (0x000C01020304 + i).to_bytes(6, "big").hex(":")} for i in range(1000)]
json.dump({"interfaces": ["s0"], "state_dir": sys.argv[1] + "/state", "nodes": nodes, "networks": [
    network("192.0.2.0/24", "192.0.2.100-192.0.2.101"), network("203.0.113.0/24", "203.0.113.101-203.0.113.120"), network("198.18.0.0/15", "198.18.1.0-198.18.250.255"),
    network("198.51.100.0/24", "198.51.100.10-198.51.100.20", router="198.51.100.1", lease_s=6)]}, sys.stdout)
PY
cat >"$work/configure" <<'SH'
#!/bin/sh
case $reason in
  BOUND | RENEW | REBIND) ip addr replace "$new_ip_address/24" dev "$interface" && ip route replace default via "$new_routers" ;;
esac
SH
chmod 755 "$work" "$work/configure"
serve "$work/site.json" || fail "it starts" "$work/serve.log"
ip netns exec "$relay_net" dhcrelay -4 -d -a -id left -iu right 192.0.2.1 >"$work/relay.log" 2>&1 &
relay=$!

# A renewal goes from the machine's own address to the server's, past the relay (RFC 2131 section 4.3.2). ISC's relay, which
# listens on the wire, passes a copy on, too: both are to be granted.
ip netns exec "$client_net" timeout 40 dhclient -4 -d -lf "$work/leases" -pf "$work/dhclient.pid" -sf "$work/configure" c0 >"$work/dhclient.log" 2>&1 &
client=$!
renewals() { grep -c 'DHCPREQUEST for 198.51.100.50 on c0 to 192.0.2.1 port 67' "$work/dhclient.log" || true; }
for ((try = 0; try < 300; try++)); do
  [ "$(renewals)" -ge 2 ] && [ "$(grep -c '^bound to 198.51.100.50' "$work/dhclient.log")" -ge 3 ] && break
  read -rt 0.1 <> <(:) || true
done
kill $client $relay # perfdhcp, which is a relay itself, wants its port
wait $client $relay || true
[ $try -lt 300 ] && ! grep -q 'it may not have' "$work/serve.log" && ok "behind ISC's relay a machine leases, and renews past it" ||
  fail "behind a relay" "$work/dhclient.log" "$work/relay.log" "$work/serve.log"

# How it went is told by its exit code, and by what it lost.
load() { # load NAME ADDRESS OPTION…: into $work/NAME
  local name=$1 address=$2
  shift 2
  ip netns exec "$relay_net" timeout 60 perfdhcp -4 -l "$address" "$@" 192.0.2.1 >"$work/$name" 2>&1
}
dropped() { awk '/^drops:/ { n += $2 } END { print n + 0 }' "$1"; }
load nodes 198.18.0.1 -r 200 -R 1000 -n 1000 -W 2000000 -b mac=00:0c:01:02:03:04 && [ "$(dropped "$work/nodes")" = 0 ] &&
  ok "perfdhcp: a thousand nodes have their leases" || fail "a thousand nodes" "$work/nodes" "$work/serve.log"
load renewals 198.18.0.1 -r 100 -f 100 -R 200 -p 4 -W 2000000 -b mac=00:0c:01:02:03:04 && [ "$(dropped "$work/renewals")" = 0 ] &&
  ok "perfdhcp: and renew them" || fail "renewals" "$work/renewals" "$work/serve.log"

load flood 198.18.0.2 -r 6000 -i -R 60000 -p 6 -b mac=02:00:00:00:00:00 &
flood=$!
for ((try = 0; try < 300; try++)); do
  grep -q 'messages in a second of machines that are in no inventory' "$work/serve.log" && break
  read -rt 0.1 <> <(:) || true
done
[ $try -lt 300 ] && ok "a flood of strangers is told of" || fail "the flood is not told of" "$work/flood" "$work/serve.log"
load meanwhile 198.18.0.1 -r 50 -R 1000 -n 100 -W 3000000 -b mac=00:0c:01:02:03:04 && [ "$(dropped "$work/meanwhile")" = 0 ] &&
  ok "and nodes have their leases meanwhile" || fail "nodes beside a flood" "$work/meanwhile" "$work/flood"
wait $flood || true

# Strangers that all want an address of a pool of twenty, and keep it: ten are left to nodes.
load hoard 203.0.113.1 -r 200 -R 400 -n 400 -W 1000000 -b mac=02:00:00:01:00:00 || true
load late 203.0.113.1 -r 20 -R 10 -n 10 -W 3000000 -b mac=00:0c:01:02:04:00 && [ "$(dropped "$work/late")" = 0 ] &&
  grep -q 'no free address in 203.0.113.0/24, but the last 10, which are kept for nodes' "$work/serve.log" &&
  ok "strangers leave nodes the last of a pool" || fail "a pool used up by strangers" "$work/hoard" "$work/late" "$work/serve.log"
kill "$server"
wait "$server" && ok "SIGTERM ends it well" || fail "SIGTERM" "$work/serve.log"
exit $((failures > 0))
