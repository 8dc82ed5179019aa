#include "pxe/tftp/transfer.hpp"

#include <netinet/in.h>
#include <netinet/udp.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include <array>
#include <cstring>

#include "base/text.hpp"
#include "pxe/net/udp.hpp"

namespace hearth::pxe::tftp {

namespace {

constexpr std::size_t k_datagram_limit = 65507;
constexpr std::size_t k_ahead = std::size_t{16} << 10U;  ///< bytes that a small window reads at once
constexpr std::size_t k_segments = 64;                   ///< most that one UDP_SEGMENT send may make (UDP_MAX_SEGMENTS)

/// Sends to the socket's peer, with the kernel cutting the bytes into datagrams of `segment` where that is not 0.
bool send_cut(const Fd& socket, std::span<const char> bytes, std::size_t segment) {
  iovec part{const_cast<char*>(bytes.data()), bytes.size()};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(std::uint16_t))> control{};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  if (segment != 0) {
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    cmsghdr* header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_UDP;
    header->cmsg_type = UDP_SEGMENT;
    header->cmsg_len = CMSG_LEN(sizeof(std::uint16_t));
    const auto size = static_cast<std::uint16_t>(segment);
    std::memcpy(CMSG_DATA(header), &size, sizeof size);
  }
  return ::sendmsg(socket.get(), &message, 0) >= 0;
}

/// Whether the failure says "not on this path" rather than "not now".
bool is_refusal(int error_number) { return error_number == EINVAL || error_number == EIO || error_number == EMSGSIZE; }

}  // namespace

Transfer::Transfer(Reactor& reactor, Start start, BurstBuffer& buffer, std::function<void(const Outcome&)> ended)
    : reactor_(reactor),
      start_(std::move(start)),
      buffer_(buffer),
      owner_(buffer.new_owner()),
      ended_(std::move(ended)),
      socket_(open_udp(start_.local)),
      strangers_(reactor, socket_, start_.client),
      sender_(start_.content.size() / start_.terms.block_size + 1, start_.terms.window, !start_.terms.accepted.empty()),
      patience_(start_.terms.timeout_s, start_.first_wait) {
  reactor_.watch(socket_.get(), EPOLLIN, *this);
  send_first();
}

Transfer::~Transfer() { reactor_.forget(socket_.get(), *this); }

void Transfer::send_first() {
  if (sender_.awaits_oack()) {
    send_to(socket_, start_.client, oack(start_.terms.accepted));
    sent_at_ = reactor_.now();
  } else {
    send(sender_.again());
  }
  arm();
}

void Transfer::asked_again() {
  if (sender_.acknowledged_blocks() == 0 && !patience_.is_repeating()) send_first();
}

void Transfer::send(const Burst& burst) {
  if (burst.count == 0) return;
  const std::span<const char> packets = fill(burst);
  if (packets.empty()) {
    send_to(socket_, start_.client, error_packet(ErrorCode::undefined, "The file changed"));
    return;  // the timer ends it
  }
  send_segments(packets, start_.terms.block_size + k_data_head);
  sent_at_ = reactor_.now();
  if (buffer_.fills_ahead()) fill_ahead();  // while the client is busy with these
}

std::span<const char> Transfer::fill(const Burst& burst) {
  return buffer_.fill(owner_, start_.content, start_.terms.block_size, burst);
}

void Transfer::fill_ahead() {
  const Burst next = sender_.expected(start_.terms.window);
  if (next.count == 0 || buffer_.holds(owner_, next)) return;
  (void)fill(sender_.expected(std::max<std::uint64_t>(start_.terms.window, k_ahead / start_.terms.block_size)));
}

void Transfer::send_segments(std::span<const char> rest, std::size_t segment) {
  while (!rest.empty()) {
    const std::size_t most = segments_offloaded_ ? std::min(k_datagram_limit / segment, k_segments) * segment : segment;
    const std::span<const char> now = rest.first(std::min(rest.size(), std::max(most, segment)));
    const bool cut = now.size() > segment;
    if (!send_cut(socket_, now, cut ? segment : 0) && cut && is_refusal(errno)) {
      segments_offloaded_ = false;  // the path has no checksum offload, or the segments don't fit its packets
      continue;
    }
    rest = rest.subspan(now.size());  // what the kernel did not take is lost, as on the wire: the client will tell
  }
}

void Transfer::ready(std::uint32_t /*events*/) {
  std::array<char, 512> buffer;  // NOLINT(cppcoreguidelines-pro-type-member-init): filled by read
  for (int packets = 0; packets < 8; ++packets) {
    const ssize_t size = ::recv(socket_.get(), buffer.data(), buffer.size(), 0);
    if (size < 0) return;
    if (!handle({buffer.data(), static_cast<std::size_t>(size)})) return;
    if (start_.terms.window == 1) return;  // in lock-step there is nothing more to come
  }
}

/// False when the transfer has ended: it may be gone.
bool Transfer::handle(std::string_view bytes) {
  const std::optional<Packet> packet = parse_packet(bytes);
  if (!packet) return true;
  if (const auto* ack = std::get_if<Ack>(&*packet)) return handle_ack(ack->block);
  if (const auto* error = std::get_if<ErrorPacket>(&*packet)) {
    // OVMF and others ask for the size only, and stop with error 8: that is a request well served.
    const bool probe = error->code == static_cast<std::uint16_t>(ErrorCode::option_refused) && sender_.awaits_oack();
    finish(probe, probe ? "only asked for the size" : cat("the client stopped: error ", error->code, " ", error->text));
    return false;
  }
  return true;
}

bool Transfer::handle_ack(std::uint16_t block) {
  const std::uint64_t before = sender_.acknowledged_blocks();
  const bool awaited = sender_.awaits_oack();
  const Burst burst = sender_.acknowledged(block);
  if (sender_.acknowledged_blocks() != before || awaited != sender_.awaits_oack()) {
    const Duration round_trip = reactor_.now() - sent_at_;
    patience_.answered(patience_.is_repeating() ? std::nullopt : std::optional(round_trip));
    arm();
  }
  if (sender_.finished()) {
    finish(true, "done");
    return false;
  }
  send(burst);
  return true;
}

std::optional<MonotonicTime> Transfer::check_time() {
  if (reactor_.now() < deadline_) return deadline_;
  if (!patience_.waited_in_vain()) {
    send_to(socket_, start_.client, error_packet(ErrorCode::undefined, "Timed out"));
    finish(false, "the client fell silent");
    return std::nullopt;
  }
  if (sender_.awaits_oack()) {
    send_to(socket_, start_.client, oack(start_.terms.accepted));
  } else {
    send(sender_.again());
  }
  arm();
  return deadline_;
}

void Transfer::finish(bool good, std::string text) {
  const std::uint64_t sent = std::min(sender_.acknowledged_blocks() * start_.terms.block_size, start_.content.size());
  const auto ended = std::move(ended_);  // it may destroy this object, and with it itself
  ended({good, std::move(text), sent});
}

}  // namespace hearth::pxe::tftp
