"""What `hearth metadata serve` takes it can read again, whoever sent it and however deep; one stack that nothing can be made of
keeps no other; what can't be kept is refused with the reason; nothing hidden is in a file in the clear, a core dump included; and no
signal but those that mean it end the server.

usage: metadata_store.py HEARTH
"""
import base64
import hashlib
import json
import os
import resource
import secrets
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

from metadata_hostile import HEARTH, NAMES, NODE, Service
from own_network import enter

SIGNALLED = NODE.replace("server: {get_resource: server}, input", "signal_transport: CFN_SIGNAL, server: {get_resource: server}, input")


def nested(levels):
    return "[" * levels + "1" + "]" * levels


def raw(url, method, text, token=""):
    request = urllib.request.Request(url, method=method, data=text.encode(), headers={"X-Auth-Token": token, "Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def heat(service, path):
    return f"http://127.0.0.1:{service.ports['heat']}/v1/admin{path}"


def doors(service, levels):
    """What comes in by each door, with a value of so many levels in it."""
    deep = nested(levels)
    made = service.call("POST", "/stacks", {"stack_name": "doors", "template": SIGNALLED})["stack"]["id"]
    place = f"/stacks/doors/{made}"
    entry = service.call("GET", place + "/resources/server/metadata")["metadata"]["deployments"][0]
    url = [each["value"] for each in entry["inputs"] if each["name"] == "deploy_signal_id"][0]
    export = json.dumps({"name": "b", "template": {"heat_template_version": "2018-08-31", "resources": {}}, "resources": {}, "x": "@"})
    text = json.dumps(NODE)
    yield "a node's signal", url, "POST", f'{{"deploy_status_code": 0, "out": {deep}}}'
    yield "a person's signal", heat(service, place + "/resources/deploy/signal"), "POST", f'{{"out": {deep}}}'
    yield "a machine", heat(service, place + "/resources/server/machine"), "PUT", f'{{"address": "192.0.2.5", "x": {deep}}}'
    yield "a config", heat(service, "/software_configs"), "POST", f'{{"name": "c", "inputs": [{{"name": "a", "type": "Json", "default": {deep}}}]}}'
    yield "a new stack", heat(service, "/stacks"), "POST", f'{{"stack_name": "a", "template": {text}, "environment": {{"parameter_defaults": {{"p": {deep}}}}}}}'
    yield "adoption", heat(service, "/stacks"), "POST", f'{{"stack_name": "b", "adopt_stack_data": {export.replace(chr(34) + "@" + chr(34), deep)}}}'
    yield "an update", heat(service, place), "PATCH", f'{{"parameters": {{"p": {deep}}}}}'
    yield "a snapshot", heat(service, place + "/snapshots"), "POST", '{"name": "s"}'
    yield "an export", heat(service, place + "/export"), "GET", ""


def check_depths(work):
    for levels in (200, 250, 253, 255, 256, 300, 507, 509, 510, 511, 512):
        state = f"{work}/depth-{levels}"
        os.mkdir(state)
        service = Service(state)
        answers = {door: raw(url, method, text, service.token) for door, url, method, text in doors(service, levels)}
        assert all(status < 500 for status, _ in answers.values()), answers
        assert levels < 256 or answers["a node's signal"][0] == 400, answers["a node's signal"]
        assert levels > 250 or answers["a node's signal"][0] == 200, answers["a node's signal"]
        assert "json.exception" not in str(answers), answers
        before = service.call("GET", "/stacks")["stacks"]
        service.process.kill()
        service.process.wait()
        again = Service(state)
        after = again.call("GET", "/stacks")["stacks"]
        assert [(row["id"], row["stack_status"]) for row in after] == [(row["id"], row["stack_status"]) for row in before], levels
        again.stop()
    print("what was taken, however deep, is read again")


def in_the_clear(state):
    """The state directory of a Hearth that sealed nothing; its database, open."""
    os.mkdir(state)
    database = sqlite3.connect(state + "/state.db")
    with open(os.path.dirname(os.path.abspath(__file__)) + "/metadata_state_1.sql", encoding="utf-8") as file:
        database.executescript("PRAGMA journal_mode = WAL;\n" + file.read())
    return database


def files_with(state, text):
    """Which files have the text in them, as it is, as JSON and as Base64 write it."""
    forms = {text.encode(), json.dumps(text)[1:-1].encode()}
    for before in ("", "x", "xx"):
        forms.add(base64.b64encode((before + text).encode())[4:-4])
    found = []
    for directory, _, names in os.walk(state):
        for name in names:
            with open(os.path.join(directory, name), "rb") as file:
                body = file.read()
            found += [name] if any(form in body for form in forms) else []
    return found


def check_sealed(work):
    """A hidden parameter is in no file, whatever becomes of its stack, a kill -9 included; nor what it was before."""
    state = f"{work}/sealed"
    os.mkdir(state)
    one, two = (f'pass"{secrets.token_urlsafe(12)}/\u00e9' for _ in range(2))
    template = NODE.replace("resources:", "parameters: {p: {type: string, hidden: true}}\nresources:\n"
                            "  s: {type: OS::Heat::RandomString}\n  v: {type: OS::Heat::Value, properties: {value: {get_param: p}}}", 1)
    template = template.replace("n: {get_resource: server}", "n: {get_param: p}")
    service = Service(state)

    def change(method, path, value):
        return service.call(method, path, {"stack_name": "hidden", "template": template, "parameters": {"p": value}})
    place = "/stacks/hidden/" + change("POST", "/stacks", one)["stack"]["id"]
    service.call("POST", place + "/resources/deploy/signal", {"out": one})
    service.call("POST", place + "/snapshots", {"name": "first"})
    change("PUT", place, two)
    random = service.call("GET", place + "/resources/s")["resource"]["attributes"]["value"]
    service.call("POST", "/software_configs", {"name": "c", "config": one})
    known = service.call("GET", place + "/resources/server/metadata")["metadata"]
    assert two in json.dumps(known, ensure_ascii=False).replace('\\"', '"'), known
    service.process.kill()
    service.process.wait()
    for text in (one, two, random):
        assert not files_with(state, text), files_with(state, text)
    assert files_with(state, "OS::Heat::SoftwareDeployment"), "else this test sees nothing"
    service = Service(state)
    assert service.call("GET", place + "/resources/server/metadata")["metadata"] == known, "it is read again"
    assert service.call("GET", place + "/resources/s")["resource"]["attributes"]["value"] == random
    service.call("DELETE", place)
    service.stop()
    for text in (one, two, random):
        assert not files_with(state, text), files_with(state, text)
    print("a hidden parameter is in no file")


def check_key(work):
    """A copy without the key is refused by name; with it, it goes on; a rotation seals anew, and the former key opens copies."""
    state = f"{work}/keyed"
    os.mkdir(state)
    service = Service(state)
    service.call("POST", "/stacks", {"stack_name": "known", "template": NODE})
    before = digest(state + "/seal-key")
    os.remove(state + "/seal-key")
    deadline = time.monotonic() + 20
    while not os.path.exists(state + "/seal-key"):
        assert time.monotonic() < deadline, "what is promised now could never be read"
        time.sleep(0.1)
    assert digest(state + "/seal-key") == before
    service.stop()
    copy = f"{work}/copy"
    os.mkdir(copy)
    shutil.copy(state + "/state.db", copy)

    def refused(*options):
        run = subprocess.run([HEARTH, "metadata", "serve", "--state", copy, "--cfn-port=0", *options], capture_output=True, text=True,
                             timeout=30, check=False)
        assert run.returncode == 1 and "is sealed with the key " in run.stderr, run
        return run.stderr
    assert "copy/seal-key would have: it is not there" in refused()
    assert not os.path.exists(copy + "/seal-key"), "a new key would be the end of the old one"
    with open(f"{work}/other", "w", encoding="ascii", opener=lambda path, flags: os.open(path, flags, 0o600)) as file:
        json.dump({"keys": [{"key": "0" * 64}]}, file)
    assert f"{work}/other does not have" in refused("--seal-key", f"{work}/other")
    before = digest(state + "/state.db")
    run = subprocess.run([HEARTH, "metadata", "seal", "rotate", "--state", state], capture_output=True, text=True, check=True)
    assert "a new key" in run.stdout, run.stdout
    sealed = digest(state + "/state.db")
    rotated_while_it_serves(state)
    assert digest(state + "/state.db") != sealed
    for directory in (state, copy):
        if directory == copy:
            shutil.copy(state + "/seal-key", copy)
        service = Service(directory)
        assert [row["stack_name"] for row in service.call("GET", "/stacks")["stacks"]] == ["known"], directory
        service.stop()
    assert digest(state + "/state.db") != before
    print("without its key a database is refused, with it it is read, rotated too")


def key_of_the_database(state):
    with sqlite3.connect(state + "/state.db") as database:
        return database.execute("SELECT value FROM setting WHERE name = 'sealed'").fetchone()[0]


def rotated_while_it_serves(state):
    """Each rotation is taken by the server that runs; killed at any moment, it has all."""
    service = Service(state)
    for delay in (None, 0.6, 0.9, 1.0, 1.1):
        before = key_of_the_database(state)
        subprocess.run([HEARTH, "metadata", "seal", "rotate", "--state", state], stdout=subprocess.DEVNULL, check=True, timeout=60)
        if delay:
            time.sleep(delay)
            service.process.kill()
            service.process.wait()
            service = Service(state)
        deadline = time.monotonic() + 20
        while key_of_the_database(state) == before:
            assert time.monotonic() < deadline, "the new key was not taken"
            time.sleep(0.05)
        assert [row["stack_name"] for row in service.call("GET", "/stacks")["stacks"]] == ["known"]
    service.stop()


def check_without_its_secret(work):
    """With another one, passwords and keys of machines would change without a word."""
    state = f"{work}/secret"
    os.mkdir(state)
    service = Service(state)
    service.call("POST", "/stacks", {"stack_name": "known", "template": NODE})
    service.stop()
    with sqlite3.connect(state + "/state.db") as database:
        row = database.execute("SELECT name, value FROM setting WHERE name = 'secret'").fetchone()
        database.execute("DELETE FROM setting WHERE name = 'secret'")
    run = subprocess.run([HEARTH, "metadata", "serve", "--state", state, "--cfn-port=0"], capture_output=True, text=True, timeout=30, check=False)
    assert run.returncode == 1 and "the row secret of the table setting" in run.stderr and "from a backup" in run.stderr, run
    with sqlite3.connect(state + "/state.db") as database:
        database.execute("INSERT INTO setting VALUES (?, ?)", row)
    Service(state).stop()
    print("a database that lost its secret is refused")


def check_dumps(work):
    """A crash leaves no memory behind, and only root can look into it: its place in /proc is root's, whoever runs it."""
    state = f"{work}/dumps"
    os.mkdir(state)
    user = 65534 if os.getuid() == 0 else os.getuid()
    os.chown(state, user, -1)
    os.chmod(work, 0o711)
    with open(HEARTH, "rb") as program:
        process = subprocess.Popen(["hearth", "metadata", "serve", "--state", state, *(f"--{name}-port=0" for name in NAMES)], cwd=state,
                                   executable=f"/proc/self/fd/{program.fileno()}", pass_fds=[program.fileno()], user=user,
                                   stdout=subprocess.PIPE, text=True,
                                   preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CORE, (resource.getrlimit(resource.RLIMIT_CORE)[1],) * 2))
    assert process.stdout.readline().startswith("cfn"), "it serves"
    try:
        assert os.stat(f"/proc/{process.pid}/stat").st_uid == 0, "another program of its user can read its memory"
    finally:
        process.send_signal(signal.SIGSEGV)
        assert process.wait(30) == -signal.SIGSEGV
    assert not [name for name in os.listdir(state) if name.startswith("core")], os.listdir(state)
    print("a crash leaves no memory")


def check_what_was_in_the_clear(work):
    state = f"{work}/older"
    in_the_clear(state).close()
    assert files_with(state, "written-before-seals") == ["state.db"], "else this test sees nothing"
    service = Service(state)
    assert not files_with(state, "written-before-seals"), "it is sealed before anybody is answered"
    listed = {row["stack_name"]: row["stack_status"] for row in service.call("GET", "/stacks")["stacks"]}
    assert listed == {"hidden": "CREATE_COMPLETE", "odd": "CREATE_IN_PROGRESS", "good": "CREATE_IN_PROGRESS"}, listed
    place = "/stacks/hidden/" + [row["id"] for row in service.call("GET", "/stacks")["stacks"] if row["stack_name"] == "hidden"][0]
    entry = service.call("GET", place + "/resources/server/metadata")["metadata"]["deployments"][0]
    assert "written-before-seals" in [each["value"] for each in entry["inputs"]], entry
    assert [row["name"] for row in service.call("GET", place + "/snapshots")["snapshots"]] == ["first"]
    service.stop()
    assert not files_with(state, "written-before-seals")
    print("what an older Hearth wrote is sealed, and all there")


def digest(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def check_one_spoilt_stack(work):
    state = f"{work}/spoilt"
    database = in_the_clear(state)
    tree = [row for row, data in database.execute("SELECT id, data FROM tree") if json.loads(data)["name"] == "odd"][0]
    database.execute("UPDATE resource SET data = ? WHERE tree = ?", (f'{{"name": "server", "data": {nested(5000)}}}', tree))
    database.commit()
    database.close()
    service = Service(state)

    def stack(*words):
        run = subprocess.run([HEARTH, "stack", *words, "--url", heat(service, ""), "--state", state], capture_output=True, text=True, check=False)
        return run.returncode, run.stdout + run.stderr
    code, listed = stack("list")
    assert code == 0 and "CHECK_FAILED" in listed and "CREATE_IN_PROGRESS" in listed, listed
    code, shown = stack("show", "odd")
    assert code == 0 and "nested deeper than 1024 levels" in shown, shown
    code, refused = stack("resource", "show", "odd", "server")
    assert code != 0 and "is set aside" in refused, refused
    code, gone = stack("delete", "odd", "--wait")
    assert code == 0, gone
    assert "odd" not in stack("list")[1]
    service.stop()
    service = Service(state)
    assert [row["stack_name"] for row in service.call("GET", "/stacks")["stacks"]] == ["hidden", "good"]
    service.stop()
    print("a stack that can't be read is shown and deleted, the other is served")


def check_without_its_directory(work):
    state = f"{work}/gone"
    os.mkdir(state)
    service = Service(state)
    service.call("POST", "/stacks", {"stack_name": "known", "template": NODE})
    shutil.rmtree(state)
    for _ in range(3):
        status, text = raw(heat(service, "/stacks"), "POST", json.dumps({"stack_name": "lost", "template": NODE}), service.token)
        assert status == 503 and ("removed or replaced" in text), (status, text)
        assert [row["stack_name"] for row in service.call("GET", "/stacks")["stacks"]] == ["known"], "what is known can be read"
        time.sleep(1.2)
    run = subprocess.run([HEARTH, "stack", "delete", "known", "--url", heat(service, ""), "--token-file", "/dev/stdin"], input=service.token,
                         capture_output=True, text=True, check=False)
    assert run.returncode != 0 and "from a backup" in run.stderr, run.stderr
    service.stop()
    print("without its directory it takes nothing, and says why")


def fill(place, left):
    """Takes all room of a disk but some."""
    with open(place, "wb", buffering=0) as file:
        try:
            while True:
                file.write(b"x" * 4096)
        except OSError:
            pass
        file.truncate(max(0, file.tell() - left))


def rotated(state):
    run = subprocess.run([HEARTH, "metadata", "seal", "rotate", "--state", state], capture_output=True, text=True, check=False, timeout=60)
    return run.returncode == 0, run.stderr


def on_a_full_disk(state):
    """In a mount namespace of its own. A server whose disk is full takes nothing and reads on; a rotation that finds no room for its
    key changes nothing, and one that finds none for what is to be sealed anew is put off, over a kill and a start as well."""
    os.mkdir(state)
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=3m,mode=700", "none", state], check=True)
    service = Service(state)
    place = "/stacks/known/" + service.call("POST", "/stacks", {"stack_name": "known", "template": NODE.replace("echo hello", "x" * 60000)})["stack"]["id"]

    def reads():
        assert service.call("GET", place)["stack"]["stack_status"] == "CREATE_IN_PROGRESS"
        assert service.call("GET", place + "/resources/server/metadata")["metadata"] == known

    def signalled():
        return raw(heat(service, place + "/resources/deploy/signal"), "POST", json.dumps({"out": "y" * 30000}), service.token)[0]
    known = service.call("GET", place + "/resources/server/metadata")["metadata"]
    former, keys = key_of_the_database(state), digest(state + "/seal-key")
    fill(state + "/ballast", 0)
    assert signalled() == 503
    reads()
    done, told = rotated(state)
    assert not done and "No space left on device" in told and digest(state + "/seal-key") == keys, told
    fill(state + "/ballast", 16384)
    done, told = rotated(state)
    assert done and digest(state + "/seal-key") != keys, told
    time.sleep(2.5)
    reads()
    assert signalled() == 503 and key_of_the_database(state) == former
    service.process.kill()
    service.process.wait()
    service = Service(state)
    reads()
    assert key_of_the_database(state) == former
    os.remove(state + "/ballast")
    deadline = time.monotonic() + 30
    while signalled() != 200:
        assert time.monotonic() < deadline, "there is room again"
        time.sleep(0.2)
    assert rotated(state)[0]
    while key_of_the_database(state) == former:
        assert time.monotonic() < deadline, "the new key was not taken"
        time.sleep(0.1)
    service.process.kill()
    service.process.wait()
    service = Service(state)
    assert service.call("GET", place)["stack"]["stack_status"] == "CREATE_COMPLETE"
    service.stop()
    print("on a full disk nothing is lost, and a rotation waits for room")


def check_full_disk(work):
    subprocess.run(["unshare", "-m" if os.getuid() == 0 else "-rm", sys.executable, __file__, HEARTH, "--full-disk", work + "/full"],
                   check=True, timeout=120)


def check_signals(work):
    state = f"{work}/signals"
    os.mkdir(state)
    service = Service(state)
    for number in (signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2, signal.SIGALRM, signal.SIGPIPE) * 20:
        service.process.send_signal(number)
    service.call("POST", "/stacks", {"stack_name": "a", "template": NODE})
    service.process.send_signal(signal.SIGHUP)
    assert service.call("GET", "/stacks/a")["stack"]["stack_status"] == "CREATE_IN_PROGRESS"
    service.stop()
    print("no signal but SIGTERM and SIGINT ends it")


def main():
    if "--full-disk" in sys.argv:
        on_a_full_disk(sys.argv[3])
        return 0
    enter()
    with tempfile.TemporaryDirectory(prefix="metadata-store-") as work:
        check_sealed(work)
        check_key(work)
        check_without_its_secret(work)
        check_dumps(work)
        check_what_was_in_the_clear(work)
        check_depths(work)
        check_one_spoilt_stack(work)
        check_without_its_directory(work)
        check_full_disk(work)
        check_signals(work)
    return 0


if __name__ == "__main__":
    sys.exit(main())
