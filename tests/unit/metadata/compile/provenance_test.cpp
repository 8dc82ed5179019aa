#include "metadata/compile/provenance.hpp"

#include <gtest/gtest.h>

#include "base/text.hpp"
#include "metadata/model/value_text.hpp"
#include "tests/unit/metadata/stack_fixture.hpp"

namespace hearth::metadata {
namespace {

std::string lines(Built& built, const std::string& path, const std::vector<std::string>& keys) {
  return join(origin_lines(property_origin(built.model.sources, *built.root().find_path(path), keys)), "\n");
}

const std::map<std::string, std::string> k_provenance_files = {{"top.yaml", R"(heat_template_version: 2018-08-31
parameters:
  who: {type: string, default: nobody}
  big: {type: boolean, default: true}
conditions: {large: {get_param: big}}
resources:
  v: {type: OS::Heat::Value, properties: {value: {str_replace: {template: hello W, params: {W: {get_param: who}}}}}}
  w: {type: OS::Heat::Value, properties: {value: {a: [fixed, {get_attr: [v, value]}]}}}
  c: {type: OS::Heat::Value, properties: {value: {if: [large, {get_file: big.txt}, small]}}}
  group:
    type: OS::Heat::ResourceGroup
    properties: {count: 1, resource_def: {type: n.yaml, properties: {given: {get_param: who}}}}
  out: {type: OS::Heat::Value, properties: {value: {get_attr: [group, resource.0, said]}}}
  one: {type: n.yaml, properties: {given: {get_attr: [v, value]}}}
  said: {type: OS::Heat::Value, properties: {value: {get_attr: [one, said]}}}
)"},
                                                               {"n.yaml", R"(heat_template_version: 2018-08-31
parameters: {given: {type: string}, other: {type: string, default: o}}
resources:
  x: {type: OS::Heat::Value, properties: {value: {list_join: ['-', [{get_param: given}, {get_param: other}]]}}}
outputs: {said: {value: {get_attr: [x, value]}}}
)"},
                                                               {"big.txt", "much"},
                                                               {"env.yaml", "parameters:\n  who: env\n"}};

TEST(Provenance, goes_from_a_function_to_the_file_that_its_parameter_is_from) {
  const auto built = build(k_provenance_files);
  EXPECT_EQ(lines(*built, "v", {"value"}),
            "  from str_replace, top.yaml:7:51 = \"hello env\"\n    from get_param who, top.yaml:7:97\n"
            "      from parameters, env.yaml:2:8");
}

TEST(Provenance, goes_through_conditions_lists_and_other_resources) {
  const auto built = build(k_provenance_files);
  EXPECT_EQ(lines(*built, "c", {"value"}),
            "  from if large is true, top.yaml:9:51\n    from get_file big.txt, top.yaml:9:64\n"
            "      from the file, big.txt");
  EXPECT_EQ(lines(*built, "w", {"value", "a", "0"}), "  from written, top.yaml:8:55");
  EXPECT_NE(
      lines(*built, "w", {"value", "a", "1"}).find("  from get_attr v.value, top.yaml:8:63\n    from str_replace"),
      std::string::npos)
      << lines(*built, "w", {"value", "a", "1"});
}

TEST(Provenance, goes_into_nested_stacks_and_out_of_them) {
  const auto built = build(k_provenance_files);
  EXPECT_EQ(lines(*built, "group.0.x", {"value"}),
            "  from list_join, n.yaml:4:51 = \"env-o\"\n    from get_param given, n.yaml:4:70\n"
            "      from property given of group.0, top.yaml:10:3\n        from get_param who, top.yaml:12:78\n"
            "          from parameters, env.yaml:2:8\n    from get_param other, n.yaml:4:90\n"
            "      from default of the parameter, n.yaml:2:68");
  EXPECT_NE(lines(*built, "out", {"value"}).find("from output said of group.0, n.yaml:5:11"), std::string::npos);
  const std::string said = lines(*built, "said", {"value"});
  EXPECT_NE(said.find("from output said of one, n.yaml:5:11"), std::string::npos) << said;
  EXPECT_NE(said.find("from parameters, env.yaml:2:8"), std::string::npos) << said;
}

TEST(Provenance, names_each_first_place_once_and_is_a_document_too) {
  const auto built = build(k_provenance_files);
  const Origin origin = property_origin(built->model.sources, *built->root().find_path("group.0.x"), {"value"});
  EXPECT_EQ(first_places(origin), (std::vector<std::string>{"env.yaml:2:8", "n.yaml:2:68"}));
  EXPECT_EQ(python_str(member(origin_document(origin), "what")), "list_join");
  EXPECT_EQ(member(origin_document(origin), "from").items().size(), 2U);
}

}  // namespace
}  // namespace hearth::metadata
