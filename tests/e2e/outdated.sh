#!/bin/bash
# hearth image outdated, and create --if-outdated, beside real repositories: Debian's, whose signature this machine's keys
# check, and one of our own, in which packages get newer versions.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
export HEARTH_UPSTREAM_ELEMENTS=no
debian_release
mkdir -p repo/pool mine/probe/pre-install.d

# publish NAME VERSION: a package, and new lists of the repository.
publish() {
    rm -rf build && mkdir -p build/DEBIAN
    printf 'Package: %s\nVersion: %s\nArchitecture: all\nMaintainer: nobody <nobody@example.com>\nDescription: of a test\n' \
        "$1" "$2" > build/DEBIAN/control
    dpkg-deb -b build "repo/pool/$1_$2_all.deb" > build.log 2>&1 || fail "no package: $(cat build.log)"
    (
        cd repo || exit
        dpkg-scanpackages -m pool > Packages 2> ../scan.log
        xz -kf Packages
        printf 'Codename: lab\nSuite: lab\nSHA256:\n' > Release
        sha256sum Packages.xz Packages | while read -r digest name; do echo " $digest $(stat -c %s "$name") $name" >> Release; done
        gpg --homedir "$work/keys" --batch --yes --clearsign -o InRelease Release 2> ../sign.log
    )
}

mkdir -m 700 keys
gpg --homedir keys --batch --passphrase '' --quick-gen-key 'lab <lab@example.com>' ed25519 sign never 2> key.log || fail "no key: $(cat key.log)"
key=$(gpg --homedir keys --export | base64 -w 0)
publish hearth-probe 1.0-1
publish hearth-other 1.0-1
python3 -c '
import functools, http.server, sys
class Handler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        with open("asked", "a") as file:
            file.write(self.path + "\n")
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory="repo"))
print(server.server_port, flush=True)
server.serve_forever()' > port & server=$!
trap 'kill $server 2> /dev/null || true; gpgconf --homedir "$work/keys" --kill all 2> /dev/null || true; remove_work' EXIT
for _ in $(seq 100); do [ -s port ] || sleep 0.1; done
DIB_PROBE_REPO=http://127.0.0.1:$(cat port)
export DIB_PROBE_REPO

echo probe > mine/probe/README.md
cat > mine/probe/pre-install.d/01-repository <<S
#!/bin/bash
set -eu -o pipefail
base64 -d <<< '$key' > /etc/apt/trusted.gpg.d/probe.gpg
echo "deb \$DIB_PROBE_REPO ./" > /etc/apt/sources.list.d/probe.list
apt-get update
S
chmod +x mine/probe/pre-install.d/01-repository
mkdir mine/probe/install.d
printf '#!/bin/bash\nset -eu -o pipefail\napt-get install -y hearth-probe\n' > mine/probe/install.d/50-probe
chmod +x mine/probe/install.d/50-probe
export ELEMENTS_PATH=$work/mine:$ELEMENTS_PATH DIB_RELEASE=$release
# Debian's own packages, none of which is judged here, come of a layer where another test has made it: e2e.containers has the same.
cache=${DIB_IMAGE_CACHE:-$work/cache}
export SOURCE_DATE_EPOCH=1700000000

# create [OPTION…]
create() {
    timeout 500 "$HEARTH" image create --image-cache "$cache" -t tar -o web "$@" debian-minimal probe > create.log 2>&1 < /dev/null ||
        { fail "no image: $(tail -30 create.log)" && finish; }
}
# outdated CODE: runs it.
outdated() {
    local code=0
    "$HEARTH" image outdated --image-cache "$cache" "${@:2}" > said 2> errors || code=$?
    [ "$code" = "$1" ] || fail "exit code $code, not $1: $(cat said errors)"
}

create
outdated 0 web
expect_text said "web: up to date (" "note      $DIB_PROBE_REPO/./InRelease: not known to be signed: by none of the keys"
[ "$(grep -c "not known to be signed" said)" = 1 ] || fail "Debian's signature was not checked: $(cat said)"
outdated 0 web.tar && outdated 0  # by a file's name; all that are here

# News that are of no package of the image: no reason to build.
publish hearth-other 2.0-1
outdated 0 web
before=$(sha256sum web.tar)
create --if-outdated
expect_text create.log "is up to date"
[ "$before" = "$(sha256sum web.tar)" ] || fail "an image was made anew for news of others"

# One of its packages.
publish hearth-probe 1.0-2
: > asked
cp -a web.d db.d
outdated 3
expect_text said "web: outdated: 1 newer package" "package   hearth-probe  1.0-1 -> 1.0-2  (lab)" "db: outdated"
[ "$(grep -c InRelease asked)" = 1 ] || fail "a repository was asked $(grep -c InRelease asked) times for two images"
outdated 3 --json web
python3 - <<'P' || fail "the JSON is wrong: $(cat said)"
import json
image, = json.load(open("said"))["images"]
assert image["outdated"] and image["compared"] > 50, image
assert [(p["package"], p["version"], p["security"]) for p in image["packages"]] == [("hearth-probe", "1.0-2", False)], image
P
rm -r db.d
create --if-outdated
outdated 0 web
tar -xOf web.tar ./var/lib/dpkg/status > status
grep -A8 '^Package: hearth-probe' status > paragraph
grep -q '^Version: 1.0-2$' paragraph || fail "the newer package is not in the image"

# Without its records nobody can tell: the build decides as it does without the option.
cp web.d/manifest.json kept.json
rm web.d/manifest.json
create --if-outdated
cp kept.json web.d/manifest.json

# A mirror that hands out other lists than its Release file says, one that is gone, and records that are none.
cp repo/Packages.xz good.xz
publish hearth-probe 1.0-3 && cp good.xz repo/Packages.xz && rm repo/Packages
outdated 1 web
expect_text said "web: not known" "Packages.xz is not what the Release file says"
sed -i 's/Codename: lab/Codename: bad/' repo/InRelease
kill "$server"
outdated 1 web
expect_text said "unknown   " "Connection refused"
outdated 1 nothing
expect_text said "nothing: not known" "there is no nothing.d/manifest.json"
echo '{"packages": 7}' > web.d/manifest.json
outdated 1 web
expect_text said "web.d/manifest.json can't be understood"
finish
