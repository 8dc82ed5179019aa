#include "bootstrap/node/job.hpp"

#include <gtest/gtest.h>

namespace hearth::bootstrap {
namespace {

TEST(Job, everyKindAndStageIsReadByItsName) {
  for (int i = 0; i <= static_cast<int>(JobKind::service); ++i) {
    const auto kind = static_cast<JobKind>(i);
    EXPECT_EQ(parse_job_kind(name(kind)), kind) << name(kind);
  }
  for (int i = 0; i <= static_cast<int>(Stage::finish); ++i) {
    const auto stage = static_cast<Stage>(i);
    EXPECT_EQ(parse_stage(name(stage)), stage) << name(stage);
  }
  EXPECT_EQ(name(JobKind::clean_manual), "clean-manual");
  EXPECT_EQ(name(Stage::bootloader), "boot loader");
  EXPECT_FALSE(parse_job_kind("dance"));
  EXPECT_FALSE(parse_stage("dance"));
}

TEST(Job, everyNoteIsKept) {
  Job job;
  job.kind = JobKind::deploy;
  job.stage = Stage::first_steps;
  job.notes = {.agent = 1,
               .heard = 2,
               .data = 3,
               .first_boot = 4,
               .until = 5,
               .booting = true,
               .awaits_stray = true,
               .boots = 6,
               .restarts = 7,
               .step = 8,
               .command = "c",
               .steps = {1},
               .plan = {{"first steps", {2}}},
               .partition_ids = {{"root uuid", "r"}},
               .strangers = {"52:54:00:00:00:01"},
               .bmc = Json::object()};
  const Json record = job_record(job);
  EXPECT_EQ(record["notes"].size(), 16U);
  EXPECT_EQ(job_from_record(record).notes, job.notes);
}

TEST(Job, aNoteThatNobodyLeftIsNotWritten) {
  Job job;
  job.kind = JobKind::clean;
  job.notes.heard = 2;
  EXPECT_EQ(job_record(job)["notes"], (Json{{"heard", 2}}));
}

TEST(Job, whatAnotherHearthHasBegunRunsAndHasNoStage) {
  for (const Json& record :
       {Json{{"kind", "dance"}, {"stage", "check"}}, Json{{"kind", "deploy"}, {"stage", "dance"}}}) {
    const Job job = job_from_record(record);
    EXPECT_TRUE(job.running()) << record;
    EXPECT_FALSE(job.stage) << record;
    EXPECT_EQ(job.stage_name(), "") << record;
  }
}

}  // namespace
}  // namespace hearth::bootstrap
