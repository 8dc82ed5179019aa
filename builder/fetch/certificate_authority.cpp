#include "builder/fetch/certificate_authority.hpp"

#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include "base/error.hpp"
#include "base/net/look_up.hpp"
#include "base/text.hpp"

namespace hearth::builder::fetch {

namespace {

void check(bool good, const char* what) {
  if (!good) throw Error(ErrorKind::io, cat("making a certificate: ", what, " failed"));
}

/// Whoever checks a chain finds the authority by its key, and asks for its rights.
CertificateFields fields_of(const std::string& name, std::vector<std::pair<int, std::string>> rights) {
  constexpr std::chrono::hours day{24};
  const WallTime now = SystemClock().wall();
  rights.insert(rights.begin(), {{NID_subject_key_identifier, "hash"}, {NID_authority_key_identifier, "keyid"}});
  return {.name = name,
          .extensions = std::move(rights),
          .from = now - day,  // clocks in sandboxes may be set back
          .until = now + 30 * day};
}

}  // namespace

void CertificateAuthority::FreeContext::operator()(ssl_ctx_st* context) const { SSL_CTX_free(context); }

CertificateAuthority::CertificateAuthority()
    : authority_key_(make_key()),
      authority_(make_certificate(
          fields_of("Hearth, for one build",
                    {{NID_basic_constraints, "critical,CA:TRUE,pathlen:0"}, {NID_key_usage, "critical,keyCertSign"}}),
          authority_key_.get(), {.key = authority_key_.get()})),
      server_key_(make_key()) {}

Certificate CertificateAuthority::issue(const std::string& host) const {
  // The name goes into OpenSSL's little language of extensions: nothing but what a host's name may hold.
  check(host.find_first_of(",;:\n\"\\ ") == std::string::npos || is_address(host), "reading the host's name");
  return make_certificate(fields_of(host, {{NID_basic_constraints, "critical,CA:FALSE"},
                                           {NID_ext_key_usage, "serverAuth"},
                                           {NID_subject_alt_name, cat(is_address(host) ? "IP:" : "DNS:", host)}}),
                          server_key_.get(), {authority_.get(), authority_key_.get()});
}

std::string CertificateAuthority::certificate() const { return pem_of(authority_.get()); }

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
