#include "agent/deploy/image/gathering.hpp"

#include <algorithm>
#include <cstring>

#include "base/error.hpp"
#include "base/text.hpp"

namespace hearth::agent::deploy {

namespace {

constexpr std::size_t k_most_lacking = 8;

}  // namespace

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

void Gathering::run_stripe(std::size_t number, std::size_t stripes, ByteSource& seed) {
  std::vector<std::size_t> wanted;
  for (std::size_t frame = number; frame < spans_.size(); frame += stripes) wanted.push_back(frame);
  Stripe stripe{number, wanted, seed};
  while (!stripe.left.empty() && !ended_) {
    const std::optional<Peer> peer = spread_.peers.asked_for(number);
    peer ? take_from(*peer, stripe) : take_from_seed(stripe);
  }
}

void Gathering::take_from(const Peer& peer, Stripe& stripe) {
  bool dawdled = false;
  try {
    std::vector<Span> spans;
    for (const std::size_t frame : stripe.left.first(std::min(stripe.left.size(), k_most_spans)))
      spans.push_back(spans_[frame]);
    PeerAnswer answer(world_.dialer, world_.clock, peer, root_, spans, world_.patience);
    const auto is_asked = [&] { return !ended_ && spread_.peers.asked_for(stripe.number) == peer; };
    for (std::size_t taken = 0; taken < spans.size() && is_asked(); ++taken) {
      const std::shared_ptr<Buffer> bytes = answer.next(is_asked);
      if (!bytes && is_asked()) return do_without(peer, stripe);
      if (!bytes) return;
      const frames::Frame& frame = writing_->map[stripe.left.front()];
      if (!is_frame(frame, bytes->text()))
        return blame(peer, PeerFault::wrong, cat("block ", frame.block, " is not the image's"));
      gathered_.from_peers += bytes->used;
      const MonotonicTime before = world_.clock.now();
      accept(stripe, bytes);
      dawdled = dawdled || world_.clock.now() - before > world_.patience.dawdling;
      stripe.lacking = 0;
    }
  } catch (const PeerTrouble& trouble) {
    if (trouble.fault() == PeerFault::gone && dawdled) return;  // it has waited for us, and did not have to for ever
    const bool is_cut_off = trouble.fault() == PeerFault::unreached && gathered_.from_peers > 0;
    blame(peer, is_cut_off ? PeerFault::gone : trouble.fault(), trouble.what());
  }
}

/// It has forgotten that one, or will not have it; maybe it has the next.
void Gathering::do_without(const Peer& peer, Stripe& stripe) {
  if (++stripe.lacking == k_most_lacking) {
    stripe.lacking = 0;
    blame(peer, PeerFault::slow, cat("of ", k_most_lacking, " blocks that it was asked for it had none"));
  }
  take_from_seed(stripe);
}

void Gathering::take_from_seed(Stripe& stripe) {
  const std::size_t frame = stripe.left.front();
  const Span& span = spans_[frame];
  const std::optional<std::string> bytes = stripe.seed.piece(span.first, span.last - span.first + 1);
  if (!bytes) throw Error(ErrorKind::io, cat(writing_->to.name, ": the server answers no ranges any more"));
  if (!is_frame(writing_->map[frame], *bytes)) throw wrong_frame(writing_->to, writing_->map[frame]);
  auto buffer = std::make_shared<Buffer>(bytes->size());
  std::memcpy(buffer->room().data(), bytes->data(), bytes->size());
  buffer->used = bytes->size();
  accept(stripe, buffer);
}

void Gathering::accept(Stripe& stripe, const Block& bytes) {
  const std::size_t frame = stripe.left.front();
  gathered_.fetched += bytes->used;
  spread_.shelf.put(frame, bytes);
  add_frame(writing_, frame, bytes, true);
  stripe.left = stripe.left.subspan(1);
}

void Gathering::blame(const Peer& peer, PeerFault fault, const std::string& what) {
  if (!spread_.peers.blame(peer, fault, what)) return;
  if (world_.say) world_.say(cat("from ", peer.url, ": ", what, "; it is asked no more, the seed is"));
  if (spread_.peers.blamed) spread_.peers.blamed();
}

}  // namespace hearth::agent::deploy
