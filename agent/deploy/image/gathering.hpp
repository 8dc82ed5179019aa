// Spreading: machines that get the same image give it to each other, so that what the seed sends does not grow with
// their number.
//
// What is exchanged is the frame of a frames file (base/frames): it has a hash of its own in the image's map, and the
// map one, the root, that the conductor told with the order. So a machine needs to trust nobody who gives it a frame,
// and knows at once who gave it a wrong one. A frame is given as soon as it is verified, never before: a wrong one
// stays with who asked for it, and is blamed on who made it.
//
// The plan is the conductor's (bootstrap/conductor/spreading.hpp), and is told with the order and again with each
// answer to a report of progress. The first machine fetches the file from the seed from front to back, as if it were
// alone. To the others the image is two stripes, the even frames and the odd ones, each with its own tree below the
// first machine; who passes on one stripe to two others is a leaf in the other one. So each machine's link carries the
// image once in and about once out, and the last has each frame some frames' time after the first. (One tree of pairs
// would send everything twice over each link, a chain would wait a frame's time for each machine, and machines that ask
// whoever has something take half as long again: they often have the same.)
//
// A stripe is asked for in one request for many ranges (spread/giving.hpp), so a frame waits for no question. What a
// machine is told about whom to ask it may disregard at any time: who does not answer, hangs up, lets wait too long,
// has nothing several times or gives what is no frame is blamed once, to console and conductor, and is asked for
// nothing more; the frame comes from the seed at once, and so do all that follow, until the conductor knows somebody
// else. Who can't be reached is blamed as such while nobody has been: it may be this machine that reaches nobody. A
// server that gives no ranges is asked for the whole file, as ever.
//
// A disk that is slow holds up nobody else: frames that wait for it are on the shelf, up to a third of the memory.
//
// Who asks shows a token that the conductor derives from the giver's own and the image's root: it opens that image and
// no other, nor any order, and ends with the giver's ramdisk. Frames are parts of the image and of nothing else; config
// drives, orders and credentials of servers are in none. By TLS a giver is known by its key, which the conductor tells.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "agent/deploy/image/decoders.hpp"
#include "agent/deploy/spread/giving.hpp"
#include "base/net/dialer.hpp"

namespace hearth::agent::deploy {

/// What this machine has for others, and whom it asks itself.
struct Spread {
  Shelf shelf;
  Peers peers;
};

struct GatherWorld {
  Dialer& dialer;
  const Clock& clock;
  std::function<void(const std::string&)> say;
  Patience patience;
};

/// What is counted.
struct Gathered {
  std::atomic<std::uint64_t>& fetched;     ///< bytes of the file
  std::atomic<std::uint64_t>& from_peers;  ///< of them, those that other machines gave
};

class Gathering {
 public:
  /// A source of pieces for each stripe: the seed.
  using Seeds = std::vector<std::unique_ptr<ByteSource>>;

  Gathering(FrameWritingPtr writing, std::string root, Spread& spread, GatherWorld world, Gathered gathered);

  /// All frames, to the pool. Throws Error when the seed can't give what peers did not.
  void run(const Seeds& seeds);

 private:
  struct Stripe {
    std::size_t number;
    std::span<const std::size_t> left;  ///< frames that are still to come, by number
    ByteSource& seed;
    std::size_t lacking = 0;  ///< blocks in a row that its peer did not have
  };
  void run_stripe(std::size_t number, std::size_t stripes, ByteSource& seed);
  void take_from(const Peer& peer, Stripe& stripe);
  void do_without(const Peer& peer, Stripe& stripe);
  void take_from_seed(Stripe& stripe);
  void accept(Stripe& stripe, const Block& bytes);
  void blame(const Peer& peer, PeerFault fault, const std::string& what);

  FrameWritingPtr writing_;
  std::string root_;
  Spread& spread_;
  GatherWorld world_;
  Gathered gathered_;
  std::vector<Span> spans_;
  std::atomic<bool> ended_{false};  ///< by a failure
};

}  // namespace hearth::agent::deploy
