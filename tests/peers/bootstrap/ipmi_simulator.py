"""OpenIPMI's simulator of a BMC (ipmi_sim): one machine on a port of loopback, with the account admin/secret."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import tty

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from own_network import free_port  # noqa: E402  pylint: disable=wrong-import-position

HELPER = """#!/bin/sh
# What the simulated BMC calls for its chassis: "<mc> get power|boot", "<mc> set power 0|1", "<mc> set boot pxe", …
cd "$(dirname "$0")" || exit 1
echo "$*" >>calls
shift
op=$1
shift
case $op in
get) for what; do case $what in
  power) echo "power:$(cat power)" ;;
  boot) echo "boot:$(cat boot)" ;;
  *) echo "$what:0" ;;
  esac; done ;;
set) while [ $# -gt 1 ]; do case $1 in
  power) echo "$2" >power ;;
  boot) echo "$2" >boot ;;
  shutdown) echo 0 >power ;;
  esac; shift 2; done ;;
esac
exit 0
"""

LAN = """name "bm"
set_working_mc 0x20
  startlan 1
    addr {address} {port}
    priv_limit admin
    allowed_auths_callback md5
    allowed_auths_user md5
    allowed_auths_operator md5
    allowed_auths_admin md5
    guid a123456789abcdefa123456789abcdef
  endlan
  sol "{serial}" 115200
  chassis_control "{directory}/chassis.sh 0x20"
  user 1 false "" "" user 10 none md2 md5 straight
  user 2 true "admin" "secret" admin 10 none md2 md5 straight
"""

EMU = "mc_setbmc 0x20\nmc_add 0x20 0 no-device-sdrs 0x23 9 8 0x9f 0x1291 0xf02 persist_sdr\nsel_enable 0x20 1000 0x0a\nmc_enable 0x20\n"


class Simulator:
    @staticmethod
    def is_there():
        return bool(shutil.which("ipmi_sim") and shutil.which("ipmitool"))

    def __init__(self, directory, place=None):
        """`place`: its address and port, in place of a free one of loopback."""
        self.directory = directory
        address, self.port = place or ("127.0.0.1", free_port(socket.SOCK_DGRAM))
        self.serial, line = os.openpty()  # the machine's end of its serial port, and the BMC's
        tty.setraw(line)
        for name, text in {"chassis.sh": HELPER, "lan.conf": LAN.format(address=address, port=self.port, directory=directory, serial=os.ttyname(line)), "bm.emu": EMU, "power": "0\n",
                           "boot": "default\n", "calls": ""}.items():
            with open(os.path.join(directory, name), "w", encoding="utf-8") as file:
                file.write(text)
        os.chmod(os.path.join(directory, "chassis.sh"), 0o755)
        self.process = subprocess.Popen(["ipmi_sim", "-n", "-c", f"{directory}/lan.conf", "-f", f"{directory}/bm.emu", "-s", directory],
                                        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        end = time.monotonic() + 10
        while not self.listens() and time.monotonic() < end:
            time.sleep(0.05)

    def listens(self):
        with open("/proc/net/udp", encoding="ascii") as file:
            return f":{self.port:04X} " in file.read()

    def read(self, name):
        """What the machine's own file says: power, boot."""
        with open(os.path.join(self.directory, name), encoding="ascii") as file:
            return file.read().strip()

    def hang(self):
        """It takes what comes, and answers nothing."""
        self.process.send_signal(signal.SIGSTOP)

    def end(self):
        self.process.kill()
        self.process.wait()
