#include "metadata/compile/picture.hpp"

#include <gtest/gtest.h>

#include "tests/unit/metadata/stack_fixture.hpp"

namespace hearth::metadata {
namespace {

const std::map<std::string, std::string> k_picture_files = {
    {"top.yaml",
     "heat_template_version: 2018-08-31\nresources:\n  a: {type: OS::Heat::None}\n"
     "  g: {type: OS::Heat::ResourceGroup, depends_on: a, properties: {count: 1, resource_def: {type: "
     "OS::Heat::None}}}\n"}};

TEST(Picture, has_an_arrow_for_each_dependency_and_a_cluster_for_each_stack) {
  const auto built = build(k_picture_files);
  const std::string dot = dot_picture(built->root());
  EXPECT_NE(dot.find("\"a\" -> \"g\";"), std::string::npos);
  EXPECT_NE(dot.find("subgraph \"cluster g\""), std::string::npos);
  EXPECT_NE(dot.find("\"g.0\" [label="), std::string::npos);
  EXPECT_NE(dot.find("[label=\"a\\nOS::Heat::None\"]"), std::string::npos) << "one escape: a new line to dot";
}

TEST(Picture, draws_without_graphviz) {
  const auto built = build(k_picture_files);
  const std::string svg = svg_picture(built->root());
  EXPECT_NE(svg.find("<line "), std::string::npos);
  EXPECT_NE(svg.find(">g.0<title>OS::Heat::None</title>"), std::string::npos);
}

}  // namespace
}  // namespace hearth::metadata
