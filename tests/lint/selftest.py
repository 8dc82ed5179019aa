"""Each lint check passes a good tree and fails on a bad one, naming the offender. usage: selftest.py"""

import contextlib
import io
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import documents  # noqa: E402
import forbidden  # noqa: E402
import format as layout  # noqa: E402
import headers  # noqa: E402
import layering  # noqa: E402
import links  # noqa: E402
import mirror  # noqa: E402
import names  # noqa: E402
import newcomers  # noqa: E402
import programs  # noqa: E402
import promises  # noqa: E402
import shell  # noqa: E402
import sizes  # noqa: E402
import tree  # noqa: E402

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import coverage  # noqa: E402
import report  # noqa: E402

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "mutation"))
import table  # noqa: E402

COMPILER = shutil.which("g++") or "c++"


class LintTest(unittest.TestCase):
    def setUp(self):
        self.root = tempfile.mkdtemp(prefix="hearth-lint-")
        self.addCleanup(shutil.rmtree, self.root)

    def put(self, path, text, executable=False):
        full = os.path.join(self.root, path)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(full, 0o755 if executable else 0o644)

    def run_check(self, check, *more):
        out = io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
            code = check.main(self.root, *more)
        return code, out.getvalue()

    def good(self, check, *more):
        code, out = self.run_check(check, *more)
        self.assertEqual(code, 0, out)

    def bad(self, check, *expected, more=()):
        code, out = self.run_check(check, *more)
        self.assertEqual(code, 1, out)
        for text in expected:
            self.assertIn(text, out)


class Links(LintTest):
    def setUp(self):
        super().setUp()
        self.put("docs/a.md", "# One thing: `b` and c\n\n[up](../README.md#two) [here](#one-thing-b-and-c) [folder](../docs)\n"
                 "`[no](link)` [out](https://example.org/nothing)\n\n    [neither](this)\n\n![picture](a.svg)\n")
        self.put("docs/a.svg", "<svg/>")
        self.put("README.md", "# R\n\n## Two\n")

    def test_good(self):
        self.good(links)

    def test_a_missing_file(self):
        self.put("README.md", "# R\n\n## Two\n\n[a](docs/b.md)\n")
        self.bad(links, "README.md:5: the link docs/b.md is not there")

    def test_a_link_in_the_text_of_an_item(self):
        self.put("README.md", "# R\n\n## Two\n\n1. One\n\n    [a](docs/b.md)\n\n        [code](docs/c.md)\n")
        self.bad(links, "links: 1 offender(s)", "README.md:7: the link docs/b.md is not there")

    def test_a_missing_picture(self):
        os.remove(os.path.join(self.root, "docs/a.svg"))
        self.bad(links, "docs/a.md:8: the link a.svg is not there")

    def test_a_missing_headline(self):
        self.put("README.md", "# R\n\n```\n## Two\n```\n")
        self.bad(links, "docs/a.md:3: the link ../README.md#two has no such headline")

    def test_a_link_out_of_the_tree(self):
        self.put("README.md", "# R\n\n## Two\n\n[a](..)\n")
        self.bad(links, "leads out of the tree")


class Documents(LintTest):
    def setUp(self):
        super().setUp()
        self.put("base/sys/a.cpp", "")
        self.put("base/README.md", "| `sys/` | files |\n")
        self.put("docs/howto/a.md", "# A\n")
        self.put("docs/README.md", "[a](howto/a.md#one)\n")

    def test_good(self):
        self.put("base/a.cpp", "")
        self.put("docs/site/a.md", "")
        self.good(documents)

    def test_a_folder_that_its_room_does_not_name(self):
        self.put("base/net/a.cpp", "")
        self.bad(documents, "base/README.md: does not name the folder net/", "1 offender")

    def test_a_header_of_base_that_its_index_does_not_name(self):
        self.put("base/README.md", "| `sys/` | files |\n| `sys/fd`, `hex.hpp` | a, b |\n")
        self.put("base/sys/fd.hpp", "")
        self.put("base/hex.hpp", "")
        self.put("pxe/hex.hpp", "")
        self.good(documents)
        self.put("base/sys/lost.hpp", "")
        self.bad(documents, "base/README.md: does not name sys/lost", "1 offender")

    def test_a_door_of_a_journey_that_is_not_there(self):
        self.put("base/sys/a.cpp", "int open_door() {\n  return 1;\n}\n")
        self.put("ARCHITECTURE.md", "    base/sys/a.cpp:open_door   in → out\n")
        self.good(documents)
        self.put("ARCHITECTURE.md", "    base/sys/a.cpp:shut_door   x\n    base/sys/b.cpp:open_door  y\n")
        self.bad(documents, "base/sys/a.cpp defines no shut_door()", "there is no base/sys/b.cpp", "2 offender")

    def test_a_page_that_the_manual_does_not_name(self):
        self.put("docs/howto/b.md", "# B\n")
        self.bad(documents, "docs/README.md: does not name the page docs/howto/b.md", "1 offender")


class Programs(LintTest):
    HOOK = "elements/net/os-refresh-config/configure.d/20-net"

    def test_a_program_that_a_dependency_installs(self):
        self.put(self.HOOK, "#!/bin/bash\nset -eu\n# ping it\nx=$(ip -o addr) || true\n")
        self.put("elements/net/element-deps", "package-installs\ntools\n")
        self.put("elements/tools/package-installs.yaml", "iproute2:\n  when: X = 1\n")
        self.good(programs)

    def test_a_program_that_nobody_installs(self):
        self.put(self.HOOK, "#!/bin/bash\nset -eu\nif ! ip link; then LC_ALL=C jq . x; fi\n[[ $(ss -l) ]]\n")
        self.bad(programs, "programs: 3 offender(s)", f"{self.HOOK}:3: calls ip", "jq belongs into its package-installs.yaml",
                 f"{self.HOOK}:4: calls ss")

    def test_a_service(self):
        self.put("elements/net/init-scripts/systemd/net.service", "[Service]\nExecStartPre=-/usr/bin/udevadm settle\nExecStart=/usr/bin/python3 x\n")
        self.bad(programs, "programs: 1 offender(s)", "net.service:3: calls python3")

    def test_what_a_script_asks_for_first_and_what_a_build_calls(self):
        self.put(self.HOOK, "#!/bin/bash\nif command -v curl > /dev/null; then\n    curl x\nfi\n")
        self.put("elements/net/extra-data.d/10-x", "#!/bin/bash\ngit clone x\n")
        self.good(programs)


class Names(LintTest):
    def setUp(self):
        super().setUp()
        self.put("base/CMakeLists.txt", "hearth_room(hearth_base\n  a.cpp\n  b.cpp)\nhearth_room(other c.cpp)\n")
        self.put("base/a.cpp", self.source("int size_of(int x) { return x; }\nusing Words = std::vector<int>;"))
        self.put("base/c.cpp", self.source("int size_of(int x) { return x; }"))

    def source(self, code):
        return f"namespace hearth {{\nnamespace {{\n{code}\n}}\n}}\n"

    def test_overloads_equal_aliases_and_other_targets_are_fine(self):
        self.put("base/b.cpp", self.source("int size_of(long x) { return 1; }\nusing Words = std::vector<int>;"))
        self.good(names)

    def test_a_function_a_constant_or_a_type_of_two_sources(self):
        self.put("base/b.cpp", self.source("int size_of(int x) { return 1; }\nusing Words = std::set<int>;"))
        self.bad(names, "base/b.cpp:3: 'size_of' is also in base/a.cpp:3", "base/b.cpp:4: 'Words'")

    def test_a_constant_whose_value_has_braces(self):
        self.put("base/a.cpp", "namespace hearth {\nnamespace {\nconstexpr int k_block = 4096;\n}\n}\n")
        self.put("base/b.cpp", "namespace hearth {\nnamespace {\nconstexpr std::size_t k_block = std::size_t{1} << 20U;\n}\n}\n")
        self.bad(names, "base/b.cpp:3: 'k_block' is also in base/a.cpp:3")

    def test_a_header_that_some_source_of_the_target_includes(self):
        self.put("base/mark.hpp", "namespace hearth {\nint size_of(int x);\nclass Mark;\n}\n")
        self.put("base/b.cpp", '#include "base/mark.hpp"\n')
        self.bad(names, "base/a.cpp:3: 'size_of' is also in base/mark.hpp:2")

    def test_a_header_that_no_source_of_the_target_includes(self):
        self.put("base/mark.hpp", "namespace hearth {\nint size_of(int x);\n}\n")
        self.good(names)

    def test_a_borrowed_name_is_used(self):
        self.put("base/b.cpp", self.source("using testing::Not;\nnamespace fs = std::filesystem;\nfs::path x(Not y);"))
        self.good(names)

    def test_a_borrowed_name_that_nothing_uses(self):
        self.put("base/b.cpp", self.source("using testing::Not;\nnamespace fs = std::filesystem;  // fs, Not\n"))
        self.bad(names, "base/b.cpp:3: nothing here uses 'Not'", "base/b.cpp:4: nothing here uses 'fs'")


class Layering(LintTest):
    def test_arrows_that_go_down_are_fine(self):
        self.put("base/a.hpp", "#include <string>\n")
        self.put("bootstrap/b.cpp", '#include "bootstrap/b.hpp"\n#include "builder/x.hpp"\n#include "base/a.hpp"\n')
        self.put("tests/unit/base/a_test.cpp", '#include "builder/x.hpp"\n')
        self.good(layering, {})

    def test_an_include_upwards_or_sideways_is_not(self):
        self.put("base/a.cpp", '\n#include "builder/x.hpp"\n')
        self.put("agent/a.cpp", '#include <metadata/x.hpp>\n')
        self.put("pxe/a.cpp", '#include "bootstrap/x.hpp"\n')
        self.bad(layering, "base/a.cpp:2: base must not include builder/x.hpp",
                 "agent/a.cpp:1: agent must not include metadata/x.hpp", "pxe/a.cpp:1", more=({},))

    def test_the_product_does_not_see_the_tests(self):
        self.put("base/a.cpp", '#include "tests/fakes/x.hpp"\n')
        self.bad(layering, "base must not include tests/fakes/x.hpp", more=({},))

    def test_an_include_names_its_room(self):
        self.put("base/a.cpp", '#include "a.hpp"\n#include "../builder/x.hpp"\n')
        self.bad(layering, "base/a.cpp:1:", "base/a.cpp:2:", more=({},))

    def test_linking_follows_the_same_arrows(self):
        self.put("base/CMakeLists.txt", "hearth_room(hearth_base a.cpp)\n")
        self.put("builder/CMakeLists.txt", "hearth_room(hearth_builder\n  a.cpp)\n"
                                           "target_link_libraries(hearth_builder PUBLIC hearth_base # hearth_agent\n)\n")
        self.put("agent/CMakeLists.txt", "hearth_program(hearth-agent main.cpp)\n\n"
                                         "target_link_libraries(hearth-agent PRIVATE\n  hearth_base hearth_builder)\n")
        self.bad(layering, "agent/CMakeLists.txt:3: agent must not link hearth_builder", "1 offender", more=({},))

    TABLE = {"pxe": {"net": set(), "boot": {"net"}, ".": {"net", "boot"}}}
    PAGE = "<!-- arrows of pxe -->\n\n    .     → net, boot\n    boot  → net\n    net\n\n"

    def inside(self):
        self.put("ARCHITECTURE.md", self.PAGE)
        self.put("pxe/net/a.hpp", "#include <string>\n")
        self.put("pxe/boot/b.cpp", '#include "pxe/boot/b.hpp"\n#include "pxe/net/a.hpp"\n')
        self.put("pxe/service.cpp", '#include "pxe/boot/b.hpp"\n#include "pxe/net/a.hpp"\n')

    def test_arrows_within_a_room(self):
        self.inside()
        self.good(layering, self.TABLE)

    def test_an_include_upwards_within_a_room_or_of_its_own_files(self):
        self.inside()
        self.put("pxe/net/a.cpp", '#include "pxe/boot/b.hpp"\n#include "pxe/service.hpp"\n')
        self.bad(layering, "pxe/net/a.cpp:1: pxe/net must not include pxe/boot/b.hpp (pxe/net sees ",
                 "pxe/net/a.cpp:2: pxe/net must not include pxe/service.hpp", more=(self.TABLE,))

    def test_a_table_that_circles_and_one_with_an_arrow_or_without_a_folder_that_is_there(self):
        self.inside()
        self.put("pxe/http/c.cpp", "\n")
        self.bad(layering, "pxe/net looks up to boot", "pxe/net does not include boot any more", "pxe/http is not in",
                 "pxe/service.cpp: pxe/. is not in", more=({"pxe": {"net": {"boot"}, "boot": {"net"}}},))

    def test_a_folder_in_a_folder_is_seen_as_well(self):
        self.inside()
        self.put("pxe/net/raw/d.cpp", '#include "pxe/net/a.hpp"\n')
        self.bad(layering, "pxe/net/raw/d.cpp: pxe/net/raw is not in", more=(self.TABLE,))
        table = {"pxe": {"net/raw": set(), **self.TABLE["pxe"]}}
        self.bad(layering, "pxe/net/raw/d.cpp:1: pxe/net/raw must not include pxe/net/a.hpp", more=(table,))

    def test_a_namespace_is_named_after_the_room_and_the_folder(self):
        self.put("base/net/a.hpp", "namespace hearth::net {\nint a();\n}\nnamespace hearth {\nint b();\n}\n")
        self.put("builder/vm/a.hpp", "namespace hearth::builder {\nint a();\n}\nnamespace hearth::builder::vm::wire {\nint b();\n}\n")
        self.put("builder/run/a.hpp", "namespace hearth::builder::vm {\nclass Lent;\n}\n")
        self.good(layering, {})
        self.put("builder/run/a.hpp", "namespace hearth::builder::vm {\nclass Own {};\n}\n")
        self.put("builder/vm/b.cpp", "\nnamespace hearth::vm {\nint a();\n}\n")
        bad = ("builder/run/a.hpp:1: the namespace hearth::builder::vm", "builder/vm/b.cpp:2: the namespace hearth::vm is not")
        self.bad(layering, *bad, more=({},))
        self.good(layering, {}, {"builder/run/a.hpp": "hearth::builder::vm", "builder/vm": "hearth::vm"})
        self.put("builder/vm/b.cpp", "namespace hearth::builder {\nint a();\n}\n")
        self.put("builder/run/a.hpp", "\n")
        self.bad(layering, "builder/vm has no namespace hearth::vm any more", more=({}, {"builder/vm": "hearth::vm"}))

    def test_a_picture_that_is_not_of_the_table(self):
        self.inside()
        self.put("ARCHITECTURE.md", self.PAGE.replace("→ net", "→ moon"))
        self.bad(layering, "a picture is not that of the table", more=(self.TABLE,))
        self.put("ARCHITECTURE.md", "")
        self.bad(layering, "there is no picture of pxe", more=(self.TABLE,))


class Sizes(LintTest):
    def function(self, name, lines):
        return f"int {name}() {{\n" + "  ++x;\n" * (lines - 2) + "}\n"

    def test_small_functions_are_fine(self):
        self.put("base/a.cpp", self.function("small", 8))
        self.good(sizes)

    def test_an_endless_function_is_named(self):
        self.put("base/a.cpp", "".join(self.function(f"small{i}", 3) for i in range(40)) + self.function("huge", 61))
        self.bad(sizes, "base/a.cpp:121: huge(): 61 lines, more than 60")

    def test_many_long_functions_break_the_percentile_and_the_median(self):
        self.put("base/a.cpp", "".join(self.function(f"long{i}", 41) for i in range(9)))
        self.bad(sizes, "p95 function: 41 lines, more than 40", "median function: 41 lines, more than 8")

    def test_a_long_file_and_a_long_header_are_named(self):
        self.put("base/a.cpp", "\n" * 701)
        self.put("base/a.hpp", "\n" * 201)
        self.bad(sizes, "base/a.cpp: 701 lines, more than 700", "base/a.hpp: 201 lines")


class Headers(LintTest):
    def test_a_header_with_its_includes_is_fine(self):
        self.put("base/a.hpp", "#pragma once\n#include <string>\ninline std::string a() { return {}; }\n")
        self.good(headers, COMPILER)

    def test_a_header_that_borrows_an_include_is_not(self):
        self.put("base/a.hpp", "#pragma once\ninline std::string a() { return {}; }\n")
        self.bad(headers, "base/a.hpp does not compile alone", more=(COMPILER,))

    def test_a_heavy_header_is_not_lent_to_who_does_not_include_it(self):
        self.put("base/a.hpp", "#pragma once\n#include <nlohmann/json.hpp>\nusing J = nlohmann::json;\n")
        self.put("base/b.hpp", '#pragma once\n#include "base/a.hpp"\ninline J b() { return {}; }\n')
        self.put("base/c.hpp", "#pragma once\ninline nlohmann::json c() { return {}; }\n")
        self.bad(headers, "base/c.hpp does not", "1 offender", more=(COMPILER,))

    def test_what_json_does_not_bring_is_not_lent_to_who_includes_it(self):
        self.put("base/lean.hpp", "#pragma once\n#define JSON_HAS_FILESYSTEM 0\n#define JSON_HAS_EXPERIMENTAL_FILESYSTEM 0\n"
                 "#define JSON_HAS_RANGES 0\n#include <nlohmann/json.hpp>\n")
        self.put("base/a.hpp", '#pragma once\n#include "base/lean.hpp"\ninline std::optional<int> a() { return {}; }\n')
        self.bad(headers, "base/a.hpp does not compile alone", "1 offender", more=(COMPILER,))

    def test_a_header_that_borrows_from_one_beside_it_is_not_hidden_by_who_includes_both(self):
        self.put("base/a.hpp", "#pragma once\nstruct A {};\n")
        self.put("base/b.hpp", "#pragma once\nstruct B { A a; };\n")
        self.put("base/c.hpp", '#pragma once\n#include "base/a.hpp"\n#include "base/b.hpp"\nstruct C { A a; B b; };\n')
        self.bad(headers, "base/b.hpp does not compile alone", "1 offender", more=(COMPILER,))

    def test_headers_that_each_include_the_one_before_share_a_file(self):
        included = {"a": {"string"}, "b": {"a", "string"}, "c": {"a", "b", "string"}, "d": {"a", "string"}}
        self.assertEqual(headers.rows(included, included), [["a", "b", "c"], ["d"]])

    def test_a_header_that_borrows_from_one_that_nobody_includes_is_found_in_the_file_of_many(self):
        self.put("base/a.hpp", "#pragma once\nnamespace hearth {\nstruct A {};\nint of_a();\n}\n")
        self.put("base/b.hpp", "#pragma once\nnamespace hearth {\nstruct B {};\n}\n")
        self.put("base/c.hpp", "#pragma once\nnamespace hearth {\ninline int c() { return of_a(); }\n}\n")
        self.put("base/d.hpp", "#pragma once\nnamespace hearth {\nclass A;\nstruct D { A* a; };\n}\n")
        self.put("base/e.hpp", '#pragma once\n#include "base/d.hpp"\ninline auto e(hearth::D& d) { return *d.a; }\n')
        self.bad(headers, "base/c.hpp does not compile alone", "base/e.hpp does not compile alone", "2 offender", more=(COMPILER,))


class Mirror(LintTest):
    def test_a_source_with_its_test_is_fine(self):
        self.put("base/sys/a.cpp", "")
        self.put("base/CMakeLists.txt", "hearth_room(hearth_base\n  sys/a.cpp)\n")
        self.put("tests/unit/base/sys/a_test.cpp", "")
        self.put("tests/unit/base/CMakeLists.txt", "hearth_unit_tests(base SOURCES\n  sys/a_test.cpp)\n")
        self.good(mirror)

    def test_a_source_that_no_list_names_is_not_compiled(self):
        self.put("base/CMakeLists.txt", "hearth_room(hearth_base a.cpp)\n")
        self.put("base/sys/CMakeLists.txt", "hearth_program(x ${CMAKE_CURRENT_SOURCE_DIR}/main.cpp)\n")
        for path in ("base/a.cpp", "base/sys/a.cpp", "base/sys/main.cpp"):
            self.put(path, "")
        self.put(mirror.ALLOWED, "base/a.cpp # r\nbase/sys/a.cpp # r\nbase/sys/main.cpp # r\n")
        self.bad(mirror, "mirror: 1 offender(s)", "base/sys/a.cpp: no CMakeLists.txt of its room names it")

    def test_a_source_without_one_is_not(self):
        self.put("agent/a.cpp", "")
        self.bad(mirror, "agent/a.cpp: no tests/unit/agent/a_test.cpp: write it, and name it in the CMakeLists.txt there")

    def test_an_exception_needs_a_reason(self):
        self.put("agent/main.cpp", "")
        self.put("agent/CMakeLists.txt", "hearth_program(hearth-agent main.cpp)\n")
        self.put(mirror.ALLOWED, "agent/main.cpp  # three lines; the e2e tests run it\n")
        self.good(mirror)
        self.put(mirror.ALLOWED, "agent/main.cpp\n")
        self.bad(mirror, "untested.txt:1: no reason")

    def test_an_exception_that_is_no_longer_true_goes(self):
        self.put("base/a.cpp", "")
        self.put("tests/unit/base/a_test.cpp", "")
        self.put("tests/unit/base/CMakeLists.txt", "a_test.cpp")
        self.put(mirror.ALLOWED, "base/a.cpp  # hard\nbase/gone.cpp  # hard\n")
        self.bad(mirror, "base/a.cpp has a test now", "there is no base/gone.cpp")

    def test_a_test_that_is_never_built_is_found(self):
        self.put("base/a.cpp", "")
        self.put("tests/unit/base/a_test.cpp", "")
        self.put("tests/unit/base/CMakeLists.txt", "hearth_unit_tests(base SOURCES aa_test.cpp)")
        self.bad(mirror, "a_test.cpp: no CMakeLists.txt names it")


class Forbidden(LintTest):
    def test_ordinary_code_is_fine(self):
        self.put("builder/a.cpp", '// system("x") and ::fork() are only talked of\n'
                                  'const char* text = "popen(x)"; int n = 1\'000;\n'
                                  "auto fd = Fd::open(path); file.open(x); boost::system::error_code e; unfork(1);\n")
        self.put("base/sys/a.cpp", "int fd = ::open(path, 0); auto pid = ::fork();\n")
        self.put("README.md", "mkstemp wants XX" "XXXX\n")
        self.good(forbidden)

    def test_each_raw_call_is_found(self):
        calls = ("std::system(x)", "system (x)", "::popen(x, y)", "::fork()", "vfork()", "::open(p, 0)",
                 "::openat(d, p, 0)", "std::filesystem::remove_all(p)", "entry.symlink_status()")
        for call in calls:
            self.put("builder/a.cpp", f"void f() {{\n  {call};\n}}\n")
            self.bad(forbidden, "builder/a.cpp:2:", "1 offender")

    def test_marks_of_unfinished_work_are_found_anywhere(self):
        for mark in ("TO" "DO", "FIX" "ME", "XX" "X"):
            self.put("elements/a/README.md", f"first\n{mark}: later\n")
            self.bad(forbidden, f"elements/a/README.md:2: {mark}")

    def test_a_skip_is_said_as_the_report_reads_it(self):
        for path, said in (("tests/a.sh", 'echo "skip' 'ped: no x"'), ("tests/a.py", 'print(f"skip' 'ped: {x}")')):
            self.put(path, f"first\n{said}\n")
            self.bad(forbidden, f"{path}:2:", "1 offender")
            self.put(path, f"first\n{said.replace('skip' 'ped', 'SKIPPED')}\n")
            self.good(forbidden)

    def test_no_hook_names_a_file_by_its_pid(self):
        self.put("elements/a/install.d/10-a", "#!/bin/bash\ncp a \".b.$$\"\n")
        self.bad(forbidden, "elements/a/install.d/10-a:2: $$", "1 offender")
        self.put("elements/a/install.d/10-a", "#!/bin/bash\ncp a \"$(mktemp)\"\n")
        self.put("elements/a/README.md", "not $$\n")
        self.good(forbidden)

    def test_a_path_of_a_target_is_not_the_hosts_to_resolve(self):
        for read in ('read(root / "etc/os-release")', "list(target_ / name)", 'read(k_target_root / "x")', "GuestPath(p).in(tree)"):
            self.put("builder/a.cpp", f"void f() {{\n  {read};\n}}\n")
            self.bad(forbidden, "builder/a.cpp:2:", "TreeReader")
        self.put("builder/a.cpp", 'auto a = subroot / "x"; auto b = options.root / "y"; n = roots / 2; // root / "z"\n')
        self.good(forbidden)

    def test_what_is_said_goes_through_one_place(self):
        for call in ('std::fputs(t, stdout)', 'std::fprintf(stderr, "%s", t)', 'printf("a")', "std::fwrite(t, 1, 2, stdout)", "std::cerr << t"):
            self.put("bootstrap/a.cpp", f"void f() {{\n  {call};\n}}\n")
            self.bad(forbidden, "bootstrap/a.cpp:2:", "cli::print")
        self.put("bootstrap/a.cpp", 'std::snprintf(t, 2, "a"); all_inputs(a); run("printf \'a\'"); // std::puts(t)\n')
        self.put("agent/a.cpp", "std::fputs(t, stdout);\n")
        self.good(forbidden)

    def test_what_is_dear_to_compile_is_compiled_in_one_place(self):
        for call in ("json.dump()", 'a["b"].dump(2)', "Json::parse(text)", 'std::regex("a")', "#include <nlohmann/json.hpp>",
                     "try { f(); } catch (const Json::exception& error) { log(error.what()); }"):
            self.put("metadata/a.cpp", f"void f() {{\n  {call};\n}}\n")
            self.bad(forbidden, "metadata/a.cpp:2:", "base/")
        self.put("metadata/a.cpp", "format_json(json); my_dump(); Json::parse_error e;\n"
                                   "try { f(); } catch (const Json::exception& error) { log(json_fault(error)); }\n")
        self.put("base/json.cpp", "value.dump(); Json::parse(text);\n")
        self.put("base/pattern.cpp", "std::regex regex;\n")
        self.good(forbidden)

    def test_it_does_not_matter_where_the_tree_lies(self):
        self.put("docs/a.txt", f"see {os.path.realpath(self.root)}/docs and /home/user/n\n")
        self.good(forbidden)


class Shell(LintTest):
    HOOK = "elements/a/install.d/10-a"

    def test_a_strict_hook_is_fine(self):
        self.put(self.HOOK, "#!/bin/bash\nset -eu\nset -o pipefail\necho hi\n", executable=True)
        self.put("elements/a/post-install.d/10-b", "#!/bin/sh\nset -eu\necho hi\n", executable=True)
        self.put("elements/a/environment.d/10-c", "#!/bin/bash\nexport A=1\n", executable=True)
        self.good(shell)

    def test_a_lax_hook_is_not(self):
        self.put(self.HOOK, "#!/bin/bash\nset -e\necho hi\n", executable=True)
        self.bad(shell, f"{self.HOOK}: ", "'set' lacks: pipefail u")

    def test_a_script_that_does_not_parse_is_found(self):
        self.put("a.sh", "if true; then\n")
        self.bad(shell, "a.sh")

    def test_what_shellcheck_warns_about_is_found(self):
        self.put("a.sh", "#!/bin/bash\ncd /x\nunused=1\n")
        self.bad(shell, "SC2164", "SC2034")

    def test_a_group_that_hides_a_failure_in_its_middle_is_found(self):
        for group in ("(\n  false\n  echo hi\n)", "{\n  false\n  echo hi\n} > out 2>&1", "(false; echo hi)", "x=$(\n false\n echo hi\n)"):
            self.put("a.sh", f"#!/bin/bash\nset -e\n{group} || exit 1\necho \"${{x:-}}\"\n")
            self.bad(shell, "'set -e' does not hold")
        for group in ("(cd / && false)", "(\n  cd / &&\n    false\n)", "f() {\n  false\n  true\n}\nf", "case $1 in\n  a) true ;;\nesac\ntrue"):
            self.put("a.sh", f"#!/bin/bash\nset -e\n{group} || exit 1\n")
            self.good(shell)

    def test_a_reader_that_leaves_its_pipe_early_is_found(self):
        for reader in ("grep -q a", "grep -Eiq a"):
            self.put("a.sh", f"#!/bin/bash\nset -euo pipefail\nseq 9 | {reader} || exit 1\n")
            self.bad(shell, "a.sh:3: grep -q may kill")
        for line in ("grep -q a <<<\"$(seq 9)\"", "true || grep -q a b", "bash -c 'seq 9 | grep -q a'"):
            self.put("a.sh", f"#!/bin/bash\nset -euo pipefail\n{line}\n")
            self.good(shell)
        self.put("a.sh", "#!/bin/bash\nset -eu\nseq 9 | grep -q a\n")
        self.good(shell)

    def test_options_are_read_in_every_spelling(self):
        for spelling in ("set -euo pipefail", "set -eu -o pipefail", "set -e; set -u\n  set -o pipefail  # why"):
            self.assertEqual(shell.strictness(spelling) & {"e", "u", "pipefail"}, {"e", "u", "pipefail"}, spelling)


class Report(LintTest):
    """tests/report.py: what a run of the tests says at its end."""
    RULES = "# comment\nlong\\..*  .*NOT_NOW is not set\nnot-root  .*  needs root\n"

    def run_report(self, *cases, is_root=True):
        self.put("list", self.RULES)
        rows = "".join(f'<testcase name="{name}" time="{seconds}" status="{status}">'
                       f'{"<skipped/>" if status == "notrun" else ""}<system-out>{output}</system-out></testcase>'
                       for name, seconds, status, output in cases)
        self.put("results.xml", f"<testsuite>{rows}</testsuite>")
        out = io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
            code = report.main(os.path.join(self.root, "results.xml"), os.path.join(self.root, "list"), is_root)
        return code, out.getvalue()

    def test_a_skip_that_is_listed_is_shown_with_its_reason(self):
        code, out = self.run_report(("long.a", 1, "notrun", "SKIPPED: NOT_NOW is not set"), ("b", 2, "run", "fine"))
        self.assertEqual(code, 0, out)
        self.assertIn("long.a: NOT_NOW is not set", out)

    def test_one_that_is_not_listed_fails_the_run(self):
        for name, reason in (("long.a", "the moon is full"), ("other", "NOT_NOW is not set"), ("b", "needs root")):
            code, out = self.run_report((name, 1, "notrun", f"SKIPPED: {reason}"))
            self.assertEqual(code, 1, out)
            self.assertIn("NOT LISTED", out)

    def test_without_root_more_may_skip(self):
        self.assertEqual(self.run_report(("b", 1, "notrun", "SKIPPED: needs root for x"), is_root=False)[0], 0)

    def test_a_part_that_is_left_out_of_a_test_that_passes_counts(self):
        code, out = self.run_report(("b", 1, "run", "one\nSKIPPED: ipmi: no simulator\ntwo"))
        self.assertEqual(code, 1)
        self.assertIn("part of b: ipmi: no simulator", out)

    def test_googletest_s_reason_is_found(self):
        said = "/x/a_test.cpp:5: Skipped\nno such program\n\n\n[  SKIPPED ] A.b (0 ms)\n[  SKIPPED ] 1 test, listed below:\n"
        self.assertIn("  unit.x.A.b: no such program", self.run_report(("unit.x.A", 1, "run", "[       OK ] A.c (0 ms)\n" + said))[1])
        self.assertIn("part of peers: no such program", self.run_report(("peers", 1, "run", said))[1])

    def test_the_slowest_and_the_failed_are_shown(self):
        code, out = self.run_report(*((f"t{n}", n, "run", "") for n in range(12)), ("bad", 3, "fail", "first\nlast words"))
        self.assertEqual(code, 0, out)  # that a test failed is ctest's to say
        self.assertIn("11.0 s  t11", out)
        self.assertNotIn("  t1\n", out)
        self.assertIn("bad failed after 3.0 s", out)
        self.assertIn("last words", out)

    def test_without_results_it_fails(self):
        with contextlib.redirect_stderr(io.StringIO()):
            self.assertEqual(report.main(os.path.join(self.root, "none.xml"), os.path.join(self.root, "list")), 1)


class Coverage(LintTest):
    """tests/coverage.py: each room's floor."""

    def run_coverage(self, floors, *files):
        self.put("floors", floors)
        self.put("files.json", json.dumps({"files": [{"filename": name, "line_covered": covered, "line_total": total}
                                                     for name, covered, total in files]}))
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            code = coverage.main(os.path.join(self.root, "files.json"), os.path.join(self.root, "floors"))
        return code, out.getvalue()

    def test_a_room_at_its_floor_passes_and_says_what_no_test_runs(self):
        code, out = self.run_coverage("# room, percent\nbase 80\n", ("base/a.cpp", 9, 10), ("base/b.cpp", 7, 10))
        self.assertEqual(code, 0, out)
        self.assertIn("base        80.0 % of 20 lines", out)
        self.assertIn("3 of    10  base/b.cpp", out)

    def test_below_it_fails(self):
        code, out = self.run_coverage("base 80\npxe 0\n", ("base/a.cpp", 79, 100), ("pxe/a.cpp", 0, 10))
        self.assertEqual(code, 1)
        self.assertIn("base: 79.0 % of its lines run, fewer than 80 %", out)

    def test_far_above_it_the_floor_is_raised(self):
        self.assertIn("raise its floor", self.run_coverage("base 80\n", ("base/a.cpp", 83, 100))[1])

    def test_a_room_without_floor_and_a_floor_without_room_fail(self):
        code, out = self.run_coverage("base 80\n", ("moon/a.cpp", 1, 1))
        self.assertEqual(code, 1)
        self.assertIn("moon: it has no floor", out)
        self.assertIn("base: none of its sources", out)


class Promises(LintTest):
    TESTS = {"e2e.boot_a": "all", "e2e.boot_b": "long", "unit.base.Text.is_cut": "quick"}

    def page(self, row):
        self.put("PROMISES.md", f"| promise | tried by | runs |\n|---|---|---|\n{row}\n")
        return list(promises.offenders(self.root, self.TESTS))

    def test_tests_that_are_there_are_fine(self):
        self.assertEqual(self.page("| It boots | e2e.boot_*, e2e.boot_a | all |"), [])

    def test_a_test_that_is_not_there_is_found(self):
        self.assertIn("PROMISES.md:3: there is no test e2e.boots", self.page("| It boots | e2e.boot_a, e2e.boots | all |"))

    def test_how_often_must_be_true(self):
        self.assertIn("PROMISES.md:3: e2e.boot_b runs long, not quick", self.page("| It boots | e2e.boot_b | quick |"))

    def test_a_page_that_promises_nothing_is_not_fine(self):
        self.assertEqual(len(self.page("text")), 1)

    def test_unit_tests_have_the_names_that_ctest_gives_them(self):
        text = 'TEST_P(Cut, Keeps) {}\nINSTANTIATE_TEST_SUITE_P(\n    Each, Cut, Bool());\nTEST_F(Text, is_cut) {}'
        self.assertEqual(list(promises.names_in("base", text)), ["unit.base.Each/Cut.Keeps", "unit.base.Text.is_cut"])


class Newcomers(LintTest):
    GOOD = "| `hearth a \\| b` | nothing | annoying, 3 min | mended: it says so | e2e.boot_* |"

    def faults(self, *rows, places=None):
        self.put("tests/newcomers.md", f"| try | who | places |\n|---|---|---|\n| [7](newcomers/7-maker.md) | maker | {places or len(rows)} | much |\n")
        self.put("tests/newcomers/7-maker.md", "| typed | said | cost | done | proof |\n|---|---|---|---|---|\n" + "\n".join(rows) + "\n")
        return list(newcomers.offenders(self.root, Promises.TESTS))

    def test_places_with_an_outcome_are_fine(self):
        self.assertEqual(self.faults(self.GOOD, "| `hearth c` | much | polish | stays: it is so | – |"), [])

    def test_each_place_needs_an_outcome_and_its_proof(self):
        for row, fault in (("| `hearth c` | much | polish | | – |", "it has no outcome"),
                           ("| `hearth c` | much | polish | stays: | – |", "it has no outcome"),
                           ("| `hearth c` | much | polish | mended: it says so | – |", "no test shows"),
                           ("| `hearth c` | much | polish | mended: it says so | e2e.boots |", "there is no test e2e.boots"),
                           ("| `hearth c` | much | bad | stays: it is so | – |", "is no cost"),
                           ("| `hearth c` | | polish | stays: it is so | – |", "what was said?"),
                           ("| `hearth c | d` | much | polish | stays: it is so | – |", "6 cells")):
            faults = self.faults(self.GOOD, row)
            self.assertEqual(len(faults), 1, faults)
            self.assertTrue(faults[0].startswith("tests/newcomers/7-maker.md:4: ") and fault in faults[0], faults)

    def test_pages_and_their_rows_are_as_many(self):
        self.assertEqual(self.faults(self.GOOD, places=2), ["tests/newcomers/7-maker.md: it has 1 places; tests/newcomers.md says 2"])
        self.put("tests/newcomers/8-b.md", "")
        self.assertIn("tests/newcomers/8-b.md: it has 0 places; tests/newcomers.md has no row for it", list(newcomers.offenders(self.root, Promises.TESTS)))
        os.remove(os.path.join(self.root, "tests/newcomers/7-maker.md"))
        self.assertIn("tests/newcomers.md: there is no tests/newcomers/7-maker.md", list(newcomers.offenders(self.root, Promises.TESTS)))


class Mutations(LintTest):
    ROW = "base/a.cpp\n- if (x  < 1)\n+ if (x <= 1)\nwhy: it is one too many\n"

    def faults(self, rows, text="f();\nif (x <\n    1) g();\n"):
        self.put("base/a.cpp", text)
        return list(table.faults(self.root, table.parse("t", rows)))

    def test_a_text_is_found_however_it_is_laid_out(self):
        self.assertEqual(self.faults(self.ROW), [])
        text, line = table.parse("t", self.ROW)[0].applied("f();\nif (x <\n    1) g();\n")
        self.assertEqual((text, line), ("f();\nif (x <= 1) g();\n", 2))

    def test_a_text_that_is_gone_or_is_there_twice_is_told(self):
        self.assertEqual(self.faults("\n\n" + self.ROW, "f();\n"), ["t:3: in base/a.cpp this text is not there: if (x < 1)"])
        self.assertIn("is there 2 times", self.faults(self.ROW, "if (x < 1) f(); if (x < 1) g();")[0])

    def test_a_row_without_its_why_is_refused(self):
        with self.assertRaisesRegex(ValueError, "t:1: a row has"):
            table.parse("t", "base/a.cpp\n- a\n+ b\n")

    def test_a_table_without_controls_is_not_fine(self):
        self.put("base/a.cpp", "if (x < 1)\n")
        self.put("tests/mutation/base.txt", self.ROW)
        self.bad(table, "no control that is to be noticed", "no control that is to be unnoticed")


class Format(LintTest):
    def test_layout_is_checked_and_repaired(self):
        self.put(".clang-format", "BasedOnStyle: Google\n")
        self.put("base/good.cpp", "int main() { return 0; }\n")
        self.good(layout)
        self.put("base/bad.cpp", "int   main( ){return 0;}\n")
        self.bad(layout, "base/bad.cpp")
        self.good(layout, "--fix")
        self.good(layout)


class Programs(LintTest):
    def test_the_exit_code_reaches_ctest(self):
        self.put("base/a.cpp", '#include "builder/x.hpp"\n')
        script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "layering.py")
        done = subprocess.run([sys.executable, "-B", script, self.root], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("base must not include", done.stdout)

    def test_literals_and_comments_are_blanked_in_place(self):
        code = 'a("x//y"); // z\n/* b\nc */ R"(d)" \'e\' 1\'000'
        blanked = tree.without_comments(code)
        self.assertEqual(len(blanked), len(code))
        self.assertEqual(blanked.split(), ["a(", ");", "1'000"])


if __name__ == "__main__":
    unittest.main()
