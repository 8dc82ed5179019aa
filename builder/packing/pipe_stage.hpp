// Pieces of a stream that run side by side: a pipe with a thread at its reading end.
#pragma once

#include <exception>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "base/hash.hpp"
#include "base/sys/fd.hpp"

namespace hearth::builder {

/// Whoever writes into input() never sees a broken pipe: when `reader` fails, what still comes is thrown away, and
/// finish() throws what it threw.
class PipeStage {
 public:
  using Reader = std::function<void(const Fd& in)>;
  explicit PipeStage(Reader reader);
  PipeStage(const PipeStage&) = delete;
  PipeStage& operator=(const PipeStage&) = delete;
  ~PipeStage();

  [[nodiscard]] int input() const { return pipe_.write.get(); }
  /// Closes the input and waits until the reader has all of it.
  void finish();

 private:
  void end() noexcept;
  Pipe pipe_;
  std::exception_ptr failure_;
  std::thread thread_;
};

/// Copies `in` to the descriptor `out` up to its end and returns the digests of what passed, in the order of `kinds`.
[[nodiscard]] std::vector<std::string> copy_hashing(const Fd& in, int out, const std::vector<HashKind>& kinds);

/// Compresses `in` into `out` as gzip (RFC 1952), on all processors: a member for each MiB, which every gunzip takes as
/// one stream. The same bytes whatever the number of processors.
void gzip_stream(const Fd& in, int out);

}  // namespace hearth::builder
