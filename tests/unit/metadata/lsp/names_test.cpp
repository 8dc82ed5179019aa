#include "metadata/lsp/names.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.hpp"
#include "metadata/compile/files.hpp"
#include "metadata/lsp/look.hpp"

namespace hearth::metadata::lsp {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::string k_named_text =
    "heat_template_version: 2018-08-31\n"
    "parameters:\n"
    "  size: {type: number}\n"
    "  'flavor': {type: string}\n"
    "parameter_groups:\n"
    "  - label: all\n"
    "    parameters: [size, flavor]\n"
    "conditions:\n"
    "  big: {equals: [{get_param: size}, 4]}\n"
    "  small: {not: big}\n"
    "resources:\n"
    "  size:\n"
    "    type: OS::Heat::Value\n"
    "    condition: big\n"
    "    properties: {value: {get_param: size}}  # of size\n"
    "  b:\n"
    "    type: OS::Heat::Value\n"
    "    depends_on: [size]\n"
    "    properties:\n"
    "      value:\n"
    "        list_join: [size, [{get_attr: [size, value]}, {get_param: \"flavor\"}, {if: [big, size, 1]}]]\n"
    "outputs:\n"
    "  size: {value: {get_resource: size}}\n";

struct Named {
  MapFiles files{{}};
  Registered registered;
  Vocabulary words{readable_part(k_named_text), "top.yaml", files, registered};

  /// "LINE: what stands before it", a "!" where it is defined.
  std::vector<std::string> places(const char* section, const char* name) {
    std::vector<std::string> found;
    const std::vector<Occurrence> all = occurrences(k_named_text, {section, name}, words).value();
    for (const Occurrence& place : all) {
      EXPECT_EQ(k_named_text.substr(place.begin, place.end - place.begin), name);
      const std::string before = k_named_text.substr(0, place.begin);
      found.push_back(cat(std::count(before.begin(), before.end(), '\n') + 1, place.defines ? "!" : ""));
    }
    return found;
  }
};

TEST(Names, EachIsFoundWhereItIsMeantAndNowhereElse) {
  Named named;
  EXPECT_THAT(named.places("parameters", "size"), ElementsAre("3!", "7", "9", "15"));
  EXPECT_THAT(named.places("parameters", "flavor"), ElementsAre("4!", "7", "21"));
  EXPECT_THAT(named.places("resources", "size"), ElementsAre("12!", "18", "21", "23"));
  EXPECT_THAT(named.places("conditions", "big"), ElementsAre("9!", "10", "14", "21"));
}

TEST(Names, OneThatIsTakenOrIsNoneIsRefused) {
  Named named;
  const auto fault = [&](const char* section, const std::string& to) {
    return rename_fault({section, section == std::string("resources") ? "b" : "size"}, to, named.words);
  };
  EXPECT_EQ(fault("parameters", "amount"), "");
  EXPECT_EQ(fault("parameters", "size"), "");
  EXPECT_EQ(fault("parameters", "big"), "") << "a condition has that name";
  EXPECT_EQ(fault("parameters", "flavor"), "there is a parameter flavor already, in line 4");
  EXPECT_EQ(fault("resources", "size"), "there is a resource size already, in line 12");
  EXPECT_THAT(fault("parameters", "OS::stack_name"), HasSubstr("Heat's own"));
  EXPECT_THAT(fault("parameters", "a b"), HasSubstr("is no name"));
  EXPECT_THAT(fault("parameters", ""), HasSubstr("is no name"));
  EXPECT_THAT(fault("parameters", "Yes"), HasSubstr("YAML reads Yes"));
}

TEST(Names, ATemplateIsAnOutlineOfItsSections) {
  const std::vector<Symbol> all = outline(k_named_text, readable_part(k_named_text));
  std::vector<std::string> names;
  for (const Symbol& section : all) names.push_back(cat(section.name, ":", section.children.size()));
  EXPECT_THAT(names, ElementsAre("heat_template_version:0", "parameters:2", "parameter_groups:0", "conditions:2",
                                 "resources:2", "outputs:1"));
  const Symbol& flavor = all[1].children[1];
  EXPECT_EQ(flavor.detail, "string");
  EXPECT_EQ(flavor.kind, SymbolKind::parameter);
  EXPECT_EQ(k_named_text.substr(flavor.begin, flavor.end - flavor.begin), "'flavor': {type: string}");
  EXPECT_EQ(k_named_text.substr(flavor.begin, flavor.name_end - flavor.begin), "'flavor'");
  const Symbol& size = all[4].children[0];
  EXPECT_EQ(size.detail, "OS::Heat::Value");
  EXPECT_EQ(k_named_text.substr(size.end, 5), "\n  b:");
}

TEST(Names, WhatIsNoTemplateHasNoOutline) { EXPECT_TRUE(outline("- a\n", readable_part("- a\n")).empty()); }

}  // namespace
}  // namespace hearth::metadata::lsp
