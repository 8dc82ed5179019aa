// Fd: an owned file descriptor. Always opened with O_CLOEXEC. close() reports, the destructor doesn't.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace hearth {

class Fd {
 public:
  Fd() = default;
  explicit Fd(int fd) : fd_(fd) {}
  Fd(Fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Fd& operator=(Fd&& other) noexcept;
  ~Fd();

  /// open(2) with O_CLOEXEC added. Throws Error naming the path.
  [[nodiscard]] static Fd open(const std::string& path, int flags, unsigned mode = 0666);

  [[nodiscard]] int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }
  [[nodiscard]] int release() { return std::exchange(fd_, -1); }
  /// Throws when close(2) reports a write-back error. Closing an empty Fd does nothing.
  void close();

 private:
  int fd_ = -1;
};

/// A program's first act: standard descriptors that its caller closed lead to where no byte gets through, or the next
/// file that is opened, a lock or a database, would be taken for standard output.
void hold_standard_descriptors();

struct Pipe {
  Fd read;
  Fd write;
  [[nodiscard]] static Pipe create();
};

/// Writes all of `data`, over partial writes and EINTR. `object` names the target in the Error.
void write_all(const Fd& fd, std::string_view data, std::string_view object);
/// Writes all of `data` at `offset` of a file or disk, as write_all() does.
void write_at(const Fd& fd, std::uint64_t offset, std::string_view data, std::string_view object);
/// Reads to the end, at most `limit` bytes (more is an Error).
[[nodiscard]] std::string read_all(const Fd& fd, std::string_view object, std::size_t limit = std::size_t{1} << 30);

}  // namespace hearth
