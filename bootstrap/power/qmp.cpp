#include "bootstrap/power/qmp.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <array>

#include "base/error.hpp"
#include "base/sys/local_socket.hpp"
#include "base/text.hpp"
#include "bootstrap/node/node.hpp"

namespace hearth::bootstrap {

namespace {

constexpr std::size_t k_longest_line = std::size_t{1} << 20U;

/// Lines that come in, one at a time.
class Lines {
 public:
  Lines(const Fd& fd, const fs::path& path, const Deadline& deadline, const Clock& clock)
      : fd_(fd), path_(path), deadline_(deadline), clock_(clock) {}
  /// Nothing when the other side has closed: the machine has just gone off. One that never stops speaking has answered
  /// nothing, either.
  std::optional<std::string> next() {
    std::size_t seen = 0;
    while (true) {
      if (deadline_.passed(clock_.now())) throw silent();
      const std::size_t end = buffer_.find('\n', seen);
      if (end != std::string::npos) {
        const std::string line = buffer_.substr(0, end);
        buffer_.erase(0, end + 1);
        return line;
      }
      seen = buffer_.size();
      if (seen > k_longest_line)
        throw Error(ErrorKind::external, cat(path_.string(), ": a line of QEMU's monitor does not end"));
      pollfd wait{fd_.get(), POLLIN, 0};
      const int ready = ::poll(&wait, 1, deadline_.poll_timeout(clock_.now()));
      if (ready == 0) throw silent();
      std::array<char, 4096> part{};
      const ssize_t got = ready < 0 ? -1 : ::recv(fd_.get(), part.data(), part.size(), 0);
      if (got == 0 || (got < 0 && errno == ECONNRESET)) return std::nullopt;
      if (got < 0 && errno != EINTR && errno != EAGAIN) throw Error::from_errno("reading", path_.string());
      if (got > 0) buffer_.append(part.data(), static_cast<std::size_t>(got));
    }
  }

 private:
  [[nodiscard]] Error silent() const {
    return {ErrorKind::io, cat(path_.string(), ": QEMU's monitor does not answer")};
  }
  const Fd& fd_;
  const fs::path& path_;
  Deadline deadline_;
  const Clock& clock_;
  std::string buffer_;
};

/// The answer to what was sent; events between are passed over.
std::optional<Json> answer(Lines& lines, const fs::path& path) {
  while (const std::optional<std::string> line = lines.next()) {
    const Json message = parse_json(*line, path.string()).value_or_throw();
    if (message.contains("return")) return message["return"];
    if (message.contains("error")) {
      throw Error(ErrorKind::external, cat(path.string(), ": ", text_in(message["error"], "desc", "refused")));
    }
  }
  return std::nullopt;
}

/// A monitor serves one at a time: others wait, but not for one that has stopped.
std::optional<Fd> connect_by(const fs::path& socket, const Deadline& deadline, const Clock& clock) {
  while (true) {
    try {
      return connect_locally(socket, false);
    } catch (const Error& error) {
      if (error.system_error() != EAGAIN) throw;
      if (deadline.passed(clock.now()))
        throw Error(ErrorKind::io, cat(socket.string(), ": QEMU's monitor takes nobody in"));
      ::poll(nullptr, 0, 20);
    }
  }
}

/// False when the other side has closed: the machine has just gone off.
bool send_line(const Fd& fd, const std::string& text, const fs::path& path) {
  const std::string line = cat(text, "\n");
  for (std::size_t sent = 0; sent < line.size();) {
    const ssize_t part = ::send(fd.get(), line.data() + sent, line.size() - sent, MSG_NOSIGNAL);
    if (part < 0 && (errno == EPIPE || errno == ECONNRESET)) return false;
    if (part < 0 && errno != EINTR) throw Error::from_errno("writing", path.string());
    if (part > 0) sent += static_cast<std::size_t>(part);
  }
  return true;
}

}  // namespace

std::optional<Json> qmp(const fs::path& socket, const std::string& command, const Json& arguments, Duration patience,
                        const Clock& clock) {
  const Deadline deadline = Deadline::after(patience, clock);
  const std::optional<Fd> fd = connect_by(socket, deadline, clock);
  if (!fd) return std::nullopt;
  Lines lines(*fd, socket, deadline, clock);
  if (!lines.next()) return std::nullopt;  // the greeting
  if (!send_line(*fd, R"({"execute": "qmp_capabilities"})", socket)) return std::nullopt;
  if (!answer(lines, socket)) return std::nullopt;
  Json request = {{"execute", command}};
  if (!arguments.is_null()) request["arguments"] = arguments;
  if (!send_line(*fd, format_json(request), socket)) return std::nullopt;
  return answer(lines, socket);
}

}  // namespace hearth::bootstrap
