#include "builder/qcow2/known_clusters.hpp"

#include <fcntl.h>
#include <isa-l.h>
#include <libdeflate.h>
#include <openssl/evp.h>
#include <openssl/rand.h>
#include <unistd.h>
#include <zstd.h>

#include <algorithm>
#include <cstring>

#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"
#include "builder/qcow2/disk_format.hpp"

namespace hearth::builder::qcow2 {

namespace {

constexpr std::size_t k_record = sizeof(Mark) * 2 + sizeof(std::uint64_t) + sizeof(std::uint32_t);

/// Other codecs, and other versions of their libraries, make other bytes.
std::string heading(Compression compression) {
  return cat("hearth clusters 1, codec ", static_cast<int>(compression), ", isa-l ", ISAL_MAJOR_VERSION, ".",
             ISAL_MINOR_VERSION, ".", ISAL_PATCH_VERSION, ", libdeflate ", LIBDEFLATE_VERSION_STRING, ", zstd ",
             ZSTD_versionString(), "\n");
}

template <typename T>
void append_bytes(std::string& out, const T& value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

template <typename T>
void take(std::string_view& bytes, T& value) {
  std::memcpy(&value, bytes.data(), sizeof value);
  bytes.remove_prefix(sizeof value);
}

void append_bytes(std::string& out, const KnownCluster& cluster) {
  append_bytes(out, cluster.cluster);
  append_bytes(out, cluster.packed);
  append_bytes(out, cluster.offset);
  append_bytes(out, cluster.length);
}

KnownCluster take_cluster(std::string_view& bytes) {
  KnownCluster cluster;
  take(bytes, cluster.cluster);
  take(bytes, cluster.packed);
  take(bytes, cluster.offset);
  take(bytes, cluster.length);
  return cluster;
}

bool by_mark(const KnownCluster& one, const KnownCluster& other) { return one.cluster < other.cluster; }

MarkKey new_key() {
  MarkKey key{};
  if (::RAND_bytes(key.data(), static_cast<int>(key.size())) != 1) {
    throw Error(ErrorKind::io, "making a key: the system gives no random bytes");
  }
  return key;
}

bool read_exactly(const Fd& file, std::uint64_t offset, std::span<std::uint8_t> out) {
  while (!out.empty()) {
    const ssize_t got = ::pread(file.get(), out.data(), out.size(), static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    out = out.subspan(static_cast<std::size_t>(got));
    offset += static_cast<std::uint64_t>(got);
  }
  return true;
}

void check(bool worked) {
  if (!worked) throw Error(ErrorKind::io, "computing a GMAC with OpenSSL");
}

}  // namespace

struct Marker::Context {
  std::unique_ptr<EVP_CIPHER_CTX, decltype(&EVP_CIPHER_CTX_free)> cipher{EVP_CIPHER_CTX_new(), EVP_CIPHER_CTX_free};
};

Marker::Marker(const MarkKey& key) : context_(std::make_unique<Context>()) {
  static constexpr std::array<unsigned char, 12> nonce{};  // the marks stay with the key: nobody sees them
  check(::EVP_EncryptInit_ex(context_->cipher.get(), ::EVP_aes_128_gcm(), nullptr, key.data(), nonce.data()) == 1);
}

Marker::~Marker() = default;

Mark Marker::of(std::span<const std::uint8_t> bytes) {
  static constexpr std::array<unsigned char, 12> nonce{};
  EVP_CIPHER_CTX* const cipher = context_->cipher.get();
  Mark mark{};
  int length = 0;
  check(::EVP_EncryptInit_ex(cipher, nullptr, nullptr, nullptr, nonce.data()) == 1);
  check(::EVP_EncryptUpdate(cipher, nullptr, &length, bytes.data(), static_cast<int>(bytes.size())) == 1);
  check(::EVP_EncryptFinal_ex(cipher, mark.data(), &length) == 1);
  check(::EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_AEAD_GET_TAG, static_cast<int>(mark.size()), mark.data()) == 1);
  return mark;
}

KnownClusters KnownClusters::load(const fs::path& index, const fs::path& image, Compression compression) {
  KnownClusters known;
  known.key_ = new_key();
  try {
    const std::string text = RealFileSystem().read(index).value_or("");
    std::string_view bytes = text;
    const std::string expected = heading(compression);
    if (!bytes.starts_with(expected)) return known;
    bytes.remove_prefix(expected.size());
    if (bytes.size() < sizeof(MarkKey) || (bytes.size() - sizeof(MarkKey)) % k_record != 0) return known;
    known.image_ = Fd::open(image.string(), O_RDONLY);
    take(bytes, known.key_);
    while (!bytes.empty()) known.clusters_.push_back(take_cluster(bytes));
    std::sort(known.clusters_.begin(), known.clusters_.end(), by_mark);
  } catch (const Error&) {
    known.clusters_.clear();  // an image or index that can't be read is one that isn't there
  }
  return known;
}

const KnownCluster* KnownClusters::find(const Mark& cluster, std::span<std::uint8_t> room, Marker& marker) const {
  const auto [first, last] =
      std::equal_range(clusters_.begin(), clusters_.end(), KnownCluster{.cluster = cluster}, by_mark);
  for (auto at = first; at != last; ++at) {
    if (at->length == 0) return &*at;
    if (at->length > room.size() || at->length >= k_cluster) continue;
    const std::span<std::uint8_t> packed = room.first(at->length);
    if (read_exactly(image_, at->offset, packed) && marker.of(packed) == at->packed) return &*at;
  }
  return nullptr;
}

void save_index(const fs::path& index, Compression compression, const MarkKey& key,
                std::vector<KnownCluster> clusters) {
  std::sort(clusters.begin(), clusters.end(), by_mark);
  const auto same = [](const KnownCluster& one, const KnownCluster& other) { return one.cluster == other.cluster; };
  clusters.erase(std::unique(clusters.begin(), clusters.end(), same), clusters.end());
  std::string bytes = heading(compression);
  append_bytes(bytes, key);
  for (const KnownCluster& cluster : clusters) append_bytes(bytes, cluster);
  RealFileSystem().write(index, bytes, {.mode = 0600});
}

}  // namespace hearth::builder::qcow2
