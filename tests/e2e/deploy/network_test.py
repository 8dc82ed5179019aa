"""The deploy ramdisk's network in QEMU, by dracut's words: a VLAN on a bond whose one cable is pulled, a bond that another
machine's kernel joins by LACP, static addresses and a route, IPv6 by DHCPv6 and by a router. The modules are .ko.xz, which this
kernel can't unpack. usage: network_test.py AGENT ELEMENT"""

import fcntl
import glob
import os
import re
import select
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
import unittest

sys.dont_write_bytecode = True
import conductor  # noqa: E402
from guest import archive, module_paths, pack, run  # noqa: E402

AGENT, ELEMENT = (os.path.abspath(word) for word in sys.argv[1:3])
MACS = ("52:54:00:00:22:01", "52:54:00:00:22:02")
VLAN = 5
MODULES = ("virtio_pci", "virtio_net", "bonding", "8021q")
# A switch that speaks LACP is a machine of Linux: two cards in a bond, which a bridge joins with the third. It tells what it sees.
LACP_SWITCH = """#!/bin/bash
mount -t proc proc /proc; mount -t sysfs sysfs /sys; mount -t devtmpfs devtmpfs /dev
exec >/dev/console 2>&1
for module in $(cat /modules); do insmod /lib/modules/$module; done
bond=/sys/class/net/lag/bonding
echo +lag >/sys/class/net/bonding_masters
for option in mode=802.3ad lacp_rate=fast miimon=100; do echo ${option#*=} >$bond/${option%=*}; done
for port in eth0 eth1; do echo +$port >$bond/slaves; done
ip link add br0 type bridge
for port in lag eth2; do ip link set $port master br0; ip link set $port up; done
ip link set br0 up
while true; do echo "$(</proc/net/bonding/lag)"; sleep 1; done
"""


class Switch(threading.Thread):
    """Joins a machine's cards with tap0, where this host is. With `vlan` the machine's side is tagged, and what comes untagged
    is dropped. A frame goes where its receiver was heard last."""

    def __init__(self, ports, vlan):
        super().__init__(daemon=True)
        self.vlan, self.heard, self.ended = vlan, {}, False
        self.tap = os.open("/dev/net/tun", os.O_RDWR)
        fcntl.ioctl(self.tap, 0x400454CA, struct.pack("16sH", b"tap0", 0x1002))  # TUNSETIFF: TAP, no head
        self.ports = []
        for ours, theirs in ports:
            port = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            port.bind(("127.0.0.1", ours))
            port.connect(("127.0.0.1", theirs))
            self.ports.append(port)

    def run(self):
        while not self.ended:
            for ready in select.select([self.tap, *self.ports], [], [], 0.2)[0]:
                try:
                    self.from_host(os.read(self.tap, 65536)) if ready == self.tap else self.from_machine(ready)
                except OSError:  # the machine has ended, or tap0 is not up yet
                    pass
        os.close(self.tap)
        for port in self.ports:
            port.close()

    def from_machine(self, port):
        frame = port.recv(65536)
        self.heard[frame[6:12]] = port
        if self.vlan:
            if frame[12:14] != b"\x81\x00" or struct.unpack("!H", frame[14:16])[0] & 0xFFF != self.vlan:
                return
            frame = frame[:12] + frame[16:]
        os.write(self.tap, frame)

    def from_host(self, frame):
        if self.vlan:
            frame = frame[:12] + b"\x81\x00" + struct.pack("!H", self.vlan) + frame[12:]
        port = self.heard.get(frame[:6])
        for one in [port] if port else self.ports[:1]:
            one.send(frame)


class ShortLease(threading.Thread):
    """A DHCP server (RFC 2131) that lends one address for eight seconds."""

    def __init__(self, address):
        super().__init__(daemon=True)
        self.address, self.silent, self.ended = address, False, False
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        for option, value in ((socket.SO_BROADCAST, 1), (socket.SO_REUSEADDR, 1), (socket.SO_BINDTODEVICE, b"tap0")):
            self.socket.setsockopt(socket.SOL_SOCKET, option, value)
        self.socket.bind(("", 67))
        self.socket.settimeout(0.2)

    def run(self):
        while not self.ended:
            try:
                asked = self.socket.recv(2048)
            except socket.timeout:
                continue
            kind = asked[asked.index(b"\x35\x01", 240) + 2]
            if not self.silent and kind in (1, 3):
                ours = socket.inet_aton("192.0.2.1")
                options = b"\x35\x01" + bytes([2 if kind == 1 else 5]) + b"\x36\x04" + ours + b"\x33\x04\0\0\0\x08" + b"\x01\x04\xff\xff\xff\0\xff"
                head = b"\x02\x01\x06\0" + asked[4:8] + bytes(8) + socket.inet_aton(self.address) + ours + bytes(4) + asked[28:44]
                self.socket.sendto(head.ljust(236, b"\0") + b"\x63\x82\x53\x63" + options, ("255.255.255.255", 68))
        self.socket.close()


def ramdisk(work):
    """By the element's own program; of this machine's modules those that a virtual machine needs, packed."""
    kernel = sorted(glob.glob("/boot/vmlinuz-*"))[-1]
    release = kernel.split("vmlinuz-")[1]
    modules = f"{work}/root/lib/modules/{release}"
    for path in module_paths(release, MODULES):
        place = modules + path.removeprefix("/usr").removeprefix(f"/lib/modules/{release}")
        os.makedirs(os.path.dirname(place), exist_ok=True)
        shutil.copy(path, place)
        run("xz", "--check=crc32", place)
    for name in ("modules.builtin", "modules.order"):
        shutil.copy(f"/lib/modules/{release}/{name}", modules)
    run("depmod", "-b", f"{work}/root", release)
    run("bash", f"{ELEMENT}/bin/deploy-ramdisk-tree", f"{work}/root", f"{work}/tree", AGENT)
    archive(f"{work}/tree", f"{work}/initramfs")
    return kernel, f"{work}/initramfs"


class Network(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.shared = tempfile.TemporaryDirectory(prefix="deploy-network-")
        cls.kernel, cls.initramfs = ramdisk(cls.shared.name)

    @classmethod
    def tearDownClass(cls):
        cls.shared.cleanup()

    def setUp(self):
        work = tempfile.TemporaryDirectory(prefix="deploy-network-")
        self.work = work.name
        self.addCleanup(work.cleanup)
        self.conductor = conductor.Conductor(self.work, host="::")
        self.addCleanup(self.conductor.close)

    def host(self, *addresses, dhcp=(), vlan=0, ports=((7001, 7101), (7002, 7102))):
        self.switch = Switch(ports, vlan)
        for address in addresses:
            run("ip", "address", "add", address, "dev", "tap0", *(["nodad"] if ":" in address else []))
        run("ip", "link", "set", "tap0", "up")
        self.switch.start()
        self.addCleanup(self.unplug)
        if dhcp:
            server = subprocess.Popen(["dnsmasq", "--no-daemon", "--conf-file=/dev/null", "--interface=tap0", "--port=0", "--user=root",
                                       "--log-dhcp", f"--dhcp-leasefile={self.work}/leases", f"--pid-file={self.work}/pid", *dhcp],
                                      stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            self.addCleanup(server.wait)
            self.addCleanup(server.kill)

    def unplug(self):
        self.switch.ended = True
        self.switch.join()

    def boot(self, words, cards=1, pulled=()):
        """The address at which the agent waits for orders. The cables of `pulled` are out from the beginning."""
        self.console = f"{self.work}/console"
        self.machine("console", self.initramfs, [(7101 + card, 7001 + card, MACS[card]) for card in range(cards)], words)
        for card in pulled:
            self.monitor(f"set_link n{card} off")
        self.assertTrue(self.conductor.beat.wait(120), "no heartbeat: " + self.said()[-3000:])
        return self.conductor.beats[0]["callback_url"]

    def machine(self, name, initramfs, cards, words=""):
        """Starts one whose cards are (own port, the other's, MAC)."""
        command = ["qemu-system-x86_64", "-accel", "tcg", "-m", "384", "-display", "none", "-serial", "stdio", "-no-reboot", "-nodefaults",
                   "-monitor", f"unix:{self.work}/{name}.monitor,server,nowait", "-kernel", self.kernel, "-initrd", initramfs,
                   "-append", f"console=ttyS0 quiet panic=-1 no_timer_check {words}"]
        for card, (own, other, mac) in enumerate(cards):
            command += ["-netdev", f"dgram,id=n{card},local.type=inet,local.host=127.0.0.1,local.port={own},"
                        f"remote.type=inet,remote.host=127.0.0.1,remote.port={other}",
                        "-device", f"virtio-net-pci,netdev=n{card},mac={mac},speed=1000,duplex=full,romfile="]
        with open(f"{self.work}/{name}", "wb") as log:
            machine = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT)
        self.addCleanup(machine.wait)
        self.addCleanup(machine.kill)

    def lacp_switch(self):
        """Its two cards are where the machine's are plugged in, its third is the switch's."""
        tree = f"{self.work}/switch"
        pack(tree, ["bash", "cat", "insmod", "ip", "mount", "sleep"], self.kernel.split("vmlinuz-")[1], (*MODULES, "bridge"))
        with open(f"{tree}/init", "w", encoding="utf-8") as file:
            file.write(LACP_SWITCH)
        os.chmod(f"{tree}/init", 0o755)
        archive(tree, f"{self.work}/switch.cpio")
        self.machine("switch.console", f"{self.work}/switch.cpio",
                     [(7001, 7101, "52:54:00:00:23:01"), (7002, 7102, "52:54:00:00:23:02"), (7103, 7003, "52:54:00:00:23:03")])

    def switch_tells(self, pattern):
        """Waits until what the switch told last is so."""
        for _ in range(120):
            with open(f"{self.work}/switch.console", encoding="utf-8", errors="replace") as file:
                last = file.read().split("Ethernet Channel Bonding")[-1]
            if re.search(pattern, last, re.S):
                return
            time.sleep(0.5)
        self.fail(last)

    def said(self):
        with open(self.console, encoding="utf-8", errors="replace") as file:
            return file.read()

    def monitor(self, line):
        with socket.socket(socket.AF_UNIX) as monitor:
            while not os.path.exists(f"{self.work}/console.monitor"):
                time.sleep(0.05)
            monitor.connect(f"{self.work}/console.monitor")
            monitor.recv(4096)
            monitor.sendall(line.encode() + b"\n")
            time.sleep(0.5)

    def test_a_vlan_on_a_bond_that_loses_a_cable(self):
        self.host("192.0.2.1/24", dhcp=["--dhcp-range=192.0.2.100,192.0.2.109"], vlan=VLAN)
        at = self.boot(f"ifname=left:{MACS[0]} ifname=right:{MACS[1]} bond=prov:left,right:mode=active-backup,miimon=100,primary=left "
                       f"vlan=prov.{VLAN}:prov ip=prov.{VLAN}:dhcp vlan=nonsense bridge=br0:left ip=eth7:dhcp "
                       f"ipa-api-url=http://192.0.2.1:{self.conductor.port}", cards=2)
        self.assertRegex(at, r"^https://192\.0\.2\.10\d:9999$")
        self.assertIn("vlan=nonsense is left out: it should be NAME:INTERFACE", self.said())
        self.assertIn("bridge=br0:left is left out: the ramdisk does not do this", self.said())
        self.assertIn("there is no interface eth7", self.said())
        for mac in MACS:  # of a bond's ports each is known by its own
            self.assertIn(mac, self.conductor.asked.replace("%3A", ":"))
        self.monitor("set_link n0 off")
        record = self.conductor.command("poll.get_hardware_info", {})
        self.assertEqual({one["mac_address"] for one in record["command_result"]["interfaces"]}, set(MACS))
        self.assertEqual({one["name"]: one["has_carrier"] for one in record["command_result"]["interfaces"]}, {"left": False, "right": True})

    def test_a_bond_that_a_switch_joins_by_lacp(self):
        self.host("192.0.2.1/24", dhcp=["--dhcp-range=192.0.2.100,192.0.2.109"], ports=((7003, 7103),))
        self.lacp_switch()
        at = self.boot("bond=bond0:eth0,eth1:mode=802.3ad,lacp_rate=fast,miimon=100 ip=bond0:dhcp "
                       f"ipa-api-url=http://192.0.2.1:{self.conductor.port}", cards=2)
        self.assertRegex(at, r"^https://192\.0\.2\.10\d:9999$")
        joined = r"Number of ports: {}\n.*Partner Mac Address: 52:54:00:00:22:0[12]\n"
        self.switch_tells(joined.format(2))
        self.monitor("set_link n0 off")
        self.switch_tells(joined.format(1))
        self.assertEqual(self.conductor.command("poll.get_hardware_info", {})["command_status"], "SUCCEEDED")

    def test_static_addresses_and_a_route_without_any_server(self):
        self.host("192.0.2.1/24", "2001:db8::1/64")
        run("ip", "address", "add", "198.51.100.1/32", "dev", "lo")
        self.addCleanup(run, "ip", "address", "del", "198.51.100.1/32", "dev", "lo")
        at = self.boot("ip=192.0.2.50:::255.255.255.0:node5:eth0:none ip=[2001:db8::50]:::64::eth0:none rd.route=198.51.100.0/24:192.0.2.1 "
                       f"ipa-api-url=http://198.51.100.1:{self.conductor.port}")
        self.assertEqual(at, "https://192.0.2.50:9999")
        inventory = self.conductor.command("poll.get_hardware_info", {})["command_result"]
        self.assertEqual(inventory["hostname"], "node5")
        self.assertEqual(inventory["interfaces"][0]["ipv6_address"], "2001:db8::50")

    def test_an_address_for_no_interface_by_name_is_for_the_one_with_a_link(self):
        self.host("192.0.2.1/24")
        at = self.boot(f"ip=192.0.2.50:::255.255.255.0:::none ipa-api-url=http://192.0.2.1:{self.conductor.port}", cards=2, pulled=(0,))
        self.assertEqual(at, "https://192.0.2.50:9999")
        self.assertIn("is for eth1, of 2 the only one with a link", self.said())

    def test_an_address_whose_lease_is_over_is_used_no_more(self):
        self.host("192.0.2.1/24")
        server = ShortLease("192.0.2.60")
        server.start()
        self.addCleanup(server.join)
        self.addCleanup(setattr, server, "ended", True)
        self.assertEqual(self.boot(f"ipa-api-url=http://192.0.2.1:{self.conductor.port} ip=dhcp"), "https://192.0.2.60:9999")
        server.silent = True
        self.wait_for("the lease of 192.0.2.60 is over, so the address is no longer used")
        run("ip", "neigh", "flush", "dev", "tap0")
        with self.assertRaises(OSError):
            socket.create_connection(("192.0.2.60", 9999), timeout=5)
        server.address, server.silent = "192.0.2.61", False
        self.wait_for("has the address 192.0.2.61 from 192.0.2.1")
        socket.create_connection(("192.0.2.61", 9999), timeout=20).close()

    def wait_for(self, words):
        for _ in range(180):
            if words in self.said():
                return
            time.sleep(0.5)
        self.fail(self.said()[-3000:])

    def ipv6(self, mode, words=""):
        self.host("2001:db8::1/64", dhcp=["--enable-ra", f"--dhcp-range={mode}", "--dhcp-option=option6:dns-server,[2001:db8::53]"])
        return self.boot(f"ipa-api-url=http://[2001:db8::1]:{self.conductor.port} {words}")

    def test_ipv6_by_a_dhcpv6_server_whatever_else_comes_to_nothing(self):
        words = "bond=b:eth0,eth1:mode=nonsense vlan=b.5:b ip=b.5:dhcp ip=255.255.255.255:::24::eth0:none"
        self.assertRegex(self.ipv6("2001:db8::100,2001:db8::1ff,64", words), r"^https://\[2001:db8::1[0-9a-f]{2}\]:9999$")
        self.assertIn("by DHCPv6", self.said())
        for told in ("the bond b: there is no interface eth1", 'the bond b: writing "nonsense" to', "the VLAN b.5: there is no interface b",
                     "ip=…:b.5: there is no interface b.5", "none is left out: no machine can have the address 255.255.255.255", "all ask for one"):
            self.assertIn(told, self.said())
        self.assertEqual(self.conductor.command("poll.get_hardware_info", {})["command_status"], "SUCCEEDED")

    def test_ipv6_by_a_router(self):
        self.assertEqual(self.ipv6("::,constructor:tap0,ra-only", "ip=eth0:auto6"), "https://[2001:db8::5054:ff:fe00:2201]:9999")


def main():
    needed = ["qemu-system-x86_64", "ip", "dnsmasq", "modprobe", "depmod", "xz", "cpio"]
    missing = [name for name in needed if not shutil.which(name)]
    for problem in (missing and f"{missing[0]} is not here", os.geteuid() != 0 and "a network of its own needs root",
                    not glob.glob("/boot/vmlinuz-*") and "there is no kernel in /boot", not os.path.exists("/dev/net/tun") and "no /dev/net/tun"):
        if problem:
            print(f"SKIPPED: {problem}")
            sys.exit(77)
    if os.environ.get("HEARTH_TEST_NETWORK") != "own":
        os.environ["HEARTH_TEST_NETWORK"] = "own"
        os.execvp("unshare", ["unshare", "-n", sys.executable, *sys.argv])
    run("ip", "link", "set", "lo", "up")
    unittest.main(argv=sys.argv[:1] + sys.argv[3:], verbosity=2)


if __name__ == "__main__":
    main()
