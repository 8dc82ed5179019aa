// Digests of bytes and files, by OpenSSL's EVP interface.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/path.hpp"

namespace hearth {

enum class HashKind { md5, sha1, sha256, sha512 };

/// A running digest. Feed it, then take the digest once.
class Hasher {
 public:
  explicit Hasher(HashKind kind);
  Hasher(Hasher&&) noexcept;
  ~Hasher();
  void update(std::string_view bytes);
  /// Lower-case hexadecimal. The hasher is spent afterwards.
  [[nodiscard]] std::string hex_digest();

 private:
  struct Context;
  std::unique_ptr<Context> context_;
};

[[nodiscard]] std::string hex_digest(HashKind kind, std::string_view bytes);

}  // namespace hearth
