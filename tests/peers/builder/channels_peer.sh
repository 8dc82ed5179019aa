#!/bin/bash
# Images in channels, in a directory, on nginx's WebDAV and in docker-registry, by password and by token: published with their
# evidence, promoted without an upload, taken by fetch, bundle and boot; whatever is older, altered, cut short, of another key or
# expired is refused by name and changes nothing; who is killed in the middle has published all of it or nothing.
# shellcheck source-path=SCRIPTDIR source=../../e2e/lib.sh
. "$(dirname "$0")/../../e2e/lib.sh"
nginx=$(command -v nginx || command -v /usr/sbin/nginx) || { echo "SKIPPED: nginx is not installed"; exit 77; }
"$nginx" -V 2>&1 | grep -q http_dav_module || { echo "SKIPPED: this nginx has no WebDAV"; exit 77; }
for program in docker-registry htpasswd; do
    command -v "$program" > /dev/null || { echo "SKIPPED: $program is not installed"; exit 77; }
done
export SOURCE_DATE_EPOCH=1700000000 DIB_IMAGE_CACHE=$work/cache XDG_STATE_HOME=$work/state
mkdir -p served/dav nginx registry
for name in site other; do
    openssl genpkey -algorithm ed25519 -out $name.pem 2> /dev/null
    openssl pkey -in $name.pem -pubout -out $name.pub
done
started=()
clean_up() {
    kill "${started[@]}" 2> /dev/null || true
    [ ! -f nginx/pid ] || kill -TERM "$(cat nginx/pid)" 2> /dev/null || true
    wait
    rm -rf "$work"
}
trap clean_up EXIT
user=''
[ "$(id -u)" != 0 ] || user='user root;'
free_port() { while :; do port=$((20000 + RANDOM % 12000)); (: < "/dev/tcp/127.0.0.1/$port") 2> /dev/null || return 0; done; }
free_port; web_port=$port
cat > nginx/conf <<CONF
$user daemon on; pid $work/nginx/pid; error_log $work/nginx/error.log;
events {}
http {
    access_log $work/nginx/access.log; client_body_temp_path $work/nginx/body; client_max_body_size 0;
    server { listen 127.0.0.1:$web_port; root $work/served; location /dav/ { dav_methods PUT MKCOL; } }
}
CONF
"$nginx" -p "$work/nginx" -c "$work/nginx/conf" 2> nginx/start.log || { echo "SKIPPED: nginx does not start: $(cat nginx/start.log)"; exit 77; }
free_port; registry_port=$port
htpasswd -Bbn anna 'pass:w%20rd' > registry/users
cat > registry/config.yml <<CONF
version: 0.1
log: {level: error}
storage: {filesystem: {rootdirectory: $work/registry/data}}
http: {addr: "127.0.0.1:$registry_port"}
auth: {htpasswd: {realm: test, path: $work/registry/users}}
CONF
docker-registry serve registry/config.yml > registry/log 2>&1 &
started+=($!)
# A registry that asks for tokens of another server.
free_port; token_port=$port
free_port; tokens_registry_port=$port
openssl req -x509 -newkey rsa:2048 -nodes -subj /CN=site -days 2 -keyout token.pem -out token.crt 2> /dev/null
"$(dirname "$here")/peers/builder/token_server.py" "$token_port" token.pem token.crt 2> tokens.log &
started+=($!)
sed -e "s|/data|/tokens|; s|$registry_port|$tokens_registry_port|; /^auth/d" registry/config.yml > registry/tokens.yml
echo "auth: {token: {realm: 'http://127.0.0.1:$token_port/token', service: images, issuer: site, rootcertbundle: $work/token.crt}}" >> registry/tokens.yml
docker-registry serve registry/tokens.yml > registry/tokens.log 2>&1 &
started+=($!)
for port in "$registry_port" "$token_port" "$tokens_registry_port"; do
    for _ in $(seq 100); do (: < "/dev/tcp/127.0.0.1/$port") 2> /dev/null && break; sleep 0.1; done
done
mkdir -p "$HOME/.docker"
log_in() {
    jq -n --arg word "$(printf '%s' 'anna:pass:w%20rd' | base64)" '{auths: ($ARGS.positional | map({(.): {auth: $word}}) | add)}' \
        --args "127.0.0.1:$registry_port" "127.0.0.1:$tokens_registry_port" > "$HOME/.docker/config.json"
}
log_in

# Three builds of one image, each with its evidence; the versions are not in the order of letters.
for version in 1.2 1.9 1.10; do
    mkdir "v$version"
    "$HEARTH" image create --image-version "$version" --sign-key site.pem -n -t tar \
        -o "v$version/web" tiny-os < /dev/null > out 2>&1 || fail "image create: $(cat out)"
    head -c 20000000 /dev/urandom > "v$version/big.raw"
done
publish() { "$HEARTH" image publish --sign site.pem --to "$place" "$@" > out 2>&1; }
list() { "$HEARTH" image channel list --key site.pub --from "$place" > out 2>&1; }
promote() { "$HEARTH" image channel promote --sign site.pem --from "$place" "$@" > out 2>&1; }
# fetch DIR ARGUMENT…
fetch() { local to=$1; shift; "${before_it[@]}" "$HEARTH" image channel fetch --from "$place" --key "${key:-site.pub}" -o "$to" "$@" > out 2>&1; }
before_it=()
# refused WHAT TEXT COMMAND…: it fails, says so, and what was fetched before is as it was.
refused() {
    local what=$1 text=$2
    shift 2
    mkdir -p taken
    find taken -type f -exec sha256sum {} + 2> /dev/null | sort > before
    "$@" && fail "$place: $what is taken"
    expect_text out "$text"
    find taken -type f -exec sha256sum {} + 2> /dev/null | sort | cmp -s - before || fail "$place: $what has changed something"
}
# A user who has seen nothing.
forget() { rm -rf "$work/state" "$work/taken"; }

everywhere() {
    forget
    publish --channel candidate v1.9/web.tar || fail "$place: publish: $(cat out)"
    refused "an older one" "version 1.2 is older than 1.9" publish --channel candidate v1.2/web.tar
    publish --channel candidate v1.10/web.tar || fail "$place: the next one: $(cat out)"
    promote web@candidate stable || fail "$place: promote: $(cat out)"
    grep -qE 'web\.(tar|d)' out || expect_text out "web@stable: 1.10"
    list || fail "$place: list: $(cat out)"
    [ "$(grep -cE '^web@(candidate|stable) +1\.10 .* signed$' out)" = 2 ] || fail "$place: list: $(cat out)"
    fetch taken web@stable || fail "$place: fetch: $(cat out)"
    cmp taken/web.tar v1.10/web.tar || fail "$place: other bytes"
    "$HEARTH" image verify taken/web.tar --key site.pub > out 2>&1 || fail "$place: what was fetched is not good: $(cat out)"
    key=other.pub refused "another key's" "signed by another key" fetch taken web@stable
    refused "what is not there" "there is no web@beta" fetch taken web@beta
    refused "another key's promotion" "signed by another key" promote --sign other.pem web@candidate stable
    publish --without-evidence --channel large v1.10/big.raw && rm -rf large && fetch large big@large && cmp large/big.raw v1.10/big.raw ||
        fail "$place: a large file: $(cat out)"
    # A step back needs a word, and is none to who follows.
    publish --channel stable --older v1.9/web.tar || fail "$place: --older: $(cat out)"
    fetch taken web@stable || fail "$place: a step back that was published is refused: $(cat out)"
    cmp taken/web.tar v1.9/web.tar || fail "$place: not what was stepped back to"
    promote web@candidate stable || fail "$place: forward again: $(cat out)"
    promote --expires 1 web@stable stable || fail "$place: renewed: $(cat out)"
    fetch taken web@stable || fail "$place: $(cat out)"
}
place=$work/published; everywhere
place=http://127.0.0.1:$web_port/dav/images; everywhere
[ "$(grep -c 'PUT /dav/images/blobs' nginx/access.log)" = "$(find served/dav/images/blobs -type f | wc -l)" ] ||
    fail "something was uploaded twice: $(grep PUT nginx/access.log)"
place=oci://127.0.0.1:$tokens_registry_port/site/images; everywhere
place=oci://127.0.0.1:$registry_port/site/images; everywhere
printf '{}' > "$HOME/.docker/config.json"
for port in "$registry_port" "$tokens_registry_port"; do
    "$HEARTH" image channel list --from "oci://127.0.0.1:$port/site/images" > out 2>&1 && fail "a registry that wants a password was read without"
    expect_text out "is answered by 401"
done

# What a server may do that has been taken over: a directory's files are at hand.
place=$work/published
pointer=published/channels/web/stable.json
cp "$pointer" now
cp taken/web.tar was
blob=published/blobs/sha256/$(sha256sum < taken/web.tar | cut -d' ' -f1)
head -c 300 now > "$pointer"; refused "half a channel" "web@stable: $work/published is refused" fetch taken web@stable
cp published/channels/web/candidate.json "$pointer"; refused "another channel" "it is about web@candidate" fetch taken web@stable
jq -c '.payload = (.payload | @base64d | sub("\"serial\":\\d"; "\"serial\":9") | @base64)' now > "$pointer"
refused "an altered one" "its signature does not hold" fetch taken web@stable
cp now "$pointer"
publish --channel stable --expires 1 v1.10/web.tar || fail "publish: $(cat out)"
fetch taken web@stable || fail "fetch: $(cat out)"
cp "$pointer" newest; cp now "$pointer"
refused "an older one that is served" "a newer one was seen" fetch taken web@stable
fetch taken --older web@stable || fail "--older: $(cat out)"
cp newest "$pointer"
if command -v faketime > /dev/null; then
    before_it=(faketime '+2 days')
    refused "an expired one" "it has expired" fetch taken web@stable
    key=site.pub "${before_it[@]}" "$HEARTH" image channel promote --sign site.pem --from "$place" --expires 5 web@stable stable > out 2>&1 ||
        fail "an expired one is not renewed: $(cat out)"
    fetch taken web@stable || fail "a renewed one is refused: $(cat out)"
    before_it=()
else
    echo "SKIPPED: part: faketime is not installed: nothing expires"
fi
cp "$blob" whole; rm -rf taken; mkdir taken; echo mine > taken/web.tar
head -c 1000 whole > "$blob"; refused "a file that is cut short" "cut short: 1000 of" fetch taken web@stable
{ head -c -1 whole; printf x; } > "$blob"; refused "an altered file" "in place of sha256:" fetch taken web@stable
{ cat whole; printf x; } > "$blob"; refused "a longer file" "longer than it is to be" fetch taken web@stable
rm "$blob"; refused "a missing file" "there is no" fetch taken web@stable
refused "a promotion of what is not whole" "is not at" promote web@stable other
publish --channel stable --expires 1 --again v1.10/web.tar && fetch taken web@stable || fail "--again does not mend it: $(cat out)"
echo changed >> v1.2/web.tar; refused "an image that is not what its evidence says" "its provenance says" publish --channel new v1.2/web.tar
refused "an image without evidence" "there is no provenance" publish --channel new v1.2/big.raw

# Another key, once clients have it; not by whoever has one.
by_other() { "$HEARTH" image publish --sign other.pem --to "$place" --channel stable v1.10/web.tar > out 2>&1; }
refused "another signer" "signed by another key" by_other
"$HEARTH" image publish --sign other.pem --key site.pub --to "$place" --channel stable v1.10/web.tar > out 2>&1 || fail "a new key: $(cat out)"
key=other.pub fetch taken web@stable || fail "by the new key: $(cat out)"
publish --channel stable --key other.pub v1.10/web.tar && fetch taken web@stable || fail "and back: $(cat out)"
"$HEARTH" image channel promote --sign site.pem --from "$work/mistyped" web@candidate stable > out 2>&1 && fail "promoted where nothing is"
[ ! -e mistyped ] || fail "a mistyped place was made"

# What a directory may hold in place of a channel is not read, nor does it hide the others.
ln -s /dev/zero published/channels/web/zero.json; mkdir published/channels/web/folder.json
head -c 17M /dev/zero > published/channels/web/long.json
for odd in "zero is refused: it is no regular file" "folder is refused: it is no regular file" "long is refused: it is too long"; do
    refused "a channel that is no text" "${odd#* }" fetch taken "web@${odd%% *}"
done
list && fail "list: odd channels are not told"
expect_text out "zero.json is refused" "folder.json is refused" "long.json is refused" "web@stable "
rm -r published/channels/web/{zero,folder,long}.json
# Whose place is another's.
mkdir -p other/web.tar yet && echo mine > other/web.tar/mine && ln -s ../other yet/web.d
refused "a directory in the image's place" "other/web.tar is in the way: it is a directory" fetch other web@stable
refused "a link in the evidence's place" "yet/web.d is in the way: it is no directory" fetch yet web@stable
[ "$(find other yet | sort | paste -sd' ')" = "other other/web.tar other/web.tar/mine yet yet/web.d" ] || fail "what is not ours was touched"
# What was seen, damaged or where nothing can be kept, is no leave to take anything, nor to publish half.
seen=$XDG_STATE_HOME/hearth/channels.json; cp "$seen" seen
for damage in '[]' '{' "$(jq -c 'map_values(.serial = "1")' seen)" "$(jq -c 'map_values(.serial)' seen)"; do
    printf '%s' "$damage" > "$seen"
    refused "damaged memory ($damage)" "what was seen of channels, can't be read" fetch taken web@stable
    refused "publishing with it" "what was seen of channels, can't be read" publish --channel unseen v1.10/web.tar
done
cp seen "$seen"
mkdir state-file && touch state-file/hearth
XDG_STATE_HOME=$work/state-file refused "publishing without memory" "XDG_STATE_HOME" publish --channel unseen v1.10/web.tar
[ ! -e published/channels/web/unseen.json ] || fail "refused, and published"
refused "a name of many lines" "'x\ny@stable' is no NAME@CHANNEL" publish --channel stable --name $'x\ny' v1.10/web.tar
refused "a name that leads elsewhere" "'../web@stable' is no NAME@CHANNEL" publish --channel stable --name ../web v1.10/web.tar

# Killed at any moment: the old one or the new one, and the next publishing mends the rest. Fetching leaves nothing that stays.
log_in
killed() { { kill -9 "$1" && wait "$1"; } 2> /dev/null || true; }
for place in "http://127.0.0.1:$web_port/dav/images" "oci://127.0.0.1:$registry_port/site/images" "$work/published"; do
    cp v1.2/big.raw big.raw; publish --without-evidence --channel kill big.raw || fail "$place: publish: $(cat out)"
    now=$(sha256sum < big.raw)
    for kill in 1 2 3 4 5 6; do
        was=$now; head -c 20000000 /dev/urandom > big.raw
        "$HEARTH" image publish --sign site.pem --to "$place" --without-evidence --channel kill big.raw > out 2>&1 &
        sleep "0.0$((kill * 15 % 100))"; killed $!
        rm -rf taken; "$HEARTH" image channel fetch --from "$place" --key site.pub -o taken big@kill > out 2>&1 &
        sleep "0.0$((kill * 7 % 100))"; killed $!
        fetch taken big@kill || fail "$place: killed at $kill: $(cat out)"
        now=$(sha256sum < taken/big.raw)
        [[ $now = "$was" || $now = "$(sha256sum < big.raw)" ]] || fail "$place: killed at $kill: half an image"
        [ "$(ls -A taken)" = big.raw ] || fail "$place: killed at $kill: left: $(ls -A taken)"
    done
    publish --without-evidence --channel kill big.raw && rm -rf taken && fetch taken big@kill && cmp big.raw taken/big.raw ||
        fail "$place: behind kills: $(cat out)"
done
mkdir -p taken/.hearth-fetch.killed; fetch taken big@kill && [ "$(ls -A taken)" = big.raw ] || fail "a killed fetch's rest stays: $(ls -A taken)"
# The list of a server that is damaged is told, and made anew.
place=http://127.0.0.1:$web_port/dav/images; echo '{' > served/dav/images/channels/index.json
refused "a damaged list" "index.json, the list of channels, can't be read" list
publish --channel listed v1.10/web.tar && list && grep -q '^web@listed ' out || fail "$place: no list: $(cat out)"
place=$work/published

# Many at once: each is whole, and nobody is refused.
publish --channel candidate --expires 1 v1.10/web.tar || fail "publish: $(cat out)"
several=()
for at in 1 2 3 4; do
    "$HEARTH" image publish --sign site.pem --to "$place" --channel candidate --expires $at v1.10/web.tar > "many.$at" 2>&1 & several+=($!)
    "$HEARTH" image channel promote --sign site.pem --from "$place" --expires $at web@candidate stable > "many.p$at" 2>&1 & several+=($!)
    "$HEARTH" image channel fetch --from "$place" --key site.pub -o many web@candidate > "many.f$at" 2>&1 & several+=($!)
done
for at in "${several[@]}"; do wait "$at" || fail "many at once: $(grep -h '^hearth' many.*[1-4])"; done
"$HEARTH" image verify many/web.tar --key site.pub > out 2>&1 && [ "$(ls -A many | paste -sd' ')" = "web.d web.tar" ] || fail "fetched by four at once: $(ls -A many)"
# A full disk: said, and nothing half.
if [ "$(id -u)" = 0 ]; then
    mkdir full
    # shellcheck disable=SC2016  # for the inner shell
    unshare --mount bash -c 'mount -t tmpfs -o size=4m none full; "$1" image publish --sign site.pem --to full/to --channel stable v1.10/web.tar
        "$1" image channel fetch --from published --key site.pub -o full/taken web@stable; find full -type f ! -name .lock' full "$HEARTH" > out 2>&1
    [ "$(grep -c 'No space left on device' out)" = 2 ] && ! grep -q '^full/' out || fail "a full disk: $(cat out)"
else
    echo "SKIPPED: part: a full disk is made by root"
fi

# Who takes an image takes it from a channel.
export HEARTH_CHANNELS=$place HEARTH_CHANNEL_KEY=$work/site.pub
"$HEARTH" bundle create -o site.bundle --without-hearth --image web@stable > out 2>&1 || fail "bundle: $(cat out)"
"$HEARTH" bundle unpack site.bundle --unsigned -C closed > out 2>&1 && cmp closed/images/web.tar v1.10/web.tar || fail "in a bundle: $(cat out)"
"$HEARTH" image verify closed/images/web.tar --key site.pub > out 2>&1 || fail "in a bundle without its evidence: $(cat out)"
echo kernel > kernel; echo ramdisk > ramdisk
"$HEARTH" image load --state "$work/nodes" --kernel kernel --ramdisk ramdisk web@stable > out 2>&1 || fail "image load: $(cat out)"
expect_text out "web sha256:$(sha256sum < v1.10/web.tar | cut -d' ' -f1)"
cmp nodes/files/images/web.tar v1.10/web.tar || fail "image load: other bytes"
timeout 60 "$HEARTH" image test --accel tcg --timeout 1 big@kill > out 2>&1 && fail "noise starts"
expect_text out "big@kill: sha256:"
"$HEARTH" image boot web@nothing > out 2>&1 && fail "boot of a channel that is not there"
expect_text out "there is no web@nothing"
mkdir site && printf 'network: {subnet: 192.0.2.0/24, seed: 192.0.2.1, pool: 192.0.2.100-192.0.2.199}\nimage: web@nothing\nseed: {image: seed.qcow2}\n' > site/site.yaml
for command in "rehearse site/site.yaml" "seed up site/site.yaml --bridge none" "image load web@nothing"; do
    # shellcheck disable=SC2086  # words
    "$HEARTH" $command > out 2>&1 && fail "$command: a channel that is not there"
    expect_text out "there is no web@nothing"
done
# A site's image is taken, whatever else the site lacks.
sed 's/web@nothing/web@stable/' site/site.yaml > site/stable.yaml
for command in "rehearse site/stable.yaml" "seed up site/stable.yaml --bridge none"; do
    # shellcheck disable=SC2086  # words
    "$HEARTH" $command > out 2>&1 && fail "$command: a site of nothing but an image"
    expect_text out "web@stable: 1.10, sha256:$(sha256sum < v1.10/web.tar | cut -d' ' -f1)"
done
"$HEARTH" bundle create -o site.bundle site/site.yaml > out 2>&1 && fail "a bundle of a site whose image is no file"
expect_text out "hearth image channel fetch web@nothing"
HEARTH_CHANNEL_KEY='' "$HEARTH" image boot web@stable > out 2>&1 && fail "a channel without a key is believed"
expect_text out "whose channel is it?"
finish
