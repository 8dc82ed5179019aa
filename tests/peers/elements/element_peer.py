"""Ours beside diskimage-builder's own programs: element-info, package-installs-squash, pkg-map, svc-map.

usage: element_peer.py ELEMENT_DATA ELEMENT_INFO OUR_ELEMENTS [SEED]

The inputs are upstream's elements and generated ones. Known differences are named where they are made up for; anything
else fails. Skips (77) without Debian's python3-diskimage-builder.
"""

import functools
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from forked import Forked

try:
    import diskimage_builder
    import yaml
    from diskimage_builder import element_dependencies
except ImportError:
    print("SKIPPED: python3-diskimage-builder is not installed")
    sys.exit(77)

ELEMENTS = os.path.join(os.path.dirname(diskimage_builder.__file__), "elements")
LIBRARY = os.path.join(os.path.dirname(diskimage_builder.__file__), "lib")
DISTROS = [("debian", "bookworm"), ("debian", "trixie"), ("ubuntu", "noble"), ("fedora", "40"), ("centos", "8-stream"),
           ("centos", "9-stream"), ("rhel", "9"), ("opensuse", "15.5"), ("gentoo", "x"), ("plan9", "4"), ("centos7", "7")]
failures = []


def check(what, theirs, ours):
    if theirs != ours:
        failures.append(what)
        if len(failures) <= 10:
            print(f"DIFFERS: {what}\n  theirs: {theirs}\n  ours:   {ours}")


def run(command, env=None, clean=False):
    base = {"PATH": os.environ["PATH"]} if clean else dict(os.environ)
    done = subprocess.run([str(word) for word in command], env={**base, **(env or {})}, capture_output=True, text=True,
                          check=False)
    return done.returncode, done.stdout


@functools.cache
def forked(program):
    return Forked(program, ("diskimage_builder.element_dependencies", "json", "yaml"), dict(os.environ))


def run_theirs(program, arguments, env=None, clean=False):
    """The same of one of upstream's programs."""
    base = {"PATH": os.environ["PATH"]} if clean else dict(os.environ)
    code, out, _ = forked(program).run([str(word) for word in arguments], {**base, **(env or {})}, os.getcwd())
    return code, out.decode()


# ---- element-info

def theirs_expanded(names):
    """Upstream's set, or nothing where it raises; asked in this process, since its start takes most of its time."""
    try:
        return sorted(name for name, _ in element_dependencies.get_elements(names, ELEMENTS))
    except Exception:
        return None


def is_order_dependent(names):
    """Upstream's queue sees elements before those that provide them, or after, as the order of the names has it."""
    return len({str(theirs_expanded(random.sample(names, len(names)))) for _ in range(6)}) > 1


def element_sets(count):
    names = sorted(name for name in os.listdir(ELEMENTS) if os.path.isdir(os.path.join(ELEMENTS, name)) and name[0] != "_")
    systems = [name for name in names
               if "operating-system" in read(os.path.join(ELEMENTS, name, "element-provides")).split()]
    sets = [[name] for name in names] + [["debian-minimal", name] for name in names if name != "debian-minimal"]
    for _ in range(count):
        chosen = random.sample(names, random.randint(1, 6))
        sets.append(chosen + random.choice([[], [random.choice(systems)]]))
    return [list(dict.fromkeys(chosen)) for chosen in sets]


def read(path):
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except FileNotFoundError:
        return ""


def compare_element_info(program, count):
    compared = skipped = 0
    for names in element_sets(count):
        theirs = theirs_expanded(names)
        code, out = run([program, *names], {"ELEMENTS_PATH": ELEMENTS})
        ours = sorted(out.split()) if code == 0 else None
        if theirs != ours and is_order_dependent(names):
            skipped += 1
            continue
        compared += 1
        check(f"element-info {' '.join(names)}", theirs, ours)
    evaluate = 'source /dev/stdin; eval "declare -A a=($(get_image_element_array))"; ' \
               'for e in $IMAGE_ELEMENT; do echo "$e ${a[$e]}"; done | sort; echo "$IMAGE_ELEMENT_YAML"'
    for names in (["vm", "debian-minimal", "block-device-efi"], ["fedora-minimal"]):
        answers = []
        for command in ([sys.executable, os.path.join(LIBRARY, "element-info.py")], [program]):
            _, text = run([*command, "--env", *names], {"ELEMENTS_PATH": ELEMENTS})
            done = subprocess.run(["bash", "-c", evaluate], input=text, capture_output=True, text=True, check=False)
            answers.append((done.returncode, done.stdout))
            first = [line.split("=")[0].split("{")[0] for line in text.splitlines() if line.startswith(("export", "func"))]
            answers[-1] += (first,)
        check(f"element-info --env {names}", *answers)
    return f"element-info: {compared} sets ({skipped} left out: upstream's answer depends on the order of the names)"


# ---- package-installs

def random_entry():
    entry = {}
    if random.random() < 0.4:
        entry["phase"] = random.choice(["pre-install.d", "install.d", "post-install.d"])
    if random.random() < 0.2:
        entry[random.choice(["uninstall", "build-only"])] = True
    if random.random() < 0.3:
        entry[random.choice(["arch", "not-arch"])] = random.choice(["amd64", "arm64", "amd64,arm64", "ppc64"])
    if random.random() < 0.3:
        entry["installtype"] = random.choice(["source", "package"])
    if random.random() < 0.2:
        entry["dib_python_version"] = random.choice([2, 3])
    if random.random() < 0.4:
        conditions = [f"{random.choice(['COLOUR', 'SHAPE'])} {random.choice(['=', '!='])} {random.choice(['red', 'round', 'a=b'])}"
                      for _ in range(random.randint(1, 2))]
        entry["when"] = conditions if len(conditions) > 1 or random.random() < 0.5 else conditions[0]
    return entry


def random_package_file():
    packages = {}
    for _ in range(random.randint(0, 6)):
        value = random.choice([None, "", [], {}]) if random.random() < 0.2 else random_entry()
        packages[f"p{random.randint(1, 8)}"] = [random_entry(), random_entry()] if random.random() < 0.2 else value
    return packages


def plain_only(packages):
    """The entries that install for good."""
    stays = lambda entry: not entry or not {"uninstall", "build-only"} & set(entry)
    plain = {}
    for name, value in packages.items():
        if not isinstance(value, list) or not value:
            kept = [value] if stays(value) else []
        else:
            kept = [entry for entry in value if stays(entry)]
        if kept:
            plain[name] = kept[0] if len(kept) == 1 and not isinstance(value, list) else [entry or {} for entry in kept]
    return plain


def write_packages(folder, name, packages, kind):
    os.makedirs(os.path.join(folder, name))
    with open(os.path.join(folder, name, f"package-installs.{kind}"), "w", encoding="utf-8") as file:
        file.write(json.dumps(packages) if kind == "json" or not packages else yaml.safe_dump(packages))


def squash_theirs(folder, names, env):
    squasher = os.path.join(ELEMENTS, "package-installs/bin/package-installs-squash")
    target = os.path.join(folder, "squashed.json")
    code, _ = run_theirs(squasher, [f"--elements={' '.join(names)}", f"--path={folder}", target], env, clean=True)
    return json.loads(read(target)) if code == 0 else None


def in_order(squashed):
    """{phase: {kind: [(package, element)…]}}, sorted, without what is empty."""
    lists = {phase: {kind: sorted(map(tuple, items)) for kind, items in packages.items() if items}
             for phase, packages in squashed.items()}
    return {phase: packages for phase, packages in lists.items() if packages}


def install_wins(squashed, plain):
    """Debian's upstream removes again what another element installs; later versions, and ours, let installing win."""
    for phase, packages in squashed.items():
        kept = {name for name, _ in plain.get(phase, {}).get("install", [])}
        packages["uninstall"] = [item for item in packages.get("uninstall", []) if item[0] not in kept]
    return squashed


def package_environment():
    env = {"ARCH": random.choice(["amd64", "arm64", "s390x"]), "COLOUR": random.choice(["red", "a=b"]),
           "SHAPE": random.choice(["round", "square"])}
    for name, values in (("DIB_PYTHON_VERSION", ["2", "3"]), ("DIB_DEFAULT_INSTALLTYPE", ["source", "package"]),
                         ("DIB_INSTALLTYPE_b_c", ["source", "package"])):
        if random.random() < 0.5:
            env[name] = random.choice(values)
    return env


def compare_package_installs(program, count, scratch):
    names = ["a", "b-c", "d"]
    removals = 0
    for number in range(count):
        folder, plain = (os.path.join(scratch, f"{kind}-{number}") for kind in ("packages", "plain"))
        for name in names:
            packages, kind = random_package_file(), random.choice(["yaml", "json"])
            write_packages(folder, name, packages, kind)
            write_packages(plain, name, plain_only(packages), kind)
        env = package_environment()
        theirs = in_order(install_wins(squash_theirs(folder, names, env), squash_theirs(plain, names, env)))
        removals += any("uninstall" in packages for packages in theirs.values())
        code, out = run([program, "squash", folder, *names], env, clean=True)
        check(f"package-installs {folder} {env}", theirs, in_order(json.loads(out)) if code == 0 else None)
    return f"package-installs: {count} generated sets of three elements ({removals} of them remove something)"


# ---- pkg-map

def random_names():
    return {f"n{random.randint(1, 6)}": random.choice(["", "one", "two three", "four"]) for _ in range(random.randint(0, 4))}


def random_package_map():
    sections = {}
    if random.random() < 0.7:
        sections["default"] = random_names()
    if random.random() < 0.7:
        sections["family"] = {family: random_names() for family in ("debian", "redhat", "suse", "gentoo")}
    if random.random() < 0.7:
        sections["distro"] = {distro: random_names() for distro in ("debian", "centos", "fedora")}
    if random.random() < 0.7:
        sections["release"] = {"debian": {"bookworm": random_names(), "trixie": random_names()},
                               "centos": {"8": random_names(), "9-stream": random_names()}}
    return sections


def compare_package_maps(program, script, count, scratch):
    upstreams = os.path.join(ELEMENTS, "pkg-map/bin/pkg-map")
    json_lines = os.path.join(os.path.dirname(script), "../../json-lines/bin")
    maps = [os.path.join(ELEMENTS, name, "pkg-map") for name in sorted(os.listdir(ELEMENTS))]
    maps = [path for path in maps if os.path.isfile(path)]
    for number in range(count):
        maps.append(os.path.join(scratch, f"map-{number}"))
        with open(maps[-1], "w", encoding="utf-8") as file:
            json.dump(random_package_map(), file, indent=random.choice([None, 2, "\t"]))
    for path in maps:
        distro, release = random.choice(DISTROS)
        env = {"DISTRO_NAME": distro, "DIB_RELEASE": release}
        names = list({name for name in keys_of(json.loads(read(path)))} | {"n1", "unknown"})
        names = random.sample(names, min(len(names), 8))
        options = random.choice([[], ["--missing-ok"], ["--missing-ok", "--prefix", "-"], ["--prefix=+"]])
        command = ["--pkg-map", path, *options, *names]
        theirs = run_theirs(upstreams, command, env)
        ours = run(["bash", script, *command], {**env, "PATH": f"{json_lines}:{os.environ['PATH']}"})
        # Upstream prints what it has found when it meets an unknown name; ours does, too.
        check(f"pkg-map {command} on {distro} {release}", theirs, ours)
        native = run([program, "pkg-map", path, *names], env)[1].splitlines()
        plain = run_theirs(upstreams, ["--pkg-map", path, "--missing-ok", *names], env)[1].splitlines()
        check(f"pkg-map in the builder {path} {names} on {distro} {release}", plain,
              [" ".join(names[i] if answer == "?" else answer for answer in [line]) for i, line in enumerate(native) if line != "-"])
    return f"pkg-map: {len(maps)} maps, {len(maps) - count} of them upstream's own; the program and the builder"


def keys_of(node):
    for key, value in node.items():
        if isinstance(value, dict):
            yield from keys_of(value)
        else:
            yield key


# ---- json-lines

def random_json(depth=0):
    kind = random.choice(["text", "number", "literal", "object", "array"][: 5 if depth < 4 else 3])
    if kind == "text":
        return "".join(random.choice('ab "\\/{}[]:,\u00fc\u20ac\n\t') for _ in range(random.randint(0, 8)))
    if kind == "number":
        return random.choice([0, -7, 123456, 1.5, -0.25])
    if kind == "literal":
        return random.choice([True, False, None])
    items = [random_json(depth + 1) for _ in range(random.randint(0, 4))]
    return items if kind == "array" else {f"k{i} /": item for i, item in enumerate(items)}


def lines_of(node, path=()):
    if isinstance(node, (dict, list)):
        for key, value in node.items() if isinstance(node, dict) else enumerate(node):
            yield from lines_of(value, (*path, str(key)))
    elif node is not None:
        text = node if isinstance(node, str) else json.dumps(node)
        yield "\x1f".join(path) + "\t" + text.replace("\n", " ").replace("\t", " ")


def compare_json_lines(script, count, scratch):
    file = os.path.join(scratch, "document.json")
    for _ in range(count):
        document = {"document": random_json()}
        with open(file, "w", encoding="utf-8") as out:
            json.dump(document, out, indent=random.choice([None, 1]), ensure_ascii=random.random() < 0.5)
        code, text = run(["bash", script, file])
        check(f"json-lines {document}", (0, list(lines_of(document))), (code, text.split("\n")[:-1]))
    return f"json-lines: {count} generated documents, beside Python's json"


# ---- svc-map

def compare_service_maps(program, hook, count, scratch):
    upstreams = os.path.join(ELEMENTS, "svc-map/extra-data.d/10-merge-svc-map-files")
    if not os.path.exists(upstreams):
        folder = os.path.join(ELEMENTS, "svc-map/extra-data.d")
        upstreams = os.path.join(folder, sorted(os.listdir(folder))[0])
    for number in range(count):
        folder = os.path.join(scratch, f"services-{number}")
        names = ["a", "b"]
        for index, name in enumerate(names):
            services = {f"s{10 * index + i}" if random.random() < 0.97 else "shared":
                        {system: f"{system}-name{i}" for system in
                         random.sample(["debian", "redhat", "suse", "default", "ubuntu", "fedora"], random.randint(1, 4))}
                        for i in range(random.randint(1, 6))}
            os.makedirs(os.path.join(folder, name))
            with open(os.path.join(folder, name, "svc-map"), "w", encoding="utf-8") as file:
                yaml.safe_dump(services, file)
        distro, _ = random.choice(DISTROS[:7])
        mount, hooks = os.path.join(folder, "mount"), os.path.join(folder, "hooks")
        os.makedirs(os.path.join(mount, "tmp"))
        os.makedirs(hooks)
        listed = yaml.safe_dump({name: os.path.join(folder, name) for name in names})
        env = {"IMAGE_ELEMENT_YAML": listed, "DISTRO_NAME": distro, "TMP_MOUNT_PATH": mount, "TMP_HOOKS_PATH": hooks}
        code, _ = run_theirs(upstreams, [], env)
        theirs = yaml.safe_load(read(os.path.join(mount, "tmp/svc-map-services"))) if code == 0 else None
        code, table = run([program, "services", folder, *names])
        ours = None
        if code == 0:
            with open(os.path.join(hooks, "svc-map.table"), "w", encoding="utf-8") as file:
                file.write(table)
            code, _ = run(["bash", hook], env)
            ours = yaml.safe_load(read(os.path.join(mount, "usr/share/svc-map/services"))) if code == 0 else None
        check(f"svc-map {folder} on {distro}", theirs, ours)
    return f"svc-map: {count} generated pairs of elements"


def main(program, element_info, elements, seed="1"):
    random.seed(int(seed))
    scratch = tempfile.mkdtemp(prefix="hearth-peer-")
    try:
        reports = [
            compare_element_info(element_info, 300),
            compare_package_installs(program, 150, scratch),
            compare_json_lines(os.path.join(elements, "json-lines/bin/json-lines"), 150, scratch),
            compare_package_maps(program, os.path.join(elements, "pkg-map/bin/pkg-map"), 120, scratch),
            compare_service_maps(program, os.path.join(elements, "svc-map/extra-data.d/60-svc-map"), 60, scratch),
        ]
    finally:
        if not failures:
            shutil.rmtree(scratch)
    print("\n".join(reports))
    print(f"{len(failures)} differ" if failures else "all equal")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
