#!/bin/bash
# Durable DHCP exchanges a second, beside dnsmasq: one run, the same client (perfdhcp), two network namespaces joined by a
# veth pair. Needs root, python3, perfdhcp (kea-admin), dnsmasq-base, and the packages that `hearth pxe serve` looks for.
#
# usage: dhcp.sh HEARTH [RATE…]      RATE: exchanges a second that are offered (default: 1000 5000 6000)
set -euo pipefail

hearth=$(realpath "$1")
shift
[ $# -gt 0 ] || set -- 1000 5000 6000
work=$(mktemp -d)
net=hearth-dhcp-$$

# shellcheck disable=SC2317  # called by the trap
clean_up() {
  for side in server client; do
    ip netns pids "$net-$side" 2>/dev/null | xargs -r kill -9 2>/dev/null || true
    ip netns del "$net-$side" 2>/dev/null || true
  done
  rm -rf "$work"
}
trap clean_up EXIT

for program in perfdhcp dnsmasq ip; do
  command -v "$program" >/dev/null || { echo "dhcp.sh: needs $program" >&2 && exit 1; }
done
ip netns add "$net-server"
ip netns add "$net-client"
ip -n "$net-server" link add s0 type veth peer name c0 netns "$net-client"
for side in server client; do ip -n "$net-$side" link set lo up; done
ip -n "$net-server" addr add 198.18.0.1/15 dev s0
ip -n "$net-client" addr add 198.18.0.2/15 dev c0
ip -n "$net-server" link set s0 up
ip -n "$net-client" link set c0 up

# perfdhcp's machines are nodes: strangers are answered 2,000 times a second only.
python3 - "$work/state" >"$work/site.json" <<'PY'
import json, sys
json.dump({"interfaces": ["s0"], "state_dir": sys.argv[1],
           "nodes": [{"name": f"n{i}", "mac": (0x000C01020304 + i).to_bytes(6, "big").hex(":")} for i in range(40000)],
           "networks": [{"subnet": "198.18.0.0/15", "server": "198.18.0.1", "pools": ["198.18.1.0-198.18.250.255"]}]}, sys.stdout)
PY

serve() { # serve NAME
  case $1 in
    hearth) exec ip netns exec "$net-server" "$hearth" pxe serve -q --force "$work/site.json" ;;
    dnsmasq) exec ip netns exec "$net-server" dnsmasq -k --port=0 -C /dev/null --interface=s0 --bind-interfaces --no-ping \
      --user=root --dhcp-range=198.18.1.0,198.18.250.255,255.254.0.0,3600 --dhcp-lease-max=60000 --dhcp-authoritative \
      --dhcp-leasefile="$work/dnsmasq.leases" --quiet-dhcp ;;
  esac >/dev/null 2>&1
}

printf '%-9s %8s %10s %12s %12s %14s\n' server offered done/s 'lost DO, %' 'lost RA, %' 'OFFER, ms'
for server in hearth dnsmasq; do
  serve $server &
  pid=$!
  sleep 3
  for rate in "$@"; do
    ip netns exec "$net-client" timeout 60 perfdhcp -4 -l 198.18.0.2 -r "$rate" -b mac=00:0c:01:02:03:04 -R 40000 -p 6 -W 1 -xi 198.18.0.1 >"$work/out" 2>&1 || true
    awk -v s=$server -v r="$rate" '/^Rate:/ { done = $2 } /^drops ratio/ { lost[++n] = $3 } /^avg delay/ && !delay { delay = $3 }
      END { printf "%-9s %8d %10.0f %12.2f %12.2f %14.2f\n", s, r, done, lost[1], lost[2], delay }' "$work/out"
  done
  ip netns pids "$net-server" | xargs -r kill
  wait $pid 2>/dev/null || true
done
