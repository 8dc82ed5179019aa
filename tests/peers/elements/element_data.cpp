// What the builder makes of elements' data files, as JSON, for comparison with upstream's programs:
//   element_data squash DIRECTORY ELEMENT…     packages by phase, as package-installs-squash writes them
//   element_data services DIRECTORY ELEMENT…   the table of services
//   element_data pkg-map FILE NAME…            a line each: the packages, "-" to skip it, "?" when the map doesn't know
//   it
#include <cstdio>

#include "base/error.hpp"
#include "base/json.hpp"
#include "base/text.hpp"
#include "builder/packages/package_installs.hpp"
#include "builder/packages/package_map.hpp"
#include "builder/packages/service_map.hpp"

namespace {

using namespace hearth;
using namespace hearth::builder;

std::string variable(const char* name) {
  const Environment environment = current_environment();
  const auto found = environment.find(name);
  return found == environment.end() ? "" : found->second;
}

ElementSet elements_of(const std::vector<std::string>& words) {
  ElementSet set;
  for (std::size_t i = 2; i < words.size(); ++i) {
    Element element;
    element.name = words[i];
    element.path = fs::path(words[1]) / words[i];
    set.elements.push_back(element);
  }
  return set;
}

Json pairs(const std::vector<std::pair<std::string, std::string>>& items) {
  Json list = Json::array();
  for (const auto& [package, element] : items) list.push_back({package, element});
  return list;
}

std::string squash(const ElementSet& elements) {
  Json out = Json::object();
  const auto chosen = choose_packages(load_package_installs(RealFileSystem(), elements), current_environment());
  for (const auto& [phase, packages] : chosen) {
    Json& entry = out[directory_name(phase)];
    if (!packages.install.empty()) entry["install"] = pairs(packages.install);
    if (!packages.uninstall.empty()) entry["uninstall"] = pairs(packages.uninstall);
  }
  return cat(out.dump(), "\n");
}

std::string map_names(const std::vector<std::string>& words) {
  const PackageMap map =
      PackageMap::parse(read_file(words[1]), words[1], variable("DISTRO_NAME"), variable("DIB_RELEASE"))
          .value_or_throw();
  std::string text;
  for (std::size_t i = 2; i < words.size(); ++i) {
    const std::optional<std::vector<std::string>> found = map.find(words[i]);
    text += cat(!found ? "?" : found->empty() ? "-" : join(*found, " "), "\n");
  }
  return text;
}

std::string answer(const std::vector<std::string>& words) {
  if (words[0] == "squash") return squash(elements_of(words));
  if (words[0] == "services") return service_table(load_service_maps(RealFileSystem(), elements_of(words)));
  return map_names(words);
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.size() < 2) return 2;
  try {
    std::fputs(answer(words).c_str(), stdout);
    return 0;
  } catch (const Error& error) {
    std::fprintf(stderr, "%s\n", error.story().c_str());
    return 1;
  }
}
