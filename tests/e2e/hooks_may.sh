#!/bin/bash
# What hooks may do that touches nothing but what is the build's: the settings of a network of their own, ids of the whole of the
# user's range, sysfs and control groups to be read; and what they may not do is told with what to do.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=as_user.sh
. "$here/as_user.sh"
need_user
export TINY_OS_PROGRAMS="bash cat chattr chown env ip mkdir mount touch" ELEMENTS_PATH=$work/elements:$ELEMENTS_PATH
machines=$(cat /proc/sys/net/ipv4/ip_forward)
other=$((1 - machines))

hook may/extra-data.d/50-may <<E2
mkdir "\$TMP_BUILD_DIR"/{sys,groups}
mount -t sysfs sysfs "\$TMP_BUILD_DIR/sys" && [ -d "\$TMP_BUILD_DIR/sys/class/net" ]
mount -t cgroup2 none "\$TMP_BUILD_DIR/groups" && ls "\$TMP_BUILD_DIR/groups" > /dev/null
! touch "\$TMP_BUILD_DIR/groups/x" 2> /dev/null
umount "\$TMP_BUILD_DIR/sys" "\$TMP_BUILD_DIR/groups"
echo $other > /proc/sys/net/ipv4/ip_forward
E2
hook may/install.d/50-may <<'E2'
cat /proc/sys/net/ipv4/ip_forward > /forwards
echo 1 > /proc/sys/net/ipv4/ip_forward
E2
"$HEARTH" image create --record --lock may.lock -n --no-cache -t tar -o may tiny-os may > out 2>&1 < /dev/null || fail "may: $(tail -20 out)"
[ "$(tar -xOf may.tar ./forwards)" = "$other" ] || fail "the target's hook does not see the host's hook's setting"
[ "$(cat /proc/sys/net/ipv4/ip_forward)" = "$machines" ] || fail "a hook changed the machine's network"

# A network that is the machine's, or that keeps hooks from what lies within the site, is as it is.
for network in host private; do
    HEARTH_NETWORK=$network "$HEARTH" image create -n --no-cache -t tar -o "$network" tiny-os may > out 2>&1 < /dev/null && fail "a hook sets the network: $network"
    expect_text out "extra-data.d/50-may (element may) failed" "/proc/sys/net/ipv4/ip_forward: Read-only file system" "with --record" "/etc/sysctl.d"
    [ "$(cat /proc/sys/net/ipv4/ip_forward)" = "$machines" ] || fail "a hook changed the machine's network"
done

# refused PHASE NAME ADVICE COMMAND…: in a hook of the host, which has this machine's programs, or of the target.
refused() {
    local phase=$1 name=$2 advice=$3
    shift 3
    printf '%s\n' "$*" | hook "not-$name/$phase/50-not"
    "$HEARTH" image create -n --no-cache -t tar -o "not-$name" tiny-os "not-$name" > out 2>&1 < /dev/null && fail "$name: not refused"
    expect_text out "$phase/50-not (element not-$name) failed" "$advice"
}
refused extra-data.d loop "mke2fs -d" losetup --find
refused extra-data.d clock "faketime" date --set=now
refused extra-data.d ids "--add-subuids" 'touch "$TMP_BUILD_DIR/x"; chown 70000 "$TMP_BUILD_DIR/x"'
refused extra-data.d flags "first boot" 'touch "$TMP_BUILD_DIR/x"; chattr +i "$TMP_BUILD_DIR/x"'
refused extra-data.d mounts "tmpfs, overlays and binds" 'mkdir "$TMP_BUILD_DIR/b"; mount -t bpf none "$TMP_BUILD_DIR/b"'
refused install.d flags-inside "first boot" 'touch /x; chattr +i /x'
refused install.d sysfs "sysfs and devices are there in the target" 'mkdir /x; mount -t sysfs sysfs /x'
refused install.d groups "control groups can be read" 'mkdir /x; mount -t cgroup2 none /x'
refused install.d bridge "--record, --locked or --offline" ip link add bridge0 type bridge

# Ids above 65535 where the range has them.
hook large/install.d/50-large <<< 'touch /large && chown 70000:70001 /large'
chmod -R a+rX elements
echo "$user:300000:200000" > sub-ids
as_user "$HEARTH" image create -n --no-cache -t tar -o large tiny-os large > out 2>&1 < /dev/null || fail "ids above 65535: $(tail -20 out)"
tar --numeric-owner -tvf user/large.tar ./large > listed
expect_text listed " 70000/70001 "
finish
