#!/bin/bash
# Power-on to Linux' first program: an iPXE machine in QEMU (BIOS, the card's own iPXE), with `hearth pxe serve` and with
# dnsmasq's default set-up and a web server, in turn. Needs root, qemu-system-x86, dnsmasq-base, python3, a C compiler.
#
# usage: power_on.sh HEARTH [ROUNDS]      prints seconds, the best of ROUNDS (default 2), and the ratio (target: 0.35)
set -euo pipefail

hearth=$(realpath "$1")
rounds=${2:-2}
work=$(mktemp -d)
net=hearth-power-$$
skip() {
  echo "power_on.sh: $*" >&2
  exit 1
}
# shellcheck source=tests/e2e/pxe/machine.sh
. "$(dirname "$0")/../e2e/pxe/machine.sh"

# shellcheck disable=SC2317  # called by the trap
clean_up() {
  ip netns pids "$net" 2>/dev/null | xargs -r kill -9 2>/dev/null || true
  ip netns del "$net" 2>/dev/null || true
  rm -rf "$work"
}
trap clean_up EXIT

ip netns add "$net"
ip -n "$net" link set lo up
ip -n "$net" tuntap add t0 mode tap
ip -n "$net" addr add 192.0.2.1/24 dev t0
ip -n "$net" link set t0 up
get_kernel
make_ramdisk
append='console=ttyS0 quiet'
cat >"$work/site.json" <<JSON
{"interfaces": ["t0"], "state_dir": "$work/state",
 "networks": [{"subnet": "192.0.2.0/24", "server": "192.0.2.1", "pools": ["192.0.2.100-192.0.2.110"]}],
 "profiles": {"deploy": {"kernel": "$work/vmlinuz", "ramdisk": "$work/ramdisk", "append": "$append"}},
 "nodes": [{"name": "node", "mac": "52:54:00:12:34:56", "state": "deploy"}]}
JSON
cat >"$work/script" <<IPXE
#!ipxe
kernel http://192.0.2.1:8000/vmlinuz initrd=ramdisk $append
initrd http://192.0.2.1:8000/ramdisk
boot
IPXE

serve() {
  case $1 in
    hearth) ip netns exec "$net" "$hearth" pxe serve -q "$work/site.json" & ;;
    dnsmasq)
      ip netns exec "$net" dnsmasq -k --port=0 -C /dev/null --interface=t0 --bind-interfaces --user=root --dhcp-leasefile="$work/leases" \
        --dhcp-range=192.0.2.100,192.0.2.110 --dhcp-boot=http://192.0.2.1:8000/script &
      ip netns exec "$net" python3 -m http.server -d "$work" 8000 &
      ;;
  esac >"$work/server.log" 2>&1
}

time_one() { # time_one SERVER: seconds
  rm -rf "$work/leases" "$work/state"
  serve "$1"
  sleep 4 # both are ready, and the tap's link is what it is with a machine that is off
  : >"$work/console"
  local began=$EPOCHREALTIME qemu on spoke=
  machine bios >/dev/null 2>&1 &
  qemu=$!
  while :; do
    kill -0 $qemu 2>/dev/null && on=yes || on= # asked first: the machine speaks and turns itself off at once
    if grep -qa HEARTH-RAMDISK "$work/console"; then
      spoke=$EPOCHREALTIME
      break
    fi
    [ -n "$on" ] || break
    read -rt 0.02 <> <(:) || true
  done
  ip netns pids "$net" | xargs -r kill 2>/dev/null || true
  wait
  [ -n "$spoke" ] || tail -n 5 "$work/console" "$work/server.log" >&2
  [ -n "$spoke" ] && awk -v a="$began" -v b="$spoke" 'BEGIN { printf "%.2f", b - a }' || echo 999
}

declare -A best=([hearth]=999 [dnsmasq]=999)
for ((round = 0; round < rounds; round++)); do
  for server in hearth dnsmasq; do
    took=$(time_one $server)
    printf '%-8s %s s (load %s)\n' $server "$took" "$(cut -d ' ' -f 1 /proc/loadavg)"
    best[$server]=$(awk -v a="${best[$server]}" -v b="$took" 'BEGIN { print (b < a ? b : a) }')
  done
done
awk -v a="${best[hearth]}" -v b="${best[dnsmasq]}" 'BEGIN { printf "ratio    %.2f\n", a / b }'
