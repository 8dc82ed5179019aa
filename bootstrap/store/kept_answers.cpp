#include "bootstrap/store/kept_answers.hpp"

#include <string>
#include <vector>

#include "base/text.hpp"

namespace hearth::bootstrap {

namespace {

ServedResponse not_kept(const std::string& why) {
  ServedResponse response;
  response.status = 503;
  response.headers = {{"Content-Type", "text/plain; charset=UTF-8"}, {"Retry-After", "2"}};
  response.body = cat("503 Service Unavailable: this can't be kept now, and may be kept later: ", why, "\n");
  return response;
}

}  // namespace

class KeptAnswers::Held final : public HeldAnswer {
 public:
  Held(KeptAnswers& of, const ServedRequest& request, std::unique_ptr<HeldAnswer> inner)
      : of_(of), request_(request), inner_(std::move(inner)), place_{0, ++of.asked_} {}
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;
  ~Held() override { of_.waiting_.erase(place_); }

  void start(std::function<void()> wake) override {
    wake_ = wake;
    inner_ ? inner_->start(std::move(wake)) : wake();  // which may be the end of this
  }

  std::optional<ServedResponse> answer() override {
    if (!made_) {
      made_ = inner_ ? inner_->answer() : of_.inner_.answer(request_);
      if (!made_) return std::nullopt;
      place_.first = of_.store_.written();
      if (place_.first > of_.store_.kept()) of_.waiting_.emplace(place_, wake_);
    }
    if (place_.first <= of_.store_.kept()) return std::move(*made_);
    const std::string why = of_.store_.trouble();
    return why.empty() ? std::nullopt : std::optional(not_kept(why));
  }

 private:
  KeptAnswers& of_;
  const ServedRequest& request_;
  std::unique_ptr<HeldAnswer> inner_;
  std::function<void()> wake_;
  std::optional<ServedResponse> made_;
  Waiting::key_type place_;
};

std::unique_ptr<HeldAnswer> KeptAnswers::hold(const ServedRequest& request) {
  std::unique_ptr<HeldAnswer> inner = inner_.hold(request);
  if (!store_.keeps_later()) return inner;
  return std::make_unique<Held>(*this, request, std::move(inner));
}

void KeptAnswers::look() {
  const bool all = !store_.trouble().empty();
  const auto end = all ? waiting_.end() : waiting_.lower_bound({store_.kept() + 1, 0});
  std::vector<std::function<void()>> ready;
  for (auto at = waiting_.begin(); at != end; ++at) ready.push_back(at->second);
  for (const std::function<void()>& wake : ready) wake();
}

}  // namespace hearth::bootstrap
