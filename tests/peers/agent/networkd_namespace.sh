#!/bin/bash
# os-net-config with systemd-networkd itself, in a network namespace: what it writes is what networkd understands.
# networkd, its bus and networkctl are the machine's; they see an empty /run and a read-only /sys, which tells networkd
# not to wait for udev.
#
# usage: networkd_namespace.sh OS_NET_CONFIG        (root; a link to hearth-agent of that name)
set -euo pipefail

skip() {
    echo "SKIPPED: $*"
    exit 77
}

readonly networkd=/lib/systemd/systemd-networkd
if [ "${1:-}" != --inside ]; then
    [ "$(id -u)" = 0 ] || skip "needs root for network namespaces"
    for tool in "$networkd" dbus-daemon networkctl ip; do
        command -v "$tool" >/dev/null || skip "needs $tool"
    done
    unshare -n true 2>/dev/null || skip "this kernel allows no network namespace here"
    exec timeout 300 unshare -n -m --propagation private --kill-child -pf --mount-proc bash "$0" --inside "$(realpath -s "$1")"
fi

program=$2
failures=0
work=$(mktemp -d)
mount -t tmpfs tmpfs "$work"
mount -t tmpfs tmpfs /run
mount -t sysfs -o ro sysfs /sys
mkdir -p "$work/network" "$work/state" /run/dbus /run/systemd/netif /etc/systemd/network /var/lib/os-net-config
chown systemd-network:systemd-network /run/systemd/netif
mount --bind "$work/network" /etc/systemd/network
mount --bind "$work/state" /var/lib/os-net-config
[ ! -d /etc/iproute2 ] || { cp -r /etc/iproute2 "$work/iproute2" && mount --bind "$work/iproute2" /etc/iproute2; }
cd "$work"

check() { # NAME COMMAND…
    local name=$1
    shift
    if "$@" >"$work/check.log" 2>&1; then
        echo "ok    $name"
    else
        echo "FAIL  $name: $*"
        head -n 60 "$work/check.log" | sed 's/^/      /'
        failures=$((failures + 1))
    fi
}

net() { # STATUS [OPTION…] < YAML
    local wanted=$1 status=0
    shift
    cat > config.yaml
    "$program" -c config.yaml -m /nowhere -p networkd --detailed-exit-codes -v "$@" >out 2>log || status=$?
    [ "$status" = "$wanted" ] || { echo "exit status $status, not $wanted" && cat out log && tail -n 15 networkd.log; }
    [ "$status" = "$wanted" ]
}

has() { # DEVICE TEXT
    ip -o addr show dev "$1" | grep -F " $2"
}

until_true() { # COMMAND…: for at most 20 seconds
    local i
    for ((i = 0; i < 100; i++)); do
        "$@" >/dev/null 2>&1 && return
        sleep 0.2
    done
    "$@"
}

ip link set lo up
ip link add em1 type veth peer name far1
ip link add em2 type veth peer name far2
ip link set far1 up
ip link set far2 up
dbus-daemon --system --fork --nopidfile
SYSTEMD_LOG_LEVEL=info "$networkd" >networkd.log 2>&1 &
check "networkd runs" until_true test -e /run/systemd/netif/state

static='network_config:
- type: route_table
  name: extra
  table_id: 200
- type: interface
  name: em1
  mtu: 1400
  addresses:
  - ip_netmask: 192.0.2.1/24
  - ip_netmask: 2001:db8::1/64
  routes:
  - {default: true, next_hop: 192.0.2.254}
  - {destination: 203.0.113.0/24, next_hop: 192.0.2.254, table: extra, metric: 7}
  - {destination: "2001:db8:9::/48", next_hop: "2001:db8::fe"}
  - {destination: 198.51.100.128/25, next_hop: self}
  rules:
  - {rule: from 192.0.2.0/24 table extra priority 1000}
- type: interface
  name: em2
  addresses: [{ip_netmask: 198.51.100.1/24}]
'
run_static() { net "$1" <<<"$static"; }
check "the first run changes the files" run_static 2
check "an IPv4 address" has em1 "inet 192.0.2.1/24"
check "an IPv6 address" has em1 "inet6 2001:db8::1/64"
check "the MTU" grep -qx 1400 /sys/class/net/em1/mtu
check "the default route" bash -c "ip route show default | grep -F 'via 192.0.2.254 dev em1'"
check "a route in a table of its own" bash -c "ip route show table 200 | grep -F '203.0.113.0/24 via 192.0.2.254 dev em1' | grep -F 'metric 7'"
check "a route on the link" bash -c "ip route | grep -F '198.51.100.128/25 dev em1'"
check "an IPv6 route" until_true bash -c "ip -6 route | grep -F '2001:db8:9::/48 via 2001:db8::fe dev em1'"
check "a rule" bash -c "ip rule | grep -F '1000:' | grep -E 'from 192.0.2.0/24 lookup (200|extra)'"
check "the second run changes nothing" run_static 0

bridge='network_config:
- type: linux_bridge
  name: br0
  addresses: [{ip_netmask: 192.0.2.1/24}]
  members: [{type: interface, name: em1, primary: true}]
'
run_bridge() { net 2 --cleanup <<<"$bridge"; }
check "a bridge takes the interface over" run_bridge
check "it has the address" until_true has br0 "inet 192.0.2.1/24"
check "the interface is its port" test -e /sys/class/net/br0/brif/em1
check "it has the interface's MAC" cmp /sys/class/net/br0/address /sys/class/net/em1/address
check "cleanup took the other interface's address" until_true bash -c "! ip -o addr show dev em2 | grep -F 198.51.100.1"

cut_off() {
    net 4 --check http://192.0.2.254:8000/ --check-timeout 1 --cleanup <<<"network_config: [{type: interface, name: em1, addresses: [{ip_netmask: 198.51.100.9/24}]}]"
}
check "a configuration that loses the server is put back" cut_off
check "the bridge is there again" until_true has br0 "inet 192.0.2.1/24"
check "its port too" until_true test -e /sys/class/net/br0/brif/em1

plain() { net 2 --cleanup <<<"network_config: [{type: interface, name: em1, addresses: [{ip_netmask: 192.0.2.1/24}]}]"; }
check "the bridge goes when it is no longer wanted" plain
check "its device too" test ! -e /sys/class/net/br0
check "the interface has its address" has em1 "inet 192.0.2.1/24"

# This kernel may lack vlans and bonds; that networkd takes every line of their files is seen in its log.
tagged='network_config:
- type: linux_bond
  name: bond1
  bonding_options: mode=802.3ad miimon=100 lacp_rate=1 xmit_hash_policy=layer3+4 updelay=10 primary_reselect=1
  members: [{type: interface, name: em2}]
- {type: vlan, vlan_id: 5, device: em1, use_dhcp: true, defroute: false}
- type: interface
  name: em1
  use_dhcpv6: true
  dns_servers: [192.0.2.53]
  domain: [a.test, b.test]
  ethtool_opts: speed 1000 duplex full autoneg on
'
only_files() { net 2 --no-activate --cleanup <<<"$tagged"; }
check "files of bond and vlan" only_files
: > networkd.log
networkctl reload || true
check "networkd has read them" until_true grep -q "vlan5\|bond1\|em1" networkd.log
check "networkd knows every key of them" bash -c "! grep -aiE 'unknown (key|section)|failed to parse|invalid|ignoring' networkd.log"
link_read() { # by udev, whose files these are
    SYSTEMD_LOG_LEVEL=debug udevadm test-builtin net_setup_link /sys/class/net/em1 >link.log 2>&1 || true
    grep -F 10-os-net-config-em1.link link.log
}
if command -v udevadm >/dev/null; then
    check "udev takes the link file" link_read
    check "udev knows every key of it" bash -c "! grep -iE 'unknown (key|section)|failed to parse|invalid' link.log"
fi

pid=$(jobs -p | head -n 1)
kill "$pid" 2>/dev/null || true
[ "$failures" = 0 ] || { echo "$failures failed" && exit 1; }
