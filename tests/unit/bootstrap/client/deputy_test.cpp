#include "bootstrap/client/deputy.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <stdexcept>

#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"

namespace hearth::bootstrap {
namespace {

TEST(Deputy, answersWhatItIsAskedInAnotherProcess) {
  Deputy deputy([](DeputyLine& asker) {
    while (const std::optional<Json> question = asker.receive())
      asker.send({{"pid", ::getpid()}, {"text", (*question)["text"]}});
  });
  const std::string text = cat("a line\n", std::string(300'000, 'x'), "\xc3\xa4");
  for (int i = 0; i < 3; ++i) {
    deputy.send({{"text", text}});
    const Json answer = deputy.receive();
    EXPECT_EQ(answer["text"], text);
    EXPECT_NE(answer["pid"].get<pid_t>(), ::getpid());
  }
}

TEST(Deputy, whatItThrowsIsThrownHere) {
  Deputy deputy([](DeputyLine&) { throw Error(ErrorKind::not_found, "there is no x", 7).during("looking").hint("y"); });
  try {
    static_cast<void>(deputy.receive());
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::not_found);
    EXPECT_EQ(error.exit_code(), 7);
    EXPECT_EQ(error.story(), "there is no x\n  while looking\n  y");
  }
  Deputy other([](DeputyLine&) { throw std::runtime_error("odd"); });
  EXPECT_THROW(static_cast<void>(other.receive()), Error);
}

TEST(Deputy, thatEndsWithoutAWordIsNoAnswer) {
  Deputy deputy([](DeputyLine&) { ::_exit(0); });
  EXPECT_THROW(static_cast<void>(deputy.receive()), Error);
}

TEST(Deputy, endsWhenItsAskerHangsUpAndIsWaitedFor) {
  const TempDir folder = TempDir::create(fs::temp_directory_path(), "deputy.");
  {
    Deputy deputy([&](DeputyLine& asker) {
      while (asker.receive()) {
      }
      RealFileSystem().write(folder.path() / "end", "well", {});
    });
  }
  EXPECT_EQ(RealFileSystem().read(folder.path() / "end"), "well");
}

TEST(Deputy, isStoppedByASignal) {
  Deputy deputy([](DeputyLine& asker) {
    asker.end_with_other();
    asker.send({{"begun", true}});
    while (true) ::pause();
  });
  static_cast<void>(deputy.receive());
  deputy.stop();
  deputy.wait();
}

}  // namespace
}  // namespace hearth::bootstrap
