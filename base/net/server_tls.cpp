#include "base/net/server_tls.hpp"

#include <openssl/ssl.h>
#include <sys/socket.h>

#include <boost/asio/ssl/context.hpp>
#include <string_view>

#include "base/error.hpp"
#include "base/sys/file_state.hpp"
#include "base/text.hpp"

namespace hearth {

std::unique_ptr<boost::asio::ssl::context> tls_context(const TlsFiles& files) {
  auto context = std::make_unique<boost::asio::ssl::context>(boost::asio::ssl::context::tls_server);
  ::SSL_CTX_set_min_proto_version(context->native_handle(), TLS1_2_VERSION);
  ::SSL_CTX_set_mode(context->native_handle(), SSL_MODE_RELEASE_BUFFERS);  // of who is silent
  boost::system::error_code error;
  context->use_certificate_chain_file(files.certificate, error);
  if (error)
    throw Error(ErrorKind::input, cat("reading the certificate in ", files.certificate, ": ", error.message()));
  context->use_private_key_file(files.key, boost::asio::ssl::context::pem, error);
  if (error) throw Error(ErrorKind::input, cat("reading the key in ", files.key, ": ", error.message()));
  return context;
}

std::string state_of(const TlsFiles& files) {
  const std::string certificate = file_state(files.certificate);
  const std::string key = file_state(files.key);
  return certificate.empty() || key.empty() ? "" : cat(certificate, key);
}

namespace {

/// Small, into a socket that nothing was written to: that waits for nobody.
void answer_plain_request(int socket) {
  static constexpr std::string_view k_answer =
      "HTTP/1.1 400 TLS is spoken here: https:// in place of http://?\r\nContent-Type: text/plain\r\n"
      "Content-Length: 50\r\nConnection: close\r\n\r\nTLS is spoken here: https:// in place of http://?\n";
  static_cast<void>(::send(socket, k_answer.data(), k_answer.size(), MSG_NOSIGNAL | MSG_DONTWAIT));
}

}  // namespace

bool HandshakeNotes::note(const std::string& peer, int socket, const std::string& why) {
  static constexpr Duration k_pause = std::chrono::seconds(5);
  const bool is_plain = why.find("http request") != std::string::npos;
  if (is_plain) answer_plain_request(socket);
  if (!is_plain && why.find("alert") == std::string::npos) return false;
  const char* hint = "another authority, name or clock than that machine's";
  if (why.find("unknown ca") != std::string::npos) hint = "it does not know the authority";
  if (why.find("expired") != std::string::npos) hint = "it has ended, or that machine's clock is wrong";
  if (access_ != nullptr && !is_plain) access_->refused_certificate(peer, hint);
  if (last_ && clock_.now() - *last_ < k_pause) return is_plain;
  last_ = clock_.now();
  log_.warning(is_plain ? cat(peer, " asks in plain HTTP where TLS is served: it was told so before, or was told wrong")
                        : cat(peer, " does not take our certificate: ", why, "; ", hint));
  return is_plain;
}

}  // namespace hearth
