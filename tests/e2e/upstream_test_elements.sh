#!/bin/bash
# Upstream's own test elements, as upstream's functional tests run them: ELEMENT and ELEMENT/test-elements/TEST are built
# together, traced, as a tar file. A test passes when the build succeeds and left no /tmp/dib-test-should-fail in the image.
# Tests that need other distributions than Debian are listed as left out. Arguments choose tests: ELEMENT/TEST.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
package=$(/usr/bin/python3 -c 'import diskimage_builder as d; print(d.__path__[0])' 2> /dev/null) ||
    { echo "SKIPPED: python3-diskimage-builder is not installed" >&2; exit 77; }
command -v debootstrap > /dev/null || { echo "SKIPPED: debootstrap is not installed" >&2; exit 77; }
programs=$(dirname "$HEARTH")
mirror() { apt-get indextargets --format '$(RELEASE) $(REPO_URI)' | awk -v r="$1" '$1 == r { sub("/$", "", $2); print $2; exit }'; }
release=$(. /etc/os-release && echo "$VERSION_CODENAME")
export DIB_DISTRIBUTION_MIRROR DIB_DEBIAN_SECURITY_MIRROR DIB_DEBIAN_SECURITY_SUBPATH=-security DIB_PYTHON_VERSION=3
DIB_DISTRIBUTION_MIRROR=$(mirror "$release")
DIB_DEBIAN_SECURITY_MIRROR=$(mirror "$release-security")

# A mirror that stands still is accepted in the image where this machine's apt accepts it.
mkdir -p local/as-the-host/root.d
cat > local/as-the-host/root.d/50-valid-until << 'HOOK'
#!/bin/bash
set -eu -o pipefail
echo 'Acquire::Check-Valid-Until "false";' > "$TARGET_ROOT/etc/apt/apt.conf.d/90as-the-host"
HOOK
chmod +x local/as-the-host/root.d/50-valid-until
as_the_host=
[ "$(apt-config shell value Acquire::Check-Valid-Until)" != "value='false'" ] || as_the_host=as-the-host

run=0
for test in "$package"/elements/*/test-elements/*/; do
    name=$(basename "$test")
    tested=$(basename "$(dirname "$(dirname "$test")")")
    [ $# = 0 ] || [[ " $* " == *" $tested/$name "* ]] || continue
    export ELEMENTS_PATH=${test%/*/}:$package/elements:$work/local
    needs=$("$programs/element-info" "$tested" "$name" 2> info) || needs="$needs unresolved $(cat info)"
    if ! grep -qw debian-minimal <<< "$needs" || grep -qwE 'unresolved|source-repositories|python-stow-versions' <<< "$needs"; then
        echo "left out: $tested/$name (another distribution, sources from the Internet, or a dependency that is left open)"
        continue
    fi
    echo "running: $tested/$name"
    run=$((run + 1))
    DIB_SHOW_IMAGE_USAGE=1 "$programs/disk-image-create" -x -n -t tar -o "$name" "$tested" "$name" $as_the_host > log 2>&1 < /dev/null ||
        { tail -n 30 log >&2; fail "$tested/$name: the build fails"; continue; }
    [ -s "$name.tar" ] || fail "$tested/$name: there is no image"
    ! grep -q 'tmp/dib-test-should-fail' <<<"$(tar -tf "$name.tar")" || fail "$tested/$name: it should have failed"
    rm -f "$name.tar"
done
[ "$run" -gt 0 ] || fail "none of upstream's test elements was run"
finish
