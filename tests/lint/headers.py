"""Every header compiles alone. usage: headers.py ROOT COMPILER [COMPILE_COMMANDS_JSON]

A header is compiled as the only include of an empty file. Heavy third-party headers that it reaches by its own includes
are precompiled before; others are not, so that nothing is lent to it that it does not ask for.
"""

import concurrent.futures
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile

import tree

HEAVY = ("nlohmann/json.hpp", "boost/filesystem/operations.hpp", "yaml-cpp/yaml.h", "boost/asio.hpp", "boost/beast.hpp")
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*["<]([^">]+)[">]', re.MULTILINE)


def flags(compile_commands):
    """Where third-party headers lie and what is defined, as the build has it."""
    if not compile_commands or not os.path.exists(compile_commands):
        return []
    with open(compile_commands, encoding="utf-8") as file:
        words = [word for entry in json.load(file) for word in with_values(shlex.split(entry["command"]))]
    return [part for word in dict.fromkeys(words) for part in word]


def with_values(words):
    for word, following in zip(words, [*words[1:], ""]):
        if word == "-isystem":
            yield (word, following)
        elif word.startswith(("-I", "-D")):
            yield (word,)


def reached(root, header, seen):
    """All that a header includes, directly or through our other headers."""
    for target in INCLUDE.findall(tree.text(root, header)):
        if target not in seen:
            seen.add(target)
            reached(root, target, seen)
    return seen


class Compiler:
    def __init__(self, root, program, extra, scratch):
        self.command = [program, "-std=c++20", f"-I{root}", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Werror",
                        "-Wno-missing-field-initializers", *extra]
        self.scratch = scratch

    def precompile(self, heavy):
        path = os.path.join(self.scratch, re.sub(r"\W", "_", "+".join(heavy)) + ".hpp")
        with open(path, "w", encoding="utf-8") as file:
            file.writelines(f"#include <{header}>\n" for header in heavy)
        subprocess.run([*self.command, "-w", "-x", "c++-header", path, "-o", path + ".gch"], check=True)
        return path

    def check(self, header, precompiled):
        before = ["-include", precompiled] if precompiled else []
        done = subprocess.run([*self.command, *before, "-fsyntax-only", "-x", "c++", "-"], capture_output=True, text=True,
                              input=f'#include "{header}"\n', check=False)
        return f"{header} does not compile alone:\n{done.stderr}" if done.returncode else None


def main(root, program, compile_commands=None):
    headers = [path for path in tree.files(root, *tree.ROOMS, "tests/fakes") if path.endswith(".hpp")]
    needs = {header: tuple(h for h in HEAVY if h in reached(root, header, set())) for header in headers}
    with tempfile.TemporaryDirectory() as scratch, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        compiler = Compiler(os.path.abspath(root), program, flags(compile_commands), scratch)
        sets = sorted({heavy for heavy in needs.values() if heavy})
        precompiled = dict(zip(sets, pool.map(compiler.precompile, sets)))
        results = pool.map(lambda header: compiler.check(header, precompiled.get(needs[header])), headers)
        return tree.report("headers", [result for result in results if result])


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
