#include "builder/channels/seen.hpp"

#include <gmock/gmock.h>

#include "base/error.hpp"
#include "base/json.hpp"
#include "base/sys/file.hpp"

namespace hearth::builder::channels {
namespace {

class SeenTest : public testing::Test {
 protected:
  static Opened opened(std::uint64_t serial, const std::string& statement = "{}") {
    Opened opened;
    opened.pointer.reference = {"web", "stable"};
    opened.pointer.serial = serial;
    opened.key_id = std::string(64, 'a');
    opened.statement = statement;
    return opened;
  }
  std::string refusal(const Opened& opened) {
    try {
      seen_.accept(opened, Older::is_refused);
    } catch (const Error& error) {
      return error.story();
    }
    return "";
  }
  TempDir work_ = TempDir::create("/tmp", "hearth-test-");
  fs::path file_ = work_.path() / "state" / "channels.json";
  Seen seen_{file_};
};

TEST_F(SeenTest, WhoHasSeenOneTakesNoOlderOne) {
  seen_.accept(opened(5), Older::is_refused);
  seen_.accept(opened(7), Older::is_refused);
  const std::string before = read_file(file_);
  EXPECT_THAT(refusal(opened(6)),
              testing::AllOf(testing::HasSubstr("a newer one was seen"), testing::HasSubstr("--older")));
  EXPECT_EQ(read_file(file_), before);
  EXPECT_EQ(refusal(opened(7)), "");
  EXPECT_EQ(refusal(opened(8)), "");
}

TEST_F(SeenTest, OfTwoWithOneSerialTheSecondIsRefused) {
  seen_.accept(opened(5, "one"), Older::is_refused);
  EXPECT_THAT(refusal(opened(5, "other")), testing::HasSubstr("another one with the same serial"));
}

TEST_F(SeenTest, AStepBackThatIsAskedForCounts) {
  seen_.accept(opened(7), Older::is_refused);
  seen_.accept(opened(5), Older::is_taken);
  EXPECT_EQ(refusal(opened(6)), "");
}

TEST_F(SeenTest, ADamagedRowIsNoLeaveToTakeAnOlderOne) {
  seen_.accept(opened(7), Older::is_refused);
  Json rows = parse_json(read_file(file_), "rows").value_or_throw();
  for (const Json& serial : {Json("7"), Json(-7), Json()}) {
    rows.begin()->at("serial") = serial;
    RealFileSystem().write(file_, rows.dump(), {});
    EXPECT_THAT(refusal(opened(6)), testing::HasSubstr("can't be read")) << serial;
  }
}

TEST_F(SeenTest, OtherChannelsAndKeysAreOthers) {
  seen_.accept(opened(7), Older::is_refused);
  Opened other = opened(1);
  other.pointer.reference.channel = "candidate";
  EXPECT_EQ(refusal(other), "");
  other = opened(1);
  other.key_id = std::string(64, 'b');
  EXPECT_EQ(refusal(other), "");
  EXPECT_EQ(seen_.serial(std::string(64, 'a'), {"web", "stable"}), 7U);
}

TEST_F(SeenTest, AFileThatCantBeReadIsNoLeaveToTakeAnything) {
  RealFileSystem().make_directories(file_.parent_path(), 0755);
  RealFileSystem().write(file_, "{\"web", {});
  EXPECT_THAT(refusal(opened(7)), testing::HasSubstr("can't be read"));
}

}  // namespace
}  // namespace hearth::builder::channels
