// The peer is sha512sum.
#include "builder/packing/output_file.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "base/error.hpp"
#include "base/sys/process.hpp"
#include "base/text.hpp"
#include "tests/fakes/lossy_disk.hpp"

namespace hearth::builder {
namespace {

const std::vector<HashKind> k_all = {HashKind::md5, HashKind::sha256, HashKind::sha512};

class OutputFileTest : public testing::Test {
 protected:
  std::vector<std::string> names() { return RealFileSystem().list(work_.path()); }
  void expect_checked() {
    SystemClock clock;
    RealRunner runner(clock);
    for (const char* kind : {"md5", "sha256", "sha512"}) {
      EXPECT_NO_THROW(run_checked(
          runner, {.argv = {cat(kind, "sum"), "--check", "--strict", cat("image.", kind)}, .cwd = work_.path()}));
    }
  }
  TempDir work_ = TempDir::create(fs::temp_directory_path(), "output-");
  fs::path target_ = work_.path() / "image";
};

TEST_F(OutputFileTest, AStreamedFileHasItsChecksumsFromTheSamePass) {
  const auto digests = write_streamed(target_, k_all, [](int fd) {
    for (int i = 0; i < 100; ++i) ASSERT_EQ(::write(fd, std::string(5000, 'x').data(), 5000), 5000);
  });
  EXPECT_EQ(digests.back(), hex_digest(HashKind::sha512, std::string(500'000, 'x')));
  expect_checked();
}

TEST_F(OutputFileTest, SoHasOneThatWasWrittenInAnyOrder) {
  write_placed(target_, k_all, [](const AtomicFile& file) {
    ASSERT_EQ(::pwrite(file.fd().get(), "end", 3, 100'000), 3);
    ASSERT_EQ(::pwrite(file.fd().get(), "begin", 5, 0), 5);
  });
  EXPECT_EQ(fs::file_size(target_), 100'003U);
  expect_checked();
}

TEST_F(OutputFileTest, FilesThatBelongTogetherAppearWhenAllAreComplete) {
  RealFileSystem().write(target_, "earlier", {});
  const fs::path other = work_.path() / "image-data";
  const auto text = [](const char* what) {
    return [what](const AtomicFile& file) { write_all(file.fd(), what, "image"); };
  };
  {
    FilesTogether given_up;
    write_placed(target_, k_all, text("new"), &given_up);
    EXPECT_EQ(read_file(target_), "earlier");
  }
  EXPECT_THAT(names(), testing::ElementsAre("image")) << "nothing is left of what never got its name";
  FilesTogether together;
  write_placed(target_, k_all, text("new"), &together);
  write_placed(other, {}, text("data"), &together);
  EXPECT_EQ(names().size(), 1U);
  together.place();
  EXPECT_EQ(read_file(target_), "new");
  EXPECT_EQ(read_file(other), "data");
  expect_checked();
}

TEST_F(OutputFileTest, AFailureLeavesNothingBehind) {
  EXPECT_THROW(write_streamed(target_, k_all, [](int) { throw Error(ErrorKind::io, "no"); }), Error);
  EXPECT_THROW(write_placed(target_, k_all, [](const AtomicFile&) { throw Error(ErrorKind::io, "no"); }), Error);
  EXPECT_TRUE(names().empty());
}

TEST(PlacedDirectoryTest, AtNoMomentIsThereNone) {
  const TempDir work = TempDir::create(fs::temp_directory_path(), "placed-");
  const fs::path target = work.path() / "layout";
  RealFileSystem files;
  const auto place = [&](int number) {
    const fs::path made = work.path() / "made";
    for (const fs::path& old : {made, fs::path(made.string() + ".old")}) fs::remove_all(old);
    files.make_directories(made, 0755);
    files.write(made / "index", std::to_string(number), {});
    place_directory(made, target, number % 2 == 0 ? work.path() / cat("kept-", number) : fs::path());
  };
  place(0);
  std::atomic<int> missing = 0;
  std::jthread reader([&](const std::stop_token& stop) {
    while (!stop.stop_requested()) missing += fs::exists(target / "index") ? 0 : 1;
  });
  for (int number = 1; number <= 60; ++number) place(number);
  reader.request_stop();
  reader.join();
  EXPECT_EQ(missing, 0);
  EXPECT_EQ(read_file(target / "index"), "60");
  EXPECT_EQ(read_file(work.path() / "kept-60/index"), "59");
}

TEST(PlacedDirectoryTest, APowerCutLeavesTheOldOneOrTheNewOne) {
  const TempDir work = TempDir::create(fs::temp_directory_path(), "placed-");
  const fs::path target = work.path() / "layout";
  const auto make = [&](const std::string& content) {
    const fs::path made = work.path() / cat("made-", content);
    RealFileSystem files;
    files.make_directories(made / "blobs", 0755);
    for (const char* name : {"index", "blobs/a"}) {
      const Fd file = Fd::open((made / name).string(), O_WRONLY | O_CREAT | O_EXCL, 0644);
      write_all(file, content, name);
      sync_to_disk(file, name);
    }
    place_directory(made, target, fs::path());
  };
  make("old");
  fakes::LossyDisk disk(work.path());
  make("new");
  disk.promise("new");
  const std::size_t cuts = disk.cut_everywhere([&](const fakes::LossyDisk::Cut& cut) {
    const std::string found = read_file(target / "index");
    EXPECT_TRUE(found == "new" || (found == "old" && cut.promised.empty())) << found;
    EXPECT_EQ(read_file(target / "blobs/a"), found);
  });
  EXPECT_GT(cuts, 8U);
}

TEST_F(OutputFileTest, APowerCutLeavesTheOldImageOrTheNewOne) {
  const auto write = [&](const std::string& content) {
    write_streamed(target_, k_all, [&](int fd) { ASSERT_EQ(::write(fd, content.data(), content.size()), 3000); });
  };
  write(std::string(3000, 'o'));
  fakes::LossyDisk disk(work_.path());
  write(std::string(3000, 'n'));
  disk.promise("new");
  const std::size_t cuts = disk.cut_everywhere([&](const fakes::LossyDisk::Cut& cut) {
    const std::string found = read_file(target_);
    EXPECT_TRUE(found == std::string(3000, 'n') || (found == std::string(3000, 'o') && cut.promised.empty()));
  });
  EXPECT_GT(cuts, 4U);
}

}  // namespace
}  // namespace hearth::builder
