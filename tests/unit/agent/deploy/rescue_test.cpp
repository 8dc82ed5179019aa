#include "agent/deploy/rescue.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "tests/fakes/memory_file_system.hpp"

namespace hearth::agent::deploy {
namespace {

using testing::HasSubstr;

const std::string k_hash = "$6$saltsaltsalt$Zm9vYmFyZm9vYmFyZm9vYmFyZm9vYmFy";

/// Records what is run; `out` is what it prints.
class Runner final : public CommandRunner {
 public:
  CommandResult run(const Command& command) override {
    lines.push_back(join(command.argv, " "));
    input = command.input.value_or("");
    return {Exited{0}, out, ""};
  }
  std::vector<std::string> lines;
  std::string out, input;
};

TEST(Rescue, aHashIsTakenAsItIsAndWhatCouldForgeALineIsRefused) {
  Runner runner;
  EXPECT_EQ(rescue_hash({{"rescue_password", k_hash}, {"hashed", true}}, runner), k_hash);
  for (const char* bad : {"", "plain", "$6$aaaaaaaaaaaaaaaaaaaaaaaa\nroot::0:0", "$6$aaaaaaaaaaaaaaaaaaaaaaaa:0:",
                          "$6aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "$6$aaaaaaaa aaaaaaaaaaaaaaaaaaaa"}) {
    EXPECT_THROW(static_cast<void>(rescue_hash({{"rescue_password", bad}, {"hashed", true}}, runner)), Error) << bad;
  }
  EXPECT_TRUE(runner.lines.empty());
}

TEST(Rescue, aPlainPasswordIsHashedAndNotSeenInAProcessList) {
  Runner runner;
  runner.out = k_hash + "\n";
  EXPECT_EQ(rescue_hash({{"rescue_password", "sesame"}}, runner), k_hash);
  EXPECT_EQ(runner.input, "sesame\n");
  EXPECT_THAT(runner.lines.at(0), testing::Not(HasSubstr("sesame")));
  runner.out = "what?";
  EXPECT_THROW(static_cast<void>(rescue_hash({{"rescue_password", "sesame"}}, runner)), Error);
}

TEST(Rescue, onlyTheUserRescueHasAPassword) {
  fakes::MemoryFileSystem files;
  Runner runner;
  for (const char* program : {"/bin/busybox", "/usr/sbin/dropbear"}) {
    files.make_directories(fs::path(program).parent_path(), 0755);
    files.write(program, "x", {.mode = 0755, .uid = {}, .gid = {}});
  }
  files.make_directories("/etc", 0755);
  let_in(k_hash, files, runner);
  const std::string shadow = files.read("/etc/shadow").value();
  EXPECT_THAT(shadow, HasSubstr("root:!:"));
  EXPECT_THAT(shadow, HasSubstr("rescue:" + k_hash + ":"));
  EXPECT_EQ(files.status("/etc/shadow")->mode & 07777U, 0600U);
  EXPECT_THAT(files.read("/etc/passwd").value(), HasSubstr("rescue:x:0:0:"));
  EXPECT_THAT(runner.lines, testing::ElementsAre("/bin/busybox --install -s", "/usr/sbin/dropbear -R"));
}

TEST(Rescue, aRamdiskWithoutAServerSaysSoAndLetsNobodyIn) {
  fakes::MemoryFileSystem files;
  Runner runner;
  EXPECT_THROW(let_in(k_hash, files, runner), Error);
  EXPECT_FALSE(files.read("/etc/shadow"));
  EXPECT_TRUE(runner.lines.empty());
}

}  // namespace
}  // namespace hearth::agent::deploy
