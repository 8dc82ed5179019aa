#include "bootstrap/power/console_part.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "base/sys/fd.hpp"
#include "base/utf8.hpp"

namespace hearth::bootstrap {

namespace {

/// Without a character at its end of which only the beginning has come.
std::string_view whole_characters(std::string_view text) {
  for (std::size_t rest = 1; rest < 4 && rest <= text.size(); ++rest) {
    const std::string_view tail = text.substr(text.size() - rest);
    const auto lead = static_cast<unsigned char>(tail.front());
    if (lead < 0x80) break;
    if (lead < 0xc0) continue;
    const std::size_t needed = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    const DecodedCharacter character = decode_utf8(tail);
    const bool begun = lead < 0xf5 && rest < needed && !character.valid && character.length == rest;
    return begun ? text.substr(0, text.size() - rest) : text;
  }
  return text;
}

/// How many bytes at the start continue a character that began before.
std::size_t continued(std::string_view text) {
  std::size_t count = 0;
  while (count < 3 && count < text.size() && (static_cast<unsigned char>(text[count]) & 0xc0U) == 0x80U) ++count;
  return count;
}

/// `torn`: its first character may have begun before.
Json part_of(std::string_view bytes, std::uint64_t begin, bool torn) {
  std::string_view text = whole_characters(bytes);
  if (torn) {
    const std::size_t cut = continued(text);
    text.remove_prefix(cut);
    begin += cut;
  }
  return {{"from", begin}, {"end", begin + text.size()}, {"text", replace_invalid_utf8(text)}};
}

}  // namespace

bool is_console_file(const fs::path& file) {
  boost::system::error_code fault;
  return fs::is_regular_file(fs::symlink_status(file, fault));
}

std::optional<Json> console_part(const fs::path& file, std::optional<std::uint64_t> from) {
  if (!is_console_file(file)) return std::nullopt;
  const Fd opened = Fd::open(file.string(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  struct stat status {};
  if (::fstat(opened.get(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  const auto size = static_cast<std::uint64_t>(status.st_size);
  const bool goes_on = from && *from <= size;
  const std::uint64_t begin = goes_on ? *from : size - std::min<std::uint64_t>(size, k_console_part);
  std::string room(static_cast<std::size_t>(std::min<std::uint64_t>(size - begin, k_console_part)), '\0');
  const ssize_t got = ::pread(opened.get(), room.data(), room.size(), static_cast<off_t>(begin));
  room.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  return part_of(room, begin, !goes_on && begin > 0);
}

Json console_part(std::string_view kept, std::uint64_t begin, std::optional<std::uint64_t> from) {
  const bool goes_on = from && *from >= begin && *from <= begin + kept.size();
  const std::uint64_t cut = goes_on ? *from - begin : kept.size() - std::min(kept.size(), k_console_part);
  return part_of(kept.substr(cut, k_console_part), begin + cut, !goes_on && begin + cut > 0);
}

}  // namespace hearth::bootstrap
