#include "builder/output/checksums.hpp"

#include <fcntl.h>
#include <unistd.h>

#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"

namespace hearth::builder {

std::vector<HashKind> parse_checksums(std::string_view setting) {
  std::vector<HashKind> kinds;
  if (setting == "1" || setting.find("md5") != std::string_view::npos) kinds.push_back(HashKind::md5);
  if (setting == "1" || setting.find("sha256") != std::string_view::npos) kinds.push_back(HashKind::sha256);
  return kinds;
}

void write_checksums(const fs::path& file, const std::vector<HashKind>& kinds) {
  if (kinds.empty()) return;
  std::vector<Hasher> hashers;
  for (const HashKind kind : kinds) hashers.emplace_back(kind);
  const Fd input = Fd::open(file.string(), O_RDONLY);
  std::string buffer(std::size_t{1} << 20U, '\0');
  while (true) {
    const ssize_t got = ::read(input.get(), buffer.data(), buffer.size());
    if (got < 0) throw Error::from_errno("reading", file.string());
    if (got == 0) break;
    for (Hasher& hasher : hashers) hasher.update(std::string_view(buffer).substr(0, static_cast<std::size_t>(got)));
  }
  RealFileSystem files;
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    const char* const extension = kinds[i] == HashKind::md5 ? ".md5" : ".sha256";
    files.write(file.string() + extension, cat(hashers[i].hex_digest(), "  ", file.string(), "\n"), {});
  }
}

}  // namespace hearth::builder
