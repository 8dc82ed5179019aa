#include "agent/deploy/spread/shelf.hpp"

#include <thread>

#include "tests/unit/agent/deploy/spread/spread_fixture.hpp"

namespace hearth::agent::deploy {
namespace {

using std::chrono::milliseconds;

TEST(ShelfTest, AFrameLiesWhereTheFileHasIt) {
  const SmallImage image(3);
  ASSERT_EQ(image.spans.size(), 3U);
  EXPECT_EQ(image.spans[0].first, image.head.data_offset());
  for (std::size_t i = 0; i < 3; ++i) {
    const Span& span = image.spans[i];
    EXPECT_EQ(image.file.substr(span.first, span.last - span.first + 1), image.stored[i]);
  }
}

TEST(ShelfTest, WhatIsNotThereYetIsWaitedForAndWhatIsNoFrameIsNot) {
  const SmallImage image(3);
  Shelf shelf;
  EXPECT_EQ(shelf.look(image.root, image.spans[1], milliseconds(1)).found, Shelf::Found::awaited);  // it may yet begin
  shelf.open(image.root, image.head, image.map, 1U << 20U);
  EXPECT_EQ(shelf.look(image.root, image.spans[1], milliseconds(1)).found, Shelf::Found::awaited);
  EXPECT_EQ(shelf.look("another", image.spans[1], milliseconds(1)).found, Shelf::Found::never);
  EXPECT_EQ(shelf.look(image.root, {image.spans[1].first, image.spans[1].last - 1}, milliseconds(1)).found,
            Shelf::Found::never);
  EXPECT_EQ(shelf.look(image.root, {0, 63}, milliseconds(1)).found, Shelf::Found::never);
  std::thread other([&] { shelf.put(1, image.frame(1)); });
  const Shelf::Look look = shelf.look(image.root, image.spans[1], std::chrono::seconds(20));
  other.join();
  ASSERT_EQ(look.found, Shelf::Found::here);
  EXPECT_EQ(look.bytes->text(), image.stored[1]);
}

TEST(ShelfTest, OfMoreThanItHoldsTheOldestAreForgotten) {
  const SmallImage image(3);
  Shelf shelf;
  image.fill(shelf, 2 * frames::k_smallest_block);
  EXPECT_EQ(shelf.look(image.root, image.spans[0], milliseconds(1)).found, Shelf::Found::never);
  EXPECT_EQ(shelf.look(image.root, image.spans[1], milliseconds(1)).found, Shelf::Found::here);
  EXPECT_EQ(shelf.look(image.root, image.spans[2], milliseconds(1)).found, Shelf::Found::here);
}

TEST(ShelfTest, WhoseWritingFailedGivesWhatItHasAndLetsNobodyWait) {
  const SmallImage image(2);
  Shelf shelf;
  shelf.open(image.root, image.head, image.map, 1U << 20U);
  shelf.put(0, image.frame(0));
  shelf.close();
  EXPECT_EQ(shelf.look(image.root, image.spans[0], milliseconds(1)).found, Shelf::Found::here);
  EXPECT_EQ(shelf.look(image.root, image.spans[1], std::chrono::seconds(20)).found, Shelf::Found::never);
  shelf.open("another", image.head, image.map, 1U << 20U);
  EXPECT_EQ(shelf.look(image.root, image.spans[0], milliseconds(1)).found, Shelf::Found::never);
}

}  // namespace
}  // namespace hearth::agent::deploy
