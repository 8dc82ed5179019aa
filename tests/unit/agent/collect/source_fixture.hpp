// A SourceContext on fakes.
#pragma once

#include <gtest/gtest.h>

#include "agent/collect/source.hpp"
#include "base/text.hpp"
#include "tests/fakes/manual_clock.hpp"
#include "tests/fakes/memory_file_system.hpp"
#include "tests/fakes/memory_logger.hpp"
#include "tests/fakes/scripted_http.hpp"
#include "tests/fakes/scripted_messages.hpp"
#include "tests/fakes/scripted_runner.hpp"

namespace hearth::agent {

class SourceFixture : public testing::Test {
 protected:
  /// Collects with `config` as the text of a configuration file.
  Collection collect(Collection (*source)(const SourceContext&), const std::string& config) {
    const Settings settings(parse_ini(config, "test").value_or_throw(), {}, {});
    return source({settings, files_, runner_, http_, clock_, log_, once_, tokens_, messages_, 0});
  }
  std::vector<Collected> documents(Collection (*source)(const SourceContext&), const std::string& config) {
    Collection collection = collect(source, config);
    const bool some = std::holds_alternative<std::vector<Collected>>(collection);
    EXPECT_TRUE(some) << join(log_.lines, "\n");
    return some ? std::get<std::vector<Collected>>(std::move(collection)) : std::vector<Collected>{};
  }
  fakes::MemoryFileSystem files_;
  fakes::ScriptedRunner runner_;
  fakes::ScriptedHttp http_;
  fakes::ManualClock clock_;
  fakes::MemoryLogger log_;
  OnceLog once_{log_};
  TokenCache tokens_{{}, files_, clock_, log_};
  fakes::ScriptedMessages messages_;
};

[[nodiscard]] inline bool is_unavailable(const Collection& collection) {
  return std::holds_alternative<Unavailable>(collection);
}
[[nodiscard]] inline bool is_unconfigured(const Collection& collection) {
  return std::holds_alternative<NotConfigured>(collection);
}

}  // namespace hearth::agent
