#!/usr/bin/env python3
"""Bash, zsh and fish complete nodes, states, drivers, elements and images, each in the shell itself.   (HEARTH: the program)"""

import os
import pty
import select
import shutil
import subprocess
import sys
import tempfile
import time

INVENTORY = """[{"pm_type": "fake_pxe", "name": "rack1-web", "mac": ["52:54:00:00:00:01"]},
 {"pm_type": "fake_pxe", "name": "rack2-db", "mac": ["52:54:00:00:00:02"]}]"""
LINES = {  # what is typed, what the line becomes
    "hearth node show rack1": "rack1-web",
    "hearth node deploy rack1-web rack2": "rack2-db",
    "hearth node list --driver manual": "manual-management",
    "hearth element info debian-mini": "debian-minimal",
    "hearth image why bui": "built",
    "hearth image create --break before-post-r": "before-post-root",
    "hearth image create --break after-error,after-pre-f": "after-error,after-pre-finalise",
    "hearth why rack2": "rack2-db",
    "hearth node list --provision-state clean\\ w": "clean wait",
}


def bash(line):
    words = [word.replace("\0", "\\ ") for word in line.replace("\\ ", "\0").split(" ")]
    script = 'eval "$(hearth completion bash)"; compopt() { :; }; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); ' \
             '_hearth hearth "${COMP_WORDS[-1]}"; printf "%s\\n" "${COMPREPLY[@]}"'
    return subprocess.run(["bash", "-uc", script, "bash", *words], capture_output=True, text=True, timeout=60, check=True).stdout


def fish(line):
    script = f"hearth completion fish | source; complete -C '{line}'"
    return subprocess.run(["fish", "--no-config", "-c", script], capture_output=True, text=True, timeout=60, check=True).stdout


def zsh(line):
    """As somebody types it: at a terminal, with the Tab key."""
    child, terminal = pty.fork()
    if child == 0:
        os.execvpe("zsh", ["zsh", "-f", "-i"], {**os.environ, "PS1": "ready> ", "TERM": "dumb"})

    def until(text, seconds=20):
        seen, end = b"", time.monotonic() + seconds
        while text not in seen and time.monotonic() < end:
            if select.select([terminal], [], [], 0.1)[0]:
                try:
                    seen += os.read(terminal, 65536)
                except OSError:
                    break
        return seen.decode(errors="replace")

    until(b"ready> ")
    os.write(terminal, b"autoload -U compinit; compinit -u -D; eval \"$(hearth completion zsh)\"; echo set''up\n")
    until(b"setup")
    os.write(terminal, line.encode() + b"\t")
    shown = until(LINES[line].replace(" ", "\\ ").encode(), 10)
    os.write(terminal, b"\x03exit\n")
    until(b"never", 0.2)
    os.close(terminal)
    os.waitpid(child, 0)
    return shown.replace("\\ ", " ")


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        os.mkdir("bin")
        os.symlink(os.environ["HEARTH"], "bin/hearth")
        os.environ.update(PATH=f"{folder}/bin:{os.environ['PATH']}", HEARTH_NODE_STATE=f"{folder}/state", HOME=folder)
        with open("nodes.json", "w", encoding="utf-8") as file:
            file.write(INVENTORY)
        os.mkdir("built.d")
        with open("built.d/steps.json", "w", encoding="utf-8") as file:
            file.write("{}")
        subprocess.run(["hearth", "node", "import", "nodes.json"], check=True, timeout=60, stdout=subprocess.DEVNULL)
        faults = []
        for shell, complete in {"bash": bash, "zsh": zsh, "fish": fish}.items():
            if not shutil.which(shell):
                print(f"SKIPPED: {shell}: it is not installed (cmake/install-packages.sh peers)")
                continue
            for line, wanted in LINES.items():
                shown = complete(line)
                if wanted not in shown.replace("\\ ", " "):
                    faults.append(f"{shell}: '{line}' is not completed to {wanted}: {shown!r}")
    print("\n".join(faults) or "completed in each shell")
    return 1 if faults else 0


sys.exit(main())
