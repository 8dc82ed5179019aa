#!/bin/bash
# What a rehearsal must stand: two that are started at once in one folder, SIGKILL, and a disk that is full. Each time nothing
# runs on, and the next one in the same folder works.
# shellcheck source-path=SCRIPTDIR source=rehearsal_lib.sh
. "$(dirname "$0")/rehearsal_lib.sh"
small_site one
rehearse() { exec timeout 120 "$HEARTH" rehearse site.yaml --accel tcg --no-inspection "$@"; }

# Within half a minute no process names the work directory: each of a rehearsal does, by its state, its files or its folder.
nothing_runs() {
    local end=$((SECONDS + 30))
    while pgrep -f "$work/" > running; do
        if [ "$SECONDS" -ge "$end" ]; then
            fail "$1 leaves running:"
            pgrep -af "$work/" >&2
            return
        fi
        sleep 0.1
    done
}
kept() { until grep -q '^== it is kept' "$1" || ! kill -0 "$2" 2> /dev/null; do sleep 0.1; done; }

# Two at once: one runs, undisturbed by the other, which is refused.
rehearse --keep > first.log 2>&1 &
first=$!
rehearse --keep > second.log 2>&1 &
second=$!
until grep -q '^== it is kept' first.log second.log || ! { kill -0 "$first" && kill -0 "$second"; } 2> /dev/null; do sleep 0.1; done
if grep -q 'a rehearsal runs in' first.log; then
    runs=$second log=second.log refused=$first other=first.log
else
    runs=$first log=first.log refused=$second other=second.log
fi
status=0
wait "$refused" || status=$?
[ "$status" = 1 ] || fail "the second of two rehearsals ended with $status"
expect_text "$other" "a rehearsal runs in $work/site.rehearsal" "give another --output"
kept "$log" "$runs"
expect_text "$log" 'CREATE_COMPLETE' '== it is kept'

pgrep -f "$work/" > /dev/null || fail "the check of what runs sees nothing of a rehearsal that runs"
# SIGKILL, of the program and not of timeout, which would pass on what can be caught.
kill -KILL "$(pgrep -P "$runs")"
{ wait "$runs"; } 2> /dev/null || true
nothing_runs "SIGKILL"

# The next one in that folder.
rehearse > again.log 2>&1 &
status=0
wait $! || status=$?
[ "$status" = 1 ] || fail "without an active machine it ended with $status"
expect_text again.log 'CREATE_COMPLETE'
nothing_runs "the end of a rehearsal"

# A full disk: it ends, and says which file.
if [ "$(id -u)" = 0 ]; then
    mkdir full
    status=0
    # shellcheck disable=SC2016
    timeout 120 unshare -m bash -c 'mount -t tmpfs -o size=200k tmpfs full
        exec "$0" rehearse site.yaml --accel tcg --no-inspection --output full/site' "$HEARTH" > full.log 2>&1 || status=$?
    [ "$status" = 1 ] || fail "on a full disk it ended with $status"
    expect_text full.log "$work/full/site" "No space left on device"
    nothing_runs "a full disk"
else
    echo "SKIPPED: part: a full disk: needs root"
fi
finish
