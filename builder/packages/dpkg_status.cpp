#include "builder/packages/dpkg_status.hpp"

#include <array>

#include "base/text.hpp"

namespace hearth::builder {

namespace {

/// The value of a "Name: value" line, if the line has that name.
bool take_field(std::string_view line, std::string_view name, std::string& value) {
  if (line.size() <= name.size() || line.compare(0, name.size(), name) != 0 || line[name.size()] != ':') return false;
  value = trim(line.substr(name.size() + 1));
  return true;
}

struct Paragraph {
  std::string name;
  std::string status;
  std::string essential;
  std::string priority;
  std::string depends;
  std::string pre_depends;
  InstalledPackage package;
};

/// "a (>= 1) | b:any, c" → a, b, c
void add_dependencies(std::string_view value, std::vector<std::string>& names) {
  for (const std::string& group : split(value, ',')) {
    for (const std::string& each : split(group, '|')) {
      const std::string_view text = trim(each);
      if (!text.empty()) names.emplace_back(text.substr(0, text.find_first_of(" :(")));
    }
  }
}

}  // namespace

std::map<std::string, InstalledPackage> parse_dpkg_status(std::string_view text) {
  std::map<std::string, InstalledPackage> installed;
  Paragraph current;
  const auto finish = [&] {
    const std::vector<std::string> words = split_words(current.status);
    if (!current.name.empty() && words.size() == 3 && words[2] == "installed") {
      current.package.is_base =
          current.essential == "yes" || current.priority == "required" || current.priority == "important";
      add_dependencies(current.pre_depends, current.package.depends);
      add_dependencies(current.depends, current.package.depends);
      installed[current.name] = std::move(current.package);
    }
    current = {};
  };
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (line.empty()) {
      finish();
      continue;
    }
    const std::array<std::pair<std::string_view, std::string*>, 8> fields = {
        {{"Package", &current.name},
         {"Status", &current.status},
         {"Version", &current.package.version},
         {"Architecture", &current.package.architecture},
         {"Essential", &current.essential},
         {"Priority", &current.priority},
         {"Depends", &current.depends},
         {"Pre-Depends", &current.pre_depends}}};
    for (const auto& [name, value] : fields) {
      if (take_field(line, name, *value)) break;
    }
  }
  finish();
  return installed;
}

}  // namespace hearth::builder
