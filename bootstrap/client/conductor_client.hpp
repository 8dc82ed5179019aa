// ConductorClient: where the commands of `hearth node` and `hearth baremetal` send their requests: to the conductor
// that runs, else to one that this process makes for itself on the same data, for as long as the command takes; it goes
// on with work under way only where a request changes something, or the command waits.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/cli/options.hpp"
#include "base/clock.hpp"
#include "base/json.hpp"
#include "base/path.hpp"

namespace hearth::bootstrap {

class ConductorClient {
 public:
  /// What is done where --state has nothing yet: it may be mistyped. One that is played is gone with the command.
  enum class NewState { refused, made, played };
  /// --url (or HEARTH_NODE_URL), else the conductor that serves --state (or /var/lib/hearth/node), else one of our own.
  [[nodiscard]] static std::unique_ptr<ConductorClient> open(const cli::Arguments& arguments,
                                                             NewState absent = NewState::refused);
  virtual ~ConductorClient() = default;

  /// The answer's JSON; null when it has no body. Throws Error with the server's own text.
  Json call(const std::string& method, const std::string& target, const Json& body = Json());
  /// All rows of the list `target` ("/v1/nodes/detail?driver=redfish") under `key`, asked for page by page: that of a
  /// hall is longer than any one answer may be.
  Json rows(const std::string& target, const std::string& key);
  /// Answers 4xx with a JSON body, too, when `status` is among those expected.
  Json call_expecting(const std::string& method, const std::string& target, const Json& body, int status);
  /// Whether something goes on when this command ends.
  [[nodiscard]] virtual bool lasts() const = 0;
  static constexpr std::chrono::seconds k_usual_patience{60};
  /// How long one answer is waited for.
  virtual void set_patience(std::chrono::seconds patience) { (void)patience; }
  /// Lets time pass.
  virtual void wait(Duration duration) = 0;

 protected:
  struct Answer {
    int status = 0;
    std::string body;
  };
  [[nodiscard]] virtual Answer send(const std::string& method, const std::string& target, const std::string& body) = 0;
  /// For one that has another do it.
  [[nodiscard]] static Answer asked(ConductorClient& other, const std::string& method, const std::string& target,
                                    const std::string& body) {
    return other.send(method, target, body);
  }

 private:
  /// To find the one that was meant; empty when nobody tells.
  [[nodiscard]] std::vector<std::string> names_of_nodes();
};

/// In the state directory: what is known of nodes.
constexpr const char* k_state_file = "state.db";
/// Likewise: where a conductor that serves is asked by root and its own user, without a token.
constexpr const char* k_api_socket = "api.socket";

/// In the directory, or in a database that it names; `if_hidden`: the answer where we may not look.
[[nodiscard]] bool has_state(const fs::path& directory, bool if_hidden = true);

/// The names of nodes, else of registered images, in a state that nobody works on, read as it is: a conductor of our
/// own would go on with its work. Nothing where somebody does.
[[nodiscard]] std::optional<std::vector<std::string>> names_at_rest(const fs::path& directory, bool nodes);

/// What a request about a node, or a part of it, is sent to.
[[nodiscard]] std::string node_target(const std::string& id, std::string_view rest = "");

/// The options that choose a conductor.
[[nodiscard]] std::vector<cli::Option> client_options();
/// Other options before them.
[[nodiscard]] std::vector<cli::Option> with_client(std::vector<cli::Option> options);
[[nodiscard]] std::string state_directory(const cli::Arguments& arguments);
/// For its owner only, who may be another user than root then: directories above it that lack are for all to go
/// through.
void make_state_directory(const fs::path& directory);
/// By --url or HEARTH_NODE_URL; empty: the one that serves the state.
[[nodiscard]] std::string conductor_url(const cli::Arguments& arguments);

}  // namespace hearth::bootstrap
