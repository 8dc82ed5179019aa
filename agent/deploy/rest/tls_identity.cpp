#include "agent/deploy/rest/tls_identity.hpp"

#include <openssl/bio.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <array>
#include <limits>

#include "base/error.hpp"
#include "base/net/look_up.hpp"
#include "base/sys/random.hpp"
#include "base/text.hpp"

namespace hearth::agent::deploy {

namespace {

constexpr const char* k_from = "20000101000000Z";
constexpr const char* k_until = "20491231235959Z";  // the last year that RFC 5280 writes with two digits
constexpr const char* k_name = "hearth-agent";

void check(bool good, const char* what) {
  if (good) return;
  const char* reason = ::ERR_reason_error_string(::ERR_peek_last_error());
  throw Error(ErrorKind::io,
              cat("making this agent's certificate: ", what, " failed", reason == nullptr ? "" : cat(": ", reason)));
}

/// The public key goes in as its parts: this program's OpenSSL has no encoders of keys.
void set_public_key(X509* certificate, EVP_PKEY* key) {
  std::array<unsigned char, 256> point{};
  std::size_t size = 0;
  check(::EVP_PKEY_get_octet_string_param(key, OSSL_PKEY_PARAM_PUB_KEY, point.data(), point.size(), &size) == 1,
        "reading the key");
  auto* bytes = static_cast<unsigned char*>(::OPENSSL_memdup(point.data(), size));
  const bool good =
      bytes != nullptr &&
      ::X509_PUBKEY_set0_param(::X509_get_X509_PUBKEY(certificate), ::OBJ_nid2obj(NID_X9_62_id_ecPublicKey),
                               V_ASN1_OBJECT, ::OBJ_nid2obj(NID_X9_62_prime256v1), bytes, static_cast<int>(size)) == 1;
  if (!good) ::OPENSSL_free(bytes);
  check(good, "setting the key");
}

void add_host(X509* certificate, const std::string& host) {
  const std::unique_ptr<GENERAL_NAMES, void (*)(GENERAL_NAMES*)> names(::GENERAL_NAMES_new(), ::GENERAL_NAMES_free);
  GENERAL_NAME* name = ::GENERAL_NAME_new();
  check(names && name != nullptr && sk_GENERAL_NAME_push(names.get(), name) > 0, "a name");
  if (is_address(host)) {
    ASN1_OCTET_STRING* address = ::a2i_IPADDRESS(host.c_str());
    check(address != nullptr, "reading the address");
    ::GENERAL_NAME_set0_value(name, GEN_IPADD, address);
  } else {
    ASN1_IA5STRING* text = ::ASN1_IA5STRING_new();
    check(text != nullptr && ::ASN1_STRING_set(text, host.data(), static_cast<int>(host.size())) == 1, "the name");
    ::GENERAL_NAME_set0_value(name, GEN_DNS, text);
  }
  check(::X509_add1_ext_i2d(certificate, NID_subject_alt_name, names.get(), 1, X509V3_ADD_DEFAULT) == 1, "the host");
}

/// It is its own authority, and none below it.
void add_constraints(X509* certificate) {
  const std::unique_ptr<BASIC_CONSTRAINTS, void (*)(BASIC_CONSTRAINTS*)> constraints(::BASIC_CONSTRAINTS_new(),
                                                                                     ::BASIC_CONSTRAINTS_free);
  check(constraints != nullptr, "memory");
  constraints->ca = 0xff;
  constraints->pathlen = ::ASN1_INTEGER_new();
  check(constraints->pathlen != nullptr && ::ASN1_INTEGER_set(constraints->pathlen, 0) == 1, "memory");
  check(::X509_add1_ext_i2d(certificate, NID_basic_constraints, constraints.get(), 1, X509V3_ADD_DEFAULT) == 1,
        "the constraints");
}

void set_serial(X509* certificate) {
  std::uint64_t serial = 0;
  for (const char digit : random_hex(8))
    serial = serial << 4U | static_cast<std::uint64_t>(digit <= '9' ? digit - '0' : digit - 'a' + 10);
  check(::ASN1_INTEGER_set_uint64(::X509_get_serialNumber(certificate), serial >> 1U | 1U) == 1, "the number");
}

/// Read from its bytes, a certificate knows its key, which set_public_key() alone does not tell it.
X509* read_again(X509* made) {
  unsigned char* bytes = nullptr;
  const int size = ::i2d_X509(made, &bytes);
  check(size > 0, "encoding");
  const unsigned char* at = bytes;
  X509* certificate = ::d2i_X509(nullptr, &at, size);
  ::OPENSSL_free(bytes);
  check(certificate != nullptr, "reading it again");
  return certificate;
}

X509* made_certificate(EVP_PKEY* key, const std::string& host) {
  std::unique_ptr<X509, void (*)(X509*)> made(::X509_new(), ::X509_free);
  X509* const raw = made.get();
  check(raw != nullptr && ::X509_set_version(raw, X509_VERSION_3) == 1, "a certificate");
  set_serial(raw);
  check(::ASN1_TIME_set_string_X509(::X509_getm_notBefore(raw), k_from) == 1 &&
            ::ASN1_TIME_set_string_X509(::X509_getm_notAfter(raw), k_until) == 1,
        "the dates");
  set_public_key(raw, key);
  X509_NAME* const subject = ::X509_get_subject_name(raw);
  ::X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_UTF8, reinterpret_cast<const unsigned char*>(k_name), -1, -1, 0);
  check(::X509_set_issuer_name(raw, subject) == 1, "the name");
  add_host(raw, host);
  add_constraints(raw);
  check(::X509_sign(raw, key, ::EVP_sha256()) > 0, "signing");
  return read_again(raw);
}

}  // namespace

void TlsIdentity::Free::operator()(evp_pkey_st* key) const { ::EVP_PKEY_free(key); }
void TlsIdentity::Free::operator()(x509_st* certificate) const { ::X509_free(certificate); }
void TlsIdentity::Free::operator()(ssl_ctx_st* context) const { ::SSL_CTX_free(context); }
void TlsServed::Free::operator()(ssl_st* ssl) const { ::SSL_free(ssl); }

TlsIdentity::TlsIdentity(const std::string& host) {
  ::OPENSSL_init_ssl(OPENSSL_INIT_NO_LOAD_CONFIG, nullptr);  // the build machine's openssl.cnf path means nothing here
  const bool bracketed = host.size() > 2 && host.front() == '[';
  key_.reset(EVP_EC_gen("P-256"));
  check(key_ != nullptr, "a key");
  certificate_.reset(made_certificate(key_.get(), bracketed ? host.substr(1, host.size() - 2) : host));
  context_.reset(::SSL_CTX_new(::TLS_server_method()));
  check(context_ && ::SSL_CTX_set_min_proto_version(context_.get(), TLS1_2_VERSION) == 1 &&
            ::SSL_CTX_use_certificate(context_.get(), certificate_.get()) == 1 &&
            ::SSL_CTX_use_PrivateKey(context_.get(), key_.get()) == 1,
        "using it");
}

std::string TlsIdentity::certificate() const {
  const std::unique_ptr<BIO, int (*)(BIO*)> memory(::BIO_new(::BIO_s_mem()), ::BIO_free);
  check(memory && ::PEM_write_bio_X509(memory.get(), certificate_.get()) == 1, "writing it");
  char* data = nullptr;
  const long size = BIO_get_mem_data(memory.get(), &data);
  return {data, static_cast<std::size_t>(size)};
}

TlsServed::TlsServed(const TlsIdentity& identity, int socket) : ssl_(::SSL_new(identity.context_.get())) {
  ::ERR_clear_error();
  if (!ssl_ || ::SSL_set_fd(ssl_.get(), socket) != 1) throw Error(ErrorKind::io, "setting up TLS: out of memory");
  if (::SSL_accept(ssl_.get()) == 1) return;
  const char* reason = ::ERR_reason_error_string(::ERR_peek_last_error());
  throw Error(ErrorKind::io, cat("setting up TLS with a client: ", reason == nullptr ? "it is gone" : reason));
}

std::size_t TlsServed::read(std::span<char> buffer) {
  std::size_t size = 0;
  return ::SSL_read_ex(ssl_.get(), buffer.data(), buffer.size(), &size) == 1 ? size : 0;
}

bool TlsServed::write(std::string_view bytes) {
  std::size_t size = 0;
  return bytes.empty() || ::SSL_write_ex(ssl_.get(), bytes.data(), bytes.size(), &size) == 1;
}

void TlsServed::close() { ::SSL_shutdown(ssl_.get()); }

}  // namespace hearth::agent::deploy
