// All of Beast and Asio is in this one file: it takes half a minute to compile.
//
// An exchange is written as one straight line of steps, each an asynchronous operation that runs to its end or to the
// deadline before the next begins (Exchange::wait). Names are looked up in a thread of its own, because getaddrinfo(3)
// can't be stopped: at the deadline it is left behind.
#include "base/net/beast_client.hpp"

#include <netdb.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <sys/stat.h>

#include <array>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/ssl.hpp>
#include <condition_variable>
#include <cstring>
#include <map>
#include <mutex>
#include <thread>

#include "base/error.hpp"
#include "base/text.hpp"

namespace hearth {

namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using tcp = asio::ip::tcp;
using ErrorCode = boost::system::error_code;

constexpr std::uint32_t k_header_limit = 64 * 1024;
/// Without a deadline of its own a single step may still not hang for ever.
constexpr Duration k_longest_step = std::chrono::minutes(10);

Error net_error(std::string_view operation, const std::string& object, const std::string& reason) {
  return {ErrorKind::io, cat(operation, " ", object, ": ", reason)};
}

/// What a look-up thread and its waiter share; the thread may outlive the waiter.
struct LookUp {
  std::mutex mutex;
  std::condition_variable done;
  bool finished = false;
  int error = 0;
  std::vector<tcp::endpoint> found;
};

void run_look_up(const std::shared_ptr<LookUp>& state, const std::string& host, std::uint16_t port) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* list = nullptr;
  const int error = ::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &list);
  const std::lock_guard lock(state->mutex);
  state->error = error;
  for (const addrinfo* entry = error == 0 ? list : nullptr; entry != nullptr; entry = entry->ai_next) {
    tcp::endpoint endpoint;
    if (entry->ai_addrlen > endpoint.capacity()) continue;
    std::memcpy(endpoint.data(), entry->ai_addr, entry->ai_addrlen);
    endpoint.resize(entry->ai_addrlen);
    state->found.push_back(endpoint);
  }
  if (error == 0) ::freeaddrinfo(list);
  state->finished = true;
  state->done.notify_all();
}

/// Loopback is known without asking: a bare container may lack /etc/hosts.
bool is_localhost(const std::string& host) {
  constexpr std::string_view domain = ".localhost";
  return host == "localhost" ||
         (host.size() > domain.size() && host.compare(host.size() - domain.size(), domain.size(), domain) == 0);
}

std::vector<tcp::endpoint> endpoints_of(const Url& url, const Deadline& deadline, const Clock& clock) {
  ErrorCode not_an_address;
  const asio::ip::address address = asio::ip::make_address(url.host, not_an_address);
  if (!not_an_address) return {{address, url.port}};
  if (is_localhost(url.host)) {
    return {{asio::ip::address_v4::loopback(), url.port}, {asio::ip::address_v6::loopback(), url.port}};
  }
  const auto state = std::make_shared<LookUp>();
  std::thread([state, host = url.host, port = url.port] { run_look_up(state, host, port); }).detach();
  std::unique_lock lock(state->mutex);
  const auto ready = [&state] { return state->finished; };
  if (deadline.is_never()) {
    state->done.wait(lock, ready);
  } else {
    state->done.wait_for(lock, std::chrono::milliseconds(deadline.poll_timeout(clock.now())), ready);
  }
  if (!state->finished) throw net_error("looking up", url.host, "timed out");
  if (state->error != 0) throw net_error("looking up", url.host, ::gai_strerror(state->error));
  return state->found;
}

std::string basic_credentials(const std::string& user_info) {
  const std::string plain = percent_decode(user_info);
  std::vector<unsigned char> encoded(4 * ((plain.size() + 2) / 3) + 1);
  const std::vector<unsigned char> bytes(plain.begin(), plain.end());
  encoded.resize(
      static_cast<std::size_t>(::EVP_EncodeBlock(encoded.data(), bytes.data(), static_cast<int>(bytes.size()))));
  return cat("Basic ", std::string(encoded.begin(), encoded.end()));
}

std::string ssl_reason() {
  const unsigned long code = ::ERR_peek_last_error();
  const char* text = code == 0 ? nullptr : ::ERR_reason_error_string(code);
  return text == nullptr ? "TLS failure" : text;
}

/// One connection for one request: the steps of an exchange in order.
class Exchange {
 public:
  Exchange(const HttpRequest& request, const std::optional<Url>& proxy, const std::string& agent, const Clock& clock)
      : request_(request), proxy_(proxy), agent_(agent), clock_(clock), stream_(io_) {}

  HttpResponse run(asio::ssl::context* tls) {
    connect(proxy_ ? *proxy_ : request_.url);
    if (tls == nullptr) return converse(stream_);
    if (proxy_) open_tunnel();
    asio::ssl::stream<beast::tcp_stream&> secure(stream_, *tls);
    shake_hands(secure);
    return converse(secure);
  }

 private:
  [[nodiscard]] std::string server() const { return request_.url.authority(); }

  void arm(int share = 1) {
    Duration left = k_longest_step;
    if (!request_.deadline.is_never()) {
      left = std::min(left, std::chrono::duration_cast<Duration>(
                                std::chrono::milliseconds(request_.deadline.poll_timeout(clock_.now()))));
    }
    stream_.expires_after(std::max<Duration>(left / share, std::chrono::milliseconds(1)));
  }

  /// Starts an operation and runs it to its end, or to the deadline, which cancels it.
  template <class Start>
  ErrorCode wait(Start start) {
    ErrorCode result;
    start([&result](ErrorCode error, auto&&...) { result = error; });
    io_.restart();
    io_.run();
    return result;
  }

  static std::string reason(const ErrorCode& error) {
    if (error == beast::error::timeout || error == asio::error::operation_aborted) return "timed out";
    if (error == http::error::end_of_stream || error == http::error::partial_message ||
        error == asio::ssl::error::stream_truncated) {
      return "the server closed the connection before the answer was complete";
    }
    if (error == http::error::body_limit || error == http::error::header_limit)
      return "the answer is longer than allowed";
    return error.message();
  }

  void connect(const Url& where) {
    const std::vector<tcp::endpoint> endpoints = endpoints_of(where, request_.deadline, clock_);
    ErrorCode error = asio::error::host_not_found;
    int left = static_cast<int>(endpoints.size());
    for (const tcp::endpoint& endpoint : endpoints) {
      arm(left--);  // one dead address must not use up the time of the others
      error = wait([&](auto done) { stream_.async_connect(endpoint, done); });
      if (!error) return;
      stream_.close();
    }
    throw net_error("connecting to", where.authority(), reason(error));
  }

  /// CONNECT through an HTTP proxy (RFC 9110 section 9.3.6).
  void open_tunnel() {
    const std::string target =
        cat(request_.url.host.find(':') == std::string::npos ? request_.url.host : cat("[", request_.url.host, "]"),
            ":", request_.url.port);
    http::request<http::empty_body> request(http::verb::connect, target, 11);
    request.set(http::field::host, target);
    if (!proxy_->user_info.empty()) request.set(http::field::proxy_authorization, basic_credentials(proxy_->user_info));
    arm();
    check("asking the proxy for", wait([&](auto done) { http::async_write(stream_, request, done); }));
    beast::flat_buffer buffer;
    http::response_parser<http::empty_body> parser;
    parser.skip(true);
    check("asking the proxy for", wait([&](auto done) { http::async_read_header(stream_, buffer, parser, done); }));
    if (parser.get().result_int() / 100 != 2) {
      throw net_error("asking the proxy for", target, cat("the proxy answered ", parser.get().result_int()));
    }
  }

  void shake_hands(asio::ssl::stream<beast::tcp_stream&>& secure) {
    SSL* ssl = secure.native_handle();
    ErrorCode not_an_address;
    asio::ip::make_address(request_.url.host, not_an_address);
    if (not_an_address) {
      ::SSL_set_tlsext_host_name(ssl, request_.url.host.c_str());
      ::SSL_set1_host(ssl, request_.url.host.c_str());
    } else {
      ::X509_VERIFY_PARAM_set1_ip_asc(::SSL_get0_param(ssl), request_.url.host.c_str());
    }
    secure.set_verify_mode(request_.verify_tls ? asio::ssl::verify_peer : asio::ssl::verify_none);
    arm();
    ::ERR_clear_error();
    const ErrorCode error = wait([&](auto done) { secure.async_handshake(asio::ssl::stream_base::client, done); });
    if (!error) return;
    const long verdict = ::SSL_get_verify_result(ssl);
    if (request_.verify_tls && verdict != X509_V_OK) {
      throw Error(ErrorKind::input,
                  cat("the certificate of ", server(), " does not hold: ", ::X509_verify_cert_error_string(verdict)))
          .hint("SSL_CERT_FILE names another file of trusted authorities");
    }
    const bool from_ssl = error.category() == asio::error::get_ssl_category();
    throw net_error("setting up TLS with", server(), from_ssl ? ssl_text(error) : reason(error));
  }

  static std::string ssl_text(const ErrorCode& error) {
    const char* text = ::ERR_reason_error_string(static_cast<unsigned long>(error.value()));
    return text == nullptr ? ssl_reason() : text;
  }

  void check(std::string_view operation, const ErrorCode& error) const {
    if (error) throw net_error(operation, request_.url.masked(), reason(error));
  }

  [[nodiscard]] http::request<http::string_body> wire_request() const {
    const bool absolute = proxy_ && !request_.url.is_tls();
    http::request<http::string_body> wire;
    wire.version(11);
    wire.method_string(request_.method);
    wire.target(absolute ? request_.url.text() : request_.url.target());
    wire.set(http::field::host, request_.url.authority());
    wire.set(http::field::user_agent, agent_);
    wire.set(http::field::accept, "*/*");
    wire.set(http::field::connection, "close");
    if (!request_.url.user_info.empty())
      wire.set(http::field::authorization, basic_credentials(request_.url.user_info));
    if (absolute && !proxy_->user_info.empty())
      wire.set(http::field::proxy_authorization, basic_credentials(proxy_->user_info));
    for (const auto& [name, value] : request_.headers) wire.set(name, value);
    wire.body() = request_.body;
    if (!request_.body.empty() || request_.method == "POST" || request_.method == "PUT")
      wire.content_length(request_.body.size());
    return wire;
  }

  template <class Stream>
  HttpResponse converse(Stream& stream) {
    const http::request<http::string_body> wire = wire_request();
    arm();
    // A server may answer and close before it has read all of a long body (413, say): its answer is still worth
    // reading.
    const ErrorCode sent = wait([&](auto done) { http::async_write(stream, wire, done); });
    if (sent == beast::error::timeout) check("sending to", sent);
    beast::flat_buffer buffer;
    http::response_parser<http::string_body> parser;
    parser.header_limit(k_header_limit);
    parser.body_limit(request_.body_limit);
    parser.skip(request_.method == "HEAD");
    arm();
    const ErrorCode received = wait([&](auto done) { http::async_read(stream, buffer, parser, done); });
    if (received && !ended_without_length(received, parser)) check("reading the answer of", received);
    return taken(parser.release());
  }

  /// A body without a length ends with the connection; TLS servers often end it without a goodbye.
  static bool ended_without_length(const ErrorCode& error, http::response_parser<http::string_body>& parser) {
    return error == asio::ssl::error::stream_truncated && parser.is_header_done() && parser.need_eof();
  }

  [[nodiscard]] HttpResponse taken(http::response<http::string_body> wire) const {
    HttpResponse response;
    response.status = static_cast<int>(wire.result_int());
    response.reason = std::string(wire.reason());
    for (const auto& field : wire)
      response.headers.emplace_back(std::string(field.name_string()), std::string(field.value()));
    response.body = std::move(wire.body());
    response.url = request_.url;
    return response;
  }

  const HttpRequest& request_;
  const std::optional<Url>& proxy_;
  const std::string& agent_;
  const Clock& clock_;
  asio::io_context io_;
  beast::tcp_stream stream_;
};

std::unique_ptr<asio::ssl::context> make_context(const std::string& ca_file) {
  auto context = std::make_unique<asio::ssl::context>(asio::ssl::context::tls_client);
  ::SSL_CTX_set_min_proto_version(context->native_handle(), TLS1_2_VERSION);
  if (ca_file.empty()) return context;
  ErrorCode error;
  context->load_verify_file(ca_file, error);
  if (error) throw net_error("reading the trusted certificates in", ca_file, error.message());
  return context;
}

bool is_file(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode);
}

}  // namespace

struct BeastClient::TlsContexts {
  std::map<std::string, std::unique_ptr<asio::ssl::context>> by_ca_file;

  asio::ssl::context& get(const std::string& ca_file) {
    std::unique_ptr<asio::ssl::context>& slot = by_ca_file[ca_file];
    if (!slot) slot = make_context(ca_file);
    return *slot;
  }
};

std::string system_ca_file(const Environment& env) {
  const auto chosen = env.find("SSL_CERT_FILE");
  if (chosen != env.end() && !chosen->second.empty()) return chosen->second;
  for (const char* path : {"/etc/ssl/certs/ca-certificates.crt", "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
                           "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem",
                           "/var/lib/ca-certificates/ca-bundle.pem", "/etc/ssl/cert.pem"}) {
    if (is_file(path)) return path;
  }
  return "";
}

BeastClient::BeastClient(const Clock& clock, const Environment& env, std::string agent)
    : clock_(clock),
      proxies_(ProxySettings::from(env)),
      system_ca_file_(hearth::system_ca_file(env)),
      agent_(std::move(agent)),
      tls_(std::make_unique<TlsContexts>()) {
  ::OPENSSL_init_ssl(OPENSSL_INIT_NO_LOAD_CONFIG, nullptr);  // the build machine's openssl.cnf path means nothing here
}

BeastClient::~BeastClient() = default;

HttpResponse BeastClient::send_once(const HttpRequest& request) {
  const std::optional<Url> proxy = proxy_for(request.url, proxies_);
  asio::ssl::context* tls = nullptr;
  if (request.url.is_tls()) {
    const std::string& trusted = request.ca_file.empty() ? system_ca_file_ : request.ca_file;
    tls = &tls_->get(request.verify_tls ? trusted : "");
  }
  return Exchange(request, proxy, agent_, clock_).run(tls);
}

HttpResponse BeastClient::send(const HttpRequest& request) {
  HttpResponse response = send_once(request);
  std::optional<HttpRequest> next = redirected(request, response);
  while (next) {
    response = send_once(*next);
    next = redirected(*next, response);
  }
  return response;
}

}  // namespace hearth
