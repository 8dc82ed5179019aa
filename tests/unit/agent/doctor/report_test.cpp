#include "tests/unit/agent/doctor/doctor_fixture.hpp"

namespace hearth::agent {
namespace {

TEST_F(DoctorTest, AllSixCausesAreAskedAbout) {
  const std::vector<CheckResult> results = examine(world());
  std::vector<std::string> names;
  for (const CheckResult& result : results) names.push_back(result.name);
  EXPECT_EQ(join(names, " "), "agents network metadata polling hooks signals");
  EXPECT_FALSE(is_well(results));
}

TEST_F(DoctorTest, TheReportHasAdviceForEachProblem) {
  const std::vector<CheckResult> results = {{"a", "Fine?", {}, {"a note"}}, {"b", "Broken?", {{"x\ny", "do z"}}, {}}};
  EXPECT_EQ(report_text(results), "1. Fine? Yes.\n   (a note)\n2. Broken? No.\n   x\n   y\n   -> do z\n");
  EXPECT_EQ(report_text({results.front()}),
            "1. Fine? Yes.\n   (a note)\nNothing keeps a deployment of this machine IN_PROGRESS.\n");
}

TEST_F(DoctorTest, NamesFromMetadataDoNotCommandTheTerminal) {
  const std::vector<CheckResult> results = {{"b", "Broken?", {{"group \x1b[2J\r\ny", "do \x07"}}, {"n\xc2\x9b\n"}}};
  EXPECT_EQ(report_text(results), "1. Broken? No.\n   group \\x1b[2J\\r\n   y\n   -> do \\x07\n   (n\\u009b\\n)\n");
}

TEST_F(DoctorTest, TheReportInJsonSaysTheSame) {
  const Json report =
      parse_python_json(report_json({{"b", "Broken?", {{"x", "do z"}}, {"n"}}}), "report").value_or_throw();
  EXPECT_EQ(python_json(report), R"({"ok": false, "checks": [{"name": "b", "question": "Broken?", "ok": false, )"
                                 R"("problems": [{"what": "x", "advice": "do z"}], "notes": ["n"]}]})");
}

}  // namespace
}  // namespace hearth::agent
