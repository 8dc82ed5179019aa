#include "base/net/tls_client.hpp"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <new>

#include "base/certificate.hpp"
#include "base/error.hpp"
#include "base/net/look_up.hpp"
#include "base/text.hpp"

namespace hearth {

namespace {

int socket_of(BIO* bio) { return *static_cast<const int*>(::BIO_get_data(bio)); }

int done_or_retry(BIO* bio, ssize_t size, void (*retry)(BIO*)) {
  BIO_clear_retry_flags(bio);
  if (size < 0 && (errno == EAGAIN || errno == EINTR)) retry(bio);
  return static_cast<int>(size);
}

int read_socket(BIO* bio, char* data, int size) {
  const ssize_t got = ::recv(socket_of(bio), data, static_cast<std::size_t>(size), 0);
  return done_or_retry(bio, got, [](BIO* b) { BIO_set_retry_read(b); });
}

int write_socket(BIO* bio, const char* data, int size) {
  const ssize_t put = ::send(socket_of(bio), data, static_cast<std::size_t>(size), MSG_NOSIGNAL);
  return done_or_retry(bio, put, [](BIO* b) { BIO_set_retry_write(b); });
}

long control(BIO* /*bio*/, int command, long /*number*/, void* /*pointer*/) {
  return command == BIO_CTRL_FLUSH ? 1 : 0;
}

/// OpenSSL's own sockets raise SIGPIPE when the server hangs up; these don't.
BIO_METHOD* quiet_socket() {
  static BIO_METHOD* method = [] {
    BIO_METHOD* made = ::BIO_meth_new(::BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "quiet socket");
    if (made == nullptr) throw std::bad_alloc();
    ::BIO_meth_set_read(made, read_socket);
    ::BIO_meth_set_write(made, write_socket);
    ::BIO_meth_set_ctrl(made, control);
    return made;
  }();
  return method;
}

std::string last_reason() {
  const int system = errno;
  const unsigned long first = ::ERR_peek_error();
  if (ERR_SYSTEM_ERROR(first)) return ::strerror(ERR_GET_REASON(first));  // what comes behind it calls it "system lib"
  const unsigned long code = ::ERR_peek_last_error();
  if (ERR_GET_REASON(code) == SSL_R_WRONG_VERSION_NUMBER)
    return "what it answers is no TLS: http:// in place of https://?";
  const char* text = code == 0 ? nullptr : ::ERR_reason_error_string(code);
  if (text != nullptr) return text;
  return code == 0 && system != 0 ? ::strerror(system) : "TLS failure";
}

/// The socket's end without TLS's: an error of its own in OpenSSL 3, or none at all.
bool is_sudden_end() {
  const unsigned long code = ::ERR_peek_last_error();
  return ERR_GET_REASON(code) == SSL_R_UNEXPECTED_EOF_WHILE_READING || (code == 0 && errno == 0);
}

void forget_errors() {
  ::ERR_clear_error();
  errno = 0;
}

/// An address by its bytes: OpenSSL does not read all the forms that getaddrinfo(3) does ("127.1", "fe80::1%eth0").
void demand_name(ssl_st* ssl, const std::string& host) {
  const std::string address = address_bytes(host);
  const auto* bytes = reinterpret_cast<const unsigned char*>(address.data());
  const bool good = address.empty()
                        ? SSL_set_tlsext_host_name(ssl, host.c_str()) == 1 && ::SSL_set1_host(ssl, host.c_str()) == 1
                        : ::X509_VERIFY_PARAM_set1_ip(::SSL_get0_param(ssl), bytes, address.size()) == 1;
  if (!good) throw Error(ErrorKind::input, cat("setting up TLS: no certificate can be for the name ", host));
}

struct FreeSsl {
  void operator()(ssl_ctx_st* context) const { ::SSL_CTX_free(context); }
  void operator()(ssl_st* ssl) const { ::SSL_free(ssl); }
};

}  // namespace

struct TlsContext::Authorities {
  std::unique_ptr<ssl_ctx_st, FreeSsl> context{::SSL_CTX_new(::TLS_client_method())};
};

struct TlsSession::State {
  [[nodiscard]] Wants wants_after(int result) const;

  int socket = -1;  // its BIO points here
  std::unique_ptr<ssl_st, FreeSsl> ssl;
};

TlsContext::TlsContext(const std::vector<std::string>& ca_files) {
  ::OPENSSL_init_ssl(OPENSSL_INIT_NO_LOAD_CONFIG, nullptr);  // the build machine's openssl.cnf path means nothing here
  const auto authorities = std::make_shared<Authorities>();
  ssl_ctx_st* const context = authorities->context.get();
  authorities_ = authorities;
  if (context == nullptr) throw Error(ErrorKind::io, cat("setting up TLS: ", last_reason()));
  ::SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  ::SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  for (const std::string& file : ca_files) {
    forget_errors();
    if (::SSL_CTX_load_verify_file(context, file.c_str()) != 1)
      throw Error(ErrorKind::io, cat("reading the trusted certificates in ", file, ": ", last_reason()));
  }
}

TlsSession::TlsSession(const TlsContext& context, const TlsPeer& peer, int socket)
    : peer_(peer), state_(std::make_unique<State>()) {
  peer_.verify = peer.verify && peer.pin.empty();
  state_->socket = socket;
  state_->ssl.reset(::SSL_new(context.authorities_->context.get()));
  ssl_st* const ssl = state_->ssl.get();
  BIO* bio = ssl != nullptr ? ::BIO_new(quiet_socket()) : nullptr;
  if (bio == nullptr) throw std::bad_alloc();
  ::BIO_set_data(bio, &state_->socket);
  ::BIO_set_init(bio, 1);
  ::SSL_set_bio(ssl, bio, bio);
  demand_name(ssl, peer.host);
  ::SSL_set_verify(ssl, peer_.verify ? SSL_VERIFY_PEER : SSL_VERIFY_NONE, nullptr);
}

TlsSession::TlsSession(TlsSession&&) noexcept = default;
TlsSession& TlsSession::operator=(TlsSession&&) noexcept = default;
TlsSession::~TlsSession() = default;

TlsSession::Wants TlsSession::State::wants_after(int result) const {
  switch (::SSL_get_error(ssl.get(), result)) {
    case SSL_ERROR_WANT_READ: return Wants::to_read;
    case SSL_ERROR_WANT_WRITE: return Wants::to_write;
    default: return Wants::nothing;
  }
}

TlsSession::Step TlsSession::shake_hands() {
  forget_errors();
  const int result = ::SSL_connect(state_->ssl.get());
  if (result == 1) return {};
  const Wants wants = state_->wants_after(result);
  if (wants != Wants::nothing) return {wants};
  const long verdict = ::SSL_get_verify_result(state_->ssl.get());
  if (peer_.verify && verdict != X509_V_OK) {
    throw Error(ErrorKind::input,
                cat("the certificate of ", peer_.host, " does not hold: ", ::X509_verify_cert_error_string(verdict)))
        .hint("SSL_CERT_FILE names another file of trusted authorities");
  }
  const bool cut = ::SSL_get_error(state_->ssl.get(), result) == SSL_ERROR_ZERO_RETURN || is_sudden_end();
  throw Error(ErrorKind::io,
              cat("setting up TLS with ", peer_.host, ": ", cut ? "the server closed the connection" : last_reason()));
}

std::string TlsSession::peer_key() const {
  const std::unique_ptr<X509, decltype(&::X509_free)> certificate(::SSL_get1_peer_certificate(state_->ssl.get()),
                                                                  &::X509_free);
  return public_key_digest(certificate.get());
}

/// TLS servers often end without a goodbye: whether the end was one is for the framing above to say.
TlsSession::Step TlsSession::read(std::span<char> buffer) {
  forget_errors();
  std::size_t size = 0;
  const int result = ::SSL_read_ex(state_->ssl.get(), buffer.data(), buffer.size(), &size);
  if (result == 1) return {Wants::nothing, size};
  const Wants wants = state_->wants_after(result);
  if (wants != Wants::nothing) return {wants};
  if (::SSL_get_error(state_->ssl.get(), result) == SSL_ERROR_ZERO_RETURN || is_sudden_end()) return {};
  throw Error(ErrorKind::io, cat("reading from ", peer_.host, ": ", last_reason()));
}

TlsSession::Step TlsSession::write(std::string_view data) {
  forget_errors();
  std::size_t size = 0;
  const int result = ::SSL_write_ex(state_->ssl.get(), data.data(), data.size(), &size);
  if (result == 1) return {Wants::nothing, size};
  const Wants wants = state_->wants_after(result);
  if (wants != Wants::nothing) return {wants};
  throw Error(ErrorKind::io, cat("sending to ", peer_.host, ": ", last_reason()));
}

}  // namespace hearth
