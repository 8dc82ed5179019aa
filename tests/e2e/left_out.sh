#!/bin/bash
# What a build would leave out without a word: the mistakes that people make in their first elements. Each is told by plan and
# by lint, with its place and the nearest right thing; a build tells before its first hook, and again at its end; --strict ends it.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
mkdir -p mine home/.ssh
export ELEMENTS_PATH=$work/mine:$ELEMENTS_PATH HEARTH_UPSTREAM_ELEMENTS=no

# element: an empty one, named web.
element() {
    rm -rf mine/web
    mkdir -p mine/web/install.d mine/web/environment.d
    echo "web" > mine/web/README.md
    printf 'package-installs\n' > mine/web/element-deps
    hook 50-web 'echo hook'
}
# hook NAME TEXT [PHASE.d]: a good hook.
hook() {
    mkdir -p "mine/web/${3:-install.d}"
    printf '#!/bin/bash\nset -eu\nset -o pipefail\n%s\n' "$2" > "mine/web/${3:-install.d}/$1"
    chmod +x "mine/web/${3:-install.d}/$1"
}
# told TEXT [WORD…]: a plan tells of it, for people and in its JSON.
told() {
    local text=$1
    shift
    "$HEARTH" image plan -n --json tiny-os web "$@" > json 2> plan || fail "no plan: $(cat plan)"
    expect_text plan "$text"
    expect_text json '"warnings": [' '"check": "'
}
# ended TEXT: a plan tells of it and ends with 1, and a build does not begin.
ended() {
    "$HEARTH" image plan -n tiny-os web > plan 2>&1 && fail "planned: $(cat plan)"
    expect_text plan "$1" "install.d/50-web"
    "$HEARTH" image create -n -t tar -o ended tiny-os web > out 2>&1 < /dev/null && fail "built: $(cat out)"
    expect_text out "the build would end by this, so it does not begin" "$1"
    [ ! -e ended.d ] || fail "a build began that was certain to fail"
}
# linted TEXT: lint tells of it, and ends with 1.
linted() {
    "$HEARTH" element lint --strict mine/web > lint 2>&1 && fail "lint finds nothing: $1"
    expect_text lint "$1"
}

element
"$HEARTH" image plan -n --strict tiny-os web > plan 2>&1 || fail "a good element is refused: $(cat plan)"
"$HEARTH" element lint --strict mine/web > lint 2>&1 || fail "a good element has findings: $(cat lint)"

element && chmod -x mine/web/install.d/50-web
told "mine/web/install.d/50-web: warning: this hook does not run, it is not executable: chmod +x"
linted "50-web:1: error: it begins with #! and is not executable"
element && hook 50-web true post-instal.d
told "unknown phase post-instal.d; did you mean post-install.d?"
linted "did you mean post-install.d?"
for name in package-installs.yml package_installs.yaml; do
    element && echo "git:" > mine/web/$name
    told "mine/web/$name: warning: nothing reads a file of this name; did you mean package-installs.yaml?"
    linted "did you mean package-installs.yaml?"
done
# A part that another element reads, which nobody has named.
element && mkdir -p mine/web/static/etc mine/web/os-refresh-config && echo x > mine/web/static/etc/x && echo 'web git /opt/web https://192.0.2.1/web' > mine/web/source-repository-web
told "mine/web/static: warning: nothing reads it: install-static is not among the elements; add that to "
expect_text plan "mine/web/source-repository-web: warning: nothing reads it: source-repositories is not among" "mine/web/os-refresh-config: warning: "
"$HEARTH" image plan -n --strict tiny-os web > plan 2>&1 && fail "--strict takes what nothing reads: $(cat plan)"
element && mkdir -p mine/web/static/etc && hook 50-web 'cp -a "$(dirname "$0")/../static/." /'
"$HEARTH" image plan -n --strict tiny-os web > plan 2>&1 || fail "what its own hook reads is refused: $(cat plan)"
element && printf 'web:\n  default: nginx\n' > mine/web/svc_map
told "did you mean svc-map?"
element && printf 'web:\n  defualt: nginx\n' > mine/web/svc-map
told "mine/web/svc-map:2: warning: no system is called 'defualt'; did you mean default?"
linted "did you mean default?"
element && printf 'git:\n  when: WEB_DEBUG == 1\n' > mine/web/package-installs.yaml
WEB_DEBUG=1 told "package-installs.yaml:2: warning: package git is never installed: 'WEB_DEBUG == 1'"
element && printf 'git:\n  arch: amd46\n' > mine/web/package-installs.yaml
told "no machine is called amd46"
element && printf 'git:\n  when: WEB_DEBUG = 1\n' > mine/web/package-installs.yaml
told "package git asks for WEB_DEBUG, which nobody sets"
element && hook 60-web 'echo "${DIB_WEB_PORT:-80}"'
DIB_WEB_PROT=81 told "DIB_WEB_PROT is set, and nothing in this image reads it; did you mean DIB_WEB_PORT?"
element && mkdir -p mine/web/install.d/70-more && cp mine/web/install.d/50-web mine/web/install.d/70-more/10-x
told "hooks in a directory are not run"
"$HEARTH" image plan -n tiny-os ./mine/web > plan 2>&1 && fail "a path is an element"
expect_text plan "An element is called by its name"
"$HEARTH" image create images.yml > plan 2>&1 && fail "a file that is not there is an element"
expect_text plan "a file of images ends in .yaml, and must be there"
element && hook 60-wrong 'if true'
ended "mine/web/install.d/60-wrong:5: error: bash: syntax error: unexpected end of file"
linted "60-wrong:5: error: bash: syntax error"
element && echo 'export A=(' > mine/web/environment.d/10-web
ended "environment.d/10-web:"
element && sed -i 's/$/\r/' mine/web/install.d/50-web
told "the kernel looks for a program '/bin/bash\\r'"
linted "its lines end as on Windows (CRLF)"
[ "$(grep -c '50-web' lint)" = 1 ] || fail "CRLF has follow-ups: $(cat lint)"
element && hook 60-web.sh true
told "this hook does not run, its name may have letters"
element && printf 'package-installs\ndevuser\n' > mine/web/element-deps
told "nobody can log in as devuser"
touch "$HOME/.ssh/id_ed25519.pub"
"$HEARTH" image plan -n --strict tiny-os web > plan 2>&1 || fail "a key is not enough: $(cat plan)"

# Both faults of a name at once; --fix does not leave what never runs as if it were well.
element && hook 60-web.sh true && chmod -x mine/web/install.d/60-web.sh
told "60-web.sh: warning: this hook does not run, it is not executable"
expect_text plan "60-web.sh: warning: this hook does not run, its name may have letters"
linted "60-web.sh:1: error: it begins with #! and is not executable"
expect_text lint "60-web.sh: error: it is never run as a hook"
"$HEARTH" element lint --fix mine/web > lint 2>&1 && fail "--fix is content with a hook that never runs: $(cat lint)"
expect_text lint "1 thing is mended, 1 left for you" "60-web.sh: error: it is never run as a hook"

# Sources are judged before the bootstrap, conditions by lint, too.
element && printf 'package-installs\nsource-repositories\n' > mine/web/element-deps && echo 'web gitt /opt/web https://192.0.2.1/web' > mine/web/source-repository-web
linted "mine/web/source-repository-web:1:5: error: no source has the type 'gitt' (git, tar, file, package); did you mean git?"
"$HEARTH" image create -n -t tar -o ended tiny-os web > out 2>&1 < /dev/null && fail "a source of no type is built: $(cat out)"
expect_text out "the build would end by this, so it does not begin" "source-repository-web:1:5: error: no source has the type 'gitt'"
echo 'web git /opt/web' > mine/web/source-repository-web
told "source-repository-web:1:9: warning: it says not where to fetch web from, so that only DIB_REPOLOCATION_web can"
DIB_REPOLOCATION_web=https://192.0.2.1/web "$HEARTH" image plan -n --strict tiny-os web > plan 2>&1 || fail "a place that is given is not enough: $(cat plan)"
element && printf 'git:\n  when: WEB_DEBUG = 1\n' > mine/web/package-installs.yaml
linted "package-installs.yaml:2: warning: package git asks for WEB_DEBUG, which no environment.d sets"
echo 'export WEB_DEBUG=${WEB_DEBUG:-0}' > mine/web/environment.d/10-web
"$HEARTH" element lint --strict mine/web > lint 2>&1 || fail "a default is not enough: $(cat lint)"

# Lint says what it has checked, and whose: a pipeline that forgot ELEMENTS_PATH can be seen to have checked nothing of its own.
expect_text lint "1 element: nothing found"
(cd mine && env -u ELEMENTS_PATH "$HEARTH" element lint) > lint 2>&1 || fail "Hearth's own have faults: $(cat lint)"
expect_text lint " elements of Hearth's, none of yours (ELEMENTS_PATH is not set; hearth element lint . checks those that are here): nothing found"
(cd mine && env -u ELEMENTS_PATH "$HEARTH" element lint --json) > lint 2> said || fail "lint --json: $(cat lint said)"
[ "$(cat lint)" = "[]" ] || fail "--json is none: $(cat lint)"
expect_text said "none of yours (ELEMENTS_PATH is not set"
"$HEARTH" element info mine/web > info 2>&1 || fail "element info takes no directory: $(cat info)"
expect_text info "web"
element && printf 'package-installs pkg-map\n' > mine/web/element-deps
linted "element-deps:1: error: each line is the name of one element"

# A build tells before its first hook, and again as its last lines; with --strict it does not begin.
element && rm mine/web/element-deps && chmod -x mine/web/install.d/50-web && hook 60-web 'echo hook-runs'
"$HEARTH" image create -n -t tar -o one tiny-os web > out 2>&1 < /dev/null || fail "does not build: $(cat out)"
[ "$(grep -c 'install.d/50-web: warning: this hook does not run' out)" = 2 ] || fail "not told twice: $(cat out)"
tail -n 1 out > last
expect_text last "install.d/50-web: warning: this hook does not run"
told_at=$(grep -n '50-web: warning' one.d/build.log | head -n 1 | cut -d: -f1)
[ "$told_at" -lt "$(grep -nE 'root\.d/[0-9]|install\.d/60-web' one.d/build.log | head -n 1 | cut -d: -f1)" ] || fail "told after the first hook"
"$HEARTH" image create -n -t tar -o one tiny-os web > out 2>&1 < /dev/null || fail "is not up to date: $(cat out)"
[ "$(grep -c '50-web: warning' out)" = 1 ] || fail "what is up to date does not tell once: $(cat out)"
"$HEARTH" image create -n --strict -t tar -o two tiny-os web > out 2>&1 < /dev/null && fail "--strict builds"
[ ! -e two.d ] || fail "--strict began"
expect_text out "with --strict, warnings end the build" "install.d/50-web: warning: this hook does not run"
"$HEARTH" image plan -n --strict tiny-os web > plan 2>&1 && fail "--strict plans"

# Lint mends what is safe.
element && chmod -x mine/web/install.d/50-web && sed -i 's/$/\r/' mine/web/environment.d/../README.md
printf 'package-installs\na-z\n' > mine/web/element-deps && mkdir -p mine/a-z && touch mine/a-z/README.md
printf 'export A=1\r\n' > mine/web/environment.d/10-web
"$HEARTH" element lint --fix mine/web > lint 2>&1 || fail "lint --fix: $(cat lint)"
expect_text lint "mended: " "[executable]" "[crlf]" "[depsort]"
"$HEARTH" element lint --strict mine/web > lint 2>&1 || fail "mended, and yet: $(cat lint)"
[ -x mine/web/install.d/50-web ] || fail "the hook is not executable"

# Other people's elements are not asked for our style.
element && printf '#!/bin/bash\n  echo indented\n' > mine/web/install.d/50-web
"$HEARTH" element lint mine/web > lint 2>&1 || fail "style is an error: $(cat lint)"
expect_text lint "warning: set -e is missing" "0 errors, "
! grep -q DIB_DEBUG_TRACE lint || fail "DIB_DEBUG_TRACE is asked for: $(cat lint)"
"$HEARTH" element lint --house-style mine/web > lint 2>&1 && fail "--house-style asks for nothing"
expect_text lint "error: it does not follow DIB_DEBUG_TRACE"

# A release that is mistyped is told by the first step, beside those that there are.
DIB_RELEASE=bookwrm timeout 60 "$HEARTH" image create -n -t tar -o three debian-minimal > out 2>&1 < /dev/null && fail "there is a release bookwrm"
expect_text out "have no suite bookwrm of debian" "Is DIB_RELEASE written as meant (this host uses "

# Names of packages, by lists that a bootstrap left.
mkdir -p mine/debian-minimal cache/apt/debian/lists-bookworm-amd64
echo operating-system > mine/debian-minimal/element-provides
printf 'Package: nginx-light\n\nPackage: git\n' > cache/apt/debian/lists-bookworm-amd64/m_dists_bookworm_main_binary-amd64_Packages
element && printf 'nginx-lihgt:\ngit:\n' > mine/web/package-installs.yaml
DIB_RELEASE=bookworm DIB_IMAGE_CACHE=$work/cache "$HEARTH" image plan -n -a amd64 -p gitt debian-minimal web > plan 2>&1 && fail "planned all the same: $(cat plan)"
expect_text plan "mine/web/package-installs.yaml:1: error: nginx-lihgt is in no repository of debian bookworm; did you mean nginx-light?" \
    "-p: error: gitt is in no repository of debian bookworm; did you mean git?"
DIB_DEBIAN_COMPONENTS=main,contrib DIB_RELEASE=bookworm DIB_IMAGE_CACHE=$work/cache "$HEARTH" image plan -n -a amd64 -p gitt debian-minimal web > plan 2>&1 ||
    fail "another component may have it: $(cat plan)"
expect_text plan "-p: warning: gitt is in no repository of debian bookworm; did you mean git?"
finish
