#include "builder/installation.hpp"

#include "base/error.hpp"
#include "base/text.hpp"

namespace hearth::builder {

namespace {

/// The agent lies beside hearth where both are installed, in its own folder of a build tree.
fs::path find_agent(const Environment& environment, const fs::path& directory) {
  const auto named = environment.find("HEARTH_AGENT_BINARY");
  if (named != environment.end() && !named->second.empty()) return named->second;
  for (const fs::path& candidate : {directory / "hearth-agent", directory.parent_path() / "agent/hearth-agent"}) {
    if (fs::exists(candidate)) return candidate;
  }
  return directory / "hearth-agent";
}

}  // namespace

Installation find_installation(const Environment& environment, const fs::path& executable) {
  const fs::path directory = executable.parent_path();
  std::vector<fs::path> places;
  const auto named = environment.find("HEARTH_DATA_DIR");
  if (named != environment.end() && !named->second.empty()) places.emplace_back(named->second);
  places.push_back(directory.parent_path() / "share/hearth");
  places.emplace_back(HEARTH_SOURCE_DIRECTORY);
  for (const fs::path& place : places) {
    if (!fs::is_directory(place / "elements")) continue;
    return {.elements = place / "elements",
            .shims = place / "elements/.shims",
            .agent_binary = find_agent(environment, directory),
            .library = place / "elements/.lib",
            .program = executable};
  }
  std::string searched;
  for (const fs::path& place : places) searched += cat(" ", place.string());
  throw Error(ErrorKind::not_found, cat("Hearth's own elements are not in any of", searched))
      .hint("Set HEARTH_DATA_DIR to the directory that holds elements/.");
}

}  // namespace hearth::builder
