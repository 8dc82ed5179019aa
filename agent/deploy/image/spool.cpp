#include "agent/deploy/image/spool.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include "base/error.hpp"
#include "base/text.hpp"

namespace hearth::agent::deploy {

Spool::Spool(Window& window, std::uint64_t limit, const std::string& name)
    : memory_(::memfd_create("image", MFD_CLOEXEC)) {
  if (!memory_) throw Error::from_errno("making", "a file in memory");
  for (std::string bytes = window.next(); !bytes.empty(); bytes = window.next()) {
    size_ += bytes.size();
    if (size_ > limit) {
      throw Error(ErrorKind::io, cat(name, " does not fit into memory (", human_bytes(limit), " may be used)"))
          .hint(
              "Serve it from a server that answers ranges, or publish it as a frames file: both are written as they "
              "come.");
    }
    write_all(memory_, bytes, "a file in memory");
  }
}

std::size_t Spool::read(std::span<char> into) {
  const ssize_t got = ::pread(memory_.get(), into.data(), into.size(), static_cast<off_t>(position_));
  if (got < 0) throw Error::from_errno("reading", "a file in memory");
  position_ += static_cast<std::uint64_t>(got);
  return static_cast<std::size_t>(got);
}

std::optional<std::string> Spool::piece(std::uint64_t offset, std::uint64_t length) {
  if (offset > size_ || length > size_ - offset) throw Error(ErrorKind::input, "the image is cut off");
  std::string bytes(static_cast<std::size_t>(length), 0);
  const ssize_t got = ::pread(memory_.get(), bytes.data(), bytes.size(), static_cast<off_t>(offset));
  if (got != static_cast<ssize_t>(bytes.size())) throw Error::from_errno("reading", "a file in memory");
  return bytes;
}

}  // namespace hearth::agent::deploy
