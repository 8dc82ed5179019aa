#include "bootstrap/why/commands.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/json.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"
#include "metadata/commands.hpp"

namespace hearth::bootstrap {
namespace {

why::ImageFacts no_image(const std::string& name) { throw Error(ErrorKind::not_found, cat("no image ", name)); }

/// What `hearth why WORDS` refuses, where there is neither a conductor nor a stack service.
std::string refused_words(const std::vector<std::string>& words, ErrorKind kind) {
  const TempDir place = TempDir::create(fs::temp_directory_path(), "why.");
  cli::Arguments arguments;
  for (const std::string& word : words) arguments.add_operand(word);
  arguments.add("state", (place.path() / "node").string());
  arguments.add("stack-url", "http://127.0.0.1:9/v1/p");
  try {
    why_commands(no_image, {}).front().run(arguments);
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
  EXPECT_NE(refused_words({"pag", "x"}, ErrorKind::usage).find("hearth why page"), std::string::npos);
  EXPECT_NE(refused_words({"demo", "d"}, ErrorKind::usage).find("hearth why stack demo d"), std::string::npos);
  EXPECT_NE(refused_words({"node", "web1", "web2"}, ErrorKind::usage).find("name one thing"), std::string::npos);
}

TEST(WhyCommand, WhereNothingIsKnownItSaysWhereItLooked) {
  const std::string all = refused_words({"web1"}, ErrorKind::not_found);
  EXPECT_NE(all.find("no image was built as web1 here"), std::string::npos) << all;
  EXPECT_NE(all.find("no conductor has its state in"), std::string::npos) << all;
  EXPECT_NE(all.find("the stack service: "), std::string::npos) << all;
  EXPECT_EQ(refused_words({"stack", "web1"}, ErrorKind::not_found).find("conductor"), std::string::npos);
}

TEST(WhyCommand, AnImageIsExplainedByItsBuildWithTheCauseBeforeTheTable) {
  const auto told = [](bool as_json) {
    cli::Arguments arguments;
    arguments.add_operand("image");
    arguments.add_operand("web.qcow2");
    if (as_json) arguments.add("json", "");
    const auto rows = why_commands(
        [](const std::string& image) {
          EXPECT_EQ(image, "web.qcow2");
          const Json step = {{"step", "install.d/5-b"}, {"outcome", "ran"}, {"seconds", 1}, {"why", {"it is new"}}};
          return why::ImageFacts{{{"taken", 0}, {"steps", {step}}}, "  ran   install.d/5-b\n", "web.d"};
        },
        {});
    testing::internal::CaptureStdout();
    EXPECT_EQ(rows.front().run(arguments), 0);
    return testing::internal::GetCapturedStdout();
  };
  const std::string text = told(false);
  EXPECT_EQ(text.find("image web.qcow2: install.d/5-b ran because it is new.\n  seen: "), 0U) << text;
  EXPECT_LT(text.find("\n  next: "), text.find("\n  ran   install.d/5-b\n")) << text;
  const Json json = parse_json(told(true), "answer").value_or_throw();
  EXPECT_EQ(json[0]["kind"], "image");
  EXPECT_EQ(json[0]["findings"][0]["cause"], "install.d/5-b ran because it is new.");
}

/// `hearth why value node KEY` of a small stack; what it prints.
std::string told_of_value(const std::string& key, const std::vector<std::string>& more) {
  const TempDir place = TempDir::create(fs::temp_directory_path(), "why.");
  const std::string file = (place.path() / "t.yaml").string();
  RealFileSystem().write(
      file,
      "heat_template_version: 2018-08-31\nresources:\n"
      "  server: {type: OS::Heat::DeployedServer, properties: {name: node}, metadata: {a: {b: 7}}}\n"
      "  c: {type: OS::Heat::SoftwareConfig, properties: {group: script, config: x, inputs: [{name: i}], outputs: "
      "[{name: o}]}}\n"
      "  d: {type: OS::Heat::SoftwareDeployment, properties: {name: first, config: {get_resource: c}, server: "
      "{get_resource: server}}}\n"
      "  e: {type: OS::Heat::SoftwareDeployment, properties: {name: late, config: {get_resource: c}, server: "
      "{get_resource: server}, input_values: {i: {get_attr: [d, o]}}}}\n",
      {});
  const std::vector<cli::Command> rows = metadata::commands();
  const auto explain =
      std::find_if(rows.begin(), rows.end(), [](const auto& row) { return row.words == "metadata explain"; });
  const cli::Command why = why_commands(no_image, *explain).front();
  EXPECT_EQ(std::count_if(why.options.begin(), why.options.end(), [](const auto& row) { return row.name == "json"; }),
            1);
  EXPECT_THROW(why.run(cli::parse_options(why.options, {"web1", "-t", file})), Error) << "no node has a template";
  std::vector<std::string> words = {"value",
                                    "node",
                                    key,
                                    "-t",
                                    file,
                                    "--stack-url",
                                    "http://127.0.0.1:9/v1/p",
                                    "--state",
                                    (place.path() / "node").string()};
  words.insert(words.end(), more.begin(), more.end());
  testing::internal::CaptureStdout();
  EXPECT_EQ(why.run(cli::parse_options(why.options, words)), 0);
  return testing::internal::GetCapturedStdout();
}

TEST(WhyCommand, AValueIsExplainedByItsTemplates) {
  const std::string told = told_of_value("a.b", {});
  EXPECT_EQ(told.find("a.b = 7\n"), 0U) << told;
  EXPECT_EQ(told.find("waits"), std::string::npos) << told;
}

TEST(WhyCommand, OfAValueThatWaitsTheCauseStandsFirst) {
  const std::string told = told_of_value("deployments.late.inputs.i", {});
  EXPECT_EQ(told.find("deployments.late.inputs.i is not there until the machine of node has run the deployment d"), 0U)
      << told;
  EXPECT_NE(told.find("\n  next: "), std::string::npos) << told;
  EXPECT_NE(told.find("\n  from get_attr d.o"), std::string::npos) << "where it comes from is told behind";
  const Json json = parse_json(told_of_value("deployments.late.inputs.i", {"--json"}), "answer").value_or_throw();
  EXPECT_EQ(json["waits_for"], Json::array({"d.o"}));
  EXPECT_EQ(json["causes"].size(), 1U);
}

}  // namespace
}  // namespace hearth::bootstrap
