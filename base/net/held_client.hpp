// Whether the client of an answer that takes long is still there. Who has ended only what he sends (shutdown) looks the
// same as who has closed his socket, until something is sent to him: he takes it, the other's system resets the
// connection. An interim answer (100, RFC 9110 section 15.2) may be sent at any time, and says nothing.
#pragma once

#include <cstdint>

namespace hearth {

/// What it means that a client sends no more.
enum class EndOfSending : std::uint8_t {
  is_probed,
  may_be_half,  ///< he takes no interim answer (HTTP/1.0): he is there until his connection is reset
  is_gone       ///< by TLS, it is a connection that was cut
};

class HeldClient {
 public:
  HeldClient(int socket, EndOfSending end_of_sending) : socket_(socket), end_of_sending_(end_of_sending) {}
  /// To be asked now and then, while nothing else is sent.
  [[nodiscard]] bool has_gone();

 private:
  int socket_;
  EndOfSending end_of_sending_;
};

}  // namespace hearth
