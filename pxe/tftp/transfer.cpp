#include "pxe/tftp/transfer.hpp"

#include <arpa/inet.h>
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
constexpr std::size_t k_segments = 64;  ///< most that one UDP_SEGMENT send may make (UDP_MAX_SEGMENTS)

/// A message to one address, with the kernel cutting it into datagrams of `segment` bytes where that is not 0.
bool send_cut(const Fd& socket, const Endpoint& to, std::span<const char> bytes, std::size_t segment) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(to.port);
  address.sin_addr.s_addr = htonl(to.address.value);
  iovec part{const_cast<char*>(bytes.data()), bytes.size()};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(std::uint16_t))> control{};
  msghdr message{};
  message.msg_name = &address;
  message.msg_namelen = sizeof address;
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

Transfer::Transfer(Reactor& reactor, Start start, std::vector<char>& scratch, std::function<void(const Outcome&)> ended)
    : reactor_(reactor),
      start_(std::move(start)),
      scratch_(scratch),
      ended_(std::move(ended)),
      socket_(open_udp(start_.local)),
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

bool Transfer::fill(const Burst& burst) {
  const std::uint32_t block_size = start_.terms.block_size;
  const std::size_t slot = k_data_head + block_size;
  if (scratch_.size() < burst.count * slot) scratch_.resize(burst.count * slot);
  // One read for the whole burst, to the end of the room; the blocks then move to their places from the front.
  const std::uint64_t offset = (burst.first - 1) * block_size;
  const std::size_t wanted =
      static_cast<std::size_t>(std::min<std::uint64_t>(burst.count * block_size, start_.content.size() - offset));
  char* const data = scratch_.data() + burst.count * k_data_head;
  if (start_.content.read(offset, {data, wanted}) != wanted) return false;
  for (std::size_t at = 0; at < burst.count; ++at) {
    char* const place = scratch_.data() + at * slot;
    const std::size_t begin = std::min(at * block_size, wanted);
    const std::size_t size = std::min<std::size_t>(block_size, wanted - begin);
    if (place + k_data_head != data + begin) std::memmove(place + k_data_head, data + begin, size);
    write_data_head(place, static_cast<std::uint16_t>(burst.first + at));
  }
  return true;
}

void Transfer::send(const Burst& burst) {
  if (burst.count == 0) return;
  if (!fill(burst)) {
    send_to(socket_, start_.client, error_packet(ErrorCode::undefined, "The file changed"));
    return;  // the timer ends it
  }
  const std::uint32_t block_size = start_.terms.block_size;
  const std::uint64_t end =
      std::min<std::uint64_t>((burst.first - 1 + burst.count) * block_size, start_.content.size());
  const std::size_t bytes = static_cast<std::size_t>(end - (burst.first - 1) * block_size) + burst.count * k_data_head;
  send_segments(bytes, block_size + k_data_head);
  sent_at_ = reactor_.now();
}

void Transfer::send_segments(std::size_t bytes, std::size_t segment) {
  std::span<const char> rest(scratch_.data(), bytes);
  while (!rest.empty()) {
    const std::size_t most = segments_offloaded_ ? std::min(k_datagram_limit / segment, k_segments) * segment : segment;
    const std::span<const char> now = rest.first(std::min(rest.size(), std::max(most, segment)));
    const bool cut = now.size() > segment;
    if (!send_cut(socket_, start_.client, now, cut ? segment : 0) && cut && is_refusal(errno)) {
      segments_offloaded_ = false;  // the path has no checksum offload, or the segments don't fit its packets
      continue;
    }
    rest = rest.subspan(now.size());  // what the kernel did not take is lost, as on the wire: the client will tell
  }
}

void Transfer::ready(std::uint32_t /*events*/) {
  std::array<char, 512> buffer;
  sockaddr_in from{};
  for (int packets = 0; packets < 8; ++packets) {
    socklen_t length = sizeof from;
    const ssize_t size =
        ::recvfrom(socket_.get(), buffer.data(), buffer.size(), 0, reinterpret_cast<sockaddr*>(&from), &length);
    if (size < 0) return;
    const Endpoint sender{{ntohl(from.sin_addr.s_addr)}, ntohs(from.sin_port)};
    if (!handle({buffer.data(), static_cast<std::size_t>(size)}, sender)) return;
    if (start_.terms.window == 1) return;  // in lock-step there is nothing more to come
  }
}

/// False when the transfer has ended: it may be gone.
bool Transfer::handle(std::string_view bytes, const Endpoint& from) {
  if (from != start_.client) {
    send_to(socket_, from, error_packet(ErrorCode::unknown_transfer, "Unknown transfer"));
    return true;
  }
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
