#!/bin/bash
# Builds where something is odd: the caller's environment, limits and descriptors, names, pipes and sockets among an element's files,
# a cache that can't be written or is pruned meanwhile, a lock edited by hand, elements that change while they are built, a tag of
# git that was moved. Each is refused with its name before the first hook, or the image is the one of a clean build.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
export DIB_IMAGE_CACHE=$work/cache HEARTH_LAYER_WORTH=0 SOURCE_DATE_EPOCH=1700000000
export TINY_OS_PROGRAMS='bash cp env mkdir'
export ELEMENTS_PATH=$work/elements:$here/elements
create() { timeout -k 5 60 "$HEARTH" image create -n -t tar "$@" > out 2>&1 < /dev/null; }
hook plain/install.d/20-plain <<< 'mkdir /opt; echo one > /opt/plain'
create -o clean --no-cache tiny-os plain || fail "the clean build: $(cat out)"

# clean_after WHAT [CLEAN]: image.tar is there, and has the clean build's bytes. (Other elements give other UUIDs.)
clean_after() {
    cmp image.tar "${2:-clean}.tar" || fail "$1: not the clean build's image: $(cat out)"
    rm -f image.tar
}
# refused WHAT TEXT COMMAND…: fails within the time, with TEXT, and makes no image.
refused() {
    local what=$1 text=$2 code=0
    shift 2
    "$@" || code=$?
    [ "$code" != 0 ] && [ "$code" -lt 120 ] || fail "$what: exit code $code: $(cat out)"
    expect_text out "$text"
    [ ! -e image.tar ] || fail "$what: there is an image"
}

# The caller.
mkdir -p $'odd\n\xff dir'
(umask 777 && create -o image --no-cache tiny-os plain) && clean_after "umask 777"
(TMPDIR=$PWD/$'odd\n\xff dir' create -o image --no-cache --no-tmpfs tiny-os plain) && clean_after "TMPDIR with a line break and no UTF-8"
(ulimit -n 24 && create -o image --no-cache tiny-os plain) && clean_after "24 descriptors"
for memory in 2000 3000 5000 8000; do
    code=0
    (ulimit -d "$memory" && create -o image --no-cache tiny-os plain) || code=$?
    ! grep -q "internal error" out || fail "ulimit -d $memory: $(cat out)"
    [ "$code" = 0 ] || expect_text out "Its limits (ulimit -d"
    rm -f image.tar
done
(trap '' INT TERM HUP PIPE CHLD && create -o image --no-cache tiny-os plain) && clean_after "signals that are ignored"
"$HEARTH" image create -n -t tar -o image --no-cache tiny-os plain <&- >&- 2>&- && clean_after "no descriptors at all"
"$HEARTH" image create -n -t tar -o image --no-cache tiny-os plain > /dev/full 2>&1 < /dev/null && clean_after "a full terminal"
env BASH_ENV="$work/evil" ENV="$work/evil" LD_LIBRARY_PATH=. CDPATH=/ GLOBIGNORE='*' SHELLOPTS=xtrace IFS=x 'PS4=$(id>&2)' TAR_OPTIONS=--no COLUMNS=-3 \
    LC_ALL=tr_TR.UTF-8 TZ=Asia/Kathmandu "$HEARTH" image create -n -t tar -o image --no-cache tiny-os plain > out 2>&1 < /dev/null && clean_after "odd variables"
mkdir gone
refused "a directory that is gone" "the directory that it is started in can't be found any more" \
    bash -c 'cd gone && rmdir ../gone && exec "$HEARTH" image create -n -t tar -o "$0/image" tiny-os plain > "$0/out" 2>&1' "$work"
refused "an image's name that is no UTF-8" "is no UTF-8" create -o $'image\xff' tiny-os plain
refused "a variable that is no UTF-8" "the variable DIB_ODD is no UTF-8" env DIB_ODD=$'\xff' timeout 60 bash -c '"$HEARTH" image create -n -t tar -o image tiny-os plain > out 2>&1'
refused "a long name" "200 are the most" create -o "$(printf 'n%.0s' {1..220})" tiny-os plain

# A log beside the image that the caller writes is no step's, whatever it is called.
for nth in first second; do
    rm -f logged.tar
    "$HEARTH" image create -n -t tar -o logged tiny-os plain > logged.out 2>&1 < /dev/null || fail "$nth: $(cat logged.out)"
done
"$HEARTH" image why logged > why
expect_text why "2 steps were taken from layers, 0 ran"

# Pipes, sockets and devices where an element's files are read; a pipe that nothing reads is only a file.
for at in element-deps install.d/30-odd environment.d/30-odd package-installs.yaml pkg-map; do
    for kind in pipe socket; do
        rm -rf elements/odd
        mkdir -p "elements/odd/$(dirname $at)"
        if [ $kind = pipe ]; then mkfifo -m 755 "elements/odd/$at"; fi
        if [ $kind = socket ]; then python3 -c 'import socket, sys; socket.socket(socket.AF_UNIX).bind(sys.argv[1])' "elements/odd/$at"; fi
        refused "a $kind at $at" "elements/odd/$at" create -o image tiny-os plain odd
    done
done
rm -rf elements/odd
mkdir -p elements/odd/static
create -o unpiped --no-cache tiny-os plain odd || fail "without a pipe: $(cat out)"
mkfifo elements/odd/static/pipe
create -o image tiny-os plain odd && clean_after "a pipe that nothing reads" unpiped
mkfifo lock
refused "a lock that is a pipe" "$work/lock is a pipe that nobody writes to" create --offline --lock lock -o image tiny-os plain

# Files of elements, and of the machine, whose names are no UTF-8.
hook odd/extra-data.d/20-odd <<< 'cat "$TMP_HOOKS_PATH"/files/* "$FILES"/* > "$TMP_MOUNT_PATH/odd"'
mkdir elements/odd/files files
export FILES=$work/files
echo one > elements/odd/files/$'\xff'
echo one > files/$'\xfe'
odd() { create "$@" tiny-os odd; }
odd -o image || fail "names that are no UTF-8: $(cat out)"
odd -o image
expect_text out "is up to date"
for place in elements/odd/files/$'\xff' files/$'\xfe'; do
    echo two > "$place"
    rm -f image.tar
    odd -o image || fail "names that are no UTF-8: $(cat out)"
    odd -o fresh --no-cache
    cmp image.tar fresh.tar || fail "an edit of a file whose name is no UTF-8 was not seen"
    "$HEARTH" image why image | grep -q "^  ran .*20-odd" || fail "why: $("$HEARTH" image why image)"
done
rm -f image.tar

# The cache: pruned while it is used, and one that can't be written.
(for _ in 1 2 3 4 5 6 7 8 9 10; do "$HEARTH" cache prune > /dev/null; done) &
for _ in 1 2 3 4; do create -o image tiny-os plain && clean_after "a cache that is pruned"; done
wait $!
if [ "$(id -u)" = 0 ]; then
    unshare -m bash -c 'mount --bind cache cache && mount -o remount,bind,ro cache
        ! "$HEARTH" cache prune > out 2>&1 || echo "it says that it removed: $(cat out)" >&2
        exec "$HEARTH" image create -n -t tar -o image tiny-os plain' > out2 2>&1 < /dev/null && fail "a cache that can't be written was used"
    expect_text out "removing from $work/cache/layers: Read-only file system"
    expect_text out2 "$work/cache: Read-only file system" "--image-cache DIR"
    mkdir -p shut
    unshare -m bash -c 'mount --bind shut shut && mount -o remount,bind,ro shut
        exec "$HEARTH" image create -n -t tar -o shut/image tiny-os plain' > out 2>&1 < /dev/null && fail "a directory that can't be written got an image"
    expect_text out "writing to $work/shut: Read-only file system" "-o DIRECTORY/NAME names another directory"
    ! grep -q -- --image-cache out || fail "another cache is no help for the output: $(cat out)"
else
    echo "SKIPPED: part: a read-only cache: needs root"
fi
# Another user's notes in it, as after one build by sudo.
if [ "$(id -u)" = 0 ]; then
    # shellcheck source=as_user.sh
    . "$here/as_user.sh"
    need_user
    as_user "$HEARTH" image create -n -t tar -o image tiny-os plain > out 2>&1 < /dev/null || fail "by a user: $(cat out)"
    echo '{}' > user/cache/layers/inputs.json && chmod 600 user/cache/layers/inputs.json
    rm user/image.tar
    as_user "$HEARTH" image create -n -t tar -o image tiny-os plain > out 2>&1 < /dev/null || fail "after a build by root: $(cat out)"
    cp -r elements/plain user/shut && mkdir -m 0 user/shut/static
    ! as_user env ELEMENTS_PATH="$work/user:$ELEMENTS_PATH" "$HEARTH" image create -n -t tar -o shut tiny-os shut > out 2>&1 < /dev/null || fail "a directory of an element that can't be read was left out"
    expect_text out "$work/user/shut/static: Permission denied" "the element" "has to be able to read them"
    rmdir user/shut/static && mkdir -p user/shut/static/usr && mkdir -m 0 user/shut/static/usr/deep
    ! as_user env ELEMENTS_PATH="$work/user:$ELEMENTS_PATH" "$HEARTH" image create -n -t tar -o shut tiny-os shut > out 2>&1 < /dev/null || fail "a directory further down that can't be read was left out"
    expect_text out "$work/user/shut/static/usr/deep: Permission denied" "the element shut" "has to be able to read them"
    mkdir -m 700 user/closed.d
    ! as_user "$HEARTH" image create -n -t tar -o closed tiny-os plain > out 2>&1 < /dev/null || fail "another user's NAME.d was written to"
    expect_text out "looking at $work/user/closed.d/.lock: Permission denied" "give another name by -o"
fi

# begun NAME: waits until the slow hook of its build runs.
begun() {
    for _ in $(seq 200); do
        ! grep -qsF 'running root.d/60-slow' "$1.d/build.log" || return 0
        sleep 0.05
    done
    fail "$1: the slow hook did not run: $(cat out)"
}
# One output by two paths at once: the second is refused, and the first goes on.
hook slow/root.d/60-slow <<< ':'
create -o alone --no-cache tiny-os plain slow || fail "a build alone: $(cat out)"
hook slow/root.d/60-slow <<< 'sleep 5'  # who comes second waits for two seconds
ln -s . self
create -o twice --no-cache tiny-os plain slow &
begun twice
! "$HEARTH" image create -n -t tar -o self/twice --no-cache tiny-os plain slow > second 2>&1 < /dev/null || fail "the second build of one image went on"
expect_text second "or give another name by -o"
wait $! || fail "the first build of two: $(cat out)"
cmp twice.tar alone.tar || fail "a second build of it changed the first"

# An element that is edited, and one that is replaced, while it is built: the next build sees it.
for way in edit replace; do
    hook slow/root.d/60-slow <<< "sleep 1; : $way"
    hook slow/install.d/30-who <<< "echo old > /who"
    create -o "$way" tiny-os slow &
    begun "$way"
    [ $way = edit ] || mv elements/slow elements/old-slow
    hook slow/install.d/30-who <<< "echo new > /who"
    wait $! || fail "$way in the middle: $(cat out)"
    [ -e elements/slow/root.d ] || cp -r elements/old-slow/root.d elements/slow
    create -o "$way" tiny-os slow || fail "$way in the middle: $(cat out)"
    [ "$(tar -xOf "$way.tar" ./who)" = new ] || fail "$way in the middle: the next build has $(tar -xOf "$way.tar" ./who)"
    rm -rf elements/old-slow
done

# A full disk is told with the place, and what to do there; in the image cache it only costs the layers.
if [ "$(id -u)" = 0 ]; then
    mkdir full
    # full KIB TAKEN WORD…: the build with WORD… where full/ is as large as that, of which something is taken.
    full() {
        unshare -m bash -c 'mount -t tmpfs -o "size=$1k" tmpfs full && head -c "$2k" /dev/zero > full/taken && shift 2
            exec timeout 60 "$HEARTH" image create -n -t tar "$@" tiny-os plain > out 2>&1 < /dev/null' full "$@"
    }
    ! full 300 0 -o full/image --no-cache || fail "an output on a full disk: $(cat out)"
    expect_text out "No space left on device" "while writing $work/full/image.tar" "Make room there: " "KiB are free in $work/full, and the tree has "
    ! TMPDIR=$work/full full 2000 0 -o image --no-cache --no-tmpfs || fail "a full TMPDIR: $(cat out)"
    expect_text out "while building in $work/full/hearth-build." "let TMPDIR name another place"
    ! full 8 8 -o image --record --lock full/hearth.lock || fail "a lock on a full disk: $(cat out)"
    expect_text out "while writing the lock $work/full/hearth.lock" "(is the disk full?)"
    rm -f image.tar
    DIB_IMAGE_CACHE=$work/full full 300 0 -o image || fail "a full cache ends a build: $(cat out)"
    expect_text out "a layer was not kept in $work/full/layers: " "; hearth cache prune --keep GIB makes room there"
    clean_after "a full cache"
    rmdir full
fi

# A lock that can't be written at the end is refused before the first hook.
if [ "$(id -u)" = 0 ]; then
    echo "# an earlier one" > given.lock
    unlockable() { refused "$1" "$2" unshare -m bash -c "$3"'; exec "$HEARTH" image create -n -t tar -o image --record --lock given.lock tiny-os plain > out 2>&1 < /dev/null'; }
    unlockable "a lock that is mounted" "Something is mounted there" 'mount --bind given.lock given.lock'
    expect_text out "the lock $work/given.lock can't be written"
    unlockable "a lock that is read-only" "The file there is not to be written to" 'mount --bind given.lock given.lock && mount -o remount,bind,ro given.lock'
    mkdir given.lock.d
    unlockable "answers' directory that is read-only" "writing to $work/given.lock.d: Read-only file system" 'mount --bind given.lock.d given.lock.d && mount -o remount,bind,ro given.lock.d'
    ! grep -q "root.d/10-tiny-os" out || fail "a hook ran before the lock was looked at"
    rm -r given.lock.d given.lock
fi

# A lock that was edited by hand.
printf '# hearth.lock 1: what a build fetched. Written by --record.\nGET http://192.0.2.1/a 200 sha256:%064d 6\n' 0 > good
# edited WHAT TEXT: stdin is the lock.
edited() {
    cat > lock
    cp lock before
    refused "a lock: $1" "$2" create --offline --lock lock -o image tiny-os plain
    cmp lock before || fail "a lock: $1: it was changed"
}
rm lock
{ cat good && tail -n 1 good; } | edited "a row twice" "lock:3:1: this URL stands here twice"
head -c 100 good | edited "cut" "its last line has no end"
sed 's/ 200 / 999 /' good | edited "a status" "lock:2:1: '999' is no status"
sed 's/ 6$/ 99999999999999999999/' good | edited "a size" "lock:2:1: '99999999999999999999' is no size"
{ cat good && echo '<<<<<<< HEAD'; } | edited "a conflict" "lock:3:1: "
{ cat good && head -c 3000000 /dev/zero | tr '\0' x && echo; } | edited "a long line" "lock:3:1: "

# A tag that was moved, and a branch that a tag of its name hid for a while.
if type -P git > /dev/null; then
    export GIT_CONFIG_GLOBAL=$work/gitconfig HEARTH_REPOSITORY_AGE=0
    export TINY_OS_PROGRAMS='bash cat chmod chown cp dirname echo env false find grep head id install ln ls mkdir mv rm sed sleep sort stat touch true'
    git config --global user.name Someone && git config --global user.email someone@example.org && git config --global init.defaultBranch master
    git init -q code
    commit() { echo "$1" > code/file && git -C code add file && git -C code commit -qm "$1"; }
    mkdir elements/code && echo source-repositories > elements/code/element-deps
    echo "code git /opt/code file://$work/code" > elements/code/source-repository-code
    hook code/bin/install-packages <<< 'true'  # source-repositories asks for git, which a tiny system has no packages of
    # holds TEXT WHAT: what a build has of the file.
    holds() {
        create -o image tiny-os code || fail "$2: $(cat out)"
        [ "$(tar -xOf image.tar ./opt/code/file)" = "$1" ] || fail "$2: it is $(tar -xOf image.tar ./opt/code/file)"
    }
    commit one && git -C code tag v1
    DIB_REPOREF_code=v1 holds one "a tag"
    commit two && git -C code tag -f v1 > /dev/null
    DIB_REPOREF_code=v1 holds two "a tag that was moved"
    holds two "a branch"
    git -C code tag master HEAD~1
    holds one "a tag that has the branch's name"
    git -C code tag -d master > /dev/null
    holds two "a branch whose name was a tag's"
    git -C code reset -q --hard HEAD~1
    holds one "a branch that went back"
    # Large files that git keeps elsewhere, on a machine without git-lfs: their pointers are taken for nothing but what they are.
    export GIT_CONFIG_NOSYSTEM=1
    echo 'big filter=lfs' > code/.gitattributes
    printf 'version https://git-lfs.github.com/spec/v1\noid sha256:%064d\nsize 5\n' 0 > code/big
    git -C code add .gitattributes big && commit large
    rm image.tar
    refused "a pointer of Git LFS" "code: big of file://$work/code is kept by Git LFS" create -o image tiny-os code
    expect_text out "Install git-lfs on this machine"
    GIT_LFS_SKIP_SMUDGE=1 holds large "pointers that are meant"
fi
finish
