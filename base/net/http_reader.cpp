#include "base/net/http_reader.hpp"

#include <algorithm>
#include <optional>

#include "base/text.hpp"

namespace hearth {

namespace {

constexpr const char* k_too_long = "the answer is longer than allowed";
constexpr const char* k_tls = "bad version: what it answers is TLS: https:// in place of http://?";
constexpr const char* k_cut = "the server closed the connection before the answer was complete";

/// RFC 9110 section 5.6.2.
bool is_token(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    return letter || is_digit(c) || std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
  });
}

/// An alert of TLS (RFC 8446 sections 5.1 and 6), as its servers answer what is none; as far as it has come.
bool is_tls(std::string_view text) {
  return !text.empty() && std::string_view("\x15\x03").starts_with(text.substr(0, 2));
}

bool has_control(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char c) {
    const auto code = static_cast<unsigned char>(c);
    return (code < 0x20 && c != '\t') || code == 0x7f;
  });
}

std::string_view trim_blanks(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

/// A length in hexadecimal, at most 15 digits.
std::optional<std::uint64_t> parse_hex(std::string_view text) {
  if (text.empty() || text.size() > 15) return std::nullopt;
  std::uint64_t value = 0;
  for (const char c : text) {
    const std::size_t digit = std::string_view("0123456789abcdef0123456789ABCDEF").find(c);
    if (digit == std::string_view::npos) return std::nullopt;
    value = value * 16 + digit % 16;
  }
  return value;
}

/// What the headers say of the body's length.
struct Framing {
  bool chunked = false;
  std::optional<std::uint64_t> length;
  std::string problem;
};

Framing framing_of(const HttpHeaders& headers) {
  Framing framing;
  for (const auto& [name, value] : headers) {
    const std::string field = to_lower(name);
    if (field == "transfer-encoding") {
      if (to_lower(value) != "chunked") framing.problem = cat("unknown transfer encoding '", value, "'");
      framing.chunked = true;
    } else if (field == "content-length") {
      const std::optional<std::uint64_t> length = value.size() < 19 ? parse_number(value) : std::nullopt;
      if (!length || (framing.length && *framing.length != *length)) framing.problem = "bad Content-Length";
      framing.length = length;
    }
  }
  return framing;
}

}  // namespace

void HttpReader::fail(std::string problem) {
  state_ = State::broken;
  problem_ = std::move(problem);
  response_.body.clear();
  pending_.clear();
}

void HttpReader::feed(std::string_view bytes) {
  if (state_ == State::broken) return;
  if (state_ == State::endless) return grow_body(bytes);
  pending_.append(bytes);
  while (state_ != State::done && state_ != State::broken && step()) {
  }
}

void HttpReader::finish() {
  if (state_ == State::endless) {
    state_ = State::done;
  } else if (state_ != State::done && state_ != State::broken) {
    fail(k_cut);
  }
}

/// Understands one more piece of what is pending; false when it needs more bytes.
bool HttpReader::step() {
  const bool in_body = state_ == State::counted || state_ == State::chunk || state_ == State::endless;
  return in_body ? take_body() : take_line();
}

bool HttpReader::take_line() {
  const std::size_t end = pending_.find('\n');
  if (head_bytes_ + std::min(end, pending_.size()) > limits_.header_limit) {
    fail(k_too_long);
    return false;
  }
  if (end == std::string::npos) {
    // A protocol that greets with something else shall not have to end its line first.
    constexpr std::string_view start = "HTTP/1.";
    const std::string_view seen = std::string_view(pending_).substr(0, start.size());
    if (state_ == State::status && start.substr(0, seen.size()) != seen)
      fail(is_tls(seen) ? k_tls : "bad version: this is no HTTP server");
    return false;
  }
  std::string line = pending_.substr(0, end);
  pending_.erase(0, end + 1);
  head_bytes_ += state_ == State::chunk_size || state_ == State::chunk_end ? 0 : end + 1;
  if (!line.empty() && line.back() == '\r') line.pop_back();
  read_line(line);
  return true;
}

void HttpReader::read_line(std::string_view line) {
  switch (state_) {
    case State::status: return read_status(line);
    case State::headers: return line.empty() ? end_headers() : read_header(line);
    case State::chunk_size: return read_chunk_size(line);
    case State::chunk_end:
      if (!line.empty()) return fail("bad chunk");
      state_ = State::chunk_size;
      return;
    case State::trailers:
      if (line.empty()) state_ = State::done;
      return;
    default: return;
  }
}

void HttpReader::read_status(std::string_view line) {
  const bool fits = line.size() >= 12 && line.substr(0, 7) == "HTTP/1." && is_digit(line[7]) && line[8] == ' ' &&
                    line[9] >= '1' && line[9] <= '9' && is_digit(line[10]) && is_digit(line[11]) &&
                    (line.size() == 12 || line[12] == ' ');
  if (!fits) return fail(is_tls(line) ? k_tls : "bad version: this is no HTTP server");
  response_.status = (line[9] - '0') * 100 + (line[10] - '0') * 10 + (line[11] - '0');
  response_.reason = std::string(line.substr(std::min<std::size_t>(13, line.size())));
  state_ = State::headers;
}

/// Continued lines (RFC 9112 section 5.2) are refused as section 5.1 allows: they begin with a blank.
void HttpReader::read_header(std::string_view line) {
  const std::size_t colon = line.find(':');
  const std::string_view name = line.substr(0, colon);
  if (colon == std::string_view::npos || !is_token(name) || has_control(line)) return fail("bad header line");
  response_.headers.emplace_back(std::string(name), std::string(trim_blanks(line.substr(colon + 1))));
}

/// The length of the body, by RFC 9112 section 6.3.
void HttpReader::end_headers() {
  const int status = response_.status;
  if (status < 200 && status != 101) {  // an interim answer; the real one follows
    response_ = {};
    state_ = State::status;
    return;
  }
  const bool empty =
      limits_.to_head || status == 101 || status == 204 || status == 304 || (limits_.to_connect && status / 100 == 2);
  const Framing framing = framing_of(response_.headers);
  if (limits_.sink != nullptr) limits_.sink->begin(response_);
  if (empty) {
    state_ = State::done;
  } else if (!framing.problem.empty()) {
    fail(framing.problem);
  } else if (framing.chunked) {
    state_ = State::chunk_size;
  } else if (framing.length) {
    left_ = *framing.length;
    if (left_ > limits_.body_limit) return fail(k_too_long);
    if (limits_.sink == nullptr)
      response_.body.reserve(std::min<std::uint64_t>(left_, 1U << 20U));  // a server may promise more than it has
    state_ = left_ == 0 ? State::done : State::counted;
  } else {
    state_ = State::endless;
  }
}

void HttpReader::read_chunk_size(std::string_view line) {
  const std::optional<std::uint64_t> size = parse_hex(trim_blanks(line.substr(0, line.find(';'))));
  if (!size) return fail("bad chunk size");
  left_ = *size;
  if (left_ > limits_.body_limit) return fail(k_too_long);
  state_ = left_ == 0 ? State::trailers : State::chunk;
}

bool HttpReader::take_body() {
  if (pending_.empty()) return false;
  const std::size_t size = state_ == State::endless
                               ? pending_.size()
                               : static_cast<std::size_t>(std::min<std::uint64_t>(left_, pending_.size()));
  left_ -= state_ == State::endless ? 0 : size;
  const std::string bytes = size == pending_.size() ? std::exchange(pending_, {}) : pending_.substr(0, size);
  if (!pending_.empty()) pending_.erase(0, size);
  grow_body(bytes);
  if (left_ > 0 || state_ == State::endless || state_ == State::broken) return state_ != State::broken;
  state_ = state_ == State::chunk ? State::chunk_end : State::done;
  return true;
}

void HttpReader::grow_body(std::string_view bytes) {
  if (bytes.size() > limits_.body_limit - body_bytes_) return fail(k_too_long);
  body_bytes_ += bytes.size();
  limits_.sink == nullptr ? void(response_.body.append(bytes)) : limits_.sink->take(bytes);
}

}  // namespace hearth
