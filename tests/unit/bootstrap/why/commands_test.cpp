#include "bootstrap/why/commands.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"

namespace hearth::bootstrap {
namespace {

/// What `hearth why WORDS` refuses, where there is neither a conductor nor a stack service.
std::string refused_words(const std::vector<std::string>& words, ErrorKind kind) {
  const TempDir place = TempDir::create(fs::temp_directory_path(), "why.");
  cli::Arguments arguments;
  for (const std::string& word : words) arguments.add_operand(word);
  arguments.add("state", (place.path() / "node").string());
  arguments.add("stack-url", "http://127.0.0.1:9/v1/p");
  try {
    why_commands([](const cli::Arguments&) { return 7; }, {}).front().run(arguments);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), kind);
    EXPECT_FALSE(fs::exists(place.path() / "node"));
    return error.story();
  }
  return "";
}

TEST(WhyCommand, SaysWhatCanBeNamed) {
  EXPECT_NE(refused_words({}, ErrorKind::usage).find("Name an image, a node or a stack"), std::string::npos);
  EXPECT_NE(refused_words({""}, ErrorKind::usage).find("the name is empty"), std::string::npos);
  EXPECT_NE(refused_words({"stack", ""}, ErrorKind::usage).find("the name is empty"), std::string::npos);
  EXPECT_NE(refused_words({"nodes", "web1"}, ErrorKind::usage).find("hearth why node web1"), std::string::npos);
  EXPECT_NE(refused_words({"node", "web1", "web2"}, ErrorKind::usage).find("name one thing"), std::string::npos);
}

TEST(WhyCommand, WhereNothingIsKnownItSaysWhereItLooked) {
  const std::string all = refused_words({"web1"}, ErrorKind::not_found);
  EXPECT_NE(all.find("no image was built as web1 here"), std::string::npos) << all;
  EXPECT_NE(all.find("no conductor has its state in"), std::string::npos) << all;
  EXPECT_NE(all.find("the stack service: "), std::string::npos) << all;
  EXPECT_EQ(refused_words({"stack", "web1"}, ErrorKind::not_found).find("conductor"), std::string::npos);
}

TEST(WhyCommand, AnImageIsExplainedByItsBuild) {
  cli::Arguments arguments;
  arguments.add_operand("image");
  arguments.add_operand("web.qcow2");
  std::string asked;
  const auto rows = why_commands(
      [&](const cli::Arguments& image) {
        asked = image.operands().front();
        return 7;
      },
      {});
  EXPECT_EQ(rows.front().run(arguments), 7);
  EXPECT_EQ(asked, "web.qcow2");
}

TEST(WhyCommand, AValueIsExplainedByItsTemplates) {
  std::string asked;
  cli::Command explain;
  explain.options = {{"template", 't', "FILE", ""}, {"json", 0, "", ""}};
  explain.run = [&](const cli::Arguments& value) {
    asked = cat(join(value.operands(), " "), " of ", join(value.values("template"), "+"));
    return 5;
  };
  const cli::Command why = why_commands([](const cli::Arguments&) { return 7; }, explain).front();
  EXPECT_EQ(std::count_if(why.options.begin(), why.options.end(), [](const auto& row) { return row.name == "json"; }),
            1);
  EXPECT_EQ(why.run(cli::parse_options(why.options, {"value", "web1", "a.b", "-t", "t.yaml", "--state", "x"})), 5);
  EXPECT_EQ(asked, "web1 a.b of t.yaml");
  EXPECT_THROW(why.run(cli::parse_options(why.options, {"web1", "-t", "t.yaml"})), Error) << "no node has a template";
}

}  // namespace
}  // namespace hearth::bootstrap
