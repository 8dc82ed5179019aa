#include "builder/run/step_report.hpp"

#include <gmock/gmock.h>

#include "base/error.hpp"
#include "base/text.hpp"

namespace hearth::builder {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::vector<StepRecord> steps(const std::string& second) {
  return {{"root.d/10-a", "a", 3, {{"env A", "1"}}},
          {"install.d/10-b", "b", 1, {{"hook install.d/10-b", second}}},
          {"install.d/20-c", "c", 0.5, {{"env A", "1"}}}};
}

TEST(StepReport, ABrokenReportIsToldWithItsLineAndInOurWords) {
  const auto fault = [](const std::string& text) {
    try {
      return why_text(text, "web.d/steps.json");
    } catch (const Error& error) {
      return std::string(error.what());
    }
  };
  EXPECT_EQ(fault("{\n\"steps\": [\n{\"step\": 5, \"outcome\": \"ran\"}]}"),
            "web.d/steps.json:3: steps[0]: this is no report of steps: there is a number where a text is expected");
  EXPECT_EQ(fault("{\"steps\": [],\n\"taken\": \"x\"}"),
            "web.d/steps.json:2: taken: this is no report of steps: there is a text where a number is expected");
}

TEST(StepReport, TellsForEachStepWhetherItRanAndWhy) {
  const Json first = step_report(steps("1"), 0, Json());
  const std::string all_ran = why_text(first);
  EXPECT_THAT(all_ran, HasSubstr("nothing was kept of an earlier build"));
  EXPECT_EQ(all_ran.find("nothing was kept"), all_ran.rfind("nothing was kept")) << "a reason is told once";
  const std::string text = why_text(step_report(steps("2"), 1, first));
  EXPECT_THAT(text,
              AllOf(HasSubstr("kept  root.d/10-a"), HasSubstr("install.d/10-b changed"),
                    HasSubstr("it comes after install.d/10-b"), HasSubstr("1 step was taken from layers, 2 ran")));
  const std::string same = why_text(step_report(steps("1"), 1, first));
  EXPECT_THAT(same, HasSubstr("it is quick, and shares the next layer"));
  const std::string ended =
      why_text(step_report(steps("1"), 0, first, "root.d/10-a wrote /x.initrd, which no layer holds"));
  EXPECT_THAT(ended, HasSubstr("nothing was kept: root.d/10-a wrote /x.initrd, which no layer holds"));
}

TEST(StepReport, AVariableIsToldWithTheTextThatNamesIt) {
  const Json first = step_report({{"root.d/10-a", "a", 3, {{"env A", "1"}}}}, 0, Json());
  const Json second = step_report({{"root.d/10-a", "a", 3, {{"env A", "2"}}}}, 0, first, {}, {},
                                  [](const std::string& label, const std::string& fact) {
                                    return fact_kind(fact) == "env" ? cat("named in ", label, ":3") : std::string();
                                  });
  EXPECT_THAT(why_text(second), HasSubstr("the variable A changed (named in root.d/10-a:3)"));
}

TEST(StepReport, ALayerThatWasRejectedSaysInWhatItDiffers) {
  const std::vector<std::string> rejected = {"install.d/10: another step", "install.d/10-b: the variable A changed",
                                             "install.d/10-b: files/x is gone"};
  EXPECT_THAT(
      why_text(step_report(steps("1"), 1, Json(), {}, rejected)),
      HasSubstr("nothing was kept of an earlier build of this image; a layer of another build is there, but the "
                "variable A changed\n"));
  const Json first = step_report(steps("1"), 0, Json());
  EXPECT_THAT(why_text(step_report(steps("2"), 1, first, {}, {"install.d/10-b: install.d/10-b changed"})),
              HasSubstr("  install.d/10-b changed\n"))
      << "once";
}

TEST(StepReport, WhereATerminalIsNarrowAReasonStandsBelowItsStep) {
  const Json report = step_report(steps("1"), 1, Json(), {}, {"install.d/10-b: the variable A changed"});
  const std::string text = why_text(report, 80);
  EXPECT_THAT(text, HasSubstr("1.0 s\n        nothing was kept of an earlier build of this image; a layer"));
  EXPECT_THAT(why_text(report), HasSubstr("1.0 s  nothing was kept")) << "of no terminal a line a step";
  for (const std::string& line : split_lines(text)) EXPECT_LE(line.size(), 80U) << line;
}

TEST(StepReport, LayersAreToldToThoseWhoPinThem) {
  const std::string layer(64, 'a');
  EXPECT_THAT(layers_of_report(cat("{\"layers\": [\"", layer, "\", \"../x\", 5]}"), "steps.json"),
              testing::ElementsAre(layer));
  for (const char* none : {"{\"steps\": []}", "{\"layers\": [\"../../records\"]}", "[]"})
    EXPECT_THROW((void)layers_of_report(none, "steps.json"), Error);
}

TEST(StepReport, NamesOfFilesThatAreNoUtf8AreToldAndKnownAgain) {
  const std::vector<StepRecord> odd = {{"root.d/10-a", "a", 3, {{"hook files/f\xff", "1"}}}};
  const Json first = step_report(odd, 0, Json());
  const Json again = parse_json(format_json(first), "report").value_or_throw();
  EXPECT_EQ(facts_from(again.at("steps").at(0).at("facts")), odd.front().facts);
  const std::vector<StepRecord> other = {{"root.d/10-a", "a", 3, {{"hook files/f\xff", "2"}}}};
  EXPECT_THAT(why_text(step_report(other, 0, again)), HasSubstr("files/f\xEF\xBF\xBD changed"));
}

}  // namespace
}  // namespace hearth::builder
