#include "metadata/live/serve_command.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/path.hpp"
#include "base/sys/file.hpp"

namespace hearth::metadata::live {
namespace {

TEST(ServeCommand, SaysWhatItServes) { EXPECT_EQ(serve_command().words, "metadata serve"); }

TEST(ServeCommand, RefusesHalfOfTlsAndAnAddressThatNobodyCanGoTo) {
  using Words = std::vector<std::string>;
  const TempDir state = TempDir::create("/tmp", "serve-command-");
  for (Words words : {Words{"--tls-certificate", "c.pem"}, Words{"--tls-key", "k.pem"}, Words{"--listen", "192.0.2.1"},
                      Words{"--listen", "0.0.0.0", "--without-tls"}, Words{"--proxy-secret-file", "/dev/null"}}) {
    words.insert(words.end(), {"--state", (state.path() / "state").string()});
    EXPECT_THROW((void)serve_command().run(cli::parse_options(serve_command().options, words)), Error) << words[0];
    EXPECT_FALSE(fs::exists(state.path() / "state")) << "nothing is begun";
  }
}

}  // namespace
}  // namespace hearth::metadata::live
