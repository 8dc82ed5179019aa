// One file on its way to one client: a socket of its own (the transfer's identity, RFC 1350 section 4), the window, the
// timer. It belongs to the server, which is told when it ends.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>

#include "pxe/net/reactor.hpp"
#include "pxe/serve/content.hpp"
#include "pxe/tftp/burst_buffer.hpp"
#include "pxe/tftp/patience.hpp"
#include "pxe/tftp/sender.hpp"
#include "pxe/tftp/strangers.hpp"
#include "pxe/tftp/terms.hpp"

namespace hearth::pxe::tftp {

/// How a transfer ended.
struct Outcome {
  bool good = false;
  std::string text;  ///< "done", "the client stopped: …", "the client fell silent"
  std::uint64_t bytes = 0;
};

class Transfer final : public Watcher {
 public:
  struct Start {
    Endpoint local;  ///< port 0
    Endpoint client;
    Content content;
    Terms terms;
    Duration first_wait = std::chrono::seconds(1);  ///< before the first answer is sent again
  };
  /// Sends the first packet. `ended` is called once, from the reactor; it may destroy the transfer. Throws Error when
  /// there is no socket to be had.
  Transfer(Reactor& reactor, Start start, BurstBuffer& buffer, std::function<void(const Outcome&)> ended);
  ~Transfer() override;

  void ready(std::uint32_t events) override;
  /// The client asks once more: it has not seen the first answer.
  void asked_again();
  /// Repeats or gives up when the time has come; the time at which to ask next, or nothing when it has ended.
  [[nodiscard]] std::optional<MonotonicTime> check_time();
  [[nodiscard]] MonotonicTime deadline() const { return deadline_; }

 private:
  void send_first();
  void send(const Burst& burst);
  [[nodiscard]] std::span<const char> fill(const Burst& burst);
  void fill_ahead();
  void send_segments(std::span<const char> rest, std::size_t segment);
  [[nodiscard]] bool handle(std::string_view bytes);
  [[nodiscard]] bool handle_ack(std::uint16_t block);
  void finish(bool good, std::string text);
  void arm() { deadline_ = reactor_.now() + patience_.wait(); }

  Reactor& reactor_;
  Start start_;
  BurstBuffer& buffer_;  ///< the server's
  std::uint64_t owner_;  ///< this transfer's name in it
  std::function<void(const Outcome&)> ended_;
  Fd socket_;
  Strangers strangers_;
  Sender sender_;
  Patience patience_;
  MonotonicTime sent_at_;
  MonotonicTime deadline_;
  bool segments_offloaded_ = true;  ///< until the kernel refuses UDP_SEGMENT here
};

}  // namespace hearth::pxe::tftp
