#!/usr/bin/python3
"""Lives of stacks (lives.py) with the real Heat and with `hearth metadata serve`: after each step the same resources,
states and reasons, the same of them new, the same outputs, the same deployments for each server, and events in the same
order where one comes after the other.

lives_peer.py HEARTH [COUNT [FIRST_SEED]]; HEARTH_HEAT_PEER_COUNT=N runs N. Exit 0 same, 1 different, 77 skipped."""
import ctypes
import http.client
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import urllib.parse

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..")]
import lives  # noqa: E402
from own_network import enter, free_port  # noqa: E402

QUIET = 3  # looks at a stack that is the same each time: then it waits for a signal
PATIENCE = 60


def die_with_us():
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)


class Service:
    """One of the two, reached by Heat's API."""

    def __init__(self, command, port, ready, error):
        self.port = port
        with open(error, "w", encoding="utf-8") as log:
            self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True, preexec_fn=die_with_us)
        for _ in range(ready):
            line = self.process.stdout.readline()
            if not line:
                raise RuntimeError("%s did not start: %s" % (command[0], open(error, encoding="utf-8").read()[-2000:]))
        self.connection = None

    def ask(self, method, path, body=None):
        """(status, JSON); redirects are followed."""
        for attempt in (1, 2):
            if self.connection is None:
                self.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
            try:
                self.connection.request(method, "/v1/admin" + path, None if body is None else json.dumps(body),
                                        {"Content-Type": "application/json", "Accept": "application/json"})
                answer = self.connection.getresponse()
                text = answer.read()
                break
            except (http.client.HTTPException, ConnectionError):
                self.connection = None
                if attempt == 2:
                    raise
        if answer.status in (301, 302):
            return self.ask(method, urllib.parse.urlsplit(answer.getheader("Location")).path.split("/v1/admin", 1)[1], body)
        try:
            return answer.status, json.loads(text or b"null")
        except ValueError:
            return answer.status, text.decode(errors="replace")

    def get(self, path):
        status, answer = self.ask("GET", path)
        return answer if status == 200 else None

    def stop(self):
        self.process.kill()
        self.process.wait()


class Names:
    """What ids, names and secrets of one side are called in both."""

    def __init__(self):
        self.known = {}
        self.latest = {}

    def learn(self, place, value):
        """`value` belongs to `place`; another one than before gets another number."""
        if not value or value in self.known:
            return
        self.latest[place] = self.latest.get(place, 0) + 1
        self.known[value] = "<%s#%d>" % (place, self.latest[place])

    def __call__(self, value):
        text = json.dumps(value)
        text = WORD.sub(lambda m: self.known.get(m.group(0), m.group(0)), text)
        for secret in sorted((k for k in self.known if not WORD.fullmatch(k)), key=len, reverse=True):
            text = text.replace(secret, self.known[secret])
        return json.loads(SHORT.sub("-<short>", UUID.sub("<uuid>", text)))


ID = re.compile(r"@id:([\w.]+)")
UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
SHORT = re.compile(r"-[a-z2-7]{12}(?=[^a-z0-9])")
WORD = re.compile(UUID.pattern + r"|life-[\w.-]+-[a-z2-7]{12}(?:-[\w.-]+-[a-z2-7]{12})*")


class Side:
    """One stack of one service, and what was seen of it."""

    def __init__(self, service, name):
        self.service, self.name = service, name
        self.id = None
        self.names = Names()
        self.paths = {}  # of stacks by id
        self.ids = {}  # of resources by path
        self.by_name = {}
        self.seen = set()
        self.events_seen = 0
        self.ran = []

    def path(self):
        return "/stacks/%s/%s" % (self.name, self.id)

    def do(self, step):
        body = step["body"] and json.loads(ID.sub(lambda m: self.ids.get(m.group(1), m.group(1)), json.dumps(step["body"])))
        if step["do"] == "create":
            status, answer = self.service.ask("POST", "/stacks", dict(body, stack_name=self.name))
            if status == 201:
                self.id = answer["stack"]["id"]
                self.paths[self.id] = ""
                self.names.learn("", self.id)
        else:
            method = {"update": "PUT", "patch": "PATCH", "delete": "DELETE"}[step["do"]]
            status, answer = self.service.ask(method, self.path(), body)
        return status, answer

    def resources(self):
        """Path → row, of the whole tree."""
        answer = self.service.get(self.path() + "/resources?nested_depth=8")
        rows = (answer or {}).get("resources", [])
        by_stack = {}
        for row in rows:
            stack = [link["href"] for link in row["links"] if link["rel"] == "stack"][0]
            by_stack.setdefault(stack.rstrip("/").rsplit("/", 1)[1], []).append(row)
        found = {}

        def walk(stack, path):
            for row in by_stack.get(stack, []):
                place = (path + "." if path else "") + row["resource_name"]
                found[place] = row
                nested = [link["href"] for link in row["links"] if link["rel"] == "nested"]
                if nested:
                    inner_name, inner = nested[0].rstrip("/").rsplit("/", 2)[1:]
                    self.paths[inner] = place
                    self.names.learn(place + ":name", inner_name)
                    walk(inner, place)
                self.ids[place] = row["physical_resource_id"]
                self.names.learn(place, row["physical_resource_id"])

        walk(self.id, "")
        return found

    def events(self):
        answer = self.service.get(self.path() + "/events?nested_depth=8&sort_dir=asc")
        return (answer or {}).get("events", [])

    def settle(self):
        """Looks until nothing changes any more. The stack's status, or None where it is gone."""
        end = time.monotonic() + PATIENCE
        before, quiet = None, 0
        while time.monotonic() < end:
            now = sorted((p, r["physical_resource_id"], r["resource_status"]) for p, r in self.resources().items())
            quiet = quiet + 1 if now == before else 0
            before = now
            if quiet >= QUIET or not any(state.endswith("IN_PROGRESS") for _, _, state in now):
                shown = self.service.get(self.path())
                if shown is None:
                    return None
                status = shown["stack"]["stack_status"]
                if quiet >= QUIET or not status.endswith("IN_PROGRESS"):
                    return status
            time.sleep(0.02)
        return "stuck " + str(before)

    def documents(self):
        """(server's path, what its agent gets)."""
        for place, row in sorted(self.resources().items()):
            if row["resource_type"] != "OS::Heat::DeployedServer":
                continue
            link = [link["href"] for link in row["links"] if link["rel"] == "self"][0]
            answer = self.service.get(urllib.parse.urlsplit(link).path.split("/v1/admin", 1)[1] + "/metadata")
            yield place, (answer or {}).get("metadata") or {}

    def entries(self):
        """(server's path, entry) of all that waits on servers."""
        return [(place, entry) for place, document in self.documents() for entry in document.get("deployments", [])]

    def pending(self):
        """What agents would run, by path."""
        waiting = []
        for _, entry in self.entries():
            values = {i["name"]: i.get("value") for i in entry["inputs"]}
            if entry["id"] in self.seen or not values.get("deploy_signal_id"):
                continue
            stack_name, stack = values["deploy_stack_id"].split("/")
            path = self.paths.get(stack, "?")
            place = (path + "." if path else "") + values["deploy_resource_name"]
            waiting.append((place, values["deploy_action"], stack_name, stack, entry, values))
        return sorted(waiting, key=lambda w: w[:2])

    def run_agents(self, fail):
        """Signals one deployment after the other until the stack has come to its end."""
        self.ran = []
        idle = 0
        while idle < 40:
            status = self.settle()
            if status is None or not status.endswith("IN_PROGRESS"):
                break
            waiting = self.pending()
            idle = 0 if waiting else idle + 1
            if not waiting:
                continue
            place, action, stack_name, stack, entry, values = waiting[0]
            self.seen.add(entry["id"])
            failed = place.rsplit(".", 1)[-1] in fail
            self.ran.append((place, action, failed))
            signal_body = {"deploy_stdout": "%s ran %s with %s" % (place, action, values.get("foo")), "deploy_stderr": "",
                           "deploy_status_code": 1 if failed else 0}
            for output in entry["outputs"]:
                signal_body[output["name"]] = "%s of %s" % (output["name"], place)
            answer = self.service.ask("POST", "/stacks/%s/%s/resources/%s/signal" % (stack_name, stack, values["deploy_resource_name"]), signal_body)
            if answer[0] >= 300:
                self.ran.append(("signal refused", answer))
        for _, entry in self.entries() if status else []:
            self.seen.add(entry["id"])
        return status

    def snapshot(self):
        """All that is compared, with both sides' names alike."""
        resources = self.resources()
        for place, row in resources.items():
            if row["resource_type"] in ("OS::Heat::RandomString",):
                link = [link["href"] for link in row["links"] if link["rel"] == "self"][0]
                shown = self.service.get(urllib.parse.urlsplit(link).path.split("/v1/admin", 1)[1])
                self.names.learn(place + ":value", (shown or {}).get("resource", {}).get("attributes", {}).get("value"))
        stack = (self.service.get(self.path()) or {}).get("stack", {})
        events = self.events()
        out = {"status": stack.get("stack_status"), "reason": stack.get("stack_status_reason"),
               "timeout": stack.get("timeout_mins"), "rollback": stack.get("disable_rollback"),
               "outputs": {o["output_key"]: o.get("output_value", o.get("output_error")) for o in stack.get("outputs", [])},
               "parameters": {k: v for k, v in stack.get("parameters", {}).items() if not k.startswith("OS::")},
               "resources": {}, "deployments": {},
               "collect": {place: shape(document.get("os-collect-config")) for place, document in self.documents()}}
        for place, row in resources.items():
            out["resources"][place] = {"type": row["resource_type"], "status": row["resource_status"], "reason": row["resource_status_reason"],
                                       "id": row["physical_resource_id"], "required_by": sorted(row["required_by"])}
        for server, entry in self.entries():
            shown = {k: entry.get(k) for k in ("name", "group", "config", "options", "outputs")}
            shown["inputs"] = [{k: v for k, v in i.items() if k != "description"} for i in entry["inputs"] if i["name"] != "deploy_signal_id"]
            out["deployments"].setdefault(server, []).append(shown)
        out["ran"] = sorted(self.ran)
        out["events"] = self.new_events(events)
        out = self.names(out)
        # Their order comes from names with something random in them, and of those with one name Heat has no order.
        for entries in out["deployments"].values():
            entries.sort(key=lambda entry: (entry["name"], [i["value"] for i in entry["inputs"] if i["name"] == "deploy_resource_name"]))
        return out

    def new_events(self, events):
        told = []
        # Those of a stack that was empty come to be seen late, before others that were seen already.
        known = [number for number, event in enumerate(events) if event["id"] in self.seen]
        for event in events[known[-1] + 1 if known else 0:]:
            self.seen.add(event["id"])
            stack = [link["href"] for link in event["links"] if link["rel"] == "stack"][0].rstrip("/").rsplit("/", 1)[1]
            path = self.paths.get(stack, "?")
            place = path if event["physical_resource_id"] == stack else (path + "." if path else "") + event["resource_name"]
            own = " (stack)" if event["physical_resource_id"] == stack else ""
            reason = re.sub(r" started at .*", " started", event["resource_status_reason"] or "")
            told.append([place + own, event["resource_status"], reason])
        return told


def shape(section):
    """A section for os-collect-config with texts left out: they are of the service, or secret."""
    if isinstance(section, dict):
        return {key: shape(value) for key, value in section.items()}
    return section if isinstance(section, list) else type(section).__name__


def ordered(events, pairs):
    """What has to be the same of a list of events: each place's own, and those of two of which one waits for the other."""
    by_place = {}
    for place, status, reason in events:
        by_place.setdefault(place, []).append([status, reason])
    together = {}
    for a, b in pairs:
        together[a + " and " + b] = [[place, status] for place, status, _ in events if place in (a, b)]
    return {"of each": by_place, "of pairs": together}


def differences(left, right, path=""):
    if isinstance(left, dict) and isinstance(right, dict):
        found = []
        for key in sorted(set(left) | set(right)):
            if left.get(key) != right.get(key):
                found += differences(left.get(key, "(none)"), right.get(key, "(none)"), path + "/" + str(key))
        return found
    if isinstance(left, list) and isinstance(right, list) and len(left) == len(right):
        found = []
        for number, (a, b) in enumerate(zip(left, right)):
            if a != b:
                found += differences(a, b, "%s[%d]" % (path, number))
        return found
    return ["%s\n        heat:   %s\n        hearth: %s" % (path, json.dumps(left)[:600], json.dumps(right)[:600])]


def told_alike(snapshot):
    """Without what is told by one of the two alone, each of which the README of metadata/ names."""
    there = snapshot["resources"]
    deleting = {}
    events = []
    for place, status, reason in snapshot["events"]:
        if status.startswith("DELETE"):
            deleting[place] = status == "DELETE_IN_PROGRESS"
            # What was replaced goes without a word in Heat's classic engine, be it at once or with what took its place.
            if place in there or [place, status, reason] in events:
                continue
        if deleting.get(place) and status.startswith("SIGNAL"):  # Heat does not wait for a deployed server's agent
            continue
        stack = place[:-len(" (stack)")] if place.endswith(" (stack)") else place.rpartition(".")[0]
        if stack and not any(each.startswith(stack + ".") for each in there):  # Heat has no events of a stack that is empty
            continue
        events.append([place, status, reason])
    return dict(snapshot, events=events, ran=[each for each in snapshot["ran"] if each[1] != "DELETE"])


def without_deleted(heat, hearth):
    """What a failed update has taken away by then in Heat's classic engine, and in ours would have at its end."""
    if not heat["status"] == hearth["status"] == "UPDATE_FAILED":
        return heat, hearth, False
    deleted = {place for place, status, _ in heat["events"] if status == "DELETE_COMPLETE" and place not in heat["resources"]}

    def of_deleted(place):
        return any(place == each or place.startswith(each + ".") for each in deleted)

    def runs_for_deleted(entry):
        inputs = {each["name"]: each.get("value") for each in entry["inputs"]}
        of_stack = str(inputs.get("deploy_stack_id"))  # "<name:name#1>/…" of a deployment in a group
        return inputs.get("deploy_resource_name") in deleted or any(of_stack.startswith("<%s:" % name) for name in deleted)

    def rest(snapshot):
        resources = {place: dict(row, required_by=[name for name in row["required_by"] if name not in deleted])
                     for place, row in snapshot["resources"].items() if not of_deleted(place)}
        deployments = {place: [entry for entry in entries if not runs_for_deleted(entry)]
                       for place, entries in snapshot["deployments"].items() if not of_deleted(place)}
        return dict(snapshot, resources=resources, deployments={place: entries for place, entries in deployments.items() if entries},
                    events=[event for event in snapshot["events"] if not of_deleted(event[0].removesuffix(" (stack)"))])

    return rest(heat), rest(hearth), bool(deleted)


def compared(snapshot):
    snapshot = told_alike(snapshot)
    pairs = [(place.rsplit(".", 1)[0] + "." + other if "." in place else other, place)
             for place, row in snapshot["resources"].items() for other in row["required_by"]]
    made = dict(snapshot)
    made["events"] = ordered(snapshot["events"], sorted(pairs))
    if not snapshot["status"].endswith("COMPLETE"):  # after a failure Heat's classic engine shows those of before
        made.pop("outputs")
    return made


def run(heat, hearth, seed):
    """Lines of difference, of the first step that has any."""
    sides = [Side(service, "life-%d" % seed) for service in (heat, hearth)]
    try:
        for number, step in enumerate(lives.life(seed)):
            answers = [side.do(step) for side in sides]
            codes = [status for status, _ in answers]
            if codes[0] != codes[1]:
                return ["step %d %s: heat: %s\n        hearth: %s" % (number, step["do"], answers[0], answers[1])]
            if codes[0] >= 300:
                if step["do"] == "create":
                    return []
                continue
            ends = [side.run_agents(step["fail"]) for side in sides]
            if step["do"] == "delete" and all(end in (None, "DELETE_COMPLETE") for end in ends):
                return []
            *snapshots, apart = without_deleted(*[side.snapshot() for side in sides])
            made = list(map(compared, snapshots))
            for each, end in zip(made, ends):
                each["end"] = end
            if os.environ.get("HEARTH_HEAT_PEER_SHOW"):
                print(json.dumps({"step": number, "do": step, "heat": made[0], "hearth": made[1]}, indent=1))
            if made[0]["events"]["of each"] != made[1]["events"]["of each"]:
                for each in made:
                    each["events"].pop("of pairs")
            found = differences(made[0], made[1])
            if found:
                return ["step %d %s (fails: %s):" % (number, step["do"], step["fail"])] + found
            if apart:  # from here on the two have other things to take away
                return []
        return []
    finally:
        for side in sides:
            if side.id:
                side.service.ask("DELETE", side.path())


def main(arguments):
    enter()
    try:
        import heat  # noqa: F401
    except ImportError:
        print("SKIPPED: python3-heat is not there")
        return 77
    hearth = os.path.abspath(arguments[0])
    count = int(os.environ.get("HEARTH_HEAT_PEER_COUNT") or (arguments[1] if len(arguments) > 1 else 20))
    first = int(arguments[2]) if len(arguments) > 2 else 1
    bad = 0
    with tempfile.TemporaryDirectory(prefix="hearth-lives-", dir="/dev/shm" if os.path.isdir("/dev/shm") else None) as directory:
        os.makedirs(directory + "/heat")
        port = free_port()
        theirs = Service([sys.executable, HERE + "/real_heat.py", directory + "/heat", str(port)], port, 1, directory + "/heat.err")
        ports = {name: free_port() for name in ("cfn", "objects", "heat", "identity")}
        ours = Service([hearth, "metadata", "serve", "--state", directory + "/hearth", "--trust-loopback",
                        *("--%s-port=%d" % pair for pair in ports.items())], ports["heat"], 4, directory + "/hearth.err")
        try:
            for seed in range(first, first + count):
                began = time.monotonic()
                found = run(theirs, ours, seed)
                if os.environ.get("HEARTH_HEAT_PEER_WHY"):
                    print("life %d: %d s" % (seed, time.monotonic() - began), flush=True)
                if found:
                    bad += 1
                    print("life %d: %s" % (seed, found[0]))
                    for line in found[1:9]:
                        print("   ", line)
                    sys.stdout.flush()
        finally:
            for service in (theirs, ours):
                service.stop()
    print("%d lives, %d different" % (count, bad))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
