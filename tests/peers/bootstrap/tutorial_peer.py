"""The tutorial from a seed to OpenStack, its sections 4 to 7 typed word for word: Debian's Ironic (python3-ironic) takes over the nodes of
two BMCs, OpenStack's own client looks at them, and no BMC gets an order. usage: tutorial_peer.py HEARTH

The identity and the image service are stand-ins, as in handover_peer.py; with real ones tests/e2e/live_stack_machine.sh types it.
Exit 77: something that is needed is not here.
"""

import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile

sys.path[:0] = [os.path.dirname(os.path.abspath(__file__))]
from conductor import need  # noqa: E402
from handover_peer import PASSWORD, Cloud, Ironic, orders  # noqa: E402
from redfish_emulator import Bmc  # noqa: E402

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..")
TUTORIAL = os.path.join(ROOT, "docs", "tutorials", "from-a-seed-to-openstack.md")
BMCS = ("192.0.2.101", "192.0.2.102")  # as the tutorial has them
IN_ITS_NETWORK = "HEARTH_TUTORIAL_NETWORK"


class WholeCloud(Cloud):
    """With what OpenStack's client asks before it lists images."""

    def __init__(self, ironic):
        super().__init__(ironic)
        self.services["image"] = self.url + "/image"

    def answer(self, method, path, body, headers):
        if path in ("/", "/v3", "/v3/") and method == "GET":
            version = {"id": "v3.14", "status": "stable", "links": [{"rel": "self", "href": self.url + "/v3/"}]}
            return (300, {"versions": {"values": [version]}}, {}) if path == "/" else (200, {"version": version}, {})
        if path in ("/image", "/image/"):
            link = {"rel": "self", "href": self.services["image"] + "/v2/"}
            return 300, {"versions": [{"id": "v2.9", "status": "CURRENT", "links": [link]}]}, {}
        return super().answer(method, path.removeprefix("/image"), body, headers)

    def glance(self, method, path, body):
        if method == "GET" and path.split("?")[0] == "/v2/images" and "name=" not in path:
            return 200, {"images": list(self.images.values())}
        return super().glance(method, path, body)


def own_network():
    """This script again, in a network namespace with the BMCs' addresses."""
    unshare = ["unshare", "-n"] if os.geteuid() == 0 else ["unshare", "-rn"]
    need(subprocess.run([*unshare, "true"], check=False, stderr=subprocess.DEVNULL).returncode == 0, "no network namespace is to be had")
    setup = "ip link set lo up && " + " && ".join(f"ip addr add {address}/32 dev lo" for address in BMCS)
    words = ["sh", "-c", f'{setup} && exec "$@"', "sh", sys.executable, "-B", *sys.argv]
    sys.exit(subprocess.run([*unshare, *words], env=os.environ | {IN_ITS_NETWORK: "yes"}, check=False).returncode)


def main(hearth):
    for program in ("openstack", "unshare", "ip", "openssl"):
        need(shutil.which(program), f"{program} is not installed")
    for module in ("ironic", "sushy", "ironicclient"):
        need(importlib.util.find_spec(module), f"python3-{module} is not installed")
    if IN_ITS_NETWORK not in os.environ:
        own_network()
    with tempfile.TemporaryDirectory(prefix="hearth-tutorial-") as work:
        bmcs = [Bmc(place=(address, 80)) for address in BMCS]
        bmcs[0].on = True
        for name, data in (("site.raw", b"disk" + bytes((8 << 20) - 4)), ("site.kernel", b"kernel\n"), ("site.ramdisk", b"ramdisk\n")):
            with open(os.path.join(work, name), "wb") as file:
                file.write(data)
        ironic = Ironic(work)
        try:
            cloud = WholeCloud(ironic.url)
            environment = {k: v for k, v in os.environ.items() if not k.startswith(("OS_", "HEARTH_")) and "proxy" not in k.lower()}
            environment |= {"OS_AUTH_URL": cloud.url, "OS_USERNAME": "admin", "OS_PASSWORD": PASSWORD, "OS_PROJECT_NAME": "admin",
                            "OS_USER_DOMAIN_NAME": "Default", "OS_PROJECT_DOMAIN_NAME": "Default", "OS_IDENTITY_API_VERSION": "3",
                            "PATH": os.path.dirname(hearth) + ":" + os.environ["PATH"], "LC_ALL": "C.UTF-8"}
            followed = [sys.executable, "-B", os.path.join(ROOT, "tests", "e2e", "followed.py"), TUTORIAL, "4.", "5.", "6.", "7."]
            subprocess.run(followed, cwd=work, env=environment, check=True, timeout=280)
            assert set(ironic.nodes()) == {"web1", "web2"}, ironic.nodes()
            assert not any(orders(bmc) for bmc in bmcs), [orders(bmc) for bmc in bmcs]
        finally:
            ironic.stop()


if __name__ == "__main__":
    main(os.path.abspath(sys.argv[1]))
