#!/bin/bash
# A template is compiled without a controller, and the agent's own programs run the deployment that came out of it: the script
# runs with its input, and its answer is recorded for whoever asks. No image, no network, no root.
# usage: deployment.sh LINKS     (a directory made by hearth-agent install-links)
# shellcheck source-path=SCRIPTDIR source=lib.sh
links=$(realpath "$1")
. "$(dirname "$0")/lib.sh"
cat > site.yaml <<'YAML'
heat_template_version: 2018-08-31
parameters:
  who: {type: string}
resources:
  server: {type: OS::Heat::DeployedServer, properties: {name: web}}
  config:
    type: OS::Heat::SoftwareConfig
    properties:
      group: script
      config: |
        #!/bin/sh
        echo "hello $who"
        printf '%s' "$who was here" > "$heat_outputs_path.answer"
      inputs: [{name: who}]
      outputs: [{name: answer}]
  greet:
    type: OS::Heat::SoftwareDeployment
    properties:
      name: greet
      signal_transport: NO_SIGNAL
      config: {get_resource: config}
      server: {get_resource: server}
      input_values: {who: {get_param: who}}
YAML
"$HEARTH" metadata compile --strict -t site.yaml -P who=somebody -o compiled > out 2>&1 || fail "the template is not compiled: $(cat out)"

# The machine: its metadata as os-collect-config would lay it down, everything else in this directory.
mkdir machine
python3 -c 'import json, sys; json.dump(json.load(sys.stdin)["deployments"], sys.stdout)' \
    < compiled/servers/server/metadata.json > machine/config
env -i PATH="$links:/usr/bin:/bin" HOME="$work" LC_ALL=C HEAT_SHELL_CONFIG="$work/machine/config" \
    HEAT_CONFIG_DEPLOYED="$work/machine/deployed" HEAT_CONFIG_DEPLOYED_OLD="$work/machine/old" \
    HEAT_CONFIG_HOOKS="$links/hooks" HEAT_CONFIG_LOG_DIR="$work/machine/log" \
    HEAT_SCRIPT_WORKING="$work/machine/working" HEAT_SCRIPT_OUTPUTS="$work/machine/outputs" \
    "$links/55-heat-config" > out 2>&1 || fail "55-heat-config fails: $(cat out)"
cat machine/deployed/*.notify.json machine/deployed/* > recorded 2> /dev/null || true
expect_text recorded '"answer": "somebody was here"' '"deploy_status_code": 0' 'hello somebody'
finish
