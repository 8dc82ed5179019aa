// Messages over a WebSocket (RFC 6455), as a client. MessageDialer is the seam.
#pragma once

#include <memory>
#include <string>

#include "base/clock.hpp"
#include "base/net/dialer.hpp"
#include "base/net/http.hpp"

namespace hearth {

class MessageStream {
 public:
  virtual ~MessageStream() = default;
  /// Both throw Error(io); a deadline that passes is one, too.
  virtual void send(const std::string& text, const Deadline& deadline) = 0;
  [[nodiscard]] virtual std::string receive(const Deadline& deadline) = 0;
};

class MessageDialer {
 public:
  virtual ~MessageDialer() = default;
  /// `url` with the scheme http or https stands for ws or wss. Throws Error.
  [[nodiscard]] virtual std::unique_ptr<MessageStream> dial(const Url& url, const Trust& trust,
                                                            const Deadline& deadline) = 0;
};

class WebSocketDialer final : public MessageDialer {
 public:
  WebSocketDialer(const Clock& clock, const Environment& env, std::string agent)
      : dialer_(clock, env), agent_(std::move(agent)) {}
  [[nodiscard]] std::unique_ptr<MessageStream> dial(const Url& url, const Trust& trust,
                                                    const Deadline& deadline) override;
  void forget_authorities() { dialer_.forget_authorities(); }

 private:
  Dialer dialer_;
  std::string agent_;
};

}  // namespace hearth
