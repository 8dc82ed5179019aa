"""Makes the stack of metadata.sh and times signals. usage: metadata_stack.py HEARTH SERVERS DEPLOYMENTS DIRECTORY"""
import json
import os
import subprocess
import sys
import time
import urllib.request

hearth, servers, deployments, work = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
node = {"heat_template_version": "2018-08-31", "resources": {
    "server": {"type": "OS::Heat::DeployedServer", "properties": {"software_config_transport": "POLL_TEMP_URL"}},
    "config": {"type": "OS::Heat::SoftwareConfig", "properties": {
        "group": "script", "config": "#!/bin/sh\necho $x\n", "inputs": [{"name": "x"}], "outputs": [{"name": "result"}]}}}}
for i in range(deployments):
    value = {"get_attr": [f"dep{i - 1}", "result"]} if i else "start"
    node["resources"][f"dep{i}"] = {"type": "OS::Heat::SoftwareDeployment", "properties": {
        "config": {"get_resource": "config"}, "server": {"get_resource": "server"}, "input_values": {"x": value}}}
top = {"heat_template_version": "2018-08-31", "resources": {"Compute": {"type": "OS::Heat::ResourceGroup", "properties": {
    "count": servers, "resource_def": {"type": "node.yaml"}}}}}
for name, template in (("node.yaml", node), ("top.yaml", top)):
    with open(f"{work}/{name}", "w", encoding="utf-8") as file:
        json.dump(template, file)

base = "http://127.0.0.1:28004/v1/admin"
began = time.monotonic()
subprocess.run([hearth, "stack", "create", "big", "-t", work + "/top.yaml", "--url", base, "--state", work + "/state"],
               check=True, stdout=subprocess.DEVNULL)
print(f"create {servers} servers x {deployments} deployments: {time.monotonic() - began:.2f} s (client included)")


def get(url):
    with urllib.request.urlopen(url, timeout=60) as answer:
        return json.load(answer)


place = get(base + "/stacks/big")["stack"]
place = f"{base}/stacks/big/{place['id']}"
listed = get(place + "/resources?nested_depth=5")["resources"]
homes = [r["links"][0]["href"] for r in listed if r["resource_name"] == "server"]
flushes = []
scratch = os.open(work + "/state/flush", os.O_RDWR | os.O_CREAT)
os.write(scratch, b"x" * 65536)
os.fsync(scratch)


def flush():
    """What any answer that is on disk has to wait for: the log of a signal is 60 KB, written over."""
    began = time.perf_counter()
    os.pwrite(scratch, os.urandom(65536), 0)
    os.fdatasync(scratch)
    flushes.append((time.perf_counter() - began) * 1000)


def told(what, times):
    times.sort()
    print(f"{what}: median {times[len(times) // 2]:.2f} ms, p99 {times[int(len(times) * .99)]:.2f} ms, most {times[-1]:.2f} ms "
          f"({len(times)})")


urls, took = [], []
for home in homes[:1000]:
    metadata = get(home + "/metadata")["metadata"]
    urls.append(metadata["os-collect-config"]["request"]["metadata_url"])
    if len(took) >= 200:
        continue
    signal = [i["value"] for i in metadata["deployments"][0]["inputs"] if i["name"] == "deploy_signal_id"][0]
    request = urllib.request.Request(signal, method="POST", data=b'{"deploy_status_code": 0, "result": "done"}')
    began = time.perf_counter()
    urllib.request.urlopen(request, timeout=60).read()
    took.append((time.perf_counter() - began) * 1000)
    flush()
told("a signal, as its sender sees it", took)
told("one flush of 64 KiB to the same disk, in turn with them", flushes)
with open(work + "/poll_url", "w", encoding="utf-8") as file:
    file.write(urls[0])
with open(work + "/poll_urls", "w", encoding="utf-8") as file:
    file.write("\n".join(urls))
pid = subprocess.run(["pgrep", "-f", f"metadata serve --state {work}/state"], capture_output=True, text=True, check=False).stdout.split()
for each in pid:
    try:
        with open(f"/proc/{each}/status", encoding="utf-8") as file:
            memory = [line for line in file if line.startswith("VmRSS")]
        print("memory of the service:", " ".join(memory[0].split()[1:]))
    except (FileNotFoundError, IndexError):
        pass
os.sync()
