// What a hook says while it runs, line by line, with secrets masked: to the program's log (which is the journal) and to
// the deployment's own log file.
#pragma once

#include <string>

#include "agent/heat_config/deployment/deployment.hpp"
#include "agent/heat_config/deployment/excerpt.hpp"
#include "agent/heat_config/log_book.hpp"
#include "base/log.hpp"

namespace hearth::agent {

class Transcript {
 public:
  Transcript(const Json& deployment, Logger& log, LogBook& book);

  /// A line of the hook's stderr. One that is a log line already keeps its level.
  void line(std::string_view text);
  /// At the hook's end: shows the end of what was too much to be shown while it ran.
  void finish() { excerpt_.finish(); }
  /// Whether the hook has said anything so far.
  [[nodiscard]] bool is_empty() const { return empty_; }

 private:
  void show(std::string_view text);

  std::string name_;
  SecretMask mask_;
  Logger& log_;
  LogBook& book_;
  Excerpt excerpt_;
  bool empty_ = true;
};

/// The name of a deployment's log: its id, and its name reduced to characters that are safe in file names.
[[nodiscard]] std::string log_name(const Json& deployment);

}  // namespace hearth::agent
