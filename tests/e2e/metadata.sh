#!/bin/bash
# The commands `hearth metadata …` on a small tree of templates.
set -euo pipefail

hearth=${1:-${HEARTH:-hearth}}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

fail() {
  echo "metadata.sh: $*" >&2
  exit 1
}

cat >node.yaml <<'END'
heat_template_version: 2018-08-31
parameters: {who: {type: string}}
resources:
  server: {type: OS::Heat::DeployedServer, properties: {name: {get_param: who}}}
  config:
    type: OS::Heat::SoftwareConfig
    properties: {group: script, config: {get_file: hello.sh}, inputs: [{name: peer}], outputs: [{name: address}]}
  first:
    type: OS::Heat::SoftwareDeployment
    properties: {name: first, config: {get_resource: config}, server: {get_resource: server}}
  second:
    type: OS::Heat::SoftwareDeployment
    properties:
      name: second
      config: {get_resource: config}
      server: {get_resource: server}
      input_values: {peer: {get_attr: [first, address]}}
END
cat >top.yaml <<'END'
heat_template_version: 2018-08-31
resources:
  Compute:
    type: OS::Heat::ResourceGroup
    properties: {count: 2, resource_def: {type: My::Node, properties: {who: 'node-%index%'}}}
END
echo 'resource_registry: {"My::Node": node.yaml}' >env.yaml
echo 'echo hello' >hello.sh
echo '{"attributes": {"Compute.0.first": {"address": "192.0.2.1"}, "Compute.1.first": {"address": "192.0.2.2"}}}' >known.json

"$hearth" metadata validate -t top.yaml -e env.yaml >valid || fail "a good stack is refused"
"$hearth" metadata compile -t top.yaml -e env.yaml -o out 2>waits >/dev/null
[ "$(stat -c %a .hearth-seed)" = 600 ] || fail "the site's seed is not private"
grep -q 'node.yaml:11:3: Compute.0.second waits for Compute.0.first.address' waits || fail "does not say what waits: $(cat waits)"
grep -q '"echo hello\\n"' out/servers/Compute.1.server/metadata.json || fail "the script is not in the metadata"
if "$hearth" metadata compile --strict -t top.yaml -e env.yaml -o strict >/dev/null 2>&1; then fail "--strict takes what waits"; fi
"$hearth" metadata compile --strict -t top.yaml -e env.yaml --inventory known.json -o known >/dev/null ||
  fail "an inventory does not help"
grep -q '192.0.2.2' known/servers/Compute.1.server/metadata.json || fail "what the inventory knows is not used"

grep -q 'from the file, hello.sh' <<<"$("$hearth" metadata explain -t top.yaml -e env.yaml Compute.0.server deployments.first.config)" || fail "explain"
id=$("$hearth" metadata explain -t top.yaml -e env.yaml Compute.0.server deployments.first.id 2>said) || fail "explain an id"
id=$(grep -o '[0-9a-f]\{8\}-[0-9a-f-]*' <<<"$id")
grep -q "\"id\": \"$id\"" out/servers/Compute.0.server/metadata.json && [ ! -s said ] || fail "explain and compile have other ids: $id $(cat said)"
mkdir bare && (cd bare && "$hearth" metadata explain -t ../top.yaml -e ../env.yaml Compute.0.server deployments.first >said 2>&1) || fail "explain without a seed"
grep -q 'made up here, .*--seed-file FILE names one' bare/said || fail "ids of no site are shown as if they were one's: $(cat bare/said)"
[ "$(wc -l <bare/said)" -gt 10 ] || fail "a deployment is one line: $(cat bare/said)"
said=$("$hearth" metadata explain -t top.yaml -e env.yaml Compute.0.server 2>&1) && fail "explain without a key"
grep -q 'which KEY of Compute.0.server? There are .*deployments' <<<"$said" || fail "explain does not say which keys there are: $said"
grep -q '^  who:$' <<<"$("$hearth" metadata parameters -t node.yaml)" || fail "a parameter that must be given is not in the environment"
grep -q '^2 servers unchanged' <<<"$("$hearth" metadata plan -t top.yaml -e env.yaml out)" || fail "a plan against the same"
echo 'echo other' >hello.sh
grep -q '~ first: config' <<<"$("$hearth" metadata plan -t top.yaml -e env.yaml out)" || fail "a plan does not see what changes"
cp .hearth-seed seed.before
"$hearth" metadata rotate out >/dev/null || fail "rotate"
cmp -s .hearth-seed seed.before && fail "a rotation changes nothing"
if "$hearth" metadata rotate out 2>/dev/null; then fail "a second rotation shuts out who has not polled"; fi
"$hearth" metadata compile -t top.yaml -e env.yaml -o out >/dev/null 2>&1 || fail "compile after a rotation"
grep -q '"former"' out/index.json || fail "the former keys are not in the index"
mkdir elsewhere
"$hearth" metadata compile -t top.yaml -e env.yaml -o elsewhere/out >/dev/null 2>&1
key() { grep -o '"access_key_id": "[0-9a-f]*"' "$1/servers/Compute.0.server/metadata.json"; }
[ "$(key out)" != "$(key elsewhere/out)" ] || fail "two sites have the same keys"
chmod 644 elsewhere/.hearth-seed
if "$hearth" metadata compile -t top.yaml -e env.yaml -o elsewhere/out >/dev/null 2>errors; then fail "a seed that all can read"; fi
grep -q 'chmod 600' errors || fail "no advice: $(cat errors)"

grep -q '"Compute.0.first" -> "Compute.0.second";' <<<"$("$hearth" metadata graph -t top.yaml -e env.yaml)" || fail "graph"
grep -q '</svg>' <<<"$("$hearth" metadata graph --format svg -t top.yaml -e env.yaml)" || fail "graph as SVG"
"$hearth" metadata bake out node-1 -o seed.iso >/dev/null || fail "bake"
[ "$(dd if=seed.iso bs=1 skip=32808 count=8 2>/dev/null)" = config-2 ] || fail "the drive has no label"

sed -i 's/get_file/get_flie/; s/name: peer/nme: peer/' node.yaml
if "$hearth" metadata validate -t top.yaml -e env.yaml 2>errors; then fail "a wrong stack is accepted"; fi
grep -q 'node.yaml:7:' errors || fail "no position: $(cat errors)"
printf 'heat_template_version: 2018-08-31\nresources: {a: {type: OS::Heat::SoftwareConfg}}\n' >typo.yaml
if "$hearth" metadata validate -t typo.yaml 2>errors; then fail "a misspelt type is accepted"; fi
grep -q 'Did you mean OS::Heat::SoftwareConfig?' errors || fail "no nearest name: $(cat errors)"
printf 'heat_template_version: 2018-08-31\nresources: {a: {type: n.yaml}, b: {type: n.yaml}}\n' >n.yaml
cat >many.yaml <<'YAML'
heat_template_version: 2018-08-31
paramters: {who: {type: strng, default: x}}
resources:
  a: {type: OS::Heat::SoftwareConfg, propertis: {config: {get_param: whoo}}}
  b: {type: OS::Heat::Value, properties: {value: {get_resource: aa}, type: strange}}
YAML
code=0
"$hearth" metadata validate -t many.yaml -P other=1 --json >many.json || code=$?
[ $code = 1 ] || fail "wrong templates end with $code, not 1"
python3 - <<'PY' || fail "not all mistakes are told as JSON"
import json
told = json.load(open("many.json"))
places = [(e["file"], e["line"]) for e in told["errors"]]
wanted = [("many.yaml", line) for line in (2, 2, 4, 4, 4, 5, 5)] + [("-P other", 0)]
assert not told["valid"] and places == wanted, told
PY
if timeout 5 "$hearth" metadata validate -t n.yaml 2>errors; then fail "a template inside itself is accepted"; fi
grep -q 'n.yaml -> n.yaml' errors || fail "the circle is not shown: $(cat errors)"
echo '[{"version": "2018-08-31", "snippet": {"list_join": ["-", ["a", "b"]]}}]' >cases.json
grep -q '"a-b"' <<<"$("$hearth" metadata eval --batch cases.json)" || fail "eval"
echo '[{"files": [{"A": "x.yaml"}], "lookups": [["A", null]]}]' >cases.json
grep -q '"Template"' <<<"$("$hearth" metadata registry --batch cases.json)" || fail "registry"
echo "metadata.sh: ok"
