#include "base/net/web_socket.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/hmac.hpp"
#include "base/net/http_exchange.hpp"
#include "base/net/web_socket_frames.hpp"
#include "base/sys/random.hpp"
#include "base/text.hpp"

namespace hearth {

namespace {

/// Fresh for each frame (RFC 6455 section 5.3).
std::array<unsigned char, 4> random_mask() {
  std::array<unsigned char, 4> mask{};
  const std::string bytes = random_bytes(mask.size());
  std::copy(bytes.begin(), bytes.end(), mask.begin());
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

}  // namespace

std::unique_ptr<MessageStream> WebSocketDialer::dial(const Url& url, const Trust& trust, const Deadline& deadline) {
  Connection connection = dialer_.dial(url, trust, deadline, Dialer::Tunnel::always);
  const std::string key = base64_encode(random_hex(8));
  const HttpRequest asked{.url = url,
                          .headers = {{"Upgrade", "websocket"},
                                      {"Connection", "Upgrade"},
                                      {"Sec-WebSocket-Version", "13"},
                                      {"Sec-WebSocket-Key", key}}};
  HttpReader reader({});
  try {
    connection.write(request_head(asked, std::nullopt, agent_), deadline);
    read_answer(connection, reader, [&deadline] { return deadline; });
    const HttpResponse& answer = reader.response();
    if (answer.status != 101 || find_header(answer.headers, "Sec-WebSocket-Accept") != web_socket_accept(key)) {
      throw Error(ErrorKind::io, cat("the server answered ", answer.status));
    }
  } catch (const Error& error) {
    throw Error(error.kind(), cat("opening a WebSocket to ", url.masked(), ": ", error.what()));
  }
  return std::make_unique<WebSocket>(std::move(connection), url.authority(), reader.rest());
}

}  // namespace hearth
