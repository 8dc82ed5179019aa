#!/bin/bash
# Debian's dockerd and containerd, started by a hook in the target: with a network of the hooks' own they come up and hold an image;
# in a network that others are in, the hook is told what is refused it, and what to do. `chattr +i` likewise.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
[ -n "${HEARTH_LONG:-}" ] || { echo "SKIPPED: it takes minutes; HEARTH_LONG is not set" && exit 77; }
[ "$(id -u)" = 0 ] || { echo "SKIPPED: needs root" && exit 77; }
debian_release
export ELEMENTS_PATH=$work/elements DIB_RELEASE=$release DIB_DISTRIBUTION_MIRROR=$mirror DIB_IMAGE_CACHE=${DIB_IMAGE_CACHE:-$work/cache}
machines=$(cat /proc/sys/net/ipv4/ip_forward)

mkdir -p elements/preload && printf 'package-installs\n' > elements/preload/element-deps
printf 'docker.io:\niptables:\n' > elements/preload/package-installs.yaml
hook preload/post-install.d/35-preload <<'E2'
containerd > /var/tmp/containerd.out 2>&1 &
dockerd > /var/tmp/dockerd.out 2>&1 &
daemon=$!
for _ in $(seq 120); do
    [ ! -S /run/docker.sock ] || ! docker version > /dev/null 2>&1 || break
    kill -0 "$daemon" 2> /dev/null || break
    sleep 0.5
done
docker version > /docker-version || { tail -n 3 /var/tmp/dockerd.out; echo "dockerd did not start"; exit 1; }
tar -C / -cf - etc/hostname | docker import - site/preloaded:1
docker images --format '{{.Repository}}:{{.Tag}}' > /docker-images
kill "$daemon" && wait "$daemon" || true
kill %1
E2

"$HEARTH" image create --record --lock docker.lock --no-cache -t tar -o recorded debian-minimal preload > out 2>&1 < /dev/null || fail "recorded: $(tail -30 out)"
tar -xOf recorded.tar ./docker-images > images 2>&1 || fail "no list of images"
expect_text images site/preloaded:1
[ "$(cat /proc/sys/net/ipv4/ip_forward)" = "$machines" ] || fail "dockerd changed the machine's network"

"$HEARTH" image create --no-cache -t tar -o ordinary debian-minimal preload > out 2>&1 < /dev/null && fail "ordinary: dockerd starts: say so in builder/README.md"
expect_text out "post-install.d/35-preload (element preload) failed" "dockerd did not start" "packet filters (dockerd does)" "--record"

mkdir -p elements/flags && printf 'package-installs\n' > elements/flags/element-deps
printf 'e2fsprogs:\n' > elements/flags/package-installs.yaml
hook flags/install.d/60-flags <<< 'chattr +i /etc/hosts'
"$HEARTH" image create --no-cache -t tar -o flags debian-minimal flags > out 2>&1 < /dev/null && fail "chattr: not refused"
expect_text out "install.d/60-flags (element flags) failed" "chattr:" "at its first boot"
finish
