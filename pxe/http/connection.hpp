// One client's connection: reads a head, sends the answer, and again. It belongs to the server.
#pragma once

#include <optional>
#include <string>

#include "pxe/http/exchange.hpp"
#include "pxe/http/server.hpp"
#include "pxe/http/wire.hpp"
#include "pxe/serve/content.hpp"

namespace hearth::pxe::http {

class Connection final : public Watcher {
 public:
  /// `rate` is what all connections of this client share; it outlives them.
  Connection(Server& server, Fd socket, std::unique_ptr<Wire> wire, const Endpoint& client, Ipv4 local,
             std::uint64_t serial, Bucket& rate);
  ~Connection() override;

  void ready(std::uint32_t events) override;
  /// Goes on after a pause for the rate's sake.
  void resume();
  /// Ends when nothing has moved for too long.
  void check_idle();
  [[nodiscard]] const Endpoint& client() const { return client_; }

 private:
  void read();
  void answer_next();
  void answer(const Ask& ask);
  /// Sends what it can. True when the answer is complete.
  [[nodiscard]] bool send();
  [[nodiscard]] bool send_text();
  [[nodiscard]] bool send_body();
  void proceed();
  void finish_request(bool good, std::string outcome);
  void end(const char* why);
  void wait_for(std::uint32_t events);
  /// True when the step is done; else waits for what it wants, or ends.
  [[nodiscard]] bool is_done(const Wire::Step& step);

  Server& server_;
  Fd socket_;
  std::unique_ptr<Wire> wire_;  ///< destroyed before the socket
  Endpoint client_;
  Ipv4 local_;
  std::uint64_t serial_;
  std::string input_;
  std::string text_;  ///< still to be sent, before the body
  std::optional<Content> content_;
  Part left_;  ///< of the content
  Bucket& bucket_;
  bool busy_ = false;  ///< with an answer
  bool close_after_ = false;
  bool ended_ = false;
  int status_ = 0;
  std::uint64_t sent_ = 0;
  std::string what_;
  std::uint32_t events_ = 0;
  MonotonicTime began_;
  MonotonicTime active_;
};

}  // namespace hearth::pxe::http
