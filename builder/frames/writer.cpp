#include "builder/frames/writer.hpp"

#include <unistd.h>
#include <zstd.h>

#include <algorithm>
#include <bit>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "base/check.hpp"
#include "base/error.hpp"
#include "base/frames/signature.hpp"
#include "base/sys/limits.hpp"
#include "base/sys/parallel.hpp"
#include "base/sys/stop_signals.hpp"
#include "base/text.hpp"

namespace hearth::builder::frames {

namespace {

using hearth::frames::Frame;
using hearth::frames::Head;

std::uint64_t size_of(const Fd& fd) {
  const off_t end = ::lseek(fd.get(), 0, SEEK_END);
  if (end < 0) throw Error::from_errno("finding the size of", "the raw disk");
  return static_cast<std::uint64_t>(end);
}

/// False when `offset` and what follows it up to `end` is a hole.
bool has_data(const Fd& fd, std::uint64_t offset, std::uint64_t end) {
  const off_t data = ::lseek(fd.get(), static_cast<off_t>(offset), SEEK_DATA);
  return data < 0 ? errno != ENXIO : static_cast<std::uint64_t>(data) < end;
}

void read_block(const Fd& fd, std::uint64_t offset, std::string& block) {
  std::size_t filled = 0;
  while (filled < block.size()) {
    const ssize_t got =
        ::pread(fd.get(), block.data() + filled, block.size() - filled, static_cast<off_t>(offset + filled));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) throw Error::from_errno("reading", "the raw disk");
    filled += static_cast<std::size_t>(got);
  }
}

/// A block made ready by a thread.
struct Ready {
  std::optional<Frame> frame;  ///< nothing = the block is zero
  std::string bytes;
};

class Compressor {
 public:
  Compressor(const Fd& raw, const Head& head, int level) : raw_(raw), head_(head) {
    ::ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_compressionLevel, level);
  }

  Ready make(std::uint32_t number) {
    const std::uint64_t offset = std::uint64_t{number} * head_.block_size;
    block_.resize(head_.bytes_of(number));
    if (!has_data(raw_, offset, offset + block_.size())) return {};
    read_block(raw_, offset, block_);
    if (block_.find_first_not_of('\0') == std::string::npos) return {};
    std::string out(::ZSTD_compressBound(block_.size()), 0);
    const std::size_t size = ::ZSTD_compress2(context_.get(), out.data(), out.size(), block_.data(), block_.size());
    if (::ZSTD_isError(size) != 0) throw Error(ErrorKind::io, cat("compressing the disk: ", ::ZSTD_getErrorName(size)));
    out.resize(size);
    if (size >= block_.size()) out = block_;
    return {Frame{number, static_cast<std::uint32_t>(out.size()), hearth::frames::hash_of(out)}, std::move(out)};
  }

 private:
  const Fd& raw_;
  const Head& head_;
  std::unique_ptr<ZSTD_CCtx, std::size_t (*)(ZSTD_CCtx*)> context_{::ZSTD_createCCtx(), &::ZSTD_freeCCtx};
  std::string block_;
};

/// What the threads share: blocks are taken, and written to the spool, in the order of the disk.
class Publication {
 public:
  Publication(const Fd& raw, const Fd& spool, const Head& head, int level)
      : raw_(raw),
        spool_(spool),
        head_(head),
        level_(level),
        blocks_(static_cast<std::uint32_t>((head.disk_size + head.block_size - 1) / head.block_size)) {}

  std::vector<Frame> run(unsigned threads) {
    run_in_threads(threads, [this] { work(); });
    check(placed_ == blocks_, "each block of a disk has its place", "placed", placed_, "blocks", blocks_);
    return std::move(frames_);
  }

 private:
  void work() {
    try {
      Compressor compressor(raw_, head_, level_);
      while (const std::optional<std::uint32_t> number = take()) place(*number, compressor.make(*number));
    } catch (...) {
      const std::lock_guard lock(mutex_);
      failed_ = true;
      turn_.notify_all();
      throw;
    }
  }

  std::optional<std::uint32_t> take() {
    StopSignals::check();
    const std::lock_guard lock(mutex_);
    return failed_ || next_ == blocks_ ? std::nullopt : std::optional(next_++);
  }

  void place(std::uint32_t number, const Ready& ready) {
    std::unique_lock lock(mutex_);
    turn_.wait(lock, [&] { return failed_ || placed_ == number; });
    if (failed_) return;
    if (ready.frame) {
      write_all(spool_, ready.bytes, "the frames file");
      frames_.push_back(*ready.frame);
    }
    ++placed_;
    turn_.notify_all();
  }

  const Fd& raw_;
  const Fd& spool_;
  const Head& head_;
  int level_;
  std::uint32_t blocks_;
  std::mutex mutex_;  ///< guards what follows
  std::condition_variable turn_;
  std::uint32_t next_ = 0;
  std::uint32_t placed_ = 0;
  std::vector<Frame> frames_;
  bool failed_ = false;
};

void append_file(const Fd& from, const Fd& to) {
  std::string buffer(std::size_t{1} << 20U, 0);
  off_t offset = 0;
  while (true) {
    const ssize_t got = ::pread(from.get(), buffer.data(), buffer.size(), offset);
    if (got < 0) throw Error::from_errno("reading", "the frames");
    if (got == 0) return;
    write_all(to, std::string_view(buffer).substr(0, static_cast<std::size_t>(got)), "the frames file");
    offset += got;
  }
}

/// Machines pass frames on to each other whole (agent/deploy/image/gathering.hpp): those of a small disk are smaller,
/// so that it has some hundreds of them.
std::uint32_t fitting_block(std::uint64_t disk_size) {
  constexpr std::uint64_t k_least = std::uint64_t{256} << 10U;
  constexpr std::uint64_t k_blocks = 256;
  return static_cast<std::uint32_t>(
      std::clamp<std::uint64_t>(std::bit_floor(disk_size / k_blocks), k_least, hearth::frames::k_default_block));
}

}  // namespace

Published write_frames(const Fd& raw, const Fd& spool, const Fd& out, const PublishOptions& options) {
  const std::uint64_t size = size_of(raw);
  Head head{.disk_size = size,
            .block_size = options.block_size == 0 ? fitting_block(size) : options.block_size,
            .is_signed = !options.key_pem.empty()};
  const std::vector<Frame> frames =
      Publication(raw, spool, head, options.level).run(options.threads == 0 ? usable_processors() : options.threads);
  head.frame_count = static_cast<std::uint32_t>(frames.size());
  const std::string front = hearth::frames::encode_head(head) + hearth::frames::encode_map(frames);
  const std::string root = hearth::frames::root_of(front);
  write_all(out, front, "the frames file");
  if (head.is_signed) write_all(out, hearth::frames::sign(root, options.key_pem), "the frames file");
  append_file(spool, out);
  std::uint64_t written = head.data_offset();
  for (const Frame& frame : frames) written += frame.stored;
  return {root, head.disk_size, written, head.frame_count};
}

}  // namespace hearth::builder::frames
