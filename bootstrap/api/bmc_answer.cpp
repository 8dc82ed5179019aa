#include "bootstrap/api/bmc_answer.hpp"

#include "bootstrap/gate/answer.hpp"

namespace hearth::bootstrap {

namespace {

/// Tells once: what it was given, or, when it goes, that there is nothing.
class Teller {
 public:
  explicit Teller(std::function<void(const Outcome&)> tell) : tell_(std::move(tell)) {}
  Teller(const Teller&) = delete;
  Teller& operator=(const Teller&) = delete;
  ~Teller() { tell({.good = false, .error = "The node is gone, or what was asked could not be kept"}); }
  void tell(const Outcome& outcome) {
    if (const auto told = std::exchange(tell_, nullptr)) told(outcome);
  }

 private:
  std::function<void(const Outcome&)> tell_;
};

}  // namespace

std::function<void(const Outcome&)> BmcAnswer::asked() {
  waits_ = true;
  const auto teller = std::make_shared<Teller>([self = shared_from_this()](const Outcome& outcome) {
    self->outcome_ = outcome;
    self->tell();
  });
  return [teller](const Outcome& outcome) { teller->tell(outcome); };
}

void BmcAnswer::begin(ServedResponse response) {
  waits_ = waits_ && response.status < 400;
  response_ = std::move(response);
  tell();
}

void BmcAnswer::tell() {
  if (wake_ && this->response()) wake_();
}

std::optional<ServedResponse> BmcAnswer::response() const {
  if (!response_ || (waits_ && !outcome_)) return std::nullopt;
  if (!waits_ || (outcome_->good && outcome_->value.is_null())) return response_;
  ServedResponse told = outcome_->good ? json_answer(200, outcome_->value)
                                       : fault_answer(outcome_->unsupported ? 400 : 500, outcome_->error);
  for (const auto& [name, value] : response_->headers) {
    if (name != "Content-Type" && name != "Location") told.headers.emplace_back(name, value);
  }
  return told;
}

}  // namespace hearth::bootstrap
