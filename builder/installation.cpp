#include "builder/installation.hpp"

#include "base/error.hpp"
#include "base/text.hpp"

namespace hearth::builder {

namespace {

/// The agent lies beside hearth.
fs::path find_agent(const Environment& environment, const fs::path& directory) {
  const auto named = environment.find("HEARTH_AGENT_BINARY");
  if (named != environment.end() && !named->second.empty()) return named->second;
  const fs::path beside = directory / "hearth-agent";
  return fs::exists(beside) ? fs::canonical(beside) : beside;  // a link in a build tree
}

}  // namespace

Installation find_installation(const Environment& environment, const fs::path& executable) {
  const fs::path directory = executable.parent_path();
  std::vector<fs::path> places;
  const auto named = environment.find("HEARTH_DATA_DIR");
  if (named != environment.end() && !named->second.empty()) places.emplace_back(named->second);
  places.push_back(directory.parent_path() / "share/hearth");
  for (const fs::path& place : places) {
    if (!fs::is_directory(place / "elements")) continue;
    const fs::path elements = fs::canonical(place / "elements");  // a link in a build tree
    return {.elements = elements,
            .shims = elements / ".shims",
            .agent_binary = find_agent(environment, directory),
            .library = elements / ".lib",
            .program = executable};
  }
  std::string searched;
  for (const fs::path& place : places) searched += cat(" ", place.string());
  throw Error(ErrorKind::not_found, cat("Hearth's own elements are not in any of", searched))
      .hint("Set HEARTH_DATA_DIR to the directory that holds elements/.");
}

}  // namespace hearth::builder
