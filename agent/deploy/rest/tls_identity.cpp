#include "agent/deploy/rest/tls_identity.hpp"

#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>
#include <gnutls/x509.h>
#include <netinet/in.h>

#include <array>
#include <cerrno>
#include <type_traits>

#include "base/error.hpp"
#include "base/gnutls/start.hpp"
#include "base/net/look_up.hpp"
#include "base/text.hpp"

namespace hearth::agent::deploy {

namespace {

constexpr std::time_t k_from = 946684800;    // 2000-01-01
constexpr std::time_t k_until = 2524607999;  // 2049-12-31, the last year that RFC 5280 writes with two digits
constexpr std::string_view k_name = "hearth-agent";
constexpr const char* k_identity_priorities = "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2";

int made(int result, const char* what) { return check_gnutls(result, cat("making this agent's certificate: ", what)); }

struct FreeIdentity {
  void operator()(std::remove_pointer_t<gnutls_x509_privkey_t>* key) const { ::gnutls_x509_privkey_deinit(key); }
  void operator()(std::remove_pointer_t<gnutls_x509_crt_t>* certificate) const {
    ::gnutls_x509_crt_deinit(certificate);
  }
  void operator()(std::remove_pointer_t<gnutls_certificate_credentials_t>* credentials) const {
    ::gnutls_certificate_free_credentials(credentials);
  }
  void operator()(std::remove_pointer_t<gnutls_session_t>* session) const { ::gnutls_deinit(session); }
};
template <class Handle>
using Owned = std::unique_ptr<std::remove_pointer_t<Handle>, FreeIdentity>;

Owned<gnutls_x509_privkey_t> made_key() {
  gnutls_x509_privkey_t key = nullptr;
  made(::gnutls_x509_privkey_init(&key), "a key");
  Owned<gnutls_x509_privkey_t> owned(key);
  made(::gnutls_x509_privkey_generate(key, GNUTLS_PK_ECDSA, GNUTLS_CURVE_TO_BITS(GNUTLS_ECC_CURVE_SECP256R1), 0),
       "a key");
  return owned;
}

void set_serial(gnutls_x509_crt_t certificate) {
  std::array<unsigned char, 8> serial{};
  made(::gnutls_rnd(GNUTLS_RND_NONCE, serial.data(), serial.size()), "the number");
  serial.front() = static_cast<unsigned char>((serial.front() & 0x3fU) | 0x40U);  // positive, without leading zeros
  made(::gnutls_x509_crt_set_serial(certificate, serial.data(), serial.size()), "the number");
}

void set_host(gnutls_x509_crt_t certificate, const std::string& host) {
  gnutls_x509_subject_alt_name_t kind = GNUTLS_SAN_DNSNAME;
  std::string name = host;
  if (is_address(host)) {
    kind = GNUTLS_SAN_IPADDRESS;
    name = address_bytes(host);
  }
  made(::gnutls_x509_crt_set_subject_alt_name(certificate, kind, name.data(), static_cast<unsigned>(name.size()),
                                              GNUTLS_FSAN_SET),
       "the host");
}

/// It is its own authority, and none below it.
void set_constraints(gnutls_x509_crt_t certificate) {
  std::array<unsigned char, 64> id{};
  std::size_t size = id.size();
  made(::gnutls_x509_crt_set_basic_constraints(certificate, 1, 0), "the constraints");
  made(::gnutls_x509_crt_set_key_usage(certificate, GNUTLS_KEY_DIGITAL_SIGNATURE | GNUTLS_KEY_KEY_CERT_SIGN),
       "the usage");
  made(::gnutls_x509_crt_get_key_id(certificate, 0, id.data(), &size), "the key's id");
  made(::gnutls_x509_crt_set_subject_key_id(certificate, id.data(), size), "the key's id");
}

Owned<gnutls_x509_crt_t> made_certificate(gnutls_x509_privkey_t key, const std::string& host) {
  gnutls_x509_crt_t raw = nullptr;
  made(::gnutls_x509_crt_init(&raw), "a certificate");
  Owned<gnutls_x509_crt_t> certificate(raw);
  made(::gnutls_x509_crt_set_version(raw, 3), "the version");
  set_serial(raw);
  made(::gnutls_x509_crt_set_activation_time(raw, k_from), "the dates");
  made(::gnutls_x509_crt_set_expiration_time(raw, k_until), "the dates");
  made(::gnutls_x509_crt_set_dn_by_oid(raw, GNUTLS_OID_X520_COMMON_NAME, 0, k_name.data(), k_name.size()), "the name");
  made(::gnutls_x509_crt_set_key(raw, key), "setting the key");
  set_host(raw, host);
  set_constraints(raw);
  made(::gnutls_x509_crt_sign2(raw, raw, key, GNUTLS_DIG_SHA256, 0), "signing");
  return certificate;
}

std::string pem_of(gnutls_x509_crt_t certificate) {
  gnutls_datum_t pem{};
  made(::gnutls_x509_crt_export2(certificate, GNUTLS_X509_FMT_PEM, &pem), "writing it");
  std::string text(reinterpret_cast<const char*>(pem.data), pem.size);
  ::gnutls_free(pem.data);
  return text;
}

}  // namespace

struct TlsIdentity::Credentials {
  Owned<gnutls_certificate_credentials_t> owned;
};

struct TlsServed::Session {
  std::shared_ptr<const TlsIdentity::Credentials> credentials;  // the session uses them
  Owned<gnutls_session_t> owned;
};

TlsIdentity::TlsIdentity(const std::string& host) {
  start_gnutls();
  const bool bracketed = host.size() > 2 && host.front() == '[';
  const Owned<gnutls_x509_privkey_t> key = made_key();
  const Owned<gnutls_x509_crt_t> certificate =
      made_certificate(key.get(), bracketed ? host.substr(1, host.size() - 2) : host);
  pem_ = pem_of(certificate.get());
  gnutls_certificate_credentials_t raw = nullptr;
  made(::gnutls_certificate_allocate_credentials(&raw), "using it");
  const auto credentials = std::make_shared<Credentials>();
  credentials->owned.reset(raw);
  gnutls_x509_crt_t chain = certificate.get();
  made(::gnutls_certificate_set_x509_key(raw, &chain, 1, key.get()), "using it");
  credentials_ = credentials;
}

std::string TlsIdentity::certificate() const { return pem_; }

TlsServed::TlsServed(const TlsIdentity& identity, int socket) : session_(std::make_unique<Session>()) {
  constexpr const char* setting_up = "setting up TLS with a client";
  gnutls_session_t raw = nullptr;
  check_gnutls(::gnutls_init(&raw, GNUTLS_SERVER | GNUTLS_NO_SIGNAL), setting_up);
  session_->credentials = identity.credentials_;
  session_->owned.reset(raw);
  check_gnutls(::gnutls_priority_set_direct(raw, k_identity_priorities, nullptr), setting_up);
  check_gnutls(::gnutls_credentials_set(raw, GNUTLS_CRD_CERTIFICATE, identity.credentials_->owned.get()), setting_up);
  ::gnutls_transport_set_int(raw, socket);
  int result = 0;
  do {
    result = ::gnutls_handshake(raw);  // "again" is the socket's time limit
  } while (result < 0 && result != GNUTLS_E_AGAIN && ::gnutls_error_is_fatal(result) == 0);
  check_gnutls(result, setting_up);
}

TlsServed::TlsServed(TlsServed&&) noexcept = default;
TlsServed& TlsServed::operator=(TlsServed&&) noexcept = default;
TlsServed::~TlsServed() = default;

std::size_t TlsServed::read(std::span<char> buffer) {
  ssize_t got = 0;
  do {
    got = ::gnutls_record_recv(session_->owned.get(), buffer.data(), buffer.size());
  } while (got == GNUTLS_E_INTERRUPTED);
  return got > 0 ? static_cast<std::size_t>(got) : 0;
}

bool TlsServed::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t put = ::gnutls_record_send(session_->owned.get(), bytes.data(), bytes.size());
    if (put < 0 && put != GNUTLS_E_INTERRUPTED) return false;
    if (put > 0) bytes.remove_prefix(static_cast<std::size_t>(put));
  }
  return true;
}

void TlsServed::close() { ::gnutls_bye(session_->owned.get(), GNUTLS_SHUT_WR); }

}  // namespace hearth::agent::deploy
