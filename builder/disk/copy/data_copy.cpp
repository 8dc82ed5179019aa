#include "builder/disk/copy/data_copy.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <mutex>
#include <tuple>

#include "base/error.hpp"
#include "base/sys/fd.hpp"
#include "base/sys/parallel.hpp"

namespace hearth::builder {

namespace {

constexpr std::size_t k_buffer = std::size_t{1} << 20U;            // what is written at once
constexpr std::uint64_t k_thread_share = std::uint64_t{8} << 20U;  // what a thread takes at once

/// Gathers neighbours into one write.
class Gatherer {
 public:
  explicit Gatherer(const Fd& image) : image_(image) {}

  /// Room for `length` bytes at `to`, at most k_buffer.
  std::uint8_t* room(std::uint64_t to, std::size_t length) {
    if (to != begin_ + used_ || used_ + length > k_buffer) flush();
    if (used_ == 0) begin_ = to;
    std::uint8_t* const at = buffer_.get() + used_;
    used_ += length;
    return at;
  }

  void flush() {
    for (std::size_t done = 0; done < used_;) {
      const ssize_t written =
          ::pwrite(image_.get(), buffer_.get() + done, used_ - done, static_cast<off_t>(begin_ + done));
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) throw Error::from_errno("writing", "the disk image");
      done += static_cast<std::size_t>(written);
    }
    used_ = 0;
  }

 private:
  const Fd& image_;
  std::unique_ptr<std::uint8_t[]> buffer_{new std::uint8_t[k_buffer]};
  std::uint64_t begin_ = 0;
  std::size_t used_ = 0;
};

class Copy {
 public:
  Copy(const std::vector<FilePiece>& pieces, const fs::path& image, std::uint64_t block)
      : pieces_(pieces), image_(Fd::open(image.string(), O_WRONLY)), block_(block) {}

  void run(unsigned threads) {
    run_in_threads(threads, [this] { work(); });
  }

 private:
  void work() {
    try {
      Gatherer out(image_);
      for (auto [first, last] = take(); first < last; std::tie(first, last) = take()) {
        for (std::size_t i = first; i < last; ++i) copy(pieces_[i], out);
        out.flush();
      }
    } catch (...) {
      const std::lock_guard lock(mutex_);
      failed_ = true;
      throw;
    }
  }

  std::pair<std::size_t, std::size_t> take() {
    const std::lock_guard lock(mutex_);
    const std::size_t first = next_;
    if (failed_) return {first, first};
    for (std::uint64_t bytes = 0; next_ < pieces_.size() && bytes < k_thread_share; ++next_)
      bytes += pieces_[next_].length;
    return {first, next_};
  }

  void copy(const FilePiece& piece, Gatherer& out) const {
    for (std::uint64_t done = 0; done < piece.length;) {
      const std::size_t now = std::min<std::uint64_t>(piece.length - done, k_buffer);
      const std::size_t whole = (now + block_ - 1) / block_ * block_;
      std::uint8_t* const bytes = out.room(piece.to + done, whole);
      qcow2::read_piece(piece, done, {bytes, now});
      std::memset(bytes + now, 0, whole - now);
      done += now;
    }
  }

  const std::vector<FilePiece>& pieces_;
  Fd image_;
  std::uint64_t block_;
  std::mutex mutex_;  ///< guards what follows
  std::size_t next_ = 0;
  bool failed_ = false;
};

}  // namespace

void copy_pieces(const std::vector<FilePiece>& pieces, const fs::path& image, std::uint64_t block_size,
                 unsigned threads) {
  Copy(pieces, image, block_size).run(threads);
}

}  // namespace hearth::builder
