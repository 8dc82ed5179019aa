#!/bin/bash
# What a hook leaves for the next build, which does things outside of the sandbox: nothing but files of its own image; and what
# somebody else left there, an earlier Hearth's hooks, too, leads no build to run, write or ask anything, or to wait.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
export DIB_IMAGE_CACHE=$work/cache HEARTH_LAYER_WORTH=0 HEARTH_REPOSITORY_AGE=0
mkdir -p elements/leaves/extra-data.d victim asked
export ELEMENTS_PATH=$work/elements:$here/elements
echo untouched > victim/file
# leaves: stdin becomes the hook.
leaves() {
    { printf '#!/bin/bash\nset -eu\n' && cat; } > elements/leaves/extra-data.d/50-leaves
    chmod 0755 elements/leaves/extra-data.d/50-leaves
}
create() { timeout -k 5 60 "$HEARTH" image create -n -t tar "$@" tiny-os leaves > out 2>&1 < /dev/null; }
build() { create "$@" || fail "the build fails or hangs: $(cat out)"; }
untouched() { [ "$(cat victim/file) $(ls victim)" = "untouched file" ] || fail "$1: the victim was touched: $(ls -la victim; cat victim/*)"; }

# Hooks write to a copy of the outputs' directory; what is the image's own is there in the end, and nothing else.
mkdir -p image-other.d cache/appliance
echo kept > image-other.tar
echo kept > cache/appliance/root
leaves << 'HOOK'
install -m 4755 /bin/true "$IMAGE_NAME.kernel"
mkdir -p "$IMAGE_NAME.d/dib-manifests" .git
date +%N > "$IMAGE_NAME.d/dib-manifests/list"
rm -rf image-other.tar image-other.d victim "$IMAGE_NAME.old"
: > .git/config; : > Makefile; : > image-other.initrd; : > elements/leaves/left
echo '{}' > image.d/output.json
! : > cache/appliance/root && ! : > cache/layers/left
ls -a /proc/1/fd /.builder > seen 2>&1 || true
HOOK
beside() { find . elements/leaves -maxdepth 1 | grep -vxE './(image\.(kernel|d|tar|old)|manifest|before|after|out)' | sort; }
for nth in first second; do
    echo old > image.old
    beside > before
    build --no-cache -o image
    [ "$(stat -c %a image.kernel)" = 755 ] && cmp -s image.kernel /bin/true || fail "$nth: the hook's file is not there, or set-uid"
    [ "$nth" = first ] || ! cmp -s manifest image.d/dib-manifests/list || fail "$nth: it is the one of the first build"
    cp image.d/dib-manifests/list manifest
    [ ! -e image.old ] || fail "$nth: what the hook removed is there"
    [ "$(cat image-other.tar cache/appliance/root)" = $'kept\nkept' ] || fail "$nth: another image's files changed"
    beside > after
    diff before after || fail "$nth: the hook left more than its own"
    expect_text image.d/build.log "$work/Makefile is not kept: it is not named image.x" "image-other.initrd is not kept: it is of the image image-other"
done
rm -rf image* before after manifest
untouched "the copy"

# The same where something is mounted beside the image, for which the kernel has no overlay.
if [ "$(id -u)" = 0 ]; then
    leaves <<< 'echo x > "$IMAGE_NAME.kernel"; mkdir -p "$IMAGE_NAME.d/dib-manifests"; echo x > "$IMAGE_NAME.d/dib-manifests/list"; : > Makefile'
    mkdir mounted
    for nth in first second; do
        timeout 60 unshare -m bash -c 'mount -t tmpfs none mounted && exec "$HEARTH" image create -n -t tar --no-cache -o image tiny-os leaves' > out 2>&1 < /dev/null ||
            fail "$nth, with something mounted: $(cat out)"
        [ "$(cat image.kernel image.d/dib-manifests/list)" = $'x\nx' ] || fail "$nth: the hook's files are not there"
        [ ! -e Makefile ] || fail "$nth: what is not the image's is there"
    done
    rm -rf image* mounted
else
    echo "SKIPPED: part: something mounted beside the image: needs root"
fi

# A build that fails leaves nothing of its hooks.
leaves <<< ': > "$IMAGE_NAME.kernel"; exit 3'
! create -o failing || fail "the hook did not fail"
[ ! -e failing.kernel ] || fail "a failed build left its hook's file"

# A private key that has a second name could be read by it.
openssl genpkey -algorithm ed25519 -out key.pem 2> /dev/null
ln key.pem second.pem
! create -o signed --sign-key key.pem || fail "a key with two names was taken"
expect_text out "$work/key.pem has 2 names (hard links)" "find DIRECTORY -samefile"
rm second.pem

# git is asked for a branch where the build was started.
leaves <<< "echo 'git https://git.example/x master 0000' >> \"\$HEARTH_INPUTS\""
mkdir -p .git/refs .git/objects
echo 'ref: refs/heads/master' > .git/HEAD
printf '[protocol "ext"]\n allow = always\n[url "ext::touch %s "]\n insteadOf = https://git.example/\n' "$PWD/victim/came-through" > .git/config
build -o image
build -o image
untouched "git's configuration"
rm -rf .git

# Servers of this machine's loopback, and files that never end.
python3 - "$work" <<'SERVER' &
import http.server, sys
class Answer(http.server.BaseHTTPRequestHandler):
    def do_HEAD(self):
        open(sys.argv[1] + "/asked/" + self.command, "w").close()
        self.send_error(404)
    do_GET = do_HEAD
server = http.server.HTTPServer(("127.0.0.1", 0), Answer)
with open(sys.argv[1] + "/port", "w") as file:
    file.write(f"{server.server_address[1]}\n")
server.serve_forever()
SERVER
server=$!
trap 'kill "$server"; remove_work' EXIT
until [ -s port ]; do sleep 0.1; done
export PORT
PORT=$(cat port)
mkfifo pipe
for noted in "url http://127.0.0.1:$PORT/x" "repository http://127.0.0.1:$PORT/x" "git http://127.0.0.1:$PORT/x master" "url file:///dev/zero" "url file://$work/pipe"; do
    leaves <<< "echo '$noted 0000' >> \"\$HEARTH_INPUTS\""
    HEARTH_NETWORK=private build -o image
    HEARTH_NETWORK=private build -o image
    [ -z "$(ls asked)" ] || fail "$noted: a server of this machine was asked: $(ls asked)"
    rm -f asked/*
done

# The builder's own files, as links, pipes and sockets.
leaves <<< true
for left in link new pipe; do
    for name in .lock build.log clusters manifest.json output.json provenance.json sbom.spdx.json steps.json timing.json timing.svg; do
        rm -f "image.d/$name"
        if [ "$left" = link ]; then ln -s "$work/victim/file" "image.d/$name"; fi
        if [ "$left" = new ]; then ln -s "$work/victim/$name" "image.d/$name"; fi
        if [ "$left" = pipe ]; then mkfifo "image.d/$name"; fi
    done
    build --no-cache -o image
    untouched "$left"
done
[ -f image.d/manifest.json ] && [ ! -L image.d/build.log ] || fail "the builder's files are not its own: $(ls -la image.d)"

# Another image's directory.
ln -sfn "$work/victim" other.d
! create -o other || fail "the link was followed"
expect_text out "$work/other.d is a link to $work/victim" "Remove the link"
untouched "NAME.d"

# What is in an output's place.
mkfifo piped.tar
! create -o piped || fail "a pipe was taken for an output"
expect_text out "$work/piped.tar can't be written: what is there is no file"
finish
