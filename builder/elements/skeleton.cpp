#include "builder/elements/skeleton.hpp"

#include <algorithm>
#include <cctype>

#include "base/error.hpp"
#include "base/text.hpp"

namespace hearth::builder {

namespace {

constexpr const char* k_readme_head =
    "#!/bin/bash\n"
    "\n"
    "if [ \"${DIB_DEBUG_TRACE:-0}\" -gt 0 ]; then\n"
    "    set -x\n"
    "fi\n"
    "set -eu\n"
    "set -o pipefail\n"
    "\n";

bool is_name(const std::string& name) {
  return !name.empty() && name.front() != '.' && name.front() != '-' &&
         std::all_of(name.begin(), name.end(), [](char c) {
           return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_' || c == '.';
         });
}

std::string variable_of(const std::string& name) {
  std::string variable = "DIB_";
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    variable += std::isalnum(byte) != 0 ? static_cast<char>(std::toupper(byte)) : '_';
  }
  return cat(variable, "_GREETING");
}

}  // namespace

std::vector<SkeletonFile> element_skeleton(const std::string& name) {
  if (!is_name(name)) {
    throw Error(ErrorKind::usage, cat("'", name, "' can't be the name of an element"))
        .hint("Letters, digits, '-', '_' and '.'; the first one is a letter or a digit.");
  }
  const std::string line(name.size(), '=');
  const std::string variable = variable_of(name);
  const std::string hook = replace_all(name, ".", "-");
  return {
      {"README.rst", cat(line, "\n", name, "\n", line, "\n\nWhat this element is for, in a sentence or two.\n\n``",
                         variable, "``\n    What it means, and its default (``hello``).\n")},
      {"element-deps", "package-installs\n"},
      {"package-installs.yaml", "# package: {phase, uninstall, build-only, arch, not-arch, installtype, when}\n"},
      {cat("environment.d/50-", name),
       cat("# Sourced before each phase. Defaults are exported here, so that every hook sees them.\nexport ", variable,
           "=${", variable, ":-hello}\n")},
      {cat("install.d/50-", hook),
       cat(k_readme_head, "# Runs in the image as root. Its files are at /tmp/in_target.d.\necho \"$", variable,
           "\"\n"),
       true},
  };
}

}  // namespace hearth::builder
