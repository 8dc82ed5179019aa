#include "builder/lint/read_once.hpp"

#include <gmock/gmock.h>

#include "base/error.hpp"

namespace hearth::builder {
namespace {

/// Counts what it is asked; a file named "closed" may not be read.
class CountingReader final : public FileReader {
 public:
  std::optional<std::string> read(const fs::path& path) const override {
    ++asked;
    if (path.filename() == "closed") throw Error(ErrorKind::io, "not for you");
    return path.filename() == "large" ? std::string(1 << 20, 'x') : path.string();
  }
  std::optional<FileStatus> status(const fs::path& /*path*/) const override {
    ++asked;
    return std::nullopt;
  }
  std::vector<std::string> list(const fs::path& /*directory*/) const override {
    ++asked;
    return {"a"};
  }
  mutable int asked = 0;
};

TEST(ReadOnce, AsksForEachThingOnceAndForWhatFailedAgain) {
  const CountingReader files;
  const ReadOnce once(files);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(once.read("/x"), "/x");
    EXPECT_EQ(once.status("/x"), std::nullopt);
    EXPECT_THAT(once.list("/x"), testing::ElementsAre("a"));
  }
  EXPECT_EQ(files.asked, 3);
  EXPECT_EQ(once.read("/y"), "/y");
  for (int i = 0; i < 2; ++i) EXPECT_THROW((void)once.read("/closed"), Error);
  EXPECT_EQ(files.asked, 6);
}

TEST(ReadOnce, WhatADirectoryThatWasListedHasNotIsNotAskedFor) {
  const CountingReader files;
  const ReadOnce once(files);
  EXPECT_THAT(once.list("/x"), testing::ElementsAre("a"));
  EXPECT_EQ(once.read("/x/b"), std::nullopt);
  EXPECT_EQ(once.status("/x/b"), std::nullopt);
  EXPECT_THAT(once.list("/x/b"), testing::IsEmpty());
  EXPECT_EQ(files.asked, 1);
  EXPECT_EQ(once.read("/x/a"), "/x/a");
  EXPECT_EQ(once.read("/x/.."), "/x/..");
  EXPECT_EQ(files.asked, 3);
}

TEST(ReadOnce, LargeFilesAreNotKept) {
  const CountingReader files;
  const ReadOnce once(files);
  for (int i = 0; i < 2; ++i) EXPECT_EQ(once.read("/large")->size(), std::size_t{1} << 20U);
  EXPECT_EQ(files.asked, 2);
}

}  // namespace
}  // namespace hearth::builder
