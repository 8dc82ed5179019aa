#include "base/sys/secret.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cstring>

#include "base/error.hpp"
#include "base/sys/fd.hpp"
#include "base/text.hpp"

namespace hearth {

namespace {

constexpr std::size_t k_most = std::size_t{64} << 10U;

}  // namespace

struct Secret::Pages {
  Pages() : bytes(::mmap(nullptr, k_most, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {
    if (bytes == MAP_FAILED) throw Error::from_errno("allocating", "memory for a secret");
    const bool hidden = ::madvise(bytes, k_most, MADV_WIPEONFORK) == 0 && ::madvise(bytes, k_most, MADV_DONTDUMP) == 0;
    if (!hidden) throw Error::from_errno("protecting", "memory for a secret");
  }
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;
  ~Pages() { ::munmap(bytes, k_most); }

  void* bytes;
  std::size_t size = 0;
};

Secret Secret::read(const fs::path& file) {
  const Fd opened = Fd::open(file.string(), O_RDONLY);
  auto pages = std::make_shared<Pages>();
  while (pages->size < k_most) {
    const ssize_t got = ::read(opened.get(), static_cast<char*>(pages->bytes) + pages->size, k_most - pages->size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw Error::from_errno("reading", file.string());
    if (got == 0) return Secret(std::move(pages));
    pages->size += static_cast<std::size_t>(got);
  }
  throw Error(ErrorKind::input, cat(file.string(), " is larger than 64 KiB: that is no key"));
}

Secret Secret::take(std::string& text) {
  auto pages = std::make_shared<Pages>();
  if (text.size() > k_most) throw Error(ErrorKind::input, "a secret is larger than 64 KiB");
  text.copy(static_cast<char*>(pages->bytes), text.size());
  pages->size = text.size();
  wipe(text);
  return Secret(std::move(pages));
}

void wipe(std::string& text) {
  ::explicit_bzero(text.data(), text.size());
  text.clear();
}

void forbid_dumps() {
  if (::prctl(PR_SET_DUMPABLE, 0) != 0) throw Error::from_errno("protecting", "the memory of this process");
}

std::string_view Secret::text() const { return {static_cast<const char*>(pages_->bytes), pages_->size}; }

}  // namespace hearth
