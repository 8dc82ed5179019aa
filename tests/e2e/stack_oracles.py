#!/usr/bin/python3
"""What must hold of any stack, whatever another engine says: stacks made up from numbers (tests/peers/heat/lives.py).

update    a stack that was updated from A to B is the one that was created as B
signals   whatever the order in which agents answer, a stack comes to the same end
compile   what `hearth metadata compile` writes for a server is what a live stack serves at rest

stack_oracles.py HEARTH update|signals|compile; cases.py says how many, and which."""

import json
import os
import random
import re
import subprocess
import sys
import tempfile

import cases

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../peers/heat"))
import lives  # noqa: E402
import lives_peer  # noqa: E402
from own_network import enter, free_port  # noqa: E402

NAME = "life-1"  # of both stacks, one after the other: ids and names of nested stacks come from it


class Side(lives_peer.Side):
    def pending(self):
        """Told without the action: who was updated ran what who was created ran."""
        return [(place, "RUN", *rest) for place, _, *rest in super().pending()]

    def answer_all(self, pick):
        """One agent after the other answers; `pick` takes the next one."""
        while True:
            self.resources()
            waiting = self.pending()
            if not waiting:
                return
            place, _, stack_name, stack, entry, values = pick(waiting)
            self.seen.add(entry["id"])
            body = {"deploy_stdout": f"{place} ran with {values.get('foo')}", "deploy_stderr": "", "deploy_status_code": 0}
            body.update({output["name"]: f"{output['name']} of {place}" for output in entry["outputs"]})
            code, said = self.service.ask("POST", f"/stacks/{stack_name}/{stack}/resources/{values['deploy_resource_name']}/signal", body)
            assert code < 300, f"{place}: {said}"

    def end(self):
        """The stack as it is, without what tells how it came to be: numbers of ids, and which action it was."""
        found = self.snapshot()
        for row in found["resources"].values():
            row["status"] = row["status"].split("_", 1)[1]
            row.pop("reason")
        for entries in found["deployments"].values():
            for entry in entries:
                entry["inputs"] = sorted((i for i in entry["inputs"] if i["name"] != "deploy_action"), key=lambda i: i["name"])
        kept = {key: found[key] for key in ("outputs", "parameters", "resources", "deployments", "collect", "timeout", "rollback")}
        for sections in kept["collect"].values():  # another transport than before is taken back by nulls
            for name in [name for name, each in (sections or {}).items() if isinstance(each, dict) and set(each.values()) == {"NoneType"}]:
                del sections[name]
        kept["status"] = found["status"].split("_", 1)[1]
        return json.loads(re.sub(r"(<[^<>]*)#\d+>", r"\1>", json.dumps(kept)))


class Life(lives.Life):
    """Without what a stack remembers by design of how it was before: names that a group must not use again."""

    def change_removal(self):
        self.change_count()

    def change_actions(self):
        self.change_given()


def stack(service, bodies, pick, patience=None):
    """A stack that is created as the first body and updated to each other one; its end, or None where it is refused."""
    side = Side(service, NAME)
    try:
        for number, body in enumerate(bodies):
            code, said = side.do({"do": "update" if number else "create", "body": body})
            if code >= 300:
                return None, f"step {number}: {said}"
            side.answer_all(pick)
            status = service.get(side.path())["stack"]["stack_status"]
            if status.endswith("FAILED"):
                return None, f"step {number}: {service.get(side.path())['stack']['stack_status_reason']}"
            if not status.endswith("COMPLETE"):
                return {"status": status}, ""
        return side.end(), ""
    finally:
        if side.id:
            service.ask("DELETE", side.path())
            side.answer_all(lambda waiting: waiting[0]) if service.get(side.path()) else None


def first(waiting):
    return waiting[0]


def life(seed):
    made = Life(seed)
    lives.ACTIONS = [None]
    for definition in made.resources.values():  # each deployment runs at creation and at updates
        definition["properties"].pop("actions", None)
        definition["properties"].pop("removal_policies", None)
    return made


def update_oracle(service, seed, _):
    made = life(seed)
    before = made.body()
    for _ in range(made.r.randint(1, 4)):
        made.change()
    made.outputs_anew()
    after = life_body(made)
    updated, why = stack(service, [before, after], first)
    created, why_not = stack(service, [after], first)
    if updated is None and (created is None or why.startswith("step 0")):  # a template that is refused
        return None
    if updated is None or created is None:
        return [f"updated: {why}", f"created: {why_not}"]
    return lives_peer.differences(created, updated)


def life_body(made):
    for definition in made.resources.values():
        definition["properties"].pop("actions", None)
        definition["properties"].pop("removal_policies", None)
    return made.body()


def signals_oracle(service, seed, _):
    made = life(seed)
    for _ in range(3):
        made.add("deployment")
    made.outputs_anew()
    body = life_body(made)
    chance = random.Random(seed)
    ends = [stack(service, [body], pick) for pick in (first, lambda waiting: waiting[-1], chance.choice)]
    if any(end is None for end, _ in ends):
        return None if all(end is None for end, _ in ends) else [why for _, why in ends]
    return lives_peer.differences(ends[0][0], ends[1][0]) + lives_peer.differences(ends[0][0], ends[2][0])


def entries_of(document):
    """A server's deployments without ids, times and what belongs to the service."""
    told = []
    for entry in document.get("deployments", []):
        inputs = {i["name"]: i.get("value") for i in entry["inputs"]}
        told.append({**{k: entry.get(k) for k in ("name", "group", "config", "options", "outputs")},
                     "inputs": {k: v for k, v in inputs.items() if not k.startswith("deploy_") or k == "deploy_resource_name"}})
    rest = {k: v for k, v in document.items() if k not in ("deployments", "os-collect-config")}
    text = json.dumps({"entries": told, "rest": rest})
    made = json.loads(re.sub(r"-[a-z2-7]{12}(?![a-z0-9])", "-<short>", lives_peer.UUID.sub("<uuid>", text)))
    made["entries"].sort(key=lambda entry: json.dumps(entry, sort_keys=True))
    return made


def compile_oracle(service, seed, hearth):
    made = life(seed)
    for _ in range(made.r.randint(0, 6)):
        made.change()
    made.outputs_anew()
    life_body(made)
    for definition in made.resources.values():
        if definition["kind"] == "server" and made.chance(40):
            definition["metadata"] = {"m": made.r.choice(lives.WORDS)}
        if definition["kind"] in ("deployment", "deployments"):
            definition["properties"]["signal_transport"] = "NO_SIGNAL"
        if definition["kind"] == "random":  # is another in each stack
            definition.update(kind="value", properties={"value": "chosen by lot"})
    made.nested["deploys"] = False
    # What no agent has told is nobody's value.
    if re.search(r'"deplo\d+", "deploy_stdout"', json.dumps(made.template())):
        return None
    body = life_body(made)
    side = Side(service, NAME)
    code, said = side.do({"do": "create", "body": body})
    if code >= 300:
        return None
    side.resources()
    live = {place: entries_of(document) for place, document in side.documents()}
    status = service.get(side.path())["stack"]["stack_status"]
    service.ask("DELETE", side.path())
    if status != "CREATE_COMPLETE":
        return None if status == "CREATE_FAILED" else [f"the live stack is {status}"]
    with tempfile.TemporaryDirectory(prefix="hearth-oracle-") as work:
        text = json.dumps(body["template"])
        for number, (url, content) in enumerate(sorted(body["files"].items())):
            text = text.replace(url, f"file{number}.yaml")
            with open(f"{work}/file{number}.yaml", "w", encoding="utf-8") as file:
                file.write(content)
        for name, content in (("top.yaml", text), ("env.yaml", json.dumps({"parameters": body["parameters"]}))):
            with open(f"{work}/{name}", "w", encoding="utf-8") as file:
                file.write(content)
        done = subprocess.run([hearth, "metadata", "compile", "-t", "top.yaml", "-e", "env.yaml", "-n", NAME, "--seed", "s", "-o", "out"], cwd=work,
                              capture_output=True, text=True, timeout=60, check=False)
        if done.returncode != 0:
            return [f"compile: {done.stderr}"]
        with open(f"{work}/out/index.json", encoding="utf-8") as file:
            servers = json.load(file)["servers"]
        compiled = {}
        for server in servers:
            with open(f"{work}/out/{server['metadata']}", encoding="utf-8") as file:
                compiled[server["path"]] = entries_of(json.load(file))
    return lives_peer.differences(live, compiled)


ORACLES = {"update": update_oracle, "signals": signals_oracle, "compile": compile_oracle}


def main(hearth, oracle):
    enter()
    hearth = os.path.abspath(hearth)
    compared = 0
    with tempfile.TemporaryDirectory(prefix="hearth-oracle-") as work:
        ports = {name: free_port() for name in ("cfn", "objects", "heat", "identity")}
        service = lives_peer.Service([hearth, "metadata", "serve", "--state", work + "/state", "--trust-loopback",
                                      *("--%s-port=%d" % pair for pair in ports.items())], ports["heat"], 4, work + "/err")
        try:
            for seed in cases.seeds():
                found = ORACLES[oracle](service, seed, hearth)
                if found:
                    told = "\n    ".join(found[:8]).replace("heat:   ", "one:    ").replace("hearth: ", "other:  ")
                    print(f"{oracle}, case {seed}:\n    {told}\n" + cases.repeat(seed, f"e2e.stack_oracle_{oracle}"))
                    return 1
                compared += found is not None
        finally:
            service.stop()
    print(f"{oracle}: {compared} of {len(cases.seeds())} cases compared, the others are no stacks")
    return 0 if 3 * compared >= len(cases.seeds()) or len(cases.seeds()) == 1 else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:3]))
