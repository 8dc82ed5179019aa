# shellcheck shell=bash
# A diskless machine in QEMU, and what it boots: for tests/e2e/pxe and tests/bench/power_on.sh. To be sourced with `work` (a
# scratch folder) and `net` (a network namespace with a tap t0) set.

# The kernel: $PXE_KERNEL, else Debian's for virtual machines: what is installed, or the package unpacked.
: "${work:?}" "${net:?}"

get_kernel() {
  if [ -n "${PXE_KERNEL:-}" ]; then
    cp "$PXE_KERNEL" "$work/vmlinuz"
    return
  fi
  local package installed
  installed=$(find /boot -name 'vmlinuz-*-cloud-amd64' -readable 2>/dev/null | sort -V | tail -n 1)
  if [ -n "$installed" ]; then
    cp "$installed" "$work/vmlinuz"
    return
  fi
  package=$(apt-cache depends linux-image-cloud-amd64 | sed -n 's/^ *Depends: \(linux-image.*\)/\1/p' | head -n 1)
  (cd "$work" && apt-get download "$package" >/dev/null 2>&1 && dpkg -x "$package"*.deb kernel) || skip "can't fetch $package"
  cp "$work"/kernel/boot/vmlinuz-* "$work/vmlinuz"
}

# The ramdisk: one program, which says its command line and turns the machine off.
make_ramdisk() {
  cat >"$work/init.c" <<'C'
#include <fcntl.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <unistd.h>

int main(void) {
  char line[1024] = "";
  mkdir("/proc", 0755);
  mount("proc", "/proc", "proc", 0, 0);
  int file = open("/proc/cmdline", O_RDONLY);
  if (file >= 0 && read(file, line, sizeof line - 1) < 0) return 1;
  printf("\nHEARTH-RAMDISK %s\n", line);
  fflush(stdout);
  reboot(RB_POWER_OFF);
  return 0;
}
C
  cc -static -Os -o "$work/init" "$work/init.c"
  python3 - "$work" <<'PY'
import gzip, os, sys
work = sys.argv[1]
def entry(name, mode, data):
    name = name.encode() + b"\0"
    fields = (1, mode, 0, 0, 1, 0, len(data), 0, 0, 0, 0, len(name), 0)
    head = b"070701" + b"".join(b"%08x" % field for field in fields)
    pad = lambda text: text + b"\0" * (-len(text) % 4)
    return pad(head + name) + pad(data)
archive = entry("init", 0o100755, open(work + "/init", "rb").read()) + entry("TRAILER!!!", 0, b"")
with open(work + "/ramdisk", "wb") as out:
    out.write(gzip.compress(archive))
PY
}

# machine FIRMWARE: a machine that boots from the network; its console is $work/console. bios, uefi, uefi-http or secure (UEFI
# with Secure Boot and Microsoft's keys enrolled). It runs in a session of its own, because the kernel shares a busy machine out by session.
machine() {
  local common=(-accel tcg -m 768 -display none -no-reboot -serial "file:$work/console" -netdev "tap,id=n0,ifname=t0,script=no,downscript=no")
  case $1 in
    bios) setsid -w ip netns exec "$net" timeout 400 qemu-system-x86_64 "${common[@]}" -boot n -device virtio-net-pci,netdev=n0,mac=52:54:00:12:34:56 ;;
    uefi | uefi-http)
      local extra=()
      [ "$1" = uefi ] || extra=(-fw_cfg "name=opt/org.tianocore/IPv4PXESupport,string=n" -fw_cfg "name=opt/org.tianocore/IPv6PXESupport,string=n")
      cp /usr/share/OVMF/OVMF_VARS_4M.fd "$work/vars"
      setsid -w ip netns exec "$net" timeout 400 qemu-system-x86_64 "${common[@]}" -machine q35 -boot n "${extra[@]}" \
        -drive if=pflash,format=raw,readonly=on,file=/usr/share/OVMF/OVMF_CODE_4M.fd -drive "if=pflash,format=raw,file=$work/vars" \
        -device virtio-net-pci,netdev=n0,mac=52:54:00:12:34:56,romfile=
      ;;
    secure)
      cp /usr/share/OVMF/OVMF_VARS_4M.ms.fd "$work/vars"
      setsid -w ip netns exec "$net" timeout 400 qemu-system-x86_64 "${common[@]}" -machine q35,smm=on -global driver=cfi.pflash01,property=secure,value=on -boot n \
        -drive if=pflash,format=raw,readonly=on,file=/usr/share/OVMF/OVMF_CODE_4M.ms.fd -drive "if=pflash,format=raw,file=$work/vars" \
        -device virtio-net-pci,netdev=n0,mac=52:54:00:12:34:56,romfile=
      ;;
  esac
}
