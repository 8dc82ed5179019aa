#!/bin/bash
# The steps of configure.d that our elements bring (kernel settings, network, gateway, Hiera's data, hosts), run one by one
# with the agent's programs on a private /etc and in a network namespace.
#
# usage: configure_steps.sh ELEMENTS LINKS        (root; LINKS: a directory made by hearth-agent install-links)
set -euo pipefail

skip() {
    echo "SKIPPED: $*"
    exit 77
}

if [ "${1:-}" != --inside ]; then
    [ "$(id -u)" = 0 ] || skip "needs root for namespaces"
    for tool in jq sysctl ip ifup; do
        command -v $tool >/dev/null || skip "needs $tool"
    done
    unshare -n true 2>/dev/null || skip "this kernel allows no network namespace here"
    exec timeout 200 unshare -n -m --propagation private --kill-child -pf bash "$0" --inside "$(realpath "$1")" "$(realpath "$2")"
fi

elements=$2
export PATH="$3:$elements/sysctl/bin:/usr/sbin:/usr/bin:/sbin:/bin"
failures=0
work=$(mktemp -d)
mount -t tmpfs tmpfs "$work"
cp -a /etc "$work/etc"
mount --bind "$work/etc" /etc
mount -t tmpfs tmpfs /var/lib
mount -t tmpfs tmpfs /run
mount -t proc proc /proc # of this namespace: its settings can be written
mount -t sysfs sysfs /sys
mkdir -p /run/network /etc/network/if-up.d /etc/systemd/network
find /etc/network -path '*.d/*' -delete
rm -rf /etc/sysconfig /etc/puppet
export OS_CONFIG_FILES=$work/metadata.json OS_CONFIG_APPLIER_TEMPLATES=$work/templates
mkdir "$work/templates"
cp -r "$elements"/hiera/os-apply-config/. "$elements"/os-net-config/os-apply-config/. "$elements"/heat-config/os-apply-config/. \
    "$work/templates"
cd "$work"

check() { # NAME COMMAND…
    local name=$1
    shift
    if "$@" >check.log 2>&1; then
        echo "ok    $name"
    else
        echo "FAIL  $name: $*"
        sed 's/^/      /' check.log
        failures=$((failures + 1))
    fi
}
fails() { ! "$@"; }
step() { # ELEMENT SCRIPT
    "$elements/$1/os-refresh-config/configure.d/$2"
}
metadata() { printf '%s' "$1" > metadata.json; }

# sysctl
metadata '{"sysctl": {"net.ipv4.ip_forward": 1, "net.ipv4.ping_group_range": "7 9", "net.ipv6.conf.all.forwarding": true}}'
check "sysctl: runs" step sysctl 10-sysctl-apply-config
check "sysctl: sets a number" grep -qx 1 /proc/sys/net/ipv4/ip_forward
check "sysctl: sets a text with a blank" grep -q '^7.9' /proc/sys/net/ipv4/ping_group_range
check "sysctl: true is 1" grep -qx 1 /proc/sys/net/ipv6/conf/all/forwarding
check "sysctl: keeps it for the next boot" grep -qx 'net.ipv4.ping_group_range = 7 9' /etc/sysctl.d/net.ipv4.ping_group_range.conf
metadata '{"sysctl": {"net.ipv4.ip_forward": 0}}'
check "sysctl: runs again" step sysctl 10-sysctl-apply-config
check "sysctl: changes a value" grep -qx 0 /proc/sys/net/ipv4/ip_forward
check "sysctl: forgets what is no longer named" test ! -e /etc/sysctl.d/net.ipv4.ping_group_range.conf
metadata '{"sysctl": {"net.ipv4.no_such_thing": 1}}'
check "sysctl: an unknown setting fails" fails step sysctl 10-sysctl-apply-config
metadata '{}'
check "sysctl: nothing to do" step sysctl 10-sysctl-apply-config
check "sysctl-append-value: the first" sysctl-append-value net.ipv4.ip_local_reserved_ports 8000
check "sysctl-append-value: one more" sysctl-append-value net.ipv4.ip_local_reserved_ports 9000
check "sysctl-append-value: has both" grep -qx 'net.ipv4.ip_local_reserved_ports = 8000,9000' /etc/sysctl.d/net.ipv4.ip_local_reserved_ports.conf
check "sysctl-set-value: sees a conflict" fails sysctl-set-value net.ipv4.ip_local_reserved_ports 1

# apply-config and hiera
metadata '{"hiera": {"hierarchy": ["heat_config_%{::deploy_config_name}", "common"], "datafiles": {
  "common": {"raw_data": "ntp: yes\n", "mapped_data": {"mysql::port": 3306, "l": ["a", 1]},
             "oac_data": {"mysql::password": "mysql.root", "n": "mysql.n"}}, "b": {}}},
  "mysql": {"root": "it'"'"'s: #1", "n": 7}, "deployments": []}'
check "apply-config: runs" "$elements/os-apply-config/os-refresh-config/configure.d/20-os-apply-config"
check "hiera: the hierarchy" grep -qx '  - "heat_config_%{::deploy_config_name}"' /etc/puppet/hiera.yaml
check "heat-config: the list is private" bash -c "[ \$(stat -c %a /var/run/heat-config/heat-config) = 600 ]"
check "hiera: runs" step hiera 40-hiera-datafiles
printf '%s\n' 'ntp: yes' '"mysql::port": 3306' '"l": ["a",1]' '"mysql::password": "it'"'"'s: #1"' '"n": 7' > common.yaml
check "hiera: the data" diff common.yaml /etc/puppet/hieradata/common.yaml
check "hiera: the data are private" bash -c "[ \$(stat -c %a /etc/puppet/hieradata/common.yaml) = 600 ]"
metadata '{"hiera": {"hierarchy": [], "datafiles": {"c": {"raw_data": "x: 1"}}}}'
check "hiera: runs again" step hiera 40-hiera-datafiles
check "hiera: forgets what is no longer named" test ! -e /etc/puppet/hieradata/common.yaml
metadata '{"hiera": {"datafiles": {"../x": {}}}}'
check "hiera: no name leaves the folder" fails step hiera 40-hiera-datafiles
echo ':json:' > /etc/puppet/hiera.yaml
check "hiera: gives way to the hook" step hiera 10-hiera-disable
check "hiera: its data are gone" test ! -e /etc/puppet/hieradata/c.yaml

# hosts
printf '127.0.0.1 localhost\n' > /etc/hosts
metadata '{"hosts": "192.0.2.1 One.Example.com one\n192.0.2.2 two"}'
check "hosts: runs" step hosts 51-hosts
check "hosts: keeps and adds" diff - /etc/hosts <<'HOSTS'
127.0.0.1 localhost
# HEAT_HOSTS_START - Do not edit manually within this section!
192.0.2.1 one.example.com one
192.0.2.2 two
# HEAT_HOSTS_END
HOSTS
cp -p /etc/hosts hosts.before
check "hosts: a second run" step hosts 51-hosts
check "hosts: changes nothing" test ! /etc/hosts -nt hosts.before
metadata '{"hosts": "192.0.2.3 three"}'
check "hosts: runs again" step hosts 51-hosts
check "hosts: replaces its section" bash -c "grep -c 192.0.2 /etc/hosts | grep -qx 1"
metadata '{}'
check "hosts: nothing to do" step hosts 51-hosts
check "hosts: the section stays" grep -q three /etc/hosts

# net-config
ip link set lo up
ip link add em1 type veth peer name far1
ip link add em2 type veth peer name far2
ip link set far1 up
ip link set far2 up
check "net-config: nothing to do" step os-net-config 20-os-net-config
metadata '{"os_net_config": {"network_config": [
  {"type": "interface", "name": "em1", "addresses": [{"ip_netmask": "192.0.2.1/24"}],
   "routes": [{"default": true, "next_hop": "192.0.2.254", "metric": 5}]},
  {"type": "interface", "name": "em2", "addresses": [{"ip_netmask": "198.51.100.1/24"}],
   "routes": [{"default": true, "next_hop": "198.51.100.254", "metric": 7}]}]}}'
check "net-config: templates" os-apply-config
check "net-config: runs" step os-net-config 20-os-net-config
check "net-config: the address" bash -c "ip -o addr show dev em1 | grep -F 192.0.2.1/24"
check "net-config: a second run" bash -c "'$elements/os-net-config/os-refresh-config/configure.d/20-os-net-config' | grep -x 'the network is as it should be'"

# The address that the metadata come from is its own, or it must answer.
config='{"os_net_config": {"network_config": [
  {"type": "interface", "name": "em1", "addresses": [{"ip_netmask": "192.0.2.1/24"}, {"ip_netmask": "2001:db8::1/64"}],
   "routes": [{"default": true, "next_hop": "192.0.2.254", "metric": 5}]},
  {"type": "interface", "name": "em2", "addresses": [{"ip_netmask": "198.51.100.1/24"}],
   "routes": [{"default": true, "next_hop": "198.51.100.254", "metric": 7}]}]},
  "os-net-config": {"check_timeout": 1}, "os-collect-config": {"cfn": {"metadata_url": "URL"}}}'
ip addr add 2001:db8::1/128 dev lo
metadata "${config/URL/http://[2001:db8::1]:8000/v1/}"
check "net-config: templates again" os-apply-config
check "net-config: its own metadata need no check" step os-net-config 20-os-net-config
metadata "$(sed 's/192.0.2.1/192.0.2.9/' <<<"${config/URL/http://127.9.9.9:1/}")"
check "net-config: templates once more" os-apply-config
check "net-config: metadata that no longer answer are put back" fails step os-net-config 20-os-net-config
check "net-config: the address is as before" bash -c "ip -o addr show dev em1 | grep -F 192.0.2.1/24"

# gateway
metadata '{"network-config": {"gateway-dev": "em2"}}'
check "gateway: runs" step network-gateway 25-set-network-gateway
check "gateway: one default route" bash -c "[ \$(ip route show default | wc -l) = 1 ] && ip route show default | grep -F 'dev em2'"
check "gateway: a hook for the next time" bash -c "ip route add default via 192.0.2.254 dev em1; IFACE=em1 /etc/network/if-up.d/50-network-gateway; [ \$(ip route show default | wc -l) = 1 ]"
printf '[Match]\nName=em1\n' > /etc/systemd/network/a.network
printf '[Match]\nName=em2\n' > /etc/systemd/network/b.network
check "gateway: runs again" step network-gateway 25-set-network-gateway
check "gateway: a drop-in for the other" grep -qx UseGateway=no /etc/systemd/network/a.network.d/50-network-gateway.conf
check "gateway: none for its own" test ! -e /etc/systemd/network/b.network.d
metadata '{}'
check "gateway: nothing to do" step network-gateway 25-set-network-gateway
check "gateway: the hook is gone" test ! -e /etc/network/if-up.d/50-network-gateway
check "gateway: the drop-in too" test ! -e /etc/systemd/network/a.network.d

[ "$failures" = 0 ] || { echo "$failures failed" && exit 1; }
