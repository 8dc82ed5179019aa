#!/bin/bash
# A rehearsal whose stack has no server, so that no machine is switched on: faults are injected from the beginning, and one
# whose moment never comes is told; a second rehearsal in the same folder is refused, and so is a folder of something else.
# One with the operator's own inventory is kept, looked into by page, console and door, and ended.
# shellcheck source-path=SCRIPTDIR source=rehearsal_lib.sh
. "$(dirname "$0")/rehearsal_lib.sh"
small_site one two
rehearse() { timeout 120 "$HEARTH" rehearse site.yaml --accel tcg --no-inspection "$@"; }

! rehearse --inject dead-disk:three > error 2>&1 || fail "a fault of no machine is accepted"
expect_text error "no machine 'three'"
status=0
rehearse --inject lossy-link:one --inject dead-disk:two --inject power-loss:two@deploying > run.log 2>&1 || status=$?
[ "$status" = 1 ] || fail "without an active machine it ended with $status"
expect_text run.log '*** fault: lossy-link:one' '*** fault: dead-disk:two' 'CREATE_COMPLETE' \
    'not injected, its moment never came: power-loss:two@deploying' '== what went wrong'
expect_text site.rehearsal/machines/one/console.log 'rehearsal: fault: lossy-link'
expect_text site.rehearsal/machines/two/console.log 'rehearsal: fault: dead-disk'

# Without a template each machine gets the image. Who waits for his turn is told so, and nothing is wider than the terminal.
sed '/^stack:/d' site.yaml > plain.yaml
for options in '--timeout 12 --no-inspection' '--timeout 15'; do
    # shellcheck disable=SC2086
    ! COLUMNS=80 timeout 120 "$HEARTH" rehearse plain.yaml --accel tcg --at-once 1 $options >> plain.log 2>&1 || fail "a kernel that is none was booted"
done
expect_text plain.log 'hearth node deploy --image site --wait 0' ' one two' 'waits for its turn: only so many machines'
awk '/waiting for/ || /^[|+]/' plain.log | awk 'length($0) > 80 { exit 1 }' || fail "wider than the terminal: $(cat plain.log)"

# The operator's inventory, with a mistyped password: the import says so, and is run again when it is corrected.
cat > instackenv.json << 'JSON'
{"nodes": [
  {"name": "one", "pm_type": "ipmi", "pm_addr": "198.51.100.1", "pm_user": "root", "pm_password": "calvin", "mac": ["52:54:00:00:00:01"]},
  {"name": "two", "pm_type": "ilo", "pm_addr": "198.51.100.2", "pm_user": "u", "pm_password": "p", "mac": ["52:54:00:00:00:02"]},
  {"name": "three", "pm_type": "fake_pxe", "mac": ["52:54:00:00:00:03"]}]}
JSON
! "$HEARTH" rehearse site.yaml --console one > error 2>&1 || fail "there is a console without a rehearsal"
expect_text error "no rehearsal runs in $work/site.rehearsal" "--keep starts one"
sed 's/"one"/"oen"/' instackenv.json > other.json
! rehearse --inventory other.json > error 2>&1 || fail "an inventory of other machines is taken"
expect_text error "other.json: there is no entry for the machine one (oen?)"
"$HEARTH" rehearse site.yaml --accel tcg --no-inspection --inventory instackenv.json --inject wrong-password:one --inject wrong-mac:two --keep --page 0 \
    > kept.log 2>&1 &
kept=$!
until grep -q '^== it is kept' kept.log || ! kill -0 "$kept" 2> /dev/null; do sleep 0.1; done
expect_text kept.log 'instackenv.json:4: three is no machine of the site file' '*** fault: wrong-password:one' \
    'node one stays enroll: Failed to verify' 'HTTP 401' '*** the inventory is corrected' '== inventory (again)' \
    'what went wrong' 'to look in: hearth rehearse site.yaml --shell MACHINE, --console MACHINE'
# The import has not shown that a MAC is wrong, so nobody has corrected it.
expect_text kept.log '*** fault: wrong-mac:two'
! grep -q '52:54:00:00:00:02' site.rehearsal/instackenv.json || fail "a wrong MAC is corrected before anybody could know"
url=$(sed -n 's|^the page: \(http://127.0.0.1:[0-9]*\)/.*|\1|p' kept.log | head -n 1)
node() {
    local verb=$1
    shift
    "$HEARTH" node "$verb" "$@" --url "$url" --token-file site.rehearsal/node/api-token
}
node list > list
[ "$(grep -c ' available ' list)" = 2 ] || { fail "not both machines are available:"; cat list >&2; }
! rehearse > error 2>&1 || fail "two rehearsals run in one folder"
expect_text error "a rehearsal runs in $work/site.rehearsal" "give another --output"
node boot-log one > log 2> error
expect_text error "nothing was asked for by one, whose cards are 52:54:00:00:00:01"
[ "$(node boot-log one --json)" = '[]' ] || fail "boot-log --json is no list"
# Beside it, without a port: its services have sockets in its folder, and why finds them where this machine has no site of its own.
named=()
[ ! -e /var/lib/hearth/node/state.db ] && [ ! -e /var/lib/hearth/metadata/api-token ] || named=(--state site.rehearsal/node)
why() { timeout 30 "$HEARTH" why "$@" "${named[@]}"; }
why stack site > told 2> error || fail "why beside a rehearsal: $(cat told error)"
expect_text told 'stack site: Nothing is wrong: the stack is CREATE_COMPLETE.'
[ "${#named[@]}" -gt 0 ] || expect_text error 'of the rehearsal in site.rehearsal, which runs'
why node two > told 2> error || fail "why of a node beside a rehearsal: $(cat told error)"
expect_text told 'node two: '
timeout 30 "$HEARTH" stack list --state site.rehearsal/node/metadata > told 2>&1 || fail "stack list beside a rehearsal: $(cat told)"
expect_text told " site " CREATE_COMPLETE
again=$(sed -n 's/^to deploy again, as long as it is there: hearth //p' kept.log | head -n 1)
eval "timeout 60 \"\$HEARTH\" $again" > told 2>&1 || fail "a kept rehearsal can't be gone on with ($again): $(cat told)"
expect_text told "The services that run on " "do the work." "Stack site UPDATE_COMPLETE"
expect_text kept.log 'image site is registered' 'image node is registered'  # as a template may call it
look() { timeout 30 "$HEARTH" rehearse site.yaml "$@"; }
printf 'GET / HTTP/1.1\r\nHost: seed\r\nConnection: close\r\n\r\n' | look --connect seed:80 > answer
expect_text answer "HTTP/1.1 "
! look --shell one > error 2>&1 || fail "there is a shell in a machine that is off"
expect_text error "port 22 of one" "openssh-server"
! look --shell one uname -a > error 2>&1 || fail "an option of a command is taken for hearth's"
expect_text error "invalid option -- 'a'" 'stands behind --'
! look --console one > error 2>&1 || fail "there is a console of a machine that is off"
expect_text error "one is off"
! look --console tow > error 2>&1 || fail "there is a console of no machine"
expect_text error "did you mean two?"
! look --console one --keep > error 2>&1 || fail "--console and --keep go together"
expect_text error "--keep is for the start of a rehearsal"
node power on one
until [ -S site.rehearsal/machines/one/console ]; do sleep 0.1; done
printf '\035' | look --console one > console
expect_text console "rehearsal: power on" "Ctrl-] leaves it"
kill -INT "$kept"
status=0
wait "$kept" || status=$?
[ "$status" = 1 ] || fail "what was kept ended with $status, not with that of its steps"
expect_text kept.log "the rehearsal is ended"
! why stack site > error 2>&1 || fail "a stack is told of whose service has ended"
expect_text error "the rehearsal in site.rehearsal has ended, and its stack service with it"
why node two > told 2> error || fail "why of a node of a rehearsal that has ended: $(cat told error)"
expect_text told 'node two: '

mkdir -p mine/machines
! rehearse --output mine > error 2>&1 || fail "a folder of something else is taken"
expect_text error "$work/mine is not empty, and no rehearsal's"
[ -d mine/machines ] || fail "a folder of something else is emptied"
finish
