#include "builder/layers/package_facts.hpp"

#include <functional>

#include "base/json.hpp"
#include "base/text.hpp"
#include "builder/packages/package_installs.hpp"

namespace hearth::builder {

namespace {

/// What an entry asks for, but for its place.
std::string entry_digest(const PackageEntry& entry) {
  const auto words = [](const std::vector<std::string>& all) { return cat("\n", join(all, " ")); };
  return fact_digest(cat(directory_name(entry.phase), "\n", static_cast<int>(entry.action), words(entry.arch),
                         words(entry.not_arch), "\n", entry.install_type, "\n", entry.python_version,
                         words(entry.when)));
}

/// Each package of a map, with the way to it: "default.jq = jq". Of what is no map the text.
void add_map(const std::string& file, const std::string& text, Facts& facts) {
  const Result<Json> map = parse_json(text, file);
  if (!map.ok() || !map.value().is_object()) {
    facts[cat("package ", file)] = fact_digest(text);
    return;
  }
  const std::function<void(const Json&, const std::string&)> add = [&](const Json& value, const std::string& way) {
    for (const auto& [key, below] : value.items()) {
      const std::string here = way.empty() ? key : cat(way, ".", key);
      if (below.is_object()) {
        add(below, here);
      } else {
        const std::string packages = below.is_string() ? below.get<std::string>() : format_json(below);
        for (const std::string& each : split_words(packages))
          facts[cat("package ", file, " ", here, " = ", each)] = "-";
        facts[cat("package ", file, " ", here)] = "-";  // an empty one is none of its name
      }
    }
  };
  add(map.value(), "");
}

}  // namespace

Facts package_facts(const FileReader& files, const BuildPlan& plan) {
  Facts facts;
  for (const PackageEntry& entry : plan.packages) {
    std::string& digest =
        facts[cat("package ", entry.element, "/", fs::path(entry.file).filename().string(), " ", entry.package)];
    digest = digest.empty() ? entry_digest(entry) : fact_digest(cat(digest, entry_digest(entry)));
  }
  for (const Element& element : plan.elements.elements) {
    if (const auto text = files.read(element.path / "pkg-map")) add_map(cat(element.name, "/pkg-map"), *text, facts);
  }
  return facts;
}

}  // namespace hearth::builder
