// A client's end for the tests of the TFTP server: a socket on loopback, and a source of named contents.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "pxe/net/reactor.hpp"
#include "pxe/net/udp.hpp"
#include "pxe/serve/content.hpp"
#include "pxe/serve/request_log.hpp"
#include "tests/fakes/manual_clock.hpp"

namespace hearth::pxe::tftp {

constexpr Ipv4 k_loopback{0x7f000001};

struct NamedContents final : ContentSource {
  std::map<std::string, std::string> contents;
  std::vector<ContentRequest> asked;
  [[nodiscard]] std::variant<Content, Refusal> open(const ContentRequest& request) override {
    asked.push_back(request);
    const auto found = contents.find(request.name);
    if (found == contents.end()) return Refusal{Refusal::Kind::not_found, "File not found"};
    return Content::of_bytes(found->second);
  }
};

struct KeptRecords final : RequestLog {
  std::vector<RequestRecord> records;
  void record(const RequestRecord& record) noexcept override { records.push_back(record); }
};

/// A socket that remembers who answered it last.
class Client {
 public:
  void send(const Endpoint& to, std::string_view bytes) { ASSERT_TRUE(send_to(socket_, to, bytes)); }
  /// Answers the port that spoke last: the transfer's.
  void answer(std::string_view bytes) { send(peer_, bytes); }
  void ack(std::uint16_t block) {
    const std::array<char, 4> packet{0, 4, static_cast<char>(block >> 8U), static_cast<char>(block & 255U)};
    answer({packet.data(), packet.size()});
  }
  /// The packets that have come, in order.
  std::vector<std::string> take() {
    std::vector<std::string> packets;
    std::vector<char> buffer(70000);
    while (const std::optional<Datagram> datagram = receive(socket_, buffer)) {
      peer_ = datagram->from;
      packets.emplace_back(buffer.data(), datagram->size);
    }
    return packets;
  }
  [[nodiscard]] const Endpoint& peer() const { return peer_; }
  void set_peer(const Endpoint& peer) { peer_ = peer; }

 private:
  Fd socket_ = open_udp({k_loopback, 0});
  Endpoint peer_;
};

}  // namespace hearth::pxe::tftp
