#include "base/net/web_client.hpp"

#include "base/error.hpp"
#include "base/net/http_exchange.hpp"
#include "base/text.hpp"

namespace hearth {

namespace {

/// A request without a deadline of its own may still not hang for ever.
constexpr Duration k_longest_exchange = std::chrono::minutes(30);

constexpr std::size_t k_one_write = std::size_t{64} << 10U;

HttpResponse answer_of(Connection& connection, const HttpRequest& request, const Deadline& deadline,
                       const Clock& clock) {
  HttpReader reader({.to_head = request.method == "HEAD", .body_limit = request.body_limit, .sink = request.sink});
  read_answer(connection, reader, [&] {
    if (request.stall == Duration::zero()) return deadline;
    const MonotonicTime now = clock.now();
    const Deadline stalled = Deadline::after(request.stall, clock);
    const bool sooner = deadline.is_never() || stalled.poll_timeout(now) < deadline.poll_timeout(now);
    return sooner ? stalled : deadline;
  });
  reader.response().url = request.url;
  return std::move(reader.response());
}

}  // namespace

WebClient::WebClient(const Clock& clock, const Environment& env, std::string agent, AddressCheck check)
    : clock_(clock), dialer_(clock, env, std::move(check)), agent_(std::move(agent)) {}

HttpResponse WebClient::exchange(const HttpRequest& request, const WriteRequest& write) {
  const Deadline deadline =
      request.deadline.is_never() ? Deadline::after(k_longest_exchange, clock_) : request.deadline;
  const bool local = !request.socket.empty();
  const std::string head = request_head(request, local ? std::nullopt : dialer_.plain_proxy(request.url), agent_);
  Connection connection = local
                              ? Connection::open_local(request.socket, clock_)
                              : dialer_.dial(request.url, {request.verify_tls, request.ca_file, request.pin}, deadline);
  std::optional<Error> unsent;
  try {
    write(connection, head, deadline);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::io) throw;
    unsent = error;  // a server may answer and close before it has read a long body (413, say): the answer counts
  }
  try {
    return answer_of(connection, request, deadline, clock_);
  } catch (const Error& error) {
    if (unsent) throw *unsent;
    throw Error(error.kind(), cat("reading the answer of ", request.url.masked(), ": ", error.what()));
  }
}

HttpResponse WebClient::send_once(const HttpRequest& request) {
  return exchange(request, [&](Connection& connection, const std::string& head, const Deadline& deadline) {
    if (request.body.size() <= k_one_write) {
      connection.write(cat(head, request.body), deadline);
    } else {  // a large body is not copied
      connection.write(head, deadline);
      connection.write(request.body, deadline);
    }
  });
}

HttpResponse WebClient::upload(const HttpRequest& request, std::uint64_t size,
                               const std::function<std::string_view()>& next) {
  HttpRequest whole = request;
  whole.headers.emplace_back("Content-Length", std::to_string(size));
  return exchange(whole, [&](Connection& connection, const std::string& head, const Deadline& deadline) {
    connection.write(head, deadline);
    for (std::string_view piece = next(); !piece.empty(); piece = next()) connection.write(piece, deadline);
  });
}

HttpResponse WebClient::send(const HttpRequest& request) {
  HttpResponse response = send_once(request);
  std::optional<HttpRequest> next = redirected(request, response);
  while (next) {
    response = send_once(*next);
    next = redirected(*next, response);
  }
  return response;
}

}  // namespace hearth
