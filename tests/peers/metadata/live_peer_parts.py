"""What the peers of live stacks share: the servers of a stack, and what upstream's agent makes of a configuration."""
import json
import os
import shutil
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))


def servers(service, stack):
    """(nested stack, its metadata) of each server."""
    found = []
    for resource in json.loads(service.openstack("stack", "resource", "list", "-n", "5", "-f", "json", stack)):
        if resource["resource_name"] == "deployed-server":
            text = service.openstack("stack", "resource", "metadata", resource["stack_name"], "deployed-server")
            found.append((resource["stack_name"], json.loads(text)))
    return found


def collected_by(program, configuration, collector, directory):
    """What an agent's program collects with a configuration file as it is."""
    cache = directory + "/collected"
    shutil.rmtree(cache, ignore_errors=True)
    os.makedirs(cache)
    run = subprocess.run([program, "--config-file", configuration, "--cachedir", cache, "--backup-cachedir", cache + "/backup",
                          "--one-time", "-c", "true", collector], capture_output=True, text=True, timeout=120)
    path = f"{cache}/{collector}.json"
    assert os.path.exists(path), f"{program} collected nothing: {run.stdout}\n{run.stderr}"
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def collected(program, section, directory):
    """What an agent's program makes of a server's own configuration."""
    shutil.rmtree(directory, ignore_errors=True)
    os.makedirs(directory)
    collector = section["collectors"][0]
    with open(directory + "/c.conf", "w", encoding="utf-8") as conf:
        conf.write(f"[DEFAULT]\n[{collector}]\n")
        conf.writelines(f"{key}={value}\n" for key, value in section[collector].items())
    return collected_by(program, directory + "/c.conf", collector, directory)
