// An answer that a machine's management has to give first: its request is held meanwhile, and others are served.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "base/net/served.hpp"
#include "bootstrap/conductor/workers.hpp"

namespace hearth::bootstrap {

/// Shared by the request that waits and the work that is done for it: either may be gone first.
class BmcAnswer : public std::enable_shared_from_this<BmcAnswer> {
 public:
  explicit BmcAnswer(std::function<void()> wake) : wake_(std::move(wake)) {}
  /// What is to be called with how it went. Where nobody does, until all copies of it are gone (the node was deleted),
  /// it has failed.
  [[nodiscard]] std::function<void(const Outcome&)> asked();
  /// What was said at once: a refusal is all there is; else it holds if the management does as it is told.
  void begin(ServedResponse response);
  /// In its final form, once it is there.
  [[nodiscard]] std::optional<ServedResponse> response() const;
  /// The client has gone.
  void leave() { wake_ = nullptr; }

 private:
  void tell();

  std::function<void()> wake_;
  std::optional<ServedResponse> response_;
  std::optional<Outcome> outcome_;
  bool waits_ = false;
};

}  // namespace hearth::bootstrap
