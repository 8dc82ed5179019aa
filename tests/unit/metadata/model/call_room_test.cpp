#include "metadata/model/call_room.hpp"

#include <gtest/gtest.h>
#include <pthread.h>

#include <array>

namespace hearth::metadata {
namespace {

[[gnu::noinline]] std::size_t room_one_call_deeper() {
  std::array<volatile char, 100000> taken;
  taken[0] = 1;
  taken[99999] = 1;
  return call_room();
}

void* look(void* found) {
  *static_cast<std::size_t*>(found) = call_room();
  return nullptr;
}

TEST(CallRoom, ShrinksWithEachCall) { EXPECT_LT(room_one_call_deeper() + 100000, call_room()); }

TEST(CallRoom, IsTheThreadsOwn) {
  pthread_attr_t attributes;
  ASSERT_EQ(::pthread_attr_init(&attributes), 0);
  ASSERT_EQ(::pthread_attr_setstacksize(&attributes, std::size_t{3} << 20U), 0);
  pthread_t thread{};
  std::size_t found = 0;
  ASSERT_EQ(::pthread_create(&thread, &attributes, look, &found), 0);
  ::pthread_join(thread, nullptr);
  ::pthread_attr_destroy(&attributes);
  EXPECT_GT(found, std::size_t{2} << 20U);
  EXPECT_LE(found, std::size_t{3} << 20U);
}

}  // namespace
}  // namespace hearth::metadata
