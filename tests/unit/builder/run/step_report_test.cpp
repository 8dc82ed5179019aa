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

/// Of a build of these steps, after one that left the report `before`.
Json report_of(const std::vector<StepRecord>& steps, std::size_t taken, const Json& before, StepsDone done = {{}},
               const PlaceInStep& place_of = {}) {
  const StepsDone all{.steps = steps,
                      .taken = taken,
                      .fresh_from = done.fresh_from,
                      .ended = done.ended,
                      .rejected = done.rejected,
                      .layers = done.layers,
                      .base = done.base,
                      .work_area_bytes = 0,
                      .image = "web"};
  return step_report(all, earlier_build(before, [](const auto&) { return true; }), place_of);
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
  const Json first = report_of(steps("1"), 0, Json());
  const std::string all_ran = why_text(first);
  EXPECT_THAT(all_ran, HasSubstr("nothing was kept of an earlier build"));
  EXPECT_EQ(all_ran.find("nothing was kept"), all_ran.rfind("nothing was kept")) << "a reason is told once";
  const std::string text = why_text(report_of(steps("2"), 1, first));
  EXPECT_THAT(text,
              AllOf(HasSubstr("kept  root.d/10-a"), HasSubstr("install.d/10-b changed"),
                    HasSubstr("it comes after install.d/10-b"), HasSubstr("1 step was taken from layers, 2 ran")));
  const std::string ended = why_text(
      report_of(steps("1"), 0, first, {.steps = {}, .ended = "root.d/10-a wrote /x.initrd, which no layer holds"}));
  EXPECT_THAT(ended, HasSubstr("nothing was kept: root.d/10-a wrote /x.initrd, which no layer holds"));
}

/// `has`: whether the layer of the build that left that report is there.
std::string why_of_first(const std::vector<StepRecord>& steps, const Json& before, bool has, StepsDone done = {{}}) {
  const StepsDone all{.steps = steps, .fresh_from = done.fresh_from, .base = done.base};
  return step_report(all, earlier_build(before, [&](const auto&) { return has; }))["steps"][0]["why"][0]
      .get<std::string>();
}

TEST(StepReport, AStepOfWhichNothingHasChangedSaysWhyItRanAllTheSame) {
  const std::string digest(64, 'a');
  const StepsDone kept{.steps = {}, .layers = {{digest, "install.d/10-b"}}, .base = "one"};
  const Json first = report_of(steps("1"), 0, Json(), kept);
  EXPECT_EQ(first["steps"][0]["layer"], digest);
  EXPECT_FALSE(first["steps"][2].contains("layer"));
  EXPECT_EQ(why_of_first(steps("1"), first, false, {.steps = {}, .base = "one"}),
            "its layer is not in the cache any more: it was pruned, or the cache is another one");
  EXPECT_EQ(why_of_first(steps("2"), first, true, {.steps = {}, .base = "one"}),
            "it shares its layer with install.d/10-b");
  EXPECT_EQ(why_of_first(steps("1"), first, true, {.steps = {}, .base = "two"}),
            "layers of the last build are of another Hearth, or of another architecture");
  EXPECT_EQ(why_of_first(steps("1"), first, true, {.steps = {}, .fresh_from = Phase::root, .base = "one"}),
            "everything from root on was to run");
  EXPECT_EQ(why_of_first({steps("1")[1]}, first, true, {.steps = {}, .base = "one"}),
            "it came after root.d/10-a, which is not there any more");
  EXPECT_EQ(why_of_first({steps("1")[0]}, report_of({steps("1")[0]}, 0, Json(), {.steps = {}, .base = "one"}), true,
                         {.steps = {}, .base = "one"}),
            "it was too quick for a layer of its own");
  const std::vector<StepRecord> late = {{"finalise.d/50-a", "a", 1, {}}};
  EXPECT_EQ(why_of_first(late, report_of(late, 0, Json()), true), "steps of its phase always run");
}

TEST(StepReport, AStepThatAnotherBuildMadeAsItHasToBeNowSaysWhoseItIsAndWhatChanged) {
  const std::string mine(64, 'a');
  const std::string others(64, 'b');
  const Json first = report_of(steps("1"), 0, Json(), {.steps = {}, .layers = {{mine, "install.d/10-b", "web"}}});
  const StepsDone done{.steps = {}, .layers = {{others, "install.d/10-b", "shop"}}};
  const Json taken = report_of(steps("2"), 2, first, done);
  EXPECT_FALSE(taken["steps"][0].contains("changed")) << "it is as it was";
  EXPECT_EQ(taken["steps"][1]["made_by"], "shop");
  EXPECT_EQ(taken["steps"][1]["changed"], Json({"install.d/10-b changed"}));
  EXPECT_EQ(taken["steps"][2]["why"], Json({"it comes after install.d/10-b"}));
  EXPECT_THAT(why_text(taken), HasSubstr("install.d/10-b changed (by the build of shop)\n"));
  const StepsDone same{.steps = {}, .layers = {{mine, "install.d/10-b", "web"}}};
  EXPECT_FALSE(report_of(steps("2"), 2, first, same)["steps"][1].contains("changed")) << "the layer that it had";
  EXPECT_FALSE(report_of(steps("1"), 2, first, done)["steps"][1].contains("changed")) << "made anew, and the same";
  EXPECT_FALSE(report_of(steps("1"), 2, Json(), done)["steps"][1].contains("changed")) << "its first build";
}

TEST(StepReport, WhatComesAfterAStepWhoseLayerIsGoneSaysSoAndNamesTheVariableThatChangedToo) {
  const std::string digest(64, 'a');
  const StepsDone kept{.steps = {}, .layers = {{digest, "install.d/20-c"}}};
  const Json first = report_of(steps("1"), 0, Json(), kept);
  const std::vector<StepRecord> now = {
      steps("1")[0], {"install.d/10-b", "b", 1, {{"hook install.d/10-b", "1"}, {"env DIB_SHOP", "2"}}}, steps("1")[2]};
  const StepsDone done{.steps = now, .rejected = {"root.d/10-a: the directory environment.d changed"}};
  const std::string why = why_text(step_report(done, earlier_build(first, [](const auto&) { return false; })));
  EXPECT_THAT(why, AllOf(HasSubstr("  its layer is not in the cache any more: it was pruned, or the cache is another "
                                   "one\n"),
                         HasSubstr("  the variable DIB_SHOP is new\n"), HasSubstr("  it comes after root.d/10-a\n")));
}

TEST(StepReport, AVariableIsToldWithTheTextThatNamesIt) {
  const Json first = report_of({{"root.d/10-a", "a", 3, {{"env A", "1"}}}}, 0, Json());
  const Json second = report_of({{"root.d/10-a", "a", 3, {{"env A", "2"}}}}, 0, first, {{}},
                                [](const std::string& label, const std::string& fact) {
                                  return FactPlace{fact_kind(fact) == "env" ? cat("named in ", label, ":3") : ""};
                                });
  EXPECT_THAT(why_text(second), HasSubstr("the variable A changed (named in root.d/10-a:3)"));
}

TEST(StepReport, ALayerThatWasRejectedSaysInWhatItDiffersFromWhatIsBuiltForTheFirstTime) {
  const StepsDone done{.steps = {},
                       .rejected = {"install.d/10: another step", "install.d/10-b: the variable A changed",
                                    "install.d/10-b: files/x is gone"}};
  EXPECT_THAT(
      why_text(report_of(steps("1"), 1, Json(), done)),
      HasSubstr("nothing was kept of an earlier build of this image; a layer of another build is there, but the "
                "variable A changed\n"));
  const Json first = report_of(steps("1"), 0, Json());
  EXPECT_THAT(why_text(report_of(steps("2"), 1, first, done)), HasSubstr("  install.d/10-b changed\n"))
      << "what differs from its own last build says more";
}

TEST(StepReport, WhatAStepCameToOnAnotherWayIsNoCause) {
  const auto clone = [](Facts facts) { return std::vector<StepRecord>{{"extra-data.d/98-s", "s", 3, facts}}; };
  const Json first = report_of(clone({{"git /r main", "1"}, {"asked /r.bundle", "m"}, {"read /x", "1"}}), 0, Json());
  const auto why = [&](Facts facts, StepsDone done = {{}}) {
    return why_text(report_of(clone(facts), 0, first, done));
  };
  EXPECT_THAT(why({{"git /r main", "2"}, {"asked /bin/mv", "m"}}),
              HasSubstr("3.0 s  the git repository /r main changed\n"));
  EXPECT_THAT(why({{"git /r main", "1"}, {"asked /x", "m"}},
                  {.steps = {}, .rejected = {"extra-data.d/98-s: the machine's /x changed"}}),
              HasSubstr("3.0 s  the machine's /x changed\n"))
      << "what speaks against the layer that is there";
  EXPECT_THAT(why({{"git /r main", "1"}}), HasSubstr("the machine's /x is gone")) << "where nothing else is known";
  const Json unkept = report_of(clone({{"unseen nc reached 192.0.2.1:9", "-"}, {"read /x", "1"}}), 0, Json());
  EXPECT_THAT(why_text(report_of(clone({{"read /x", "2"}}), 0, unkept)),
              HasSubstr("3.0 s  the last build could not keep it: nc reached 192.0.2.1:9\n"));
}

TEST(StepReport, WhereATerminalIsNarrowAReasonStandsBelowItsStep) {
  const Json report =
      report_of(steps("1"), 1, Json(), {.steps = {}, .rejected = {"install.d/10-b: the variable A changed"}});
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
  const Json first = report_of(odd, 0, Json());
  const Json again = parse_json(format_json(first), "report").value_or_throw();
  EXPECT_EQ(facts_from(again.at("steps").at(0).at("facts")), odd.front().facts);
  const std::vector<StepRecord> other = {{"root.d/10-a", "a", 3, {{"hook files/f\xff", "2"}}}};
  EXPECT_THAT(why_text(report_of(other, 0, again)), HasSubstr("files/f\xEF\xBF\xBD changed"));
}

}  // namespace
}  // namespace hearth::builder
