#include "agent/deploy/rest/server.hpp"

#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <array>
#include <cerrno>
#include <ctime>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/net/http_date.hpp"
#include "base/text.hpp"

namespace hearth::agent::deploy {

namespace {

constexpr std::size_t k_longest_head = 32U << 10U;
constexpr std::size_t k_longest_body = 96U << 20U;  // a config drive comes within a command
constexpr int k_most_connections = 32;
constexpr int k_silence_ms = 30000;

/// An IPv6 socket that takes IPv4 too, or an IPv4 one where the kernel has no IPv6.
Fd listening_socket(std::uint16_t port) {
  const int yes = 1;
  const int no = 0;
  Fd socket(::socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (socket) {
    ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    ::setsockopt(socket.get(), IPPROTO_IPV6, IPV6_V6ONLY, &no, sizeof no);
    sockaddr_in6 address{.sin6_family = AF_INET6, .sin6_port = htons(port), .sin6_addr = IN6ADDR_ANY_INIT};
    if (::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) return socket;
  }
  socket = Fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  const sockaddr_in address{.sin_family = AF_INET, .sin_port = htons(port), .sin_addr = {INADDR_ANY}};
  if (!socket || ::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    throw Error::from_errno("listening on", cat("port ", port));
  }
  return socket;
}

std::uint16_t port_of(const Fd& socket) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  ::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&address), &size);
  return ntohs(address.ss_family == AF_INET6 ? reinterpret_cast<const sockaddr_in6*>(&address)->sin6_port
                                             : reinterpret_cast<const sockaddr_in*>(&address)->sin_port);
}

bool readable(const Fd& fd, int milliseconds) {
  pollfd entry{fd.get(), POLLIN, 0};
  return ::poll(&entry, 1, milliseconds) > 0;
}

/// A connection, by TLS or plain; its socket gives up after k_silence_ms.
class Line {
 public:
  Line(const Fd& socket, const TlsIdentity* identity) : socket_(socket) {
    const timeval limit{.tv_sec = k_silence_ms / 1000, .tv_usec = 0};
    ::setsockopt(socket.get(), SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    ::setsockopt(socket.get(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    if (identity != nullptr) tls_.emplace(*identity, socket.get());
  }

  /// 0 at the end and when the client is too slow.
  std::size_t read(std::span<char> buffer) {
    if (tls_) return tls_->read(buffer);
    const ssize_t got = ::recv(socket_.get(), buffer.data(), buffer.size(), 0);
    return got <= 0 ? 0 : static_cast<std::size_t>(got);
  }
  bool write(std::string_view bytes) {
    if (tls_) return tls_->write(bytes);
    while (!bytes.empty()) {
      const ssize_t sent = ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }
  void close() {
    if (tls_) tls_->close();
  }

 private:
  const Fd& socket_;
  std::optional<TlsServed> tls_;
};

/// The whole request; nothing when the client goes away or is too slow.
std::optional<ServedRequest> read_request(Line& line) {
  std::string bytes;
  std::array<char, 16384> buffer{};
  while (const std::size_t got = line.read(buffer)) {
    bytes.append(buffer.data(), got);
    if (std::optional<ServedRequest> request = parse_request(bytes)) return request;
  }
  return std::nullopt;
}

Error bad_request(const char* what) { return {ErrorKind::input, what}; }

void read_fields(const std::vector<std::string>& lines, ServedRequest& request) {
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const std::size_t colon = lines[i].find(':');
    if (colon == std::string::npos) throw bad_request("bad header line");
    request.headers.emplace_back(lines[i].substr(0, colon),
                                 std::string(trim(std::string_view(lines[i]).substr(colon + 1))));
  }
}

}  // namespace

std::optional<ServedRequest> parse_request(std::string_view bytes) {
  const std::size_t end = bytes.find("\r\n\r\n");
  if (end == std::string_view::npos || end > k_longest_head) {
    if (bytes.size() > k_longest_head) throw bad_request("the request's head is too long");
    return std::nullopt;
  }
  const std::vector<std::string> lines = split_lines(replace_all(std::string(bytes.substr(0, end)), "\r\n", "\n"));
  const std::vector<std::string> words = split_words(lines.empty() ? "" : lines.front());
  if (words.size() != 3 || words[2].rfind("HTTP/1.", 0) != 0) throw bad_request("this is no HTTP request");
  const Result<RequestTarget, std::string> target = parse_request_target(words[1]);
  if (!target) throw bad_request("bad request target");
  ServedRequest request{.method = words[0],
                        .target = words[1],
                        .raw_path = target->raw_path,
                        .path = target->path,
                        .query = target->query};
  read_fields(lines, request);
  if (request.header("Transfer-Encoding")) throw bad_request("chunked requests are not read");
  const auto length = parse_number(request.header("Content-Length").value_or("0"));
  if (!length || *length > k_longest_body) throw bad_request("bad Content-Length");
  if (bytes.size() - end - 4 < *length) return std::nullopt;
  request.body = bytes.substr(end + 4, static_cast<std::size_t>(*length));
  return request;
}

RestServer::RestServer(std::uint16_t port, Handler handler, const TlsIdentity* tls)
    : handler_(std::move(handler)), tls_(tls), listener_(listening_socket(port)), port_(port_of(listener_)) {
  if (::listen(listener_.get(), 16) != 0) throw Error::from_errno("listening on", cat("port ", port));
  thread_ = std::thread([this] { accept_all(); });
}

RestServer::~RestServer() {
  ending_ = true;
  thread_.join();
  SystemClock clock;
  while (connections_ > 0) clock.sleep(std::chrono::milliseconds(10));
}

void RestServer::accept_all() {
  while (!ending_) {
    if (!readable(listener_, 100)) continue;
    Fd connection(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!connection || connections_ >= k_most_connections) continue;
    ++connections_;
    std::thread([this, socket = connection.release()] {
      serve(Fd(socket));
      --connections_;
    }).detach();
  }
}

void RestServer::serve(const Fd& socket) {
  std::optional<Line> line;
  try {
    line.emplace(socket, tls_);
  } catch (const Error&) {
    return;  // whoever it was speaks no TLS, or trusts another
  }
  ServedResponse response;
  try {
    const std::optional<ServedRequest> request = read_request(*line);
    if (!request) return;
    response = handler_(*request);
  } catch (const std::exception& error) {
    response = ServedResponse{.status = 400, .body = error.what()};
  }
  line->write(response_head(response, format_http_date(std::time(nullptr)), false)) && line->write(response.content());
  line->close();
}

}  // namespace hearth::agent::deploy
