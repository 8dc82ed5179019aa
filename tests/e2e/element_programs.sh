#!/bin/bash
# Programs of elements that hooks call, each by itself: cache-url beside a real server, install-packages of the RPM families
# with package managers that say what they are asked for.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
elements=$(cd "$here/../../elements" && pwd)
type -P curl python3 > /dev/null || { echo "SKIPPED: curl and python3 are needed" && exit 77; }

# gives CODE TEXT COMMAND…: COMMAND exits with CODE and says TEXT.
gives() {
    local want=$1 text=$2 got=0
    shift 2
    "$@" > out 2>&1 || got=$?
    [ "$got" = "$want" ] || fail "exit code $got instead of $want: $*: $(cat out)"
    [ -z "$text" ] || expect_text out "$text"
}
same() {
    [ "$(cat "$1" 2>&1)" = "$2" ] || fail "$1 is: $(cat "$1" 2>&1), not: $2"
}

# ---- cache-url
cat > server.py <<'PYTHON'
import http.server, sys
class Handler(http.server.SimpleHTTPRequestHandler):
    def do_GET(self):
        with open("../requests", "a", encoding="utf-8") as log:
            log.write(f"{self.path} {'if-changed' if 'If-Modified-Since' in self.headers else 'plain'} "
                      f"{self.headers.get('Pragma', '-')}\n")
        if self.path == "/moved":
            self.send_response(302)
            self.send_header("Location", "/document")
            self.end_headers()
        elif self.path == "/broken":
            self.send_error(500)
        else:
            super().do_GET()
    def log_message(self, *_): pass
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
open("../port", "w", encoding="utf-8").write(f"{server.server_address[1]}\n")
server.serve_forever()
PYTHON
mkdir www
echo one > www/document
mkfifo port
(cd www && exec python3 ../server.py) &
server=$!
trap 'kill $server; remove_work' EXIT
read -r port < port
url=http://127.0.0.1:$port
cache_url=$elements/cache-url/bin/cache-url
unset http_proxy https_proxy

gives 0 "for the first time" "$cache_url" "$url/document" cache/document
same cache/document one
touch -d '2030-01-01' cache/document
gives 0 "Server copy has not changed" "$cache_url" "$url/document" cache/document
[ "$(date -r cache/document +%Y)" = 2030 ] || fail "an unchanged document was written"
echo two > www/document
touch -d '2035-01-01' www/document
gives 0 "Server copy has changed" "$cache_url" "$url/document" cache/document
same cache/document two
touch -d '2040-01-01' cache/document
gives 0 "forced upstream caches" "$cache_url" -f "$url/document" cache/document
tail -n 1 requests > last
same last "/document plain no-cache, must-revalidate"
gives 0 "for the first time" "$cache_url" "$url/moved" cache/moved
same cache/moved two
gives 44 "[404]" "$cache_url" "$url/nothing" cache/nothing
gives 1 "[500]" "$cache_url" "$url/broken" cache/broken
gives 1 "unexpected response code. [000]" "$cache_url" http://127.0.0.1:9/ cache/refused
gives 0 "for the first time" "$cache_url" "file://$work/www/document" cache/file
same cache/file two
gives 1 "failed" "$cache_url" "file://$work/nothing" cache/none
gives 1 "usage" "$cache_url" "$url/document"
[ -z "$(find cache -name '.download*')" ] && [ ! -e cache/nothing ] && [ ! -e cache/broken ] || fail "failed downloads left files: $(ls -A cache)"
mkfifo pipe
cat pipe > from-pipe &
gives 0 "for the first time" "$cache_url" "$url/document" pipe
wait $!
same from-pipe two
echo three > www/document
: > requests
DIB_OFFLINE=1 gives 0 "Offline: using locally cached" "$cache_url" "$url/document" cache/document
same requests ""

# ---- debootstrap: every suite that one of the host's archives has
mkdir -p www/debian/dists/trixie www/debian/dists/trixie-updates www/debian-security/dists/trixie-security suites/path suites/target/{usr/sbin,etc/apt/apt.conf.d,etc/dpkg/dpkg.cfg.d,var/lib/apt/lists,var/cache/apt}
touch www/debian/dists/trixie/InRelease www/debian/dists/trixie-updates/InRelease www/debian-security/dists/trixie-security/InRelease
cat > suites/path/apt-get <<SCRIPT
#!/bin/bash
for suite in debian/dists/bookworm debian/dists/bookworm-updates debian-security/dists/bookworm-security; do
    echo "'$url/\$suite/InRelease' x 0"
done
SCRIPT
printf '#!/bin/bash\ncat > "%s/suites/sources"\n' "$work" > suites/path/mmdebstrap
chmod +x suites/path/*
# sources_of RELEASE [VARIABLE=VALUE…]: the repositories that a bootstrap is given.
sources_of() {
    local release=$1
    shift
    rm -f suites/sources
    env PATH="$work/suites/path:$PATH" DISTRO_NAME=debian DIB_RELEASE="$release" ARCH=amd64 DIB_DEBIAN_COMPONENTS=main \
        TARGET_ROOT="$work/suites/target" TMPDIR="$work/suites" DIB_IMAGE_CACHE="$work/suites/cache" DIB_APT_LOCAL_CACHE=0 \
        _LIB="$elements/.lib" TMP_HOOKS_PATH="$work/suites" "$@" "$elements/debootstrap/root.d/08-debootstrap"
}
gives 0 "" sources_of bookworm
same suites/sources "deb $url/debian/ bookworm main
deb $url/debian/ bookworm-updates main
deb $url/debian-security/ bookworm-security main"
gives 0 "" sources_of trixie
same suites/sources "deb $url/debian/ trixie main
deb $url/debian/ trixie-updates main
deb $url/debian-security/ trixie-security main"
gives 1 "archives have no suite forky of debian, and no other mirror is known" sources_of forky
gives 1 "have no suite trixie of debian whose lists are in the cache (DIB_OFFLINE asks nobody)" sources_of trixie DIB_OFFLINE=1
mkdir -p suites/cache/apt/debian/lists-trixie-amd64
touch suites/cache/apt/debian/lists-trixie-amd64/mirror_debian_dists_trixie_InRelease
gives 0 "" sources_of trixie DIB_OFFLINE=1
same suites/sources "deb $url/debian/ trixie main"

# ---- sudo of the sandbox
sudo=$elements/.shims/sudo
gives 0 "" "$sudo" -E A=1 -- bash -c 'exit $((A - 1))'
if [ "$(id -u)" = 0 ]; then
    gives 0 "" "$sudo" -u nobody id -un
    same out nobody
    gives 0 "" "$sudo" -nHu nobody -g daemon bash -c 'id -gn; echo "$USER $HOME"'
    same out "daemon
nobody $(getent passwd nobody | cut -d: -f6)"
    gives 0 "" "$sudo" --user=root id -un
    same out root
    gives 1 "unknown user nosuch" "$sudo" -u nosuch true
    gives 1 "unknown user 71234" "$sudo" -u 71234 true
    gives 0 "" "$sudo" -u '#71234' bash -c 'id -u; id -G; echo "$USER $HOME"'
    same out "71234
0
#71234 /"
    gives 0 "" "$sudo" -u '#71234' -g '#71235' id -G
    same out 71235
fi

# ---- install-packages of yum and zypper
mkdir fakes
for manager in dnf yum zypper yumdownloader; do
    printf '#!/bin/bash\necho "%s $*" >> "%s/asked"\nexit "${CODE:-0}"\n' "$manager" "$work" > fakes/$manager
done
printf '#!/bin/bash\n[ "$1" = --element ] || exit 1\nshift 2\n[ "$1" != unknown ] || exit 1\nfor name in "$@"; do echo "real-$name more"; done\n' > fakes/pkg-map
chmod +x fakes/*
export PATH=$work/fakes:$PATH
# asks TEXT COMMAND…: the package managers are asked for exactly TEXT.
asks() {
    local text=$1
    shift
    : > asked
    "$@" > out 2>&1 || fail "$*: $(cat out)"
    same asked "$text"
}
yum=$elements/yum/bin/install-packages
asks "dnf -y install a b
dnf -y mark install a b" "$yum" a b
asks "yum -y install a" env YUM=yum "$yum" a
asks "dnf -y install real-a more
dnf -y mark install real-a more" "$yum" -m my-element a
asks "dnf -y remove a" "$yum" -e a
asks "dnf -y update" "$yum" -u
asks "dnf download --destdir=dir a" "$yum" -d dir a
asks "yumdownloader --destdir=dir a" env YUM=yum "$yum" -d dir a
asks "" "$yum"
gives 1 "pkg-map has no names for: unknown" "$yum" -m my-element unknown
CODE=3 gives 3 "" "$yum" a

zypper=$elements/zypper/bin/install-packages
always="zypper --non-interactive --gpg-auto-import-keys"
asks "$always install --no-recommends a b" "$zypper" a b
asks "$always install --no-recommends real-a more" "$zypper" -m my-element a
asks "$always install --no-recommends --download-only a" "$zypper" -d a
asks "$always remove --clean-deps a" "$zypper" -e a
asks "$always dist-upgrade --no-recommends" "$zypper" -u
asks "" "$zypper"
asks "$always install --no-recommends a" env CODE=102 "$zypper" a
CODE=104 gives 104 "" "$zypper" a
finish
