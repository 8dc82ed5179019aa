#include "builder/elements/dependency_graph.hpp"

#include <gmock/gmock.h>

#include "tests/unit/builder/element_tree.hpp"

namespace hearth::builder {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

struct DependencyGraphTest : testing::Test {
  fakes::MemoryFileSystem files;
  ElementTree tree{files};

  DependencyGraph graph(const Names& roots) { return dependency_graph(tree.catalog(), roots); }
};

TEST_F(DependencyGraphTest, TheTreeShowsEachElementOnceInFull) {
  tree.add("a", "c b").add("b", "d nothing").add("c", "b").add("d").add("grub", "", "boot").add("e", "boot");
  EXPECT_EQ(graph_tree(graph({"a", "e"})),
            "a\n"
            "  c\n"
            "    b\n"
            "      d\n"
            "      nothing (unknown)\n"
            "  b …\n"
            "e\n"
            "  boot (one of: grub)\n");
}

TEST_F(DependencyGraphTest, DotMarksWhatIsProvidedOrUnknown) {
  tree.add("a", "boot nothing").add("grub", "", "boot");
  EXPECT_EQ(graph_dot(graph({"a", "grub"})),
            "digraph elements {\n  rankdir=LR;\n  node [shape=box];\n"
            "  \"a\";\n  \"a\" -> \"boot\";\n  \"a\" -> \"nothing\";\n"
            "  \"boot\" [style=dashed];\n  \"boot\" -> \"grub\" [style=dashed];\n"
            "  \"grub\";\n"
            "  \"nothing\" [color=red];\n}\n");
}

TEST_F(DependencyGraphTest, AnUnknownRootIsRefusedWithTheNearestName) {
  tree.add("debian");
  EXPECT_THAT(story_of([&] { return graph({"debain"}); }),
              HasSubstr("Element 'debain' not found; did you mean 'debian'?"));
}

TEST_F(DependencyGraphTest, EachCycleIsFoundOnce) {
  tree.add("a", "b").add("b", "c").add("c", "b d").add("d", "d").add("e", "a");
  EXPECT_THAT(find_cycles(graph({"e"})), ElementsAre(ElementsAre("b", "c", "b"), ElementsAre("d", "d")));
  EXPECT_THAT(graph_tree(graph({"b"})), HasSubstr("    b (cycle)\n"));
}

TEST_F(DependencyGraphTest, ADiamondIsNoCycle) {
  tree.add("a", "b c").add("b", "d").add("c", "d").add("d");
  EXPECT_THAT(find_cycles(graph({"a"})), IsEmpty());
}

}  // namespace
}  // namespace hearth::builder
