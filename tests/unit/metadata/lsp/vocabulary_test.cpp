#include "metadata/lsp/vocabulary.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "metadata/compile/files.hpp"
#include "metadata/lsp/look.hpp"

namespace hearth::metadata::lsp {
namespace {

using testing::Contains;
using testing::ElementsAre;

TEST(Vocabulary, knows_a_nested_template_and_what_the_registry_maps_to_it) {
  MapFiles files(
      std::map<std::string, std::string>{{"t/in.yaml",
                                          "heat_template_version: 2018-08-31\ndescription: inner\n"
                                          "parameters: {size: {type: number}}\noutputs: {ip: {value: 1}}\n"}});
  Registered registered;
  const std::uint32_t source = registered.sources.add("t/env.yaml");
  registered.registry = Registry(map_of({{"My::Type", Value::string("in.yaml").with_mark({source, 1, 1})}}));
  const Vocabulary words(readable_part("heat_template_version: 2018-08-31\nresources:\n  a: {type: in.yaml}\n"
                                       "  b: {type: My::Type}\n"),
                         "t/top.yaml", files, registered);
  for (const char* resource : {"a", "b"}) {
    const TypeFacts* facts = words.facts_of(resource);
    ASSERT_NE(facts, nullptr) << resource;
    EXPECT_EQ(facts->name, "t/in.yaml");
    EXPECT_EQ(facts->properties.front().first, "size");
    EXPECT_THAT(words.attributes_of(resource), ElementsAre("ip"));
  }
  EXPECT_THAT(words.types(), Contains("My::Type"));
  EXPECT_THAT(words.types(), Contains("OS::Heat::SoftwareConfig"));
}

/// A deployment has the outputs of its configuration.
TEST(Vocabulary, knows_what_a_deployment_puts_out) {
  MapFiles files(std::map<std::string, std::string>{});
  const Registered registered;
  const Vocabulary words(
      readable_part("heat_template_version: 2018-08-31\nresources:\n"
                    "  c: {type: OS::Heat::SoftwareConfig, properties: {outputs: [{name: result}]}}\n"
                    "  d: {type: OS::Heat::SoftwareDeployment, properties: {config: {get_resource: c}}}\n"),
      "top.yaml", files, registered);
  EXPECT_THAT(words.attributes_of("d"), Contains("result"));
  EXPECT_THAT(words.attributes_of("d"), Contains("deploy_stdout"));
}

}  // namespace
}  // namespace hearth::metadata::lsp
