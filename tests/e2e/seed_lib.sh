# shellcheck shell=bash
# Shared by the tests of a seed. HEARTH is the program under test.
set -euo pipefail

skip() {
    echo "SKIPPED: $*"
    exit 77
}
[ "$(id -u)" = 0 ] || skip "needs root, for namespaces with networks of their own"
: "${HEARTH:?path of the hearth program}"
# needs PROGRAM…
needs() {
    local program
    for program; do
        command -v "$program" > /dev/null || skip "$program is not installed"
    done
}
token= # what call() sends; tests set it
failures=0
fail() {
    echo "FAILED: $*" >&2
    failures=$((failures + 1))
}
# write_site: site.yaml and the images that it names; contents that can be told apart are enough.
write_site() {
    head -c 3000000 /dev/urandom > node.qcow2
    echo "a kernel" > deploy.kernel
    echo "a ramdisk" > deploy.ramdisk
    cat > site.yaml << 'YAML'
network: {subnet: 192.0.2.0/24, seed: 192.0.2.1, pool: 192.0.2.100-192.0.2.199}
seed: {image: seed.qcow2}
deploy: {kernel: deploy.kernel, ramdisk: deploy.ramdisk}
image: node.qcow2
YAML
}
# call URL …: HTTP status, asked with $token; the answer is in the file body.
call() {
    curl -s --noproxy '*' --max-time 30 -o body -w '%{http_code}' -H "X-Auth-Token: $token" -H 'Content-Type: application/json' "$@" || true
}
# until_true COMMAND…: again and again for half a minute, until it succeeds.
until_true() {
    local deadline=$((SECONDS + 30))
    until "$@"; do
        [ "$SECONDS" -lt "$deadline" ] || return 1
        sleep 0.1
    done
}
answers_with() { [ "$(call "$2")" = "$1" ]; }
# until_is STATUS URL
until_is() {
    until_true answers_with "$@" || fail "$2 does not answer $1, but: $(cat body)"
}
