#include "builder/fetch/certificate_authority.hpp"

#include <openssl/bio.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include "base/error.hpp"
#include "base/net/look_up.hpp"
#include "base/text.hpp"

namespace hearth::builder::fetch {

namespace {

constexpr long k_day_s = 86400;
constexpr const char* k_name = "Hearth, for one build";

void check(bool good, const char* what) {
  if (!good) throw Error(ErrorKind::io, cat("making a certificate: ", what, " failed"));
}

void extend(X509* certificate, X509* issuer, int nid, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  X509_EXTENSION* const extension = X509V3_EXT_conf_nid(nullptr, &context, nid, value.c_str());
  check(extension != nullptr, value.c_str());
  X509_add_ext(certificate, extension, -1);
  X509_EXTENSION_free(extension);
}

void number(X509* certificate) {
  std::uint64_t serial = 0;
  check(RAND_bytes(reinterpret_cast<unsigned char*>(&serial), sizeof serial) == 1, "a random number");
  check(ASN1_INTEGER_set_uint64(X509_get_serialNumber(certificate), serial >> 1U) == 1, "the serial number");
}

}  // namespace

void CertificateAuthority::FreeKey::operator()(evp_pkey_st* key) const { EVP_PKEY_free(key); }
void CertificateAuthority::FreeCertificate::operator()(x509_st* certificate) const { X509_free(certificate); }
void CertificateAuthority::FreeContext::operator()(ssl_ctx_st* context) const { SSL_CTX_free(context); }

CertificateAuthority::CertificateAuthority()
    : authority_key_(EVP_EC_gen("P-256")), authority_(nullptr), server_key_(EVP_EC_gen("P-256")) {
  check(authority_key_ && server_key_, "a key");
  authority_ = make(k_name, "", authority_key_);
}

/// Without `alternative`, the authority itself.
CertificateAuthority::Certificate CertificateAuthority::make(const std::string& name, const std::string& alternative,
                                                             const Key& key) const {
  Certificate made(X509_new());
  check(made != nullptr, "a certificate");
  X509* const raw = made.get();
  X509_set_version(raw, X509_VERSION_3);
  number(raw);
  X509_gmtime_adj(X509_getm_notBefore(raw), -k_day_s);  // clocks in sandboxes may be set back
  X509_gmtime_adj(X509_getm_notAfter(raw), 30 * k_day_s);
  X509_set_pubkey(raw, key.get());
  X509_NAME* const subject = X509_get_subject_name(raw);
  const std::string common = name.substr(0, 64);  // RFC 5280's upper bound; servers are known by the alternative name
  X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_UTF8, reinterpret_cast<const unsigned char*>(common.c_str()), -1,
                             -1, 0);
  X509* const issuer = alternative.empty() ? raw : authority_.get();
  X509_set_issuer_name(raw, X509_get_subject_name(issuer));
  extend(raw, issuer, NID_subject_key_identifier, "hash");
  extend(raw, issuer, NID_authority_key_identifier, "keyid");
  if (alternative.empty()) {
    extend(raw, issuer, NID_basic_constraints, "critical,CA:TRUE,pathlen:0");
    extend(raw, issuer, NID_key_usage, "critical,keyCertSign");
  } else {
    extend(raw, issuer, NID_basic_constraints, "critical,CA:FALSE");
    extend(raw, issuer, NID_ext_key_usage, "serverAuth");
    extend(raw, issuer, NID_subject_alt_name, alternative);
  }
  check(X509_sign(raw, authority_key_.get(), EVP_sha256()) > 0, "signing");
  return made;
}

CertificateAuthority::Certificate CertificateAuthority::issue(const std::string& host) const {
  // The name goes into OpenSSL's little language of extensions: nothing but what a host's name may hold.
  check(host.find_first_of(",;:\n\"\\ ") == std::string::npos || is_address(host), "reading the host's name");
  return make(host, cat(is_address(host) ? "IP:" : "DNS:", host), server_key_);
}

std::string CertificateAuthority::certificate() const {
  BIO* const memory = BIO_new(BIO_s_mem());
  PEM_write_bio_X509(memory, authority_.get());
  char* data = nullptr;
  const long size = BIO_get_mem_data(memory, &data);
  std::string text(data, static_cast<std::size_t>(size));
  BIO_free(memory);
  return text;
}

ssl_ctx_st& CertificateAuthority::context_for(const std::string& host) {
  const std::scoped_lock lock(mutex_);
  auto& context = contexts_[host];
  if (context) return *context;
  const Certificate server = issue(host);
  std::unique_ptr<ssl_ctx_st, FreeContext> made(SSL_CTX_new(TLS_server_method()));
  check(made && SSL_CTX_use_certificate(made.get(), server.get()) == 1, "using the certificate");
  check(SSL_CTX_use_PrivateKey(made.get(), server_key_.get()) == 1, "using the key");
  context = std::move(made);
  return *context;
}

}  // namespace hearth::builder::fetch
