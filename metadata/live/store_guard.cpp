#include "metadata/live/store_guard.hpp"

#include "base/sql/database.hpp"
#include "base/text.hpp"

namespace hearth::metadata::live {

namespace {

ServedResponse come_again() {
  ServedResponse response;
  response.status = 503;
  response.headers = {{"Content-Type", "text/plain; charset=UTF-8"}, {"Retry-After", "2"}};
  response.body = "503 Service Unavailable: the stacks' store does not answer; come again\n";
  return response;
}

}  // namespace

Admission StoreGuard::admit(const ServedRequest& head) {
  Admission admission;
  if (!engine_.can_write()) {
    admission.refusal = come_again();  // who it is can't be told while nothing is known
  } else {
    admission = inner_.admit(head);
  }
  return admission;
}

bool StoreGuard::admits_at_once(const ServedRequest& head) const {
  return engine_.can_write() && inner_.admits_at_once(head);
}

bool StoreGuard::answers_at_once(const ServedRequest& request) const {
  return engine_.can_read() && inner_.answers_at_once(request);
}

ServedResponse StoreGuard::answer(const ServedRequest& request) {
  const bool reads = request.method == "GET" || request.method == "HEAD";
  if (reads ? !engine_.can_read() : !engine_.can_write()) return come_again();
  try {
    return inner_.answer(request);
  } catch (const sql::StoreError& error) {
    log_.error(cat("answered 503 to ", request.method, " ", without_secrets(request.target), ": ", error.story()));
    engine_.store_failed();
    return come_again();
  }
}

}  // namespace hearth::metadata::live
