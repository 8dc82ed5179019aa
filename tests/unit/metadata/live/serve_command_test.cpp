#include "metadata/live/serve_command.hpp"

#include <gtest/gtest.h>

namespace hearth::metadata::live {
namespace {

TEST(ServeCommand, SaysWhatItServes) { EXPECT_EQ(serve_command().words, "metadata serve"); }

}  // namespace
}  // namespace hearth::metadata::live
