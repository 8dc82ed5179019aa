#include "bootstrap/rehearse/machine_park.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"
#include "tests/fakes/manual_clock.hpp"

namespace hearth::bootstrap {
namespace {

/// A park of one machine, whose QEMU is a script that waits until its home has a file "end".
class Park : public testing::Test {
 protected:
  void SetUp() override {
    RealFileSystem files;
    const fs::path program = folder_.path() / "qemu-system-x86_64";
    files.write(program,
                cat("#!/bin/sh\necho \"$@\" >> ", (folder_.path() / "runs").string(), "\nwhile [ ! -e ",
                    (folder_.path() / "end").string(), " ]; do sleep 0.05; done\n"),
                {.mode = 0755, .uid = {}, .gid = {}});
    path_ = std::getenv("PATH");
    ::setenv("PATH", cat(folder_.path().string(), ":", path_).c_str(), 1);
  }
  void TearDown() override { ::setenv("PATH", path_.c_str(), 1); }

  MachinePark make() {
    BlankMachine machine;
    machine.name = "node1";
    MachineSetting setting;
    setting.home = folder_.path();
    return MachinePark({{machine, setting}}, clock_);
  }
  [[nodiscard]] std::string runs() const { return RealFileSystem().read(folder_.path() / "runs").value_or(""); }
  [[nodiscard]] std::string console() const {
    return RealFileSystem().read(folder_.path() / "console.log").value_or("");
  }
  void wait_for_runs(std::size_t count) const {
    const SystemClock clock;
    const Deadline patience = Deadline::after(std::chrono::seconds(60), clock);
    while (split_lines(runs()).size() < count && !patience.passed(clock.now()))
      SystemClock().sleep(std::chrono::milliseconds(10));
    ASSERT_EQ(split_lines(runs()).size(), count);
  }

  TempDir folder_ = TempDir::create(fs::temp_directory_path(), "park.");
  std::string path_;
  fakes::ManualClock clock_;
};

TEST_F(Park, aMachineIsOnFromItsStartToItsEnd) {
  MachinePark park = make();
  EXPECT_FALSE(park.is_on("node1"));
  park.switch_on("node1");
  park.switch_on("node1");
  wait_for_runs(1);
  EXPECT_TRUE(park.is_on("node1"));
  RealFileSystem().write(folder_.path() / "end", "", {});
  SystemClock clock;
  const Deadline patience = Deadline::after(std::chrono::seconds(60), clock);
  while (park.is_on("node1") && !patience.passed(clock.now())) clock.sleep(std::chrono::milliseconds(10));
  EXPECT_FALSE(park.is_on("node1"));
  EXPECT_NE(console().find("the machine is off"), std::string::npos);
  EXPECT_THROW(park.switch_on("node9"), Error);
}

TEST_F(Park, anOverrideForOnceHoldsForOneStart) {
  MachinePark park = make();
  park.set_boot_override("node1", {"Hdd", "Once"});
  park.switch_on("node1");
  wait_for_runs(1);
  park.switch_off("node1");
  EXPECT_EQ(park.boot_override("node1"), BootOverride{});
  park.switch_on("node1");
  wait_for_runs(2);
  const std::vector<std::string> lines = split_lines(runs());
  EXPECT_NE(lines[0].find("serial=node1,bootindex=0"), std::string::npos);
  EXPECT_NE(lines[1].find("serial=node1,bootindex=1"), std::string::npos);
}

TEST_F(Park, afterAPowerCutCurrentComesBackByItself) {
  MachinePark park = make();
  park.switch_on("node1");
  wait_for_runs(1);
  park.inject("node1", FaultKind::power_loss);
  EXPECT_FALSE(park.is_on("node1"));
  park.tick();
  EXPECT_FALSE(park.is_on("node1"));
  clock_.advance(std::chrono::seconds(6));
  park.tick();
  wait_for_runs(2);
  EXPECT_TRUE(park.is_on("node1"));
  EXPECT_NE(console().find("fault: power-loss"), std::string::npos);
}

TEST_F(Park, aDeadDiskIsFoundAtTheNextStartAndSoIsANewOne) {
  MachinePark park = make();
  park.inject("node1", FaultKind::dead_disk);
  park.switch_on("node1");
  wait_for_runs(1);
  EXPECT_NE(runs().find("blkdebug"), std::string::npos);
  park.replace_disk("node1");
  park.switch_off("node1");
  park.switch_on("node1");
  wait_for_runs(2);
  EXPECT_EQ(split_lines(runs()).at(1).find("blkdebug"), std::string::npos);
}

}  // namespace
}  // namespace hearth::bootstrap
