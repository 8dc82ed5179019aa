#!/bin/bash
# cmake/install-packages.sh names packages as the release at hand does. Two releases are imitated: an apt-cache in front of the
# real one knows their names.
set -euo pipefail
script=$(cd "$(dirname "$0")/../.." && pwd)/cmake/install-packages.sh
work=$(mktemp -d "${TMPDIR:-/tmp}/hearth-e2e.XXXXXX")
trap 'rm -rf "$work"' EXIT
failures=0
fail() {
    printf 'FAILED: %s\n' "$*" >&2
    failures=$((failures + 1))
}

# has "GROUP…" NAME: whether the name is one that the groups get.
has() {
    local list
    # shellcheck disable=SC2086  # groups
    list=$(bash "$script" --list $1)
    grep -qx -- "$2" <<<"$list"
}

printf '#!/bin/sh\ncat "%s/known"\n' "$work" >"$work/apt-cache"
chmod +x "$work/apt-cache"
export PATH=$work:$PATH

# Debian 12: every entry's first name.
names=$(sed -n '/^declare -A packages/,/^)/p' "$script" | sed 's/#.*//; s/\[[a-z]*\]=//; s/[()"?]//g; s/declare -A packages=//' | tr -s ' \n' '\n')
cut -d'|' -f1 <<<"$names" >"$work/known"
has build libboost1.81-dev || fail "Debian 12 gets another Boost"
has run libssl3 || fail "Debian 12 gets another libssl"
has peers heat-cfntools || fail "Debian 12 has heat-cfntools, which is not installed"

# A newer one: every entry's last name, and no heat-cfntools.
sed 's/.*|//' <<<"$names" | grep -vx heat-cfntools >"$work/known"
has build libboost-dev || fail "a newer release does not get its Boost"
for name in libboost1.81-dev libboost-filesystem1.81-dev libssl3 libarchive13 libguestfs0; do
    has "build run" "$name" && fail "$name of Debian 12 in another release"
done
has peers heat-cfntools && fail "a package is asked for that the release does not have"

# One that lacks what cannot be done without.
grep -vx cmake "$work/known" >"$work/less" && mv "$work/less" "$work/known"
bash "$script" --list build 2>"$work/said" && fail "a release without cmake is taken for a good one"
grep -q 'apt knows no package cmake here (this is .*); install' "$work/said" || fail "it is not said what is missing: $(cat "$work/said")"

# Before apt's lists were ever read.
: >"$work/known"
has build g++ && has build libboost1.81-dev || fail "without lists of apt no names are printed"

exit $((failures > 0))
