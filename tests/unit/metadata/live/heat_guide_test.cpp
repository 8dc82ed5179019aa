#include "metadata/live/heat_guide.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"

namespace hearth::metadata::live {
namespace {

using testing::Contains;
using testing::HasSubstr;

TEST(HeatGuide, ShowsTypesAsTheFieldsClientExpectsThem) {
  const HeatGuide guide;
  EXPECT_THAT(guide.resource_types(), Contains("OS::Heat::SoftwareDeployment"));
  const Json type = *guide.resource_type("OS::Heat::RandomString");
  EXPECT_EQ(type["properties"]["length"]["type"], "integer");
  EXPECT_EQ(type["properties"]["length"]["default"], 32);
  EXPECT_EQ(type["properties"]["length"]["constraints"][0]["range"]["max"], 512);
  EXPECT_TRUE(type["attributes"].contains("value"));
  EXPECT_EQ(type["support_status"]["status"], "SUPPORTED");
  EXPECT_FALSE(guide.resource_type("No::Such"));
  const Json hot = *guide.type_template("OS::Heat::RandomString", true);
  EXPECT_EQ(hot["resources"]["RandomString"]["properties"]["length"]["get_param"], "length");
  EXPECT_EQ(hot["parameters"]["length"]["type"], "number");
  EXPECT_EQ((*guide.type_template("OS::Heat::RandomString", false))["Parameters"]["length"]["Type"], "Number");
}

TEST(HeatGuide, KnowsVersionsAndTheirFunctions) {
  const HeatGuide guide;
  EXPECT_EQ(guide.versions().size(), 13U);
  const std::string old = guide.functions("heat_template_version.2013-05-23", true)->dump();
  EXPECT_THAT(old, HasSubstr("get_param"));
  EXPECT_THAT(old, testing::Not(HasSubstr("yaql")));
  const Json all = *guide.functions("heat_template_version.rocky", true);
  for (const Json& row : all) EXPECT_NE(row["description"], "") << row;
  EXPECT_GT(all.size(), guide.functions("heat_template_version.rocky", false)->size());
  EXPECT_FALSE(guide.functions("heat_template_version.1999-01-01", false));
  EXPECT_FALSE(guide.functions("nothing", false));
}

TEST(HeatGuide, RefusesATemplateThatNoStackCouldBeMadeOf) {
  Json request = Json::object();
  const std::string text = "heat_template_version: 2018-08-31\nresources: {}\n#";
  const HeatGuide guide;
  request["template"] = text + std::string(524'288 - text.size(), 'x');
  EXPECT_NO_THROW((void)guide.validate(request, false));
  request["template"] = request["template"].get<std::string>() + "x";
  EXPECT_THROW((void)guide.validate(request, false), Error);
}

TEST(HeatGuide, ValidatesWithoutAskingForParameters) {
  Json request = Json::object();
  request["template"] = Json::parse(R"({"heat_template_version": "2018-08-31", "description": "d",
    "parameters": {"n": {"type": "number", "constraints": [{"range": {"min": 1, "max": 9}}]}, "s": {"type": "string", "default": "x", "hidden": true}},
    "resources": {"g": {"type": "OS::Heat::ResourceGroup", "properties": {"count": 1, "resource_def": {"type": "n.yaml"}}}}})");
  request["files"]["n.yaml"] =
      R"({"heat_template_version": "2018-08-31", "parameters": {"p": {"type": "json", "default": {}}}})";
  request["environment"]["parameter_defaults"]["q"] = 1;
  const HeatGuide guide;
  const Json shown = guide.validate(request, true);
  EXPECT_EQ(shown["Parameters"]["n"]["Type"], "Number");
  EXPECT_EQ(shown["Parameters"]["n"]["MaxValue"], 9);
  EXPECT_EQ(shown["Parameters"]["s"]["NoEcho"], "true");
  EXPECT_EQ(shown["Environment"]["parameter_defaults"]["q"], 1);
  request["parameters"]["n"] = 3;
  const Json full = guide.validate(request, true);
  EXPECT_EQ(full["Parameters"]["n"]["Value"], 3);
  EXPECT_EQ(full["NestedParameters"]["g"]["NestedParameters"]["0"]["Parameters"]["p"]["Type"], "Json");
  request["template"]["resources"]["bad"] = {{"type", "No::Such"}};
  EXPECT_THROW((void)guide.validate(request, false), Error);
}

}  // namespace
}  // namespace hearth::metadata::live
