#!/bin/bash
# Examples that no other test runs: the files of a real site are taken as they are, those of a pipeline are in order.
# usage: examples.sh SOURCE     (HEARTH: the program)
set -euo pipefail
source=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
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
grep -q 'lists it as a, with nothing to be done to it (state: local)' <<<"$("$HEARTH" pxe explain "$work/asked.yaml" 52:54:00:00:00:09)" || fail "$(cat "$work/asked.yaml")"

"$HEARTH" pxe explain "$site/site.json" 52:54:00:00:00:01 >"$work/explained" || fail "site.json: no explanation"
grep -q . "$work/explained" || fail "nothing is said of a machine"
"$HEARTH" pxe export --for dnsmasq "$site/site.json" | grep 192.0.2.100 >/dev/null || fail "site.json: no pool"

# ---- a pipeline
ci=$source/examples/ci
"$HEARTH" element lint --strict "$ci/elements" || fail "its elements have mistakes"
ELEMENTS_PATH=$ci/elements "$HEARTH" image create --dry-run "$ci/images.yaml" >"$work/plan" 2>&1 || fail "$(cat "$work/plan")"
ELEMENTS_PATH=$ci/elements "$HEARTH" image plan vm debian-minimal enable-serial-console web >"$work/steps"
grep -q 50-web "$work/steps" || fail "its hook is in no plan"

# ---- the cache that jobs share: what nginx makes of it, e2e.shared_cache tells
"$HEARTH" cache export --nginx --certificate /etc/ssl/certs/cache.pem --certificate-key /etc/ssl/private/cache.key |
  cmp - "$ci/nginx.conf" || fail "nginx.conf is not what hearth cache export --nginx writes"
