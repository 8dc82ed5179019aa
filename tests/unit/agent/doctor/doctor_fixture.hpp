// A machine for the doctor: a healthy one, until a test breaks it.
#pragma once

#include <gtest/gtest.h>

#include "agent/doctor/check.hpp"
#include "base/python_json.hpp"
#include "tests/fakes/manual_clock.hpp"
#include "tests/fakes/memory_file_system.hpp"
#include "tests/fakes/scripted_http.hpp"
#include "tests/fakes/scripted_runner.hpp"

namespace hearth::agent {

class DoctorTest : public testing::Test {
 protected:
  DoctorTest() {
    files_.put("/etc/os-collect-config.conf",
               "[DEFAULT]\ncommand = os-refresh-config\ncollectors = cfn\ncollectors = zaqar\n"
               "[cfn]\nmetadata_url = http://heat.example:8000/v1/\n");
    http_.on("GET", "http://heat.example:8000/v1/", 403);
  }
  [[nodiscard]] DoctorWorld world() {
    return {files_, runner_, http_, clock_, env_, "/self", [this](const fs::path& path) {
              const auto found = modified_.find(path.string());
              return found == modified_.end() ? std::nullopt : std::optional<std::int64_t>(found->second);
            }};
  }
  CollectSettings settings() { return read_collect_settings(world()); }
  /// Everything that is wrong, in one text.
  static std::string problems(const CheckResult& result) {
    std::string text;
    for (const Problem& problem : result.problems) text += cat(problem.what, "\n");
    return text;
  }
  static Poll poll(const std::string& documents, std::string warnings = "") {
    return {parse_python_json(documents, "test").value_or_throw(), std::move(warnings), {"cfn"}, {"cfn"}};
  }

  fakes::MemoryFileSystem files_;
  fakes::ScriptedRunner runner_;
  fakes::ScriptedHttp http_;
  fakes::ManualClock clock_;  ///< it is 3600 seconds past the epoch
  Environment env_ = {{"PATH", "/nowhere"}};
  std::map<std::string, std::int64_t> modified_;
};

}  // namespace hearth::agent
