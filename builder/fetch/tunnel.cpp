#include "builder/fetch/tunnel.hpp"

#include <sys/socket.h>

#include <array>
#include <thread>

#include "base/error.hpp"
#include "base/net/connection.hpp"
#include "builder/fetch/answer.hpp"

namespace hearth::builder::fetch {

namespace {

constexpr Duration k_connect_time = std::chrono::seconds(20);
constexpr Duration k_idle_time = std::chrono::seconds(120);
constexpr std::size_t k_tunnel_piece = 16384;

/// The server's half; ends when either side has closed.
void pass_answers(Connection& server, Channel& client, const Clock& clock, const OnFetchedBytes& on_bytes) {
  std::array<char, k_tunnel_piece> buffer{};
  try {
    while (const std::size_t size = server.read(buffer, Deadline::after(k_idle_time, clock))) {
      if (on_bytes) on_bytes(size);
      client.write({buffer.data(), size});
    }
  } catch (const Error&) {  // broken is closed
  }
  ::shutdown(client.socket().get(), SHUT_RDWR);
}

}  // namespace

void tunnel(Channel& client, const Url& server, const Clock& clock, const AddressCheck& check,
            const OnFetchedBytes& on_bytes) {
  std::optional<Connection> connection;
  try {
    connection = Connection::open(server, Deadline::after(k_connect_time, clock), clock, check);
  } catch (const Error& error) {
    client.write(own_answer(502, error.what()));
    return;
  }
  client.write("HTTP/1.1 200 Connection established\r\n\r\n");
  std::jthread answers([&] { pass_answers(*connection, client, clock, on_bytes); });
  std::array<char, k_tunnel_piece> buffer{};
  try {
    while (const std::size_t size = client.read(buffer)) {
      connection->write({buffer.data(), size}, Deadline::after(k_idle_time, clock));
    }
  } catch (const Error&) {  // the other half notices by itself
  }
}

}  // namespace hearth::builder::fetch
