"""Every header compiles alone. usage: headers.py ROOT COMPILER [COMPILE_COMMANDS_JSON]

A header is compiled as what an empty file includes. Starting the compiler costs more than most headers, so one file serves for a
whole row of them: before a header stand such as lend it nothing (lending.py tells which, from the text). Where a row fails, each
of it is compiled alone, and that verdict counts. Where HEARTH_LONG is set nothing rests upon the text: before a header stand
only such as it includes itself.

To be quick that is done with the common headers precompiled, which lends them to headers that don't ask for them. So a header
that names something for which its own includes don't obviously account is compiled with nothing lent, and only what it includes
before it. Where clang is installed it is the compiler: it keeps with a precompiled header the templates that are used in it,
which pays (a file that uses JSON starts in 0.25 s, else in 2), and takes a third of GCC's time.
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

import lending
import tree

LENT = ("algorithm", "array", "atomic", "chrono", "condition_variable", "cstdint", "deque", "functional", "limits", "list",
        "map", "memory", "mutex", "optional", "set", "span", "stdexcept", "string", "string_view", "thread", "tuple",
        "unordered_map", "unordered_set", "utility", "variant", "vector", "boost/filesystem/operations.hpp")
# What these bring along, in all the libraries that we build with: by it nothing more is lent.
BROUGHT = ("cerrno", "compare", "concepts", "cstddef", "cstdlib", "exception", "initializer_list", "new", "sys/types.h")
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
ANY = {"array", "deque", "functional", "list", "map", "memory", "optional", "set", "string", "string_view", "tuple",
       "unordered_map", "unordered_set", "utility", "variant", "vector"}
# std:: name → the headers, one of which accounts for it. A name that is not here is suspicious anywhere.
ACCOUNTS = {
    "array": {"array"}, "atomic": {"atomic"}, "chrono": {"chrono"}, "condition_variable": {"condition_variable"},
    "condition_variable_any": {"condition_variable"}, "deque": {"deque"}, "function": {"functional"}, "list": {"list"},
    "lock_guard": {"mutex"}, "map": {"map"}, "multimap": {"map"}, "mutex": {"mutex"}, "nullopt": {"optional"},
    "optional": {"optional"}, "pair": ANY, "move": ANY, "forward": ANY, "swap": ANY, "exchange": {"utility"},
    "runtime_error": {"stdexcept"}, "make_shared": {"memory"}, "make_unique": {"memory"}, "scoped_lock": {"mutex"},
    "shared_ptr": {"memory"}, "unique_ptr": {"memory"}, "unique_lock": {"mutex"}, "numeric_limits": {"limits"}, "set": {"set"},
    "size_t": ANY, "span": {"span"}, "string": {"string"}, "string_view": {"string_view", "string"}, "thread": {"thread"},
    "jthread": {"thread"}, "tie": {"tuple"}, "to_string": {"string"}, "tuple": {"tuple"}, "get": {"variant"},
    "get_if": {"variant"}, "holds_alternative": {"variant"}, "variant": {"variant"}, "monostate": {"variant"},
    "unordered_map": {"unordered_map"}, "unordered_set": {"unordered_set"}, "vector": {"vector"},
    "aligned_alloc": {"cstdlib"}, "bad_alloc": {"new"}, "clock": {"ctime"}, "clock_t": {"ctime"}, "convertible_to": {"concepts"},
    "exception": {"exception"}, "exception_ptr": {"exception"}, "free": {"cstdlib"}, "future": {"future"},
    "in_place_index": {"variant", "utility"}, "integral": {"concepts"}, "less": {"functional"}, "priority_queue": {"queue"},
    "shared_mutex": {"shared_mutex"}, "stop_token": {"thread"}, "time_t": {"ctime"}, "unsigned_integral": {"concepts"},
    **{name: {"atomic"} for name in ("memory_order_acq_rel", "memory_order_relaxed")},
    **{name: {"type_traits"} for name in ("is_enum_v", "is_signed_v", "underlying_type_t")},
    **{name: {"algorithm"} for name in ("all_of", "any_of", "clamp", "find", "find_if", "max", "min", "none_of", "sort")},
    **{f"{sign}int{bits}_t": {"cstdint"} for sign in ("", "u") for bits in (8, 16, 32, 64)},
}
NOT_BY_JSON = {"chrono", "nullopt", "optional", "span"}  # as base/json.hpp includes it


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
    for target in lending.INCLUDE.findall(tree.text(root, header)):
        if target not in seen:
            seen.add(target)
            reached(root, target, seen)
    return seen


def is_suspicious(root, header):
    """Does it name something for which its includes don't account?"""
    code = tree.without_comments(tree.text(root, header))
    includes = reached(root, header, set())
    names = re.findall(r"\bstd::(\w+)", code)
    if JSON in includes:  # it brings nearly all of the lent standard headers itself
        names = NOT_BY_JSON & set(names)
    if ("boost::filesystem" in code and "boost/filesystem/operations.hpp" not in includes):
        return True
    return any(not ACCOUNTS.get(name, set()) & includes for name in names)


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

    def errors(self, headers, lent):
        """What the compiler says of a file with these headers; None where it is content."""
        more = ["-include", lent] if lent else []
        text = "".join(f'#include "{header}"\n' for header in headers)
        done = subprocess.run([*self.command, *more, "-fsyntax-only", "-x", "c++", "-"], capture_output=True, text=True, input=text,
                              check=False, cwd=self.scratch)  # not among headers: "" looks there first
        return done.stderr if done.returncode else None

    def check(self, row, lent, included):
        """The faults of a row of headers."""
        if not self.errors(row, lent):
            return []
        alone = [(header, self.errors([header], lent)) for header in row]
        faults = [f"{header} does not compile alone:\n{errors}" for header, errors in alone if errors]
        return faults or [fault for part in rows(row, included) for fault in self.after_own(part, lent)]

    def after_own(self, row, lent):
        errors = self.errors(row, lent)
        return [f"{row[-1]} does not compile after {', '.join(row[:-1])}, which it includes:\n{errors}"] if errors else []


def rows(headers, included):
    """The headers in rows in which each includes all before it."""
    made = []
    for header in sorted(headers, key=lambda each: (-len(included[each]), each)):
        row = min((row for row in made if header in included[row[0]]), key=lambda row: len(included[row[0]]), default=None)
        if row:
            row.insert(0, header)
        else:
            made.append([header])
    return made


def compiled(root, kinds, included):
    """What is compiled: kind and row, the dear ones first."""
    if os.environ.get("HEARTH_LONG"):
        return [(kind, row) for kind in kinds for row in rows(kinds[kind], included)]
    helpers = lending.helpers({header: lending.Header(tree.text(root, header)) for header in included}, included, (*LENT, *BROUGHT, JSON))
    shared = [(kind, row) for kind in ("json", "common") for row in lending.rows(kinds[kind], included, helpers)]
    return [("alone", row) for row in rows(kinds["alone"], included)] + sorted(shared, key=lambda each: -len(each[1]))


def main(root, program, compile_commands=None):
    program = shutil.which(CLANG) or program
    headers = [path for path in tree.files(root, *tree.ROOMS, "tests/fakes") if path.endswith(".hpp")]
    included = {header: reached(root, header, set()) for header in headers}
    kinds = {"alone": [], "common": [], "json": []}
    for header in headers:
        kinds["alone" if is_suspicious(root, header) else "json" if JSON in included[header] else "common"].append(header)
    lists = {"common": LENT, "json": (*LENT, JSON)}
    with tempfile.TemporaryDirectory() as scratch, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        compiler = Compiler(os.path.abspath(root), program, flags(compile_commands), scratch)
        wanted = [kind for kind in lists if kinds[kind]]
        lent = dict(zip(wanted, pool.map(lambda kind: compiler.precompile(kind, lists[kind]), wanted)))
        work = [(row, lent.get(kind)) for kind, row in compiled(root, kinds, included)]
        results = list(pool.map(lambda each: compiler.check(*each, included), work))
    print(f"{len(headers)} headers in {len(work)} files, {len(kinds['alone'])} of them with nothing lent")
    return tree.report("headers", [fault for faults in results for fault in faults])


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
