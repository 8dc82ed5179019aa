#include "bootstrap/page/console_part.hpp"

#include <gtest/gtest.h>

#include "base/sys/file.hpp"

namespace hearth::bootstrap {
namespace {

TEST(ConsolePart, ItsEndFirstAndThenWhatHasCome) {
  const TempDir dir = TempDir::create(fs::temp_directory_path(), "hearth-test-");
  const fs::path file = console_file(dir.path(), "u");
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

}  // namespace
}  // namespace hearth::bootstrap
