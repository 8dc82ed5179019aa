#!/bin/bash
# Examples that no other test runs: the files of a real site are taken as they are, those of a pipeline are in order, and nginx by the
# example's configuration keeps what is PUT. usage: examples.sh SOURCE     (HEARTH: the program)
set -euo pipefail
source=$1
work=$(mktemp -d)
trap 'kill "${nginx:-}" 2>/dev/null || true; rm -rf "$work"' EXIT
fail() {
  echo "examples: $*" >&2
  exit 1
}

# ---- a real site
site=$source/examples/real-site
"$HEARTH" node import --state "$work/node" --dry-run "$site/instackenv.json" >"$work/import" 2>"$work/warnings" || fail "$(cat "$work/warnings")"
[ ! -s "$work/warnings" ] || fail "the inventory is warned of: $(cat "$work/warnings")"
[ "$(grep -c 'registered node' "$work/import")" = 4 ] || fail "not four nodes: $(cat "$work/import")"
"$HEARTH" node import --state "$work/site" --dry-run "$site/site.yaml" >"$work/import" 2>"$work/warnings" || fail "$(cat "$work/warnings")"
[ ! -s "$work/warnings" ] || fail "the site file is warned of: $(cat "$work/warnings")"
[ "$(grep -c 'registered node' "$work/import")" = 4 ] || fail "not four nodes: $(cat "$work/import")"
"$HEARTH" pxe explain "$site/site.yaml" 52:54:00:00:00:01 >"$work/explained" || fail "site.yaml: no explanation"
grep -q 'control1' "$work/explained" || fail "site.yaml: the machine is a stranger: $(cat "$work/explained")"
"$HEARTH" pxe export --for dnsmasq "$site/site.yaml" | grep 192.0.2.100 >/dev/null || fail "site.yaml: no pool"
# The inventory becomes a site file, which is an inventory again.
"$HEARTH" site new "$work/new.yaml" --no-questions --subnet 192.0.2.0/24 --inventory "$site/instackenv.json" >"$work/new" 2>&1 ||
  fail "$(cat "$work/new")"
[ "$(stat -c %a "$work/new.yaml")" = 600 ] || fail "others read the passwords of a new site file"
"$HEARTH" node import --state "$work/again" --dry-run "$work/new.yaml" >"$work/import" 2>&1 || fail "$(cat "$work/import")"
[ "$(grep -c 'registered node' "$work/import")" = 4 ] || fail "not four nodes: $(cat "$work/import")"
printf '%s\n' 192.0.2.0/24 '' '' '' eth1 '' '' ipmi root secret a 52:54:00:00:00:09 bios '' '' 198.51.100.9 '' |
  "$HEARTH" site new "$work/asked.yaml" --ask >"$work/new" 2>&1 || fail "$(cat "$work/new")"
grep -q 'node a is in state local' <<<"$("$HEARTH" pxe explain "$work/asked.yaml" 52:54:00:00:00:09)" || fail "$(cat "$work/asked.yaml")"

"$HEARTH" pxe explain "$site/site.json" 52:54:00:00:00:01 >"$work/explained" || fail "site.json: no explanation"
grep -q . "$work/explained" || fail "nothing is said of a machine"
"$HEARTH" pxe export --for dnsmasq "$site/site.json" | grep 192.0.2.100 >/dev/null || fail "site.json: no pool"

# ---- a pipeline
ci=$source/examples/ci
"$HEARTH" element lint --strict "$ci/elements" || fail "its elements have mistakes"
ELEMENTS_PATH=$ci/elements "$HEARTH" image create --dry-run "$ci/images.yaml" >"$work/plan" 2>&1 || fail "$(cat "$work/plan")"
ELEMENTS_PATH=$ci/elements "$HEARTH" image plan vm debian-minimal enable-serial-console web >"$work/steps"
grep -q 50-web "$work/steps" || fail "its hook is in no plan"

# ---- the cache that jobs share
if [ ! -x /usr/sbin/nginx ]; then
  echo "SKIPPED: part: nginx-light is not installed"
  exit 0
fi
mkdir -p "$work/cache/data" "$work/cache/tmp"
chmod 755 "$work"
port=$((20000 + $$ % 20000))
sed "s|/srv/hearth-cache|$work/cache|; s|/run/hearth-cache.pid|$work/pid|; s|/var/log/nginx/hearth-cache.log|$work/log|
     s|listen 8080|listen 127.0.0.1:$port|; s|^user www-data|user root|" "$ci/nginx.conf" >"$work/nginx.conf"
/usr/sbin/nginx -e "$work/log" -c "$work/nginx.conf" -g 'daemon off;' 2>>"$work/log" &
nginx=$!
url=http://127.0.0.1:$port/ac/0123
for _ in $(seq 100); do
  ! curl -s -o /dev/null "$url" || break
  kill -0 "$nginx" 2>/dev/null || fail "nginx does not start: $(cat "$work/log")"
  sleep 0.1
done
[ "$(curl -s -o /dev/null -w '%{http_code}' "$url")" = 404 ] || fail "something is there that nobody put there"
head -c 3000000 /dev/urandom >"$work/layer"
[ "$(curl -s -o /dev/null -w '%{http_code}' -T "$work/layer" "$url")" = 201 ] || fail "PUT is refused: $(cat "$work/log")"
curl -s "$url" | cmp - "$work/layer" || fail "what was PUT comes back otherwise"
