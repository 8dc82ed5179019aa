#!/bin/bash
# On a machine that can't do it, the scripts that a newcomer starts say so in the first second, and what to do: a network that
# is not there, no root and no sudo, another system, too little disk, too little memory. Each case runs the scripts themselves in
# namespaces of its own; a dpkg-query beside them says that nothing is installed.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
unshare --user --map-root-user --mount --net true 2> /dev/null ||
    { echo "SKIPPED: user namespaces are not allowed here" && exit 77; }
work=$(mktemp -d "${TMPDIR:-/tmp}/hearth-e2e.XXXXXX")
trap 'rm -rf "$work"' EXIT
failures=0
fail() {
    printf 'FAILED: %s\n' "$*" >&2
    failures=$((failures + 1))
}

# Hearth's scripts, where what they make does no harm; and the programs that they may find.
mkdir -p "$work/hearth/tests" "$work/hearth/examples" "$work/bin"
cp -r "$root/cmake" "$work/hearth/"
cp "$root/tests/run.sh" "$work/hearth/tests/"
cp "$root/examples/quickstart.sh" "$work/hearth/examples/"
cp -r "$work/hearth" "$work/kept"
for program in bash sh awk sed grep df du cut cat sort comm mktemp rm tr env timeout nproc dirname mkdir head apt-cache apt-config id date cp readlink uname flock; do
    ln -s "$(type -P "$program")" "$work/bin/"
done
printf '#!/bin/sh\nexit 1\n' > "$work/bin/dpkg-query"
printf '#!/bin/sh\n[ "$1" != indextargets ] || echo http://192.0.2.1/debian\n' > "$work/bin/apt-get"
chmod +x "$work/bin/dpkg-query" "$work/bin/apt-get"
printf 'ID=debian\nVERSION_CODENAME=bookworm\nPRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\n' > "$work/debian"
printf 'ID=other\nVERSION_CODENAME=noble\nPRETTY_NAME="Another Linux 24"\n' > "$work/other"
printf 'MemTotal: 1000000 kB\nSwapTotal: 0 kB\n' > "$work/small"
# An id that makes root an ordinary user.
mkdir "$work/user"
printf '#!/bin/sh\necho 1000\n' > "$work/user/id"
chmod +x "$work/user/id"

# judge NAME PREPARATION TEXT…: after PREPARATION both scripts fail within seconds, with each TEXT on their standard error.
judge() {
    local name=$1 preparation=$2 script text began took
    shift 2
    for script in tests/run.sh examples/quickstart.sh; do
        began=${EPOCHREALTIME/[.,]/}
        # shellcheck disable=SC2016  # for the inner shell
        if W=$work SCRIPT=$script PREPARATION=$preparation unshare --user --map-root-user --mount --net bash -euc '
            os=debian PATH=$W/bin free=
            mount_() { /bin/mount "$@" || /usr/bin/mount "$@"; }
            eval "$PREPARATION"
            mount_ --bind "$W/$os" "$(readlink -f /etc/os-release)"
            export HEARTH_ANY_SIZE=$free
            exec bash "$W/hearth/$SCRIPT"' > "$work/out" 2>&1 < /dev/null; then
            fail "$name: $script takes this machine for a good one"
        fi
        took=$(((${EPOCHREALTIME/[.,]/} - began) / 1000))
        [ "$took" -lt 8000 ] || fail "$name: $script took $took ms"
        for text in "What to do:" "$@"; do
            grep -qF -- "$text" "$work/out" || fail "$name: $script does not say '$text': $(cat "$work/out")"
        done
    done
}
judge "no network" 'free=1' "no network: none of apt's mirrors answers (192.0.2.1:80" "--download DIR"
judge "neither root nor sudo" 'free=1; PATH=$W/user:$PATH' "needs root or sudo to install: " "let root run: bash cmake/install-packages.sh build run"
judge "another system" 'free=1; os=other' "this is Another Linux 24, and Hearth is made for Debian 12, 13 and sid" "HEARTH_ANY_RELEASE=1"
judge "a small disk" 'mount_ -t tmpfs -o size=50m none $W/hearth; cp -r $W/kept/. $W/hearth' \
    "too little room on the disk of " "MB are free" "make room"
judge "a small memory" 'mount_ --bind $W/small /proc/meminfo' "too little memory: 976 MB" "swap"
judge "a clone that can't be written" 'mount_ --bind $W/hearth $W/hearth; mount_ -o remount,bind,ro $W/hearth' "can't be written by " "clone Hearth to a place of your own"

# Words that they don't know: at once, not after the build.
for command in "tests/run.sh --longg" "tests/run.sh -L unit --al" "tests/run.sh agent" "tests/run.sh -V agent" "tests/run.sh -R agent unit" "examples/quickstart.sh --frob" "examples/quickstart.sh one two"; do
    code=0
    # shellcheck disable=SC2086  # words
    timeout 60 bash "$work/hearth/"$command > "$work/out" 2>&1 < /dev/null || code=$?
    [ "$code" = 2 ] || fail "$command: exit code $code: $(cat "$work/out")"
done
for script in tests/run.sh examples/quickstart.sh cmake/install-packages.sh; do
    help=$(bash "$work/hearth/$script" --help) && [[ $help == *"usage: "*"${script#cmake/}"* ]] || fail "$script --help: $help"
done

# Two builds at once in one clone would spoil each other: the second waits, and says so.
printf '#!/bin/sh\nexit 0\n' > "$work/bin/cmake"
chmod +x "$work/bin/cmake"
mkdir -p "$work/hearth/build"
exec {held}> "$work/hearth/build/lock"
flock "$held"
PATH=$work/bin:$PATH bash "$work/hearth/cmake/build.sh" release > "$work/out" 2>&1 {held}>&- &
second=$!
until grep -q "another build runs in $work/hearth; waiting" "$work/out" || ! kill -0 "$second" 2> /dev/null; do sleep 0.1; done
sleep 0.5
kill -0 "$second" || fail "the second of two builds did not wait, or does not say so: $(cat "$work/out")"
exec {held}>&-
wait "$second" || fail "the second of two builds: $(cat "$work/out")"
[ $failures = 0 ] || exit 1
