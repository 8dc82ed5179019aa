#include "agent/heat_config/transcript.hpp"

#include <gtest/gtest.h>

#include "base/python_json.hpp"
#include "tests/fakes/memory_log_book.hpp"
#include "tests/fakes/memory_logger.hpp"

namespace hearth::agent {
namespace {

TEST(TranscriptTest, LinesGoToLogAndBookWithoutSecrets) {
  fakes::MemoryLogger log;
  fakes::MemoryLogBook book;
  const Json deployment = parse_python_json(R"({"id": "i", "name": "My/Deploy ment",
      "inputs": [{"name": "db_password", "value": "first line\nhunter22"}]})",
                                            "test")
                              .value_or_throw();
  Transcript transcript(deployment, log, book);
  EXPECT_TRUE(transcript.is_empty());
  transcript.line("it is hunter22");
  transcript.line("[2026-01-31 13:02:03,456] (heat-config) [ERROR] no first line");
  EXPECT_EQ(log.all(), "INFO it is ***\nERROR no ***");
  EXPECT_EQ(book.pages.at("i-MyDeployment"), "it is ***\n[2026-01-31 13:02:03,456] (heat-config) [ERROR] no ***\n");
  EXPECT_FALSE(transcript.is_empty());
  transcript.line("\xff");
  EXPECT_TRUE(log.holds("INFO \xef\xbf\xbd"));
}

}  // namespace
}  // namespace hearth::agent
