#include "builder/packing/checksums.hpp"

#include <unistd.h>

#include <future>

#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"

namespace hearth::builder {

namespace {

constexpr std::size_t k_chunk = std::size_t{4} << 20U;

std::size_t read_at(const Fd& file, std::string& buffer, std::uint64_t offset) {
  while (true) {
    const ssize_t got = ::pread(file.get(), buffer.data(), buffer.size(), static_cast<off_t>(offset));
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno != EINTR) throw Error::from_errno("reading", "the image for its checksum");
  }
}

}  // namespace

std::string checksum_extension(HashKind kind) {
  if (kind == HashKind::md5) return ".md5";
  return kind == HashKind::sha512 ? ".sha512" : ".sha256";
}

std::vector<std::string> digests_of(const Fd& file, const std::vector<HashKind>& kinds) {
  if (kinds.empty()) return {};
  std::vector<Hasher> hashers;
  for (const HashKind kind : kinds) hashers.emplace_back(kind);
  std::string buffer(k_chunk, '\0');
  for (std::uint64_t offset = 0;;) {
    const std::size_t got = read_at(file, buffer, offset);
    if (got == 0) break;
    offset += got;
    const std::string_view bytes = std::string_view(buffer).substr(0, got);
    std::vector<std::future<void>> others;  // one digest a thread: MD5 alone takes as long as the two others
    for (std::size_t i = 1; i < hashers.size(); ++i) {
      others.push_back(std::async(std::launch::async, [&hashers, i, bytes] { hashers[i].update(bytes); }));
    }
    hashers.front().update(bytes);
    for (std::future<void>& other : others) other.get();
  }
  std::vector<std::string> digests;
  for (Hasher& hasher : hashers) digests.push_back(hasher.hex_digest());
  return digests;
}

std::string checksum_line(const fs::path& file, const std::string& digest) {
  return cat(digest, "  ", file.filename().string(), "\n");
}

void write_checksum_files(const fs::path& file, const std::vector<HashKind>& kinds,
                          const std::vector<std::string>& digests) {
  RealFileSystem files;
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    files.write(file.string() + checksum_extension(kinds[i]), checksum_line(file, digests[i]), {});
  }
}

}  // namespace hearth::builder
