#!/bin/bash
# A build that is killed, in whatever phase and by whatever signal, leaves nothing behind, and the next one works.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
mkdir tmp
export TMPDIR=$work/tmp WAIT_MARK=$mark

phases=(root extra-data pre-install install post-install post-root block-device pre-finalise finalise cleanup)

# build_and_stop NAME PHASE SIGNAL OPTION…: starts a build that sleeps in PHASE and sends SIGNAL to the hearth process; SANDBOX:
# a KILL to the first process of its sandbox, as the kernel sends it where memory is short.
build_and_stop() {
    local name=$1 phase=$2 signal=$3 pid child code=0
    shift 3
    WAIT_IN=$phase "$HEARTH" image create -n -t tar -o "$name" "$@" tiny-os wait-in-phase > "$name.out" 2>&1 < /dev/null &
    pid=$!
    for _ in $(seq 600); do
        grep -q "waiting in $phase" "$name.d/build.log" 2> /dev/null && break
        sleep 0.1
    done
    grep -q "waiting in $phase" "$name.d/build.log" || fail "$name never came to $phase: $(cat "$name.out")"
    if [ "$signal" = SANDBOX ]; then
        for child in $(pgrep -P "$pid"); do
            [ "$(awk '/^NSpid/ { print $NF }' "/proc/$child/status")" != 1 ] || kill -KILL "$child"
        done
    else
        kill "-$signal" "$pid"
    fi
    wait "$pid" 2> /dev/null || code=$?
    mv "$name.out" "out-$name"
    case $signal in
        INT) [ "$code" = 130 ] || fail "$name: exit code $code instead of 130" ;;
        SANDBOX) [ "$code" = 137 ] || fail "$name: exit code $code instead of 137" ;;
        TERM) [ "$code" = 143 ] || fail "$name: exit code $code instead of 143" ;;
    esac
    # The kernel needs a moment to kill a whole pid namespace, the janitor one to remove its directory.
    for _ in $(seq 100); do
        [ -z "$(pgrep -f "sleep $mark")" ] && [ -z "$(ls -A "$work/tmp")" ] && break
        sleep 0.1
    done
    nothing_left "$name"
}

for phase in "${phases[@]}"; do
    build_and_stop "kill-$phase" "$phase" KILL
    build_and_stop "kill-disk-$phase" "$phase" KILL --no-tmpfs
done
build_and_stop int-install install INT
build_and_stop term-root root TERM --no-tmpfs
expect_text out-int-install "stopped by SIGINT"
build_and_stop sandbox-install install SANDBOX
expect_text out-sandbox-install "the build was killed by SIGKILL"

"$HEARTH" image create -n -t tar -o next tiny-os wait-in-phase > next.out 2>&1 || fail "the next build fails: $(cat next.out)"
[ -s next.tar ] || fail "the next build made no image"
finish
