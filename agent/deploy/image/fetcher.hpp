// Fetches ahead: a thread reads the image's file in blocks, another hashes them, the caller decodes them.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "agent/deploy/image/source.hpp"
#include "base/hash.hpp"

namespace hearth::agent::deploy {

/// A thread; throws Error(io) where none can be had.
[[nodiscard]] std::thread started(std::function<void()> work);

/// A queue with a limit; null says that no more will come.
class BlockQueue {
 public:
  explicit BlockQueue(std::size_t limit) : limit_(limit) {}
  /// False when the reader has gone.
  bool put(Block block);
  [[nodiscard]] Block take();
  /// The reader takes no more: put() no longer waits.
  void close();

 private:
  std::size_t limit_;
  std::mutex lock_;
  std::condition_variable changed_;
  std::deque<Block> blocks_;
  bool closed_ = false;
};

class Fetcher {
 public:
  /// `hash` = nothing: the file is not hashed. `fetched` counts bytes.
  Fetcher(ByteSource& source, std::optional<HashKind> hash, std::atomic<std::uint64_t>& fetched);
  Fetcher(const Fetcher&) = delete;
  Fetcher& operator=(const Fetcher&) = delete;
  ~Fetcher();

  /// The next block of the file; null at its end. Throws what reading has thrown.
  [[nodiscard]] Block next();
  /// Reads to the end of the file and returns its hash, lower-case hexadecimal; empty when none was asked for.
  [[nodiscard]] std::string digest();

 private:
  void fetch();
  void hash();

  ByteSource& source_;
  std::atomic<std::uint64_t>& fetched_;
  std::optional<Hasher> hasher_;
  BlockQueue blocks_{8};
  BlockQueue to_hash_{8};
  std::exception_ptr failure_;
  bool ended_ = false;
  std::thread fetching_;
  std::thread hashing_;
};

/// The file as a text that is looked at from front to back, over the borders of blocks.
class Window {
 public:
  explicit Window(Fetcher& fetcher) : fetcher_(fetcher) {}

  /// The next `size` bytes, which the caller keeps. Throws Error(input) when the file ends before.
  [[nodiscard]] std::shared_ptr<Buffer> take(std::size_t size);
  /// The same, but fewer at the end of the file, null behind it.
  [[nodiscard]] std::shared_ptr<Buffer> take_some(std::size_t size);
  /// The bytes from `offset` on, which must not lie before what was seen last; those before are forgotten.
  [[nodiscard]] std::string_view at(std::uint64_t offset, std::size_t size);
  /// At most `size` bytes from the front; they stay there.
  [[nodiscard]] std::string_view peek(std::size_t size);
  /// All that is at hand, at least one byte; it is gone afterwards. Empty at the end of the file.
  [[nodiscard]] std::string next();
  /// `bytes` came by a request of their own, which nobody hashes: the file must have them at `offset`, too. Only for
  /// places that have not been forgotten. Throws Error(input) here, or when the place is reached, where it does not.
  void expect(std::uint64_t offset, std::string bytes);
  /// Reads to the end, so that all that was expected has been compared. Throws Error(input) when the file ends before.
  void finish();

 private:
  bool grow();
  void compare(std::uint64_t offset, std::string_view bytes) const;
  [[nodiscard]] std::string_view kept() const { return std::string_view(kept_).substr(front_); }
  void drop(std::size_t size);

  std::string kept_;
  std::size_t front_ = 0;                               ///< what of kept_ is gone already
  std::uint64_t begin_ = 0;                             ///< where kept() lies in the file
  std::multimap<std::uint64_t, std::string> expected_;  ///< two may begin at one place and say different things
  Fetcher& fetcher_;
};

}  // namespace hearth::agent::deploy
