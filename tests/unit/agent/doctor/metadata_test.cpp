#include "tests/unit/agent/doctor/doctor_fixture.hpp"

namespace hearth::agent {
namespace {

TEST_F(DoctorTest, MetadataWithDeploymentsAreFine) {
  EXPECT_EQ(problems(check_metadata(poll(R"({"cfn": {"deployments": []}})"))), "");
}

TEST_F(DoctorTest, ASourceThatHasNothingIsToldWithItsWarnings) {
  EXPECT_EQ(problems(check_metadata(poll("{}", "403 Forbidden\nSource [cfn] Unavailable."))),
            "no source has any metadata; asked: cfn\n403 Forbidden\nSource [cfn] Unavailable.\n");
  EXPECT_EQ(problems(check_metadata(poll(R"({"local": {"deployments": []}})", "403 Forbidden"))),
            "source cfn has nothing:\n403 Forbidden\n");
}

TEST_F(DoctorTest, ASourceThatNobodyConfiguredMayHaveNothingWhateverWarningsSay) {
  Poll found = poll(R"({"local": {"deployments": []}})", "the name [cfn] is in here");
  found.configured = {};
  EXPECT_EQ(problems(check_metadata(found)), "");
}

TEST_F(DoctorTest, MetadataWithoutDeploymentsAreAProblem) {
  EXPECT_EQ(problems(check_metadata(poll(R"({"cfn": {"x": 1}})"))), "the metadata hold no deployments\n");
}

TEST_F(DoctorTest, WithoutASourceThatMayBeAskedThereIsOnlyANote) {
  const CheckResult result = check_metadata({});
  EXPECT_TRUE(result.problems.empty());
  EXPECT_EQ(result.notes.size(), 1U);
}

}  // namespace
}  // namespace hearth::agent
