#include "builder/hooks/phase_runner.hpp"

#include <gmock/gmock.h>

#include "base/text.hpp"
#include "builder/hooks/hook_environment.hpp"
#include "tests/fakes/manual_clock.hpp"
#include "tests/fakes/recording_progress.hpp"
#include "tests/fakes/scripted_runner.hpp"
#include "tests/unit/builder/element_tree.hpp"
#include "tests/unit/builder/in_namespace.hpp"

namespace hearth::builder {
namespace {

using fakes::ManualClock;
using fakes::RecordingProgress;
using fakes::ScriptedRunner;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Key;
using testing::Not;
using testing::SizeIs;

/// Notes which package steps it was asked for.
class RecordedSteps final : public NativeSteps {
 public:
  explicit RecordedSteps(Names& order) : order_(order) {}
  void run(const Step& step, const Environment& environment) override {
    order_.push_back(cat("native ", step.name));
    last = environment;
  }
  Environment last;

 private:
  Names& order_;
};

/// Hooks are files in a scratch directory that nobody starts: the scripted runner answers for them.
class PhaseRunnerTest : public testing::Test {
 protected:
  PhaseRunnerTest() {
    tree.add("os", "", "operating-system");
    log.add_file(log_file());
    for (const char* name : {"hooks", "target"}) files.make_directories(dir.path() / name, 0755);
  }

  /// A hook of element `os`, and in the merged directory; it prints a line and exits so.
  void hook(const std::string& path, int exit_code = 0) {
    tree.hook("os", path);
    found_hook(path, exit_code);
  }
  /// Only in the merged directory, as an earlier hook would put it there.
  void found_hook(const std::string& path, int exit_code = 0) {
    const fs::path file = dir.path() / "hooks" / path;
    files.make_directories(file.parent_path(), 0755);
    files.write(file, "", {.mode = 0755});
    runner.on(file.filename().string(), [this, path, exit_code](const Command& command) {
      order.push_back(path);
      clock.advance(std::chrono::seconds(2));
      if (command.on_line) command.on_line(Stream::out, cat("says ", path));
      return CommandResult{Exited{exit_code}, "", ""};
    });
  }
  void environment_file(const std::string& printed) {
    files.make_directories(dir.path() / "hooks/environment.d", 0755);
    files.write(dir.path() / "hooks/environment.d/10-x", "", {});
    runner.on("bash", [printed](const Command&) { return CommandResult{Exited{0}, printed, "Sourcing\n"}; });
  }
  PhaseRunner& phases(bool extra_packages = false) {
    plan = tree.plan(requested, extra_packages);
    phases_ = std::make_unique<PhaseRunner>(PhaseRunnerSetup{runner, progress, log, clock, environment, breaks,
                                                             dir.path() / "hooks", dir.path() / "target"},
                                            plan);
    phases_->set_native_steps(native);
    return *phases_;
  }
  [[nodiscard]] std::string log_file() const { return (dir.path() / "log").string(); }

  TempDir dir = TempDir::create("/tmp", "hearth-test-");
  RealFileSystem files;
  ElementTree tree{files, dir.path() / "elements"};
  Names requested = {"os"};
  Names order;
  Environment environment = {{"PATH", "/usr/bin"}, {"A", "1"}};
  Names breaks;
  ScriptedRunner runner;
  RecordingProgress progress;
  ManualClock clock;
  BuildLog log{clock};
  RecordedSteps native{order};
  BuildPlan plan;
  std::unique_ptr<PhaseRunner> phases_;
};

TEST_F(PhaseRunnerTest, RunsTheHooksOfOnePhaseInOrder) {
  hook("root.d/20-b");
  hook("root.d/9-a");
  hook("cleanup.d/10-c");
  phases().run(Phase::root);
  EXPECT_THAT(order, ElementsAre("root.d/9-a", "root.d/20-b"));
  EXPECT_EQ(runner.ran[0].argv, Names{(dir.path() / "hooks/root.d/9-a").string()});
  EXPECT_EQ(runner.ran[0].root, fs::path());
  EXPECT_FALSE(runner.ran[0].input.has_value());
}

TEST_F(PhaseRunnerTest, TellsProgressAndLog) {
  hook("root.d/10-a");
  PhaseRunner& runner_of_phases = phases();
  runner_of_phases.count_steps(5);
  runner_of_phases.run(Phase::root);
  EXPECT_THAT(progress.events, ElementsAre("begin 1/5 root.d/10-a", "line says root.d/10-a", "end done"));
  const std::string text = read_file(log_file());
  EXPECT_THAT(text, HasSubstr("| hearth: running root.d/10-a\n"));
  EXPECT_THAT(text, HasSubstr("| says root.d/10-a\n"));
  EXPECT_THAT(text, HasSubstr("| hearth: root.d/10-a completed in 2.0s\n"));
  ASSERT_THAT(runner_of_phases.timings(), SizeIs(1));
  EXPECT_EQ(runner_of_phases.timings()[0].duration, std::chrono::seconds(2));
}

TEST_F(PhaseRunnerTest, TheLogHasTheTableOfDibRunParts) {
  hook("install.d/10-a");
  hook("install.d/20-b");
  phases().run(Phase::install);
  const std::string text = read_file(log_file());
  const auto has_line = [&](const std::string& line) {
    EXPECT_THAT(text, HasSubstr(cat("| dib-run-parts ", line, "\n")));
  };
  has_line("----------------------- PROFILING -----------------------");
  has_line("Target: install.d");
  has_line(cat("10-a", std::string(36, ' '), "      2.000"));
  has_line(cat("20-b", std::string(36, ' '), "      2.000"));
  has_line("--------------------- END PROFILING ---------------------");
}

TEST_F(PhaseRunnerTest, APhaseWithoutStepsDoesNothing) {
  environment_file("");
  phases().run(Phase::install);  // not even a mount: there may be no shell in the target
  EXPECT_THAT(runner.ran, IsEmpty());
}

TEST_F(PhaseRunnerTest, TheFirstFailureEndsThePhaseWithItsCode) {
  hook("root.d/10-a");
  hook("root.d/20-b", 7);
  hook("root.d/30-c");
  try {
    phases().run(Phase::root);
    FAIL() << "it did not fail";
  } catch (const Error& error) {
    EXPECT_EQ(error.exit_code(), 7);
    EXPECT_THAT(error.story(), AllOf(HasSubstr("root.d/20-b (element os) failed: exit code 7\n  | says root.d/20-b"),
                                     HasSubstr(cat("The whole log: ", log_file())), HasSubstr("--break after-error")));
    EXPECT_THAT(error.story(), Not(HasSubstr("says root.d/10-a")));
  }
  EXPECT_THAT(order, ElementsAre("root.d/10-a", "root.d/20-b"));
  EXPECT_THAT(progress.events.back(), "end failed");
}

TEST_F(PhaseRunnerTest, AFailureShowsTheLastTwentyLinesOnly) {
  hook("root.d/10-a");
  runner.on("10-a", [](const Command& command) {
    for (int i = 1; i <= 25; ++i) command.on_line(Stream::out, cat("line ", i, "."));
    return CommandResult{Signaled{9}, "", ""};
  });
  const std::string story = story_of([&] {
    phases().run(Phase::root);
    return 0;
  });
  EXPECT_THAT(story,
              AllOf(HasSubstr("killed by SIGKILL\n  | line 6.\n"), HasSubstr("| line 25."), Not(HasSubstr("line 5."))));
}

TEST_F(PhaseRunnerTest, AHookThatCanNotStartIsAFailedStep) {
  hook("root.d/10-a");
  runner.forget_answers();
  EXPECT_THROW(phases().run(Phase::root), Error);
  EXPECT_THAT(progress.events, ElementsAre("begin 1/1 root.d/10-a", "end failed"));
}

TEST_F(PhaseRunnerTest, OnlyRootAndCleanupSeeTheTargetRoot) {
  for (const Phase phase : {Phase::root, Phase::cleanup}) {
    EXPECT_EQ(phases().environment_for(phase).at("TARGET_ROOT"), (dir.path() / "target").string());
  }
  for (const Phase phase : {Phase::extra_data, Phase::install, Phase::block_device, Phase::finalise}) {
    EXPECT_THAT(phases().environment_for(phase), Not(Contains(Key("TARGET_ROOT"))));
  }
}

TEST_F(PhaseRunnerTest, EnvironmentFilesAreSourcedForEachPhaseAndHooksSeeTheResult) {
  hook("root.d/10-a");
  hook("extra-data.d/10-b");
  environment_file(std::string("FROM_FILE=yes\0", 14));
  PhaseRunner& runner_of_phases = phases();
  runner_of_phases.run(Phase::root);
  runner_of_phases.run(Phase::extra_data);
  ASSERT_THAT(runner.ran, SizeIs(4));
  EXPECT_THAT(runner.ran[0].argv.back(), EndsWith("hooks/environment.d/10-x"));
  EXPECT_EQ(runner.ran[0].env->at("A"), "1");
  EXPECT_EQ(*runner.ran[1].env, (Environment{{"FROM_FILE", "yes"}}));
  EXPECT_EQ(runner.ran[2].argv.front(), "bash");
  EXPECT_THAT(read_file(log_file()), HasSubstr("| Sourcing\n"));
}

TEST_F(PhaseRunnerTest, AFailingEnvironmentFileEndsThePhaseBeforeItsHooks) {
  hook("root.d/10-a");
  environment_file("");
  runner.on("bash", [](const Command&) { return CommandResult{Exited{3}, "", "bad setting\n"}; });
  EXPECT_THAT(story_of([&] {
                phases().run(Phase::root);
                return 0;
              }),
              HasSubstr("environment.d of root.d failed: exit code 3\n  | bad setting"));
  breaks = {"after-error"};
  runner.on("bash", [](const Command&) {
    return CommandResult{Exited{3}, "",
                         "Sourcing environment file a\nSourcing environment file b\nb: line 2: A: unbound variable\n"};
  });
  EXPECT_THAT(story_of([&] {
                phases().run(Phase::root);
                return 0;
              }),
              AllOf(HasSubstr("exit code 3\n  | Sourcing environment file b\n  | b: line 2: A"),
                    Not(HasSubstr("--break after-error"))));
  EXPECT_THAT(order, IsEmpty());
}

TEST_F(PhaseRunnerTest, AVariableSetBetweenPhasesIsSeenFromThenOn) {
  PhaseRunner& runner_of_phases = phases();
  runner_of_phases.set_variable("DIB_IMAGE_SIZE", "1024");
  EXPECT_EQ(runner_of_phases.environment_for(Phase::block_device).at("DIB_IMAGE_SIZE"), "1024");
}

TEST_F(PhaseRunnerTest, AFailureInSilenceSaysHowToHearMore) {
  hook("root.d/10-a");
  environment_file("");
  runner.on("bash", [](const Command&) { return CommandResult{Exited{1}, "", ""}; });
  EXPECT_THAT(story_of([&] {
                phases().run(Phase::root);
                return 0;
              }),
              HasSubstr("\n  It printed nothing; -x traces the commands that hooks run.\n"));
}

TEST_F(PhaseRunnerTest, AHookThatAnEarlierOnePutThereRunsAtItsPlace) {
  hook("extra-data.d/10-install-types");
  hook("post-root.d/20-planned");
  found_hook("post-root.d/10-found");
  found_hook("block-device.d/10-alone", 4);
  PhaseRunner& runner_of_phases = phases();
  runner_of_phases.run(Phase::post_root);
  EXPECT_THAT(order, ElementsAre("post-root.d/10-found", "post-root.d/20-planned"));
  EXPECT_THAT(story_of([&] {
                runner_of_phases.run(Phase::block_device);
                return 0;
              }),
              HasSubstr("block-device.d/10-alone (put there by an earlier hook) failed: exit code 4"));
}

TEST_F(PhaseRunnerTest, AHookThatAnEarlierOneTookAwayDoesNotRun) {
  hook("post-root.d/10-gone");
  hook("post-root.d/20-there");
  files.remove(dir.path() / "hooks/post-root.d/10-gone");
  phases().run(Phase::post_root);
  EXPECT_THAT(order, ElementsAre("post-root.d/20-there"));
}

TEST_F(PhaseRunnerTest, FilesThatDibRunPartsPassesOverDoNotRun) {
  hook("post-root.d/10-a");
  found_hook("post-root.d/20.dot");
  files.write(dir.path() / "hooks/post-root.d/30-noexec", "", {.mode = 0644});
  fs::create_directories(dir.path() / "hooks/post-root.d/40-directory");
  phases().run(Phase::post_root);
  EXPECT_THAT(order, ElementsAre("post-root.d/10-a"));
}

TEST_F(PhaseRunnerTest, BreakShellsOpenBeforeAndAfterAPhase) {
  hook("root.d/10-a");
  environment["break_cmd"] = "inspect it";
  breaks = {"before-root", "after-root"};
  runner.on("bash", [this](const Command& command) {
    order.push_back(cat("shell ", command.argv.back()));
    return CommandResult{Exited{1}, "", ""};
  });
  testing::internal::CaptureStderr();
  phases().run(Phase::root);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "Starting debug shell. Exit to resume building.\nAt stage before-root\nResuming\n"
            "Starting debug shell. Exit to resume building.\nAt stage after-root\nResuming\n");
  EXPECT_THAT(order, ElementsAre("shell inspect it", "root.d/10-a", "shell bash"));  // after-* is always bash
  EXPECT_TRUE(runner.ran[0].inherit_input);
  EXPECT_FALSE(runner.ran[0].own_group);
}

TEST_F(PhaseRunnerTest, AfterAnErrorAShellOpensAndTheErrorStays) {
  hook("root.d/10-a", 9);
  breaks = {"after-error"};
  runner.on("bash", 0);
  testing::internal::CaptureStderr();
  try {
    phases().run(Phase::root);
    ADD_FAILURE() << "the error is gone";
  } catch (const Error& error) {
    EXPECT_EQ(error.exit_code(), 9);
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            cat("root.d/10-a (element os) failed: exit code 9\n  | says root.d/10-a\nIn the shell ",
                (dir.path() / "hooks/root.d/10-a").string(),
                " runs the hook again, with its variables.\n"
                "However it ends there, the build fails when you leave the shell; what you mend is not kept.\n"
                "Starting debug shell. Exit to resume building.\nAt stage after-error\nResuming\n"));
}

TEST_F(PhaseRunnerTest, TheShellAfterAnErrorSaysHowAHookOfTheImageIsRunAgain) {
  hook("install.d/10-a", 9);
  breaks = {"after-error"};
  runner.on("bash", 0);
  const auto told = [&] {
    testing::internal::CaptureStderr();
    EXPECT_THROW(phases().run(Phase::install), Error);
    return testing::internal::GetCapturedStderr();
  };
  EXPECT_THAT(told(), HasSubstr("In the shell /tmp/in_target.d/install.d/10-a runs the hook again"));
  environment["break_outside_target"] = "1";
  EXPECT_THAT(told(), Not(HasSubstr("runs the hook again")));
}

TEST_F(PhaseRunnerTest, AShellWithoutATerminalSaysSo) {
  breaks = {"before-root"};
  plan = tree.plan(requested);
  PhaseRunnerSetup setup{
      runner, progress, log, clock, environment, breaks, dir.path() / "hooks", dir.path() / "target"};
  setup.has_terminal = false;
  runner.on("bash", 0);
  testing::internal::CaptureStderr();
  PhaseRunner(setup, plan).run(Phase::root);
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("Standard input is no terminal: "));
}

TEST_F(PhaseRunnerTest, AStepGetsWhatItIsHandedAndWhatEnvironmentDSays) {
  hook("root.d/10-a");
  hook("root.d/20-b");
  environment_file(std::string("COMMON=sourced\0HOME=/root\0ONLY_COMMON=1\0", 40));
  plan = tree.plan(requested);
  PhaseRunnerSetup setup{runner, progress, log, clock, environment, {}, dir.path() / "hooks", dir.path() / "target"};
  setup.handed = [](Phase, const Step* step) -> Environment {
    if (step == nullptr) return {{"COMMON", "1"}, {"HOME", "/root"}, {"ONLY_COMMON", "1"}};
    if (step->name == "20-b") return {{"COMMON", "1"}, {"HOME", "/root"}};
    return {{"COMMON", "1"}, {"HOME", "/home/u"}, {"OWN", "1"}};
  };
  setup.withheld = [](const Step& step) {
    return step.name == "20-b" ? std::set<std::string>{"COMMON"} : std::set<std::string>{};
  };
  PhaseRunner handing(std::move(setup), plan);
  handing.set_variable("SINCE", "1");
  handing.run(Phase::root);
  EXPECT_THAT(*runner.ran.at(0).env,
              testing::UnorderedElementsAre(testing::Pair("COMMON", "1"), testing::Pair("HOME", "/root"),
                                            testing::Pair("ONLY_COMMON", "1"), testing::Pair("SINCE", "1")));
  const Environment first = *runner.ran.at(1).env;
  EXPECT_EQ(first.at("COMMON"), "sourced") << "environment.d wins";
  EXPECT_EQ(first.at("HOME"), "/home/u");
  EXPECT_EQ(first.at("OWN"), "1");
  const Environment second = *runner.ran.at(2).env;
  EXPECT_EQ(second.at("HOME"), "/root");
  EXPECT_EQ(second.count("OWN"), 0U);
  EXPECT_EQ(first.count("ONLY_COMMON") + second.count("ONLY_COMMON"), 0U) << "what is no fact of a step is not handed";
  EXPECT_EQ(second.count("COMMON"), 0U) << "withheld";
}

/// Phases in the target bind the hooks there, so they need mounts; still no hook is started.
TEST_F(PhaseRunnerTest, TargetPhasesRunInTheTargetAmongThePackageSteps) {
  HEARTH_NEEDS_NAMESPACES();
  hook("install.d/00-first");
  hook("install.d/50-second");
  tree.add("package-installs").file("os", "package-installs.yaml", "vim:\n");
  requested = {"os", "package-installs"};
  in_namespace([&] {
    phases(true).run(Phase::install);
    EXPECT_THAT(order, ElementsAre("install.d/00-first", "native 01-package-installs", "install.d/50-second",
                                   "native extra-packages"));
    EXPECT_EQ(runner.ran[0].argv, Names{"/tmp/in_target.d/install.d/00-first"});
    EXPECT_EQ(runner.ran[0].root, dir.path() / "target");
    EXPECT_EQ(runner.ran[0].env->at("HOME"), "/root");
    EXPECT_EQ(native.last.at("HOME"), "/root");
    EXPECT_FALSE(fs::exists(dir.path() / "target/tmp/in_target.d"));
  });
}

/// The trigger of initramfs-tools makes the newest kernel's only, and a hook may go on where its apt failed.
TEST_F(PhaseRunnerTest, AnInitramfsThatIsStillAPlaceholderIsMadeAfterTheHook) {
  HEARTH_NEEDS_NAMESPACES();
  hook("install.d/50-kernels");
  hook("install.d/60-next");
  for (const char* name : {"target/boot", "hooks/.apt"}) files.make_directories(dir.path() / name, 0755);
  files.write(dir.path() / "hooks/.apt/initramfs-placeholder", "later\n", {});
  files.write(dir.path() / "target/boot/initrd.img-6.1", "later\n", {});
  files.write(dir.path() / "target/boot/initrd.img-6.2", "whole\n", {});
  runner.on("update-initramfs", 0);
  in_namespace([&] {
    phases().run(Phase::install);
    EXPECT_EQ(runner.ran.at(1).argv, (Names{"update-initramfs", "-c", "-k", "6.1"}));
    EXPECT_EQ(runner.ran.at(1).root, dir.path() / "target");
    EXPECT_EQ(runner.ran.at(2).argv, Names{"/tmp/in_target.d/install.d/60-next"});
  });
}

/// The builder's own programs for the target, grub-install say, come to PATH only when there is a disk.
TEST_F(PhaseRunnerTest, AStepInTheTargetSeesWhatVariablesThatWereSetSinceChange) {
  HEARTH_NEEDS_NAMESPACES();
  hook("finalise.d/50-a");
  plan = tree.plan(requested);
  PhaseRunnerSetup setup{runner, progress, log, clock, environment, {}, dir.path() / "hooks", dir.path() / "target"};
  const Environment first = phase_environment(environment, Phase::finalise, dir.path() / "target");
  setup.handed = [&](Phase, const Step*) -> Environment { return {{"PATH", first.at("PATH")}, {"OWN", "1"}}; };
  in_namespace([&] {
    PhaseRunner handing(std::move(setup), plan);
    handing.set_variable("HEARTH_TARGET_PATH", "/tmp/in_target.d/.grub");
    handing.run(Phase::finalise);
    EXPECT_THAT(*runner.ran.at(0).env,
                testing::UnorderedElementsAre(testing::Pair("PATH", cat("/tmp/in_target.d/.grub:", first.at("PATH"))),
                                              testing::Pair("OWN", "1")));
  });
}

TEST_F(PhaseRunnerTest, AfterAnErrorTheShellIsInTheTargetUnlessAskedOtherwise) {
  HEARTH_NEEDS_NAMESPACES();
  hook("install.d/10-a", 1);
  breaks = {"after-error"};
  runner.on("bash", 0);
  in_namespace([&] {
    EXPECT_THROW(phases().run(Phase::install), Error);
    EXPECT_EQ(runner.ran.back().root, dir.path() / "target");
    environment["break_outside_target"] = "1";
    EXPECT_THROW(phases().run(Phase::install), Error);
    EXPECT_EQ(runner.ran.back().argv.front(), "/bin/bash");
    EXPECT_EQ(runner.ran.back().root, fs::path());
  });
}

TEST_F(PhaseRunnerTest, ADaemonThatAHookLeftIsKilledAndNamed) {
  HEARTH_NEEDS_NAMESPACES();
  hook("root.d/10-daemon");
  files.write(dir.path() / "hooks/root.d/10-daemon",
              "#!/bin/sh\nsetsid sleep 1000 &\nuntil grep -qx sleep /proc/$!/comm; do :; done\n", {.mode = 0755});
  in_namespace([&] {
    mount_file_system("proc", "proc", "/proc", 0, "");
    plan = tree.plan({"os"});
    RealRunner real(clock);
    PhaseRunner with_processes(
        {real, progress, log, clock, current_environment(), {}, dir.path() / "hooks", dir.path()}, plan);
    with_processes.run(Phase::root);
    EXPECT_THAT(progress.events, Contains("note root.d/10-daemon left 'sleep' running; it was killed"));
    EXPECT_EQ(::kill(-1, 0), -1) << "something still runs";
  });
  EXPECT_THAT(read_file(log_file()), HasSubstr("hearth: root.d/10-daemon left 'sleep' running; it was killed"));
}

}  // namespace
}  // namespace hearth::builder
