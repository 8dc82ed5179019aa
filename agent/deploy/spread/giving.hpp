// How this machine gives frames to those that ask for them, and how it asks: GET /v1/hearth/image/ROOT with ranges of
// the image's file, each a frame (RFC 9110 section 14), and a token (frames::giving_token). The answer is 206, always
// multipart/byteranges, in the order asked for: a part comes as soon as the frame is here, and before it, while it is
// awaited, a field of the part's head each second, which says that somebody is there. A frame that will not come ends
// the answer.
#pragma once

#include "agent/deploy/rest/server.hpp"
#include "agent/deploy/spread/peers.hpp"
#include "agent/deploy/spread/shelf.hpp"
#include "base/error.hpp"
#include "base/net/dialer.hpp"

namespace hearth::agent::deploy {

constexpr std::size_t k_most_spans = 256;  ///< in one request: some kilobytes of its head

/// The ranges of a Range field; none when it has other things than ranges from somewhere to somewhere, or too many.
[[nodiscard]] std::vector<Span> parse_spans(std::string_view field);

/// `agent_token` is this machine's; empty: nobody is given anything. `shelf` must outlive the answer.
[[nodiscard]] RestAnswer give_frames(const ServedRequest& request, const std::string& agent_token, Shelf& shelf);

/// How long a peer may take.
struct Patience {
  Duration connect = std::chrono::seconds(5);    ///< until it says anything at all
  Duration silence = std::chrono::seconds(5);    ///< between two signs of life
  std::uint64_t bytes_a_second = 128U << 10U;    ///< what a frame must come with, besides `silence`
  Duration dawdling = std::chrono::seconds(10);  ///< who took so long for a frame himself was waited for, maybe in vain

  [[nodiscard]] Duration coming(std::size_t size) const { return silence + needed(size); }
  /// For a frame that the peer has not got itself yet, and says so: it gets half the frames from somebody, each as
  /// slowly as may be, and that one, too. Who has nothing in that time, has nobody to have it from, or says so only.
  [[nodiscard]] Duration waiting(std::size_t size) const { return silence + 4 * needed(size); }

 private:
  [[nodiscard]] Duration needed(std::size_t size) const {
    return std::chrono::milliseconds(size * 1000 / bytes_a_second);
  }
};

/// A peer that is asked no more.
class PeerTrouble : public Error {
 public:
  PeerTrouble(PeerFault fault, const std::string& what) : Error(ErrorKind::io, what), fault_(fault) {}
  [[nodiscard]] PeerFault fault() const { return fault_; }

 private:
  PeerFault fault_;
};

/// One request to a peer, for several frames: they come one behind the other.
class PeerAnswer {
 public:
  /// Throws PeerTrouble.
  PeerAnswer(Dialer& dialer, const Clock& clock, const Peer& peer, const std::string& root, std::vector<Span> spans,
             Patience patience);
  /// The next frame's bytes, unverified; null: the peer has no more of them, or it is not `wanted` any more. Throws
  /// PeerTrouble.
  [[nodiscard]] std::shared_ptr<Buffer> next(const std::function<bool()>& wanted = {});

 private:
  [[nodiscard]] static Connection reach(Dialer& dialer, const Peer& peer, const Url& url, const Deadline& deadline);
  [[nodiscard]] Connection ask(Dialer& dialer, const Peer& peer, const HttpRequest& asked);
  [[nodiscard]] std::shared_ptr<Buffer> read_next(const std::function<bool()>& wanted);
  [[nodiscard]] std::string line(const Deadline& wholly);
  [[nodiscard]] bool more(const Deadline& wholly, std::size_t wanted);
  [[nodiscard]] bool read_part_head(const Deadline& wholly, const std::function<bool()>& wanted);

  const Clock& clock_;
  Patience patience_;
  std::vector<Span> spans_;
  std::size_t next_ = 0;
  std::size_t head_bytes_ = 0;  ///< of the part's head so far, and what stands before it
  std::string rest_;            ///< read, and not looked at yet
  std::string boundary_;
  Connection connection_;
};

}  // namespace hearth::agent::deploy
