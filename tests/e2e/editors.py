#!/usr/bin/env python3
"""What editors are given: the language server over its pipe, schemas beside the readers that made them, and `hearth init`.
usage: editors.py ROOT     (HEARTH: the program)"""

import concurrent.futures
import glob
import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
import tempfile
import time

import jsonschema
import yaml

HEARTH = os.environ["HEARTH"]
PATIENCE = 60  # seconds: an answer takes milliseconds, on a machine with nothing else to do
HEAD = "heat_template_version: 2018-08-31\n"


def fail(text):
    sys.exit(f"FAILED: {text}")


def check(holds, text):
    if not holds:
        fail(text)


class Editor:
    """A client written to the protocol."""

    def __init__(self, *options):
        self.process = subprocess.Popen([HEARTH, "metadata", "lsp", *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.number = 0
        self.buffer = b""
        self.told = {}

    def send(self, body):
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(data) + data)
        self.process.stdin.flush()

    def read(self):
        end = time.monotonic() + PATIENCE
        while True:
            head, found, rest = self.buffer.partition(b"\r\n\r\n")
            if found and len(rest) >= int(head.split(b":")[1]):
                length = int(head.split(b":")[1])
                self.buffer = rest[length:]
                return json.loads(rest[:length])
            ready, _, _ = select.select([self.process.stdout], [], [], max(0, end - time.monotonic()))
            check(ready, f"no answer within {PATIENCE} s")
            data = os.read(self.process.stdout.fileno(), 65536)
            check(data, "the server has gone")
            self.buffer += data

    def ask(self, method, params):
        self.number += 1
        self.send({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params})
        while True:
            message = self.read()
            if message.get("id") == self.number:
                check("error" not in message, f"{method}: {message}")
                return message["result"]
            self.note(message)

    def tell(self, method, params):
        self.send({"jsonrpc": "2.0", "method": method, "params": params})

    def note(self, message):
        if message.get("method") == "textDocument/publishDiagnostics":
            self.told[message["params"]["uri"]] = message["params"]

    def diagnostics(self, uri, version):
        while self.told.get(uri, {}).get("version") != version:
            self.note(self.read())
        return self.told[uri]["diagnostics"]

    def at(self, method, uri, line, character):
        return self.ask("textDocument/" + method, {"textDocument": {"uri": uri}, "position": {"line": line, "character": character}})


def language_server(folder):
    os.mkfifo(os.path.join(folder, "endless.sh"))
    with open(os.path.join(folder, "in ner.yaml"), "w", encoding="utf-8") as file:
        file.write(HEAD + "parameters: {size: {type: number}}\noutputs: {ip: {value: {get_param: size}}}\n")
    with open(os.path.join(folder, "env.yaml"), "w", encoding="utf-8") as file:
        file.write("resource_registry: {My::Inner: 'in ner.yaml'}\n")
    text = (HEAD + "parameters:\n  flavor: {type: string}\nresources:\n  a:\n    type: My::Inner\n    properties:\n"
            "      sise: 1\n  b:\n    type: OS::Heat::Value\n    properties:\n"
            "      value: ['\N{GRINNING FACE}', {get_param: flavr}, {get_file: endless.sh}]\noutputs:\n  o:\n    value: ")
    uri = "file://" + folder + "/top%20level.yaml"
    editor = Editor("-e", os.path.join(folder, "env.yaml"))
    able = editor.ask("initialize", {"processId": None, "rootUri": None, "capabilities": {}})["capabilities"]
    check(able["positionEncoding"] == "utf-16", able)
    editor.tell("initialized", {})
    editor.tell("textDocument/didOpen", {"textDocument": {"uri": uri, "languageId": "yaml", "version": 1, "text": text}})
    found = editor.diagnostics(uri, 1)
    places = {(each["range"]["start"]["line"], each["range"]["start"]["character"]) for each in found}
    messages = "\n".join(each["message"] for each in found)
    check((7, 6) in places and "size" in messages, found)
    check(any(line == 11 for line, _ in places) and "Did you mean flavor?" in messages, found)
    check("endless.sh" in messages, found)

    # What is typed: {get_attr: [a, ip]}
    typed, line, column = "{get_attr: [a, ", 14, 11
    for number, letter in enumerate(typed, 2):
        spot = {"line": line, "character": column + number - 2}
        editor.tell("textDocument/didChange", {"textDocument": {"uri": uri, "version": number}, "contentChanges": [
            {"range": {"start": spot, "end": spot}, "text": letter}]})
    items = editor.at("completion", uri, line, column + len(typed))["items"]
    check([item["label"] for item in items] == ["ip"], items)
    where = editor.at("definition", uri, 5, 12)
    check(where["uri"] == "file://" + folder + "/in%20ner.yaml", where)
    where = editor.at("definition", uri, line, column + 12)
    check(where["range"]["start"] == {"line": 4, "character": 2}, where)
    check("size" in editor.at("hover", uri, 5, 12)["contents"]["value"], "hover of a type")
    check("OS::Heat::Value" in [i["label"] for i in editor.at("completion", uri, 9, 12)["items"]], "types")

    # Nonsense between good messages.
    for body in (b"{", b"[]", b"\xff\xfe", b"[" * 100000, b"null", b'{"method": 3, "id": {}}'):
        editor.send(body)
    editor.send(b"x" * (17 << 20))
    check(editor.ask("shutdown", None) is None, "shutdown")
    editor.tell("exit", None)
    check(editor.process.wait(PATIENCE) == 0, "exit code after shutdown")

    for bytes_in, code in ((b"", 1), (b"GET / HTTP/1.0\r\n\r\n", 1)):
        done = subprocess.run([HEARTH, "metadata", "lsp"], input=bytes_in, capture_output=True, timeout=PATIENCE, check=False)
        check(done.returncode == code and not done.stdout, done)


def hostile_templates():
    """Half of a template at each byte, and templates that are made to take long: the next request is answered."""
    whole = (HEAD + "resources:\n  a:\n    type: OS::Heat::ResourceGroup\n    properties: {count: 3, resource_def: {type: \"X\"}}\n"
             "outputs:\n  o: {value: {yaql: {expression: '$.data', data: &x [*x]}}}\n")
    bombs = ["a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
        f"{chr(98 + i)}: &{chr(98 + i)} [{', '.join('*' + chr(97 + i) for _ in range(9))}]\n" for i in range(12)),
        HEAD + "outputs: {o: {value: " + "{list_join: ['', [" * 3000,
        HEAD + "resources:\n" + "".join(f"  r{i}: {{type: OS::Heat::Nonesuch{i}}}\n" for i in range(20000)),
        HEAD + "outputs:\n  o: {value: {repeat: {for_each: {<%a%>: {get_param: x}}, template: '" + "y" * 3000000 + "'}}}\n"]
    editor = Editor()
    editor.ask("initialize", {})
    uri = "file:///nowhere/x.yaml"
    texts = [whole[:end] for end in range(0, len(whole), 3)] + bombs
    for version, text in enumerate(texts, 1):
        editor.tell("textDocument/didOpen", {"textDocument": {"uri": uri, "languageId": "hot", "version": version, "text": text}})
        lines = text.split("\n")
        began = time.monotonic()
        editor.at("completion", uri, len(lines) - 1, len(lines[-1]))
        check(time.monotonic() - began < 10, f"completion took {time.monotonic() - began:.1f} s: {text[:60]!r}")
        if text in bombs:
            editor.diagnostics(uri, version)
    editor.ask("shutdown", None)
    editor.tell("exit", None)
    check(editor.process.wait(PATIENCE) == 0, "exit code")


def many_documents():
    """One pause in the typing is enough for all that are open."""
    editor = Editor()
    editor.ask("initialize", {})
    uris = [f"file:///nowhere/{number}.yaml" for number in range(60)]
    began = time.monotonic()
    for uri in uris:
        editor.tell("textDocument/didOpen", {"textDocument": {"uri": uri, "languageId": "yaml", "version": 1, "text": HEAD}})
    for uri in uris:
        editor.diagnostics(uri, 1)
    check(time.monotonic() - began < 6, f"60 documents took {time.monotonic() - began:.1f} s")
    editor.ask("shutdown", None)
    editor.tell("exit", None)
    check(editor.process.wait(PATIENCE) == 0, "exit code")


def documents(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file) if path.endswith(".json") else yaml.safe_load(file)


def run(*words, env=None):
    return subprocess.run([HEARTH, *words], capture_output=True, text=True, timeout=60, check=False,
                          env={**os.environ, **(env or {})}, stdin=subprocess.DEVNULL)


def schemas(root, folder):
    listed = run("schema").stdout.split("\n")
    names = [line.split()[0] for line in listed if line]
    of = {}
    for name in names:
        of[name] = json.loads(run("schema", name).stdout)
        jsonschema.Draft7Validator.check_schema(of[name])
    files = {"images": ["examples/ci/images.yaml"],
             "package-installs": ["elements/*/package-installs.yaml", "examples/**/package-installs.yaml",
                                  "tests/**/package-installs.yaml"],
             "pkg-map": ["elements/*/pkg-map"],
             "svc-map": ["tests/e2e/elements/*/svc-map"],
             "block-device": ["elements/*/block-device-default.yaml", "tests/e2e/layouts/*.yaml"],
             "checks": ["examples/*/*.checks.yaml"],
             "site": ["examples/*/site.yaml"],
             "inventory": ["examples/*/instackenv.json"],
             "environment": ["tests/peers/metadata/env.yaml", "tests/unit/metadata/data/event_logs/env*.yaml"]}
    check(set(files) == set(names), f"a schema without a row in this table, or the other way round: {set(files) ^ set(names)}")
    with open(os.path.join(root, "docs/howto/editors.md"), encoding="utf-8") as page:
        told = page.read()
    for name in names:
        check(f"{name}.json" in told, f"docs/howto/editors.md does not name {name}.json")
    for name, patterns in files.items():
        paths = [path for pattern in patterns for path in glob.glob(os.path.join(root, pattern), recursive=True)
                 if "bad-packages" not in path]
        check(paths, f"no file for {name}")
        for path in paths:
            faults = list(jsonschema.Draft7Validator(of[name]).iter_errors(documents(path)))
            check(not faults, f"{path}: {faults[0].message if faults else ''}")
    planted(of, folder)
    keys_both_ways(of, folder)
    for name, cases in (("images", image_cases(of)), ("package-installs", package_cases(of)), ("checks", check_cases(of)), ("block-device", disk_cases(of)),
                        ("inventory", inventory_cases(of)), ("environment", environment_cases())):
        values_both_ways(name, of[name], cases, folder)


SITE = ("network: {subnet: 192.0.2.0/24, seed: 192.0.2.1, pool: 192.0.2.10-192.0.2.20}\n"
        "deploy: {kernel: k, ramdisk: r}\n")


def planted(of, folder):
    """The reader and the schema refuse the same key."""
    element = os.path.join(folder, "elements", "web")
    os.makedirs(element)
    disk = os.path.join(folder, "disk.raw")
    with open(disk, "wb") as file:
        file.truncate(1 << 20)
    layout = "- local_loop:\n    name: image0\n    mkfs:\n      name: root\n      type: ext4\n      mount: {mount_point: /, fstab: {%s: 1}}\n"
    cases = [
        ("images", "images.yaml", "- imagename: a\n  elements: [vm]\n  image-sise: 5\n", ["image", "create", "--dry-run"], {}),
        ("images", "images.yaml", "- arch: amd46\n", ["image", "create", "--dry-run"], {}),
        ("images", "images.yaml", "- clear: perhaps\n", ["image", "create", "--dry-run"], {}),
        ("package-installs", "elements/web/package-installs.yaml", "nginx:\n  fase: install.d\n", ["element", "lint", "--strict", element], {}),
        ("package-installs", "elements/web/package-installs.yaml", "nginx:\n  uninstall: perhaps\n", ["element", "lint", "--strict", element], {}),
        ("pkg-map", "elements/web/pkg-map", '{"distros": {"debian": {"a": "b"}}}', ["element", "lint", "--strict", element], {}),
        ("pkg-map", "elements/web/pkg-map", '{"release": {"debian": {"a": "b"}}}', ["element", "lint", "--strict", element], {}),
        ("svc-map", "elements/web/svc-map", "web: nginx\n", ["element", "lint", "--strict", element], {}),
        ("svc-map", "elements/web/svc-map", "web: {debian: [nginx]}\n", ["element", "lint", "--strict", element], {}),
        ("checks", "c.yaml", "service:\n  nginx: {runing: true}\n", ["image", "test", disk, "--checks"], {}),
        ("checks", "c.yaml", "services:\n  nginx: {running: true}\n", ["image", "test", disk, "--checks"], {}),
        ("site", "site.yaml", SITE + "machine: []\n", ["site", "check"], {}),
        ("site", "site.yaml", SITE + "machines: [{nmae: a}]\n", ["site", "check"], {}),
        ("site", "site.yaml", SITE.replace("subnet", "subnit"), ["site", "check"], {}),
        ("inventory", "in.json", '{"nodes": [{"pm_type": "ipmi", "pm_addr": "h", "colour": 1}]}', ["node", "import", "--dry-run", "--state", folder + "/state"], {}),
        ("environment", "e-env.yaml", "parameters: {}\nparameter_default: {}\n", ["metadata", "validate", "-t", template_for_environments(folder), "-e"], {}),
        ("environment", "e-env.yaml", "resource_registry: {resources: {a: {hooks: pre-craete}}}\n", ["metadata", "validate", "-t", template_for_environments(folder), "-e"], {}),
        ("block-device", "layout.yaml", layout % "fck-passno", ["image", "plan", "vm", "debian-minimal"], {"DIB_BLOCK_DEVICE_CONFIG": "file://" + folder + "/layout.yaml"}),
    ]
    for name, path, text, words, env in cases:
        path = os.path.join(folder, path)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        faults = list(jsonschema.Draft7Validator(of[name]).iter_errors(documents(path)))
        check(faults, f"the schema {name} takes {text!r}")
        done = run(*words, *([path] if not env and words[0] != "element" else []), env=env)
        refused = "unknown key" in done.stderr if env else done.returncode != 0
        check(refused, f"the reader takes {text!r}: {done.stdout} {done.stderr}")


def sample(schema):
    """A value of the kind that a schema describes, with every key that it names."""
    kinds = schema.get("anyOf") or schema.get("oneOf")
    if kinds:
        return sample(max(kinds, key=lambda kind: kind.get("type") == "object"))
    if "enum" in schema:
        return schema["enum"][0]
    if "properties" in schema:
        return {key: sample(value) for key, value in schema["properties"].items()}
    kind = schema.get("type")
    kind = kind[0] if isinstance(kind, list) else kind
    return {"array": [sample(schema.get("items", {}))] if kind == "array" else [], "integer": 1, "number": 1, "boolean": True,
            "object": {}}.get(kind, "a")


def keys_both_ways(of, folder):
    """What a schema names, its reader knows; what the reader of images knows of the command line's options, its schema names."""
    path = os.path.join(folder, "site.yaml")
    with open(path, "w", encoding="utf-8") as file:
        json.dump(sample(of["site"]), file)
    told = run("site", "check", path).stderr
    check("no IPv4 address" in told and "unknown key" not in told, f"site.yaml with every key of its schema: {told}")
    path = os.path.join(folder, "images.yaml")
    named = of["images"]["items"]["properties"]
    options = set(re.findall(r"--([a-z][a-z-]+)", run("image", "create", "--help").stdout))
    known = 0
    for key in sorted(set(named) | options):
        with open(path, "w", encoding="utf-8") as file:
            json.dump([{"imagename": "a", "elements": ["vm"], key: sample(named.get(key, {}))}], file)
        done = run("image", "create", "--dry-run", path)
        is_known = not re.search("unknown key|is a matter of the machine", done.stderr)
        check(is_known == (key in named), f"{key}: the schema {'has' if key in named else 'lacks'} it; the reader: {done.stderr}")
        known += is_known
    check(known > 30, f"only {known} keys of images.yaml were tried")


VALUES = [None, "x", ["a"], {"a": 1}]  # where a reader expects something, most of these are none
# What a schema does not say: what is in a text, what belongs together, keys of each driver.
UNSAID = re.compile(r"is octal: \"0644\", not '[0-9]|MAC address (x|a) |fields are missing: pm_addr|Unknown field pm_|Edge not defined|"
                    r"Invalid size unit|not a GPT|not a UUID|not an absolute|config needs|Missing 'name'|physical volume|"
                    r"does not match|unknown attribute|Unknown flag|Unsupported type|no thin pool|"
                    r"configures no container|there is no file|No such file|goes with --|it is HOST:PORT|not '\$\{")


WORDS = {"types": [["qcw2"], ["qcow2", "raw"], ["qcow2,raw"], ["img"], ["${x}"]], "compression": ["fast", "fats", "zstd"],
         "image-size": ["3X", "3", 3, 2.5, 0, "0", "4G", "4GiB", "4 GB", "500MiB", "-1", "${x}", ".5", "4G4"], "image-extra-size": ["500MiB", "5MX"],
         "checksums": ["md5", "md5,sha256", "md5,sha1"], "fresh-from": ["install", "instal"], "break": ["after-error", "before-nothing"],
         "disk-maker": ["direct", "guest"], "arch": ["amd64", "amd46", "${x}"], "install-type": ["source", "sorce"], "debug-trace": [0, 2, 3]}


def image_cases(of):
    structure = {"imagename", "matrix", "template", "extends", "elements", "environment"}
    cases = [{key: value} for key in of["images"]["items"]["properties"] if key not in structure for value in VALUES]
    return [[{"imagename": "a", "elements": ["vm", "debian-minimal"], **case}]
            for case in cases + [{key: value} for key, values in WORDS.items() for value in values]]


def package_cases(of):
    keys = list(of["package-installs"]["additionalProperties"]["anyOf"][1]["properties"])
    cases = [{"nginx": {key: value}} for key in keys for value in VALUES] + [{"nginx": {key[:-1]: "a"}} for key in keys]
    cases += [{"nginx": value} for value in VALUES] + [{"n": [{"arch": "amd64"}, value]} for value in VALUES] + VALUES
    cases += [{"n": {"when": value}} for value in ("a=b", "a != b", "=b", "a", ["a=b", "c"], "a b=c", "a == b", "-a=b")]
    cases += [{"n": {"uninstall": value}} for value in ("yes", "OFF", "y", "tRue")] + [{"n": {"phase": "root.d"}}, {"n": {"phase": "install.d"}}]
    return cases + [{"n": {"arch": "amd64", "not-arch": "arm64"}}]


def check_cases(of):
    named = {"http": "http://localhost:80/", "port": "tcp:80", "file": "/x", "mount": "/x"}
    cases = list(VALUES)
    for kind, schema in of["checks"]["properties"].items():
        keys = schema["additionalProperties"]["properties"]
        name = named.get(kind, "x")
        cases += [{kind: {name: {key: value}}} for key in keys for value in VALUES] + [{kind: {name: {key + "s": True}}} for key in keys]
        cases += [{kind: value} for value in VALUES] + [{kind: {name: value}} for value in VALUES] + [{kind[:-1]: {}}]
    names = {"port": ("80:", "80", "tcp: 80", "tcp:99999", "tcp:0", "udp6:53"), "file": ("x", "etc/x", "/etc/x"), "mount": ("x", "/x"),
             "http": ("http://example.org/", "https://localhost/", "http://localhost", "http://127.0.0.1:8080/x?y=1", "http://localhost:http/")}
    cases += [{kind: {name: {}}} for kind, each in names.items() for name in each]
    values = {"filetype": ("dir", "directory"), "mode": ("0644", "9", "99"), "sha256": ("0" * 64, "0" * 63), "md5": ("f" * 32, "g" * 32)}
    cases += [{"file": {"/x": {key: value}}} for key, each in values.items() for value in each]
    return cases + [{"command": {"true": {"exit-status": code}}} for code in (0, 255, 256, "7", "300")]


DISK = [{"local_loop": {"name": "image0", "size": "4GiB"}},
        {"partitioning": {"base": "image0", "label": "gpt", "partitions": [
            {"name": "boot", "size": "200MiB", "mkfs": {"type": "ext4", "mount": {"mount_point": "/boot", "fstab": {"options": "defaults"}}}},
            {"name": "pv", "size": "100%"}]}},
        {"lvm": {"name": "lvm", "pvs": [{"name": "pv0", "base": "pv"}], "vgs": [{"name": "vg", "base": ["pv0"]}],
                 "lvs": [{"name": "lv_root", "base": "vg", "size": "1GiB"}]}},
        {"mkfs": {"name": "fs_root", "base": "lv_root", "type": "ext4", "mount": {"mount_point": "/", "fstab": {"options": "defaults"}}}}]


def maps_in(value, path=()):
    """(path, map) of each map."""
    for key, below in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from maps_in(below, (*path, key))
    if isinstance(value, dict):
        yield path, value


def disk_cases(of):
    seen = set()
    cases = [DISK]
    for path, _ in maps_in(DISK):
        kind = next((key for key in reversed(path) if isinstance(key, str)), "")
        if not kind or kind in seen:
            continue
        seen.add(kind)
        keys = [key for key, schema in of["block-device"]["definitions"][kind]["properties"].items() if "$ref" not in schema]

        def changed(key, value, path=path):
            disk = json.loads(json.dumps(DISK))
            where = disk
            for step in path:
                where = where[step]
            where[key] = value
            return disk

        cases += [changed(key, value) for key in keys for value in VALUES if (kind, key) != ("lvs", "extents")]  # it has a size
        cases += [changed("nmae", "x")] + [changed("type", word) for word in ("ext4", "ext5", "vfat") if kind == "mkfs"]
    check(len(seen) == 10, seen)
    return cases


def inventory_cases(of):
    keys = [key for key in of["inventory"]["then"]["items"]["else"]["properties"] if key != "pm_type"] + ["pm_addr", "ipmi_port", "properties.x"]
    numbers = [("cpu", 0), ("memory", "4096"), ("disk", "0"), ("capabilities", "a:b,c:d"), ("capabilities", "a"), ("name", "a b"), ("mac", "52:54:00:00:00:02")]
    changes = [(key, value) for key in keys for value in VALUES] + [(key + "x", 1) for key in keys] + numbers
    machine = {"pm_type": "ipmi", "pm_user": "u", "pm_password": "p", "mac": [], "arch": "x86_64"}
    return [{"nodes": [{**machine, "pm_addr": f"10.9.{index // 250}.{index % 250}", key: value}]} for index, (key, value) in enumerate(changes)]


def template_for_environments(folder):
    path = os.path.join(folder, "for-environments.yaml")
    with open(path, "w", encoding="utf-8") as file:
        file.write("heat_template_version: 2018-08-31\nparameters: {a: {type: string, default: x}}\nresources: {w: {type: OS::Heat::RandomString}}\n")
    return path


def environment_cases():
    sections = ["parameters", "parameter_defaults", "resource_registry", "parameter_merge_strategies", "encrypted_param_names"]
    cases = [{section: value} for section in sections[:3] for value in (None, "x", ["a"], {"a": "1"})]
    cases += [{"parameters": {"a": "1"}, sections[3]: value} for value in (None, "x", ["a"], {"a": "merge"}, {"default": "odd"})]
    cases += [{sections[4]: value} for value in (None, ["a"])]
    cases += [{section[:-1]: {"a": "1"}, "parameters": {}} for section in sections]
    words = ["pre-create", "post-delete", "pre-crate", ["pre-update", "post-update"], ["pre-create", "x"], 7, None]
    cases += [{"resource_registry": {"resources": {"w": {"hooks": word}}}} for word in words]
    cases += [{"resource_registry": {"resources": {"w": {"restricted_actions": word}}}} for word in ("update", ["replace"], "delete", [7], None)]
    cases += [{"resource_registry": {name: value}} for name in ("OS::Other::X", "OS::Other::*") for value in ("OS::Heat::None", None, 7, ["a"], True)]
    cases += [{"resource_registry": {"x.yaml": "OS::Heat::None"}}, {"resource_registry": {"resources": {"w": {"OS::Heat::X": "OS::Heat::None"}}}}]
    return cases + [None, "x", ["a"]]


def told_of(name, cases, folder):
    """What the reader says against each case; "" where it takes it."""
    where = os.path.join(folder, "values-" + name)
    os.makedirs(where)
    if name == "inventory":  # all of them at once
        path = os.path.join(where, "in.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"nodes": [case["nodes"][0] for case in cases]}, file)
        lines = run("node", "import", "--dry-run", "--state", where + "/state", path).stderr.split("\n")
        return ["\n".join(line for line in lines if (f"node #{index}: " in line or f"node #{index} (" in line) and "warning" not in line) for index in range(len(cases))]
    if name == "images":  # a line each: what the reader refuses, then, of the others, what making an image of them does
        path, told = os.path.join(where, "images.yaml"), [""] * len(cases)
        for _ in range(2):
            with open(path, "w", encoding="utf-8") as file:
                file.write("\n".join("- " + json.dumps({**case[0], "imagename": f"a{index}"} if not told[index] else {"imagename": f"a{index}"})
                                     for index, case in enumerate(cases)))
            for place, what in re.findall(re.escape(path) + r":(\d+):\d+: (.*)", run("image", "create", "--dry-run", path).stderr):
                told[int(place) - 1] = told[int(place) - 1] or what
        return told
    paths = [os.path.join(where, f"e{index}", name + ".yaml") for index in range(len(cases))]
    for path, case in zip(paths, cases):
        os.makedirs(os.path.dirname(path))
        with open(path, "w", encoding="utf-8") as file:
            json.dump(case, file)
    if name == "package-installs":
        lines = run("element", "lint", *map(os.path.dirname, paths)).stdout.split("\n")
        # Which packages there are, where their lists are at hand, is no matter of a schema.
        return ["\n".join(line for line in lines if line.startswith(path + ":") and "is in no repository" not in line) for path in paths]
    bad = os.path.join(where, "bad")
    with open(bad, "w", encoding="utf-8") as file:
        file.write("x")
    disk, template = os.path.join(folder, "disk.raw"), template_for_environments(where)
    if name == "checks":  # the bad one besides, so that no machine is started
        lines = run("image", "test", disk, *(word for path in (*paths, bad) for word in ("--checks", path))).stderr.split("\n")
        check(any(bad + ":" in line for line in lines), f"not all files of checks are told of: {lines[-3:]}")
        return ["\n".join(line for line in lines if path + ":" in line) for path in paths]

    def one(path):
        if name == "environment":
            done = run("metadata", "validate", "-t", template, "-e", path)
            return "" if done.returncode == 0 else done.stdout + done.stderr
        return run("image", "layout", path).stderr

    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        return list(pool.map(one, paths))


def values_both_ways(name, schema, cases, folder):
    """Of the same values schema and reader think the same: an editor marks nothing that is taken, and what is wrong before it is read."""
    judge = jsonschema.Draft7Validator(schema)
    wrong, refused = [], 0
    for case, told in zip(cases, told_of(name, cases, folder), strict=True):
        fault = next(judge.iter_errors(case), None)
        refused += fault is not None
        if (fault is None) != (told == "") and not (fault is None and UNSAID.search(told)):
            wrong.append(f"{json.dumps(case)}\n  schema: {fault.message if fault else 'good'}\n  reader: {told.strip() or 'good'}")
    check(not wrong, f"{name}: schema and reader differ in {len(wrong)} of {len(cases)}:\n" + "\n".join(wrong[:10]))
    check(refused > len(cases) // 4, f"{name}: only {refused} of {len(cases)} are refused")


def answer(folder, lines, *words, at_end=b"\x04"):
    """`hearth init` at a terminal: (exit code, what was said)."""
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(folder)
        os.execv(HEARTH, [HEARTH, "init", *words])
    said = b""
    for line in [*lines, at_end]:
        end = time.monotonic() + PATIENCE
        while not said.endswith(b": ") and time.monotonic() < end:
            ready, _, _ = select.select([terminal], [], [], 1)
            try:
                data = os.read(terminal, 4096) if ready else b""
            except OSError:
                data, end = b"", 0
            said += data
        if callable(line):
            line()
            continue
        try:
            os.write(terminal, line if isinstance(line, bytes) else line.encode() + b"\n")
        except OSError:
            break
        said += b"\n"
    end = time.monotonic() + PATIENCE
    while select.select([terminal], [], [], max(0, end - time.monotonic()))[0]:
        try:
            data = os.read(terminal, 4096)
        except OSError:
            break
        said += data
    if time.monotonic() >= end:
        os.kill(child, signal.SIGKILL)
        fail(f"hearth init waits for more answers: {said.decode(errors='replace')}")
    _, status = os.waitpid(child, 0)
    os.close(terminal)
    return os.waitstatus_to_exitcode(status), said.decode(errors="replace")


def init(folder):
    images = os.path.join(folder, "images.yaml")
    code, said = answer(folder, ["imag", "image", "debian-minmal", "debian-minimal", "nginx-light, curl", "amy", "qcow2"], at_end=b"")
    check(code == 0 and "did you mean image?" in said and "did you mean debian-minimal?" in said, said)
    done = run("image", "create", "--dry-run", images)
    check(done.returncode == 0 and "nginx-light,curl" in done.stderr, done)
    words = documents(images)[0]
    check(f"the image is called {words['imagename']};" in said and said.count(" of 5)") == 5 and said.count("(1) what is it to be") == 2, said)
    done = run("image", "plan", *words["elements"], "-p", ",".join(words["packages"]), env=words["environment"])
    check(done.returncode == 0, done)
    before = open(images, encoding="utf-8").read()
    code, said = answer(folder, [], "images.yaml", at_end=b"")
    check(code == 1 and "is there already" in said and open(images, encoding="utf-8").read() == before, said)
    code, said = answer(folder, ["image"], at_end=b"\x04")
    check(code == 2 and said.index("images.yaml is there already") < said.index("what is it to be") and said.count("(1) ") == 2, said)
    home, os.environ["HOME"] = os.environ["HOME"], folder  # without a key
    code, said = answer(folder, ["", "", "ngnix-light", "ngnix-light", "amy", ""], "web.yaml", at_end=b"")
    os.environ["HOME"] = home
    check(code == 0 and "did you mean nginx-light?" in said and "once more is taken" in said and said.count("(3 of 5)") == 2 and "nobody can log in as amy" in said, said)
    done = run("image", "plan", os.path.join(folder, "web.yaml"))
    check(done.returncode == 1 and "ngnix-light" in done.stderr and "install.d" in done.stdout, done)
    for name in ("no/such/x.yaml", "/proc/x/x.yaml"):  # before the questions, not after
        code, said = answer(folder, [], name, at_end=b"")
        check(code == 1 and "can't be written" in said and "what is it to be" not in said, said)
    late = os.path.join(folder, "late.yaml")
    code, said = answer(folder, ["", "", "", "", lambda: open(late, "w", encoding="utf-8").write("mine")], "late.yaml", at_end=b"\n")
    check(code == 1 and "is there already" in said and open(late, encoding="utf-8").read() == "mine", said)
    for at_end, expected in ((b"\x04", 2), (b"\x03", -signal.SIGINT)):
        code, said = answer(folder, ["image", "", "curl"], "other.yaml", at_end=at_end)
        check(code in (expected, 130) and not os.path.exists(os.path.join(folder, "other.yaml")), f"{code} {said}")
    done = subprocess.run([HEARTH, "init"], stdin=subprocess.DEVNULL, capture_output=True, text=True, cwd=folder, check=False)
    check(done.returncode == 2 and "nothing is written" in done.stderr, done)
    with open(os.path.join(folder, "machines.json"), "w", encoding="utf-8") as file:
        file.write('{"nodes": [{"name": "taken1", "pm_type": "ipmi", "pm_addr": "192.0.2.5", "pm_user": "a", "pm_password": "b", "mac": ["52:54:00:00:00:01"]}]}')
    code, said = answer(folder, ["site", "no-such.json", "machines.json", "192.0.2.0/24", "", "", "", "", "", ""], at_end=b"")
    check("no-such.json" in said, said)
    numbers = re.findall(r"^\((\d+) of (\d+)\)", said, re.MULTILINE)  # the second is asked twice
    check(numbers == [("2", "9"), *((str(i), "9") for i in range(2, 10))], said)
    site = os.path.join(folder, "site.yaml")
    check(code == 0 and os.path.exists(site) and "taken1" in open(site, encoding="utf-8").read(), said)
    done = run("site", "check", site)
    answers = "192.0.2.0/24\n\n\n\n\n\n\nredfish\n\nsecret\nc1\n52:54:00:00:00:02\n\n\n\nhttps://192.0.2.9\n\n\n"
    asked = subprocess.run([HEARTH, "site", "new", "--ask", "plain.yaml"], input=answers, capture_output=True, text=True, cwd=folder, check=False)
    lines = [line for line in asked.stderr.splitlines() if not line.startswith("note: ")]
    check(asked.returncode == 0 and len(lines) == 18 and all(re.match(r"\([^()]*\d of \d\) .*: $", line) for line in lines), asked)
    check("unknown" not in done.stderr and ("are missing" in done.stderr or done.returncode == 0), done)


def main():
    root = sys.argv[1]
    for step in (language_server, schemas, init):
        with tempfile.TemporaryDirectory() as folder:
            if step is schemas:
                step(root, folder)
            else:
                step(os.path.realpath(folder))
    hostile_templates()
    many_documents()
    print("editors: all good")


if __name__ == "__main__":
    main()
