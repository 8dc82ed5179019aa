#!/bin/bash
# hearth element list, info, graph, lint and new, and element-info, as people and scripts call them.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

# gives CODE COMMAND… : COMMAND exits with CODE; its output is in the file out.
gives() {
    local want=$1 got=0
    shift
    "$@" > out 2>&1 < /dev/null || got=$?
    [ "$got" = "$want" ] || fail "exit code $got instead of $want: $*: $(cat out)"
}

gives 0 "$HEARTH" element list
expect_text out "tiny-os" "debian-minimal" "cache-url                   Downloads a file once"
awk 'length($0) > 80 { print; long = 1 } END { exit long }' out || fail "element list has lines of more than 80 columns"
gives 0 "$HEARTH" element list --json
expect_text out '"name": "pkg-map"'

gives 0 "$HEARTH" element info failing
expect_text out "install.d/30-fails" "$ELEMENTS_PATH/failing"
gives 1 "$HEARTH" element info failling
expect_text out "Element 'failling' not found" "did you mean 'failing'?"
gives 2 "$HEARTH" element info

gives 0 "$HEARTH" element graph cycle-a
expect_text out 'digraph' '"cycle-a" -> "cycle-b"'
gives 0 "$HEARTH" element graph --tree cycle-a
expect_text out '    cycle-a (cycle)'
gives 0 "$HEARTH" element graph --json cycle-a
expect_text out '"cycles"'

gives 0 "$HEARTH" element new -d made my-element
[ -x made/my-element/install.d/50-my-element ] || fail "the new element has no hook"
gives 0 "$HEARTH" element lint --strict made/my-element
gives 0 "$HEARTH" element lint --strict made
gives 1 "$HEARTH" element new -d made my-element
expect_text out "exists already"
gives 2 "$HEARTH" element new 'my element'
gives 0 "$HEARTH" element new -d other vm
expect_text out "warning: there is an element vm already, " "where ELEMENTS_PATH finds the new one, all images get that in its place"
ln -s "$HEARTH" dib-lint
gives 0 ./dib-lint made
expect_text out "made/my-element" "PASS"
mkdir -p bad/web/install.d
printf '#!/bin/bash\necho\n' > bad/web/install.d/50-web
gives 1 ./dib-lint bad
expect_text out "bad/web/install.d/50-web:1 set -e is missing" "FAIL"

ELEMENTS_PATH=$PWD/made gives 0 "$HEARTH" help DIB_MY_ELEMENT_GREETING
expect_text out "The variable DIB_MY_ELEMENT_GREETING is read or set by" "- my-element"
gives 2 "$HEARTH" help DIB_MY_ELEMENT_GREETINGS

# Names of packages are looked up in the lists that are here; where none are, that is told.
lists=cache/apt/debian/lists-bookworm-$(dpkg --print-architecture)
mkdir -p "$lists" names/tool
printf 'Package: lsof\n' > "$lists/m_dists_bookworm_main_binary-$(dpkg --print-architecture)_Packages"
printf '# tool\n' > names/tool/README.md
printf 'lsof:\nlsofff:\n' > names/tool/package-installs.yaml
DIB_IMAGE_CACHE=$PWD/cache gives 0 "$HEARTH" element lint names
expect_text out "names/tool/package-installs.yaml:2: warning: lsofff is in no repository of debian bookworm" "did you mean lsof?" \
    "1 element: 0 errors, 1 warning"
DIB_IMAGE_CACHE=$PWD/cache gives 1 "$HEARTH" element lint --strict names
printf '# dib-lint: disable=package\nlsofff:\n' > names/tool/package-installs.yaml
DIB_IMAGE_CACHE=$PWD/cache gives 0 "$HEARTH" element lint --strict names
# shellcheck disable=SC2016 # of the inner shell
if unshare -rm sh -c 'mount -t tmpfs none /var/lib/apt/lists' 2> /dev/null; then
    gives 0 unshare -rm sh -c 'mount -t tmpfs none /var/lib/apt/lists && DIB_IMAGE_CACHE=$PWD/none exec "$0" element lint names' "$HEARTH"
    expect_text out "1 element, names of packages not looked up (no lists of a release are here" "): nothing found"
fi

printf '#!/bin/bash\n# DIB_DEBUG_TRACE\nset -eu\nsudo losetup -f\n' > made/my-element/install.d/60-bad
gives 1 "$HEARTH" element lint made/my-element
expect_text out "60-bad:1: error:" "[executable]" "[setpipefail]" "60-bad:4: error: losetup" "60-bad:4: warning: hooks are root"
printf 'git:\n  fase: install.d\n' > made/my-element/package-installs.yaml
gives 1 "$HEARTH" element lint --json made/my-element
expect_text out '"check": "yaml"' '"line": 2'
printf '[dib-lint]\nignore = yaml executable setpipefail loop sudo\n' > tox.ini
gives 0 "$HEARTH" element lint --strict made/my-element
rm tox.ini
gives 0 "$HEARTH" element lint --strict --disable yaml,executable,setpipefail,loop,sudo made/my-element

# element-info looks in ELEMENTS_PATH alone, and its variables are bash.
mkdir info
ln -s "$HEARTH" info/element-info
gives 0 info/element-info tiny-os
[ "$(cat out)" = tiny-os ] || fail "element-info says: $(cat out)"
gives 1 info/element-info tiny-os debian-minimal
gives 1 info/element-info failing
expect_text out "Please include an operating system element"
info/element-info --env tiny-os failing > variables
# shellcheck disable=SC2016  # for the inner shell
bash -eo pipefail -c '
    . ./variables
    declare -A elements
    eval "elements=($(get_image_element_array))"
    [ "${elements[failing]}" = "$ELEMENTS_PATH/failing" ] && [ "$IMAGE_ELEMENT" = "failing tiny-os" ]
' || fail "the variables don't evaluate: $(cat variables)"
finish
