#include "builder/layers/host_tools.hpp"

#include <algorithm>
#include <set>
#include <string_view>

#include "base/text.hpp"
#include "builder/layers/facts.hpp"

namespace hearth::builder {

namespace {

constexpr std::string_view k_package_field = "Package: ";
constexpr std::string_view k_version_field = "Version: ";

const std::set<std::string_view> k_tools_of_hosts = {"apt", "bash", "coreutils", "cpio",       "debootstrap",
                                                     "dnf", "dpkg", "git",       "mmdebstrap", "python3",
                                                     "rpm", "tar",  "yum",       "zypper"};

}  // namespace

std::string host_tools(const FileReader& files) {
  std::string found = cat(fact_digest(files.read("/etc/os-release").value_or("")), "\n");
  const std::string status = files.read("/var/lib/dpkg/status").value_or("");
  std::string_view name;
  // Line by line, without a copy of each of the hundred thousand: every "nothing changed" comes by here.
  for (std::string_view rest = status; !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    if (line.starts_with(k_package_field)) name = line.substr(k_package_field.size());
    if (line.starts_with(k_version_field) && k_tools_of_hosts.count(name) > 0)
      found += cat(name, " ", line.substr(k_version_field.size()), "\n");
  }
  return found;
}

}  // namespace hearth::builder
