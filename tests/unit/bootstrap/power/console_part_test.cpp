#include "bootstrap/power/console_part.hpp"

#include <gtest/gtest.h>

#include "base/sys/file.hpp"

namespace hearth::bootstrap {
namespace {

TEST(ConsolePart, ItsEndFirstAndThenWhatHasCome) {
  const TempDir dir = TempDir::create(fs::temp_directory_path(), "hearth-test-");
  const fs::path file = dir.path() / "u" / "console.log";
  EXPECT_FALSE(console_part(file, {}));
  RealFileSystem files;
  files.make_directories(file.parent_path(), 0755);
  files.write(file, std::string(100'000, 'a') + "\xff\n", {});
  const Json end = console_part(file, {}).value();
  EXPECT_EQ(end["end"], 100'002);
  EXPECT_EQ(end["from"], 100'002 - 65'536);
  EXPECT_EQ(end["text"].get<std::string>().substr(65'534), "\xEF\xBF\xBD\n") << "what is no UTF-8 is shown as such";
  EXPECT_EQ(console_part(file, 100'002).value()["text"], "");
  EXPECT_EQ(console_part(file, 100'001).value()["text"], "\n");
  EXPECT_EQ(console_part(file, 0).value()["end"], 65'536) << "the rest comes with the next question";
  files.write(file, "again\n", {});
  EXPECT_EQ(console_part(file, 100'002).value()["text"], "again\n") << "the file was begun anew";
}

TEST(ConsolePart, CharactersAreNotTornApart) {
  const TempDir dir = TempDir::create(fs::temp_directory_path(), "hearth-test-");
  const fs::path file = dir.path() / "console.log";
  RealFileSystem files;
  files.write(file, "ab\xE2\x94", {});
  EXPECT_EQ(console_part(file, 0).value(), Json({{"from", 0}, {"end", 2}, {"text", "ab"}}));
  files.write(file, "ab\xE2\x94\x80", {});
  EXPECT_EQ(console_part(file, 2).value(), Json({{"from", 2}, {"end", 5}, {"text", "\xE2\x94\x80"}}));
  files.write(file, "ab\xE2\x94x\xC3", {});
  EXPECT_EQ(console_part(file, 2).value()["text"], "\xEF\xBF\xBDx") << "what will never be whole is shown as such";
  std::string bars;
  for (int i = 0; i < 30'000; ++i) bars += "\xE2\x94\x80";
  files.write(file, "ab" + bars, {});
  const Json end = console_part(file, {}).value();
  EXPECT_EQ(end["text"].get<std::string>().find("\xEF\xBF\xBD"), std::string::npos);
  EXPECT_EQ(end["end"], 90'002);
  EXPECT_EQ(console_part(file, 0).value()["end"], 65'536 - 2) << "the character that begins there comes whole";
}

TEST(ConsolePart, OfMemoryItIsTheSame) {
  EXPECT_EQ(console_part("abc", 10, 11), Json({{"from", 11}, {"end", 13}, {"text", "bc"}}));
  EXPECT_EQ(console_part("abc", 10, 13), Json({{"from", 13}, {"end", 13}, {"text", ""}}));
  EXPECT_EQ(console_part("\x94\x80yz", 10, 3), Json({{"from", 12}, {"end", 14}, {"text", "yz"}}))
      << "what is gone is left out";
  EXPECT_EQ(console_part(std::string(70'000, 'a'), 0, {})["from"], 70'000 - 65'536);
}

TEST(ConsolePart, OnlyAPlainFileIsOne) {
  const TempDir dir = TempDir::create(fs::temp_directory_path(), "hearth-test-");
  RealFileSystem().write(dir.path() / "elsewhere", "secret\n", {});
  for (const char* target : {"elsewhere", "console.log", "nowhere"}) {
    const fs::path file = dir.path() / "console.log";
    fs::remove(file);
    fs::create_symlink(target, file);
    EXPECT_FALSE(is_console_file(file)) << target;
    EXPECT_FALSE(console_part(file, {})) << target;
  }
}

}  // namespace
}  // namespace hearth::bootstrap
