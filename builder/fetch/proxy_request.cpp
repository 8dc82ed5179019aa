#include "builder/fetch/proxy_request.hpp"

#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>

#include "base/text.hpp"

namespace hearth::builder::fetch {

namespace http = boost::beast::http;

namespace {

constexpr std::uint32_t k_head_bytes = 64U << 10U;
constexpr std::uint64_t k_body_bytes = std::uint64_t{256} << 20U;  // git sends what it has when it fetches

}  // namespace

struct RequestReader::Parser {
  Parser() {
    one.eager(true);
    one.header_limit(k_head_bytes);
    one.body_limit(k_body_bytes);
  }
  http::request_parser<http::string_body> one;
};

RequestReader::RequestReader() : parser_(std::make_unique<Parser>()) {}
RequestReader::~RequestReader() = default;

bool RequestReader::done() const { return parser_->one.is_done(); }
bool RequestReader::idle() const { return pending_.empty() && !parser_->one.got_some(); }

void RequestReader::feed(std::string_view bytes) {
  pending_.append(bytes);
  parse();
}

void RequestReader::parse() {
  while (!pending_.empty() && !done() && problem_.empty()) {
    boost::beast::error_code error;
    const std::size_t used = parser_->one.put(boost::asio::buffer(pending_), error);
    pending_.erase(0, used);
    if (error == http::error::need_more) return;
    if (error) problem_ = cat("this is no HTTP request: ", error.message());
  }
}

bool RequestReader::wants_encouragement() {
  if (encouraged_ || done() || !parser_->one.is_header_done()) return false;
  encouraged_ = true;
  return to_lower(std::string(parser_->one.get()[http::field::expect])) == "100-continue";
}

ProxyRequest RequestReader::take() {
  auto message = parser_->one.release();
  ProxyRequest request{std::string(message.method_string()),
                       std::string(message.target()),
                       {},
                       std::move(message.body()),
                       message.keep_alive()};
  for (const auto& field : message) {
    request.headers.emplace_back(std::string(field.name_string()), std::string(field.value()));
  }
  parser_ = std::make_unique<Parser>();
  encouraged_ = false;
  parse();
  return request;
}

}  // namespace hearth::builder::fetch
