#include "bootstrap/page/feed.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hearth::bootstrap {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Feed, positionsAreReadAsTheyAreWrittenAndNothingElseIs) {
  const std::optional<FeedPosition> read = parse_position(to_text({"ab12", 3, 40, 5}));
  ASSERT_TRUE(read);
  EXPECT_EQ(to_text(*read), "ab12-3-40-5");
  for (const char* bad : {"", "ab", "ab-1-2", "ab-1-2-x", "ab-1-2-3-4", "ab-1--2-3", "ab-99999999999999999999-1-1"}) {
    EXPECT_FALSE(parse_position(bad)) << bad;
  }
}

TEST(Feed, tellsWhatChangedBehindAPositionAndNothingTwice) {
  Feed feed("r");
  feed.node_changed("a");
  feed.node_changed("b");
  const FeedPosition then = feed.now();
  EXPECT_THAT(feed.changed_since(0), ElementsAre("a", "b"));
  EXPECT_THAT(feed.changed_since(then.change), IsEmpty());
  feed.node_changed("a");
  feed.node_removed("b");
  feed.line_came(1, LogLevel::warning, "line");
  EXPECT_THAT(feed.changed_since(then.change), ElementsAre("a"));
  EXPECT_THAT(feed.changed_since(0), ElementsAre("a"));
  EXPECT_THAT(feed.removed_since(then.change), ElementsAre("b"));
  EXPECT_EQ(feed.lines_since(then.line).at(0).text, "line");
  EXPECT_THAT(feed.lines_since(feed.now().line), IsEmpty());
}

TEST(Feed, doesNotKnowPositionsOfAnotherRunOrOfTheFuture) {
  Feed feed("r");
  feed.node_changed("a");
  feed.event_came(7);
  EXPECT_TRUE(feed.knows({"r", 0, 7, 0}));
  EXPECT_FALSE(feed.knows({"s", 0, 0, 0}));
  EXPECT_FALSE(feed.knows({"r", 2, 0, 0}));
  EXPECT_FALSE(feed.knows({"r", 0, 8, 0}));
  EXPECT_FALSE(feed.knows({"r", 0, 0, 1}));
}

TEST(Feed, whoMissedMoreRemovalsThanAreKeptIsNotKnown) {
  Feed feed("r");
  for (int i = 0; i < 5000; ++i) feed.node_removed("n");
  EXPECT_FALSE(feed.knows({"r", 10, 0, 0}));
  EXPECT_TRUE(feed.knows({"r", 4999, 0, 0}));
}

TEST(Feed, keepsABoundedLogOfBoundedLines) {
  Feed feed("r");
  for (int i = 0; i < 600; ++i) feed.line_came(i, LogLevel::info, std::string(10000, 'x'));
  EXPECT_EQ(feed.lines_since(0).size(), 500U);
  EXPECT_LT(feed.lines_since(0)[0].text.size(), 2010U);
  EXPECT_EQ(feed.lines_since(0)[0].number, 101U);
}

TEST(Feed, aMessageKeepsLineBreaksOfItsDataWithinIt) {
  EXPECT_EQ(stream_message("change", "r-1-2-3", "a\nb"), "id: r-1-2-3\nevent: change\ndata: a\ndata: b\n\n");
}

}  // namespace
}  // namespace hearth::bootstrap
