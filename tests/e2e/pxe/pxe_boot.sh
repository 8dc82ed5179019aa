#!/bin/bash
# Machines without a disk boot a kernel and a ramdisk from `hearth pxe serve`, in a network namespace of their own: BIOS
# and UEFI, by TFTP and by HTTP; alone, and as proxyDHCP beside dnsmasq.
#
# usage: HEARTH=… pxe_boot.sh [CASE…]     prints the seconds from power-on to the ramdisk's first word
set -euo pipefail

skip() {
  echo "SKIPPED: $*"
  exit 77
}
[ "$(id -u)" = 0 ] || skip "needs root for network namespaces"
for program in qemu-system-x86_64 cc python3; do command -v "$program" >/dev/null || skip "$program is not installed"; done
[ $# != 0 ] || command -v dnsmasq >/dev/null || skip "dnsmasq is not installed"  # for the cases proxy-…
for file in /usr/lib/ipxe/snponly.efi /usr/lib/PXELINUX/pxelinux.0 /usr/lib/shim/shimx64.efi.signed \
  /usr/lib/grub/x86_64-efi-signed/grubnetx64.efi.signed /usr/share/OVMF/OVMF_CODE_4M.fd /usr/share/OVMF/OVMF_VARS_4M.ms.fd; do
  [ -e "$file" ] || skip "there is no $file"
done
[ -c /dev/net/tun ] || skip "there is no /dev/net/tun"

work=$(mktemp -d)
net=hearth-boot-$$
server=''
other=''

# shellcheck disable=SC2317  # called by the trap
clean_up() {
  for space in "$net" "$net-dhcp"; do
    ip netns pids "$space" 2>/dev/null | xargs -r kill -9 2>/dev/null || true
    ip netns del "$space" 2>/dev/null || true
  done
  rm -rf "$work"
}
trap clean_up EXIT

# shellcheck source=tests/e2e/pxe/machine.sh
. "$(dirname "$0")/machine.sh"

make_network() {
  ip netns add "$net"
  ip -n "$net" link set lo up
  ip -n "$net" link add br0 type bridge
  ip -n "$net" addr add 192.0.2.1/24 dev br0
  ip -n "$net" link set br0 up
  ip -n "$net" tuntap add t0 mode tap
  ip -n "$net" link set t0 master br0 up
  ip netns add "$net-dhcp"  # the other server's machine
  ip -n "$net" link add d1 type veth peer name d0 netns "$net-dhcp"
  ip -n "$net" link set d1 master br0 up
  ip -n "$net-dhcp" addr add 192.0.2.2/24 dev d0
  ip -n "$net-dhcp" link set d0 up
}

# site MODE NODE-KEYS
site() {
  cat >"$work/site.json" <<JSON
{"mode": "$1", "interfaces": ["br0"], "state_dir": "$work/state", "allowed_servers": ["192.0.2.2"],
 "networks": [{"subnet": "192.0.2.0/24", "server": "192.0.2.1", "pools": ["192.0.2.100-192.0.2.110"]}],
 "profiles": {"deploy": {"kernel": "$work/vmlinuz", "ramdisk": "$work/ramdisk", "append": "console=ttyS0 quiet by-hearth"}},
 "nodes": [{"name": "node", "mac": "52:54:00:12:34:56", "state": "deploy"$2}]}
JSON
}

start() { # start MODE NODE-KEYS: the server, and in mode proxy dnsmasq on a machine of its own
  site "$1" "$2"
  rm -rf "$work/state"
  if [ "$1" = proxy ]; then
    ip netns exec "$net-dhcp" dnsmasq -k --port=0 -C /dev/null --interface=d0 --bind-interfaces --no-ping --user=root \
      --dhcp-range=192.0.2.50,192.0.2.60 --dhcp-leasefile="$work/dnsmasq.leases" >/dev/null 2>&1 &
    other=$!
  fi
  : >"$work/serve.log"
  ip netns exec "$net" "$HEARTH" pxe serve "$work/site.json" 2>"$work/serve.log" &
  server=$!
  for ((try = 0; try < 100; try++)); do
    grep -q 'ready:' "$work/serve.log" && return
    kill -0 "$server" 2>/dev/null || break
    read -rt 0.1 <> <(:) || true
  done
  cat "$work/serve.log"
  exit 1
}

stop() {
  kill "$server"
  wait "$server" || true
  if [ -n "$other" ]; then
    kill "$other"
    wait "$other" || true
    other=''
  fi
}

failures=0
boot() { # boot CASE FIRMWARE MODE NODE-KEYS EXPECTED-FILE: the file that must have been asked for on the way
  [ ${#chosen[@]} = 0 ] || [[ " ${chosen[*]} " == *" $1 "* ]] || return 0
  start "$3" "$4"
  : >"$work/console"
  local began=$EPOCHREALTIME spoke='' qemu
  machine "$2" >"$work/qemu.log" 2>&1 &
  qemu=$!
  while kill -0 "$qemu" 2>/dev/null; do
    if grep -qa HEARTH-RAMDISK "$work/console"; then
      spoke=$EPOCHREALTIME
      break
    fi
    read -rt 0.1 <> <(:) || true
  done
  [ -n "$spoke" ] || grep -qa HEARTH-RAMDISK "$work/console" && spoke=${spoke:-$EPOCHREALTIME}
  ip netns pids "$net" | grep -v "^$server$" | xargs -r kill 2>/dev/null || true
  wait "$qemu" 2>/dev/null || true
  if [ -n "$spoke" ] && grep -qa 'HEARTH-RAMDISK.*by-hearth' "$work/console" && grep -q "$5.*done\|$5: 200" "$work/serve.log"; then
    printf 'ok: %-22s %5.1f s\n' "$1" "$(awk -v a="$began" -v b="$spoke" 'BEGIN { print b - a }')"
  else
    echo "FAILED: $1"
    cat "$work/serve.log" "$work/qemu.log"
    tail -c 2000 "$work/console" | tr -cd '\n -~'
    failures=$((failures + 1))
  fi
  stop
}

chosen=("$@")
get_kernel
make_ramdisk
make_network
boot bios-http bios full '' /ipxe/52-54-00-12-34-56
boot bios-tftp bios full ', "loader": "pxelinux"' pxelinux.0
boot uefi-pxe uefi full '' snponly.efi
boot uefi-grub-tftp uefi full ', "secure_boot": true' grubx64.efi
boot uefi-http uefi-http full '' boot/snponly.efi
boot uefi-secure-boot secure full ', "secure_boot": true' grubx64.efi
boot proxy-bios bios proxy '' /ipxe/52-54-00-12-34-56
boot proxy-uefi uefi proxy '' snponly.efi

# With Secure Boot a kernel that was changed after it was signed is refused, by shim's own check in GRUB.
refuse() {
  [ ${#chosen[@]} = 0 ] || [[ " ${chosen[*]} " == *" uefi-secure-refuses "* ]] || return 0
  cp "$work/vmlinuz" "$work/vmlinuz.signed"
  printf 'x' | dd of="$work/vmlinuz" bs=1 seek=$(($(stat -c %s "$work/vmlinuz") / 2)) conv=notrunc 2>/dev/null
  start full ', "secure_boot": true'
  : >"$work/console"
  local qemu
  machine secure >"$work/qemu.log" 2>&1 &
  qemu=$!
  for ((try = 0; try < 1200; try++)); do
    grep -qaE 'HEARTH-RAMDISK|bad shim signature|Security Violation|[Ss]ecure [Bb]oot.*forbid' "$work/console" && break
    kill -0 "$qemu" 2>/dev/null || break
    read -rt 0.1 <> <(:) || true
  done
  ip netns pids "$net" | grep -v "^$server$" | xargs -r kill 2>/dev/null || true
  wait "$qemu" 2>/dev/null || true
  if grep -qaE 'bad shim signature|Security Violation|[Ss]ecure [Bb]oot.*forbid' "$work/console" && ! grep -qa HEARTH-RAMDISK "$work/console"; then
    echo 'ok: uefi-secure-refuses   a changed kernel'
  else
    echo 'FAILED: uefi-secure-refuses'
    tail -c 2000 "$work/console" | tr -cd '\n -~'
    failures=$((failures + 1))
  fi
  cp "$work/vmlinuz.signed" "$work/vmlinuz"
  stop
}
refuse
exit $((failures > 0))
