#include "metadata/roles/role_set.hpp"

#include <gtest/gtest.h>

#include "metadata/model/yaml_reader.hpp"
#include "tests/fakes/memory_file_system.hpp"

namespace hearth::metadata {
namespace {

Value yaml(const char* text) { return parse_yaml(text, "r.yaml", 1).value_or_throw(); }

TEST(RoleSet, keeps_roles_in_order_and_gives_networks_index_and_lower_name) {
  const RoleSet set = role_set(yaml("[{name: Controller, CountDefault: 1}, {name: Compute}]"),
                               yaml("[{name: External}, {name: Gone, enabled: false}, {name: A, name_lower: low}]"));
  ASSERT_EQ(set.roles.size(), 2U);
  EXPECT_EQ(set.roles[1].name, "Compute");
  ASSERT_EQ(set.networks.size(), 2U);
  EXPECT_EQ(set.networks[0].name_lower, "external");
  EXPECT_EQ(set.networks[1].name_lower, "low");
  EXPECT_EQ(set.networks[1].data.find("idx")->as_integer(), 2);
  ASSERT_EQ(set.all_networks.items().size(), 3U);
  EXPECT_EQ(set.all_networks.items()[1].find("name_lower"), nullptr);
}

TEST(RoleSet, refuses_what_is_no_list_of_named_maps) {
  const auto fault = [](const char* roles, const char* networks) -> std::string {
    try {
      (void)role_set(yaml(roles), yaml(networks));
    } catch (const Fault& found) {
      return std::to_string(found.mark().line) + ": " + found.text();
    }
    return "fine";
  };
  EXPECT_EQ(fault("{a: 1}", "[]"), "1: roles data is a list of roles, one at least");
  EXPECT_EQ(fault("- name: A\n- x: 1", "[]"), "2: each role is a map with a name");
  EXPECT_EQ(fault("- name: A\n- name: A", "[]"), "2: there are two roles A; the first is in line 1");
  EXPECT_EQ(fault("- name: ../A", "[]"), "1: the name of a role becomes part of a file's name: no / in it");
  EXPECT_EQ(fault("[{name: A}]", "{}"), "1: network data is a list of networks");
}

TEST(RoleSet, names_file_and_line_of_bad_yaml_and_takes_missing_optional_files_for_none) {
  fakes::MemoryFileSystem files;
  files.put("/r.yaml", "a: 1\nb: [");
  Sources sources;
  EXPECT_TRUE(read_yaml_file(files, "/none.yaml", sources, true).is_null());
  EXPECT_THROW((void)read_yaml_file(files, "/none.yaml", sources), Fault);
  try {
    (void)read_yaml_file(files, "/r.yaml", sources);
    FAIL();
  } catch (const Fault& fault) {
    EXPECT_EQ(sources.text(fault.mark()).substr(0, 9), "/r.yaml:2");
  }
}

}  // namespace
}  // namespace hearth::metadata
