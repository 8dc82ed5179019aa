// A machine for hooks: files in memory, tools that answer from a script, a log that is kept.
#pragma once

#include <gtest/gtest.h>

#include "agent/heat_config/hooks/hooks.hpp"
#include "base/python_json.hpp"
#include "tests/fakes/memory_file_system.hpp"
#include "tests/fakes/memory_logger.hpp"
#include "tests/fakes/scripted_runner.hpp"

namespace hearth::agent {

class HookTest : public testing::Test {
 protected:
  /// Runs the built-in hook on a deployment in JSON; the answer as JSON.
  std::string run(const std::string& hook, const std::string& deployment) {
    const Json parsed = parse_python_json(deployment, "test").value_or_throw();
    return python_json(find_hook(hook)->run(parsed, {files_, runner_, log_, env_}));
  }
  /// The command line of the n-th program that was run.
  std::string command(std::size_t n) { return join(runner_.ran.at(n).argv, " "); }
  std::string data(const std::string& path) { return files_.files.at(path).data; }
  std::uint32_t mode(const std::string& path) { return files_.files.at(path).attributes.mode; }

  fakes::MemoryFileSystem files_;
  fakes::ScriptedRunner runner_;
  fakes::MemoryLogger log_;
  Environment env_ = {{"PATH", "/nowhere"}};
};

}  // namespace hearth::agent
