#include "base/cli/working.hpp"

#include <gmock/gmock.h>
#include <poll.h>
#include <pty.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <thread>

#include "base/cli/print.hpp"
#include "base/sys/fd.hpp"

namespace hearth::cli {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;

/// Standard error is this terminal while it lives.
class Terminal {
 public:
  Terminal() : before_(::dup(STDERR_FILENO)) {
    int master = -1;
    int slave = -1;
    EXPECT_EQ(::openpty(&master, &slave, nullptr, nullptr, nullptr), 0);
    master_ = Fd(master);
    const Fd terminal(slave);
    ::dup2(slave, STDERR_FILENO);
    ::setenv("TERM", "xterm", 1);
  }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;
  ~Terminal() { ::dup2(before_.get(), STDERR_FILENO); }

  /// What was written so far; the kernel hands it over in pieces.
  [[nodiscard]] std::string text() const {
    std::string text;
    std::array<char, 4096> piece{};
    pollfd waiting{.fd = master_.get(), .events = POLLIN, .revents = 0};
    while (::poll(&waiting, 1, 500) > 0) {
      const ssize_t got = ::read(master_.get(), piece.data(), piece.size());
      if (got <= 0) break;
      text.append(piece.data(), static_cast<std::size_t>(got));
    }
    return text;
  }

 private:
  Fd before_;
  Fd master_;
};

TEST(Working, OnATerminalALineSaysWhatTakesLongAndGoesAway) {
  const Terminal terminal;
  {
    const Working quick("quickly done", std::chrono::minutes(1));
    const Working slow("writing web.qcow2", milliseconds(1));
    std::this_thread::sleep_for(milliseconds(300));
  }
  const std::string text = terminal.text();
  EXPECT_THAT(text, HasSubstr("writing web.qcow2"));
  EXPECT_EQ(text.find("quickly"), std::string::npos);
  EXPECT_EQ(text.substr(text.size() - 4), "\r\x1b[K") << "nothing of it stays";
}

TEST(Working, WhatIsToldMeanwhileStandsOnALineOfItsOwn) {
  const Terminal terminal;
  {
    const Working slow("writing an image with a long name", milliseconds(1));
    std::this_thread::sleep_for(milliseconds(100));
    tell("short\n");
  }
  EXPECT_THAT(terminal.text(), HasSubstr("\r\r\x1b[Kshort\r\n")) << "nothing of the longer line stays behind it";
}

TEST(Working, ElsewhereNothingIsSaid) {
  testing::internal::CaptureStderr();
  {
    const Working slow("writing web.qcow2", milliseconds(1));
    std::this_thread::sleep_for(milliseconds(100));
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

}  // namespace
}  // namespace hearth::cli
