#include "base/net/own_identity.hpp"

#include <openssl/ec.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <array>
#include <memory>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"

namespace hearth {

namespace {

struct FreeIdentity {
  void operator()(X509* certificate) const { ::X509_free(certificate); }
  void operator()(EVP_PKEY* key) const { ::EVP_PKEY_free(key); }
  void operator()(X509_EXTENSION* extension) const { ::X509_EXTENSION_free(extension); }
  void operator()(BIO* bio) const { ::BIO_free(bio); }
};
template <class Handle>
using Owned = std::unique_ptr<Handle, FreeIdentity>;

void made(bool good, const char* what) {
  if (!good) throw Error(ErrorKind::io, cat("making a certificate: ", what));
}

Owned<BIO> memory_of(const std::string& text) {
  return Owned<BIO>(::BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

std::string pem_text(BIO* bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio, &data);
  return {data, static_cast<std::size_t>(size)};
}

Owned<EVP_PKEY> kept_key(const fs::path& file) {
  RealFileSystem files;
  if (const std::optional<std::string> kept = files.read(file)) {
    Owned<EVP_PKEY> key(::PEM_read_bio_PrivateKey(memory_of(*kept).get(), nullptr, nullptr, nullptr));
    if (!key)
      throw Error(ErrorKind::input, cat(file.string(), " is no key (PEM)")).hint("Without it a new one is made.");
    if ((fs::status(file).permissions() & (fs::group_all | fs::others_all)) != fs::no_perms) {
      throw Error(ErrorKind::input, cat(file.string(), " is open to others than its owner: they may have the key"))
          .hint("chmod 600 keeps it where nobody has; without the file a new one is made.");
    }
    return key;
  }
  Owned<EVP_PKEY> key(EVP_EC_gen("P-256"));
  const Owned<BIO> pem(::BIO_new(::BIO_s_mem()));
  made(key && pem && ::PEM_write_bio_PrivateKey(pem.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr) == 1,
       "the key");
  files.write(file, pem_text(pem.get()), {.mode = 0600, .uid = {}, .gid = {}});
  return key;
}

void extend(X509* certificate, int what, const std::string& value) {
  const Owned<X509_EXTENSION> extension(::X509V3_EXT_conf_nid(nullptr, nullptr, what, value.c_str()));
  made(extension && ::X509_add_ext(certificate, extension.get(), -1) == 1, value.c_str());
}

std::string certificate_of(EVP_PKEY* key, const std::vector<std::string>& addresses) {
  const Owned<X509> made_one(::X509_new());
  X509* const certificate = made_one.get();
  std::array<unsigned char, 8> serial{};
  made(certificate != nullptr && ::RAND_bytes(serial.data(), serial.size()) == 1, "its number");
  serial.front() = static_cast<unsigned char>((serial.front() & 0x3fU) | 0x40U);  // positive, without leading zeros
  BIGNUM* number = ::BN_bin2bn(serial.data(), serial.size(), nullptr);
  ::BN_to_ASN1_INTEGER(number, ::X509_get_serialNumber(certificate));
  ::BN_free(number);
  ::X509_set_version(certificate, X509_VERSION_3);
  ::ASN1_TIME_set_string(::X509_getm_notBefore(certificate), "20000101000000Z");
  ::ASN1_TIME_set_string(::X509_getm_notAfter(certificate), "99991231235959Z");
  X509_NAME* name = ::X509_get_subject_name(certificate);
  made(::X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_UTF8, reinterpret_cast<const unsigned char*>("hearth"), -1, -1,
                                    0) == 1 &&
           ::X509_set_issuer_name(certificate, name) == 1 && ::X509_set_pubkey(certificate, key) == 1,
       "its names");
  extend(certificate, NID_basic_constraints, "critical,CA:TRUE,pathlen:0");
  extend(certificate, NID_key_usage, "critical,digitalSignature,keyCertSign");
  std::vector<std::string> names;
  for (const std::string& address : addresses) names.push_back(cat("IP:", address));
  if (!names.empty()) extend(certificate, NID_subject_alt_name, join(names, ","));
  const Owned<BIO> pem(::BIO_new(::BIO_s_mem()));
  made(::X509_sign(certificate, key, ::EVP_sha256()) > 0 && pem && ::PEM_write_bio_X509(pem.get(), certificate) == 1,
       "signing it");
  return pem_text(pem.get());
}

Owned<X509> read_certificate(const std::optional<std::string>& pem) {
  return Owned<X509>(pem ? ::PEM_read_bio_X509(memory_of(*pem).get(), nullptr, nullptr, nullptr) : nullptr);
}

bool serves(X509* certificate, EVP_PKEY* key, const std::vector<std::string>& addresses) {
  if (certificate == nullptr || ::X509_check_private_key(certificate, key) != 1) return false;
  return std::all_of(addresses.begin(), addresses.end(), [certificate](const std::string& address) {
    return ::X509_check_ip_asc(certificate, address.c_str(), 0) == 1;
  });
}

}  // namespace

TlsFiles own_identity(const fs::path& directory, const std::string& name, const std::vector<std::string>& addresses) {
  RealFileSystem files;
  const fs::path key_file = directory / cat(name, ".key");
  const fs::path certificate_file = directory / cat(name, ".pem");
  const Owned<EVP_PKEY> key = kept_key(key_file);
  if (!serves(read_certificate(files.read(certificate_file)).get(), key.get(), addresses))
    files.write(certificate_file, certificate_of(key.get(), addresses), {.mode = 0644, .uid = {}, .gid = {}});
  return {certificate_file.string(), key_file.string()};
}

std::string public_key_digest(const X509* certificate) {
  X509_PUBKEY* const key = certificate == nullptr ? nullptr : ::X509_get_X509_PUBKEY(certificate);
  const int size = key == nullptr ? -1 : ::i2d_X509_PUBKEY(key, nullptr);
  if (size < 0) return "";
  std::string der(static_cast<std::size_t>(size), '\0');
  auto* end = reinterpret_cast<unsigned char*>(der.data());
  ::i2d_X509_PUBKEY(key, &end);
  return hex_digest(HashKind::sha256, der);
}

std::string key_pin(const std::string& certificate_file) {
  const Owned<X509> certificate = read_certificate(RealFileSystem().read(certificate_file));
  std::string pin = public_key_digest(certificate.get());
  if (pin.empty())
    throw Error(ErrorKind::input, cat("reading the certificate in ", certificate_file, ": there is none"));
  return pin;
}

}  // namespace hearth
