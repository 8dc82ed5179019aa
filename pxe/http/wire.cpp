#include "pxe/http/wire.hpp"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <sys/sendfile.h>
#include <sys/socket.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/text.hpp"

namespace hearth::pxe::http {

namespace {

using Step = Wire::Step;
constexpr std::size_t k_record = 16384;  ///< the longest of TLS (RFC 8446 section 5.1)

class PlainWire final : public Wire {
 public:
  explicit PlainWire(int socket) : socket_(socket) {}

  Step read(std::span<char> buffer) override {
    return step(::recv(socket_, buffer.data(), buffer.size(), 0), Step::Kind::want_read);
  }
  Step write(std::string_view bytes, bool more) override {
    return step(::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL | (more ? MSG_MORE : 0)),
                Step::Kind::want_write);
  }
  Step send_file(const Content& content, std::uint64_t offset, std::size_t size) override {
    auto at = static_cast<off_t>(offset);
    return step(::sendfile(socket_, content.fd(), &at, size), Step::Kind::want_write);
  }

 private:
  static Step step(ssize_t size, Step::Kind wait) {
    if (size >= 0) return {Step::Kind::done, static_cast<std::size_t>(size)};
    return {errno == EAGAIN || errno == EINTR ? wait : Step::Kind::gone};
  }
  int socket_;
};

class TlsWire final : public Wire {
 public:
  TlsWire(ssl_ctx_st* context, int socket) : ssl_(::SSL_new(context)) {
    ::SSL_set_fd(ssl_.get(), socket);
    ::SSL_set_accept_state(ssl_.get());  // the first read or write shakes hands
  }
  ~TlsWire() override {
    ::ERR_clear_error();
    if (good_) ::SSL_shutdown(ssl_.get());  // one try: who still listens hears the end
  }
  TlsWire(const TlsWire&) = delete;
  TlsWire& operator=(const TlsWire&) = delete;

  Step read(std::span<char> buffer) override {
    ::ERR_clear_error();
    std::size_t size = 0;
    const int result = ::SSL_read_ex(ssl_.get(), buffer.data(), buffer.size(), &size);
    if (result == 0 && ::SSL_get_error(ssl_.get(), result) == SSL_ERROR_ZERO_RETURN) return {};
    return step(result, size);
  }
  Step write(std::string_view bytes, bool /*more*/) override {
    ::ERR_clear_error();
    std::size_t size = 0;
    const int result = ::SSL_write_ex(ssl_.get(), bytes.data(), bytes.size(), &size);
    return step(result, size);
  }
  Step send_file(const Content& content, std::uint64_t offset, std::size_t size) override {
    if (record_.empty()) {  // else: what was begun must be written first, the same bytes
      record_.resize(std::min(size, k_record));
      record_.resize(content.read(offset, record_));
      if (record_.empty()) return {};
    }
    const Step done = write(record_, false);
    if (done.kind == Step::Kind::done) record_.clear();
    return done;
  }
  [[nodiscard]] bool has_more() const override { return ::SSL_pending(ssl_.get()) > 0; }

 private:
  Step step(int result, std::size_t size) {
    if (result > 0) return {Step::Kind::done, size};
    const int error = ::SSL_get_error(ssl_.get(), result);
    if (error == SSL_ERROR_WANT_READ) return {Step::Kind::want_read};
    if (error == SSL_ERROR_WANT_WRITE) return {Step::Kind::want_write};
    good_ = false;
    return {Step::Kind::gone};
  }
  struct Free {
    void operator()(ssl_st* ssl) const { ::SSL_free(ssl); }
  };
  std::unique_ptr<ssl_st, Free> ssl_;
  std::string record_;
  bool good_ = true;
};

[[noreturn]] void refuse(const std::string& what, const std::string& file) {
  std::string reason(256, '\0');
  ::ERR_error_string_n(::ERR_get_error(), reason.data(), reason.size());
  ::ERR_clear_error();
  throw Error(ErrorKind::input, cat("reading the ", what, " ", file, " for HTTPS: ", reason.c_str()))
      .hint("both files are PEM, and the key is the certificate's: openssl x509 -in FILE -noout -text");
}

}  // namespace

std::unique_ptr<Wire> plain_wire(int socket) { return std::make_unique<PlainWire>(socket); }

void TlsKeys::Free::operator()(ssl_ctx_st* context) const { ::SSL_CTX_free(context); }

TlsKeys::TlsKeys(const std::string& certificate, const std::string& key)
    : context_(::SSL_CTX_new(::TLS_server_method())) {
  ::SSL_CTX_set_min_proto_version(context_.get(), TLS1_2_VERSION);
  ::SSL_CTX_set_mode(context_.get(), SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_RELEASE_BUFFERS);
  if (::SSL_CTX_use_certificate_chain_file(context_.get(), certificate.c_str()) != 1)
    refuse("certificate", certificate);
  if (::SSL_CTX_use_PrivateKey_file(context_.get(), key.c_str(), SSL_FILETYPE_PEM) != 1) refuse("key", key);
}

std::unique_ptr<Wire> TlsKeys::wire(int socket) const { return std::make_unique<TlsWire>(context_.get(), socket); }

}  // namespace hearth::pxe::http
