#include "metadata/live/serve_command.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"

namespace hearth::metadata::live {
namespace {

TEST(FileMachines, AreFoundByAddressAndById) {
  const FileMachines machines(R"({"192.0.2.7": {"meta_data": {"instance-id": "i-1"}, "user_data": "u"}})", "m.json");
  EXPECT_EQ(machines.machine_at("192.0.2.7")->user_data, "u");
  EXPECT_EQ(machines.machine_named("i-1")->meta_data["instance-id"], "i-1");
  EXPECT_FALSE(machines.machine_at("192.0.2.8"));
  EXPECT_FALSE(machines.machine_named("i-2"));
  EXPECT_THROW(FileMachines("[]", "m.json"), Error);
  EXPECT_THROW(FileMachines(R"({"a": 1})", "m.json"), Error);
}

TEST(ServeCommand, SaysWhatItServes) { EXPECT_EQ(serve_command().words, "metadata serve"); }

}  // namespace
}  // namespace hearth::metadata::live
