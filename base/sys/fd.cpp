#include "base/sys/fd.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>

#include "base/error.hpp"
#include "base/text.hpp"

namespace hearth {

Fd& Fd::operator=(Fd&& other) noexcept {
  if (this != &other) {
    if (fd_ >= 0) ::close(fd_);
    fd_ = std::exchange(other.fd_, -1);
  }
  return *this;
}

Fd::~Fd() {
  if (fd_ >= 0) ::close(fd_);
}

Fd Fd::open(const std::string& path, int flags, unsigned mode) {
  const int fd = ::open(path.c_str(), flags | O_CLOEXEC, mode);
  if (fd < 0) throw Error::from_errno("opening", path);
  return Fd(fd);
}

void Fd::close() {
  if (fd_ < 0) return;
  if (::close(std::exchange(fd_, -1)) != 0 && errno != EINTR) throw Error::from_errno("closing", "a file");
}

void hold_standard_descriptors() {
  for (const int number : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(number, F_GETFD) >= 0) continue;
    // The least that is free is this one: those before it are there. The wrong way round: using it fails, and is told.
    (void)::open("/dev/null", number == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  }
}

Pipe Pipe::create() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw Error::from_errno("creating", "a pipe");
  return {Fd(ends[0]), Fd(ends[1])};
}

void write_all(const Fd& fd, std::string_view data, std::string_view object) {
  while (!data.empty()) {
    const ssize_t written = ::write(fd.get(), data.data(), data.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw Error::from_errno("writing", object);
    data.remove_prefix(static_cast<std::size_t>(written));
  }
}

void write_at(const Fd& fd, std::uint64_t offset, std::string_view data, std::string_view object) {
  while (!data.empty()) {
    const ssize_t written = ::pwrite(fd.get(), data.data(), data.size(), static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR) continue;
    if (written == 0) errno = ENOSPC;  // the end of a disk
    if (written <= 0) throw Error::from_errno("writing", cat(object, " at byte ", offset));
    data.remove_prefix(static_cast<std::size_t>(written));
    offset += static_cast<std::uint64_t>(written);
  }
}

std::string read_all(const Fd& fd, std::string_view object, std::size_t limit) {
  std::string data;
  std::array<char, 65536> buffer;  // NOLINT(cppcoreguidelines-pro-type-member-init): filled by read
  while (true) {
    const ssize_t got = ::read(fd.get(), buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw Error::from_errno("reading", object);
    if (got == 0) return data;
    if (data.size() + static_cast<std::size_t>(got) > limit) {
      throw Error(ErrorKind::input, cat("reading ", object, ": larger than ", human_bytes(limit)));
    }
    data.append(buffer.data(), static_cast<std::size_t>(got));
  }
}

}  // namespace hearth
