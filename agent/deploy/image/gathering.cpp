#include "agent/deploy/image/gathering.hpp"

#include <algorithm>
#include <cstring>

#include "base/error.hpp"
#include "base/text.hpp"

namespace hearth::agent::deploy {

Gathering::Gathering(FrameWritingPtr writing, std::string root, Spread& spread, GatherWorld world, Gathered gathered)
    : writing_(std::move(writing)),
      root_(std::move(root)),
      spread_(spread),
      world_(std::move(world)),
      gathered_(gathered),
      spans_(spans_of(writing_->head, writing_->map)) {}

void Gathering::run(const Seeds& seeds) {
  std::mutex lock;
  std::exception_ptr failure;
  const auto guarded = [&](std::size_t stripe) {
    try {
      run_stripe(stripe, seeds.size(), *seeds[stripe]);
    } catch (...) {
      ended_ = true;
      const std::lock_guard guard(lock);
      if (!failure) failure = std::current_exception();
    }
  };
  std::vector<std::thread> threads;
  try {
    for (std::size_t stripe = 1; stripe < seeds.size(); ++stripe)
      threads.push_back(started([&guarded, stripe] { guarded(stripe); }));
  } catch (const Error&) {
    ended_ = true;
    failure = std::current_exception();
  }
  if (!ended_) guarded(0);
  for (std::thread& thread : threads) thread.join();
  if (failure) std::rethrow_exception(failure);
}

void Gathering::run_stripe(std::size_t stripe, std::size_t stripes, ByteSource& seed) {
  std::vector<std::size_t> wanted;
  for (std::size_t frame = stripe; frame < spans_.size(); frame += stripes) wanted.push_back(frame);
  std::span<const std::size_t> left(wanted);
  while (!left.empty() && !ended_) {
    const std::optional<Peer> peer = spread_.peers.asked_for(stripe);
    if (peer) {
      left = left.subspan(take_from(*peer, stripe, left, seed));
    } else {
      take_from_seed(left.front(), seed);
      left = left.subspan(1);
    }
  }
}

std::size_t Gathering::take_from(const Peer& peer, std::size_t stripe, std::span<const std::size_t> wanted,
                                 ByteSource& seed) {
  std::size_t taken = 0;
  try {
    wanted = wanted.first(std::min(wanted.size(), k_most_spans));
    std::vector<Span> spans;
    for (const std::size_t frame : wanted) spans.push_back(spans_[frame]);
    PeerAnswer answer(world_.dialer, world_.clock, peer, root_, std::move(spans), world_.patience);
    const auto is_asked = [&] { return !ended_ && spread_.peers.asked_for(stripe) == peer; };
    while (taken < wanted.size() && is_asked()) {
      const std::shared_ptr<Buffer> bytes = answer.next(is_asked);
      if (!bytes && !is_asked()) break;
      if (!bytes) {  // it has forgotten that one, or will not have it; maybe it has the next
        take_from_seed(wanted[taken], seed);
        return taken + 1;
      }
      if (!is_frame(writing_->map[wanted[taken]], bytes->text())) {
        blame(peer, PeerFault::wrong, cat("block ", writing_->map[wanted[taken]].block, " is not the image's"));
        break;
      }
      gathered_.from_peers += bytes->used;
      accept(wanted[taken], bytes);
      ++taken;
    }
  } catch (const PeerTrouble& trouble) {
    blame(peer, trouble.fault(), trouble.what());
  }
  return taken;
}

void Gathering::take_from_seed(std::size_t frame, ByteSource& seed) {
  const Span& span = spans_[frame];
  const std::optional<std::string> bytes = seed.piece(span.first, span.last - span.first + 1);
  if (!bytes) throw Error(ErrorKind::io, cat(writing_->to.name, ": the server answers no ranges any more"));
  if (!is_frame(writing_->map[frame], *bytes)) throw wrong_frame(writing_->to, writing_->map[frame]);
  auto buffer = std::make_shared<Buffer>(bytes->size());
  std::memcpy(buffer->room().data(), bytes->data(), bytes->size());
  buffer->used = bytes->size();
  accept(frame, std::move(buffer));
}

void Gathering::accept(std::size_t frame, Block bytes) {
  gathered_.fetched += bytes->used;
  spread_.shelf.put(frame, bytes);
  add_frame(writing_, frame, std::move(bytes), true);
}

void Gathering::blame(const Peer& peer, PeerFault fault, const std::string& what) {
  if (!spread_.peers.blame(peer, fault, what)) return;
  if (world_.say) world_.say(cat("from ", peer.url, ": ", what, "; it is asked no more, the seed is"));
  if (spread_.peers.blamed) spread_.peers.blamed();
}

}  // namespace hearth::agent::deploy
