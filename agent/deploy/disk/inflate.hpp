// Decompression, by zlib and zstd: of single clusters and frames, and of a whole stream.
#pragma once

#include <memory>
#include <span>
#include <string_view>

namespace hearth::agent::deploy {

/// zstd frames, each for itself.
class FrameInflater {
 public:
  FrameInflater();
  FrameInflater(const FrameInflater&) = delete;
  FrameInflater& operator=(const FrameInflater&) = delete;
  ~FrameInflater();
  /// Decompresses one frame at the front of `in` (what follows is ignored) to exactly out.size() bytes. False when that
  /// can't be.
  [[nodiscard]] bool inflate(std::string_view in, std::span<char> out);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Raw deflate data (RFC 1951) of at most 32 KiB window to exactly out.size() bytes; what follows is ignored.
[[nodiscard]] bool inflate_raw(std::string_view in, std::span<char> out);

/// A stream of gzip members (RFC 1952) or zstd frames (RFC 8878), piece by piece.
class StreamInflater {
 public:
  enum class Kind { gzip, zstd };
  explicit StreamInflater(Kind kind);
  StreamInflater(const StreamInflater&) = delete;
  StreamInflater& operator=(const StreamInflater&) = delete;
  ~StreamInflater();

  /// Takes from the front of `in` and returns how much of `out` was filled. Throws Error(input) for broken data.
  [[nodiscard]] std::size_t inflate(std::string_view& in, std::span<char> out);
  /// Whether the data end where a member or frame ends.
  [[nodiscard]] bool complete() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace hearth::agent::deploy
