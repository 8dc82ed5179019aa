// A file over HTTP as one stream that survives broken connections: it goes on where it stopped (RFC 9110 section 14).
#pragma once

#include <functional>
#include <memory>

#include "agent/deploy/image/source.hpp"
#include "base/clock.hpp"
#include "base/net/dialer.hpp"
#include "base/net/http.hpp"

namespace hearth::agent::deploy {

struct StreamOptions {
  Duration connect_time = std::chrono::seconds(60);  ///< until the head of the answer is there
  Duration silence = std::chrono::seconds(60);       ///< the longest pause between two bytes
  int retries = 9;                                   ///< in a row, without a byte between them
  Duration retry_pause = std::chrono::seconds(10);   ///< the longest; the first ones are shorter
  bool on_demand = false;                            ///< connects for what is asked for, and not before
  bool verify_tls = true;
  std::string ca_file;
  HttpHeaders headers;                          ///< sent with each request
  std::function<void(const std::string&)> say;  ///< told about each break; may be empty
};

class HttpStream final : public ByteSource {
 public:
  /// Connects at once, unless told otherwise. Throws Error: not_found for 404, io for what may get better by itself,
  /// input for other answers.
  HttpStream(Dialer& dialer, Clock& clock, const Url& url, StreamOptions options);

  [[nodiscard]] std::size_t read(std::span<char> into) override;
  [[nodiscard]] std::optional<std::uint64_t> size() const override { return size_; }
  [[nodiscard]] std::optional<std::string> piece(std::uint64_t offset, std::uint64_t length) override;

 private:
  struct Answer {
    Connection connection;
    HttpResponse head;
    std::string rest;  ///< the body's first bytes
  };
  [[nodiscard]] Answer request(const std::string& range);
  [[nodiscard]] Answer request_once(const HttpRequest& asked);
  [[nodiscard]] std::string piece_once(Answer answer, std::uint64_t offset, std::uint64_t length);
  void pause_after(const Error& reason, int failures, std::uint64_t position);
  void connect();
  /// The first answer's holds for all that follow.
  [[nodiscard]] bool is_same_file(const HttpResponse& head);
  void skip(std::uint64_t bytes);
  void reconnect(const Error& reason);
  [[nodiscard]] std::size_t read_some(std::span<char> into);

  Dialer& dialer_;
  Clock& clock_;
  Url url_;
  StreamOptions options_;
  std::unique_ptr<Answer> answer_;
  std::uint64_t position_ = 0;
  std::optional<std::uint64_t> size_;
  std::optional<std::string> tag_;  ///< a strong ETag; empty: the server tells none
  int failures_ = 0;
};

}  // namespace hearth::agent::deploy
