#!/bin/bash
# Layers of elements with a git source: kept from the first build on, taken by a runner whose cache is empty, and what moves at the
# server costs just the steps from the one that fetches it. Each step makes a layer here (HEARTH_LAYER_WORTH=0).
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
type -P git curl > /dev/null || { echo "SKIPPED: git and curl are needed" && exit 77; }

export SOURCE_DATE_EPOCH=1700000000 DIB_IMAGE_CACHE=$work/cache HEARTH_LAYER_WORTH=0 DIB_REPO_RETRY_DELAY=0 HEARTH_NETWORK=host
export ELEMENTS_PATH=$work/elements:$here/elements GIT_CONFIG_GLOBAL=$work/gitconfig
git config --global init.defaultBranch main
git config --global user.name Someone
git config --global user.email someone@example.org

# commit REPOSITORY TEXT: to its branch main, and what a server without git's own protocol needs.
commit() {
    echo "$2" > "sources/$1/file" && git -C "sources/$1" add file && git -C "sources/$1" commit -qm "$2"
    git -C "sources/$1" push -q "$work/served/$1.git" main && git -C "served/$1.git" update-server-info
}
for repository in here there; do
    git init -q "sources/$repository"
    git init -q --bare "served/$repository.git"
    commit $repository one
done
mkdir put
python3 - "$work" <<'SERVER' &
import http.server, os, sys
class Answer(http.server.SimpleHTTPRequestHandler):
    def translate_path(self, path):
        return sys.argv[1] + ("/put" if path.startswith("/c/") else "/served") + path.removeprefix("/c").split("?")[0]
    def do_PUT(self):
        place = self.translate_path(self.path)
        os.makedirs(os.path.dirname(place), exist_ok=True)
        with open(place, "wb") as file:
            file.write(self.rfile.read(int(self.headers["Content-Length"])))
        self.send_response(201)
        self.send_header("Content-Length", "0")
        self.end_headers()
    def log_message(self, *_):
        pass
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answer)
with open(sys.argv[1] + "/port.new", "w") as file:
    file.write(str(server.server_address[1]))
os.rename(sys.argv[1] + "/port.new", sys.argv[1] + "/port")
server.serve_forever()
SERVER
server=$!
trap 'kill "$server"; remove_work' EXIT
until [ -s port ]; do sleep 0.1; done
SERVER=http://127.0.0.1:$(cat port)
export SERVER HERE=file://$work/sources/here

mkdir -p elements/app
echo source-repositories > elements/app/element-deps
# shellcheck disable=SC2016
echo 'app git /opt/here $HERE main' > elements/app/source-repository-app
# shellcheck disable=SC2016
echo 'there git /opt/there $SERVER/there.git ${THERE_REF:-main}' > elements/app/source-repository-there
# shellcheck disable=SC2016
echo 'document file /opt/document $SERVER/document' > elements/app/source-repository-document
echo one > served/document
hook app/install.d/50-app <<< 'cat /opt/here/file /opt/there/file /opt/document > /opt/all'

# build TEXT OPTION…: /opt/all says this afterwards, and of all but the clones' own records it is what a build without a cache makes.
build() {
    local text=$1
    shift
    "$HEARTH" image create -n -t tar -o image "$@" tools app > out 2>&1 < /dev/null || fail "the build fails: $(cat out)"
    "$HEARTH" image why image > why
    [ "$(tar -xOf image.tar ./opt/all | tr '\n' ' ')" = "$text " ] || fail "/opt/all says $(tar -xOf image.tar ./opt/all), not $text"
}
ran() {
    local expected
    expected=$(printf '%s\n' "$@" | sed '/^$/d')
    [ "$(awk '$1 == "ran" && $2 ~ /^(root|extra-data|pre-install|install|post-install|post-root)[.]d/ { print $2 }' why)" = "$expected" ] ||
        { fail "not just ${expected:-nothing} ran:"; cat why >&2; }
}
again() { rm -f image.tar; }
build "one one one"
# The steps from the one that fetches on.
mapfile -t behind < <(awk '$1 == "ran" { print $2 }' why | sed -n '/98-source-repositories/,$p' |
    grep -E '^(extra-data|pre-install|install|post-install|post-root)[.]d')
[ "${behind[0]}" = extra-data.d/98-source-repositories ] || fail "no sources were fetched: $(cat why)"
! grep -q "it is not kept" why || fail "the first build keeps nothing behind a source: $(cat why)"
again && build "one one one"
ran

# A runner with an empty cache takes it all.
commit here two
openssl genpkey -algorithm ed25519 -out site.pem 2> /dev/null
build "two one one" --remote-cache "$SERVER/c" --remote-cache-key site.pem
ran "${behind[@]}"
expect_text why "98-source-repositories" "the git repository $HERE main changed"
! grep -qE "is gone|is new|machine's" why || fail "what the fetch brought about is told as a cause: $(cat why)"
mv cache cache.first
again && build "two one one" --remote-cache "$SERVER/c" --remote-cache-key site.pem
ran
rm -rf cache && mv cache.first cache

# What moves at either server is seen at once, and costs the fetch and what comes behind it, once.
commit there two
again && build "two two one"
ran "${behind[@]}"
again && build "two two one"
ran
echo two > served/document && touch -d '+1 hour' served/document
again && build "two two two"
ran "${behind[@]}"
again && build "two two two"
ran
# What moves there beside the branch does not matter.
git -C sources/here checkout -q -b other
echo beside > sources/here/beside && git -C sources/here add beside && git -C sources/here commit -qm beside
git -C sources/here checkout -q main && git -C sources/here pack-refs --all
again && build "two two two"
ran
# A commit that is asked for by its name is kept likewise, whatever comes behind it; and one that is gone is not taken from a layer.
THERE_REF=$(git -C sources/there rev-parse main)
export THERE_REF
again && build "two two two"
commit there three
again && build "two two two"
ran
unset THERE_REF
again && build "two three two"
mv sources/here sources/gone
again
! "$HEARTH" image create -n -t tar -o image tools app > out 2>&1 < /dev/null || fail "a repository that is gone was built from a layer"
mv sources/gone sources/here

# What the cache has counts where no server was asked: offline, and of what somebody put there for a hook that fetches something else.
again && DIB_OFFLINE=1 build "two three two"
again && DIB_OFFLINE=1 build "two three two"
ran
echo offline > "$(ls cache/source-repositories/document_*)"
again && DIB_OFFLINE=1 build "two three offline"
hook app/extra-data.d/99-own <<< '"$TMP_HOOKS_PATH/bin/cache-url" "$SERVER/document" "$DIB_IMAGE_CACHE/fetched"
cat "$DIB_IMAGE_CACHE/fetched" "$DIB_IMAGE_CACHE/put" > "$TMP_MOUNT_PATH/etc/put"'
echo one > cache/put
again && build "two three two"
again && build "two three two"
ran
echo two > cache/put
again && build "two three two"
[ "$(tar -xOf image.tar ./etc/put | tail -1)" = two ] || fail "a file of the image cache that is no copy was not seen to change"

# What was not there when a hook looked for it, and then is; and what a hook puts there for itself is no news.
hook app/extra-data.d/99-own <<< 'cat "$DIB_IMAGE_CACHE/laid" > "$TMP_MOUNT_PATH/etc/put" 2> /dev/null || echo none > "$TMP_MOUNT_PATH/etc/put"
[ -f "$DIB_IMAGE_CACHE/made" ] || echo made > "$DIB_IMAGE_CACHE/made"'
again && build "two three two"
[ "$(tar -xOf image.tar ./etc/put)" = none ] || fail "a file of the image cache is there"
again && build "two three two"
ran
echo laid > cache/laid
again && build "two three two"
[ "$(tar -xOf image.tar ./etc/put)" = laid ] || fail "a file that came into the image cache was not seen"
rm cache/laid
again && build "two three two"
[ "$(tar -xOf image.tar ./etc/put)" = none ] || fail "a file that went from the image cache was not seen"
again && build "two three two"
ran

# A directory of the image cache that a hook binds into the target and leaves there, as upstream's dpkg does with apt's packages: the
# steps behind are kept, and where a build goes on from them it is bound again, also where somebody removed it; a hook may end it.
hook bound/root.d/60-bind <<< 'mkdir -p "$DIB_IMAGE_CACHE/bound" "$TARGET_ROOT/var/cache/bound"
sudo mount --bind "$DIB_IMAGE_CACHE/bound" "$TARGET_ROOT/var/cache/bound"'
hook bound/install.d/50-fills <<< 'mkdir -p /opt; echo package > /var/cache/bound/package'
hook bound/install.d/60-takes <<< 'cat /var/cache/bound/package > /opt/took 2> /dev/null || echo none > /opt/took; echo more > /var/cache/bound/more'
# bound TOOK: the image's hook found that there.
bound() {
    rm -f bound.tar
    "$HEARTH" image create -n -t tar -o bound tiny-os bound > out 2>&1 < /dev/null || fail "with a bind the build fails: $(cat out)"
    "$HEARTH" image why bound > why
    [ "$(tar -xOf bound.tar ./opt/took)" = "$1" ] || fail "below the bind was $(tar -xOf bound.tar ./opt/took), not $1"
    [ -n "${ended:-}" ] || ! tar -tf bound.tar | grep -q '^[.]/var/cache/bound/.' || fail "what was bound is in the image"
}
bound package
bound package
ran
echo 'echo again' >> elements/bound/install.d/60-takes
rm cache/bound/more
bound package
mapfile -t behind < <(awk '$1 == "ran" { print $2 }' why)
[ "${behind[0]}" = install.d/60-takes ] && [ -e cache/bound/more ] || fail "not from its hook on, or it was bound no more: ${behind[*]}"
echo 'echo and again' >> elements/bound/install.d/60-takes
rm -r cache/bound
bound none
[ "$(ls cache/bound)" = more ] || fail "the directory that was removed is not bound again"
hook bound/extra-data.d/60-ends <<< 'sudo umount "$TMP_MOUNT_PATH/var/cache/bound"'
ended=yes bound package
tar -tf bound.tar | grep -q '^[.]/var/cache/bound/more' && [ "$(ls cache/bound)" = more ] || fail "a hook can't end the bind"

finish
