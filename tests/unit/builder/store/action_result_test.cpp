#include "builder/store/action_result.hpp"

#include <gtest/gtest.h>

#include "base/hash.hpp"
#include "base/text.hpp"

namespace hearth::builder {
namespace {

std::string digest_of(const std::string& bytes) { return hex_digest(HashKind::sha256, bytes); }

LayerRecord layer(const std::string& bytes, const std::string& step = "root.d/10-a") {
  LayerRecord record{.parent = "base", .planned = {step}};
  record.steps = {{step, "element", 1.5, {{"env DIB_RELEASE", "1234"}}}};
  record.blob = digest_of(bytes);
  record.bytes = bytes.size();
  return record;
}

TEST(ActionResult, RecordsSurviveTheWayThroughAnActionResult) {
  const std::vector<SignedRecord> records = {{layer("one"), ""},
                                             {layer("two", "root.d/20-b"), std::string("\x00{s", 3)}};
  const std::string bytes = encode_action(records);
  const std::vector<SignedRecord> read = decode_action(bytes);
  ASSERT_EQ(read.size(), 2U);
  EXPECT_EQ(read[0].record.id(), records[0].record.id());
  EXPECT_EQ(read[0].signature, "");
  EXPECT_EQ(read[1].record.blob, records[1].record.blob);
  EXPECT_EQ(read[1].record.bytes, 3U);
  EXPECT_EQ(read[1].signature, records[1].signature);
  // OutputFile: field 2 of ActionResult; its path and digest as servers check them.
  EXPECT_EQ(bytes.substr(0, 1), "\x12");
  EXPECT_NE(bytes.find(cat("\x0a\x40", digest_of("one"), "\x10\x03")), std::string::npos);
}

TEST(ActionResult, BytesThatAreNoActionResultGiveNoRecords) {
  const std::string good = encode_action({{layer("one"), ""}});
  for (std::size_t size = 0; size < good.size(); ++size) EXPECT_TRUE(decode_action(good.substr(0, size)).empty());
  for (const std::string bad :
       {"<html>404</html>", "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", "\x2a\x05{\"a\"}"}) {
    EXPECT_TRUE(decode_action(bad).empty()) << bad;
  }
}

}  // namespace
}  // namespace hearth::builder
