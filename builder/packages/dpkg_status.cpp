#include "builder/packages/dpkg_status.hpp"

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
  InstalledPackage package;
};

}  // namespace

std::map<std::string, InstalledPackage> parse_dpkg_status(std::string_view text) {
  std::map<std::string, InstalledPackage> installed;
  Paragraph current;
  const auto finish = [&] {
    const std::vector<std::string> words = split_words(current.status);
    if (!current.name.empty() && words.size() == 3 && words[2] == "installed")
      installed[current.name] = current.package;
    current = {};
  };
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (line.empty()) {
      finish();
    } else if (!take_field(line, "Package", current.name) && !take_field(line, "Status", current.status) &&
               !take_field(line, "Version", current.package.version)) {
      take_field(line, "Architecture", current.package.architecture);
    }
  }
  finish();
  return installed;
}

}  // namespace hearth::builder
