#include "base/net/web_socket.hpp"

#include "base/error.hpp"
#include "base/hmac.hpp"
#include "base/net/http_reader.hpp"
#include "base/net/web_socket_frames.hpp"
#include "base/sys/random.hpp"
#include "base/text.hpp"

namespace hearth {

namespace {

/// Fresh for each frame (RFC 6455 section 5.3).
std::array<unsigned char, 4> random_mask() {
  const std::string digits = random_hex(4);
  std::array<unsigned char, 4> mask{};
  for (std::size_t i = 0; i < mask.size(); ++i) {
    mask[i] = static_cast<unsigned char>(std::stoi(digits.substr(2 * i, 2), nullptr, 16));
  }
  return mask;
}

class WebSocket final : public MessageStream {
 public:
  WebSocket(Connection connection, std::string name, std::string_view first_bytes)
      : connection_(std::move(connection)), name_(std::move(name)) {
    reader_.feed(first_bytes);
  }

  void send(const std::string& text, const Deadline& deadline) override {
    connection_.write(client_frame({WebSocketOpcode::text, text}, random_mask()), deadline);
  }

  std::string receive(const Deadline& deadline) override {
    while (true) {
      WebSocketMessage message = next(deadline);
      if (message.opcode == WebSocketOpcode::ping) {
        connection_.write(client_frame({WebSocketOpcode::pong, message.payload}, random_mask()), deadline);
      } else if (message.opcode == WebSocketOpcode::close) {
        throw Error(ErrorKind::io, cat("reading from ", name_, ": the server closed the connection"));
      } else if (message.opcode != WebSocketOpcode::pong) {
        return std::move(message.payload);
      }
    }
  }

 private:
  WebSocketMessage next(const Deadline& deadline) {
    std::array<char, 16384> buffer{};
    while (true) {
      if (std::optional<WebSocketMessage> message = reader_.next()) return *std::move(message);
      if (!reader_.problem().empty()) throw Error(ErrorKind::io, cat("reading from ", name_, ": ", reader_.problem()));
      const std::size_t size = connection_.read(buffer, deadline);
      if (size == 0) throw Error(ErrorKind::io, cat("reading from ", name_, ": the server closed the connection"));
      reader_.feed({buffer.data(), size});
    }
  }

  Connection connection_;
  std::string name_;
  WebSocketReader reader_;
};

HttpReader read_handshake(Connection& connection, const Deadline& deadline) {
  HttpReader reader({});
  std::array<char, 4096> buffer{};
  while (!reader.done() && reader.problem().empty()) {
    const std::size_t size = connection.read(buffer, deadline);
    size == 0 ? reader.finish() : reader.feed({buffer.data(), size});
  }
  return reader;
}

}  // namespace

std::unique_ptr<MessageStream> WebSocketDialer::dial(const Url& url, const Trust& trust, const Deadline& deadline) {
  Connection connection = dialer_.dial(url, trust, deadline);
  const std::string key = base64_encode(random_hex(8));
  connection.write(
      cat("GET ", url.target(), " HTTP/1.1\r\nHost: ", url.authority(), "\r\nUser-Agent: ", agent_,
          "\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ", key,
          "\r\n\r\n"),
      deadline);
  HttpReader reader = read_handshake(connection, deadline);
  const HttpResponse& answer = reader.response();
  const bool accepted = reader.problem().empty() && answer.status == 101 &&
                        find_header(answer.headers, "Sec-WebSocket-Accept") == web_socket_accept(key);
  if (!accepted) {
    throw Error(ErrorKind::io,
                cat("opening a WebSocket to ", url.masked(), ": ",
                    reader.problem().empty() ? cat("the server answered ", answer.status) : reader.problem()));
  }
  return std::make_unique<WebSocket>(std::move(connection), url.authority(), reader.rest());
}

}  // namespace hearth
