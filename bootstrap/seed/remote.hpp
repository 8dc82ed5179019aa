// Another machine by ssh: a command there, files to there. OpenSSH's own configuration holds (keys, jumps, ports).
#pragma once

#include <string>
#include <vector>

#include "base/path.hpp"
#include "base/sys/process.hpp"

namespace hearth::bootstrap {

class Remote {
 public:
  /// `user` at the addresses that the calls name; `options`: ssh's -o words ("IdentityFile=key").
  Remote(std::string user, std::vector<std::string> options, CommandRunner& runner)
      : user_(std::move(user)), options_(std::move(options)), runner_(runner) {}

  /// Its output. Throws Error with what it said: could not be reached (ssh's own 255), or ended with another code.
  [[nodiscard]] std::string run(const std::string& address, const std::vector<std::string>& words) const;
  /// Files, links followed, into a folder that is there.
  void copy(const std::string& address, const std::vector<fs::path>& files, const fs::path& folder) const;

 private:
  [[nodiscard]] std::vector<std::string> beginning(const std::string& program) const;
  [[nodiscard]] CommandResult done(const std::string& address, const std::vector<std::string>& argv) const;

  std::string user_;
  std::vector<std::string> options_;
  CommandRunner& runner_;
};

}  // namespace hearth::bootstrap
