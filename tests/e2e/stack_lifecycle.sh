#!/bin/bash
# What `hearth stack` does with a stack that is there: actions, signals, hooks, snapshots, export, abandon and adopt.
set -euo pipefail

hearth=${1:-${HEARTH:-hearth}}
work=$(mktemp -d)
server=
trap 'if [ -n "$server" ]; then kill "$server" 2>/dev/null || true; wait "$server" 2>/dev/null || true; fi; rm -rf "$work"' EXIT
cd "$work"

fail() {
  echo "stack_lifecycle.sh: $*" >&2
  exit 1
}

# Agents are told the ports, so they are named.
first=$((20000 + $$ % 10000))
: >ports # read below, perhaps before the server's shell has made it
"$hearth" metadata serve --state state --cfn-port $first --objects-port $((first + 1)) --heat-port $((first + 2)) \
  --identity-port $((first + 3)) >ports 2>log &
server=$!
for _ in $(seq 100); do
  port=$(sed -n 's/^heat .* //p' ports)
  [ -z "$port" ] || break
  sleep 0.1
done
[ -n "$port" ] || fail "no port: $(cat ports log)"
stack() {
  local words=$1
  shift
  # shellcheck disable=SC2086
  timeout 60 "$hearth" stack $words --state state --url "http://127.0.0.1:$port/v1/admin" "$@"
}

cat >top.yaml <<'END'
heat_template_version: 2018-08-31
parameters: {text: {type: string, default: one}}
resources:
  v: {type: OS::Heat::Value, properties: {value: {get_param: text}}}
  inner: {type: inner.yaml}
outputs: {v: {value: {get_attr: [v, value]}}}
END
cat >inner.yaml <<'END'
heat_template_version: 2018-08-31
resources:
  s: {type: OS::Heat::DeployedServer}
  c: {type: OS::Heat::SoftwareConfig, properties: {group: script, outputs: [{name: result}]}}
  d: {type: OS::Heat::SoftwareDeployment, properties: {config: {get_resource: c}, server: {get_resource: s}}}
END
echo 'resource_registry: {resources: {v: {hooks: pre-create}}}' >env.yaml

stack create site -t top.yaml -e env.yaml >/dev/null
grep -q '\[site.v\]: .*paused until Hook pre-create is cleared' <<<"$(stack "hook list" site)" || fail "no hook: $(stack 'hook list' site)"
# Asked without the token that this server wants, `hearth why` names its own option for it; with that, the cause.
export HEARTH_NODE_STATE=$work/nobodys
place=(--stack-url "http://127.0.0.1:$port/v1/admin")
if timeout 60 "$hearth" why site "${place[@]}" >why 2>&1; then fail "why: a cause without a token: $(cat why)"; fi
grep -qF -- '--stack-token-file STATE/api-token' why || fail "why, without a token: $(cat why)"
timeout 60 "$hearth" why site "${place[@]}" --stack-token-file state/api-token >why 2>&1 || fail "why: $(cat why)"
grep -q 'pre-create' why || fail "why, of a stack that waits for a hook: $(cat why)"
if timeout 60 "$hearth" why stack siet "${place[@]}" --stack-token-file state/api-token >why 2>&1; then fail "why: of none: $(cat why)"; fi
grep -qF 'there is no stack siet; did you mean site?' why || fail "why, of a mistyped name: $(cat why)"
if timeout 60 "$hearth" why stack other "${place[@]}" --stack-token-file state/api-token >why 2>&1; then fail "why: of none: $(cat why)"; fi
grep -qF 'the command that was refused has said why' why || fail "why, of a stack that was refused: $(cat why)"
unset HEARTH_NODE_STATE
stack "hook clear" site v
[ -z "$(stack 'hook list' site)" ] || fail "the hook waits still"
if stack signal site inner.d --data '[1]' 2>why; then fail "a list is taken as a signal"; fi
grep -q 'a signal is a JSON object' why || fail "$(cat why)"
stack signal site inner.d --data '{"deploy_status_code": 0, "result": "r"}'
grep -q 'CREATE_COMPLETE' <<<"$(stack show site)" || fail "not created: $(stack show site)"

# What is mistyped is told with what there is.
# refused TEXT WORDS…: `hearth stack WORDS…` fails, and says TEXT.
refused() {
  local text=$1
  shift
  if stack "$@" 2>why; then fail "$*: taken"; fi
  grep -qF -- "$text" why || fail "$*: $(cat why)"
}
refused "did you mean site?" show siet
refused "did you mean inner?" "resource metadata" site iner
refused "there are: v" "output show" site result
refused "hearth stack update site changes it" create site -t top.yaml --dry-run
stack "resource metadata" site v >/dev/null 2>why
grep -q "v is no server: what agents get" why || fail "a resource without metadata: $(cat why)"

# A token holds at once.
"$hearth" metadata token create now --state state >now
stack list --token-file now >/dev/null

for word in suspend resume check; do
  grep -qi "$word"_COMPLETE <<<"$(stack "$word" site --wait | tail -1)" || fail "$word"
done

kept=$(stack "snapshot create" site --name before)
if stack update site -P text=two 2>why; then fail "an update of nothing"; fi
grep -q -- '--existing' why || fail "no way to keep the template: $(cat why)"
grep -q '| updated *| v \|| replaced *| v ' <<<"$(stack update site --existing -P text=two --dry-run)" || fail "no preview: $(stack update site --existing -P text=two --dry-run)"
[ "$(stack 'output show' site v)" = one ] || fail "a preview changes something"
stack update site --existing -P text=two --wait >followed
grep -q '\[site\]: UPDATE_IN_PROGRESS' <<<"$(head -1 followed)" || fail "events of before the update are printed: $(cat followed)"
[ "$(stack 'output show' site v)" = two ] || fail "not updated"
grep -q before <<<"$(stack "snapshot list" site)" || fail "no snapshot"
stack "snapshot restore" site "$kept" --wait >/dev/null
[ "$(stack 'output show' site v)" = one ] || fail "not restored"
stack "snapshot delete" site "$kept"

stack abandon site -o site.json
[ "$(stat -c %a site.json)" = 600 ] || fail "an export has keys in it and is not private"
if stack show site 2>/dev/null; then fail "abandoned, but there"; fi
grep -q ADOPT_COMPLETE <<<"$(stack adopt again --adopt-file site.json --wait | tail -1)" || fail "not adopted"
grep -q '"resources"' <<<"$(stack export again)" || fail "no export"

sed 's/one/three/' top.yaml >more.yaml
echo '  late: {type: OS::Heat::SoftwareDeployment, properties: {server: {get_resource: n}}}' >late
sed "/^  inner:/r late" more.yaml | sed 's/^  v:/  n: {type: OS::Heat::DeployedServer}\n  v:/' >waits.yaml
stack update again -t waits.yaml
stack cancel again --no-rollback
grep -q 'UPDATE_FAILED' <<<"$(stack show again)" || fail "not cancelled: $(stack show again)"
# Who may do what, and what is kept of it.
if "$hearth" metadata serve --state other --listen 192.0.2.1 2>why; then fail "secrets in the clear, unasked"; fi
grep -q -- '--without-tls' why || fail "no advice: $(cat why)"
grep -q '^WARNING 20..-..-..T' <<<"$(stack show nothing --token-file <(echo nobodys) 2>&1 >/dev/null; cat log)" || fail "a refusal is not logged with its time: $(cat log)"
"$hearth" metadata token create watcher --state state >reader
"$hearth" metadata token create worker --role=operate --state state >worker.token
# soon COMMAND…: the server looks each second; whether it is so in half a minute.
soon() { for ((try = 0; try < 150; try++)); do "$@" >/dev/null 2>&1 && return; sleep 0.2; done; false; }
soon stack list --token-file reader || fail "a reader sees nothing"
if stack delete again --token-file reader 2>why; then fail "a reader deletes"; fi
grep -q 'the token is for reading' why || fail "$(cat why)"
cp state/api-token former
"$hearth" metadata token rotate --state state >/dev/null
soon stack list || fail "the new token is not taken"
stack list --token-file former >/dev/null || fail "who has the former token is shut out"
"$hearth" metadata token revoke watcher --state state
is_shut_out() { ! stack list --token-file "$1"; }
soon is_shut_out reader || fail "a token that was ended is taken"
stack delete again --token-file worker.token --wait >/dev/null || fail "an operator may not delete"
grep -q '"principal":"token worker","method":"DELETE"' state/audit.log || fail "nobody knows who deleted"
"$hearth" metadata audit --state state >/dev/null || fail "the audit log is not as it was written"
sed -i 's/token worker/token nobody/' state/audit.log
if "$hearth" metadata audit --state state 2>why; then fail "a changed line is not seen"; fi
grep -q 'audit.log:.*the chain does not hold' why || fail "$(cat why)"
# hearth deploy: on a terminal a line tells how far it is, elsewhere lines do; for programs there is an object a line.
cat >one.yaml <<'E2'
heat_template_version: 2018-08-31
resources:
  n: {type: OS::Heat::DeployedServer}
  c: {type: OS::Heat::SoftwareConfig, properties: {group: script, config: "true"}}
outputs:
  length: {value: 4}
E2
sed '/^outputs/,$d' one.yaml >late.yaml
echo '  late: {type: OS::Heat::SoftwareDeployment, properties: {server: {get_resource: n}, config: {get_resource: c}}}' >>late.yaml
ports=(--port 0 --cfn-port 0 --heat-port 0 --identity-port 0 --objects-port 0)
"$hearth" deploy -t one.yaml --state deployed --json "${ports[@]}" >told 2>why || fail "deploy: $(cat why)"
jq -es '.[-1] == {kind: "end", status: "CREATE_COMPLETE", outputs: {length: 4}} and all(.[:-1][]; .kind == "stack" and .event.resource_name != null)' told >/dev/null ||
    fail "deploy --json: $(cat told)"
! timeout -s INT 14 "$hearth" deploy -t late.yaml --state deployed "${ports[@]}" >told 2>&1 || fail "what nobody signals is complete"
grep -q 'waiting for late: n has not asked' told || fail "what is waited for is not told: $(cat told)"
! TERM=xterm script -qec "timeout -s INT 6 $hearth deploy -t late.yaml --state deployed ${ports[*]}" typescript >/dev/null 2>&1 || fail "what nobody signals is complete"
grep -qE 'stack overcloud +[0-9.]+s .*late: n has not' typescript || fail "a terminal has no picture: $(cat -v typescript)"
grep -q ' 2/3 \[' typescript || fail "how much is complete is not told: $(cat -v typescript)"
echo "stack_lifecycle.sh: ok"
