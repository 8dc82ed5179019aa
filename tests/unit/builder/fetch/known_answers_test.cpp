#include "builder/fetch/known_answers.hpp"

#include <gtest/gtest.h>

#include "base/sys/file.hpp"

namespace hearth::builder::fetch {
namespace {

TEST(KnownAnswers, AreOnlyAHelp) {
  const TempDir directory = TempDir::create("/tmp", "hearth-test-");
  EXPECT_TRUE(known_answers(directory.path()).fetches.empty());
  change_known_answers(directory.path(), [](Lock& known) {
    known.fetches[{"GET", "http://a.example/"}] = {200, std::string(64, 'a'), 1, {}};
    known.fetches[{"GET", "http://a.example/x?sig=s3cret"}] = {200, std::string(64, 'b'), 1, {}};
    known.fetches[{"GET", "http://a.example/y"}] = {302, std::string(64, 'b'), 1, {{"location", "/z?token=s3cret"}}};
    known.settings["DIB_X"] = "1";
    known.notes.emplace_back("a note");
  });
  const Lock known = known_answers(directory.path());
  EXPECT_EQ(known.fetches.size(), 1U);
  EXPECT_TRUE(known.settings.empty()) << "those are of one build";
  RealFileSystem().write(directory.path() / "known.lock", "no lock", {});
  EXPECT_TRUE(known_answers(directory.path()).fetches.empty());
}

}  // namespace
}  // namespace hearth::builder::fetch
