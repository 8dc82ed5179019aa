"""The real os-collect-config against ours: exit status, stdout, the cache as it lies on disk, what web servers were asked,
and that ours says at least what the real one says."""
import http.server
import json
import os
import threading

from compare import Side, arguments, differences, forked, need, run_all

PEER = "/usr/bin/os-collect-config"
CONFIG = "[DEFAULT]\ncachedir={D}/cache\nbackup_cachedir={D}/backup\n"
HEAD = ["--config-file", "{D}/c.conf"]

JSON_FORMS = ('{"f": [1.0, 1.5, 1e22, 1e-5, 0.0001, 1e15, 1e16, -0.0, 123456789012345678901234567890], "u": "\u00e9\U0001f600\\u007f/\\"\\\\",'
              ' "c": "\\b\\f\\n\\r\\t\\u0001", "n": [NaN, Infinity, -Infinity, null, true, false], "e": [{}, [], ""], "d": 1, "d": 2}')

CFN = ("<DescribeStackResourceResponse><DescribeStackResourceResult><StackResourceDetail><Metadata>"
       '{"a": {"k": 1}, "deployments": [{"name": "dep", "config": {"x": 1}}, {"name": "s", "group": "script", "config": ""}]}'
       "</Metadata></StackResourceDetail></DescribeStackResourceResult></DescribeStackResourceResponse>")

PAGES = {
    "/meta": '{"k": 1, "deployments": [{"name": "d1", "config": {"x": 1}}, {"name": "d2", "group": "Heat::Ungrouped", "config": [2]}]}',
    "/list": "[1]", "/bad": "{", "/other": '{"mine": [{"name": "m", "config": 1}]}',
    "/ec2/": "ami-id\nplacement/\npublic-keys/", "/ec2/ami-id": "ami-1", "/ec2/placement/": "availability-zone",
    "/ec2/placement/availability-zone": "nova", "/ec2/public-keys/": "0=mykey", "/ec2/public-keys/0/": "openssh-key",
    "/ec2/public-keys/0/openssh-key": "ssh-rsa AAAA\n", "/broken/": "a\nb", "/broken/a": "1",
    "/v1/": CFN,
}
REQUESTS = []
METADATA = {"k": 1, "deployments": [{"name": "hd", "config": {"x": 2}}, {"name": "s", "group": "script", "config": ""}]}


def endpoint(kind, path, region="R"):
    return {"type": kind, "endpoints": [{"interface": "public", "region": region, "region_id": region, "id": kind, "url": "http://127.0.0.1:%d%s" % (PORT, path)}]}


def keystone(path):
    """Identity v3, the parts that clients use: the version document and a token by password."""
    links = {"id": "v3.14", "status": "stable", "links": [{"rel": "self", "href": "http://127.0.0.1:%d/v3/" % PORT}]}
    if path == "/v3/auth/tokens":
        catalog = [endpoint("orchestration", "/heat/v1/t", "other"), endpoint("orchestration", "/heat/v1/t"), endpoint("messaging", "/zaqar")]
        return 201, {"token": {"methods": ["password"], "expires_at": "2099-01-01T00:00:00.000000Z", "issued_at": "2026-01-01T00:00:00.000000Z",
                               "user": {"id": "u", "name": "u", "domain": {"id": "d", "name": "d"}}, "project": {"id": "t", "name": "t", "domain": {"id": "d", "name": "d"}},
                               "roles": [], "catalog": catalog}}
    return (200, {"version": links}) if path.rstrip("/") == "/v3" else (300, {"versions": {"values": [links]}})


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self):
        REQUESTS.append((self.command, self.path.replace("+", "%20"), self.headers.get("Content-Type")))
        body = PAGES.get(self.path.split("?")[0])
        data = (body or "none").encode()
        self.send_response(200 if body is not None else 404)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def send_json(self, status, content, headers=()):
        data = json.dumps(content).encode()
        self.send_response(status)
        for name, text in headers:
            self.send_header(name, text)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def do_GET(self):
        if self.path.startswith("/v3") or self.path == "/":
            self.send_json(*keystone(self.path))
        elif self.path == "/heat/v1/t/stacks/st/1-2/resources/srv/metadata":
            self.send_json(200, {"metadata": METADATA}) if self.headers["X-Auth-Token"] == "tok" else self.send_json(401, {})
        elif self.path == "/heat/v1/t/stacks/1-2":
            self.send_json(302, {}, [("Location", "http://127.0.0.1:%d/heat/v1/t/stacks/st/1-2" % PORT)])
        else:
            self.answer()

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_json(*keystone(self.path), [("X-Subject-Token", "tok")])

    def do_DELETE(self):
        self.send_json(200, {"messages": [{"id": "1", "ttl": 60, "age": 1, "body": METADATA}] if "queues/q/" in self.path else []})

    do_HEAD = answer

    def log_message(self, *_):
        pass


def conf(text="", **files):
    made = {"c.conf": CONFIG + text}
    made.update(files)
    return made


def step(args, files=None, env=None):
    return {"args": args, "files": files or {}, "env": env or {}}


def local(files, text=""):
    made = conf("[local]\npath={D}/l\n" + text)
    made.update({"l/" + name: content for name, content in files.items()})
    return made


def cachedir(text, env=None, extra=None):
    return [step(HEAD + ["--print-cachedir"] + (extra or []), {"c.conf": text}, env)]


ONCE = ["--one-time", "-c", "echo ran $$OS_CONFIG_FILES"]
CFN_CONF = ("[cfn]\nmetadata_url=http://127.0.0.1:PORT/v1/\naccess_key_id=AK/ID+1\nsecret_access_key=s3cr/et\nstack_name=my stack\npath=Srv.Metadata\n")

HEAT_CONF = "[heat]\nauth_url=http://127.0.0.1:PORT/v3\nuser_id=u\npassword=p\nproject_id=t\nstack_id=st/1-2\nresource_name=srv\n"
ZAQAR_CONF = "[zaqar]\nauth_url=http://127.0.0.1:PORT/v3\nuser_id=u\npassword=p\nproject_id=t\nqueue_id=q\n"

CASES = {
    "print_local": [step(HEAD + ["--print", "local"], local({"b.json": "{}", "A": "[1]", "c": '"x"', ".h": "broken", "sub/x": "broken"}))],
    "print_two_directories": [step(HEAD + ["--print", "local"], local({"b": "1"}, "path={D}/m\n") | {"m/a": "2", "m/b": "3"})],
    "print_json_forms": [step(HEAD + ["--print", "local"], local({"x": JSON_FORMS}))],
    "print_nothing": [step(HEAD + ["--print", "heat_local"], conf("[heat_local]\npath={D}/none\n"))],
    "print_without_command_ignores_one_time": [step(HEAD + ["--one-time", "local"], local({"x": "1"}))],
    "heat_local_merges": [step(HEAD + ["--print", "heat_local"], conf("[heat_local]\npath={D}/1\npath={D}/2\npath={D}/3\n") |
                               {"1": '{"a": 1, "b": {"x": 1}}', "2": "{", "3": '{"b": 2}'})],
    "local_world_writable_file": [step(HEAD + ["--print", "local"], local({"x": ("1", 0o666)}))],
    "local_world_writable_directory": [step(HEAD + ["--print", "local"], local({"x": "1"}) | {"l": (None, 0o777)})],
    "local_group_writable": [step(HEAD + ["--print", "local"], local({"x": ("1", 0o664)}))],
    "local_bad_json": [step(HEAD + ["--print", "local"], local({"x": "{"}))],
    "local_missing": [step(HEAD + ["--print", "local"], conf("[local]\npath={D}/none\n"))],
    "command_stores_and_commits": [step(HEAD + ONCE + ["local"], local({"x.json": JSON_FORMS, "y": "[]"}))],
    "command_fails": [step(HEAD + ["--one-time", "-c", "echo no; exit 3", "local"], local({"x": "1"}))],
    "unchanged_then_changed": [step(HEAD + ONCE + ["local"], local({"x": '{"a": 1, "b": 2}'})), step(HEAD + ONCE + ["local"]),
                               step(HEAD + ONCE + ["local"], {"l/x": '{"b": 2.0, "a": true}'}), step(HEAD + ONCE + ["local"], {"l/x": "2"}),
                               step(HEAD + ["--force", "-c", "echo forced", "local"])],
    "failed_command_runs_again": [step(HEAD + ["--one-time", "-c", "exit 1", "local"], local({"x": "1"})), step(HEAD + ONCE + ["local"])],
    "vanished_source_leaves_the_list": [step(HEAD + ONCE + ["local"], local({"x": "1", "y": "2"})),
                                        step(HEAD + ONCE + ["local"], {"l/y": "{REMOVE}", "l/x": "3"})],
    "sources_keep_their_order": [step(HEAD + ONCE + ["local", "heat_local"], local({"x": "1"}, "[heat_local]\npath={D}/h\n") | {"h": '{"k": 1}'})],
    "collectors_from_file": [step(HEAD + ["--print"], local({"x": "1"}) | {"c.conf": CONFIG + "collectors=local\ncollectors=heat_local\n[local]\npath={D}/l\n"})],
    "blank_lines_and_quotes": cachedir('[DEFAULT]\n\ncachedir = "a b"\n'),
    "continuation": cachedir("[DEFAULT]\ncachedir = a\n  b\n\t'c'\n"),
    "colon_and_comments": cachedir("# c\n; d\n[DEFAULT]\ncachedir: x = y # no comment\n"),
    "last_wins": cachedir("[DEFAULT]\ncachedir=a\ncachedir=b\n"),
    "group_case": cachedir("[default]\ncachedir=x\n[HEAT]\nuser_id=7\n[DEFAULT]\ncachedir=$heat.user_id\n"),
    "substitution": cachedir("[DEFAULT]\ncommand=foo\ncachedir=x${command}-${cfn.metadata_url}-$$a\\$b-$polling_interval-$one_time-$collectors\n"),
    "carriage_returns": cachedir("[DEFAULT]\r\ncachedir=x\r\n"),
    "key_case": cachedir("[DEFAULT]\nCACHEDIR=x\n"),
    "environment": cachedir("[DEFAULT]\ncachedir=x\n", {"OS_DEFAULT__CACHEDIR": "env"}),
    "abbreviation": cachedir("[DEFAULT]\ncachedir=x\n", None, ["--cache", "cli"]),
    "home_file": [step(["--print-cachedir"], {"os-collect-config.conf": "[DEFAULT]\ncachedir=home\n", "os-collect-config.conf.d/x.conf": "[DEFAULT]\ncachedir=dir\n"})],
    "config_dir": [step(HEAD + ["--config-dir", "{D}/d", "--print-cachedir"],
                        {"c.conf": CONFIG, "d/b.conf": "[DEFAULT]\ncachedir=b\n", "d/a.conf": "[DEFAULT]\ncachedir=a\n", "d/z.txt": "broken"})],
    "two_config_files": [step(HEAD + ["--config-file", "{D}/e.conf", "--print-cachedir"], {"c.conf": CONFIG, "e.conf": "[DEFAULT]\ncachedir=second\n"})],
    "boolean_inverse": [step(HEAD + ["--print", "local", "--noforce", "--zaqar-nouse-websockets"], local({"x": "1"}, "[DEFAULT]\nforce=yes\n"))],
    "lists_append": [step(HEAD + ["--print", "local", "--local-path", "{D}/m"], local({"x": "1"}) | {"m/y": "2"})],
    "unknown_collector": [step(HEAD + ["nonsense"], conf())],
    "unknown_option": [step(["--nope"])],
    "missing_config_file": [step(["--config-file", "{D}/none"])],
    "no_section": cachedir("cachedir=x\n"),
    "no_mark": cachedir("[DEFAULT]\nword\n"),
    "stray_indentation": cachedir("[DEFAULT]\n  x\n"),
    "ec2": [step(HEAD + ONCE + ["ec2"], conf("[ec2]\nmetadata_url=http://127.0.0.1:PORT/ec2\n")), step(HEAD + ONCE + ["ec2"])],
    "ec2_incomplete": [step(HEAD + ["--print", "ec2"], conf("[ec2]\nmetadata_url=http://127.0.0.1:PORT/broken\n"))],
    "request": [step(HEAD + ONCE + ["request"], conf("[request]\nmetadata_url=http://127.0.0.1:PORT/meta\n"))],
    "request_other_key": [step(HEAD + ["--print", "--deployment-key", "mine", "request"], conf("[request]\nmetadata_url=http://127.0.0.1:PORT/other\n"))],
    "request_bad_json": [step(HEAD + ["--print", "request"], conf("[request]\nmetadata_url=http://127.0.0.1:PORT/bad\n"))],
    "request_not_found": [step(HEAD + ["--print", "request"], conf("[request]\nmetadata_url=http://127.0.0.1:PORT/nope\n"))],
    "request_unconfigured": [step(HEAD + ["--print", "request"], conf())],
    "cfn": [step(HEAD + ONCE + ["cfn"], conf(CFN_CONF))],
    "cfn_sub_key": [step(HEAD + ["--print", "cfn"], conf(CFN_CONF.replace("Srv.Metadata", "Srv.Metadata.a")))],
    "cfn_missing_sub_key": [step(HEAD + ["--print", "cfn"], conf(CFN_CONF.replace("Srv.Metadata", "Srv.Metadata.nope")))],
    "cfn_unconfigured": [step(HEAD + ["--print", "cfn", "heat", "zaqar"], conf("[cfn]\nheat_metadata_hint={D}/none\n"))],
    "heat": [step(HEAD + ONCE + ["heat"], conf(HEAT_CONF))],
    "heat_region": [step(HEAD + ["--print", "heat"], conf(HEAT_CONF + "region_name=R\n"))],
    "heat_unknown_region": [step(HEAD + ["--print", "heat"], conf(HEAT_CONF + "region_name=nowhere\n"))],
    "heat_unversioned": [step(HEAD + ["--print", "heat"], conf(HEAT_CONF.replace("PORT/v3", "PORT/v2.0")))],
    "heat_stack_by_id": [step(HEAD + ["--print", "heat"], conf(HEAT_CONF.replace("st/1-2", "1-2")))],
    "heat_not_found": [step(HEAD + ["--print", "heat"], conf(HEAT_CONF.replace("srv", "other")))],
    "zaqar": [step(HEAD + ONCE + ["zaqar"], conf(ZAQAR_CONF))],
    "zaqar_empty": [step(HEAD + ["--print", "zaqar"], conf(ZAQAR_CONF.replace("queue_id=q", "queue_id=none")))],
    "cfn_hint": [step(HEAD + ["--print", "cfn"], conf(CFN_CONF.replace("metadata_url=http://127.0.0.1:PORT/v1/\n", "heat_metadata_hint={D}/hint\n")) |
                      {"hint": "http://127.0.0.1:PORT"})],
}
# Lines of the real one that ours need not repeat: tracebacks, usage, and a reason in Python's own words.
OWN_WORDS = ("Traceback", " ", "usage:", "os_collect_config.", "oslo_", "During handling", "os-collect-config: error", "    ", "ERROR: b'")
# Where stdout may differ: none of them prints anything on stdout but the report.


def messages(text):
    found = []
    for line in text.split("\n"):
        if line and not line.startswith(OWN_WORDS):
            found.append(line.split(" (")[0] if " is not valid JSON (" in line or "parse as json. (" in line else line)
    return found


def run_side(side, case, port):
    results = []
    del REQUESTS[:]
    for one in case:
        side.put({name: (content[0], content[1]) if isinstance(content, tuple) else content.replace("PORT", str(port))
                  for name, content in one["files"].items()})
        results.append(side.run(one["args"], one["env"]))
    return results, list(REQUESTS), {name: entry for name, entry in side.tree().items() if not name.startswith(".cache")}  # Python's own


def check(name, case):
    theirs, ours = Side(REAL), Side(os.path.join(OPTIONS.links, "os-collect-config"))
    (results, asked, tree), (our_results, our_asked, our_tree) = (run_side(side, case, PORT) for side in (theirs, ours))
    theirs.close()
    ours.close()
    lines = []
    for number, ((status, out, err), (our_status, our_out, our_err)) in enumerate(zip(results, our_results)):
        lines += differences(status, our_status, "status of step %d" % number)
        lines += differences(out, our_out, "stdout of step %d" % number)
        lines += ["  not said by ours: %r" % text for text in messages(err) if text not in our_err]
    return lines + differences(asked, our_asked, "requests") + differences(tree, our_tree, "file")


OPTIONS = arguments()
need(PEER)
REAL = forked(PEER, "os_collect_config.collect", "keystoneclient.v3.client", "heatclient.v1.client", "zaqarclient.queues.v1.client")
SERVER = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
PORT = SERVER.server_address[1]
threading.Thread(target=SERVER.serve_forever, daemon=True).start()
run_all(CASES, OPTIONS.cases, check)
