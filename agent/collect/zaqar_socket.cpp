#include "agent/collect/zaqar_socket.hpp"

#include "base/error.hpp"
#include "base/python_json.hpp"
#include "base/text.hpp"

namespace hearth::agent {

namespace {

constexpr int k_subscription_seconds = 10000;

class Session {
 public:
  Session(MessageStream& stream, const ZaqarAccess& access, const Deadline& deadline)
      : stream_(stream), access_(access), deadline_(deadline) {}

  /// One step: its answer's body.
  Json call(const char* action, const Json& body, bool with_token = false) {
    Json headers = {{"Client-ID", access_.client}, {"X-Project-ID", access_.project}};
    if (with_token) headers["X-Auth-Token"] = access_.token;
    stream_.send(python_json(Json{{"action", action}, {"headers", headers}, {"body", body}}), deadline_);
    const Json answer = receive();
    const Json status = member_or_null(member_or_null(answer, "headers"), "status");
    if (status.is_number_integer() && status.get<int>() / 100 == 2) return member_or_null(answer, "body");
    throw Error(ErrorKind::external, cat("Zaqar refused ", action, ": ", python_json(answer)));
  }
  Json receive() { return parse_python_json(stream_.receive(deadline_), "Zaqar's message").value_or_throw(); }

 private:
  MessageStream& stream_;
  const ZaqarAccess& access_;
  const Deadline& deadline_;
};

}  // namespace

std::optional<Json> pop_by_socket(MessageStream& stream, const ZaqarAccess& access, const Clock& clock,
                                  const Deadline& deadline) {
  Session session(stream, access, deadline);
  const Json queue = {{"queue_name", access.queue}};
  (void)session.call("authenticate", Json::object(), true);
  (void)session.call("queue_create", queue);
  (void)session.call("subscription_create", {{"queue_name", access.queue}, {"ttl", k_subscription_seconds}});
  const Json messages =
      member_or_null(session.call("message_delete_many", {{"queue_name", access.queue}, {"pop", 1}}), "messages");
  if (messages.is_array() && !messages.empty()) return member_or_null(messages.front(), "body");
  try {
    return member_or_null(session.receive(), "body");
  } catch (const Error&) {
    if (deadline.passed(clock.now())) return std::nullopt;  // silence until then is the usual case
    throw;
  }
}

}  // namespace hearth::agent
