#include "builder/packages/packed_text.hpp"

#include <archive.h>

#include <memory>
#include <vector>

namespace hearth::builder {

std::optional<std::string> unpacked_text(std::string_view bytes, std::size_t limit) {
  struct Free {
    void operator()(archive* reader) const { ::archive_read_free(reader); }
  };
  if (bytes.empty()) return "";
  const std::unique_ptr<archive, Free> reader(::archive_read_new());
  // Not "all": some of those start programs.
  ::archive_read_support_filter_xz(reader.get());
  ::archive_read_support_filter_gzip(reader.get());
  ::archive_read_support_filter_bzip2(reader.get());
  ::archive_read_support_filter_zstd(reader.get());
  ::archive_read_support_filter_lz4(reader.get());
  ::archive_read_support_format_raw(reader.get());
  ::archive_read_support_format_empty(reader.get());
  ::archive_entry* entry = nullptr;
  if (::archive_read_open_memory(reader.get(), bytes.data(), bytes.size()) != ARCHIVE_OK) return std::nullopt;
  const int header = ::archive_read_next_header(reader.get(), &entry);
  if (header == ARCHIVE_EOF) return "";
  if (header != ARCHIVE_OK) return std::nullopt;
  std::string text;
  std::vector<char> buffer(std::size_t{1} << 20U);
  while (true) {
    const la_ssize_t got = ::archive_read_data(reader.get(), buffer.data(), buffer.size());
    if (got < 0) return std::nullopt;
    if (got == 0) return text;
    if (text.size() + static_cast<std::size_t>(got) > limit) return std::nullopt;
    text.append(buffer.data(), static_cast<std::size_t>(got));
  }
}

}  // namespace hearth::builder
