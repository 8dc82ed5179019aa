#include "bootstrap/conductor/agent_log.hpp"

#include <archive.h>
#include <archive_entry.h>

#include <array>
#include <memory>

#include "base/text.hpp"

namespace hearth::bootstrap {

namespace {

constexpr std::size_t k_of_a_file = std::size_t{256} << 10U;  ///< its end
constexpr std::size_t k_of_all = std::size_t{1} << 20U;
constexpr std::uint64_t k_unpacked = std::uint64_t{16} << 20U;  ///< more than that is no log

struct Free {
  void operator()(archive* reader) const { ::archive_read_free(reader); }
};
using Reader = std::unique_ptr<archive, Free>;

/// The end of an entry, from the beginning of a line on; `unpacked` counts all bytes.
std::string end_of(archive* reader, std::uint64_t& unpacked) {
  std::string text;
  std::array<char, 65536> buffer{};
  bool cut = false;
  while (unpacked <= k_unpacked) {
    const la_ssize_t got = ::archive_read_data(reader, buffer.data(), buffer.size());
    if (got <= 0) break;
    unpacked += static_cast<std::uint64_t>(got);
    text.append(buffer.data(), static_cast<std::size_t>(got));
    if (text.size() <= 2 * k_of_a_file) continue;
    text.erase(0, text.size() - k_of_a_file);
    cut = true;
  }
  if (text.size() > k_of_a_file) {
    text.erase(0, text.size() - k_of_a_file);
    cut = true;
  }
  const std::size_t line = cut ? text.find('\n') : std::string::npos;
  return line == std::string::npos ? text : text.substr(line + 1);
}

/// Terminals and pages get no control characters from a machine that is not ours.
std::string harmless(std::string text) {
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < ' ' && c != '\n' && c != '\t') c = ' ';
  }
  return text;
}

std::string ended(std::string text) {
  if (!text.empty() && text.back() != '\n') text += "\n";
  return text;
}

}  // namespace

std::string agent_log_text(std::string_view bytes) {
  const Reader reader(::archive_read_new());
  ::archive_read_support_filter_gzip(reader.get());
  ::archive_read_support_format_tar(reader.get());
  int code = ::archive_read_open_memory(reader.get(), bytes.data(), bytes.size());
  std::string text;
  std::uint64_t unpacked = 0;
  archive_entry* entry = nullptr;
  while (code == ARCHIVE_OK && text.size() < k_of_all && unpacked <= k_unpacked) {
    code = ::archive_read_next_header(reader.get(), &entry);
    if (code == ARCHIVE_EOF) return text;
    if (code != ARCHIVE_OK && code != ARCHIVE_WARN) break;
    code = ARCHIVE_OK;
    const char* name = ::archive_entry_pathname(entry);
    const std::string content = end_of(reader.get(), unpacked);
    text += cat("==> ", harmless(name == nullptr ? "?" : name), " <==\n", ended(harmless(content)));
  }
  const char* why = ::archive_error_string(reader.get());
  return cat(text, "==> the rest can't be read: ", harmless(why == nullptr ? "it is too long" : why), " <==\n");
}

}  // namespace hearth::bootstrap
