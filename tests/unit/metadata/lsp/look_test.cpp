#include "metadata/lsp/look.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.hpp"
#include "tests/fakes/memory_file_system.hpp"

namespace hearth::metadata::lsp {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> findings(const std::string& text, const FileReader& disk = fakes::MemoryFileSystem()) {
  const TextDocument document(text);
  OpenFiles files(disk);
  files.set("/t/top.yaml", &document.text());
  std::vector<std::string> all;
  for (const Finding& each : look_at(document, files, {.name = "/t/top.yaml"})) {
    all.push_back(cat(each.where.begin.line, ":", each.where.begin.unit, "-", each.where.end.unit, " ",
                      each.error ? "error " : "warning ", replace_all(each.message, "\n", " / ")));
  }
  return all;
}

constexpr const char* k_head = "heat_template_version: 2018-08-31\n";

/// The place is a stretch of the word, in UTF-16, and the advice stands behind the text.
TEST(Look, tells_all_mistakes_where_they_are) {
  EXPECT_THAT(
      findings(cat(k_head, "parameters:\n  n: {type: string}\nresources:\n  a:\n    type: OS::Heat::Nne\n",
                   "  b:\n    type: OS::Heat::Value\n",
                   "    properties: {value: [\"\xf0\x9f\x98\x80\", {get_param: m}]}\n")),
      ElementsAre(AllOf(HasSubstr("5:10-23 error "), HasSubstr("Did you mean OS::Heat::None?")),
                  AllOf(HasSubstr("8:43-44 error "), HasSubstr("Did you mean n?")), HasSubstr("2:2-3 warning ")));
}

TEST(Look, a_parameter_without_a_value_is_no_mistake) {
  EXPECT_THAT(findings(cat(k_head, "parameters:\n  n: {type: number}\n", "outputs: {o: {value: {get_param: n}}}\n")),
              IsEmpty());
}

TEST(Look, a_text_that_nobody_can_parse_is_told_with_what_else_is_wrong) {
  const std::vector<std::string> told =
      findings(cat(k_head, "resources:\n  a:\n    type: OS::Heat::Vlue\n  b: {type: [\n"));
  EXPECT_THAT(told, testing::Contains(HasSubstr("OS::Heat::Vlue")));
  EXPECT_THAT(told, testing::Contains(HasSubstr("Error parsing template")));
}

TEST(Look, a_mistake_in_another_file_is_told_where_that_is_named) {
  fakes::MemoryFileSystem disk;
  disk.make_directories("/t", 0755);
  disk.write("/t/in.yaml", cat(k_head, "resources: {x: {type: OS::Heat::Nne}}\n"), {});
  EXPECT_THAT(findings(cat(k_head, "resources:\n  a: {type: in.yaml}\n"), disk),
              ElementsAre(AllOf(HasSubstr("2:12-19 error in.yaml:2:23: "), HasSubstr("OS::Heat::Nne"))));
}

TEST(Look, templates_are_known_by_their_version) {
  EXPECT_TRUE(is_template_text("# x\nheat_template_version: ["));
  EXPECT_TRUE(is_template_text("{\"heat_template_version\": \"2018-08-31\"}"));
  EXPECT_FALSE(is_template_text("a: heat_template_version\n"));
}

}  // namespace
}  // namespace hearth::metadata::lsp
