#include "bootstrap/why/commands.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/sys/file.hpp"

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
    why_commands([](const cli::Arguments&) { return 7; }).front().run(arguments);
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
  const auto rows = why_commands([&](const cli::Arguments& image) {
    asked = image.operands().front();
    return 7;
  });
  EXPECT_EQ(rows.front().run(arguments), 7);
  EXPECT_EQ(asked, "web.qcow2");
}

}  // namespace
}  // namespace hearth::bootstrap
