#!/bin/bash
# The elements that the field uses, in a tiny tree, by the real builder; programs that they leave for the machine's boot are
# run on trees that look like one.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
type -P openssl ssh-keygen useradd systemctl > /dev/null || { echo "SKIPPED: openssl, ssh-keygen, useradd and systemctl are needed" && exit 77; }

# build NAME WORD…: the tree of the elements and options given, in the directory tree.
build() {
    local name=$1
    shift
    "$HEARTH" image create -n -t tar -o "$name" tools "$@" > "out-$name" 2>&1 < /dev/null || {
        fail "$name: $(tail -40 "out-$name")"
        return 1
    }
    rm -rf tree && mkdir tree
    tar -C tree -xf "$name.tar"
}
# refused NAME TEXT WORD…: the build fails before the first hook and says TEXT.
refused() {
    local name=$1 text=$2
    shift 2
    "$HEARTH" image create -n -t tar -o "$name" tools "$@" > "out-$name" 2>&1 < /dev/null && fail "$name builds"
    expect_text "out-$name" "$text"
    ! grep -q "running root.d\|root.d.*completed" "$name.d/build.log" || fail "$name: a hook ran before"
}
same() {
    [ "$(cat "$1" 2>&1)" = "$2" ] || fail "$1 is: $(cat "$1" 2>&1), not: $2"
}
mode() {
    [ "$(stat -c %a "$1")" = "$2" ] || fail "$1 has mode $(stat -c %a "$1"), not $2"
}
enabled() {
    [ -L "tree/etc/systemd/system/$2.wants/$1.service" ] || fail "$1 is not enabled for $2"
}
# has_password USER PASSWORD: as the tree's shadow file has it.
has_password() {
    local hash
    hash=$(sed -n "s/^$1:\([^:]*\):.*/\1/p" tree/etc/shadow)
    [ "$(openssl passwd -6 -salt "$(cut -d'$' -f3 <<< "$hash")" "$2")" = "$hash" ] || fail "$1 has another password: $hash"
}

mkdir -p "$HOME/.ssh"
echo "ssh-ed25519 AAAA me" > "$HOME/.ssh/id_ed25519.pub"
echo "ssh-ed25519 BBBB friend" > "$HOME/.ssh/authorized_keys"

export DIB_DEV_USER_PASSWORD=pass-word DIB_DEV_USER_GROUPS=adm,video DIB_DEV_USER_PWDLESS_SUDO=yes DIB_STACKUSER_PASSWORD=stack-word
if build users devuser stackuser local-config; then
    grep -q '^devuser:' tree/etc/passwd || fail "no devuser"
    grep -q '^video:.*devuser' tree/etc/group || fail "devuser is not in its groups: $(cat tree/etc/group)"
    has_password devuser pass-word
    has_password stack stack-word
    same tree/etc/sudoers.d/devuser "devuser ALL=(ALL) NOPASSWD:ALL"
    same tree/etc/sudoers.d/stack "stack ALL=(ALL) NOPASSWD:ALL"
    mode tree/etc/sudoers.d/stack 440
    same tree/home/devuser/.ssh/authorized_keys "ssh-ed25519 AAAA me"
    mode tree/home/devuser/.ssh/authorized_keys 600
    same tree/home/stack/.ssh/authorized_keys "ssh-ed25519 BBBB friend"
    same tree/root/.ssh/authorized_keys "ssh-ed25519 BBBB friend"
    expect_text tree/etc/installed-packages sudo
    ! grep -rq 'pass-word\|stack-word' out-users users.d || fail "a password is in the log"
fi
unset DIB_DEV_USER_PASSWORD DIB_DEV_USER_GROUPS DIB_DEV_USER_PWDLESS_SUDO DIB_STACKUSER_PASSWORD
if build plain stackuser; then
    grep -q '^stack:!' tree/etc/shadow || fail "stack has a password that nobody chose"
fi
DIB_LOCAL_CONFIG_USERNAME=stack build named stackuser local-config && [ ! -e tree/root/.ssh ] || fail "the keys are root's, too"

if build services dynamic-login runtime-ssh-host-keys dhcp-all-interfaces modprobe cloud-init-nocloud; then
    enabled dynamic-login multi-user.target
    enabled ssh-keygen multi-user.target
    [ -x tree/usr/local/bin/dynamic-login ] || fail "dynamic-login is not there"
    expect_text tree/etc/systemd/network/70-dhcp-all-interfaces.network "DHCP=yes"
    expect_text tree/etc/systemd/system/systemd-networkd-wait-online.service.d/50-wait-for-one.conf "--any --timeout=30"
    same tree/etc/cloud/cloud.cfg.d/91-dib-cloud-init-datasources.cfg "datasource_list: [ NoCloud, None ]"
    [ -f tree/var/lib/cloud/seed/nocloud/meta-data ] || fail "cloud-init has no seed"

    mkdir -p keys
    tree/usr/local/sbin/runtime-ssh-host-keys.sh keys
    [ -s keys/ssh_host_ed25519_key.pub ] || fail "no host keys were made"
    before=$(cat keys/*)
    tree/usr/local/sbin/runtime-ssh-host-keys.sh keys
    [ "$before" = "$(cat keys/*)" ] || fail "host keys were made again"

    echo 'BOOT_IMAGE=x sshkey="ssh-ed25519 CCCC who" quiet' > cmdline
    tree/usr/local/bin/dynamic-login cmdline "$work/login"
    same login/.ssh/authorized_keys "ssh-ed25519 CCCC who"
    echo 'quiet "sshkey=ssh-ed25519 DDDD who" x' > cmdline  # as GRUB hands it on
    tree/usr/local/bin/dynamic-login cmdline "$work/login"
    same login/.ssh/authorized_keys "ssh-ed25519 DDDD who"
    echo 'quiet notsshkey=x' > cmdline
    tree/usr/local/bin/dynamic-login cmdline "$work/nobody"
    [ ! -e nobody ] || fail "an argument of another name let someone in"
fi
DIB_MODPROBE_BLACKLIST="floppy pcspkr floppy" build modules modprobe-blacklist && same tree/etc/modprobe.d/blacklist.conf "blacklist floppy
blacklist pcspkr"
refused no-modules "Please set DIB_MODPROBE_BLACKLIST" modprobe-blacklist
refused no-sources "DIB_CLOUD_INIT_DATASOURCES must be set" cloud-init-datasources
DIB_DHCP_TIMEOUT=soon refused timeout "DIB_DHCP_TIMEOUT is a number of seconds" dhcp-all-interfaces

# VLANs: refused when they make no sense, else written for the machine that the image finds itself on.
refused vlans "Please set DIB_VLANS" first-boot-vlans
DIB_VLANS="eth0.4095=dhcp" refused vlan-id "a VLAN's id is 1 to 4094" first-boot-vlans
DIB_VLANS="eth0.7=192.0.2.5" refused vlan-prefix "an address needs its prefix" first-boot-vlans
DIB_VLANS="eth0" refused vlan-form "'eth0' is not LINK.ID" first-boot-vlans
DIB_VLAN_NETWORK=magic refused vlan-network "DIB_VLAN_NETWORK is networkd or ifupdown" first-boot-vlans

# machine: the tree gets the interfaces lo, nic1 (no carrier), nic2 (carrier) and a bridge.
machine() {
    local name
    for name in lo nic1 nic2 bridge; do mkdir -p "tree/sys/class/net/$name"; done
    mkdir tree/sys/class/net/nic1/device tree/sys/class/net/nic2/device
    echo 0 > tree/sys/class/net/nic1/carrier && echo 1 > tree/sys/class/net/nic2/carrier
    echo 52:54:00:12:34:56 > tree/sys/class/net/nic1/address && echo 52:54:00:12:34:57 > tree/sys/class/net/nic2/address
    echo 1 > tree/sys/class/net/bridge/carrier && echo 52:54:00:12:34:58 > tree/sys/class/net/bridge/address
}
vlans="nic1.25=192.0.2.5/24,2001:db8::5/64@192.0.2.1 52:54:00:12:34:57.26=dhcp auto.27"
export FIRST_BOOT_VLANS_WAIT=0
if DIB_VLANS=$vlans build vlans-networkd first-boot-vlans; then
    enabled first-boot-vlans sysinit.target
    machine
    bash tree/usr/local/sbin/first-boot-vlans "$work/tree"
    network=tree/etc/systemd/network
    expect_text $network/40-nic1.25.netdev "Name=nic1.25" "Kind=vlan" "Id=25"
    expect_text $network/40-nic1.25.network "Address=192.0.2.5/24" "Address=2001:db8::5/64" "Gateway=192.0.2.1"
    expect_text $network/40-nic2.26.network "DHCP=yes"
    same $network/40-nic2.network "[Match]
Name=nic2

[Network]
DHCP=yes
VLAN=nic2.26
VLAN=nic2.27"
    [ -e tree/var/lib/first-boot-vlans/done ] || fail "the VLANs would be written again"
    same tree/etc/installed-packages iproute2
fi
if DIB_VLANS="$vlans nic9.28=dhcp" DIB_VLAN_NETWORK=ifupdown DIB_VLAN_UNTAGGED=none build vlans-ifupdown first-boot-vlans; then
    machine
    mkdir -p tree/etc/network
    bash tree/usr/local/sbin/first-boot-vlans "$work/tree" 2> complaint && fail "a missing interface passes"
    expect_text complaint "no interface is nic9 (there are: nic1 nic2 )"
    [ ! -e tree/var/lib/first-boot-vlans/done ] || fail "the missing interface would not be tried again"
    same tree/etc/network/interfaces.d/vlan-nic1.25 "auto nic1.25
iface nic1.25 inet static
    vlan-raw-device nic1
    address 192.0.2.5/24
    gateway 192.0.2.1
iface nic1.25 inet6 static
    vlan-raw-device nic1
    address 2001:db8::5/64"
    expect_text tree/etc/network/interfaces.d/vlan-nic2.26 "iface nic2.26 inet dhcp"
    expect_text tree/etc/network/interfaces.d/vlan-nic2.27 "iface nic2.27 inet manual"
    expect_text tree/etc/network/interfaces "source /etc/network/interfaces.d/*"
    expect_text tree/etc/installed-packages ifupdown vlan
    [ ! -e tree/etc/network/interfaces.d/link-nic1 ] || fail "the untagged link was configured"
fi

# simple-init: hostname, keys and network from a config drive; DHCP without one.
if build simple simple-init; then
    enabled simple-init sysinit.target
    export PATH=$work/tree/usr/local/bin:$PATH
    run_simple_init() { bash tree/usr/local/sbin/simple-init "$work/tree" "$@"; }
    network=tree/run/systemd/network
    mkdir nodrive
    run_simple_init "$work/nodrive" > /dev/null
    expect_text $network/70-simple-init.network "DHCP=yes"
    mkdir -p drive/openstack/latest
    echo '{"hostname": "node-1.example.org", "public_keys": {"me": "ssh-ed25519 EEEE me\n"}}' > drive/openstack/latest/meta_data.json
    cat > drive/openstack/latest/network_data.json <<'JSON'
{
  "links": [
    {"id": "tap0", "type": "phy", "ethernet_mac_address": "52:54:00:12:34:56", "mtu": 1500},
    {"id": "tap1", "type": "phy", "ethernet_mac_address": "52:54:00:12:34:57", "mtu": null},
    {"id": "vlan0", "type": "vlan", "vlan_link": "tap0", "vlan_id": 25, "vlan_mac_address": "52:54:00:12:34:56"},
    {"id": "bond0", "type": "bond", "bond_links": ["tap1"], "bond_mode": "802.3ad", "bond_miimon": 100}
  ],
  "networks": [
    {"id": "n0", "type": "ipv4", "link": "tap0", "ip_address": "192.0.2.5", "netmask": "255.255.255.128",
     "routes": [{"network": "0.0.0.0", "netmask": "0.0.0.0", "gateway": "192.0.2.1"},
                {"network": "198.51.100.0", "netmask": "255.255.255.0", "gateway": "192.0.2.2"}]},
    {"id": "n1", "type": "ipv6", "link": "tap0", "ip_address": "2001:db8::5", "netmask": "ffff:ffff:ffff:ffff::"},
    {"id": "n2", "type": "ipv4_dhcp", "link": "vlan0"},
    {"id": "n3", "type": "ipv6_slaac", "link": "bond0"}
  ],
  "services": [{"type": "dns", "address": "192.0.2.53"}]
}
JSON
    run_simple_init "$work/drive" > /dev/null
    run_simple_init "$work/drive" > /dev/null
    same tree/etc/hostname node-1
    same tree/root/.ssh/authorized_keys "ssh-ed25519 EEEE me"
    [ ! -e $network/70-simple-init.network ] || fail "the network of the boot before is still there"
    same $network/40-simple-init-tap0.network "[Match]
MACAddress=52:54:00:12:34:56
Type=ether
Kind=!*

[Link]
MTUBytes=1500

[Network]
Address=192.0.2.5/25
Address=2001:db8::5/64
IPv6AcceptRA=no
VLAN=vlan25
DNS=192.0.2.53

[Route]
Gateway=192.0.2.1

[Route]
Gateway=192.0.2.2
Destination=198.51.100.0/24"
    expect_text $network/40-simple-init-tap1.network "LinkLocalAddressing=no" "Bond=bond0"
    expect_text $network/40-simple-init-vlan25.netdev "Kind=vlan" "Id=25"
    expect_text $network/40-simple-init-vlan25.network "DHCP=ipv4"
    expect_text $network/40-simple-init-bond0.netdev "Mode=802.3ad" "MIIMonitorSec=100ms"
    expect_text $network/40-simple-init-bond0.network "IPv6AcceptRA=yes"
fi
finish
