#include "agent/signal/target.hpp"

#include <gtest/gtest.h>

#include "base/python_json.hpp"

namespace hearth::agent {
namespace {

Json deployment(std::initializer_list<std::pair<const char*, Json>> inputs) {
  Json list = Json::array();
  for (const auto& [name, value] : inputs) list.push_back({{"name", name}, {"value", value}});
  return {{"inputs", list}};
}

TEST(SignalTarget, IsReadFromTheInputs) {
  const auto put = signal_targets(deployment({{"deploy_signal_id", "http://h/x"}, {"deploy_signal_verb", "PUT"}}));
  ASSERT_EQ(put.size(), 1U);
  EXPECT_EQ(std::get<UrlSignal>(put[0]).method, "PUT");
  EXPECT_EQ(std::get<UrlSignal>(signal_targets(deployment({{"deploy_signal_id", "http://h/x"}}))[0]).method, "POST");
  const auto heat = signal_targets(deployment({{"deploy_auth_url", "http://k/v3"},
                                               {"deploy_user_id", "u"},
                                               {"deploy_stack_id", "s/1"},
                                               {"deploy_region_name", nullptr}}));
  EXPECT_EQ(std::get<HeatSignal>(heat.at(0)).stack_id, "s/1");
  EXPECT_EQ(std::get<HeatSignal>(heat.at(0)).region, "");
  const auto zaqar = signal_targets(deployment({{"deploy_auth_url", "http://k/v3"}, {"deploy_queue_id", "q"}}));
  ASSERT_EQ(zaqar.size(), 1U);
  EXPECT_EQ(std::get<ZaqarSignal>(zaqar[0]).queue_id, "q");
  EXPECT_TRUE(signal_targets(deployment({{"foo", 1}})).empty());
}

TEST(SignalTarget, InputsWithoutValueAndWrongShapesAreNoTargets) {
  EXPECT_TRUE(signal_targets({{"inputs", Json::array({{{"name", "deploy_signal_id"}}, 3})}}).empty());
  EXPECT_TRUE(signal_targets({{"inputs", nullptr}}).empty());
  EXPECT_TRUE(signal_targets(Json::array()).empty());
}

TEST(SignalBody, IsTheOneLineJson) { EXPECT_EQ(signal_body({{"a", 1}, {"b", "é"}}), R"({"a": 1, "b": "\u00e9"})"); }

TEST(SignalBody, IsCutFromTheLeftInProportion) {
  std::string long_out(3000, 'a');
  long_out += "OUT";
  std::string long_err(1000, 'b');
  long_err += "ERR";
  const Json data = {{"deploy_stdout", long_out}, {"deploy_stderr", long_err}, {"deploy_status_code", 1}};
  const std::string body = signal_body(data, 1000);
  EXPECT_LE(body.size(), 1000U);
  EXPECT_GT(body.size(), 980U);
  const Json cut = parse_python_json(body, "b").value_or_throw();
  const auto out = cut["deploy_stdout"].get<std::string>();
  const auto err = cut["deploy_stderr"].get<std::string>();
  EXPECT_EQ(out.substr(out.size() - 3), "OUT");
  EXPECT_EQ(err.substr(err.size() - 3), "ERR");
  EXPECT_NEAR(static_cast<double>(out.size()) / static_cast<double>(err.size()), 3.0, 0.2);
}

TEST(SignalBody, NeverCutsInsideACharacterAndGivesUpOnOutputs) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "é";
  const Json cut = parse_python_json(signal_body({{"deploy_stdout", text}}, 500), "b").value_or_throw();
  EXPECT_EQ(cut["deploy_stdout"].get<std::string>().substr(0, 2), "é");
  EXPECT_GT(signal_body({{"result", std::string(2000, 'x')}}, 500).size(), 2000U);
}

}  // namespace
}  // namespace hearth::agent
