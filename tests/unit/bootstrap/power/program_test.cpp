#include "bootstrap/power/program.hpp"

#include <gtest/gtest.h>

#include "tests/fakes/manual_clock.hpp"
#include "tests/fakes/scripted_runner.hpp"

namespace hearth::bootstrap {
namespace {

using Reason = PowerFault::Reason;

struct World {
  std::string run(const CommandResult& result, ProgramUse use) {
    runner.on("tool", [result](const Command&) { return result; });
    use.what = "BMC x";
    return run_program(runner, clock, Command{.argv = {"tool"}}, use);
  }
  std::pair<Reason, std::string> fault(const CommandResult& result, ProgramUse use) {
    try {
      run(result, std::move(use));
    } catch (const PowerFault& fault) {
      return {fault.reason(), fault.what()};
    }
    return {Reason::failed, "no fault"};
  }

  fakes::ScriptedRunner runner;
  fakes::ManualClock clock;
};

TEST(Program, WhatItPrintsIsItsAnswer) { EXPECT_EQ(World().run({Exited{0}, "on\n", "noise"}, {}), "on\n"); }

TEST(Program, AFailureHasAReasonAndAText) {
  World world;
  const ProgramUse use{
      .what = {}, .package = {}, .reason = [](const CommandResult&) { return Reason::refused; }, .told = {}};
  EXPECT_EQ(world.fault({Exited{1}, "", " no way \n"}, {}), std::pair(Reason::failed, std::string("BMC x: no way")));
  EXPECT_EQ(world.fault({Exited{1}, "", "x"}, use).first, Reason::refused);
  EXPECT_EQ(world.fault({Exited{7}, "", ""}, {}).second, "BMC x: exit code 7");
  EXPECT_EQ(world.fault({TimedOut{}, "", ""}, use),
            std::pair(Reason::unreachable, std::string("BMC x: stopped at its deadline")));
}

TEST(Program, AProgramThatIsNotThereNamesItsPackage) {
  World world;
  try {
    run_program(world.runner, world.clock, Command{.argv = {"none"}},
                {.what = "BMC x", .package = "tools", .reason = {}, .told = {}});
    FAIL();
  } catch (const PowerFault& fault) {
    EXPECT_NE(std::string(fault.what()).find("(the package tools has it)"), std::string::npos) << fault.what();
  }
}

}  // namespace
}  // namespace hearth::bootstrap
