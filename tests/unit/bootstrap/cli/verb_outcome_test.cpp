#include "bootstrap/cli/verb_outcome.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/text.hpp"

namespace hearth::bootstrap {
namespace {

Json at(const char* state, const char* stage, const Json& target = "active") {
  Json node = {{"provision_state", state}, {"target_provision_state", target}, {"last_error", nullptr}};
  node["driver_internal_info"] = Json::object();
  if (*stage != '\0') node["driver_internal_info"]["job"] = {{"kind", "deploy"}, {"stage", stage}};
  return node;
}

TEST(VerbOutcome, OneNodeThatRefusesKeepsNoOtherBackAndAConductorThatIsSilentIsWaitedForOnce) {
  std::vector<std::string> failures;
  std::vector<std::string> asked;
  const auto all_asked = [&](ErrorKind kind) {
    failures.clear();
    asked.clear();
    return ask_each({"a", "b", "c", "d"}, false, failures, [&](const std::string& id) {
      asked.push_back(id);
      if (id == "b") throw Error(kind, "no");
    });
  };
  EXPECT_TRUE(all_asked(ErrorKind::input));
  EXPECT_EQ(join(asked, ""), "abcd");
  EXPECT_EQ(join(failures, "\n"), "b: no");
  EXPECT_FALSE(all_asked(ErrorKind::io));
  EXPECT_EQ(join(asked, ""), "ab") << "at each of the others it would be waited for again";
  EXPECT_EQ(join(failures, "\n"), "b: no\nnot asked any more, as nobody answers: c, d");
  EXPECT_THROW(all_asked(ErrorKind::interrupted), Error);
  EXPECT_THROW(ask_each({"b"}, true, failures, [](const std::string&) { throw Error(ErrorKind::input, "no"); }), Error);
}

TEST(VerbOutcome, StagesThatAskNoMachineAreWaitedFor) {
  EXPECT_EQ(verb_progress(at("deploying", "check"), "active"), VerbProgress::checking);
  EXPECT_EQ(verb_progress(at("verifying", "verify", "manageable"), "manageable"), VerbProgress::checking);
  EXPECT_EQ(verb_progress(at("deploying", "power on"), "active"), VerbProgress::begun);
  EXPECT_EQ(verb_progress(at("wait call-back", "await agent"), "active"), VerbProgress::begun);
  EXPECT_EQ(verb_progress(at("deploy hold", ""), "active"), VerbProgress::begun);
}

TEST(VerbOutcome, AStateThatIsNotTheGoalIsAFailure) {
  EXPECT_EQ(verb_progress(at("active", "", nullptr), "active"), VerbProgress::reached);
  EXPECT_EQ(verb_progress(at("deploy failed", ""), "active"), VerbProgress::failed);
  EXPECT_EQ(verb_progress(at("enroll", "", nullptr), "manageable"), VerbProgress::failed);
  EXPECT_EQ(verb_progress(at("available", "", "active"), "available"), VerbProgress::failed)
      << "on its way to somewhere else";
}

TEST(VerbOutcome, WhoAbortsIsToldWhereTheMachineIs) {
  EXPECT_EQ(where_it_is("web1", at("service failed", "")),
            "web1 is service failed; hearth why web1 says what may come next");
  Json node = at("active", "", nullptr);
  EXPECT_EQ(where_it_is("web1", node), "web1 is active");
  node["target_power_state"] = "rebooting";
  EXPECT_EQ(where_it_is("web1", node), "web1 is active; its machine is started again, into its own system");
}

TEST(VerbOutcome, TheEventsToReadAreThoseOfTheNodeThatFailed) {
  EXPECT_EQ(first_not_in({"a", "c"}, {"a", "b", "c"}), "b");
  EXPECT_EQ(first_not_in({}, {"a", "b"}), "a");
}

TEST(VerbOutcome, IsSaidWithTheNameThatWasTypedAndTheReason) {
  Json node = at("enroll", "", nullptr);
  EXPECT_EQ(verb_failure("alpha", node, "manageable"), "alpha is enroll, not manageable");
  node["last_error"] = "BMC https://192.0.2.9: Connection refused";
  EXPECT_EQ(verb_failure("alpha", node, "manageable"),
            "alpha is enroll, not manageable: BMC https://192.0.2.9: Connection refused");
  EXPECT_EQ(verb_beginning("beta", at("deploying", "power on")), "beta: deploying (power on)");
  EXPECT_EQ(verb_beginning("beta", at("cleaning", "")), "beta: cleaning");
}

}  // namespace
}  // namespace hearth::bootstrap
