"""A stack of many servers: thousand.py DIR SERVERS DEPLOYMENTS writes top.yaml and node.yaml."""
import json
import os
import sys


def main(directory, servers, deployments):
    os.makedirs(directory, exist_ok=True)
    steps = {"cfg%d" % n: {"type": "OS::Heat::SoftwareConfig", "properties": {
        "group": "script", "config": "#!/bin/sh\necho step %d $role $index\n" % n + "# padding\n" * 20,
        "inputs": [{"name": "role"}, {"name": "index", "type": "Number"}], "outputs": [{"name": "result"}]}} for n in range(deployments)}
    deploys = {"dep%d" % n: {"type": "OS::Heat::SoftwareDeployment", "depends_on": ["dep%d" % (n - 1)] if n else [], "properties": {
        "name": "Step%d" % n, "config": {"get_param": ["configs", str(n)]}, "server": {"get_resource": "server"}, "signal_transport": "CFN_SIGNAL",
        "input_values": {"role": {"get_param": "role"}, "index": n, "host": {"str_replace": {"template": "ROLE-INDEX.example", "params": {
            "ROLE": {"get_param": "role"}, "INDEX": {"get_param": "index"}}}}}}} for n in range(deployments)}
    node = {"heat_template_version": "pike", "parameters": {"role": {"type": "string"}, "index": {"type": "string"}, "configs": {"type": "json"}},
            "resources": {"server": {"type": "OS::Heat::DeployedServer", "properties": {"name": {"list_join": ["-", [{"get_param": "role"}, {"get_param": "index"}]]}}}, **deploys},
            "outputs": {"id": {"value": {"get_resource": "server"}}}}
    top = {"heat_template_version": "pike", "resources": {**steps, "nodes": {"type": "OS::Heat::ResourceGroup", "properties": {
        "count": int(servers), "resource_def": {"type": "node.yaml", "properties": {"role": "compute", "index": "%index%", "configs": {
            str(n): {"get_resource": "cfg%d" % n} for n in range(deployments)}}}}}},
           "outputs": {"ids": {"value": {"get_attr": ["nodes", "id"]}}}}
    for name, document in (("node.yaml", node), ("top.yaml", top)):
        with open(os.path.join(directory, name), "w") as out:
            json.dump(document, out, indent=1)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
