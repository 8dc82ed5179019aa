"""hearth-agent write-image: every format ends up on the disk as it was, whatever the connection does, and what is not
right leaves no disk that boots. usage: write_image_test.py HEARTH_AGENT HEARTH"""

import hashlib
import json
import os
import random
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import unittest

import conductor
import images

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import cases  # noqa: E402

AGENT, HEARTH = (os.path.abspath(word) for word in sys.argv[1:3])
MIB = 1 << 20


class WriteImage(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.work = tempfile.TemporaryDirectory(prefix="hearth-write.")
        cls.files = os.path.join(cls.work.name, "files")
        os.mkdir(cls.files)
        cls.raw = cls.path("i.raw")
        images.make_raw(cls.raw, cls.work.name)
        with open(cls.raw, "rb") as file:
            cls.content = file.read()
        convert = ["qemu-img", "convert", "-f", "raw", "-O", "qcow2"]
        images.run(*convert, cls.raw, cls.path("plain.qcow2"))
        images.run(*convert, "-c", cls.raw, cls.path("zlib.qcow2"))
        images.run(*convert, "-c", "-o", "compression_type=zstd", cls.raw, cls.path("zstd.qcow2"))
        images.run(*convert, "-o", "cluster_size=512k", cls.raw, cls.path("large.qcow2"))
        images.run(HEARTH, "image", "convert", "--compression", "best", cls.raw, cls.path("ours.qcow2"))
        images.run("gzip", "-k", cls.raw)
        images.run("zstd", "-q", cls.raw)
        images.run("openssl", "genpkey", "-algorithm", "ed25519", "-out", cls.path("key"))
        for name, source in (("i.frames", "i.raw"), ("again.frames", "zlib.qcow2")):
            images.run(HEARTH, "image", "publish", "--sign", cls.path("key"), cls.path(source), cls.path(name))
        with open(cls.path("i.frames.json"), encoding="utf-8") as file:
            cls.root = json.load(file)["os_hash_value"]

    @classmethod
    def tearDownClass(cls):
        cls.work.cleanup()

    @classmethod
    def path(cls, name):
        return os.path.join(cls.files, name)

    def write(self, name, checksum=None, size=256 * MIB, **server):
        """Exit status, what was said, and the disk."""
        serving = conductor.Conductor(self.files, **server)
        disk = os.path.join(self.work.name, "disk")
        with open(disk, "wb") as file:
            file.write(b"\xaa" * min(size, 140 * MIB))
            file.truncate(size)
        if checksum is None:
            with open(self.path(name), "rb") as file:
                checksum = hashlib.sha256(file.read()).hexdigest()
        url = f"http://127.0.0.1:{serving.port}/files/{name}"
        done = subprocess.run([AGENT, "write-image", url, disk, checksum], capture_output=True, text=True, timeout=120,
                              check=False)
        self.broken, self.served = serving.broken, serving.served
        serving.close()
        with open(disk, "rb") as file:
            return done.returncode, done.stderr, file.read(len(self.content))

    def assert_written(self, name, **options):
        status, said, disk = self.write(name, **options)
        self.assertEqual(status, 0, said)
        self.assertTrue(disk == self.content, f"{name}: the disk differs from the image")

    def test_every_format_gives_the_same_disk(self):
        for name in ("i.raw", "i.raw.gz", "i.raw.zst", "plain.qcow2", "zlib.qcow2", "zstd.qcow2", "large.qcow2", "ours.qcow2",
                     "i.frames"):
            with self.subTest(name):
                self.assert_written(name)
        self.assert_written("i.frames", checksum="frames:" + self.root)

    def make_disk(self, chance, path):
        """Zeros, noise, text and single bytes in stretches of any length, now and then up to the end of a block; a size of whole
        sectors, as QEMU's formats have it."""
        size = 512 * chance.randint(MIB // 512, 5 * MIB // 512)
        disk = bytearray(size)
        for _ in range(chance.randint(0, 12)):
            begin = chance.choice([chance.randrange(size), chance.randrange(size) // 65536 * 65536])
            length = min(chance.choice([1, 511, 4096, 65536, chance.randint(1, 2 * MIB)]), size - begin)
            disk[begin:begin + length] = chance.choice([chance.randbytes(length), (b"some text " * (length // 10 + 1))[:length], bytes(length)])
        disk[510:512] = b"\x55\xaa"
        with open(path, "wb") as file:
            file.write(disk)
        return bytes(disk)

    def test_made_up_disks_come_out_as_they_were_by_every_format(self):
        """qcow2 of QEMU with any size of clusters and compression, ours with any, frames, compressed streams: one disk."""
        for seed in cases.seeds():
            chance = random.Random(seed)
            raw = self.path("made.raw")
            disk = self.make_disk(chance, raw)
            bits = chance.randint(9, 21)
            packing = chance.choice([[], ["-c"], ["-c", "-o", "compression_type=zstd"]] if bits > 11 else [[], ["-c"]])
            images.run("qemu-img", "convert", "-f", "raw", "-O", "qcow2", *packing, "-o", f"cluster_size={1 << bits}", raw, self.path("made.qcow2"))
            images.run(HEARTH, "image", "convert", "--compression", chance.choice(["fast", "best", "zstd", "none"]), raw, self.path("made-ours.qcow2"))
            images.run(HEARTH, "image", "publish", "--level", str(chance.randint(1, 9)), raw, self.path("made.frames"))
            images.run("zstd", "-q", "-f", raw, "-o", self.path("made.raw.zst"))
            ranges = chance.random() < 0.8
            for name in ("made.raw", "made.qcow2", "made-ours.qcow2", "made.frames", "made.raw.zst"):
                status, said, found = self.write(name, size=len(disk) + chance.choice([0, MIB]), ranges=ranges)
                told = f"{name}: {said}\n" + cases.repeat(seed, "e2e.deploy_write_image")
                self.assertEqual(status, 0, told)
                self.assertTrue(found[:len(disk)] == disk, told)
            for name in ("made.frames", "made.frames.json", "made-ours.qcow2"):
                os.remove(self.path(name))

    def test_the_same_disk_gives_the_same_frames_file(self):
        with open(self.path("i.frames"), "rb") as one, open(self.path("again.frames"), "rb") as other:
            self.assertTrue(one.read() == other.read())

    def test_a_server_without_ranges_will_do(self):
        for name in ("zlib.qcow2", "i.frames", "i.raw.zst"):
            with self.subTest(name):
                self.assert_written(name, ranges=False)

    def test_broken_connections_are_taken_up_where_they_broke(self):
        for ranges in (True, False):
            self.assert_written("i.raw", break_after=20 * MIB, ranges=ranges)
            self.assertEqual(self.broken, 3)

    def refuse(self, name, words, booted=False, **options):
        status, said, disk = self.write(name, **options)
        self.assertEqual(status, 1)
        self.assertIn(words, said)
        self.assertEqual(disk[510:512] == b"\x55\xaa", booted)
        return disk

    def test_a_wrong_checksum_leaves_no_boot_sector(self):
        disk = self.refuse("zlib.qcow2", "the checksum of the image", checksum="0" * 64)
        self.assertEqual(disk[:MIB].strip(b"\0"), b"")
        self.refuse("i.frames", "has the root", checksum="frames:" + "0" * 64)

    def test_what_a_server_says_gives_the_terminal_no_orders(self):
        """Neither why it is asked again, nor why it is given up."""
        disk = os.path.join(self.work.name, "disk")
        with open(disk, "wb") as file:
            file.truncate(256 * MIB)
        with socket.create_server(("127.0.0.1", 0)) as server:
            def answer():
                for status in (b"503", b"404"):
                    connection = server.accept()[0]
                    connection.recv(65536)
                    connection.sendall(b"HTTP/1.1 " + status + b" \x1b]0;owned\x07\r\nContent-Length: 0\r\n\r\n")
                    connection.close()
            threading.Thread(target=answer, daemon=True).start()
            url = f"http://127.0.0.1:{server.getsockname()[1]}/i.raw"
            done = subprocess.run([AGENT, "write-image", url, disk], capture_output=True, timeout=60, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr.count(b"\\x1b]0;owned"), 2, done.stderr)
        self.assertNotIn(b"\x1b", done.stderr)

    def test_a_lie_in_any_answer_leaves_no_boot_sector(self):
        """A server, or someone on the way to it, may alter the answer to any one request: the tables of a qcow2 are asked for by
        requests of their own, which no checksum covers by itself."""
        for name in ("zlib.qcow2", "plain.qcow2", "i.frames"):
            _, said, _ = self.write(name)
            for number in range(self.served):
                with self.subTest(name=name, request=number):
                    status, said, disk = self.write(name, lie_to=number)
                    if status == 0:  # the bit that was changed is read by nobody
                        self.assertTrue(disk == self.content, said)
                    else:
                        self.assertIn(disk[:MIB], (bytes(MIB), b"\xaa" * MIB), said)  # begun, or not even that
            self.assertGreater(self.served, 2 if name.endswith("qcow2") else 0)

    def test_a_damaged_frame_is_not_written(self):
        with open(self.path("i.frames"), "rb") as file:
            bytes_ = bytearray(file.read())
        bytes_[-1000] ^= 1
        with open(self.path("damaged.frames"), "wb") as file:
            file.write(bytes_)
        disk = self.refuse("damaged.frames", "is not what the image's map says", checksum="frames:" + self.root)
        self.assertEqual(disk[:MIB].strip(b"\0"), b"")

    def test_a_disk_that_is_too_small_is_refused_with_both_sizes(self):
        for name in ("i.raw", "zlib.qcow2", "i.frames", "i.raw.zst"):
            with self.subTest(name):
                self.refuse(name, "is too small: it has 67108864 bytes", size=64 * MIB)

    def test_tables_that_would_fill_the_memory_are_refused(self):
        """A qcow2 of two megabytes whose first table names one second table again and again, and one for a disk of a pebibyte."""
        for name, size, words, served in (("again.qcow2", 1 << 28, "two of the qcow2 image's tables lie at byte 1024", 3),
                                          ("huge.qcow2", 1 << 50, "is too small", 2)):
            bits = 9 if name == "again.qcow2" else 21
            entries = max(size >> (2 * bits - 3), 1)
            head = struct.pack(">4sIQIIQIIQQIIQQQQII", b"QFI\xfb", 3, 0, 0, bits, size, 0, entries, 4096, 0, 0, 0, 0, 0, 0, 0, 4, 104)
            with open(self.path(name), "wb") as file:
                file.write(head.ljust(4096, b"\0") + struct.pack(">Q", 1024 | 1 << 63) * entries)
                file.truncate(2 * MIB)
            self.refuse(name, words)
            self.assertLessEqual(self.served, served, name)

    def test_what_is_no_whole_disk_is_refused(self):
        with open(self.path("nothing.raw"), "wb") as file:
            file.truncate(MIB)
        self.refuse("nothing.raw", "has no partition table")
        images.run("qemu-img", "create", "-q", "-f", "qcow2", "-b", self.path("i.raw"), "-F", "raw", self.path("over.qcow2"))
        self.refuse("over.qcow2", "has a backing file")
        self.refuse("missing.raw", "404", checksum="0" * 64)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
