// A small HTTP server for one conductor: a thread for each connection, so that a request may wait for a command.
#pragma once

#include <atomic>
#include <functional>
#include <list>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include "agent/deploy/rest/tls_identity.hpp"
#include "base/clock.hpp"
#include "base/net/served.hpp"
#include "base/sys/fd.hpp"

namespace hearth::agent::deploy {

class Line;

/// What strangers may take of the machine: whoever reaches the port can connect.
struct RestLimits {
  std::size_t places = 32;                   ///< connections; when all are taken, the one that has dawdled longest goes
  Duration head = std::chrono::seconds(20);  ///< for TLS and the request's head
  Duration body = std::chrono::seconds(300);    ///< for its body
  Duration answer = std::chrono::seconds(300);  ///< to take its answer
  Duration last = std::chrono::seconds(3);      ///< the same, when the server ends
  std::size_t held = std::size_t{160} << 20U;   ///< bytes of all bodies that are being read
};

/// An answer whose body may be made while it is sent.
struct RestAnswer : ServedResponse {
  RestAnswer() = default;
  RestAnswer(ServedResponse response) : ServedResponse(std::move(response)) {}  // NOLINT(*-explicit-*): most are that
  /// In place of content: the next bytes, which stay until it is called again; none: that was all. May wait, for a
  /// second or so. Such an answer has no length.
  std::function<std::string_view()> parts;
};

class RestServer {
 public:
  using Handler = std::function<RestAnswer(const ServedRequest&)>;
  /// Whether a body of more than 64 KiB is read, by the request's head.
  using Admission = std::function<bool(const ServedRequest&)>;

  /// Listens on all addresses, on `port` (0 = a free one), and serves until it is destroyed; with `tls`, which must
  /// outlive it, nothing but HTTPS. Throws Error(io).
  RestServer(std::uint16_t port, Handler handler, const TlsIdentity* tls = nullptr, Admission admits = {},
             const RestLimits& limits = {});
  RestServer(const RestServer&) = delete;
  RestServer& operator=(const RestServer&) = delete;
  ~RestServer();

  [[nodiscard]] std::uint16_t port() const { return port_; }

 private:
  /// A connection, until its thread ends.
  struct Place {
    int socket = -1;
    MonotonicTime since{};
    MonotonicTime until{};
    enum class State { reading, working, answering } state = State::reading;
  };
  using Places = std::list<Place>;

  void accept_all();
  void take(Fd connection);
  void end_late_ones();
  void serve(const Fd& socket, Places::iterator place);
  void answer(Line& line, Places::iterator place, RestAnswer response);
  [[nodiscard]] std::optional<ServedRequest> read_request(Line& line, Places::iterator place);
  void enter(Places::iterator place, Place::State state, Duration time);

  Handler handler_;
  const TlsIdentity* tls_;
  Admission admits_;
  RestLimits limits_;
  SystemClock clock_;
  Fd listener_;
  std::uint16_t port_ = 0;
  std::atomic<bool> ending_{false};
  std::mutex lock_;
  Places places_;
  std::atomic<std::size_t> held_{0};
  std::thread thread_;
};

/// A request's head, how long it is and how long its body will be.
struct RequestHead {
  ServedRequest request;
  std::size_t size = 0;
  std::size_t body = 0;
};

/// The head out of the bytes of a connection so far; nothing while it is not complete. Throws Error(input) for what is
/// no request.
[[nodiscard]] std::optional<RequestHead> parse_request_head(std::string_view bytes);

}  // namespace hearth::agent::deploy
