// HttpServer: HTTP/1.1 for machines, on one thread. Handlers are pure functions of a request; what they share needs no
// locks. Built for many small answers: keep-alive, no copy of shared bodies, 20,000 connections.
//
// Against hostile clients: heads and bodies must be complete before a deadline, sizes are limited, a handler is asked
// before a body is read, and when all places, descriptors or bytes for bodies are taken, whoever has kept the server
// waiting for the longest (for a head, a body, or to take an answer) loses his. So no number of slow clients keeps
// others out.
//
// What must hold inside: everything happens on the one thread, only post() may be called by others. A connection has
// one step pending at a time, but for a stream's two, and each step has a deadline. What is taken (a place, bytes of
// bodies) is given back when the connection goes, whichever step was its last. An answer that takes long lets others be
// served in its midst (breath); what can't be answered beside it waits for its end.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/clock.hpp"
#include "base/log.hpp"
#include "base/net/listening.hpp"
#include "base/net/served.hpp"
#include "base/path.hpp"

namespace hearth {

struct HttpServerLimits {
  std::uint32_t head_bytes = 16U << 10U;                ///< more is answered with 431
  std::uint64_t body_bytes = std::uint64_t{4} << 20U;   ///< more is answered with 413
  std::uint64_t all_bodies = std::uint64_t{64} << 20U;  ///< bytes of bodies that are being read at one time
  std::size_t connections = 20000;
  std::size_t handshakes = 512;                   ///< at one time, for TLS; who has taken longest makes room
  Duration head_time = std::chrono::seconds(10);  ///< from the connection, or the last answer, to a complete head
  Duration body_time = std::chrono::seconds(60);
  Duration write_time = std::chrono::seconds(60);
  Duration idle_time = std::chrono::seconds(30);   ///< how long a connection is kept between two requests
  Duration stop_time = std::chrono::seconds(5);    ///< what running requests get when the server stops
  Duration tls_look = std::chrono::seconds(5);     ///< how often certificates are looked at, whether they are others
  Duration breath = std::chrono::milliseconds(5);  ///< how long an answer may take before others are served beside it
  /// While it says something, whoever asks is told that by a 503, also where his answer was made before.
  std::function<std::string()> pause{};
};

/// One answered request.
struct AccessRecord {
  std::string_view listener;
  const ServedRequest& request;
  int status = 0;
  std::size_t bytes = 0;  ///< of the body
  Duration took{};
  std::string_view principal{};
};

class AccessLog {
 public:
  virtual ~AccessLog() = default;
  virtual void record(const AccessRecord& record) noexcept = 0;
  /// A client ended the handshake by an alert: it takes another certificate than ours, and `why` says what is wrong
  /// with that for it.
  virtual void refused_certificate(std::string_view peer, std::string_view why) noexcept { (void)peer, (void)why; }
};

/// PEM files of a server's certificate chain and key. When they are others, connections from then on get those.
struct TlsFiles {
  std::string certificate;
  std::string key;
};

class HttpServer {
 public:
  /// `access` may be null. `log` gets what handlers throw.
  HttpServer(HttpServerLimits limits, const Clock& clock, Logger& log, AccessLog* access);
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;
  ~HttpServer();

  /// Binds and listens; port 0 takes a free one. Returns the port. `name` is for the access log and errors. Throws
  /// Error(io) when the address is taken or not ours, Error(input) when `address` is no numeric address.
  std::uint16_t listen(const std::string& name, const std::string& address, std::uint16_t port, HttpHandler& handler,
                       const TlsFiles* tls = nullptr) {
    return listen(name, listen_on(name, address, port), handler, tls);
  }
  /// The same for a socket that listens already.
  std::uint16_t listen(const std::string& name, ListeningSocket bound, HttpHandler& handler,
                       const TlsFiles* tls = nullptr);
  /// Listens at a socket that has a path, for its owner only (base/sys/local_socket.hpp).
  void listen_locally(const std::string& name, const fs::path& path, HttpHandler& handler);
  /// Calls `action` on the server's thread, again and again, until the server stops.
  void every(Duration period, std::function<void()> action);
  /// Calls `action` on the server's thread when run() ends, after all that it served.
  void at_end(std::function<void()> action);
  /// Within a handler, or an action: serves others for a moment, if the last moment is some time ago. What is asked
  /// meanwhile is answered if its handler says that it can be; all else, actions too, waits for the handler's end.
  void breathe();
  /// Calls `action` once, on the server's thread, when `descriptor` can be read or has come to its end; where there is
  /// no descriptor left to watch it by, in a moment, whether it can be read or not.
  void when_readable(int descriptor, std::function<void()> action);
  /// From any thread: calls `action` once, on the server's thread.
  void post(std::function<void()> action);
  /// From now on SIGTERM and SIGINT stop it, and SIGHUP has certificates looked at at once. So do SIGUSR1, SIGUSR2 and
  /// SIGALRM, which by themselves would end the process.
  void take_signals();
  /// Serves until stop(). With `signals`, these are taken, too.
  void run(bool signals = false);
  /// From any thread: no new connections, running requests end, run() returns.
  void stop();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace hearth
