"""A disk that is slow, hangs, or refuses to keep what is written, for the programs that a test starts: their fsync() and open() are ours."""

import contextlib
import os
import shutil
import subprocess
import tempfile

# What the disk does stands in a file: "slow MS", "refuse ERRNO", "hang" (then nothing is opened that may have to be made, either), or
# "lost": something could not be written, and one who had the file open has been told, so that the kernel tells the others who had it open
# then, and nobody who opens it later.
SOURCE = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
static int opened_since[65536];  /* by number of the file: whether it was opened after the loss */
static int word(char* what, int* number) {
  *number = 0;
  FILE* file = fopen(getenv("ODD_DISK"), "re");
  int found = file && fscanf(file, "%15s %d", what, number) > 0;
  if (file) fclose(file);
  return found;
}
static int keep(const char* name, int fd) {
  char what[16];
  int number;
  if (!word(what, &number)) what[0] = 0;
  if (!strcmp(what, "slow")) usleep(number * 1000);
  if (!strcmp(what, "hang")) usleep(60000000);
  if (!strcmp(what, "refuse") || (!strcmp(what, "lost") && !opened_since[fd & 65535])) {
    errno = number ? number : EIO;
    return -1;
  }
  return ((int (*)(int))dlsym(RTLD_NEXT, name))(fd);
}
int fsync(int fd) { return keep("fsync", fd); }
int fdatasync(int fd) { return keep("fdatasync", fd); }
static int open_it(const char* name, const char* path, int flags, mode_t mode) {
  char what[16];
  int number;
  int is_ours = !strcmp(path, getenv("ODD_DISK"));
  int is_odd = !is_ours && word(what, &number);
  if (is_odd && (flags & O_CREAT) && !strcmp(what, "hang")) usleep(60000000);
  int fd = ((int (*)(const char*, int, mode_t))dlsym(RTLD_NEXT, name))(path, flags, mode);
  if (fd >= 0) opened_since[fd & 65535] = is_odd && !strcmp(what, "lost");
  return fd;
}
#define OPENED(name)                                                    \
  int name(const char* path, int flags, ...) {                          \
    va_list rest;                                                       \
    va_start(rest, flags);                                              \
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, int) : 0; \
    va_end(rest);                                                       \
    return open_it(#name, path, flags, mode);                           \
  }
OPENED(open)
OPENED(open64)
"""


class OddDisk:
    """While `with` lasts, what is started has it."""

    def __enter__(self):
        self.folder = tempfile.mkdtemp(prefix="hearth-odd-disk-")
        os.chmod(self.folder, 0o755)
        source, library = os.path.join(self.folder, "odd.c"), os.path.join(self.folder, "odd.so")
        with open(source, "w", encoding="ascii") as file:
            file.write(SOURCE)
        subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", library, source, "-ldl"], check=True)
        self.says = os.path.join(self.folder, "says")
        os.environ.update({"LD_PRELOAD": library, "ODD_DISK": self.says})
        return self

    def __exit__(self, *_):
        for name in ("LD_PRELOAD", "ODD_DISK"):
            del os.environ[name]
        shutil.rmtree(self.folder, ignore_errors=True)

    def becomes(self, words):
        """From now on; "" is well."""
        with open(self.says + ".new", "w", encoding="ascii") as file:
            file.write(words)
        os.rename(self.says + ".new", self.says)

    @contextlib.contextmanager
    def being(self, words):
        self.becomes(words)
        try:
            yield
        finally:
            self.becomes("")
