#!/bin/bash
# The newest diskimage-builder that this machine's archive has: its tree is fetched and kept, its elements are found by
# themselves, every one plans or is refused for a reason that upstream has too, and its debian-minimal builds.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
[ -n "${HEARTH_LONG:-}" ] || { echo "SKIPPED: HEARTH_LONG is not set" && exit 77; }
debian_release
unset ELEMENTS_PATH
export HEARTH_UPSTREAM_ELEMENTS=first DIB_RELEASE=$release DIB_DISTRIBUTION_MIRROR=${mirror%/} DIB_PYTHON_VERSION=3
security=$(apt-get indextargets --format '$(CODENAME)-$(SUITE) $(REPO_URI)' | awk '/security/ { print $2; exit }')
export DIB_DEBIAN_SECURITY_MIRROR=${security%/}
"$HEARTH" element fetch --ref sid --json diskimage-builder > fetched || { fail "no tree: $(cat fetched)"; finish; }
expect_text fetched '"kind": "deb"' '"licence": "Apache-2.0"' '"version"'
tree=$HOME/.local/share/hearth/elements/diskimage-builder/elements
[ -f "$tree/.origin.json" ] || fail "the tree has no origin"

planned=0
for element in "$tree"/*/; do
    name=$(basename "$element")
    if "$HEARTH" image plan -n debian-minimal "$name" > plan 2>&1; then
        planned=$((planned + 1))
    else
        grep -qE "already provided|duplicated hook|not found|depends on|is provided by" plan || fail "$name: $(cat plan)"
    fi
done
[ "$planned" -gt 90 ] || fail "only $planned elements plan"
echo "$planned elements of $(jq -r .origin.version fetched 2> /dev/null || grep version fetched) plan beside debian-minimal"

ln -s "$HEARTH" disk-image-create
./disk-image-create -n -t tar -o newest debian-minimal > out 2>&1 < /dev/null || fail "debian-minimal: $(tail -20 out)"
expect_text newest.d/provenance.json '"kind": "deb"' '"licence": "Apache-2.0"'
finish
