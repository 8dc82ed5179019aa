#!/bin/bash
# Layers shared through nginx's WebDAV by machines that have nothing else in common: taken over and checked, read-only,
# damaged, refused, full, dead and silent servers. Whatever the server does, the build ends well, with the same bytes.
# shellcheck source-path=SCRIPTDIR source=../../e2e/lib.sh
. "$(dirname "$0")/../../e2e/lib.sh"
nginx=$(command -v nginx || command -v /usr/sbin/nginx) || { echo "SKIPPED: nginx is not installed"; exit 77; }
"$nginx" -V 2>&1 | grep -q http_dav_module || { echo "SKIPPED: this nginx has no WebDAV"; exit 77; }
export SOURCE_DATE_EPOCH=1700000000 HEARTH_LAYER_WORTH=0
export ELEMENTS_PATH=$work/elements:$here/elements
mkdir -p elements/shared/{extra-data.d,install.d} served/dav nginx
cat > elements/shared/extra-data.d/10-data <<'HOOK'
#!/bin/bash
set -eu
seq 200000 > "$TMP_MOUNT_PATH/etc/data"
HOOK
printf '#!/bin/bash\nset -eu\nmkdir /opt; echo one > /opt/last\n' > elements/shared/install.d/20-last
chmod 0755 elements/shared/*/*

user=''
[ "$(id -u)" != 0 ] || user='user root;'
# serve PORT DIRECTIVES: nginx on loopback; its pid in nginx.pid.
serve() {
    cat > nginx/conf <<CONF
$user daemon on; pid $work/nginx/pid; error_log $work/nginx/error.log;
events {}
http {
    access_log $work/nginx/access.log; client_body_temp_path $work/nginx/body; client_max_body_size 0;
    server { listen 127.0.0.1:$1; root $work/served; location /dav/ { $2 } }
}
CONF
    "$nginx" -p "$work/nginx" -c "$work/nginx/conf" 2> nginx/start.log
}
# Waits until the port is free again, for another one.
stop() {
    local pid
    pid=$(cat nginx/pid)
    kill -TERM "$pid"
    for _ in $(seq 200); do
        kill -0 "$pid" 2> /dev/null || return 0
        sleep 0.05
    done
    fail "nginx does not end"
}
clean_up() {
    [ ! -f nginx/pid ] || kill -TERM "$(cat nginx/pid)" 2> /dev/null || true
    rm -rf "$work"
}
trap clean_up EXIT
port=''
for attempt in $(seq 20); do
    port=$((20000 + (RANDOM + attempt) % 20000))
    serve "$port" 'dav_methods PUT; create_full_put_path on;' && break
    port=''
done
[ -n "$port" ] || { echo "SKIPPED: nginx does not start: $(cat nginx/start.log)"; exit 77; }
url=http://127.0.0.1:$port/dav
openssl genpkey -algorithm ed25519 -out site.pem 2> /dev/null
openssl pkey -in site.pem -pubout -out site.pub
export HEARTH_REMOTE_CACHE_KEY=$work/site.pem

# build MACHINE OPTION…: as on a machine that has only its own cache.
build() {
    local machine=$1
    shift
    mkdir -p "$machine"
    (cd "$machine" && DIB_IMAGE_CACHE=$work/$machine/cache "$HEARTH" image create -n -t tar -o image "$@" tiny-os shared \
        > out 2>&1 < /dev/null) || fail "the build of $machine fails: $(cat "$machine/out")"
}
# taken MACHINE: how many steps of its build came from layers.
taken() { "$HEARTH" image why "$1/image" | sed -n 's/^\([0-9]*\) steps\? .*/\1/p'; }
same() { cmp "$1/image.tar" clean/image.tar || fail "$1: not what a clean build makes"; }

build clean --no-cache
build first --remote-cache "$url"
same first
blobs=$(find served/dav/cas -type f | wc -l)
[ "$blobs" -ge 2 ] || fail "only $blobs archives were uploaded: $(cat first/out)"
for blob in served/dav/cas/*; do
    [ "$(sha256sum < "$blob" | cut -d' ' -f1)" = "${blob##*/}" ] || fail "$blob has other bytes than its name says"
done

build second --remote-cache "$url"
same second
[ "$(taken second)" -ge 2 ] || fail "nothing came from the remote cache: $(cat second/out)"
expect_text second/out "came from the remote cache"
puts=$(grep -c '"PUT ' nginx/access.log)

# What one machine changes the next one has; read-only, it keeps it for itself.
sed -i s/one/two/ elements/shared/install.d/20-last
build clean --no-cache
build reader --remote-cache "$url" --remote-cache-read-only
same reader
[ "$(grep -c '"PUT ' nginx/access.log)" = "$puts" ] || fail "a read-only build uploads"
HEARTH_REMOTE_CACHE=$url build second
[ "$(grep -c '"PUT ' nginx/access.log)" -gt "$puts" ] || fail "the changed layer is not uploaded"
build third --remote-cache "$url"
same third
[ "$(taken third)" -gt "$(taken reader)" ] || fail "the changed layer does not come from the remote cache"

# What nobody asked for in a month goes, by the command that nginx's configuration names; who has it hands it in again, though its
# record, which all builds ask for, is still there.
"$HEARTH" cache export --nginx | sed -n 's/^#   find "[^"]*" /find served\/dav /p' > prune
[ -s prune ] || fail "the configuration says nothing of pruning"
age() { find served/dav/"$1" -type f -exec touch -a -d '40 days ago' {} +; }
all_served() {  # MACHINE: the layers of its build
    jq -r '.layers[]' "$1/image.d/steps.json" | (cd served/dav/cas && xargs ls > /dev/null 2>&1)
}
date > probe && touch -a -d '40 days ago' probe && cat probe > /dev/null
if [ "$(find probe -atime -30)" ]; then
    before=$(find served/dav/cas -type f | wc -l)
    age .
    build reading --remote-cache "$url" --remote-cache-read-only
    sh prune
    all_served reading || fail "layers that were asked for are pruned"
    [ "$(find served/dav/cas -type f | wc -l)" -lt "$before" ] || fail "layers that nobody asked for stay"
else
    echo "NOT TRIED: this file system keeps no times of access"
fi
age cas
sh prune
[ -z "$(ls served/dav/cas)" ] || fail "layers that nobody asked for stay: $(ls served/dav/cas)"
rm third/image.tar
build third --remote-cache "$url"
all_served third || fail "what the server has dropped is not handed in again: $(cat third/out)"
build again --remote-cache "$url"
[ "$(taken again)" = "$(taken third)" ] || fail "not all of it is taken then: $(cat again/out)"

# A password is for the variable; nothing of it is beside the image or seen by hooks.
HEARTH_REMOTE_CACHE=http://someone:very-secret@127.0.0.1:$port/dav build secret
same secret
! grep -rqF very-secret secret/image.d secret/out || fail "the password is kept beside the image"
! (cd secret && "$HEARTH" image create -n -t tar -o image --remote-cache "http://a:b@127.0.0.1:$port/" tiny-os > refused 2>&1) ||
    fail "a password on the command line is accepted"

# Another's key, and none: nothing is believed, and what the site signed stays.
openssl genpkey -algorithm ed25519 -out other.pem 2> /dev/null
HEARTH_REMOTE_CACHE_KEY=$work/other.pem build stranger --remote-cache "$url" --remote-cache-read-only
same stranger
[ "$(taken stranger)" = 0 ] || fail "layers that nobody trusted signed were taken"
expect_text stranger/out "not used"
! (cd secret && HEARTH_REMOTE_CACHE_KEY='' "$HEARTH" image create -n -t tar -o image --remote-cache "$url" tiny-os > refused 2>&1) ||
    fail "unsigned records are believed without a word"
expect_text secret/refused "--remote-cache-key" "--remote-cache-insecure"
HEARTH_REMOTE_CACHE_KEY='' build careless --remote-cache "$url" --remote-cache-insecure --remote-cache-read-only
same careless
[ "$(taken careless)" -ge 2 ] || fail "--remote-cache-insecure does not take what is there"
puts=$(grep -c '"PUT ' nginx/access.log)
rm -rf cold
HEARTH_REMOTE_CACHE_KEY=$work/site.pub build cold --remote-cache "$url"
same cold
[ "$(taken cold)" -ge 2 ] || fail "the public half does not do for reading"
[ "$(grep -c '"PUT ' nginx/access.log)" = "$puts" ] || fail "a builder without a private key uploads"

# Damage: other bytes, no bytes, a record that is none.
for blob in served/dav/cas/*; do printf 'x' | dd of="$blob" bs=1 seek=20 conv=notrunc status=none; done
build damaged --remote-cache "$url"
same damaged
expect_text damaged/out "other bytes"
rm -r served/dav/cas
build emptied --remote-cache "$url"
same emptied
for record in served/dav/ac/*; do echo '<html>' > "$record"; done
build garbage --remote-cache "$url"
same garbage

# A server that refuses, one that is not there, and one that accepts and says nothing.
stop
serve "$port" 'return 403;'
build refused --remote-cache "$url"
same refused
expect_text refused/out "is not used any more" "403"
stop
build dead --remote-cache "$url"
same dead
expect_text dead/out "is not used any more"
python3 -c '
import socket, sys, time
server = socket.create_server(("127.0.0.1", int(sys.argv[1])), reuse_port=True)
print("ready", flush=True)
held = []
while True: held.append(server.accept())' "$port" > silent.out &
silent=$!
for _ in $(seq 200); do [ ! -s silent.out ] || break; sleep 0.05; done
began=$SECONDS
build silent --remote-cache "$url"
same silent
[ $((SECONDS - began)) -lt 90 ] || fail "a silent server holds the build up for $((SECONDS - began)) s"
expect_text silent/out "is not used any more"
kill "$silent"
finish
