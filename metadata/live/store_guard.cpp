#include "metadata/live/store_guard.hpp"

#include "base/sql/database.hpp"
#include "base/text.hpp"

namespace hearth::metadata::live {

namespace {

/// For how long that goes on nobody knows: another process may drive the store meanwhile.
constexpr const char* k_may_be_old = "110 hearth \"the stacks' store does not answer: this is what was known before\"";

ServedResponse come_again(const std::string& why) {
  ServedResponse response;
  response.status = 503;
  response.headers = {{"Content-Type", "text/plain; charset=UTF-8"}, {"Retry-After", "2"}};
  response.body = cat("503 Service Unavailable: ", why, "\n");
  return response;
}

std::string trouble_of(const Engine& engine) {
  if (engine.trouble().empty()) return "the stacks' store does not answer; come again";
  return cat("the stacks' store: ", engine.trouble());
}

}  // namespace

/// As answer() does: what only reads needs no store that takes writes. What is admitted without a look at anything may
/// be a question: answer() sees to it.
Admission StoreGuard::admit(const ServedRequest& head) {
  Admission admission;
  try {
    if (reads(head) ? !engine_.can_read() : !engine_.can_write() && !admits_at_once(head)) {
      admission.refusal = come_again(trouble_of(engine_));  // who it is can't be told while nothing is known
    } else {
      admission = inner_.admit(head);
    }
  } catch (const StackSetAside& error) {
    admission.refusal = come_again(error.what());
  }
  return admission;
}

bool StoreGuard::reads(const ServedRequest& request) const {
  return request.method == "GET" || request.method == "HEAD" || (asks_ && asks_(request));
}

/// Who is refused waits for nothing.
bool StoreGuard::is_refused(const ServedRequest& request) const {
  return reads(request) ? !engine_.can_read() : !engine_.can_write();
}

bool StoreGuard::admits_at_once(const ServedRequest& head) const {
  return engine_.can_read() && inner_.admits_at_once(head);
}

bool StoreGuard::answers_at_once(const ServedRequest& request) const {
  return is_refused(request) || inner_.answers_at_once(request);
}

ServedResponse StoreGuard::answer(const ServedRequest& request) {
  const bool at_once = engine_.can_read() && inner_.answers_at_once(request);
  if (!at_once && is_refused(request)) return come_again(trouble_of(engine_));
  try {
    const bool may_be_old = !engine_.can_write();
    ServedResponse response = inner_.answer(request);
    if (may_be_old) response.headers.emplace_back("Warning", k_may_be_old);
    return response;
  } catch (const sql::StoreError& error) {
    log_.error(cat("answered 503 to ", request.method, " ", without_secrets(request.target), ": ", error.story()));
    engine_.store_failed(error);
    return come_again(trouble_of(engine_));
  } catch (const StackSetAside& error) {
    return come_again(error.what());
  }
}

}  // namespace hearth::metadata::live
