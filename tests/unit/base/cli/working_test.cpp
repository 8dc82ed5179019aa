#include "base/cli/working.hpp"

#include <gmock/gmock.h>
#include <pty.h>
#include <unistd.h>

#include <cstdlib>
#include <thread>

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

  /// What was written so far; something was.
  [[nodiscard]] std::string text() const {
    std::string text(65536, '\0');
    const ssize_t got = ::read(master_.get(), text.data(), text.size());
    text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
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
