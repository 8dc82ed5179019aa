#include "metadata/compile/resolved.hpp"

#include <gtest/gtest.h>

#include "metadata/model/value_text.hpp"
#include "tests/unit/metadata/stack_fixture.hpp"

namespace hearth::metadata {
namespace {

TEST(ResolvedStack, shows_values_errors_and_what_waits_in_their_places) {
  const auto built = build({{"top.yaml", R"(
heat_template_version: pike
parameters: {p: {type: number, default: 3}}
resources:
  v: {type: OS::Heat::Value, properties: {value: {get_param: p}}}
  bad: {type: OS::Heat::Value, properties: {value: {list_join: [1, [a]]}}}
  inner: {type: n.yaml, properties: {x: a}}
outputs: {o: {value: {get_attr: [v, value]}}}
)"},
                            {"n.yaml", R"(
heat_template_version: pike
parameters: {x: {type: string}}
resources:
  w: {type: OS::Heat::WaitCondition, depends_on: h, properties: {handle: {get_resource: h}, timeout: 5}}
  h: {type: OS::Heat::WaitConditionHandle}
outputs: {d: {value: {get_attr: [w, data]}}}
)"}});
  const Value all = resolved_stack(built->root());
  const Value& resources = *all.find("resources");
  EXPECT_EQ(json_text(*all.find("parameters")), R"({"p": 3})");
  EXPECT_EQ(json_text(*resources.find("v")->find("properties")), R"({"value": 3})");
  EXPECT_NE(resources.find("bad")->find("properties")->find("error"), nullptr);
  EXPECT_EQ(json_text(*all.find("outputs")), R"({"o": 3})");
  const Value& nested = *resources.find("inner")->find("nested");
  EXPECT_EQ(json_text(*nested.find("outputs")), R"({"d": {"hearth::waiting": ["inner.w.data"]}})");
  EXPECT_EQ(json_text(*nested.find("resources")->find("w")->find("requires")), R"(["h"])");
}

TEST(ResolvedStack, finds_a_members_template_beside_the_template_of_its_group) {
  const auto built = build({{"top.yaml", R"(
heat_template_version: pike
resources: {inner: {type: dir/n.yaml}}
)"},
                            {"dir/n.yaml", R"(
heat_template_version: pike
resources: {g: {type: OS::Heat::ResourceGroup, properties: {resource_def: {type: m.yaml}}}}
)"},
                            {"dir/m.yaml", "heat_template_version: pike\noutputs: {o: {value: here}}\n"}});
  Resource* member = built->root().find_path("inner.g.0");
  ASSERT_NE(member, nullptr);
  EXPECT_EQ(json_text(member->owner->attribute_of(*member, {Value::string("o")})), "\"here\"");
}

TEST(ResolvedStack, lets_what_hangs_on_a_condition_that_waits_wait_too) {
  const auto built = build({{"top.yaml", R"(
heat_template_version: pike
conditions: {c: {equals: [{get_param: p}, x]}}
parameters: {p: {type: string, default: x}}
resources:
  h: {type: OS::Heat::WaitConditionHandle}
  w: {type: OS::Heat::WaitCondition, properties: {handle: {get_resource: h}, timeout: 5}}
  n: {type: n.yaml, properties: {p: {get_attr: [w, data]}}}
)"},
                            {"n.yaml", R"(
heat_template_version: pike
conditions: {c: {equals: [{get_param: p}, x]}}
parameters: {p: {type: string}}
resources:
  maybe: {type: OS::Heat::Value, condition: c, properties: {value: 1}}
  after: {type: OS::Heat::Value, depends_on: maybe, properties: {value: {get_resource: maybe}}}
)"}});
  const Value all = resolved_stack(built->root());
  const Value& nested = *all.find("resources")->find("n")->find("nested");
  EXPECT_EQ(nested.find("resources")->find("maybe"), nullptr);
  EXPECT_EQ(json_text(*nested.find("resources")->find("after")->find("properties")),
            R"({"value": {"hearth::waiting": ["w.data"]}})");
}

TEST(ResolvedStack, waits_for_addresses_on_a_network_of_the_cloud_and_takes_them_from_what_is_learned) {
  const auto built = build({{"top.yaml", R"(
heat_template_version: pike
resources: {p: {type: OS::Neutron::Port, properties: {network: ctlplane}}}
outputs: {a: {value: {get_attr: [p, fixed_ips, 0, ip_address]}}}
)"}});
  EXPECT_EQ(json_text(built->root().output("a")), R"({"hearth::waiting": ["p.fixed_ips"]})");
  const Value address = map_of({{"ip_address", Value::string("192.0.2.9")}});
  (void)built->root().learn("p", map_of({{"fixed_ips", Value::list({address})}}));
  EXPECT_EQ(json_text(built->root().output("a")), "\"192.0.2.9\"");
}

}  // namespace
}  // namespace hearth::metadata
