// An HttpServer on loopback in a thread of its own, for as long as the object lives; and clients for it: the project's
// own, and a bare socket that sends whatever it is told.
#pragma once

#include <arpa/inet.h>
#include <sys/socket.h>

#include <thread>

#include "base/net/http_server.hpp"
#include "base/net/web_client.hpp"
#include "base/sys/fd.hpp"
#include "tests/fakes/memory_logger.hpp"

namespace hearth::fakes {

class RunningServer {
 public:
  explicit RunningServer(HttpHandler& handler, HttpServerLimits limits = {}, AccessLog* access = nullptr,
                         const TlsFiles* tls = nullptr)
      : server(limits, clock_, log, access), port(server.listen("test", "127.0.0.1", 0, handler, tls)) {
    thread_ = std::thread([this] { server.run(); });
  }
  RunningServer(const RunningServer&) = delete;
  RunningServer& operator=(const RunningServer&) = delete;
  ~RunningServer() { stop(); }

  void stop() {
    server.stop();
    if (thread_.joinable()) thread_.join();
  }

  [[nodiscard]] std::string url(const std::string& target, const std::string& scheme = "http") const {
    return cat(scheme, "://127.0.0.1:", port, target);
  }

  HttpResponse send(const std::string& method, const std::string& target, const HttpHeaders& headers = {},
                    const std::string& body = "") {
    WebClient client(clock_, {}, "test");
    HttpRequest request;
    request.method = method;
    request.url = parse_url(url(target)).value_or_throw();
    request.headers = headers;
    request.body = body;
    request.deadline = Deadline::after(std::chrono::seconds(20), clock_);
    return client.send(request);
  }

  MemoryLogger log;

 private:
  SystemClock clock_;
  std::thread thread_;

 public:
  HttpServer server;
  std::uint16_t port;
};

/// A connection that says what it is told.
class RawConnection {
 public:
  explicit RawConnection(std::uint16_t port) : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connected = ::connect(fd_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
    const timeval patience{20, 0};
    ::setsockopt(fd_.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  }
  bool say(std::string_view text) {
    return ::send(fd_.get(), text.data(), text.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(text.size());
  }
  /// What comes can be read still.
  void end_sending() { ::shutdown(fd_.get(), SHUT_WR); }
  /// What comes until the server closes.
  std::string rest() {
    std::string all;
    std::array<char, 4096> part{};
    for (ssize_t n = 0; (n = ::recv(fd_.get(), part.data(), part.size(), 0)) > 0;) {
      all.append(part.data(), static_cast<std::size_t>(n));
    }
    return all;
  }
  /// What comes up to the text `end` (or until the server closes).
  std::string until(std::string_view end) {
    std::string all;
    char c = 0;
    while (all.find(end) == std::string::npos && ::recv(fd_.get(), &c, 1, 0) == 1) all.push_back(c);
    return all;
  }
  bool connected = false;

 private:
  Fd fd_;
};

}  // namespace hearth::fakes
