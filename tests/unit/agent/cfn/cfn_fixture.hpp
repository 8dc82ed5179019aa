// A machine for the cfn programs: files in memory, programs and servers that answer from a script.
#pragma once

#include <gtest/gtest.h>

#include "agent/cfn/world.hpp"
#include "base/python_json.hpp"
#include "tests/fakes/manual_clock.hpp"
#include "tests/fakes/memory_file_system.hpp"
#include "tests/fakes/memory_logger.hpp"
#include "tests/fakes/scripted_http.hpp"
#include "tests/fakes/scripted_runner.hpp"

namespace hearth::agent {

class CfnTest : public testing::Test {
 protected:
  [[nodiscard]] CfnWorld world() { return {files_, runner_, http_, clock_, log_, env_}; }
  static Json json(const std::string& text) { return parse_python_json(text, "test").value_or_throw(); }
  /// The command lines that were run.
  std::vector<std::string> commands() {
    std::vector<std::string> all;
    for (const Command& ran : runner_.ran) all.push_back(join(ran.argv, " "));
    return all;
  }
  using Words = std::vector<std::string>;

  fakes::MemoryFileSystem files_;
  fakes::ScriptedRunner runner_;
  fakes::ScriptedHttp http_;
  fakes::ManualClock clock_;
  fakes::MemoryLogger log_;
  Environment env_ = {{"PATH", "/nowhere"}, {"HOME", "/root"}};
};

}  // namespace hearth::agent
