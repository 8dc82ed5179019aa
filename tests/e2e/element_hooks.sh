#!/bin/bash
# The helper elements at work: what others' elements ask of them, in a tiny tree, by the real builder.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
type -P git curl > /dev/null || { echo "SKIPPED: git and curl are needed" && exit 77; }

export SOURCES=$work/sources CODE_REF=main DIB_IMAGE_CACHE=$work/cache DIB_REPO_RETRY_DELAY=0
export GIT_CONFIG_GLOBAL=$work/gitconfig
export DIB_INSTALLTYPE_nothing=package
git config --global init.defaultBranch main
git config --global user.name Someone
git config --global user.email someone@example.org
mkdir -p sources/code
(
    cd sources/code
    git init -q
    echo one > file && git add file && git commit -qm one && git tag first
    echo two > file && git commit -qam two
    git clone -q --bare . ../code.git
    mkdir -p release-1.0/sub && echo r > release-1.0/sub/r && tar -czf ../release.tar.gz release-1.0
    echo document > ../document
)
first=$(git -C sources/code rev-parse first)

# build NAME WORD…: a tree in the directory NAME from the elements and options given.
build() {
    local name=$1
    shift
    "$HEARTH" image create -n -t tar -o "$name" tools "$@" > "out-$name" 2>&1 < /dev/null || {
        fail "$name: $(tail -40 "out-$name")"
        return 1
    }
    rm -rf "tree-$name" && mkdir "tree-$name"
    tar -C "tree-$name" -xf "$name.tar" --no-same-owner
}
# same FILE TEXT: the file's contents are the text.
same() {
    [ "$(cat "$1" 2>&1)" = "$2" ] || fail "$1 is: $(cat "$1" 2>&1), not: $2"
}

if build all helper-user; then
    tree=$PWD/tree-all
    same $tree/etc/answers "apache2
postgresql
local
unknown
default-one
family-two
release-three release-more
-four
five
code 1
code 2
systemd"
    expect_text $tree/etc/complaints "helper-user has no valid mapping for package four" "Required pkg-map for nobody"
    same $tree/usr/share/svc-map/services "db: postgresql
local: other
web: apache2"
    # One run a phase and way, mapped; what is both installed and removed goes in and out.
    same $tree/etc/installed-packages "release-three release-more
git default-one tool family-two one-time
-e tool one-time
family-two"
    same $tree/etc/way source
    same $tree/etc/deep/file static
    [ "$(readlink $tree/etc/deep/link)" = file ] || fail "a link of static/ is no link"
    [ -x $tree/usr/local/lib/program ] || fail "a program of static/ is not executable"
    [ ! -e $tree/etc/deep/file.orig ] || fail "static/ brought a file.orig"
    [ -e $tree/usr/lib/systemd/system/helper.service ] || fail "the unit was not installed"
    same $tree/opt/code/file two
    same $tree/opt/release/release-1.0/sub/r r
    same $tree/opt/inner/sub/r r
    same $tree/opt/document document
    same $tree/etc/dib-source-repositories "/opt/code
/opt/release
/opt/inner
/opt/document"
    same $tree/etc/dib-manifests/dib-manifest-git-all "code git /opt/code file://$SOURCES/code.git $(git -C sources/code rev-parse main)"
    expect_text $tree/etc/dib-manifests/dib-element-manifest helper-user source-repositories
    expect_text all.d/dib-manifests/dib_arguments helper-user
fi

# Overrides, a commit by its name, another way of installing; passwords stay out of the manifests.
export DIB_REPOREF_code=$first DIB_REPOLOCATION_document=file://$SOURCES/other DIB_TEST_PASSWORD=hush
echo other > sources/other
DIB_INSTALLTYPE_helper_user=package DIB_INSTALLTYPE_inner=package build overridden helper-user
same tree-overridden/opt/code/file one
same tree-overridden/opt/document other
same tree-overridden/etc/way package
[ ! -e tree-overridden/opt/inner ] || fail "a source was fetched for an install by packages"
expect_text overridden.d/dib-manifests/dib_environment DIB_REPOREF_code
! grep -rq hush overridden.d/dib-manifests tree-overridden/etc || fail "a password is in the manifests"
unset DIB_REPOREF_code DIB_REPOLOCATION_document DIB_TEST_PASSWORD

# Offline: from the cache, though the sources are gone; what is not there is named.
mv sources gone
DIB_OFFLINE=1 build offline helper-user
same tree-offline/opt/code/file two
same tree-offline/opt/document document
mv gone sources
CODE_REF=no-such-branch "$HEARTH" image create -n -t tar -o missing tools helper-user > out-missing 2>&1 < /dev/null && fail "an unknown branch builds"
expect_text out-missing "Failed to find reference to no-such-branch"
NO_SOURCE_REPOSITORIES=1 build none helper-user
[ ! -e tree-none/opt ] || fail "NO_SOURCE_REPOSITORIES fetches"

# The init system is asked for before anything runs in the tree.
DIB_INIT_SYSTEM=initng "$HEARTH" image create -n -t tar -o init tiny-os dib-init-system > out-init 2>&1 < /dev/null && fail "an unknown init system builds"
expect_text out-init "Unrecognised init system: initng!"

# Wrong data is refused before the first hook.
for case in 'pkg-map|{"defolt": {}}|pkg-map:1:2: unknown key' 'svc-map|web: apache2|svc-map:1:6: service' \
    'package-installs.yaml|a: {fase: x}|package-installs.yaml:1:5: unknown key'; do
    IFS='|' read -r file text expected <<< "$case"
    rm -rf bad && mkdir -p bad/wrong && printf '%s\n' "$text" > "bad/wrong/$file"
    ELEMENTS_PATH=$work/bad:$ELEMENTS_PATH "$HEARTH" image create -n -t tar -o wrong tiny-os wrong > out-wrong 2>&1 < /dev/null && fail "a wrong $file builds"
    expect_text out-wrong "$expected" "allowed are"
    ! grep -q "root.d" out-wrong || fail "a hook ran before the wrong $file was found"
done

# Baked metadata that nobody serves: the agent has its local ones alone. Those of a server stay as they are.
for url in http://127.0.0.1:8000 http://192.0.2.1:8000; do
    name=baked-${url//[^0-9]/-}
    printf '{"deployments": [], "os-collect-config": {"collectors": ["cfn", "local"], "cfn": {"metadata_url": "%s/v1/"}}}\n' $url > baked.json
    build $name --metadata baked.json dib-init-system || continue
    file=tree-$name/etc/os-collect-config.conf.d/10-heat-metadata.conf
    if [ $url = http://127.0.0.1:8000 ]; then
        grep -q '^collectors = heat_local$' $file || fail "a machine polls itself: $(ls tree-$name/etc)"
        expect_text $name.d/build.log "is this machine, and nobody serves metadata there"
    else
        [ ! -e $file ] || fail "a machine does not poll the server that its metadata name: $(cat $file)"
    fi
done
finish
