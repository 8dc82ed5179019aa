#include "base/net/look_up.hpp"

#include <netdb.h>
#include <netinet/in.h>

#include <condition_variable>
#include <cstring>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>

#include "base/error.hpp"
#include "base/text.hpp"

namespace hearth {

namespace {

/// The addresses, and what getaddrinfo(3) returned.
struct Answer {
  int error = 0;
  std::vector<SocketAddress> found;
};

Answer ask(const std::string& host, std::uint16_t port, int flags) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = flags | AI_NUMERICSERV;
  addrinfo* list = nullptr;
  Answer answer;
  answer.error = ::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &list);
  for (const addrinfo* entry = answer.error == 0 ? list : nullptr; entry != nullptr; entry = entry->ai_next) {
    SocketAddress address;
    if (entry->ai_addrlen > sizeof address.storage) continue;
    std::memcpy(&address.storage, entry->ai_addr, entry->ai_addrlen);
    address.length = entry->ai_addrlen;
    answer.found.push_back(address);
  }
  if (answer.error == 0) ::freeaddrinfo(list);
  return answer;
}

/// What a look-up's thread and its waiter share; the thread may outlive the waiter.
struct LookUp {
  std::mutex mutex;
  std::condition_variable done;
  bool finished = false;
  Answer answer;
};

Answer ask_until(const std::string& host, std::uint16_t port, const Deadline& deadline, const Clock& clock) {
  const auto state = std::make_shared<LookUp>();
  try {
    std::thread([state, host, port] {
      Answer answer = ask(host, port, 0);
      const std::lock_guard lock(state->mutex);
      state->answer = std::move(answer);
      state->finished = true;
      state->done.notify_all();
    }).detach();
  } catch (const std::system_error& problem) {
    throw Error(ErrorKind::io, cat("looking up ", host, ": starting a thread for it: ", problem.what()));
  }
  std::unique_lock lock(state->mutex);
  const auto ready = [&state] { return state->finished; };
  if (deadline.is_never()) {
    state->done.wait(lock, ready);
  } else {
    state->done.wait_for(lock, std::chrono::milliseconds(deadline.poll_timeout(clock.now())), ready);
  }
  if (!state->finished) throw Error(ErrorKind::io, cat("looking up ", host, ": timed out"));
  return std::move(state->answer);
}

bool is_localhost(const std::string& host) {
  constexpr std::string_view domain = ".localhost";
  return host == "localhost" ||
         (host.size() > domain.size() && host.compare(host.size() - domain.size(), domain.size(), domain) == 0);
}

}  // namespace

bool is_address(const std::string& host) { return ask(host, 0, AI_NUMERICHOST).error == 0; }

std::string address_bytes(const std::string& host) {
  const Answer numeric = ask(host, 0, AI_NUMERICHOST);
  if (numeric.error != 0 || numeric.found.empty()) return "";
  const sockaddr* address = numeric.found.front().get();
  if (address->sa_family == AF_INET6) {
    const in6_addr& bytes = reinterpret_cast<const sockaddr_in6*>(address)->sin6_addr;
    return {reinterpret_cast<const char*>(&bytes), sizeof bytes};
  }
  const in_addr& bytes = reinterpret_cast<const sockaddr_in*>(address)->sin_addr;
  return {reinterpret_cast<const char*>(&bytes), sizeof bytes};
}

std::vector<SocketAddress> look_up(const std::string& host, std::uint16_t port, const Deadline& deadline,
                                   const Clock& clock) {
  Answer numeric = ask(host, port, AI_NUMERICHOST);
  if (numeric.error == 0) return numeric.found;
  if (is_localhost(host)) {
    std::vector<SocketAddress> loopback = ask("127.0.0.1", port, AI_NUMERICHOST).found;
    loopback.push_back(ask("::1", port, AI_NUMERICHOST).found.at(0));
    return loopback;
  }
  Answer answer = ask_until(host, port, deadline, clock);
  if (answer.error != 0) throw Error(ErrorKind::io, cat("looking up ", host, ": ", ::gai_strerror(answer.error)));
  return std::move(answer.found);
}

}  // namespace hearth
