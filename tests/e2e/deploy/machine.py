"""A blank machine in QEMU: switched on with the deploy ramdisk, later from its disk. Its network is QEMU's own (user
mode); this host is the gateway there, and the agent's port is forwarded to a free one here."""

import os
import shutil
import subprocess
import sys
import time

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../peers"))
from own_network import free_port  # noqa: E402  pylint: disable=wrong-import-position

GIB = 1 << 30
OVMF = "/usr/share/OVMF/OVMF_{}_4M.fd"


class Machine:
    def __init__(self, work, kernel, ramdisk, uefi=False, gateway="192.0.2.2", size=5 * GIB):
        self.kernel, self.ramdisk, self.gateway = kernel, ramdisk, gateway
        self.agent_port, self.ssh_port = free_port(), free_port()
        self.disk = os.path.join(work, "disk.raw")
        with open(self.disk, "wb") as file:  # not blank: what was there before must be gone
            file.write(b"\xaa" * (4 << 20))
            file.truncate(size)
        network = f"user,id=n,net=192.0.2.0/24,host={gateway},hostfwd=tcp:127.0.0.1:{self.agent_port}-:9999"
        network += f",hostfwd=tcp:127.0.0.1:{self.ssh_port}-:22"
        self.words = ["qemu-system-x86_64", "-accel", "tcg", "-m", "1024", "-smp", "2", "-display", "none", "-monitor",
                      "none", "-serial", "stdio", "-no-reboot", "-netdev", network]
        if uefi:
            variables = os.path.join(work, "vars.fd")
            shutil.copy(OVMF.format("VARS"), variables)
            self.words += ["-machine", "q35", "-drive", "if=pflash,format=raw,readonly=on,file=" + OVMF.format("CODE"),
                           "-drive", f"if=pflash,format=raw,file={variables}", "-device", "e1000e,netdev=n,romfile=",
                           "-drive", f"if=none,id=d,format=raw,discard=unmap,file={self.disk}", "-device", "nvme,drive=d,serial=D1"]
        else:
            self.words += ["-device", "virtio-net-pci,netdev=n,romfile=",
                           "-drive", f"if=none,id=d,format=raw,discard=unmap,file={self.disk}",
                           "-device", "virtio-blk-pci,drive=d,serial=D1"]

    def start(self, console, ramdisk=None):
        """`ramdisk` is the kernel's command line; without, the machine starts from its disk."""
        boot = ["-kernel", self.kernel, "-initrd", self.ramdisk, "-append", ramdisk + " no_timer_check"] if ramdisk else []
        with open(console, "wb") as log:
            return subprocess.Popen(self.words + boot, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT)

    def expect_from_disk(self, mark, console, patience=180):
        """Starts the machine from its disk; raises unless it says `mark`."""
        running = self.start(console)
        try:
            end = time.time() + patience
            while time.time() < end and running.poll() is None:
                with open(console, "rb") as log:
                    if mark.encode() in log.read():
                        return
                time.sleep(0.3)
        finally:
            running.kill()
            running.wait()
        with open(console, errors="replace") as log:
            raise RuntimeError(f"the machine did not say '{mark}': {log.read()[-500:]}")
