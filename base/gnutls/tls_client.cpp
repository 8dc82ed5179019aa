#include "base/net/tls_client.hpp"

#include <gnutls/gnutls.h>
#include <gnutls/x509.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <type_traits>
#include <vector>

#include "base/error.hpp"
#include "base/gnutls/start.hpp"
#include "base/hex.hpp"
#include "base/net/look_up.hpp"
#include "base/text.hpp"

namespace hearth {

namespace {

/// What OpenSSL takes at Debian's security level, 112 bits; CBC suites with SHA-2 are for servers that have nothing
/// better.
constexpr const char* k_priorities = "NORMAL:%PROFILE_MEDIUM:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2:+SHA256:+SHA384";

struct FreeGnutls {
  void operator()(std::remove_pointer_t<gnutls_certificate_credentials_t>* credentials) const {
    ::gnutls_certificate_free_credentials(credentials);
  }
  void operator()(std::remove_pointer_t<gnutls_session_t>* session) const { ::gnutls_deinit(session); }
  void operator()(std::remove_pointer_t<gnutls_x509_crt_t>* certificate) const {
    ::gnutls_x509_crt_deinit(certificate);
  }
};

struct Verdict {
  unsigned status;
  const char* reason;
};

/// The gravest first; in OpenSSL's words, which people look for.
constexpr Verdict k_verdicts[] = {
    {GNUTLS_CERT_REVOKED, "certificate revoked"},
    {GNUTLS_CERT_SIGNER_NOT_FOUND, "unable to get local issuer certificate"},
    {GNUTLS_CERT_SIGNER_NOT_CA, "invalid CA certificate"},
    {GNUTLS_CERT_SIGNATURE_FAILURE, "certificate signature failure"},
    {GNUTLS_CERT_INSECURE_ALGORITHM, "its key or signature is too weak"},
    {GNUTLS_CERT_EXPIRED, "certificate has expired"},
    {GNUTLS_CERT_NOT_ACTIVATED, "certificate is not yet valid"},
    {GNUTLS_CERT_PURPOSE_MISMATCH, "unsuitable certificate purpose"},
    {GNUTLS_CERT_SIGNER_CONSTRAINTS_FAILURE, "an issuer may not sign for this"},
    {GNUTLS_CERT_UNEXPECTED_OWNER, "hostname mismatch"},
};

using Certificate = std::unique_ptr<std::remove_pointer_t<gnutls_x509_crt_t>, FreeGnutls>;

/// The server's; null where it showed none that can be read.
Certificate shown_certificate(gnutls_session_t session) {
  unsigned count = 0;
  const gnutls_datum_t* chain = ::gnutls_certificate_get_peers(session, &count);
  gnutls_x509_crt_t made = nullptr;
  if (chain == nullptr || count == 0 || ::gnutls_x509_crt_init(&made) < 0) return nullptr;
  Certificate certificate(made);
  return ::gnutls_x509_crt_import(made, chain, GNUTLS_X509_FMT_DER) == 0 ? std::move(certificate) : nullptr;
}

bool is_self_signed(gnutls_session_t session) {
  const Certificate certificate = shown_certificate(session);
  return certificate && ::gnutls_x509_crt_check_issuer(certificate.get(), certificate.get()) != 0;
}

std::string verdict_on(gnutls_session_t session, bool by_address) {
  const unsigned status = ::gnutls_session_get_verify_cert_status(session);
  if ((status & GNUTLS_CERT_SIGNER_NOT_FOUND) != 0 && is_self_signed(session)) return "self-signed certificate";
  if (by_address && (status & ~unsigned{GNUTLS_CERT_INVALID}) == GNUTLS_CERT_UNEXPECTED_OWNER)
    return "IP address mismatch";
  for (const Verdict& verdict : k_verdicts) {
    if ((status & verdict.status) != 0) return verdict.reason;
  }
  return "it does not verify";
}

}  // namespace

struct TlsContext::Authorities {
  std::unique_ptr<std::remove_pointer_t<gnutls_certificate_credentials_t>, FreeGnutls> credentials;
};

struct TlsSession::State {
  [[nodiscard]] Wants wants_to() const {
    return ::gnutls_record_get_direction(session.get()) == 0 ? Wants::to_read : Wants::to_write;
  }
  /// Runs `operation` until it is done, waits or fails.
  template <class Operation>
  ssize_t repeat(Operation operation) {
    ssize_t result = 0;
    do {
      errno = 0;
      result = operation();
    } while (result < 0 && result != GNUTLS_E_AGAIN && ::gnutls_error_is_fatal(static_cast<int>(result)) == 0);
    return result;
  }
  [[nodiscard]] std::string reason(ssize_t result) const {
    if (result == GNUTLS_E_FATAL_ALERT_RECEIVED) {
      const char* alert = ::gnutls_alert_get_name(::gnutls_alert_get(session.get()));
      return cat("the server refuses: ", alert == nullptr ? "no reason" : alert);
    }
    const bool by_system = (result == GNUTLS_E_PULL_ERROR || result == GNUTLS_E_PUSH_ERROR) && errno != 0;
    return by_system ? ::strerror(errno) : ::gnutls_strerror(static_cast<int>(result));
  }

  std::shared_ptr<const TlsContext::Authorities> authorities;  // the session uses its credentials
  std::string name;                                            // as the certificate must have it: also an address
  std::vector<gnutls_typed_vdata_st> demands;
  std::unique_ptr<std::remove_pointer_t<gnutls_session_t>, FreeGnutls> session;
};

TlsContext::TlsContext(const std::vector<std::string>& ca_files) {
  start_gnutls();
  gnutls_certificate_credentials_t made = nullptr;
  check_gnutls(::gnutls_certificate_allocate_credentials(&made), "setting up TLS");
  const auto authorities = std::make_shared<Authorities>();
  authorities->credentials.reset(made);
  authorities_ = authorities;
  for (const std::string& file : ca_files) {
    const std::string reading = cat("reading the trusted certificates in ", file);
    const int count =
        check_gnutls(::gnutls_certificate_set_x509_trust_file(made, file.c_str(), GNUTLS_X509_FMT_PEM), reading);
    if (count == 0) throw Error(ErrorKind::io, cat(reading, ": there is none"));
  }
}

TlsSession::TlsSession(const TlsContext& context, const TlsPeer& peer, int socket)
    : peer_(peer), state_(std::make_unique<State>()) {
  constexpr const char* setting_up = "setting up TLS";
  gnutls_session_t made = nullptr;
  check_gnutls(::gnutls_init(&made, GNUTLS_CLIENT | GNUTLS_NONBLOCK | GNUTLS_NO_SIGNAL), setting_up);
  state_->session.reset(made);
  state_->authorities = context.authorities_;
  check_gnutls(::gnutls_priority_set_direct(made, k_priorities, nullptr), setting_up);
  check_gnutls(::gnutls_credentials_set(made, GNUTLS_CRD_CERTIFICATE, context.authorities_->credentials.get()),
               setting_up);
  ::gnutls_transport_set_int(made, socket);
  const std::string address = address_bytes(peer.host);
  state_->name = address.empty() ? peer.host : address;
  if (address.empty()) {
    check_gnutls(::gnutls_server_name_set(made, GNUTLS_NAME_DNS, peer.host.data(), peer.host.size()), setting_up);
  }
  if (!peer.verify || !peer.pin.empty()) return;
  static std::array<char, sizeof GNUTLS_KP_TLS_WWW_SERVER> server_purpose = std::to_array(GNUTLS_KP_TLS_WWW_SERVER);
  const gnutls_vdata_types_t kind = address.empty() ? GNUTLS_DT_DNS_HOSTNAME : GNUTLS_DT_IP_ADDRESS;
  auto* name = reinterpret_cast<unsigned char*>(state_->name.data());
  state_->demands = {{kind, name, static_cast<unsigned>(state_->name.size())},
                     {GNUTLS_DT_KEY_PURPOSE_OID, reinterpret_cast<unsigned char*>(server_purpose.data()), 0}};
  ::gnutls_session_set_verify_cert2(made, state_->demands.data(), static_cast<unsigned>(state_->demands.size()), 0);
}

TlsSession::TlsSession(TlsSession&&) noexcept = default;
TlsSession& TlsSession::operator=(TlsSession&&) noexcept = default;
TlsSession::~TlsSession() = default;

namespace {

gnutls_alert_description_t alert_for(unsigned status) {
  if ((status & (GNUTLS_CERT_EXPIRED | GNUTLS_CERT_NOT_ACTIVATED)) != 0) return GNUTLS_A_CERTIFICATE_EXPIRED;
  if ((status & (GNUTLS_CERT_SIGNER_NOT_FOUND | GNUTLS_CERT_SIGNER_NOT_CA)) != 0) return GNUTLS_A_UNKNOWN_CA;
  return GNUTLS_A_BAD_CERTIFICATE;
}

/// The server's people see why this machine does not come. Whether it arrives does not matter; but a socket that is
/// closed with bytes unread is reset, and the alert lost.
void tell_why(gnutls_session_t session) {
  (void)::gnutls_alert_send(session, GNUTLS_AL_FATAL, alert_for(::gnutls_session_get_verify_cert_status(session)));
  std::array<char, 4096> rest{};
  for (int i = 0; i < 16; ++i) {
    if (::recv(::gnutls_transport_get_int(session), rest.data(), rest.size(), MSG_DONTWAIT) <= 0) return;
  }
}

}  // namespace

TlsSession::Step TlsSession::shake_hands() {
  gnutls_session_t session = state_->session.get();
  const ssize_t result = state_->repeat([session] { return ::gnutls_handshake(session); });
  if (result >= 0) return {};
  if (result == GNUTLS_E_AGAIN) return {state_->wants_to()};
  if (result == GNUTLS_E_CERTIFICATE_VERIFICATION_ERROR || result == GNUTLS_E_CERTIFICATE_ERROR) {
    tell_why(session);
    throw Error(ErrorKind::input,
                cat("the certificate of ", peer_.host, " does not hold: ", verdict_on(session, is_address(peer_.host))))
        .hint("SSL_CERT_FILE names another file of trusted authorities");
  }
  const bool cut = result == GNUTLS_E_PREMATURE_TERMINATION;
  throw Error(ErrorKind::io, cat("setting up TLS with ", peer_.host, ": ",
                                 cut ? "the server closed the connection" : state_->reason(result)));
}

std::string TlsSession::peer_key() const {
  const Certificate certificate = shown_certificate(state_->session.get());
  std::array<unsigned char, 32> digest{};
  std::size_t size = digest.size();
  if (!certificate ||
      ::gnutls_x509_crt_get_key_id(certificate.get(), GNUTLS_KEYID_USE_SHA256, digest.data(), &size) < 0)
    return "";
  return to_hex({reinterpret_cast<const char*>(digest.data()), size});
}

/// TLS servers often end without a goodbye: whether the end was one is for the framing above to say.
TlsSession::Step TlsSession::read(std::span<char> buffer) {
  gnutls_session_t session = state_->session.get();
  const ssize_t result = state_->repeat([&] { return ::gnutls_record_recv(session, buffer.data(), buffer.size()); });
  if (result >= 0) return {Wants::nothing, static_cast<std::size_t>(result)};
  if (result == GNUTLS_E_AGAIN) return {state_->wants_to()};
  if (result == GNUTLS_E_PREMATURE_TERMINATION) return {};
  throw Error(ErrorKind::io, cat("reading from ", peer_.host, ": ", state_->reason(result)));
}

TlsSession::Step TlsSession::write(std::string_view data) {
  gnutls_session_t session = state_->session.get();
  const ssize_t result = state_->repeat([&] { return ::gnutls_record_send(session, data.data(), data.size()); });
  if (result >= 0) return {Wants::nothing, static_cast<std::size_t>(result)};
  if (result == GNUTLS_E_AGAIN) return {state_->wants_to()};
  throw Error(ErrorKind::io, cat("sending to ", peer_.host, ": ", state_->reason(result)));
}

}  // namespace hearth
