// Watch: the conductor's events as they come, and the faults that are due with them.
#pragma once

#include <functional>

#include "base/clock.hpp"
#include "base/json.hpp"
#include "base/net/web_client.hpp"
#include "bootstrap/client/node_text.hpp"
#include "bootstrap/rehearse/plan.hpp"

namespace hearth::bootstrap {

class Watch {
 public:
  Watch(std::string url, const Clock& clock, FaultPlan faults);
  void log_in(const std::string& token) { token_ = token; }
  void on_event(std::function<void(const Json&)> tell) { tell_ = std::move(tell); }
  /// `inject` has a fault happen; false when it can't just then, and is due again.
  void on_fault(std::function<bool(const InjectedFault&)> inject) { inject_ = std::move(inject); }
  /// Faults that are due from the beginning.
  void begin();
  /// Looks for news, once; a conductor that does not answer just now has none.
  void look();
  /// All nodes with their fields, by name.
  [[nodiscard]] Json nodes();
  [[nodiscard]] const std::vector<InjectedFault>& waiting() const { return faults_.waiting(); }

 private:
  [[nodiscard]] std::optional<Json> get(const std::string& target);
  void inject(const std::vector<InjectedFault>& due);

  std::string url_;
  std::string token_;
  const Clock& clock_;
  WebClient http_;
  FaultPlan faults_;
  std::function<void(const Json&)> tell_;
  std::function<bool(const InjectedFault&)> inject_;
  std::int64_t last_ = 0;
};

}  // namespace hearth::bootstrap
