// HttpReader: an HTTP/1.1 answer out of bytes as they come (RFC 9112). Pure: it knows no socket. Strict where leniency
// is dangerous (lengths, framing), lenient where servers are sloppy (lone LF at a line's end, a missing reason).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/net/http.hpp"

namespace hearth {

/// What the request makes of its answer.
struct AnswerLimits {
  bool to_head = false;                             ///< an answer to HEAD has no body, whatever its length says
  bool to_connect = false;                          ///< nor has a 2xx to CONNECT
  std::size_t body_limit = std::size_t{64} << 20U;  ///< bytes
  std::size_t header_limit = std::size_t{64} << 10U;
  BodySink* sink = nullptr;  ///< takes the body in place of HttpResponse::body
};

class HttpReader {
 public:
  explicit HttpReader(const AnswerLimits& limits) : limits_(limits) {}

  /// The next bytes from the server. After done() or a problem they are kept for rest(), or forgotten.
  void feed(std::string_view bytes);
  /// The server has closed the connection: the end of a body without a length, a problem otherwise.
  void finish();

  [[nodiscard]] bool done() const { return state_ == State::done; }
  /// Why this is no complete answer; empty as long as all is well.
  [[nodiscard]] const std::string& problem() const { return problem_; }
  /// Complete when done(). Its url is not set.
  [[nodiscard]] HttpResponse& response() { return response_; }
  /// What came behind the answer (a tunnel's or websocket's first bytes).
  [[nodiscard]] const std::string& rest() const { return pending_; }

 private:
  enum class State { status, headers, counted, chunk_size, chunk, chunk_end, trailers, endless, done, broken };

  void fail(std::string problem);
  bool step();
  bool take_line();
  void read_line(std::string_view line);
  void read_status(std::string_view line);
  void read_header(std::string_view line);
  void end_headers();
  void read_chunk_size(std::string_view line);
  bool take_body();
  void grow_body(std::string_view bytes);

  AnswerLimits limits_;
  State state_ = State::status;
  HttpResponse response_;
  std::string pending_;         ///< not yet understood
  std::size_t head_bytes_ = 0;  ///< of status line, headers and trailers
  std::uint64_t left_ = 0;      ///< of the body or chunk
  std::size_t body_bytes_ = 0;
  std::string problem_;
};

}  // namespace hearth
