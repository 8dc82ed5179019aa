# shellcheck shell=bash source-path=SCRIPTDIR source=lib.sh
# For tests of rehearsals in which no machine boots: skips where one can't run.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
skip() {
    echo "SKIPPED: $*"
    exit 77
}
for program in qemu-system-x86_64 qemu-img ip pgrep; do
    command -v "$program" > /dev/null || skip "$program is not installed"
done
[ -c /dev/net/tun ] || skip "there is no /dev/net/tun"
unshare -Urn true 2> /dev/null || skip "user namespaces are not allowed"

# small_site MACHINE…: a site of these machines, whose stack has no server.
small_site() {
    local name machines=''
    for name in "$@"; do machines+="${machines:+, }{name: $name}"; done
    qemu-img create -q -f qcow2 node.qcow2 1M
    echo "a kernel" > deploy.kernel
    echo "a ramdisk" > deploy.initramfs
    cat > site.yaml << YAML
network: {subnet: 192.0.2.0/24, seed: 192.0.2.1, pool: 192.0.2.100-192.0.2.199}
deploy: {kernel: deploy.kernel, ramdisk: deploy.initramfs}
image: node.qcow2
machines: [$machines]
stack: {template: stack.yaml}
YAML
    cat > stack.yaml << 'YAML'
heat_template_version: 2018-08-31
resources: {words: {type: OS::Heat::RandomString}}
YAML
}
