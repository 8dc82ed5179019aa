#include "base/certificate.hpp"

#include <openssl/ec.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/text.hpp"

namespace hearth {

namespace {

struct FreeBio {
  void operator()(BIO* bio) const { ::BIO_free(bio); }
};
using Memory = std::unique_ptr<BIO, FreeBio>;

void require_made(bool good, std::string_view what) {
  if (!good) throw Error(ErrorKind::io, cat("making a certificate: ", what, " failed"));
}

Memory memory_of(std::string_view text) {
  return Memory(::BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

std::string text_in(BIO* memory) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(memory, &data);
  return {data, static_cast<std::size_t>(size)};
}

void extend(X509* certificate, X509* issuer, int nid, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  ::X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  X509_EXTENSION* const extension = ::X509V3_EXT_conf_nid(nullptr, &context, nid, value.c_str());
  const bool added = extension != nullptr && ::X509_add_ext(certificate, extension, -1) == 1;
  ::X509_EXTENSION_free(extension);
  require_made(added, value);
}

/// Positive, as RFC 5280 asks, and never short: nobody foretells it.
void number(X509* certificate) {
  std::uint64_t serial = 0;
  require_made(::RAND_bytes(reinterpret_cast<unsigned char*>(&serial), sizeof serial) == 1, "a random number");
  serial = (serial >> 2U) | (std::uint64_t{1} << 62U);
  require_made(::ASN1_INTEGER_set_uint64(::X509_get_serialNumber(certificate), serial) == 1, "the serial number");
}

void set_validity(X509* certificate, const CertificateFields& fields) {
  require_made(::ASN1_TIME_set(::X509_getm_notBefore(certificate), unix_seconds(fields.from)) != nullptr,
               "its first second");
  ASN1_TIME* const end = ::X509_getm_notAfter(certificate);
  require_made(fields.until == WallTime::max() ? ::ASN1_TIME_set_string(end, "99991231235959Z") == 1
                                               : ::ASN1_TIME_set(end, unix_seconds(fields.until)) != nullptr,
               "its last second");
}

}  // namespace

void FreeCertificate::operator()(evp_pkey_st* key) const { ::EVP_PKEY_free(key); }
void FreeCertificate::operator()(x509_st* certificate) const { ::X509_free(certificate); }

PrivateKey make_key() {
  PrivateKey key(EVP_EC_gen("P-256"));
  require_made(key != nullptr, "a key");
  return key;
}

Certificate make_certificate(const CertificateFields& fields, evp_pkey_st* key, Issuer issuer) {
  Certificate made(::X509_new());
  require_made(made != nullptr, "a certificate");
  X509* const certificate = made.get();
  X509* const signer = issuer.certificate == nullptr ? certificate : issuer.certificate;
  ::X509_set_version(certificate, X509_VERSION_3);
  number(certificate);
  set_validity(certificate, fields);
  const std::string common = fields.name.substr(0, 64);
  require_made(::X509_NAME_add_entry_by_txt(::X509_get_subject_name(certificate), "CN", MBSTRING_UTF8,
                                            reinterpret_cast<const unsigned char*>(common.c_str()), -1, -1, 0) == 1 &&
                   ::X509_set_issuer_name(certificate, ::X509_get_subject_name(signer)) == 1 &&
                   ::X509_set_pubkey(certificate, key) == 1,
               "its names");
  for (const auto& [nid, value] : fields.extensions) extend(certificate, signer, nid, value);
  require_made(::X509_sign(certificate, issuer.key, ::EVP_sha256()) > 0, "signing");
  return made;
}

PrivateKey read_key(std::string_view pem) {
  return PrivateKey(::PEM_read_bio_PrivateKey(memory_of(pem).get(), nullptr, nullptr, nullptr));
}

PublicKey read_public_key(std::string_view pem) {
  return PublicKey(::PEM_read_bio_PUBKEY(memory_of(pem).get(), nullptr, nullptr, nullptr));
}

Certificate read_certificate(std::string_view pem) {
  return Certificate(::PEM_read_bio_X509(memory_of(pem).get(), nullptr, nullptr, nullptr));
}

std::string pem_of(evp_pkey_st* key) {
  const Memory memory(::BIO_new(::BIO_s_mem()));
  require_made(memory && ::PEM_write_bio_PrivateKey(memory.get(), key, nullptr, nullptr, 0, nullptr, nullptr) == 1,
               "writing the key");
  return text_in(memory.get());
}

std::string pem_of(x509_st* certificate) {
  const Memory memory(::BIO_new(::BIO_s_mem()));
  require_made(memory && ::PEM_write_bio_X509(memory.get(), certificate) == 1, "writing it");
  return text_in(memory.get());
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

}  // namespace hearth
