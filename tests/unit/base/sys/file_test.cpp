#include "base/sys/file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <fstream>
#include <thread>

#include "base/error.hpp"
#include "base/sys/namespace.hpp"
#include "base/text.hpp"
#include "tests/fakes/memory_file_system.hpp"
#include "tests/unit/base/in_child.hpp"

namespace hearth {
namespace {

/// One suite for both file systems: what the fake does is what the real one does.
template <class Files>
class FileSystemContract : public testing::Test {
 protected:
  FileSystemContract() { files_.make_directories(root_, 0755); }
  Files files_;
  TempDir scratch_ = TempDir::create(fs::temp_directory_path(), "hearth-test-");
  fs::path root_ = scratch_.path() / "root";

  [[nodiscard]] int errno_of(const std::function<void()>& body) {
    try {
      body();
      return 0;
    } catch (const Error& error) {
      return error.system_error();
    }
  }
};

using BothFileSystems = testing::Types<RealFileSystem, fakes::MemoryFileSystem>;
TYPED_TEST_SUITE(FileSystemContract, BothFileSystems);

TYPED_TEST(FileSystemContract, ReadsBackWhatWasWritten) {
  const std::string data("a\0b\n", 4);
  this->files_.write(this->root_ / "f", data, {});
  EXPECT_EQ(this->files_.read(this->root_ / "f"), data);
  EXPECT_EQ(this->files_.status(this->root_ / "f")->size, 4U);
}

TYPED_TEST(FileSystemContract, WritingReplaces) {
  this->files_.write(this->root_ / "f", "long contents", {});
  this->files_.write(this->root_ / "f", "new", {.mode = 0600});
  EXPECT_EQ(this->files_.read(this->root_ / "f"), "new");
  EXPECT_EQ(this->files_.status(this->root_ / "f")->mode, 0600U);
  EXPECT_EQ(this->files_.list(this->root_), std::vector<std::string>{"f"});
}

TYPED_TEST(FileSystemContract, GivesTheModeWhateverTheUmask) {
  const mode_t before = ::umask(0077);
  this->files_.write(this->root_ / "f", "", {.mode = 04755});
  ::umask(before);
  EXPECT_EQ(this->files_.status(this->root_ / "f")->mode, 04755U);
}

TYPED_TEST(FileSystemContract, GivesTheOwner) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root may give files away";
  this->files_.write(this->root_ / "f", "", {.uid = 12, .gid = 34});
  EXPECT_EQ(this->files_.status(this->root_ / "f")->uid, 12U);
  EXPECT_EQ(this->files_.status(this->root_ / "f")->gid, 34U);
}

TYPED_TEST(FileSystemContract, WhatIsMissingIsNothingAndNoError) {
  this->files_.write(this->root_ / "f", "", {});
  EXPECT_EQ(this->files_.read(this->root_ / "none"), std::nullopt);
  EXPECT_EQ(this->files_.read(this->root_ / "f/below"), std::nullopt);
  EXPECT_FALSE(this->files_.status(this->root_ / "none").has_value());
  EXPECT_FALSE(this->files_.status(this->root_ / "f/below").has_value());
  EXPECT_TRUE(this->files_.list(this->root_ / "none").empty());
  EXPECT_TRUE(this->files_.list(this->root_ / "f").empty());
  EXPECT_NO_THROW(this->files_.remove(this->root_ / "none"));
  EXPECT_NO_THROW(this->files_.remove(this->root_ / "f/below"));
}

TYPED_TEST(FileSystemContract, ListsNamesBytewiseSortedAndOnlyOfThatDirectory) {
  this->files_.make_directories(this->root_ / "b/deep", 0755);
  for (const char* name : {"a", "B", "10", "9", ".hidden", "b/inner"}) this->files_.write(this->root_ / name, "", {});
  EXPECT_EQ(this->files_.list(this->root_), (std::vector<std::string>{".hidden", "10", "9", "B", "a", "b"}));
  EXPECT_EQ(this->files_.list(this->root_ / "b"), (std::vector<std::string>{"deep", "inner"}));
}

TYPED_TEST(FileSystemContract, TellsFilesFromDirectories) {
  this->files_.write(this->root_ / "f", "", {});
  EXPECT_EQ(this->files_.status(this->root_ / "f")->type, FileStatus::Type::regular);
  EXPECT_EQ(this->files_.status(this->root_)->type, FileStatus::Type::directory);
}

TYPED_TEST(FileSystemContract, MakesParentsAndLeavesWhatExists) {
  this->files_.make_directories(this->root_ / "a/b/c", 0755);
  this->files_.write(this->root_ / "a/b/f", "kept", {});
  EXPECT_NO_THROW(this->files_.make_directories(this->root_ / "a/b", 0700));
  EXPECT_EQ(this->files_.read(this->root_ / "a/b/f"), "kept");
  EXPECT_EQ(this->files_.status(this->root_ / "a/b")->mode, 0755U);
}

TYPED_TEST(FileSystemContract, ADirectoryCannotTakeAFilesPlace) {
  this->files_.write(this->root_ / "f", "x", {});
  EXPECT_EQ(this->errno_of([&] { this->files_.make_directories(this->root_ / "f", 0755); }), EEXIST);
  EXPECT_EQ(this->errno_of([&] { this->files_.make_directories(this->root_ / "f/below", 0755); }), ENOTDIR);
}

TYPED_TEST(FileSystemContract, AFileCannotTakeADirectorysPlace) {
  this->files_.make_directories(this->root_ / "d", 0755);
  EXPECT_EQ(this->errno_of([&] { this->files_.write(this->root_ / "d", "x", {}); }), EISDIR);
  EXPECT_EQ(this->files_.list(this->root_), std::vector<std::string>{"d"});
}

TYPED_TEST(FileSystemContract, WritingNeedsTheParent) {
  EXPECT_EQ(this->errno_of([&] { this->files_.write(this->root_ / "no/f", "x", {}); }), ENOENT);
}

TYPED_TEST(FileSystemContract, ADirectoryHasNoContents) {
  EXPECT_EQ(this->errno_of([&] { (void)this->files_.read(this->root_); }), EISDIR);
}

TYPED_TEST(FileSystemContract, RemovesFilesAndEmptyDirectoriesOnly) {
  this->files_.make_directories(this->root_ / "d", 0755);
  this->files_.write(this->root_ / "d/f", "", {});
  EXPECT_EQ(this->errno_of([&] { this->files_.remove(this->root_ / "d"); }), ENOTEMPTY);
  this->files_.remove(this->root_ / "d/f");
  this->files_.remove(this->root_ / "d");
  EXPECT_TRUE(this->files_.list(this->root_).empty());
}

TEST(MemoryFileSystemTest, FailsTheWriteItWasToldTo) {
  fakes::MemoryFileSystem files;
  files.fail_write_after(1);
  EXPECT_NO_THROW(files.write("/a", "1", {}));
  EXPECT_THROW(files.write("/a", "2", {}), Error);
  EXPECT_EQ(files.read("/a"), "1");
}

class RealFiles : public testing::Test {
 protected:
  TempDir dir_ = TempDir::create(fs::temp_directory_path(), "hearth-test-");
  RealFileSystem files_;
};

TEST_F(RealFiles, AFullDiskKeepsTheOldFileAndLeavesNoRest) {
  const fs::path path = dir_.path() / "f";
  files_.write(path, "old", {});
  const int error_number = in_child([&] {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{4096, 4096};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    try {
      files_.write(path, std::string(100'000, 'x'), {});
    } catch (const Error& error) {
      return error.system_error();
    }
    return 0;
  });
  EXPECT_EQ(error_number, EFBIG);
  EXPECT_EQ(files_.read(path), "old");
  EXPECT_EQ(files_.list(dir_.path()), std::vector<std::string>{"f"});
}

TEST_F(RealFiles, AFullTmpfsKeepsTheOldFileAndLeavesNoRest) {
  const auto body = [&]() -> int {
    if (::mount("tmpfs", dir_.path().c_str(), "tmpfs", 0, "size=64k") != 0) return 77;
    files_.write(dir_.path() / "f", "old", {});
    try {
      files_.write(dir_.path() / "f", std::string(1'000'000, 'x'), {});
      return 1;
    } catch (const Error& error) {
      if (error.system_error() != ENOSPC) return 2;
    }
    return files_.read(dir_.path() / "f") == "old" && files_.list(dir_.path()).size() == 1 ? 0 : 3;
  };
  try {
    NamespacedProcess process = NamespacedProcess::start(body);
    const std::optional<ExitStatus> status = process.wait();
    if (status == ExitStatus(Exited{77})) GTEST_SKIP() << "tmpfs can't be mounted in a user namespace here";
    EXPECT_EQ(status, ExitStatus(Exited{0}));
  } catch (const Error& error) {
    GTEST_SKIP() << "no namespaces here: " << error.story();
  }
}

TEST_F(RealFiles, StatusFollowsLinks) {
  files_.write(dir_.path() / "f", "123", {});
  fs::create_symlink("f", dir_.path() / "link");
  fs::create_symlink("nowhere", dir_.path() / "dangling");
  EXPECT_EQ(files_.status(dir_.path() / "link")->size, 3U);
  EXPECT_FALSE(files_.status(dir_.path() / "dangling").has_value());
}

TEST_F(RealFiles, WritingThroughALinkReplacesTheLinkNotItsTarget) {
  files_.write(dir_.path() / "f", "target", {});
  fs::create_symlink("f", dir_.path() / "link");
  files_.write(dir_.path() / "link", "new", {});
  EXPECT_EQ(files_.read(dir_.path() / "f"), "target");
  EXPECT_EQ(files_.read(dir_.path() / "link"), "new");
}

TEST_F(RealFiles, AFileWithTheLongestNameIsMadeAndReplaced) {
  const fs::path path = dir_.path() / std::string(255, 'n');
  for (const char* text : {"first", "second"}) RealFileSystem().write(path, text, {});
  EXPECT_EQ(read_file(path), "second");
}

TEST_F(RealFiles, WorksBelowTheCurrentDirectory) {
  EXPECT_EQ(in_child([&] {
              if (::chdir(dir_.path().c_str()) != 0) return 1;
              files_.write("f", "x", {});
              files_.make_directories("a/b/", 0755);
              return files_.read("f") == "x" && files_.status("a/b") ? 0 : 2;
            }),
            0);
}

TEST_F(RealFiles, APipeIsReadWhereSomebodyWritesAndRefusedWhereNobodyDoes) {
  const fs::path pipe = dir_.path() / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_THROW((void)RealFileSystem().read(pipe), Error);
  std::thread writer([&] { std::ofstream(pipe.string()) << "told"; });
  // The writer may not have come to its open() yet.
  std::optional<std::string> got;
  for (int tries = 0; !got && tries < 1000; ++tries) {
    try {
      got = RealFileSystem().read(pipe);
    } catch (const Error&) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }
  writer.join();
  EXPECT_EQ(got, "told");
}

TEST_F(RealFiles, ASocketIsNamed) {
  const fs::path path = dir_.path() / "socket";
  const Fd server(::socket(AF_UNIX, SOCK_STREAM, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path.c_str(), sizeof(address.sun_path) - 1);
  ASSERT_EQ(::bind(server.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
  try {
    (void)RealFileSystem().read(path);
    FAIL() << "it was read";
  } catch (const Error& error) {
    EXPECT_NE(error.story().find(path.string() + " is a socket"), std::string::npos) << error.story();
  }
}

TEST_F(RealFiles, WhatTellsNoSizeAndWhatIsLargeIsReadToItsEnd) {
  EXPECT_EQ(read_file("/proc/sys/kernel/ostype"), "Linux\n");
  EXPECT_TRUE(read_file("/proc/self/mountinfo").ends_with("\n"));
  std::string large;
  for (int number = 0; large.size() < 3'000'000; ++number) large += cat(number, "\n");
  files_.write(dir_.path() / "large", large, {});
  EXPECT_TRUE(read_file(dir_.path() / "large") == large);
}

TEST_F(RealFiles, ReadFileNamesWhatIsMissing) {
  try {
    (void)read_file(dir_.path() / "none");
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::not_found);
    EXPECT_NE(std::string(error.what()).find("none"), std::string::npos);
  }
}

class AtomicFileTest : public RealFiles {
 protected:
  fs::path target_ = dir_.path() / "target";
};

TEST_F(AtomicFileTest, NothingAppearsBeforeCommit) {
  AtomicFile file = AtomicFile::create(target_);
  write_all(file.fd(), "data", "it");
  EXPECT_EQ(files_.read(target_), std::nullopt);
  EXPECT_EQ(read_file(file.proc_path()), "data");
  file.commit();
  EXPECT_EQ(files_.read(target_), "data");
  EXPECT_EQ(files_.list(dir_.path()), std::vector<std::string>{"target"});
}

TEST_F(AtomicFileTest, WithoutCommitNothingIsLeft) {
  files_.write(target_, "old", {});
  {
    const AtomicFile file = AtomicFile::create(target_);
    write_all(file.fd(), "new", "it");
  }
  EXPECT_EQ(files_.read(target_), "old");
  EXPECT_EQ(files_.list(dir_.path()), std::vector<std::string>{"target"});
}

TEST_F(AtomicFileTest, ADeviceKeepsItsPlace) {
  fs::create_symlink("/dev/null", target_);
  EXPECT_THROW((void)AtomicFile::create(target_), Error);
  EXPECT_THROW(files_.write(target_, "data", {}), Error);
  EXPECT_TRUE(fs::is_symlink(fs::symlink_status(target_)));
}

TEST_F(AtomicFileTest, APipeKeepsIts) {
  const Pipe pipe = Pipe::create();
  fs::create_symlink(cat("/proc/self/fd/", pipe.write.get()), target_);  // as /dev/stdout in a pipeline
  EXPECT_THROW((void)AtomicFile::create(target_), Error);
  EXPECT_TRUE(fs::is_symlink(fs::symlink_status(target_)));
}

TEST_F(AtomicFileTest, MovingItHandsTheDutyOn) {
  AtomicFile first = AtomicFile::create(target_);
  AtomicFile second = std::move(first);
  write_all(second.fd(), "data", "it");
  second.commit();
  EXPECT_EQ(files_.read(target_), "data");
}

TEST_F(AtomicFileTest, KilledBeforeCommitLeavesNothing) {
  Pipe ready = Pipe::create();
  const pid_t writer = start_child([&] {
    const AtomicFile file = AtomicFile::create(target_);
    write_all(file.fd(), "half", "it");
    write_all(ready.write, file.proc_path().substr(0, 5) == "/proc" ? "u" : "n", "the pipe");
    ::pause();
    return 0;
  });
  char kind = 0;
  ASSERT_EQ(::read(ready.read.get(), &kind, 1), 1);
  ::kill(writer, SIGKILL);
  EXPECT_EQ(end_of_child(writer), 128 + SIGKILL);
  if (kind != 'u') GTEST_SKIP() << dir_.path() << " lies on a file system without O_TMPFILE";
  EXPECT_TRUE(files_.list(dir_.path()).empty());
}

TEST_F(AtomicFileTest, AFailedCommitLeavesNoRest) {
  {
    AtomicFile file = AtomicFile::create(target_);
    files_.make_directories(target_, 0755);
    EXPECT_THROW(file.commit(), Error);
  }
  EXPECT_EQ(files_.list(dir_.path()), std::vector<std::string>{"target"});
}

TEST_F(AtomicFileTest, AMissingFolderIsAnErrorNamingIt) {
  try {
    (void)AtomicFile::create(dir_.path() / "no/file");
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()),
              cat("creating a file in ", (dir_.path() / "no").string(), ": No such file or directory"));
  }
}

TEST_F(RealFiles, ATempDirGoesWithEverythingInItAndReleaseKeepsIt) {
  fs::path gone;
  fs::path kept;
  {
    TempDir first = TempDir::create(dir_.path(), "a-");
    gone = first.path();
    files_.make_directories(gone / "x/y", 0755);
    files_.write(gone / "x/y/f", "", {});
    TempDir second = TempDir::create(dir_.path(), "b-");
    kept = second.release();
  }
  EXPECT_FALSE(files_.status(gone).has_value());
  EXPECT_TRUE(files_.status(kept).has_value());
}

TEST_F(RealFiles, ATempDirDoesNotFollowLinksOut) {
  files_.make_directories(dir_.path() / "precious", 0755);
  files_.write(dir_.path() / "precious/f", "kept", {});
  {
    const TempDir scratch = TempDir::create(dir_.path(), "s-");
    fs::create_symlink(dir_.path() / "precious", scratch.path() / "link");
  }
  EXPECT_EQ(files_.read(dir_.path() / "precious/f"), "kept");
}

TEST_F(RealFiles, ATempDirIsPrivate) {
  const TempDir scratch = TempDir::create(dir_.path(), "s-");
  EXPECT_EQ(files_.status(scratch.path())->mode, 0700U);
}

}  // namespace
}  // namespace hearth
