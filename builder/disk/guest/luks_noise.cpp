#include "builder/disk/guest/luks_noise.hpp"

#include <fcntl.h>
#include <openssl/evp.h>

#include <array>
#include <memory>
#include <string>

#include "base/error.hpp"
#include "base/sys/fd.hpp"
#include "base/text.hpp"

namespace hearth::builder {

namespace {

constexpr std::uint64_t k_cost = std::uint64_t{1} << 17U;
constexpr std::uint64_t k_noise_block = 8;
constexpr std::uint64_t k_memory = std::uint64_t{256} << 20U;
constexpr std::size_t k_piece = std::size_t{1} << 20U;
constexpr std::size_t k_pieces = 24;  // LUKS2 fills up to 16 MiB of key slots

using StreamKey = std::array<unsigned char, 32>;

StreamKey stream_key(std::string_view key, std::string_view uuid) {
  const std::string salt = cat("hearth luks ", uuid);
  StreamKey out{};
  if (::EVP_PBE_scrypt(key.data(), key.size(), reinterpret_cast<const unsigned char*>(salt.data()), salt.size(), k_cost,
                       k_noise_block, 1, k_memory, out.data(), out.size()) != 1) {
    throw Error(ErrorKind::unsupported, "this OpenSSL does not offer scrypt with 128 MiB");
  }
  return out;
}

}  // namespace

void write_luks_noise(const fs::path& file, std::string_view key, std::string_view uuid) {
  const StreamKey secret = stream_key(key, uuid);
  const std::array<unsigned char, 16> start{};
  const std::unique_ptr<EVP_CIPHER_CTX, decltype(&::EVP_CIPHER_CTX_free)> cipher(::EVP_CIPHER_CTX_new(),
                                                                                 &::EVP_CIPHER_CTX_free);
  if (!cipher || ::EVP_EncryptInit_ex(cipher.get(), ::EVP_aes_256_ctr(), nullptr, secret.data(), start.data()) != 1) {
    throw Error(ErrorKind::unsupported, "this OpenSSL does not offer AES-256-CTR");
  }
  const Fd out = Fd::open(file.string(), O_WRONLY | O_CREAT | O_EXCL, 0600);
  const std::string zeros(k_piece, '\0');
  std::string piece(k_piece, '\0');
  for (std::size_t i = 0; i < k_pieces; ++i) {
    int size = 0;
    if (::EVP_EncryptUpdate(cipher.get(), reinterpret_cast<unsigned char*>(piece.data()), &size,
                            reinterpret_cast<const unsigned char*>(zeros.data()), static_cast<int>(k_piece)) != 1) {
      throw Error(ErrorKind::unsupported, "OpenSSL's AES-256-CTR failed");
    }
    write_all(out, piece, file.string());
  }
}

}  // namespace hearth::builder
