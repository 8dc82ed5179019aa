#include "bootstrap/client/deputy.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "bootstrap/node/node.hpp"
#include "pxe/privileges.hpp"

namespace hearth::bootstrap {

namespace {

constexpr const char* k_error = "error";

Json error_message(ErrorKind kind, const std::string& story, int code) {
  return {{k_error, {{"kind", static_cast<int>(kind)}, {"story", story}, {"code", code}}}};
}

std::array<Fd, 2> line_ends() {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
    throw Error::from_errno("making", "a line to another process");
  return {Fd(ends[0]), Fd(ends[1])};
}

int work_in_copy(Fd end, const std::function<void(DeputyLine&)>& work) {
  DeputyLine asker(std::move(end));
  try {
    work(asker);
    return 0;
  } catch (const Error& error) {
    asker.send(error_message(error.kind(), error.story(), error.exit_code()));
  } catch (const std::exception& error) {
    asker.send(error_message(ErrorKind::external, error.what(), 1));
  }
  return 1;
}

}  // namespace

bool DeputyLine::send(const Json& message) {
  const std::string text = cat(format_json(message, {.lossy = true}), "\n");
  for (std::string_view rest = text; !rest.empty();) {
    const ssize_t sent = ::send(fd_.get(), rest.data(), rest.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) return false;
    rest.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

std::optional<Json> DeputyLine::receive() {
  std::size_t looked_at = 0;
  std::size_t end = 0;
  while ((end = read_.find('\n', looked_at)) == std::string::npos) {
    looked_at = read_.size();
    std::array<char, 65536> part;
    const ssize_t got = ::recv(fd_.get(), part.data(), part.size(), 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return std::nullopt;
    read_.append(part.data(), static_cast<std::size_t>(got));
  }
  Json message = parse_json(std::string_view(read_).substr(0, end), "another process").value_or_throw();
  read_.erase(0, end + 1);
  return message;
}

void DeputyLine::end_with_other() const {
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  pollfd other{fd_.get(), POLLRDHUP, 0};  // it may have ended before
  if (::poll(&other, 1, 0) > 0 && (other.revents & (POLLRDHUP | POLLHUP)) != 0)
    throw Error(ErrorKind::interrupted, "the process that this one works for has ended");
}

Deputy::Deputy(const std::function<void(DeputyLine&)>& work) {
  std::array<Fd, 2> ends = line_ends();
  const Fd out(::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3));
  const Fd err(::fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3));
  const auto body = [&] {
    ends[0] = Fd();  // or the copy would never see that the other has hung up
    return work_in_copy(std::move(ends[1]), work);
  };
  copy_.emplace(ProcessCopy::start(body, out, err));
  line_.emplace(std::move(ends[0]));
}

Deputy::~Deputy() {
  line_.reset();
  wait();
}

Json Deputy::receive() {
  std::optional<Json> message = line_->receive();
  if (!message) throw Error(ErrorKind::external, "the process that does this command's work has ended");
  if (const auto error = message->find(k_error); error != message->end())
    throw Error(static_cast<ErrorKind>((*error)["kind"].get<int>()), text_in(*error, "story"),
                (*error)["code"].get<int>());
  return std::move(*message);
}

void Deputy::stop() const { copy_->signal(SIGTERM); }

void Deputy::wait() const {
  pollfd end{copy_->end().get(), POLLIN, 0};
  while (::poll(&end, 1, -1) < 0 && errno == EINTR) {
  }
}

void become_keeper(const std::string& directory, bool is_new) {
  struct stat status {};
  const bool is_roots = ::stat(directory.c_str(), &status) == 0 && status.st_uid == 0;
  FdLogger log(2, LogLevel::warning);
  pxe::Rights rights(
      {.user = is_roots && !is_new ? "root" : "", .states = {directory}, .needed = {}, .stays_with_owner = true}, log);
  rights.give_up();
}

}  // namespace hearth::bootstrap
