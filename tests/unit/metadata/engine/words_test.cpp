#include "metadata/engine/words.hpp"

#include <gtest/gtest.h>

namespace hearth::metadata::live {
namespace {

TEST(Words, AreHeatsAndAreReadBack) {
  EXPECT_EQ(status_text(Action::create, Status::in_progress), "CREATE_IN_PROGRESS");
  EXPECT_EQ(word(Action::erase), "DELETE");
  EXPECT_EQ(parse_action("DELETE"), Action::erase);
  EXPECT_EQ(parse_status("FAILED"), Status::failed);
  EXPECT_FALSE(parse_action("delete"));
  EXPECT_FALSE(parse_status(""));
  EXPECT_EQ(title(Action::create), "Create");
}

TEST(IsoTime, IsInUtc) { EXPECT_EQ(iso_time(784111777), "1994-11-06T08:49:37Z"); }

}  // namespace
}  // namespace hearth::metadata::live
