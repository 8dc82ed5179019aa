#include "agent/deploy/rest/server.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <ctime>
#include <system_error>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/net/http_date.hpp"
#include "base/text.hpp"

namespace hearth::agent::deploy {

namespace {

constexpr std::size_t k_longest_head = 32U << 10U;
constexpr std::size_t k_longest_body = 96U << 20U;  // a config drive comes within a command
constexpr std::size_t k_small_body = 64U << 10U;
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

Error bad_request(const char* what) { return {ErrorKind::input, what}; }

void read_fields(const std::vector<std::string>& lines, ServedRequest& request) {
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const std::size_t colon = lines[i].find(':');
    if (colon == std::string::npos) throw bad_request("bad header line");
    request.headers.emplace_back(lines[i].substr(0, colon),
                                 std::string(trim(std::string_view(lines[i]).substr(colon + 1))));
  }
}

/// What is counted while it lives.
class Share {
 public:
  Share(std::atomic<std::size_t>& whole, std::size_t size) : whole_(whole), size_(size) { whole_ += size_; }
  Share(const Share&) = delete;
  Share& operator=(const Share&) = delete;
  ~Share() { whole_ -= size_; }

 private:
  std::atomic<std::size_t>& whole_;
  std::size_t size_;
};

/// Takes what still comes for a moment: closing a socket with unread bytes would take back the answer that was just
/// sent.
void swallow(const Fd& socket) {
  ::shutdown(socket.get(), SHUT_WR);
  std::array<char, 16384> buffer{};
  std::size_t most = std::size_t{8} << 20U;
  while (most > buffer.size() && readable(socket, 1000)) {
    const ssize_t got = ::recv(socket.get(), buffer.data(), buffer.size(), 0);
    if (got <= 0) return;
    most -= static_cast<std::size_t>(got);
  }
}

/// Why a request is not read on, as an answer.
struct Unread {
  ServedResponse response;
};

}  // namespace

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

std::optional<RequestHead> parse_request_head(std::string_view bytes) {
  const std::size_t end = bytes.find("\r\n\r\n");
  if (end > k_longest_head) {  // npos is
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
  return RequestHead{std::move(request), end + 4, static_cast<std::size_t>(*length)};
}

RestServer::RestServer(std::uint16_t port, Handler handler, const TlsIdentity* tls, Admission admits,
                       const RestLimits& limits)
    : handler_(std::move(handler)),
      tls_(tls),
      admits_(std::move(admits)),
      limits_(limits),
      listener_(listening_socket(port)),
      port_(port_of(listener_)) {
  const int yes = 1;  // who is accepted has it, too: the end of a frame does not wait for its beginning to be confirmed
  ::setsockopt(listener_.get(), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  if (::listen(listener_.get(), 16) != 0) throw Error::from_errno("listening on", cat("port ", port));
  thread_ = std::thread([this] { accept_all(); });
}

RestServer::~RestServer() {
  ending_ = true;
  thread_.join();
  const Deadline last = Deadline::after(limits_.last, clock_);
  while (true) {
    {
      const std::lock_guard guard(lock_);
      if (places_.empty()) return;
      const bool is_late = last.passed(clock_.now());
      for (const Place& place : places_) {
        const bool goes = place.state == Place::State::reading || (is_late && place.state == Place::State::answering);
        if (goes) ::shutdown(place.socket, SHUT_RDWR);
      }
    }
    clock_.sleep(std::chrono::milliseconds(10));
  }
}

void RestServer::accept_all() {
  while (!ending_) {
    const bool called = readable(listener_, 100);
    end_late_ones();
    if (!called) continue;
    Fd connection(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (connection) take(std::move(connection));
  }
}

/// The thread of a connection that is shut down ends at its next read or write.
void RestServer::end_late_ones() {
  const std::lock_guard guard(lock_);
  const MonotonicTime now = clock_.now();
  for (const Place& place : places_) {
    if (place.state != Place::State::working && now > place.until) ::shutdown(place.socket, SHUT_RDWR);
  }
}

/// A request whose head is there is at work within a moment, so that who takes all places by saying nothing only drives
/// out himself.
void RestServer::take(Fd connection) {
  const std::lock_guard guard(lock_);
  if (places_.size() >= 2 * limits_.places) return;
  if (places_.size() >= limits_.places) {
    const auto oldest = std::find_if(places_.begin(), places_.end(),
                                     [](const Place& place) { return place.state == Place::State::reading; });
    if (oldest == places_.end()) return;
    ::shutdown(oldest->socket, SHUT_RDWR);
    oldest->state = Place::State::working;
  }
  const MonotonicTime now = clock_.now();
  places_.push_back({connection.get(), now, now + limits_.head});
  const auto place = std::prev(places_.end());
  try {
    std::thread([this, place, own = std::move(connection)] {
      serve(own, place);
      const std::lock_guard end(lock_);
      places_.erase(place);
    }).detach();
  } catch (const std::system_error&) {  // no thread can be had; who calls again may find one
    places_.erase(place);
  }
}

void RestServer::enter(Places::iterator place, Place::State state, Duration time) {
  const std::lock_guard guard(lock_);
  place->state = state;
  place->until = clock_.now() + time;
}

/// The whole request; nothing when the client goes away or is too slow. Throws Unread.
std::optional<ServedRequest> RestServer::read_request(Line& line, Places::iterator place) {
  std::string bytes;
  std::array<char, 16384> buffer{};
  std::optional<RequestHead> head;
  while (!(head = parse_request_head(bytes))) {
    const std::size_t got = line.read(buffer);
    if (got == 0) return std::nullopt;
    bytes.append(buffer.data(), got);
  }
  if (head->body > k_small_body && admits_ && !admits_(head->request)) {
    throw Unread{{.status = 401, .body = "401 Unauthorized: Token invalid."}};
  }
  const Share share(held_, head->body);
  if (held_ > limits_.held) throw Unread{{.status = 503, .body = "too many large requests at once"}};
  enter(place, Place::State::reading, limits_.body);
  while (bytes.size() - head->size < head->body) {
    const std::size_t got = line.read(buffer);
    if (got == 0) return std::nullopt;
    bytes.append(buffer.data(), got);
  }
  bytes.resize(head->size + head->body);
  bytes.erase(0, head->size);
  head->request.body = std::move(bytes);
  head->request.tls = tls_ != nullptr;
  return std::move(head->request);
}

/// Who takes what comes part by part has the time for each of them.
void RestServer::answer(Line& line, Places::iterator place, RestAnswer response) {
  enter(place, Place::State::answering, limits_.answer);
  std::string head = response_head(response, format_http_date(std::time(nullptr)), false);
  if (response.parts) head = replace_all(std::move(head), "Content-Length: 0\r\n", "");  // nobody knows it
  bool taken = line.write(head) && line.write(response.content());
  while (taken && response.parts && !ending_) {
    const std::string_view part = response.parts();
    if (part.empty()) break;
    enter(place, Place::State::answering, limits_.answer);
    taken = line.write(part);
  }
}

void RestServer::serve(const Fd& socket, Places::iterator place) {
  std::optional<Line> line;
  try {
    line.emplace(socket, tls_);
  } catch (const Error&) {
    return;  // whoever it was speaks no TLS, or trusts another
  }
  RestAnswer response;
  bool unread_rest = false;
  try {
    const std::optional<ServedRequest> request = read_request(*line, place);
    enter(place, Place::State::working, {});
    if (!request) return;
    response = handler_(*request);
  } catch (const Unread& unread) {
    response = unread.response;
    unread_rest = true;
  } catch (const std::exception& error) {
    response = ServedResponse{.status = 400, .body = error.what()};
  }
  answer(*line, place, std::move(response));
  line->close();
  if (unread_rest) swallow(socket);
}

}  // namespace hearth::agent::deploy
