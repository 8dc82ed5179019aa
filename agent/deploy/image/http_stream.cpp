#include "agent/deploy/image/http_stream.hpp"

#include <algorithm>
#include <cstring>

#include "base/error.hpp"
#include "base/net/http_exchange.hpp"
#include "base/text.hpp"

namespace hearth::agent::deploy {

namespace {

constexpr std::uint64_t k_gathered = std::uint64_t{128} << 10U;

std::optional<std::uint64_t> length_of(const HttpResponse& head) {
  const std::optional<std::string> length = find_header(head.headers, "Content-Length");
  return length ? parse_number(*length) : std::nullopt;
}

/// The first and whole of "bytes FIRST-LAST/WHOLE".
std::optional<std::uint64_t> range_start(const HttpResponse& head) {
  const std::string range = find_header(head.headers, "Content-Range").value_or("");
  const std::size_t dash = range.find('-');
  if (range.rfind("bytes ", 0) != 0 || dash == std::string::npos) return std::nullopt;
  return parse_number(std::string_view(range).substr(6, dash - 6));
}

Error refused(const Url& url, const HttpResponse& head) {
  const bool later = head.status >= 500 || head.status == 429 || head.status == 408;
  const ErrorKind kind = head.status == 404 ? ErrorKind::not_found : later ? ErrorKind::io : ErrorKind::input;
  return {kind, cat(url.masked(), ": the server answers ", head.status, " ", head.reason)};
}

}  // namespace

HttpStream::HttpStream(Dialer& dialer, Clock& clock, const Url& url, StreamOptions options)
    : dialer_(dialer), clock_(clock), url_(url), options_(std::move(options)) {
  while (!options_.on_demand) {
    try {
      connect();
      return;
    } catch (const Error& error) {
      reconnect(error);
    }
  }
}

HttpStream::Answer HttpStream::request_once(const HttpRequest& asked) {
  const Url& url = asked.url;
  const Deadline deadline = Deadline::after(options_.connect_time, clock_);
  Answer answer{dialer_.dial(url, {options_.verify_tls, options_.ca_file}, deadline), {}, {}};
  answer.connection.write(request_head(asked, dialer_.plain_proxy(url), "hearth-agent"), deadline);
  HttpReader reader({.to_head = true});
  try {
    read_answer(answer.connection, reader, [&deadline] { return deadline; });
  } catch (const Error& error) {
    throw Error(error.kind(), cat(url.masked(), ": ", error.what()));
  }
  answer.head = std::move(reader.response());
  answer.rest = reader.rest();
  return answer;
}

HttpStream::Answer HttpStream::request(const std::string& range) {
  HttpRequest asked{.url = url_, .headers = options_.headers, .max_redirects = 5};
  if (!range.empty()) asked.headers.emplace_back("Range", cat("bytes=", range));
  while (true) {
    Answer answer = request_once(asked);
    const std::optional<HttpRequest> next = redirected(asked, answer.head);
    if (!next) {
      const std::string coding = find_header(answer.head.headers, "Transfer-Encoding").value_or("");
      if (!coding.empty()) {
        throw Error(ErrorKind::unsupported,
                    cat(url_.masked(), ": the server sends the image in chunks of unknown size"))
            .hint("Serve it as a file: it must have a Content-Length.");
      }
      return answer;
    }
    asked = *next;
  }
}

void HttpStream::connect() {
  Answer answer = request(position_ == 0 ? "" : cat(position_, "-"));
  const bool partial = answer.head.status == 206;
  if (answer.head.status != 200 && !partial) throw refused(url_, answer.head);
  const std::optional<std::uint64_t> length = length_of(answer.head);
  if (position_ == 0) {
    size_ = length;
    tag_ = find_header(answer.head.headers, "ETag").value_or("");
  } else if (!is_same_file(answer.head) || (size_ && length && *length != *size_ - (partial ? position_ : 0)) ||
             (partial && range_start(answer.head) != position_)) {
    throw Error(ErrorKind::input, cat(url_.masked(), ": the image changed on the server while it was being fetched"));
  }
  answer_ = std::make_unique<Answer>(std::move(answer));
  if (position_ > 0 && !partial) skip(position_);
}

bool HttpStream::is_same_file(const HttpResponse& head) {
  const std::string tag = find_header(head.headers, "ETag").value_or("");
  if (!tag_) tag_ = tag;
  return tag == tag_;
}

/// For servers that can't begin in the middle.
void HttpStream::skip(std::uint64_t bytes) {
  Buffer buffer(k_block);
  while (bytes > 0) {
    const std::size_t got =
        read_some(buffer.room().first(static_cast<std::size_t>(std::min<std::uint64_t>(bytes, k_block))));
    if (got == 0) throw Error(ErrorKind::io, cat(url_.masked(), ": the connection broke"));
    bytes -= got;
  }
}

void HttpStream::reconnect(const Error& reason) {
  answer_.reset();
  pause_after(reason, ++failures_, position_);
}

/// Throws `reason` again where another try would be no better, or one too many.
void HttpStream::pause_after(const Error& reason, int failures, std::uint64_t position) {
  if (reason.kind() != ErrorKind::io || failures > options_.retries) throw reason;
  const Duration pause =
      std::min<Duration>(options_.retry_pause, std::chrono::milliseconds(250 << std::min(failures, 10)));
  if (options_.say) options_.say(cat(reason.what(), "; trying again from byte ", position));
  clock_.sleep(pause);
}

std::size_t HttpStream::read_some(std::span<char> into) {
  if (!answer_->rest.empty()) {
    const std::size_t size = std::min(into.size(), answer_->rest.size());
    std::memcpy(into.data(), answer_->rest.data(), size);
    answer_->rest.erase(0, size);
    return size;
  }
  if (size_)
    answer_->connection.gather(static_cast<std::size_t>(std::min<std::uint64_t>(*size_ - position_, k_gathered)));
  return answer_->connection.read(into, Deadline::after(options_.silence, clock_));
}

std::size_t HttpStream::read(std::span<char> into) {
  while (true) {
    if (size_ && position_ == *size_) return 0;
    try {
      if (!answer_) connect();
      if (size_) into = into.first(static_cast<std::size_t>(std::min<std::uint64_t>(into.size(), *size_ - position_)));
      const std::size_t got = read_some(into);
      if (got == 0 && !size_) return 0;
      if (got == 0) throw Error(ErrorKind::io, cat(url_.masked(), ": the connection broke"));
      position_ += got;
      failures_ = 0;
      return got;
    } catch (const Error& error) {
      reconnect(error);
    }
  }
}

std::optional<std::string> HttpStream::piece(std::uint64_t offset, std::uint64_t length) {
  for (int failures = 1;; ++failures) {
    try {
      Answer answer = request(cat(offset, "-", offset + length - 1));
      if (answer.head.status == 200) return std::nullopt;
      return piece_once(std::move(answer), offset, length);
    } catch (const Error& error) {
      pause_after(error, failures, offset);
    }
  }
}

std::string HttpStream::piece_once(Answer answer, std::uint64_t offset, std::uint64_t length) {
  if (answer.head.status != 206 || range_start(answer.head) != offset) throw refused(url_, answer.head);
  if (!is_same_file(answer.head)) {
    throw Error(ErrorKind::input, cat(url_.masked(), ": the image changed on the server while it was being fetched"));
  }
  std::string bytes = std::move(answer.rest);
  if (bytes.size() > length)
    throw Error(ErrorKind::io, cat(url_.masked(), ": the server answers more than was asked for"));
  std::size_t used = bytes.size();
  bytes.resize(length);
  while (used < length) {
    answer.connection.gather(static_cast<std::size_t>(std::min<std::uint64_t>(length - used, k_gathered)));
    const std::size_t got =
        answer.connection.read(std::span(bytes).subspan(used), Deadline::after(options_.silence, clock_));
    if (got == 0) throw Error(ErrorKind::io, cat(url_.masked(), ": the connection broke"));
    used += got;
  }
  return bytes;
}

}  // namespace hearth::agent::deploy
