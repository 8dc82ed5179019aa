#include "metadata/roles/rendered_tree.hpp"

#include <gtest/gtest.h>

#include "metadata/model/yaml_reader.hpp"
#include "tests/fakes/memory_file_system.hpp"

namespace hearth::metadata {
namespace {

RoleSet roles() {
  return role_set(parse_yaml("[{name: Controller}, {name: Compute, disable_constraints: true, "
                             "deprecated_nic_config_name: old.yaml}]",
                             "r", 0)
                      .value_or_throw(),
                  parse_yaml("[{name: External}, {name: Gone, enabled: false}]", "n", 0).value_or_throw());
}

TEST(RenderedTree, makes_an_output_for_each_role_each_enabled_network_and_each_plain_template) {
  const RenderingRules rules =
      rendering_rules({"all.j2.yaml", "network/config/x.role.j2.yaml", "network/network_v6.network.j2.yaml",
                       "network/ports/port.network.j2.yaml", "puppet/role.role.j2.yaml"},
                      roles(), {"puppet/compute-role.yaml", "all.yaml"});
  std::vector<std::string> names;
  for (const auto& [name, rule] : rules) names.push_back(name);
  EXPECT_EQ(names, (std::vector<std::string>{"all.yaml", "network/config/controller.yaml", "network/config/old.yaml",
                                             "network/external_v6.yaml", "network/ports/external.yaml",
                                             "puppet/controller-role.yaml"}));
}

TEST(RenderedTree, is_rooted_where_its_data_lies) {
  fakes::MemoryFileSystem files;
  files.put("/t/network_data.yaml", "[]");
  files.put("/t/a/b/x.yaml", "");
  EXPECT_EQ(tree_root(files, "/t/a/b/x.yaml"), "/t");
  EXPECT_EQ(tree_root(files, "/elsewhere/x.yaml"), "/elsewhere");
}

class Rendered : public testing::Test {
 protected:
  std::string read(const std::string& name) {
    RenderedFiles tree(files, "/t", roles(), sources);
    return tree.read(name).value_or("none");
  }
  fakes::MemoryFileSystem files;
  Sources sources;
};

TEST_F(Rendered, reads_templates_in_place_of_files_and_other_files_as_they_are) {
  files.put("/t/all.j2.yaml", "{% for role in roles %}{{ role.name }} {% endfor %}{{ networks|length }}");
  files.put("/t/all.yaml", "stale");
  files.put("/t/other.yaml", "plain");
  files.put("/t/.hidden/x.j2.yaml", "h");
  EXPECT_EQ(read("/t/all.yaml"), "Controller Compute 2");
  EXPECT_EQ(read("/t/sub/../all.yaml"), "Controller Compute 2");
  EXPECT_EQ(read("/t/other.yaml"), "plain");
  EXPECT_EQ(read("/t/.hidden/x.yaml"), "none");
}

TEST_F(Rendered, gives_a_role_as_map_or_as_name_depending_on_what_the_template_says) {
  files.put("/t/a.role.j2.yaml", "{{role.name}} {{ networks[0].name_lower }}");
  files.put("/t/b.role.j2.yaml", "{{role}}{% if disable_constraints is not defined %} checked{% endif %}");
  EXPECT_EQ(read("/t/compute-a.yaml"), "Compute external");
  EXPECT_EQ(read("/t/controller-b.yaml"), "Controller checked");
  EXPECT_EQ(read("/t/compute-b.yaml"), "Compute");
}

TEST_F(Rendered, includes_from_beside_the_template_and_from_the_root) {
  files.put("/t/common/x.j2.yaml", "{% include 'part.j2' %}{% include 'top.j2' %}");
  files.put("/t/common/part.j2", "part");
  files.put("/t/top.j2", "top");
  EXPECT_EQ(read("/t/common/x.yaml"), "parttop");
}

TEST(WithoutJinja, names_what_is_rendered) {
  EXPECT_EQ(without_jinja("/t/overcloud.j2.yaml"), "/t/overcloud.yaml");
  EXPECT_EQ(without_jinja("overcloud.yaml"), "overcloud.yaml");
  EXPECT_EQ(without_jinja(".j2.yaml"), ".j2.yaml");
}

TEST_F(Rendered, names_template_and_line_of_a_fault) {
  files.put("/t/x.j2.yaml", "a\n{{ nope.x }}");
  try {
    (void)read("/t/x.yaml");
    FAIL();
  } catch (const Fault& fault) {
    EXPECT_EQ(sources.text(fault.mark()), "/t/x.j2.yaml:2:1");
  }
}

}  // namespace
}  // namespace hearth::metadata
