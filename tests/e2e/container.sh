#!/bin/bash
# What a container withholds: each right is taken away for real, and the first line says which one it is, and the flag that gives it.
# LONG_TEST=TRUE, in podman and in Hearth's own container image, as the target `container` makes it: small, signed, with what lies beside
# it. An ordinary user's podman without any right builds examples/hello in it; with a flag that was named it works, where one can be given.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=as_user.sh
. "$here/as_user.sh"
[ "${LONG_TEST:-}" != TRUE ] || [ -n "${HEARTH_LONG:-}" ] || { echo "SKIPPED: HEARTH_LONG is not set" && exit 77; }
need_user
first_line() { awk '!/^time=/ { print; exit }' err > first; }  # podman has warnings of its own
# refused WHAT REMEDY: the build ended, and its first line and its hint say so.
refused() {
    first_line
    expect_text first "hearth image create: hooks can't have their sandbox: $1"
    expect_text err "$2"
}
# The same rights, taken away without an engine; Kubernetes', which is known by its variable wherever this test runs.
build=("$HEARTH" image create --no-cache -n -t tar -o limited tiny-os)
limited() { KUBERNETES_SERVICE_HOST=192.0.2.1 "$@" < /dev/null > out 2> err && fail "$*: it builds"; [ ! -e limited.tar ] || fail "$*: there is an image"; }
# The limit of a user namespace, in which this test is root.
# shellcheck disable=SC2016  # for the inner shell
limited unshare --user --map-root-user bash -c 'echo 0 > /proc/sys/user/max_user_namespaces; exec "$@"' limited "${build[@]}"
refused "no more user namespaces can be made here" "sysctl user.max_user_namespaces=65536"
few_ids() {
    local pid
    mkfifo go
    # shellcheck disable=SC2016  # for the inner shell
    unshare --user bash -c 'read -r _ < go; exec "$@"' limited "$@" & pid=$!
    while [ "$(readlink "/proc/$pid/ns/user")" = "$(readlink /proc/self/ns/user)" ]; do sleep 0.05; done
    echo 0 0 1000 > "/proc/$pid/uid_map"; echo 0 0 1000 > "/proc/$pid/gid_map"
    echo > go
    wait "$pid"
}
limited few_ids "${build[@]}"
refused "this container has fewer than 65536 ids" "hostUsers: true"
limited setpriv --bounding-set -setuid,-setgid,-setfcap "${build[@]}"
refused "root of this container may not map ids" "securityContext: {capabilities: {add: [SETUID, SETGID, SETFCAP]}}"
# An ordinary user, in a directory of root's and with a home that is none: the right comes first.
limited setpriv --reuid 12345 --regid 12345 --clear-groups "${build[@]}"
refused "this container gives its user no range of 65536 ids" "securityContext: {runAsUser: 0}"
# Root without the right to mounts: there is no network of hooks' own, which is no reason to build nothing.
setpriv --bounding-set -sys_admin "${build[@]}" < /dev/null > out 2> err && [ -s limited.tar ] || fail "without CAP_SYS_ADMIN: $(cat out err)"
if [ -e /dev/net/tun ] && type -P slirp4netns > /dev/null; then expect_text err "root has no CAP_SYS_ADMIN here"; fi
[ "${LONG_TEST:-}" = TRUE ] || { finish; exit; }

source=$(dirname "$(dirname "$here")")
for program in podman openssl jq; do
    command -v "$program" > /dev/null || { echo "SKIPPED: $program is needed" && exit 77; }
done
debian_release

# as_user, where control groups are of version 2, or crun starts nothing; what podman keeps for its user goes with the test.
pod() {
    # shellcheck disable=SC2016  # for the inner shells
    unshare --mount --propagation private bash -euc 'umount -l /sys/fs/cgroup 2> /dev/null || true
        mount -t cgroup2 none /sys/fs/cgroup 2> /dev/null || true
        work=$1; . "$2"; shift 2; as_user "$@"' pod "$work" "$here/as_user.sh" bash -c 'mkdir -p -m 0700 run
        export XDG_RUNTIME_DIR=$PWD/run; unset DBUS_SESSION_BUS_ADDRESS
        exec podman --root "$PWD/storage" --runroot "$PWD/run/c" --storage-driver overlay --cgroup-manager cgroupfs --events-backend none "$@"' pod "$@"
}
clean_up() {
    local pid
    pod rm -f -a -t 0 > /dev/null 2>&1 || true
    pid=$(cat "$work/user/run/libpod/tmp/pause.pid" 2> /dev/null) && kill "$pid" || true
    rm -rf "$work"
}
trap clean_up EXIT

bash "$source/cmake/container.sh" "$source" "${BUILD:?}" "$work/made" < /dev/null > out 2>&1 || { fail "container.sh: $(tail -20 out)"; finish; }
grep '^container: ' out
jq -e '.packages | map(.name) | index("mmdebstrap") and index("qemu-utils")' made/hearth.d/sbom.spdx.json > /dev/null || fail "its SBOM lacks packages"
"$HEARTH" image verify made/hearth.oci.tar --key made/hearth.pub > out || fail "not signed: $(cat out)"
chmod -R a+rX made
pod load -q -i "$work/made/hearth.docker" > out 2>&1 || { fail "podman load: $(cat out)"; finish; }
rm made/hearth.docker made/hearth.oci.tar

mkdir -p given out.d && cp -r "$source/examples/hello" "$here/elements" given/ && chmod -R a+rX given
install -d -o nobody "$work/results"
# run OPTION… -- COMMAND…: in the container; the same limits as here, no control groups.
run() {
    local options=()
    while [ "$1" != -- ]; do options+=("$1"); shift; done
    shift
    timeout 600 bash -c "$(declare -f pod as_user); $(declare -p work here user); pod \"\$@\"" run run --rm --network host --cgroups disabled \
        -v "$work/given:/given:ro" -v "$work/results:/images" -e ELEMENTS_PATH=/given/hello/elements:/given/elements \
        -e DIB_RELEASE="$release" -e DIB_DISTRIBUTION_MIRROR="$mirror" "${options[@]}" localhost/hearth:latest "$@"
}
run -- hearth image create -o hello --metadata /given/hello/metadata.json vm debian-minimal enable-serial-console hello \
    < /dev/null > out 2>&1 || fail "podman builds no hello: $(tail -20 out)"
[ -s results/hello.qcow2 ] || fail "there is no hello.qcow2"

tiny() { run "$@" -- hearth image create --no-cache -n -t tar -o tiny tiny-os < /dev/null > out 2> err; }
tiny || fail "tiny: $(cat out err)"
# lacks WHAT REMEDY OPTION…
lacks() {
    local what=$1 remedy=$2
    shift 2
    rm -f results/tiny.tar
    tiny "$@" && fail "$*: it builds"
    [ ! -e results/tiny.tar ] || fail "$*: there is an image"
    refused "$what" "$remedy"
}
# As docker's default profile has it for who is no administrator of the machine.
cat > given/no-namespaces.json <<'END'
{"defaultAction": "SCMP_ACT_ALLOW", "syscalls": [
  {"names": ["clone3"], "action": "SCMP_ACT_ERRNO", "errnoRet": 38},
  {"names": ["unshare", "setns", "mount", "umount2"], "action": "SCMP_ACT_ERRNO", "errnoRet": 1}]}
END
cat > given/no-mounts.json <<'END'
{"defaultAction": "SCMP_ACT_ALLOW", "syscalls": [{"names": ["mount", "umount2"], "action": "SCMP_ACT_ERRNO", "errnoRet": 1}]}
END
lacks "the seccomp profile of this container allows no user namespaces" "podman run --security-opt seccomp=unconfined" \
    --security-opt "seccomp=$work/given/no-namespaces.json"
lacks "the seccomp profile of this container allows no user namespaces" "securityContext: {seccompProfile: {type: Unconfined}}" \
    --security-opt "seccomp=$work/given/no-namespaces.json" -e KUBERNETES_SERVICE_HOST=192.0.2.1
lacks "the seccomp profile of this container forbids mounts" "--security-opt seccomp=unconfined" --security-opt "seccomp=$work/given/no-mounts.json"
lacks "root of this container may not map ids" "podman run --cap-add SETUID,SETGID,SETFCAP" --cap-drop all
lacks "this container has fewer than 65536 ids" "--userns=host" --uidmap 0:0:1000 --gidmap 0:0:1000
lacks "this container gives its user no range of 65536 ids" "podman run --user 0" --user 1000
# With the flags that were named.
tiny --cap-drop all --cap-add SETUID,SETGID,SETFCAP,DAC_OVERRIDE,CHOWN,FOWNER || fail "with the capabilities that were named: $(cat out err)"
tiny --security-opt seccomp=unconfined || fail "without seccomp: $(cat out err)"
# A network of their own takes a right that root of a container has only when it is given.
if [ -e /dev/net/tun ]; then
    tiny --device /dev/net/tun || fail "with /dev/net/tun: $(cat out err)"
    expect_text err "root has no CAP_SYS_ADMIN here"
    tiny --device /dev/net/tun --cap-add SYS_ADMIN || fail "with a network of its own: $(cat out err)"
    grep -q CAP_SYS_ADMIN err && fail "no network of its own with CAP_SYS_ADMIN"
fi
finish
