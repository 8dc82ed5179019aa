#!/bin/bash
# What a hook leaves for the next build, which does things outside of the sandbox: it is not led to run, write or ask anything, and
# waits for nothing.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
export DIB_IMAGE_CACHE=$work/cache HEARTH_LAYER_WORTH=0 HEARTH_REPOSITORY_AGE=0 WORK=$work
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

# git is asked for a branch where the build was started: hooks start there, too, and may write to it where outputs are.
leaves << 'HOOK'
echo 'git https://git.example/x master 0000' >> "$HEARTH_INPUTS"
mkdir -p .git/refs .git/objects
echo 'ref: refs/heads/master' > .git/HEAD
printf '[protocol "ext"]\n allow = always\n[url "ext::touch %s "]\n insteadOf = https://git.example/\n' "$PWD/victim/came-through" > .git/config
HOOK
build -o image
[ -e .git/config ] || fail "the hook left nothing"
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
trap 'kill "$server"; rm -rf "$work"' EXIT
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
leaves << 'HOOK'
cd "$WORK/image.d"
for name in .lock build.log clusters manifest.json output.json provenance.json sbom.spdx.json steps.json timing.json timing.svg; do
    rm -f "$name"
    if [ "${LEFT:?}" = link ]; then ln -s "$WORK/victim/file" "$name"; fi
    if [ "$LEFT" = new ]; then ln -s "$WORK/victim/$name" "$name"; fi
    if [ "$LEFT" = pipe ]; then mkfifo "$name"; fi
done
HOOK
for left in link new pipe; do
    export LEFT=$left
    build --no-cache -o image
    build --no-cache -o image
    untouched "$left"
done
[ -f image.d/manifest.json ] && [ ! -L image.d/build.log ] || fail "the builder's files are not its own: $(ls -la image.d)"

# Another image's directory.
leaves <<< 'ln -sfn "$WORK/victim" "$WORK/other.d"'
build --no-cache -o image
! create -o other || fail "the link was followed"
expect_text out "$work/other.d is a link to $work/victim" "Remove the link"
untouched "NAME.d"

# What is in an output's place.
leaves <<< true
mkfifo piped.tar
! create -o piped || fail "a pipe was taken for an output"
expect_text out "$work/piped.tar can't be written: what is there is no file"
finish
