"""A small disk image that boots by BIOS and by UEFI, and says so on the serial line."""

import os
import subprocess

MARK_BIOS = "BOOTED FROM DISK BY BIOS"
MARK_UEFI = "BOOTED FROM DISK BY UEFI"
MIB = 1 << 20


def boot_code():
    """A boot sector's code (16 bit): initialises COM1 by the BIOS and writes the mark with it."""
    code = bytes([0x31, 0xC0, 0x8E, 0xD8,              # ds = 0
                  0xB8, 0xE3, 0x00, 0x31, 0xD2,        # int 14h function 0: 9600 baud, 8n1, port 0
                  0xCD, 0x14,
                  0xBE, 0x00, 0x00,                    # si = text
                  0xAC,                                # next: lodsb
                  0x08, 0xC0, 0x74, 0x08,              # the end?
                  0xB4, 0x01, 0x31, 0xD2,              # int 14h function 1: send
                  0xCD, 0x14, 0xEB, 0xF3,
                  0xF4, 0xEB, 0xFD])                   # halt for ever
    text = 0x7C00 + len(code)
    code = code.replace(bytes([0xBE, 0x00, 0x00]), bytes([0xBE, text & 255, text >> 8]))
    return code + b"\r\n" + MARK_BIOS.encode() + b"\r\n\0"


def run(*words, **options):
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, **options)


def make_esp(path, work):
    """A FAT file system in which nothing but a boot entry finds the loader: there is no EFI/BOOT."""
    config = os.path.join(work, "grub.cfg")
    with open(config, "w", encoding="ascii") as file:
        file.write(f"serial --unit=0\nterminal_output serial\necho {MARK_UEFI}\nsleep 600\n")
    loader = os.path.join(work, "loader.efi")
    run("grub-mkimage", "-O", "x86_64-efi", "-o", loader, "-p", "/", "-c", config, "serial", "terminal", "echo", "sleep", "normal")
    csv = os.path.join(work, "BOOTX64.CSV")
    with open(csv, "wb") as file:
        file.write(b"\xff\xfe" + "loader.efi,Test disk,,a test\n".encode("utf-16-le"))
    with open(path, "wb") as file:
        file.truncate(32 * MIB)
    run("mkfs.vfat", "-F", "16", path)
    run("mmd", "-i", path, "::EFI", "::EFI/test")
    run("mcopy", "-i", path, loader, "::EFI/test/loader.efi")
    run("mcopy", "-i", path, csv, "::EFI/test/BOOTX64.CSV")


def make_raw(path, work, size=128 * MIB):
    """The whole disk, raw: a GPT with an ESP and a partition of data with holes in it."""
    esp = os.path.join(work, "esp.img")
    make_esp(esp, work)
    with open(path, "wb") as file:
        file.truncate(size)
    table = "label: gpt\nstart=1MiB, size=32MiB, type=uefi\nstart=40MiB, size=64MiB, type=linux\n"
    run("sfdisk", "-q", path, input=table.encode())
    with open(path, "r+b") as file, open(esp, "rb") as data:
        code = boot_code()
        assert len(code) < 440
        file.write(code)
        file.seek(MIB)
        file.write(data.read())
        for at in range(40, 104, 7):
            file.seek(at * MIB + 4096 * at)
            file.write(os.urandom(300000))
            file.write(b"Hearth writes what was published. " * 20000)
