// The stack of a deployment, at the engine: made, changed or gone on with, and its events as the field prints them.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "metadata/live/stack_client.hpp"
#include "metadata/live/stack_text.hpp"

namespace hearth::bootstrap {

/// What happens, as lines for people, each with its line feed; and for programs what kind of event it is ("stack" or
/// "node") with what its service tells of it, or null.
using TellNews = std::function<void(const std::string& text, const char* kind, const Json& event)>;

class StackSide {
 public:
  StackSide(metadata::live::StackClient& client, std::string name, TellNews tell)
      : client_(client), name_(std::move(name)), tell_(std::move(tell)), paths_(name_) {}

  /// Makes the stack, or brings it to `body` when it is there. One that is still being made of the same (a deployment
  /// that was interrupted) is gone on with. Throws Error.
  void begin(const Json& body);
  /// Tells the events that have come since the last call.
  void tell_events();
  /// "CREATE_IN_PROGRESS".
  [[nodiscard]] std::string status();
  /// What its resources wait for, as far as that is known: "beta last asked 20 s ago".
  [[nodiscard]] std::vector<std::string> waits();
  /// Of its resources, those of nested stacks too: how many are complete.
  struct Standing {
    std::size_t complete = 0;
    std::size_t all = 0;
  };
  [[nodiscard]] Standing standing();
  /// Rows {id, name, path, status, is_machine, properties, machine}.
  [[nodiscard]] Json servers();
  /// One of them, with user_data and os_collect_config.
  [[nodiscard]] Json server(const std::string& id);
  void machine_came(const std::string& server, const Json& machine);
  void machine_failed(const std::string& server, const std::string& why);
  /// What failed, and the outputs, for people.
  [[nodiscard]] std::string failures();
  [[nodiscard]] std::string outputs();
  /// The same for programs: values by their keys.
  [[nodiscard]] Json output_values();

 private:
  [[nodiscard]] std::string find();
  void skip_old_events();

  metadata::live::StackClient& client_;
  std::string name_;
  TellNews tell_;
  metadata::live::EventPaths paths_;
  std::string place_;   ///< "/stacks/NAME/ID"
  std::string marker_;  ///< the last event that was told
};

/// Whether an action is still under way.
[[nodiscard]] bool is_running(const std::string& stack_status);
[[nodiscard]] bool has_failed(const std::string& stack_status);

}  // namespace hearth::bootstrap
