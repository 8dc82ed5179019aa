#include "builder/target/stragglers.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "base/sys/file.hpp"
#include "base/text.hpp"

namespace hearth::builder {

namespace {

bool is_zombie(const RealFileSystem& files, const std::string& pid) {
  try {
    return files.read(cat("/proc/", pid, "/stat")).value_or(") Z").find(") Z") != std::string::npos;
  } catch (const std::exception&) {  // it ended while we looked
    return true;
  }
}

std::string process_name(const RealFileSystem& files, const std::string& pid) {
  try {
    return std::string(trim(files.read(cat("/proc/", pid, "/comm")).value_or("?")));
  } catch (const std::exception&) {
    return "?";
  }
}

/// A container may have forbidden a /proc of our own; the host's tells nothing of our processes.
bool proc_is_ours() {
  boost::system::error_code failed;
  return fs::read_symlink("/proc/self", failed) == "1";
}

std::vector<std::string> names_of_others() {
  std::vector<std::string> names;
  const RealFileSystem files;
  for (const std::string& entry : files.list("/proc")) {
    const auto pid = parse_number(entry);
    if (pid && *pid != 1 && !is_zombie(files, entry)) names.push_back(process_name(files, entry));
  }
  return names;
}

}  // namespace

std::vector<std::string> kill_stragglers() {
  std::vector<std::string> names;
  if (::getpid() != 1) return names;
  while (::waitpid(-1, nullptr, WNOHANG) > 0) {
  }
  if (proc_is_ours()) names = names_of_others();
  ::kill(-1, SIGKILL);  // all of the namespace at once: one that forks all the time can't get away
  while (::waitpid(-1, nullptr, 0) > 0) {
  }
  return names;
}

}  // namespace hearth::builder
