#include "builder/hooks/program_start.hpp"

#include <elf.h>
#include <gmock/gmock.h>

#include <cstring>

#include "base/error.hpp"
#include "base/text.hpp"
#include "tests/fakes/memory_file_system.hpp"
#include "tests/fakes/scripted_runner.hpp"

namespace hearth::builder {
namespace {

using testing::HasSubstr;
using testing::Optional;

/// A program for this machine, or that one, which names a loader.
std::string elf(std::uint16_t machine, const std::string& loader) {
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_machine = machine;
  header.e_phoff = sizeof header;
  header.e_phentsize = sizeof(Elf64_Phdr);
  header.e_phnum = 1;
  Elf64_Phdr part{};
  part.p_type = PT_INTERP;
  part.p_offset = sizeof header + sizeof part;
  part.p_filesz = loader.size() + 1;
  const auto bytes = [](const auto& value) { return std::string(reinterpret_cast<const char*>(&value), sizeof value); };
  return cat(bytes(header), bytes(part), loader, '\0');
}

/// The machine of the test itself.
std::uint16_t this_machine() {
  const std::string self = read_file("/proc/self/exe").substr(0, sizeof(Elf64_Ehdr));
  Elf64_Ehdr header{};
  std::memcpy(&header, self.data(), sizeof header);
  return header.e_machine;
}

TEST(ProgramStartTest, TheFileThatIsMissingIsNamed) {
  fakes::MemoryFileSystem tree;
  EXPECT_THAT(why_not_executable(tree, "/bin/bash"), Optional(std::string("there is no /bin/bash")));
  tree.put("/bin/bash", elf(this_machine(), "/lib64/ld.so"));
  EXPECT_THAT(why_not_executable(tree, "/bin/bash"), Optional(std::string("/bin/bash is not executable")));
  tree.put("/bin/bash", elf(this_machine(), "/lib64/ld.so"), 0755);
  const std::string loader = "/bin/bash needs the loader /lib64/ld.so, which is not there";
  EXPECT_THAT(why_not_executable(tree, "/bin/bash"), Optional(loader));
  tree.put("/hook", "#!/bin/bash -e\necho\n", 0755);
  EXPECT_THAT(why_not_executable(tree, "/hook"), Optional(loader));
  tree.put("/lib64/ld.so", "", 0755);
  EXPECT_EQ(why_not_executable(tree, "/hook"), std::nullopt);
  tree.put("/other", "#!/usr/bin/python2\n", 0755);
  EXPECT_THAT(why_not_executable(tree, "/other"), Optional(HasSubstr("/other is for /usr/bin/python2, which is not")));
}

TEST(ProgramStartTest, AProgramOfAnotherMachineIsTold) {
  fakes::MemoryFileSystem tree;
  const std::uint16_t other = this_machine() == EM_S390 ? EM_RISCV : EM_S390;
  tree.put("/bin/bash", elf(other, "/lib/ld64.so.1"), 0755);
  EXPECT_THAT(why_not_executable(tree, "/bin/bash"), Optional(HasSubstr("/bin/bash is a program for ")));
  tree.put("/bin/bash", "\177ELF", 0755);
  EXPECT_EQ(why_not_executable(tree, "/bin/bash"), std::nullopt) << "no header, no word";
}

TEST(ProgramStartTest, ProgramsThatWereMadeToConfuseAreToldOrLeft) {
  fakes::MemoryFileSystem tree;
  tree.put("/a", "#!/b\n", 0755);
  tree.put("/b", "#!/a\n", 0755);
  EXPECT_THAT(why_not_executable(tree, "/a"), Optional(HasSubstr("interpreters that name one another")));
  std::string program = elf(this_machine(), "/lib64/ld.so");
  Elf64_Phdr part{};
  part.p_type = PT_INTERP;
  part.p_offset = ~std::uint64_t{0};
  part.p_filesz = 2;  // their sum is 1
  std::memcpy(program.data() + sizeof(Elf64_Ehdr), &part, sizeof part);
  tree.put("/bin/bash", program, 0755);
  EXPECT_EQ(why_not_executable(tree, "/bin/bash"), std::nullopt);
}

class ProgramInTargetTest : public testing::Test {
 protected:
  void SetUp() override {
    files_.make_directories(target_ / "bin", 0755);
    files_.write(target_ / "hook", "#!/bin/bash\n", {.mode = 0755});
  }
  std::string failure() {
    try {
      (void)run_program(runner_, {.argv = {"/hook"}, .root = target_}, "install.d/10-x (element a)");
    } catch (const Error& error) {
      EXPECT_EQ(error.exit_code(), 127);
      return error.story();
    }
    return "none";
  }
  TempDir dir_ = TempDir::create(fs::temp_directory_path(), "start-");
  fs::path target_ = dir_.path();
  RealFileSystem files_;
  fakes::ScriptedRunner runner_;
};

TEST_F(ProgramInTargetTest, WithoutBashTheStepTheFileAndTheImageAreNamed) {
  EXPECT_THAT(failure(), HasSubstr("install.d/10-x (element a) could not be started in the image: /hook is for "
                                   "/bin/bash, which is not there"));
  EXPECT_THAT(failure(), HasSubstr("let a hook in root.d bring them"));
}

TEST_F(ProgramInTargetTest, ABashThatEndsAtOnceIsToldWithItsWords) {
  runner_.on("hook", 127);
  runner_.on("bash", 127, "bash: error while loading shared libraries: libtinfo.so.6\n");
  EXPECT_THAT(failure(), HasSubstr("could not be started in the image: /bin/bash: exit code 127: bash: error while "
                                   "loading shared libraries: libtinfo.so.6"));
}

TEST_F(ProgramInTargetTest, AHookThatFailsByItselfIsAResult) {
  runner_.on("hook", 127);
  runner_.on("bash", 0);
  EXPECT_EQ(failure(), "none");
}

TEST_F(ProgramInTargetTest, WhoseHooksAreForAnotherShellNeedsNoBash) {
  files_.write(target_ / "hook", "#!/bin/sh\n", {.mode = 0755});
  runner_.on("hook", 127);
  EXPECT_EQ(failure(), "none");
}

}  // namespace
}  // namespace hearth::builder
