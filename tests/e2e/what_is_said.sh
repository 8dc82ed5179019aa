#!/bin/bash
# What is said, and to whom: words of BMCs, images and files give a terminal no orders; what could not be written is no success; who
# waits for a BMC or a conductor that does not answer knows for what, and not for ever.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
export HEARTH_NODE_STATE=$work/nodes HEARTH_UPSTREAM_ELEMENTS=no
trap 'kill $servers 2> /dev/null || true; remove_work' EXIT
servers=

# no_orders FILE: nothing in it that a terminal obeys: no control, no U+202E, no byte that is no UTF-8.
no_orders() {
    iconv -f UTF-8 -t UTF-8 "$1" > /dev/null 2>&1 || fail "$1 is no UTF-8: $(od -c "$1" | head -20)"
    ! LC_ALL=C grep -qP '[\x00-\x08\x0b-\x1f\x7f]|\xe2\x80\xae' "$1" || fail "$1 has orders for a terminal: $(cat -v "$1")"
}

# A BMC whose words are hostile, and which refuses every reset; and one that takes connections and never answers.
cat > bmc.py <<'PY'
import http.server, json, socket, sys, threading
EVIL = "\x1b]0;owned\x07\u202efi\x9b2J\nERROR all is lost"
class Bmc(http.server.BaseHTTPRequestHandler):
    def say(self, code, body):
        text = json.dumps(body).encode()
        self.send_response(code)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)
    def do_GET(self):
        self.say(200, {"PowerState": "Off", "Links": {}, "Actions": {"#ComputerSystem.Reset": {"target": "/reset"}}})
    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        if self.path == "/reset":
            return self.say(409, {"error": {"@Message.ExtendedInfo": [{"Message": "The interlock is open: " + EVIL}]}})
        self.say(405, {})
    def log_message(self, *_):
        pass
bmc = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Bmc)
mute = socket.create_server(("127.0.0.1", 0))
print(bmc.server_port, mute.getsockname()[1], flush=True)
bmc.serve_forever()
PY
python3 bmc.py > ports &
servers=$!
for _ in $(seq 100); do [ -s ports ] && break; sleep 0.1; done
read -r bmc mute < ports
cat > inventory.json <<JSON
{"nodes": [{"name": "evil", "pm_type": "redfish", "pm_addr": "http://127.0.0.1:$bmc", "pm_system_id": "1", "pm_user": "u", "pm_password": "p", "mac": ["02:00:00:00:00:01"]},
           {"name": "alpha", "pm_type": "fake-hardware", "mac": ["02:00:00:00:00:02"]}]}
JSON
"$HEARTH" node import inventory.json --initial-state manageable > said 2>&1 || fail "import: $(cat said)"

# Words of a BMC: in the error, in the table, in the events, in the log of what serves; and no is no.
! timeout 60 "$HEARTH" node power on evil > said 2>&1 || fail "a reset that the BMC refuses is a success"
expect_text said "HTTP 409: The interlock is open: " '\x1b]0;owned\x07\u202efi\u009b2J\nERROR all is lost'
no_orders said
for command in "list" "show evil" "show evil --json" "events" "events --json" "list --json"; do
    # shellcheck disable=SC2086
    "$HEARTH" node $command > said 2>&1 || fail "node $command: $(cat said)"
    expect_text said "interlock is open"
    no_orders said
done
"$HEARTH" node show evil --json > shown
python3 -c 'import json, sys; assert "\\u202e" in json.load(open("shown"))["last_error"]' || fail "node show --json: $(cat -v shown)"

# Who answers as others do is not taken for a conductor or a stack service.
for command in "list" "show alpha" "events" "set alpha --name x" "power on alpha" "boot-log alpha" "todo"; do
    # shellcheck disable=SC2086
    ! "$HEARTH" node $command --url "http://127.0.0.1:$bmc" > said 2>&1 || fail "node $command is done by a BMC"
    expect_text said "what answers at http://127.0.0.1:$bmc is no conductor"
done
for command in "list" "show a" "resource list a" "event list a"; do
    # shellcheck disable=SC2086
    ! "$HEARTH" stack $command --url "http://127.0.0.1:$bmc" > said 2>&1 || fail "stack $command is done by a BMC"
    expect_text said "the answer is not a stack" "is there a stack service at that address?"
done

# Who answers as a conductor or a stack service would, but not with what they answer: each command ends, and by itself, with words of
# ours. The address tells which of the answers.
cat > odd.py <<'PY'
import concurrent.futures, http.server, json, os, subprocess, sys, threading
NODE = {"uuid": "a", "name": "a", "provision_state": "active", "power_state": "power on"}
STACK = {"stack": {"stack_name": "a", "id": "b"}}
LISTS = ("nodes", "events", "stacks", "resources", "resource", "output", "lines", "created", "updated", "warnings", "todo", "failures")
ANSWERS = [b"", b"x", b"[" * 300, *(json.dumps(each).encode() for each in [
    {}, [], None, 5, "x", True, [[]], [None], [NODE], NODE, STACK,
    *({name: value for name in LISTS} for value in (None, 5, "x", {}, {"a": 1}, [], [5], [None], ["x"], [{}], [[]])),
    {**STACK, **{name: [{}] for name in LISTS}}, {**STACK, "resource": {}, "output": {}, "resources": [{"resource_name": 5}]},
    {"nodes": [{"uuid": 5, "name": {}}]}, {"nodes": [{**NODE, "driver_info": "x", "properties": [1], "extra": 5}]},
    {**NODE, "properties": 5, "extra": [], "driver_info": None, "instance_info": "x"}, {**NODE, "name": [], "power_state": {}},
    {"nodes": [{**NODE, "name": 5}], "events": [{"id": "x", "at": {}, "node": 5}]}, {"events": [{"id": 5}]}])]
FAILURES = [(404, b'{"error_message": 5}'), (500, b'{"error_message": "[1]"}'), (409, b"[1]"), (302, b"{}")]
class Odd(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def answer(self):
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        number = int(self.path.split("/")[1])
        code, body = (200, ANSWERS[number]) if number < len(ANSWERS) else FAILURES[number - len(ANSWERS)]
        self.send_response(code)
        self.send_header("X-OpenStack-Ironic-API-Maximum-Version", "1.82")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    do_GET = do_PUT = do_POST = do_PATCH = do_DELETE = answer
    def log_message(self, *_):
        pass
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Odd)
threading.Thread(target=server.serve_forever, daemon=True).start()
NODES = """node list|node list --json|node show a|node show a --json|node set a --name b --capability x:y --rack r|node unset a --name
    node delete a|node validate a|node export|node events|node events a --json|node log a|node log a --json|node boot-log a|node console a
    node boot-log a --json|node todo|node todo a|node role compute --user-data data|node manage a|node deploy a --image web|node clean a --clean-steps []
    node manage a --wait 1|node power on a|node reboot a|node maintenance set a|node import inventory.json|node import inventory.json --json
    node import inventory.json --dry-run|baremetal introspection start a|baremetal introspection status a|baremetal introspection data a
    baremetal configure boot|baremetal show capabilities|baremetal introspection bulk status|why node a|incident a"""
STACKS = """stack list|stack show a|stack create a -t text|stack delete a|stack resource list a|stack resource show a b
    stack resource metadata a b|stack event list a|stack output show a b|stack failures list a|why stack a"""
def words_of(text):
    return [row.split() for line in text.splitlines() for row in line.split("|")]
def run(words, where, number):
    flag = "--stack-url" if words[:2] == ["why", "stack"] else "--url"
    address = f"http://127.0.0.1:{server.server_port}/{number}{where}"
    where = f"work.{number}.{'.'.join(words).replace('/', '')}"
    os.mkdir(where)
    for file in ("inventory.json", "text", "data"):
        os.link(file, os.path.join(where, file))
    try:
        done = subprocess.run([os.environ["HEARTH"], *words, flag, address], cwd=where, capture_output=True, text=True, timeout=60)
    except subprocess.TimeoutExpired:
        return f"{words} {number}: does not end"
    said = done.stdout + done.stderr
    if done.returncode not in (0, 1, 2) or (done.returncode and not done.stderr):
        return f"{words} {number}: exit code {done.returncode}: {said}"
    if "json.exception" in said or "internal error" in said:
        return f"{words} {number}: not in our words: {said}"
    return ""
rows = [(words, where, number) for text, where in ((NODES, ""), (STACKS, "/v1/admin")) for words in words_of(text)
        for number in range(len(ANSWERS) + len(FAILURES))]
with concurrent.futures.ThreadPoolExecutor(8) as pool:
    faults = [fault for fault in pool.map(lambda row: run(*row), rows) if fault]
print(f"{len(rows)} runs")
sys.exit("\n".join(faults[:20] + [f"{len(faults)} faults"]) if faults else 0)
PY
echo text > text
echo "#!/bin/sh" > data
mkdir odd && cp inventory.json text data odd/
(cd odd && HEARTH=$(realpath "$HEARTH") python3 ../odd.py) > said 2>&1 || fail "odd answers: $(cat said)"

# Names in images.
python3 - <<'PY'
import io, tarfile
for name, more in (("a.tar", b""), ("b.tar", b"more")):
    with tarfile.open(name, "w") as tar:
        for path in ("evil\x1b[2J\u202e", "line\nERROR", "\x9b2J"):
            entry = tarfile.TarInfo("usr/" + path + "/file\x07")
            data = path.encode() * 100 + more
            entry.size = len(data)
            tar.addfile(entry, io.BytesIO(data))
PY
for command in "sizes a.tar" "sizes a.tar --json" "sizes b.tar --against a.tar" "diff a.tar b.tar" "diff a.tar b.tar --json" "inspect a.tar"; do
    code=0
    # shellcheck disable=SC2086
    "$HEARTH" image $command > said 2>&1 || code=$?
    case "$code $command" in 0\ sizes* | 0\ inspect* | 3\ diff*) ;; *) fail "image $command: $code: $(cat said)" ;; esac
    no_orders said
done

# Sizes have units, wherever people read them: a number of four digits or more is followed by one, or is none of a size.
cat > units.py <<'PY'
import re, sys
UNITS = r"(?: → \d+ bytes| ?(?:B|bytes|kB|KB|MB|GB|TB|KiB|MiB|GiB|TiB|sectors|s|ms|min|h|%)\b| (?:files|directories|packages|nodes))"
BARE = re.compile(r"(?<![\w.,:/+#@=-])[+-]?\d{4,}(?:\.\d+)?(?![\w:/@-])(?!" + UNITS + r")")
NAMED = re.compile(r"_(?:mb|gb|bytes|seconds)\b|mode|uid|gid|port|pid", re.I)  # the name has the unit, or says that it is no size
def bare(text):
    return [line for line in text.splitlines() if BARE.search(line) and not NAMED.search(line)]
assert bare("usr  10240") and bare("content, 4096 → 8192") and bare("| size | 2048 |"), "a size without a unit is not seen"
assert not bare("usr  10240 B\n2026-11-20 10:00:00\n| memory_mb | 4096 |\n1.2 MB\n4096 → 8192 bytes".replace("4096 →", "4.1 kB →"))
if faults := bare(sys.stdin.read()):
    sys.exit("\n".join(faults))
PY
cat > layout.yaml <<'YAML'
- local_loop: {name: image0, size: 3GiB}
- partitioning:
    base: image0
    label: gpt
    partitions:
      - {name: swap, size: 512MiB, mkfs: {type: swap}}
      - {name: root, size: 100%, mkfs: {type: ext4, mount: {mount_point: /, fstab: {options: defaults}}}}
YAML
truncate -s 64M big.raw
# Exit code, whether a size is told, command. Of those that tell none no number may look like one.
while read -r code sized command; do
    got=0
    # shellcheck disable=SC2086
    "$HEARTH" $command > said 2>&1 < /dev/null || got=$?
    [ "$got" = "$code" ] || fail "hearth $command ends with $got, not $code: $(cat said)"
    python3 units.py < said > bare 2>&1 || fail "hearth $command tells a size without its unit: $(cat bare)"
    told=no
    ! grep -qE '[0-9] ?(B|bytes|kB|KB|MB|GB|KiB|MiB|GiB)\b' said || told=sized
    [ "$told" = "$sized" ] || fail "hearth $command: a size is told: $told, not $sized: $(cat said)"
done <<'COMMANDS'
0 sized image sizes a.tar
0 sized image sizes b.tar --against a.tar
3 sized image diff a.tar b.tar
0 sized image inspect a.tar
0 sized image layout layout.yaml
0 sized image layout layout.yaml --size 4GiB
0 no node list
0 no node show alpha
0 no node events
0 sized incident alpha -o sizes.incident
0 no why node alpha
0 no image load big.raw --kernel text --ramdisk text --state sizes
0 sized bundle create -o sizes.bundle --without-hearth --image big.raw
COMMANDS

# What could not be written: a full disk, and nobody who reads (with SIGPIPE ignored, too, as services have it).
lost() {
    local code=0
    "$HEARTH" "$@" > /dev/full 2> said || code=$?
    [ "$code" != 0 ] || fail "hearth $*: nothing could be written, and the exit code is 0"
    expect_text said "writing to standard output: No space left on device"
    [ "$(grep -c "standard output" said)" = 1 ] || fail "hearth $*: told twice: $(cat said)"
}
for words in "help" "--version" "image create --help" "completion bash" "node list" "node list --json" "node show alpha" \
    "node show alpha --json" "node events" "node export" "node drivers" "image sizes a.tar" "image sizes a.tar --json" \
    "image diff a.tar b.tar" "image diff a.tar b.tar --json" "image inspect a.tar" "element list --json" "why node evil"; do
    # shellcheck disable=SC2086
    lost $words
done
set +o pipefail
env --ignore-signal=PIPE timeout 20 "$HEARTH" node events -f 2> said | true
code=${PIPESTATUS[0]}
[ "$code" = 1 ] || fail "node events -f without a reader: exit code $code: $(cat said)"
expect_text said "writing to standard output: Broken pipe"
"$HEARTH" image create --help 2> said | true
code=${PIPESTATUS[0]}
[ "$code" = 141 ] || fail "a pipe that was closed: exit code $code: $(cat said)"
[ ! -s said ] || fail "a pipe that was closed: $(cat said)"
set -o pipefail

# Who gave us no standard output must not find it in the next file that we open.
for words in "node list" "node list --json" "node export" "node events" "help"; do
    code=0
    # shellcheck disable=SC2086
    "$HEARTH" $words < /dev/null >&- 2>&- || code=$?
    [ "$code" = 1 ] || fail "hearth $words without a standard output: exit code $code"
done
[ ! -s nodes/lock ] || fail "standard output is in the lock: $(cat nodes/lock)"
"$HEARTH" node list <&- > said 2>&1 || fail "without a standard input: $(cat said)"
expect_text said alpha

# Who does not answer.
waits() {
    local text=$1 longest=$2 begin=$SECONDS code=0
    shift 2
    timeout 60 "$HEARTH" "$@" > said 2>&1 || code=$?
    [ "$code" = 1 ] || fail "hearth $*: exit code $code: $(cat said)"
    [ $((SECONDS - begin)) -le "$longest" ] || fail "hearth $*: took $((SECONDS - begin)) s"
    expect_text said "$text"
}
"$HEARTH" node set evil --driver-info redfish_address="http://127.0.0.1:$mute" --driver-info redfish_timeout=3 > said 2>&1 || fail "set: $(cat said)"
waits "waiting for the BMC of evil, 60 s at most" 20 node power on evil
# tells TEXT WORD…: says so before anybody has answered, and is stopped then.
tells() {
    local text=$1 process
    shift
    timeout 60 "$HEARTH" "$@" > said 2>&1 &
    process=$!
    until grep -qF "$text" said || ! kill -0 "$process" 2> /dev/null; do sleep 0.1; done
    kill "$process" 2> /dev/null || true
    wait "$process" || true
    expect_text said "$text"
}
tells "waiting for the conductor at http://127.0.0.1:$mute, 60 s at most" node list --url "http://127.0.0.1:$mute"
tells "waiting for the stack service at http://127.0.0.1:$mute/v1/admin, 300 s at most" stack list --url "http://127.0.0.1:$mute/v1/admin"
tells "waiting for an answer of the remote cache http://127.0.0.1:$mute/; 5 s of its silence end that" \
    image create -n -t tar -o mute --remote-cache "http://127.0.0.1:$mute" --remote-cache-insecure tiny-os
tells "waiting for http://127.0.0.1:$mute/elements.git; 60 s of its silence end that" element fetch "http://127.0.0.1:$mute/elements.git"

# ^C leaves none of what was begun, which is as large as a disk and hidden.
begun() {
    find . -name '.fetch-*' -o -name '.hearth-*' -o -path './begun/*'
}
interrupted() {
    local code=0 process
    rm -rf begun && mkdir begun
    (exec python3 -c 'import os, signal, sys; signal.signal(signal.SIGINT, signal.SIG_DFL); os.execv(sys.argv[1], sys.argv[1:])' \
        "$HEARTH" "$@") > said 2>&1 &
    process=$!
    until [ -n "$(begun)" ] || ! kill -0 "$process" 2> /dev/null; do sleep 0.05; done
    [ -n "$(begun)" ] || fail "hearth $*: nothing was begun: $(cat said)"
    kill -INT "$process"
    wait "$process" || code=$?
    [ "$code" = 130 ] || fail "hearth $*: exit code $code in place of 130: $(cat said)"
    [ -z "$(begun)" ] || fail "hearth $*: left $(begun)"
    expect_text said "stopped by SIGINT; nothing was left behind"
}
interrupted element fetch "http://127.0.0.1:$mute/elements.git"
head -c 48M /dev/urandom > random.raw
interrupted image convert --compression best random.raw begun/random.qcow2
interrupted image publish --level 19 random.raw begun/random.frames
rm random.raw

# At a terminal the line of the step that ran goes before that is said.
hook slow/extra-data.d/10-slow <<< "sleep $mark"
ELEMENTS_PATH=$work/elements:$ELEMENTS_PATH TERM=xterm script -qec "exec $HEARTH image create -n -t tar -o stopped tiny-os slow" typescript \
    > /dev/null < /dev/null &
terminal=$!
until pgrep -f "sleep $mark" > /dev/null; do kill -0 $terminal 2> /dev/null || break; sleep 0.05; done
pkill -INT -o -f "^$HEARTH image create -n -t tar -o stopped" || fail "no build to stop: $(cat -v typescript)"
wait $terminal || true
LC_ALL=C grep -qP '\r\x1b\[Khearth image create: stopped by SIGINT' typescript || fail "the live line stays: $(tail -c 300 typescript | cat -v)"

# A machine that is ended leaves nothing; a QEMU that says nothing stands for one.
mkdir bin tmp
printf '#!/bin/sh\nexec sleep %s\n' "$mark" > bin/qemu-system-x86_64
chmod +x bin/qemu-system-x86_64
truncate -s 1M disk.raw
cp bin/qemu-system-x86_64 bin/qemu-img
printf 'QFI\373%01000d' 0 > disk.qcow2
for command in "boot --accel tcg disk.raw" "test --accel tcg disk.raw" "sizes disk.qcow2"; do
    for signal in TERM INT HUP; do
        # shellcheck disable=SC2086
        PATH=$work/bin:$PATH TMPDIR=$work/tmp "$HEARTH" image $command > said 2>&1 < /dev/null &
        hearth=$!
        for _ in $(seq 600); do pgrep -f "sleep $mark" > /dev/null && break; sleep 0.1; done
        kill "-$signal" "$hearth"
        code=0
        wait "$hearth" || code=$?
        [ "$code" -gt 128 ] || fail "image $command, SIG$signal: exit code $code: $(cat said)"
        left=$(find tmp -mindepth 1)
        [ -z "$left" ] || fail "image $command, SIG$signal: left: $left"
        ! pgrep -f "sleep $mark" > /dev/null || fail "image $command, SIG$signal: its machine runs on"
    done
done
finish
