#include "metadata/compile/signals.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "metadata/model/value_text.hpp"
#include "tests/unit/metadata/case_file.hpp"
#include "tests/unit/metadata/stack_fixture.hpp"

namespace hearth::metadata {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string chain(const std::string& script) {
  return cat(R"(
heat_template_version: 2018-08-31
resources:
  server: {type: OS::Heat::DeployedServer, properties: {name: node}}
  c:
    type: OS::Heat::SoftwareConfig
    properties: {group: script, config: )",
             script, R"(, inputs: [{name: i}], outputs: [{name: o}, {name: bad, error_output: true}]}
  one: {type: OS::Heat::SoftwareDeployment, properties: {config: {get_resource: c}, server: {get_resource: server}}}
  two:
    type: OS::Heat::SoftwareDeployment
    properties: {config: {get_resource: c}, server: {get_resource: server}, input_values: {i: {get_attr: [one, o]}}}
  three:
    type: OS::Heat::SoftwareDeployment
    properties: {config: {get_resource: c}, server: {get_resource: server}, input_values: {i: {get_attr: [two, o]}}}
)");
}

std::string id_of(Stack& root, const std::string& deployment) {
  for (const ServerDocument& server : server_documents(root, {})) {
    for (const ServerDocument::Sent& sent : server.sent) {
      if (sent.deployment == deployment) return sent.id;
    }
  }
  return "";
}

std::string answer(const std::string& id, const std::string& signal) {
  return cat(R"({"server": "server", "deployment": "d", "id": ")", id, R"(", "signal": )", signal, "}\n");
}

TEST(Signals, let_the_next_deployments_be_there_as_far_as_was_answered) {
  const auto first = build({{"top.yaml", chain("x")}});
  const std::string one = answer(id_of(first->root(), "one"), R"({"o": "1", "deploy_status_code": 0})");
  EXPECT_TRUE(learn_signals(first->root(), {}, one, "s").empty());
  const std::string two = answer(id_of(first->root(), "two"), R"({"o": "2", "deploy_status_code": 0})");
  const auto again = build({{"top.yaml", chain("x")}});
  EXPECT_TRUE(learn_signals(again->root(), {}, one + two, "s").empty());
  EXPECT_NE(id_of(again->root(), "three"), "");
  EXPECT_TRUE(server_documents(again->root(), {})[0].held.empty());
}

TEST(Signals, of_what_has_changed_since_or_failed_are_told_and_not_learned) {
  const auto before = build({{"top.yaml", chain("x")}});
  const std::string id = id_of(before->root(), "one");
  const auto changed = build({{"top.yaml", chain("y")}});
  EXPECT_THAT(learn_signals(changed->root(), {}, answer(id, R"({"o": "1"})"), "s"),
              ElementsAre(HasSubstr("s:1: passed over: d of server has changed since")));
  EXPECT_EQ(id_of(changed->root(), "two"), "");
  EXPECT_THAT(learn_signals(before->root(), {}, answer(id, R"({"o": "1", "deploy_status_code": 3})"), "s"),
              ElementsAre("s:1: one failed on server: deploy_status_code is 3"));
  EXPECT_THAT(learn_signals(before->root(), {}, answer(id, R"({"o": "1", "bad": "no"})"), "s"),
              ElementsAre("s:1: one failed on server: bad is an error output"));
  EXPECT_EQ(id_of(before->root(), "two"), "");
}

TEST(Signals, that_a_crash_left_unfinished_are_passed_over) {
  const auto built = build({{"top.yaml", chain("x")}});
  const std::string whole = answer(id_of(built->root(), "one"), R"({"o": "1", "deploy_status_code": 0})");
  EXPECT_THAT(learn_signals(built->root(), {}, whole + R"({"server": "ser)", "s"),
              ElementsAre(HasSubstr("s:2: passed over: no whole signal")));
  EXPECT_NE(id_of(built->root(), "two"), "");
}

TEST(Signals, that_can_not_be_read_are_refused_with_their_line) {
  const auto built = build({{"top.yaml", chain("x")}});
  for (const char* line : {"{", "[]", R"({"server": "a"})", R"({"server": "a", "id": "i", "signal": 1})"}) {
    EXPECT_THROW((void)learn_signals(built->root(), {}, line, "s"), Error) << line;
  }
}

}  // namespace
}  // namespace hearth::metadata
