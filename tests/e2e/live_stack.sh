#!/bin/bash
# examples/live-stack up to the images: its templates are compiled to metadata, every template of the images' elements renders with
# them, what is missing is named, and nothing that is a site's or a machine's comes from the elements.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
root=$(cd "$here/../.." && pwd)
export ELEMENTS_PATH='' DIB_RELEASE=bookworm
cp "$root"/examples/live-stack/*.{yaml,json} .

compile() { # ENVIRONMENT OUTPUT [OPTION…]
    "$HEARTH" metadata compile --strict -t live-stack.yaml -e "$1.yaml" --inventory inventory.json -n live -o "$2" "${@:3}" > compile.log 2>&1 ||
        fail "$1.yaml does not compile: $(cat compile.log)"
}
# value FILE KEY…: a value of a machine's metadata.
value() {
    python3 -c 'import functools, json, sys
print(functools.reduce(lambda v, k: v.get(k, "-"), sys.argv[2:], json.load(open(sys.argv[1]))))' "$@"
}

# The tutorial's first steps, word for word.
PATH=$(dirname "$HEARTH"):$PATH python3 -B "$here/followed.py" "$root/docs/tutorials/from-a-seed-to-openstack.md" 1. > said 2>&1 || fail "the tutorial: $(cat said)"
rm -rf compiled

# Without the inventory the machines' own metadata wait, and --strict says so.
"$HEARTH" metadata compile --strict -t live-stack.yaml -e one.yaml -n live -o nowhere > said 2>&1 && fail "--strict takes metadata that wait"
expect_text said 'Controller.metadata waits for ControllerPort.fixed_ips'
compile split compiled
"$HEARTH" seed simulate images-split.yaml > said 2>&1 || fail "the machines of split.yaml: $(cat said)"
expect_text said 'controller: ' 'conductor: ' 'templates render with'
controller=compiled/servers/Controller/metadata.json conductor=compiled/servers/Conductor/metadata.json
[ "$(value $controller ironic db)" = - ] || fail "the controller runs ironic, too"
[ "$(value $conductor keystone db)" = - ] || fail "the conductor runs keystone, too"
[ "$(value $conductor endpoints baremetal)" = http://192.0.2.2:6385 ] || fail "ironic is elsewhere: $(value $conductor endpoints)"
grep -qF "$(value $conductor ironic db)" <<<"$(value $controller mysql databases)" || fail "nobody makes the conductor's database"
[ "$(value $conductor rabbit password)" = "$(value $controller rabbit password)" ] || fail "two passwords of one queue"

rm -rf compiled
compile one compiled
"$HEARTH" seed simulate images.yaml > said 2>&1 || fail "the machine of one.yaml: $(cat said)"
[ "$(value $controller ironic db)" != - ] || fail "nobody runs ironic"
# An agent that fails without a word about templates has not rendered them.
printf '#!/bin/sh\necho no such option >&2\nexit 2\n' > old-agent
chmod +x old-agent
HEARTH_AGENT_BINARY=$PWD/old-agent "$HEARTH" seed simulate images.yaml > said 2>&1 && fail "nobody rendered, and nobody says so"
expect_text said 'exit code 2' 'no such option' 'while rendering the templates of image' 'HEARTH_AGENT_BINARY'
# Another site has other secrets, each of them; the same site the same.
compile one again
cmp -s $controller again/servers/Controller/metadata.json || fail "the same site has other secrets"
compile one other --seed-file other-seed
for key in admin-password 'rabbit password' 'keystone db' 'glance db' 'glance service-password' 'heat db' 'heat admin_password' \
    'heat stack_domain_admin_password' 'heat auth_encryption_key' 'ironic db' 'ironic service-password'; do
    # shellcheck disable=SC2086 # a path of words
    [ "$(value $controller $key)" != "$(value other/servers/Controller/metadata.json $key)" ] || fail "two sites have the same $key"
done

# What is missing is named: template, line, key. All at once, and what compiled metadata wait for.
cp $controller whole.json
python3 - whole.json $controller <<'E2'
import json, sys
metadata = json.load(open(sys.argv[1]))
del metadata["heat"]["auth_encryption_key"], metadata["rabbit"]["password"]
metadata["endpoints"]["image"] = {"hearth::waiting": ["ControllerPort.fixed_ips"]}
json.dump(metadata, open(sys.argv[2], "w"))
E2
"$HEARTH" seed simulate images.yaml > said 2>&1 && fail "what is missing is not missed"
line=$(grep -n '{{heat.auth_encryption_key}}' "$root/elements/heat/os-apply-config/etc/heat/heat.conf" | cut -d: -f1)
expect_text said "heat/os-apply-config/etc/heat/heat.conf:$line: the metadata have no heat.auth_encryption_key" \
    'rabbitmq/os-apply-config/etc/rabbitmq/rabbitmq.conf:5: the metadata have no rabbit.password' \
    'endpoints.image waits for ControllerPort.fixed_ips'
printf -- '- imagename: bare\n  elements: [debian-minimal, keystone]\n' > bare.yaml
"$HEARTH" seed simulate bare.yaml > said 2>&1 && fail "an image without metadata is simulated"
expect_text said 'image bare has no metadata'

# Elements hold no password and no key: what templates write for such an option comes from the metadata.
options='^[a-z_]*(password|passwd|secret|_key|token|default_pass)[a-z_]*[[:space:]]*='
for element in openstack-base mariadb rabbitmq keystone glance heat ironic boot-stack-openstack; do
    grep -rniE "$options" "$root/elements/$element/os-apply-config" 2> /dev/null | grep -vE '=[[:space:]]*\{\{' | grep -v 'service_token_roles_required' &&
        fail "a secret in $element?"
    ! grep -rqE 'BEGIN [A-Z ]*PRIVATE KEY' "$root/elements/$element" || fail "a key in $element"
done
# "false", as a text, is not true.
python3 - whole.json asked.json <<'E2'
import json, sys
metadata = json.load(open(sys.argv[1]))
metadata["ironic"]["automated_clean"] = metadata["ironic"]["debug"] = "false"
json.dump(metadata, open(sys.argv[2], "w"))
E2
mkdir -p asked/etc/ironic && cp "$root/elements/ironic/os-apply-config/etc/ironic/ironic.conf" asked/etc/ironic/
"$(dirname "$HEARTH")/../agent/hearth-agent" os-apply-config -m asked.json -t asked -o rendered > said 2>&1 ||
    fail "ironic.conf: $(cat said)"
[ "$(grep -cxE '(debug|automated_clean) = false' rendered/etc/ironic/ironic.conf)" = 2 ] || fail "false became $(grep -E '^(debug|automated_clean)' rendered/etc/ironic/ironic.conf)"

# The steps' programs, in a file system of their own, with stand-ins for what they call.
mkdir stand-ins && cd stand-ins
printf '#!/bin/bash\n[ "$1" != --key ] || python3 -c "import json, sys; print(json.load(open(\\"/etc/metadata\\")).get(sys.argv[1], \\"\\"))" "$2"\n' > os-apply-config
printf '#!/bin/bash\necho "systemctl $*" >> /var/lib/called\n' > systemctl
printf '#!/bin/bash\nfor word; do [[ $word != --datadir=* ]] || mkdir -p "${word#*=}"/{mysql,performance_schema,sys}; done\ntouch /var/lib/mysql/.fresh/{performance_schema,sys}/x\n' > mariadb-install-db
printf '#!/bin/bash\n[[ $1 != */sys || ! -e /etc/cut ]] || exit 9\nexec /bin/mv "$@"\n' > ./mv
printf '#!/bin/bash\ncat > /var/lib/asked\nprintf "%%s\\n" "$*" >> /var/lib/called\n[[ "$*" != *"SELECT 1"* || -e /var/lib/let-in ]] || exit 1\n! grep -q ALTER /var/lib/asked || touch /var/lib/let-in\n' > mariadb
printf '#!/bin/bash\necho "rabbitmqctl $*" >> /var/lib/called\ncase $2 in\nauthenticate_user) exit 1 ;;\nlist_users) printf "user\\ttags\\nold\\t[]\\nperson\\t[]\\n" ;;\nesac\n' > rabbitmqctl
printf '#!/bin/bash\necho "openstack-service $1 $(cat -- "${@:2}" | sha256sum)" >> /var/lib/called\n' > openstack-service
mkdir others && mv openstack-service others
printf '#!/bin/bash\n[ "$2" = db.example ] && echo 203.0.113.7 STREAM || echo "$2 STREAM"\n' > getent
printf '#!/bin/bash\n[ "$4" = 203.0.113.7 ] && echo "203.0.113.7 via 192.0.2.254 dev eth0" || echo "local $4 dev lo"\n' > ip
chmod +x -- * others/*
cd ..
cat > steps.sh <<STEPS
set -eu
mount -t tmpfs none /etc && mount -t tmpfs none /var/lib
export PATH=$PWD/stand-ins:$root/elements/openstack-base/static/usr/local/sbin:\$PATH
mkdir -p /etc/mysql/mariadb.conf.d /var/lib/mysql /var/lib/openstack-service
echo x > /etc/mysql/mariadb.conf.d/90-metadata.cnf
# A data directory that was cut off on its way is made anew, and nobody's that was there.
touch /etc/cut
echo '{"plain": "a.b_c~d-1", "odd": "pa\$word", "x.db": "mysql+pymysql://u:pw@192.0.2.1/x"}' > /etc/metadata
bash $root/elements/mariadb/os-refresh-config/post-configure.d/10-mariadb > /dev/null 2>&1 && echo "a cut is not noticed"
rm /etc/cut
: > /var/lib/openstack-service/mariadb.service
(timeout 20 bash $root/elements/mariadb/os-refresh-config/post-configure.d/10-mariadb || true) > /var/lib/said 2>&1
[ -d /var/lib/mysql/mysql ] && [ ! -e /var/lib/mysql/.moving ] || { echo "after a cut: "; cat /var/lib/said; }
rm -r /var/lib/mysql/mysql
bash $root/elements/mariadb/os-refresh-config/post-configure.d/10-mariadb > /var/lib/said 2>&1 && echo "others' directories are taken"
[ -e /var/lib/mysql/sys/x ] || echo "others' directories are gone"
# What metadata no longer have does not go on.
rm -f /var/lib/called /etc/mysql/mariadb.conf.d/90-metadata.cnf
bash $root/elements/mariadb/os-refresh-config/post-configure.d/10-mariadb > /dev/null
grep -q 'disable --now mariadb.service' /var/lib/called || echo "MariaDB goes on"
rm -f /var/lib/called
bash $root/elements/mariadb/os-refresh-config/post-configure.d/10-mariadb > /dev/null
[ ! -e /var/lib/called ] || echo "what was never started is ended"
openstack-plain plain || echo "a plain password is refused"
openstack-plain plain odd > /var/lib/said 2>&1 && echo "an odd password is taken"
grep -q "the metadata's odd has characters" /var/lib/said && ! grep -q pa /var/lib/said || cat /var/lib/said
# A new password is in no command line.
openstack-database x.db > /var/lib/said 2>&1 || cat /var/lib/said
grep -q 'has another password now' /var/lib/said && ! grep -q ALTER /var/lib/called || cat /var/lib/called
# A database elsewhere is not made here, whatever runs here.
rm -f /var/lib/let-in /var/lib/called
echo '{"x.db": "mysql+pymysql://u:pw@db.example/x", "six.db": "mysql+pymysql://u:pw@[2001:db8::1]:3307/x", "bare.db": "mysql+pymysql://u:pw@2001:db8::1/x"}' > /etc/metadata
openstack-database x.db > /var/lib/said 2>&1 && echo "who is not let in elsewhere is let in"
grep -q 'the database x on db.example does not let u in' /var/lib/said && ! grep -q -e --protocol=socket /var/lib/called || cat /var/lib/said /var/lib/called
openstack-database six.db > /var/lib/said 2>&1 || cat /var/lib/said
openstack-database bare.db > /var/lib/said 2>&1 && echo "IPv6 without brackets is taken"
grep -q 'IPv6 in brackets' /var/lib/said || cat /var/lib/said
# Another user of the queue is another user, and the former is let in no more; nothing is started again for a password.
export PATH=$PWD/stand-ins/others:\$PATH
mkdir -p /etc/rabbitmq && printf 'listeners.tcp.default = 5672\ndefault_user = old\ndefault_pass = pw\n' > /etc/rabbitmq/rabbitmq.conf
echo '{"rabbit.username": "old", "rabbit.password": "pw"}' > /etc/metadata
bash $root/elements/rabbitmq/os-refresh-config/post-configure.d/10-rabbitmq > /dev/null
printf 'listeners.tcp.default = 5672\ndefault_user = new\ndefault_pass = pw2\n' > /etc/rabbitmq/rabbitmq.conf
echo '{"rabbit.username": "new", "rabbit.password": "pw2"}' > /etc/metadata
bash $root/elements/rabbitmq/os-refresh-config/post-configure.d/10-rabbitmq > /var/lib/said
grep -q 'the user old of RabbitMQ is let in no more' /var/lib/said && grep -qx 'rabbitmqctl -q delete_user old' /var/lib/called || cat /var/lib/said /var/lib/called
! grep -q 'delete_user person' /var/lib/called || echo "a user that people have made is gone"
[ "\$(grep openstack-service /var/lib/called | sort -u | wc -l)" = 1 ] || echo "the broker is started again for a password"
: > /var/lib/called
bash $root/elements/rabbitmq/os-refresh-config/post-configure.d/10-rabbitmq > /dev/null
! grep -q rabbitmqctl /var/lib/called || echo "the same again asks RabbitMQ"
STEPS
unshare -rm bash steps.sh > said 2>&1 || fail "the steps: $(cat said)"
[ ! -s said ] || fail "the steps: $(cat said)"
finish
