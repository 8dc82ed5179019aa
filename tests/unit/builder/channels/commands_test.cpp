#include "builder/channels/commands.hpp"

#include <gmock/gmock.h>

#include "base/sys/file.hpp"

namespace hearth::builder::channels {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(ChannelNames, AreOfferedOfADirectoryThatIsNamed) {
  const TempDir place = TempDir::create(fs::temp_directory_path(), "hearth-test-");
  const fs::path folder = place.path() / "channels" / "web";
  fs::create_directories(folder);
  for (const char* channel : {"stable", "candidate"})
    RealFileSystem().write(folder / (std::string(channel) + ".json"), "{}", {.mode = 0644});
  const std::vector<std::string> words = {"--from", place.path().string()};
  EXPECT_THAT(known_names("NAME@CHANNEL", words), ElementsAre("web@candidate", "web@stable"));
  EXPECT_THAT(known_names("CHANNEL", words), ElementsAre("candidate", "stable"));
  EXPECT_THAT(known_names("NODE", words), IsEmpty());
  EXPECT_THAT(known_names("CHANNEL", {"--from", "https://images.example"}), IsEmpty()) << "nobody waits for a server";
}

}  // namespace
}  // namespace hearth::builder::channels
