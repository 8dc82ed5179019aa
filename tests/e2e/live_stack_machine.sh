#!/bin/bash
# examples/live-stack as a machine: the controller's tree, as it comes out of its image, runs under its own systemd in a container
# with a network of its own. Its agent brings the cloud up from the metadata in it; a seed hands its nodes over to it as the tutorial says,
# and the real clients use it; a second run, changed values and a reboot are no harm. Minutes: HEARTH_LONG. HEARTH_LIVE_STACK=PREFIX:
# PREFIX.tar and PREFIX.json are there already, the tree and the metadata that are baked into it.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
skip() {
    echo "SKIPPED: $*"
    exit 77
}
[ -n "${HEARTH_LONG:-}" ] || skip "HEARTH_LONG is not set"
[ "$(id -u)" = 0 ] || skip "needs root for a container"
for program in systemd-nspawn nsenter unshare mmdebstrap; do command -v "$program" > /dev/null || skip "$program is not installed"; done
debian_release
[ "$release" = bookworm ] || skip "the services are Debian 12's, whose packages this machine's apt does not know"
root=$(cd "$here/../.." && pwd)
export ELEMENTS_PATH='' DIB_RELEASE=bookworm

# The image's tree, with the metadata in it.
if [ -z "${HEARTH_LIVE_STACK:-}" ]; then
    cp "$root"/examples/live-stack/*.{yaml,json} .
    "$HEARTH" metadata compile --strict -t live-stack.yaml -e one.yaml --inventory inventory.json -n live -o compiled > out 2>&1 || fail "$(cat out)"
    cp compiled/servers/Controller/metadata.json controller.json
    "$HEARTH" image create -t tar -o controller --metadata controller.json debian-minimal boot-stack-openstack > out 2>&1 < /dev/null ||
        { tail -n 40 out >&2 && exit 1; }
    HEARTH_LIVE_STACK=controller
fi
mkdir tree
tar -C tree -xf "$HEARTH_LIVE_STACK.tar"
rm -f controller.tar

# Nothing of a machine's or a site's is in it, but the metadata.
for left in var/lib/mysql/mysql var/lib/rabbitmq/.erlang.cookie etc/keystone/fernet-keys etc/keystone/credential-keys root/stackrc; do
    [ ! -e "tree/$left" ] || fail "the image has $left"
done
grep -hE '^[a-z_]*(password|secret|encryption_key|transport_url)[a-z_]*[[:space:]]*=[[:space:]]*[^[:space:]<$]' \
    tree/etc/{keystone,glance,heat,ironic}/*.conf && fail "an option of the image has a secret"
[ -z "$(find tree/etc tree/var/lib -xdev \( -name '*.key' -o -name 'ssh_host_*' -o -name '*snakeoil*' \) -type f)" ] || fail "the image has keys"
password=$(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["admin-password"])' "$HEARTH_LIVE_STACK.json")
found=$(grep -rlF "$password" tree --exclude-dir=proc | sort | tr '\n' ' ')
[ "$found" = 'tree/var/lib/heat-cfntools/cfn-init-data ' ] || fail "the administrator's password is in $found"
for unit in mariadb rabbitmq-server keystone glance-api heat-api heat-engine ironic-api ironic-conductor; do
    [ ! -e "tree/etc/systemd/system/multi-user.target.wants/$unit.service" ] || fail "$unit is enabled in the image"
done
for database in keystone glance heat ironic; do
    [ -s "tree/usr/share/openstack-schema/$database.sql.gz" ] || fail "the image has no tables for $database"
done

machine=
boot() {
    echo cloud > tree/etc/hostname
    printf '127.0.0.1 localhost\n127.0.1.1 cloud\n' > tree/etc/hosts
    timeout 1500 unshare -n systemd-nspawn -q -D tree --register=no --keep-unit -M "hearth-$$" \
        --bind-ro=/dev/null:/etc/systemd/system/systemd-networkd-wait-online.service \
        /usr/lib/systemd/systemd --show-status=no "hearth.test=$$" > console 2>&1 < /dev/null &
    container=$!
    for ((try = 0; try < 100; try++)); do
        machine=$(pgrep -f "^/usr/lib/systemd/systemd --show-status=no hearth.test=$$\$" | tail -n 1 || true)
        [ -z "$machine" ] || break
        kill -0 "$container" 2> /dev/null || break
        sleep 0.2
    done
    [ -n "$machine" ] || { [ -z "$has_booted" ] && skip "no container starts here: $(tail -n 1 console)"; }
    [ -n "$machine" ] || { fail "the machine does not start again: $(tail -n 5 console)" && exit 1; }
    has_booted=yes
    # The address that the inventory tells.
    nsenter -t "$machine" -n ip addr add 192.0.2.1/24 dev lo
    nsenter -t "$machine" -n ip link set lo up
}
stop() {
    [ -z "$machine" ] || kill -RTMIN+4 "$machine" 2> /dev/null || true
    machine=
    wait "$container" 2> /dev/null || true
}
has_booted=
trap 'stop; rm -rf "$work"' EXIT
inside() { nsenter -t "$machine" -a "$@"; }
# agent_done SECONDS: until the agent has taken over the metadata as they are in the tree now.
agent_done() {
    local deadline=$((SECONDS + $1))
    until inside cmp -s /var/lib/heat-cfntools/cfn-init-data /root/baked 2> /dev/null && inside python3 -c '
import json, sys
a, b = (json.load(open(f)) for f in ("/var/lib/heat-cfntools/cfn-init-data", "/var/lib/os-collect-config/heat_local.json.last"))
sys.exit(a != b)' 2> /dev/null; do
        [ "$SECONDS" -lt "$deadline" ] || { fail "the agent is not done: $(inside journalctl -q -o cat -n 40 -u os-collect-config)" && return 1; }
        sleep 1
    done
}
# as_admin COMMAND: with the real clients, in the machine.
as_admin() { inside timeout 300 bash -c ". /root/stackrc && $1"; }
refresh() { inside env OS_CONFIG_FILES=/var/lib/os-collect-config/heat_local.json timeout 600 os-refresh-config > refresh 2>&1 || fail "a run fails: $(tail -n 30 refresh)"; }
rows() { inside mariadb -N -e "SELECT COUNT(*) FROM keystone.user UNION ALL SELECT COUNT(*) FROM keystone.endpoint UNION ALL SELECT COUNT(*) FROM keystone.assignment UNION ALL SELECT COUNT(*) FROM mysql.user" | tr '\n' ' '; }
started() { inside systemctl show -P ActiveEnterTimestampMonotonic mariadb rabbitmq-server keystone glance-api heat-engine heat-api ironic-api ironic-conductor | tr '\n' ' '; }

echo "first boot"
cp tree/var/lib/heat-cfntools/cfn-init-data tree/root/baked
boot
agent_done 900 || exit 1
# The tutorial, from its first command to its last, with two BMCs that tell what they were ordered: nothing.
echo "from a seed to OpenStack"
for address in 192.0.2.101 192.0.2.102; do nsenter -t "$machine" -n ip addr add "$address/32" dev lo; done
python=$(command -v /usr/bin/python3)
cat > bmcs.py <<'E2'
import sys, threading
sys.path.insert(0, sys.argv[1])
from redfish_emulator import Bmc
first, second = (Bmc(place=(address, 80)) for address in ("192.0.2.101", "192.0.2.102"))
first.on = True
while not threading.Event().wait(0.2):
    rows = [row[:2] for bmc in (first, second) for row in bmc.history if row[0] not in ("GET", "HEAD") and "/Sessions" not in row[1]]
    with open("orders", "w", encoding="utf-8") as file:
        file.writelines(f"{row}\n" for row in rows)
E2
nsenter -t "$machine" -n "$python" -B bmcs.py "$root/tests/peers/bootstrap" > bmcs.log 2>&1 &
bmcs=$!
mkdir tutorial && cp tree/root/stackrc tutorial/openrc
truncate -s 8M tutorial/site.raw && echo disk | dd of=tutorial/site.raw conv=notrunc status=none
echo kernel > tutorial/site.kernel && echo ramdisk > tutorial/site.ramdisk
(cd tutorial && PATH=$(dirname "$HEARTH"):$PATH nsenter -t "$machine" -n timeout 900 "$python" -B "$here/followed.py" "$root/docs/tutorials/from-a-seed-to-openstack.md" 3. 4. 5. 6. 7.) \
    > followed 2>&1 || fail "the tutorial: $(cat followed bmcs.log)"
sleep 0.5
[ -f orders ] && [ ! -s orders ] || fail "the BMCs got orders: $(cat orders)"
kill "$bmcs"

echo "the clients"
as_admin 'openstack token issue -f value -c id' | grep -q . || fail "no token"
as_admin 'openstack service list -f value -c Name' | sort | tr '\n' ' ' > services
[ "$(cat services)" = 'glance heat heat-cfn ironic keystone ' ] || fail "services: $(cat services)"
as_admin 'openstack catalog show baremetal' > catalog || fail "no catalog"
expect_text catalog 'public: http://192.0.2.1:6385'
# (What "image create" prints of the status is from before the upload.)
as_admin 'openstack image create --disk-format raw --container-format bare --file /etc/hostname tiny > /dev/null &&
    openstack image show -f value -c status tiny' > image || true
expect_text image active
as_admin 'openstack baremetal node create --driver ipmi --name n1 --driver-info ipmi_address=192.0.2.100 -f value -c provision_state' > node || true
expect_text node enroll
printf 'heat_template_version: 2021-04-16\nresources:\n  secret: {type: OS::Heat::RandomString}\n  signal: {type: OS::Heat::WaitConditionHandle}\n' > tree/root/stack.yaml
as_admin 'openstack stack create -t /root/stack.yaml --wait -f value -c stack_status first' > stack 2>&1 || true
expect_text stack CREATE_COMPLETE

echo "a second run changes nothing"
before=$(started)$(rows)
touch mark
refresh
[ "$(started)$(rows)" = "$before" ] || fail "a second run changes: $before / $(started)$(rows)"
[ -z "$(find tree/etc tree/root -type f -newer mark)" ] || fail "a second run writes $(find tree/etc tree/root -type f -newer mark | tr '\n' ' ')"

echo "changed values"
python3 - tree/var/lib/heat-cfntools/cfn-init-data <<'E2'
import json, sys
metadata = json.load(open(sys.argv[1]))
metadata["keystone"]["debug"] = True
metadata["ironic"]["db"] = metadata["ironic"]["db"].replace("@", "x@")
for key, name in ((metadata, "admin-password"), (metadata["glance"], "service-password"), (metadata["rabbit"], "password")):
    key[name] += "x"
json.dump(metadata, open(sys.argv[1], "w"))
E2
cp tree/var/lib/heat-cfntools/cfn-init-data tree/root/baked
agent_done 600 || exit 1
grep -qx 'debug = true' tree/etc/keystone/keystone.conf || fail "keystone does not follow"
as_admin 'openstack image list -f value -c Name' > images || true
expect_text images tiny
as_admin 'openstack baremetal node list -f value -c Name' > nodes || true
expect_text nodes n1
as_admin 'openstack stack create -t /root/stack.yaml --wait -f value -c stack_status second' > stack 2>&1 || true
expect_text stack CREATE_COMPLETE

echo "an administrator with another password, and no keystone"
as_admin 'openstack user set --password another admin' || fail "no other password"
refresh
expect_text refresh 'the administrator has the password of the metadata again'
as_admin 'openstack token issue -f value -c id' | grep -q . || fail "the administrator is not let in"
inside systemctl stop keystone.service
inside env OS_CONFIG_FILES=/var/lib/os-collect-config/heat_local.json openstack-register --role x > said 2>&1 && fail "a role without keystone"
expect_text said 'openstack-register: keystone at http://192.0.2.1:5000/v3 (keystone.host)'
[ "$(wc -l < said)" -le 2 ] || fail "a traceback: $(cat said)"
inside systemctl start keystone.service

echo "a service that does not come up"
inside bash -c 'echo "[broken" > /etc/glance/glance-api.conf; openstack-service glance-api.service:9292 /etc/glance/glance-api.conf' > broken 2>&1 &&
    fail "glance runs with a broken file"
expect_text broken 'glance-api.service does not come up on port 9292. Its last words:' 'glance-api.conf'
refresh

echo "databases that are there"
tables() { inside mariadb -N -e "SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = '$1'"; }
# Tables that a run which was cut off made in part are made anew …
inside bash -c 'cp /usr/share/openstack-schema/ironic.sql.gz /usr/share/openstack-schema/half.sql.gz
    mariadb -e "CREATE DATABASE half; CREATE TABLE half.hearth_tables_begun (id INT); CREATE TABLE half.nodes (id INT)"
    echo "{\"half\": {\"db\": \"mysql+pymysql://half:pw@192.0.2.1/half\"}}" > /root/half.json
    OS_CONFIG_FILES=/root/half.json openstack-database half.db ironic-common false' > half 2>&1 || fail "half a database: $(cat half)"
[ "$(tables half)" = "$(tables ironic)" ] || fail "half a database has $(tables half) tables, not $(tables ironic)"
# … and with what was done forgotten, nothing that is in the databases is lost.
before=$(rows)
rm -r tree/var/lib/openstack-service
refresh
[ "$(rows)" = "$before" ] || fail "first steps again lose or add something: $before / $(rows)"

echo "a reboot"
stop
boot
for ((try = 0; try < 300; try++)); do
    as_admin 'openstack stack list -f value -c "Stack Name"' > stacks 2> /dev/null && break
    sleep 1
done
expect_text stacks first second
as_admin 'openstack baremetal node list -f value -c Name' > nodes || true
expect_text nodes n1
finish
