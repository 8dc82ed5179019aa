#include "bootstrap/page/console_part.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "base/sys/fd.hpp"
#include "base/utf8.hpp"

namespace hearth::bootstrap {

namespace {

constexpr std::uint64_t k_console_part = std::uint64_t{64} * 1024;

}  // namespace

fs::path console_file(const fs::path& state, const std::string& uuid) { return state / "qemu" / uuid / "console.log"; }

std::optional<Json> console_part(const fs::path& file, std::optional<std::uint64_t> from) {
  if (!fs::exists(file)) return std::nullopt;
  const Fd opened = Fd::open(file.string(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  struct stat status {};
  if (::fstat(opened.get(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  const auto size = static_cast<std::uint64_t>(status.st_size);
  const bool goes_on = from && *from <= size;
  const std::uint64_t begin = goes_on ? *from : size - std::min(size, k_console_part);
  std::string text(static_cast<std::size_t>(std::min(size - begin, k_console_part)), '\0');
  const ssize_t got = ::pread(opened.get(), text.data(), text.size(), static_cast<off_t>(begin));
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  return Json{{"from", begin}, {"end", begin + text.size()}, {"text", replace_invalid_utf8(text)}};
}

}  // namespace hearth::bootstrap
