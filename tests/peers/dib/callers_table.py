"""Who builds images with diskimage-builder: the scripts of other projects, how they are called, and what may differ in what they make."""
import dataclasses
import os
import shutil
import sys

from callers_sources import write

HERE = os.path.dirname(os.path.abspath(__file__))

# What may differ, and why.
NAMED = {
    r"etc/dib-manifests/dib-manifest-dpkg-.*": "it lists xxd, see below",
    r"(.*/)?xxd(/.*|\..*)?|usr/share/man/.*/xxd\..*": "pollinate wants xxd or vim-common: upstream's random order of packages decides",
    r"etc/nvme/(hostid|hostnqn)": "random ids of nvme-cli",
}
NAMED_OF_RAMDISKS = {
    r"(dev|proc|sys|run|tmp)(/.*)?": "upstream's has what lay below its mounts",
}


@dataclasses.dataclass
class Caller:
    """In words and settings {directory}, {cache}, {elements} and {sources} are named. `tree`: its checkout. `output`: what it makes; where
    it makes no tree, what it says (`says`) is all. `binds`: files and directories of the machine that it finds others at.
    `user`: whether it refuses to be run by root. `prepare`: called with the directory, the builder's program and the sources.
    `newest`: whether it brings upstream's newest. `agent`: a repository whose next commit changes a bit of the image only."""
    tree: str
    command: list
    settings: dict = dataclasses.field(default_factory=dict)
    output: str = ""
    named: dict = dataclasses.field(default_factory=lambda: NAMED)
    says: str = ""
    binds: dict = dataclasses.field(default_factory=dict)
    prepare: object = None
    agent: str = ""
    user: bool = False
    newest: bool = False


def octavia(tree, release):
    elements = "base vm debian-minimal haproxy-octavia rebind-sshd no-resolvconf amphora-agent octavia-lib sos cloud-init-datasources " \
        "remove-default-ints keepalived-octavia ipvsadmin pip-cache certs-ramfs peer-debs"
    return Caller(tree, ["bash", f"{tree}/diskimage-create/diskimage-create.sh", "-d", release, "-t", "tar",
                         "-o", "{directory}/amphora.tar", "-w", "{directory}", "-c", "{cache}"],
                  {"DIB_ELEMENTS": elements, "DIB_LOCAL_ELEMENTS_PATH": "{elements}"}, "amphora.tar", agent="octavia")


def ironic_python_agent_builder(tree, release):
    script = "import sys; sys.argv[0] = 'ironic-python-agent-builder'; from ironic_python_agent_builder import main; main()"
    # Upstream can't let go of its tmpfs while a build beside it has a copy of the mounts.
    return Caller(tree, [sys.executable, "-B", "-c", script, "-r", release, "-o", "{directory}/ipa", "--extra-args=--no-tmpfs",
                         "debian-minimal"],
                  {"PYTHONPATH": tree}, "ipa.initramfs", {**NAMED, **NAMED_OF_RAMDISKS}, agent="ironic-python-agent")


def trove(tree, release):
    def prepare(directory, _, sources):
        for name in ("home", "image"):
            os.makedirs(f"{directory}/{name}")
        shutil.copytree(f"{sources}/trove", f"{directory}/guest-agent")  # git takes nothing of another's
    return Caller(tree, ["bash", f"{tree}/integration/scripts/trovestack", "build-image", "debian", release, "false", "debian",
                         "{directory}/image/trove.tar"],
                  {"DIB_LOCAL_ELEMENTS_PATH": "{elements}", "SERVICE_HOST": "127.0.0.1", "GUEST_CACHEDIR": "{directory}/cache",
                   "DEST": "{directory}/stack", "HOME": "{directory}/home", "USER": "nobody",
                   "DIB_REPOLOCATION_guest_agent": "{directory}/guest-agent"}, "image/trove.tar", prepare=prepare, user=True)


def manila(tree, release):
    """It runs on Ubuntu, Fedora and their like only: the machine's os-release says so. An image of Debian has Ubuntu's shares."""
    def prepare(directory, *_):
        write(f"{directory}/os-release", "ID=ubuntu\nVERSION_ID=22.04\n")
    return Caller(tree, ["bash", f"{tree}/bin/manila-image-create"],
                  {"MANILA_IMG_OS": "debian", "MANILA_IMG_OS_VER": release, "MANILA_IMG_NAME": "{directory}/manila"}, "manila.qcow2",
                  binds={"/usr/lib/os-release": "{directory}/os-release"}, prepare=prepare)


def shakenfist(tree, _):
    """Shakenfist's. It installs diskimage-builder from git, calls it by the path that this gives it, and keeps what it makes in /srv."""
    def prepare(directory, program, _):
        shutil.copytree(tree, f"{directory}/tree")
        write(f"{directory}/local-bin/disk-image-create", f'#!/bin/sh\nexec {program} "$@"\n', 0o755)
        os.makedirs(f"{directory}/srv/www")
        with open("/etc/hosts", encoding="utf-8") as file:
            write(f"{directory}/hosts", f"{file.read()}\n127.0.0.1 loki.home.stillhq.com {os.uname().nodename}\n")
    clone = {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "url.{sources}/diskimage-builder.insteadOf",
             "GIT_CONFIG_VALUE_0": "https://github.com/openstack/diskimage-builder", "DIB_DEBIAN_SECURITY_SUBPATH": ""}
    return Caller(tree, ["bash", "-c", "cd {directory}/tree && exec ./build.sh debian:12"], clone,
                  "srv/www/images.shakenfist.com/debian:12/latest.qcow2", says="Complete", prepare=prepare, newest=True,
                  binds={"/usr/local/bin": "{directory}/local-bin", "/srv": "{directory}/srv", "/etc/hosts": "{directory}/hosts"})


BIFROST = """
- hosts: localhost
  connection: local
  gather_facts: yes
  roles:
    - role: bifrost-create-dib-image
      dib_imagename: "{directory}/bifrost"
      dib_imagetype: "tar"
      dib_os_release: "{release}"
      dib_elements: "vm enable-serial-console simple-init"
      dib_imagecache: "{cache}"
      enable_oci_registry_upload: false
      disk_image_create_log: "{directory}/role.log"
      ipa_git_folder: "{sources}/ironic-python-agent"
      reqs_git_folder: "{sources}/requirements"
      ipa_builder_git_folder: "{builder}"
"""


def bifrost(tree, release):
    builder = os.path.join(os.path.dirname(tree), "ironic-python-agent-builder")

    def prepare(directory, *_):
        os.makedirs(f"{directory}/venv/bin")
        os.symlink("/usr/bin/python3", f"{directory}/venv/bin/python3")
    play = BIFROST.replace("{release}", release).replace("{builder}", builder)
    script = f"cat > {{directory}}/play.yaml <<'END'\n{play}END\nexec ansible-playbook -v -i localhost, {{directory}}/play.yaml"
    return Caller(tree, ["bash", "-c", script],
                  {"ANSIBLE_ROLES_PATH": f"{tree}/playbooks/roles", "ANSIBLE_LOCAL_TEMP": "{directory}/ansible",
                   "ANSIBLE_HOME": "{directory}/ansible", "ANSIBLE_NOCOLOR": "1", "VENV": "{directory}/venv"},
                  "bifrost.tar", prepare=prepare)


NODEPOOL = """
import sys, types
for name in ("config", "exceptions", "provider_manager", "stats", "zk"):
    sys.modules["nodepool." + name] = types.ModuleType("nodepool." + name)
from nodepool import stats, zk
stats.get_client = lambda: None
zk.ImageBuild, zk.READY, zk.FAILED = types.SimpleNamespace, "ready", "failed"
from nodepool.builder import BuildWorker
directory, release = sys.argv[1:]
keeper = types.SimpleNamespace(suspended=False, lost=False, didLoseConnection=False)
worker = BuildWorker("1", "builder", None, None, 1, keeper, "disk-image-create")
worker._config = types.SimpleNamespace(imagesdir=directory, elementsdir=None, build_log_dir=directory + "/logs", build_log_retention=7)
image = types.SimpleNamespace(name="debian", release=release, env_vars={}, build_timeout=1 << 30, username="zuul",
                              elements="debian-minimal vm simple-init growroot openssh-server", image_types={"tar", "qcow2"})
state = worker._buildImage("0000000001", image).state
print(open(directory + "/logs/debian-0000000001.log", errors="replace").read())
sys.exit(0 if state == "ready" else 1)
"""


def nodepool(tree, release):
    """Its builder's worker, without the keeper of its queue."""
    return Caller(tree, [sys.executable, "-B", "-c", NODEPOOL, "{directory}", release], {"PYTHONPATH": tree}, "debian-0000000001.tar",
                  says="Build completed successfully")


# Of Debian's package, whose elements its script asks Python for. Not stable-vm: upstream gives a disk to a vm that was asked for only,
# not to one that an element needs, and so fails its own test.
FUNCTIONAL_TEST = "debian-minimal/stable-build-succeeds"


def diskimage_builder(tree, _):
    """With -L: without, it writes a description of the image that upstream's own diskimage-builder refuses (an empty logfile)."""
    return Caller(tree, ["bash", "-c", f"cd / && exec bash {tree}/tests/run_functests.sh -L {{directory}}/logs {FUNCTIONAL_TEST}"],
                  says=f"PASS: Element {FUNCTIONAL_TEST.replace('/', ', test-element: ')}")


CALLERS = {"octavia": octavia, "ironic-python-agent-builder": ironic_python_agent_builder, "trove": trove, "manila-image-elements": manila,
           "images": shakenfist, "bifrost": bifrost, "nodepool": nodepool, "diskimage-builder": diskimage_builder}
