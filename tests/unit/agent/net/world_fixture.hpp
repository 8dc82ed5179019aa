// A World of fakes: programs that succeed and are recorded, a network that answers.
#pragma once

#include <algorithm>

#include "agent/net/apply.hpp"
#include "tests/fakes/manual_clock.hpp"
#include "tests/fakes/memory_logger.hpp"
#include "tests/fakes/scripted_http.hpp"
#include "tests/fakes/scripted_runner.hpp"
#include "tests/unit/agent/net/network_fixture.hpp"

namespace hearth::agent::net {

struct FakeWorld {
  FakeWorld() {
    files.put("/sbin/ifup", "", 0755);
    files.make_directories("/etc/network", 0755);
    runner.on("ip", [this](const Command& command) {
      const std::string line = join(command.argv, " ");
      const auto answer = ip_answers.find(line);
      return CommandResult{Exited{0}, answer == ip_answers.end() ? "" : answer->second, ""};
    });
    runner.on("ifup", 0);
    runner.on("ifdown", 0);
  }

  /// Command lines that were run, those that only ask left out.
  [[nodiscard]] std::vector<std::string> changes() const {
    std::vector<std::string> lines;
    for (const Command& command : runner.ran) {
      const std::string line = join(command.argv, " ");
      if (line.find(" show") == std::string::npos) lines.push_back(line);
    }
    return lines;
  }
  [[nodiscard]] bool ran(const std::string& line) const {
    const std::vector<std::string> lines = changes();
    return std::find(lines.begin(), lines.end(), line) != lines.end();
  }
  [[nodiscard]] std::string text(const std::string& path) const { return files.read(path).value_or("(not there)"); }

  fakes::MemoryFileSystem files;
  fakes::ManualClock clock;
  fakes::ScriptedRunner runner;
  fakes::ScriptedHttp http;
  fakes::ScriptedHttp direct;
  fakes::MemoryLogger log;
  std::map<std::string, std::string> ip_answers;
  std::string printed;
  World world{files, runner, {http, direct, runner, clock}, log, [this](const std::string& text) { printed += text; }};
};

}  // namespace hearth::agent::net
