"""lending.py tells who may help whom."""

import unittest

import lending


class Lending(unittest.TestCase):
    """Which headers share a file. The second of two is what may need help, and includes what is given as the third."""

    def together(self, first, second, third=""):
        texts = {"a.hpp": first, "c.hpp": second, "t.hpp": third}
        reached = {"a.hpp": set(), "t.hpp": set(), "c.hpp": {"t.hpp"}}
        found = lending.helpers({path: lending.Header(text) for path, text in texts.items()}, reached, ())
        return ["a.hpp", "c.hpp"] in lending.rows(["a.hpp", "c.hpp"], reached, found)

    def test_headers_with_nothing_for_each_other(self):
        for first, second, third in (
                ("namespace n {\nstruct A { enum class Kind { x }; int b; };\nvoid f(int b);\n}", "namespace n {\nKind b(int x);\n}", ""),
                ("struct A;", "void c(const A&);", "struct A {};"), ("struct A;", "struct A;\nvoid c(A&);", ""),
                ("int f();  // g", 'inline auto c = "f";  // f', ""), ("int size();", "int c = a.size() + std::size(a);", ""),
                ("namespace n::m {\nstruct A {};\n}", "namespace n::o {\nstruct A {};\n}", "")):
            self.assertTrue(self.together(first, second, third), (first, second))

    def test_headers_that_may_help(self):
        for first, second, third in (
                ("struct A {};", "A c();", ""), ("struct A;", "A* c();", ""), ("int f(int);", "int c = f(1);", ""),
                ("#define F 1", "int c = F;", ""), ("#define G 1", "int c = F;", "#define F G"), ("enum { x, y };", "int c = y;", ""),
                ("enum E : int {\n  x\n};", "int c = x;", ""), ("using F = int;", "F c();", ""), ("extern const int f[3];", "int c = f[0];", ""),
                ("inline int f{1};", "int c = f;", ""), ("template <typename T>\nconcept F = true;", "template <F T> void c();", ""),
                ("template <typename T> struct alignas(8) F {};", "F<int> c();", ""), ("namespace f {}", "using namespace f;", ""),
                ("namespace n {\nstruct A {};\n}", "n::A c();", "namespace n {}"), ("int f(A);", "int f(B);\nint c = f(1);", "int f(B);"),
                ("namespace n {\nstruct A {};\n}", "A c();", "namespace n {}\nusing namespace n;"),
                ("struct A {};", "auto c = t().x;", "struct A;\nA& t();"), ("struct A::B {};", "auto c = t().x;", "struct A { struct B; B& t(); };"),
                ("bool operator==(A, A);", "bool c = t == t;", ""), ("template <> struct T<int> {};", "T<int> c;", "template <typename> struct T;"),
                ("namespace std {\nint f();\n}", "int c = std::f();", ""), ("int f() {", "int c;", "")):
            self.assertFalse(self.together(first, second, third), (first, second))

    def test_what_others_headers_bring_counts_unless_everybody_has_it(self):
        reached = {"a.hpp": {"csignal", "string"}, "c.hpp": set()}
        found = lending.helpers({path: lending.Header("") for path in reached}, reached, {"string"})
        self.assertEqual(found["c.hpp"], {"csignal"})

    def test_what_another_includes_is_not_behind_it(self):
        reached = {"a.hpp": set(), "b.hpp": {"a.hpp"}, "c.hpp": {"a.hpp", "b.hpp"}}
        self.assertEqual(lending.rows(reached, reached, {path: set() for path in reached}), [["a.hpp", "b.hpp", "c.hpp"]])


if __name__ == "__main__":
    unittest.main()
