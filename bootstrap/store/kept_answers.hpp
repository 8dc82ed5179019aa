// KeptAnswers: nobody is answered before all that his answer may tell of is durable. Where a thread sees to that
// (Store::keep_beside()) it is a moment later than the answer is made, and others are served meanwhile; where nothing
// can be kept, he is told to come again.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <utility>

#include "base/net/served.hpp"
#include "bootstrap/store/store.hpp"

namespace hearth::bootstrap {

class KeptAnswers final : public HttpHandler {
 public:
  KeptAnswers(HttpHandler& inner, Store& store) : inner_(inner), store_(store) {}
  KeptAnswers(const KeptAnswers&) = delete;
  KeptAnswers& operator=(const KeptAnswers&) = delete;

  /// On the server's thread: Store::kept() has grown, or there is trouble.
  void look();

  [[nodiscard]] Admission admit(const ServedRequest& head) override { return inner_.admit(head); }
  [[nodiscard]] std::unique_ptr<HeldAnswer> hold(const ServedRequest& request) override;
  [[nodiscard]] ServedResponse answer(const ServedRequest& request) override { return inner_.answer(request); }

 private:
  class Held;
  /// By what each waits for, and an order of their own.
  using Waiting = std::map<std::pair<std::uint64_t, std::uint64_t>, std::function<void()>>;

  HttpHandler& inner_;
  Store& store_;
  Waiting waiting_;
  std::uint64_t asked_ = 0;
};

}  // namespace hearth::bootstrap
