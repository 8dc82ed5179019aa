#include "pxe/tftp/server.hpp"

#include <sys/epoll.h>

#include <algorithm>
#include <thread>

#include "base/error.hpp"
#include "base/text.hpp"
#include "pxe/net/udp.hpp"
#include "pxe/tftp/netascii.hpp"
#include "pxe/tftp/transfer.hpp"

namespace hearth::pxe::tftp {

namespace {

constexpr std::size_t k_netascii_limit = std::size_t{16} << 20U;
constexpr int k_receive_buffer = 4 << 20;  ///< a hall that is powered on asks all at once
constexpr int k_requests_a_turn = 64;

ErrorCode code_for(Refusal::Kind kind) {
  return kind == Refusal::Kind::not_found ? ErrorCode::not_found : ErrorCode::access;
}

/// A hall that boots at once answers late, and some clients (atftp) take a second OACK for an error.
Duration first_wait(std::size_t running) {
  return std::min<Duration>(std::chrono::seconds(5), std::chrono::seconds(1) + running * std::chrono::milliseconds(8));
}

bool is_unknown(const Packet& packet) {
  const auto* other = std::get_if<Other>(&packet);
  return other != nullptr && other->opcode > 6;
}

/// The content with netascii's line ends; nothing when it is too long to be text.
std::optional<Content> as_netascii(const Content& content) {
  if (content.size() > k_netascii_limit) return std::nullopt;
  std::string bytes(static_cast<std::size_t>(content.size()), '\0');
  bytes.resize(content.read(0, bytes));
  return Content::of_bytes(to_netascii(bytes));
}

}  // namespace

Server::Server(Reactor& reactor, ContentSource& source, RequestLog& log, Quota& quota, Limits limits)
    : reactor_(reactor), source_(source), log_(log), quota_(quota), limits_(limits) {
  // A client that is served alone waits for each of our wake-ups; while processors are idle, nobody pays for sparing
  // them.
  reactor_.look_before_waiting([this, processors = std::thread::hardware_concurrency()] {
    return !transfers_.empty() && quota_.running() < processors;
  });
}

Server::~Server() {
  for (const Fd& socket : sockets_) reactor_.forget(socket.get(), *this);
}

Endpoint Server::listen(const Endpoint& local, const std::string& device, bool shared) {
  Fd socket = open_udp(local, {.device = device, .receive_buffer = k_receive_buffer, .share_port = shared});
  const Endpoint bound = local_endpoint(socket);
  reactor_.watch(socket.get(), EPOLLIN, *this);
  sockets_.push_back(std::move(socket));
  return bound;
}

void Server::ready(std::uint32_t /*events*/) {
  finished_.clear();
  std::array<char, k_request_limit + 1> buffer;  // NOLINT(cppcoreguidelines-pro-type-member-init): filled by read
  for (const Fd& socket : sockets_) {
    for (int requests = 0; requests < k_requests_a_turn; ++requests) {
      const std::optional<Datagram> datagram = receive(socket, buffer);
      if (!datagram) break;
      handle(socket, {datagram->from, datagram->local}, {buffer.data(), datagram->size});
    }
  }
}

void Server::handle(const Fd& socket, const Peer& peer, std::string_view bytes) {
  if (peer.client.port == 0 || peer.client.port == 69) return;  // nobody asks from there; two servers must not chat
  const std::optional<Packet> packet = parse_packet(bytes);
  if (!packet || std::holds_alternative<ErrorPacket>(*packet) || is_unknown(*packet)) return;
  const auto* request = std::get_if<Request>(&*packet);
  if (request == nullptr) return refuse(socket, peer, "", ErrorCode::illegal, "Not a request");
  const auto running = transfers_.find(peer.client);
  if (running != transfers_.end()) return running->second.transfer->asked_again();
  serve(socket, peer, *request);
}

void Server::serve(const Fd& socket, const Peer& peer, const Request& request) {
  const auto no = [&](ErrorCode code, std::string_view text) { refuse(socket, peer, request.name, code, text); };
  if (request.write) return no(ErrorCode::access, "This server only reads");
  if (request.mode != "octet" && request.mode != "netascii") return no(ErrorCode::illegal, "Unknown mode");
  if (request.name.empty()) return no(ErrorCode::illegal, "No file name");
  const std::optional<std::string> name = normalise_name(request.name);
  if (!name) return no(ErrorCode::access, "Access denied");
  std::optional<Quota::Place> place = quota_.take(peer.client.address);
  if (!place) return no(ErrorCode::undefined, "Too many transfers");
  std::variant<Content, Refusal> found = source_.open({*name, peer.client.address, peer.local, Protocol::tftp});
  if (const auto* refusal = std::get_if<Refusal>(&found)) return no(code_for(refusal->kind), refusal->text);
  Content& content = std::get<Content>(found);
  if (request.mode == "netascii") {
    std::optional<Content> text = as_netascii(content);
    if (!text) return no(ErrorCode::undefined, "Too long for netascii");
    content = std::move(*text);
  }
  start(peer, request, std::move(content), std::move(*place));
}

void Server::start(const Peer& peer, const Request& request, Content content, Quota::Place place) {
  const Terms terms = negotiate(request.options, content.size(), limits_);
  const MonotonicTime began = reactor_.now();
  const auto record = [this, peer, name = request.name, began](const Outcome& outcome) {
    log_.record({.protocol = "tftp",
                 .client = peer.client.address,
                 .what = name,
                 .outcome = outcome.text,
                 .good = outcome.good,
                 .bytes = outcome.bytes,
                 .took = reactor_.now() - began});
    ended(peer.client);
  };
  try {
    auto transfer = std::make_unique<Transfer>(
        reactor_,
        Transfer::Start{{peer.local, 0}, peer.client, std::move(content), terms, first_wait(quota_.running())}, buffer_,
        record);
    const std::uint64_t serial = ++serials_;
    wake_at(transfer->deadline(), peer.client, serial);
    transfers_[peer.client] = {serial, std::move(transfer), std::move(place)};
    counted();
  } catch (const Error& error) {  // no descriptor is left: the client will ask again
    log_.record({.protocol = "tftp",
                 .client = peer.client.address,
                 .what = request.name,
                 .outcome = error.what(),
                 .good = false});
  }
}

void Server::wake_at(MonotonicTime when, Endpoint client, std::uint64_t serial) {
  reactor_.at(when, [this, client, serial] {
    const auto running = transfers_.find(client);
    if (running == transfers_.end() || running->second.serial != serial) return;
    const std::optional<MonotonicTime> next = running->second.transfer->check_time();
    if (next) wake_at(*next, client, serial);
  });
}

void Server::ended(const Endpoint& client) {
  const auto running = transfers_.find(client);
  if (running == transfers_.end()) return;
  finished_.push_back(std::move(running->second.transfer));
  transfers_.erase(running);
  counted();
  if (finished_.size() == 1) reactor_.at(reactor_.now(), [this] { finished_.clear(); });
}

void Server::counted() { buffer_.fill_ahead(transfers_.size() == 1); }

void Server::refuse(const Fd& socket, const Peer& peer, const std::string& name, ErrorCode code,
                    std::string_view text) {
  // From a port of its own, as every answer (RFC 1350 section 4); from the listening one where there is none left.
  const std::string packet = error_packet(code, text);
  try {
    send_to(open_udp({peer.local, 0}), peer.client, packet);
  } catch (const Error&) {
    send_to(socket, peer.client, packet);
  }
  log_.record(
      {.protocol = "tftp", .client = peer.client.address, .what = name, .outcome = std::string(text), .good = false});
}

}  // namespace hearth::pxe::tftp
