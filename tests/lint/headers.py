"""Every header compiles alone. usage: headers.py ROOT COMPILER [COMPILE_COMMANDS_JSON]

A header is compiled as the only include of an empty file. To be quick that is done with the common headers precompiled,
which lends them to headers that don't ask for them. So a header that names something for which its own includes don't
obviously account is compiled once more, with nothing lent: that verdict counts. Where clang is installed it is the compiler:
it keeps with a precompiled header the templates that are used in it, and takes a third of GCC's time.
"""

import concurrent.futures
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

import tree

LENT = ("algorithm", "array", "chrono", "cstdint", "functional", "limits", "map", "memory", "optional", "set", "span",
        "stdexcept", "string", "string_view", "utility", "variant", "vector", "boost/filesystem/operations.hpp")
JSON = "nlohmann/json.hpp"  # costly even when precompiled, so it is lent only to those that include it
CLANG = "clang++-14"
# What most of the headers that include JSON make of it: compiled once, with the precompiled header.
USED = """namespace lint {
struct Used {
  nlohmann::ordered_json value = nlohmann::ordered_json::object();
  std::vector<nlohmann::ordered_json> list;
  std::map<std::string, nlohmann::ordered_json> by_name;
  std::optional<nlohmann::ordered_json> perhaps;
  std::function<nlohmann::ordered_json(const nlohmann::ordered_json&)> made;
};
inline Used used(const Used& one, Used two) {
  Used copy = one;
  copy = two;
  copy = std::move(two);
  return copy;
}
}
"""
ANY = {"array", "functional", "map", "memory", "optional", "set", "string", "string_view", "utility", "variant", "vector"}
# std:: name → the headers, one of which accounts for it. A name that is not here is suspicious anywhere.
ACCOUNTS = {
    "array": {"array"}, "chrono": {"chrono"}, "function": {"functional"}, "map": {"map"}, "nullopt": {"optional"},
    "optional": {"optional"}, "pair": ANY, "move": ANY, "forward": ANY, "exchange": {"utility"}, "runtime_error": {"stdexcept"},
    "make_shared": {"memory"}, "make_unique": {"memory"}, "shared_ptr": {"memory"}, "unique_ptr": {"memory"},
    "numeric_limits": {"limits"}, "set": {"set"}, "size_t": ANY, "span": {"span"}, "string": {"string"},
    "string_view": {"string_view", "string"}, "to_string": {"string"}, "get": {"variant"}, "get_if": {"variant"},
    "variant": {"variant"}, "monostate": {"variant"}, "vector": {"vector"},
    **{f"{sign}int{bits}_t": {"cstdint"} for sign in ("", "u") for bits in (8, 16, 32, 64)},
}
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


def is_suspicious(root, header):
    """Does it name something for which its includes don't account?"""
    code = tree.without_comments(tree.text(root, header))
    includes = reached(root, header, set())
    if JSON in includes:
        return False  # it brings nearly all of the lent standard headers itself
    if ("boost::filesystem" in code and "boost/filesystem/operations.hpp" not in includes):
        return True
    return any(not ACCOUNTS.get(name, set()) & includes for name in re.findall(r"\bstd::(\w+)", code))


class Compiler:
    def __init__(self, root, program, extra, scratch):
        self.command = [program, "-std=c++20", "-w", f"-I{root}", "-D_GNU_SOURCE", *extra]
        if "clang" in os.path.basename(program):
            self.command.append("-fpch-instantiate-templates")
        self.scratch = scratch

    def precompile(self, name, headers):
        """Only once a name; the path to include."""
        path = os.path.join(self.scratch, name + ".hpp")
        with open(path, "w", encoding="utf-8") as file:
            file.writelines(f"#include <{header}>\n" for header in headers)
            file.write(USED if JSON in headers else "")
        subprocess.run([*self.command, "-x", "c++-header", path, "-o", path + ".gch"], check=True)
        return path

    def errors(self, header, *more):
        done = subprocess.run([*self.command, *more, "-fsyntax-only", "-x", "c++", "-"], capture_output=True, text=True,
                              input=f'#include "{header}"\n', check=False)
        return f"{header} does not compile alone:\n{done.stderr}" if done.returncode else None

    def check(self, header, lent):
        return self.errors(header, "-include", lent) if lent else self.errors(header)


def main(root, program, compile_commands=None):
    program = shutil.which(CLANG) or program
    headers = [path for path in tree.files(root, *tree.ROOMS, "tests/fakes") if path.endswith(".hpp")]
    alone = {header for header in headers if is_suspicious(root, header)}
    kind = {header: "json" if JSON in reached(root, header, set()) else "common" for header in headers}
    with tempfile.TemporaryDirectory() as scratch, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        compiler = Compiler(os.path.abspath(root), program, flags(compile_commands), scratch)
        lists = {"common": LENT, "json": (*LENT, JSON)}
        wanted = sorted({kind[header] for header in headers if header not in alone})
        lent = dict(zip(wanted, pool.map(lambda name: compiler.precompile(name, lists[name]), wanted)))
        results = list(pool.map(lambda h: compiler.check(h, None if h in alone else lent[kind[h]]), headers))
    print(f"{len(headers)} headers, {len(alone)} of them with nothing lent")
    return tree.report("headers", [result for result in results if result])


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
