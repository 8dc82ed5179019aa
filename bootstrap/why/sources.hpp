// Where `hearth why` and `hearth incident` ask, from the command line. Nothing is made for asking: a conductor that
// never was has no nodes.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/net/web_client.hpp"
#include "base/sys/process.hpp"
#include "bootstrap/client/conductor_client.hpp"
#include "bootstrap/why/causes/facts.hpp"
#include "bootstrap/why/page_causes.hpp"
#include "metadata/compile/explain.hpp"

namespace hearth::metadata::live {
class StackClient;
struct StackAddress;
}  // namespace hearth::metadata::live

namespace hearth::bootstrap::why {

/// The options that choose them, behind others.
[[nodiscard]] std::vector<cli::Option> with_sources(std::vector<cli::Option> options);

/// With the state of the rehearsal that runs here, or ran, where no option and no variable names a site and this
/// machine has none of its own. Where several could be meant they are told, a line each, and none is taken.
[[nodiscard]] cli::Arguments beside_rehearsal(cli::Arguments arguments, std::vector<std::string>& told);

class Sources {
 public:
  explicit Sources(const cli::Arguments& arguments)
      : arguments_(beside_rehearsal(arguments, tried_)), http_(clock_, current_environment(), "hearth") {}

  /// Null where there is no conductor and no state of one.
  [[nodiscard]] ConductorClient* conductor();
  /// nullopt where nobody knows it: tried() has the reason then.
  [[nodiscard]] std::optional<NodeFacts> node(const std::string& name);
  [[nodiscard]] std::optional<StackFacts> stack(const std::string& name);
  /// Resources of a value's chain, where the stack of that name has none of them.
  [[nodiscard]] std::vector<std::string> lacking_in(const std::string& stack, const std::vector<metadata::Wait>& chain);
  /// Resources of the stack of that name whose turn has not come, as it lists them.
  [[nodiscard]] Json unbegun_in(const std::string& stack);
  /// All resources of the stack of that name, those that are complete, too.
  [[nodiscard]] Json resources_of(const std::string& stack);
  /// Whether there is a conductor that answers nobody.
  [[nodiscard]] bool is_silent();
  /// What is wrong with a conductor that answers nobody, which is the cause of all else; found when it is asked first.
  [[nodiscard]] const std::optional<PageFacts>& silent() const { return silent_; }
  /// Why the conductor can keep nothing now, whatever is to change; found with silent().
  [[nodiscard]] const std::optional<Finding>& unkept() const { return unkept_; }
  /// Why nothing was found, a line each.
  [[nodiscard]] const std::vector<std::string>& tried() const { return tried_; }

 private:
  [[nodiscard]] metadata::live::StackAddress stacks() const;
  /// Behind "there is no stack NAME": the near one, or what becomes of one that was refused.
  [[nodiscard]] std::string meant_stack(const std::string& name);
  void look_at_machines(metadata::live::StackClient& client, const std::string& place,
                        const std::vector<std::string>& servers, StackFacts& facts);

  std::vector<std::string> tried_;
  const cli::Arguments arguments_;
  SystemClock clock_;
  WebClient http_;
  std::unique_ptr<ConductorClient> conductor_;
  bool is_asked_ = false;
  std::optional<PageFacts> silent_;
  std::optional<Finding> unkept_;
};

}  // namespace hearth::bootstrap::why
