// Small real programs in QEMU's place, and a look at what still runs.
#pragma once

#include <gtest/gtest.h>

#include "base/sys/file.hpp"
#include "base/text.hpp"

namespace hearth::builder::vm {

class FakeQemu : public testing::Test {
 protected:
  SystemClock clock_;
  TempDir work_ = TempDir::create(fs::temp_directory_path(), "vm-");

  /// A program that runs `script` and notes its process id.
  std::string program(const std::string& script) {
    const fs::path path = work_.path() / "qemu";
    RealFileSystem().write(path, cat("#!/bin/sh\necho $$ > ", (work_.path() / "pid").string(), "\n", script, "\n"),
                           {.mode = 0755});
    return path.string();
  }
  bool still_runs() {
    const std::string pid(trim(read_file(work_.path() / "pid")));
    const std::string stat = RealFileSystem().read(cat("/proc/", pid, "/stat")).value_or("");
    return !stat.empty() && stat.find(") Z") == std::string::npos;
  }
};

}  // namespace hearth::builder::vm
