// The sinks that a stack's environment names for its events (`event_sinks`, of the type zaqar-queue in Heat): here each
// is a file of JSON lines, one event a line, in the form in which Heat puts them on a queue (heat/engine/event.py).
#pragma once

#include <set>
#include <string>
#include <unordered_map>

#include "base/log.hpp"
#include "base/path.hpp"
#include "metadata/engine/engine.hpp"

namespace hearth::metadata::live {

/// The names of the files that the environment's event_sinks ask for; what is no sink that we know goes to `unknown`.
[[nodiscard]] std::set<std::string> sink_names(const Json& environment, std::vector<std::string>& unknown);
/// One line, without its end.
[[nodiscard]] std::string sink_line(const EventRecord& event);

class EventSinks {
 public:
  /// Files are made in `directory`.
  EventSinks(Engine& engine, fs::path directory, Logger& log)
      : engine_(engine), directory_(std::move(directory)), log_(log) {}
  /// What can't be written is logged: events are in the engine's own log in any case.
  void tell(const EventRecord& event) noexcept;

 private:
  [[nodiscard]] const std::set<std::string>& sinks_of(const EventRecord& event);
  void write(const std::string& name, const std::string& line) const;

  Engine& engine_;
  fs::path directory_;
  Logger& log_;
  std::unordered_map<std::string, std::set<std::string>> known_;  ///< by root stack
};

}  // namespace hearth::metadata::live
