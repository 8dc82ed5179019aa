#include "builder/layers/host_tools.hpp"

#include <set>

#include "base/text.hpp"
#include "builder/layers/facts.hpp"

namespace hearth::builder {

std::string host_tools(const FileReader& files) {
  static const std::set<std::string> k_tools = {"apt", "bash", "coreutils", "cpio",       "debootstrap",
                                                "dnf", "dpkg", "git",       "mmdebstrap", "python3",
                                                "rpm", "tar",  "yum",       "zypper"};
  std::string found = cat(fact_digest(files.read("/etc/os-release").value_or("")), "\n");
  std::string name;
  for (const std::string& line : split_lines(files.read("/var/lib/dpkg/status").value_or(""))) {
    if (line.starts_with("Package: ")) name = line.substr(9);
    if (line.starts_with("Version: ") && k_tools.count(name) > 0) found += cat(name, " ", line.substr(9), "\n");
  }
  return found;
}

}  // namespace hearth::builder
