#include "builder/packing/pipe_stage.hpp"

#include <fcntl.h>
#include <libdeflate.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <future>
#include <memory>

#include "base/error.hpp"
#include "base/sys/limits.hpp"

namespace hearth::builder {

namespace {

constexpr std::size_t k_pipe_read = std::size_t{256} << 10U;
constexpr std::size_t k_gzip_block = std::size_t{1} << 20U;
constexpr int k_pipe_bytes = 1 << 20;
constexpr int k_gzip_level = 7;  // the next ones cost twice the time for 1 %

std::size_t read_some(const Fd& in, char* to, std::size_t bytes) {
  while (true) {
    const ssize_t got = ::read(in.get(), to, bytes);
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno != EINTR) throw Error::from_errno("reading from", "a pipe");
  }
}

void write_out(int out, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(out, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw Error::from_errno("writing", "the image file");
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

/// A block, shorter only at the end.
std::string read_block(const Fd& in) {
  std::string block(k_gzip_block, '\0');
  std::size_t filled = 0;
  while (filled < block.size()) {
    const std::size_t got = read_some(in, block.data() + filled, block.size() - filled);
    if (got == 0) break;
    filled += got;
  }
  block.resize(filled);
  return block;
}

std::string gzip_member(const std::string& block) {
  struct Free {
    void operator()(libdeflate_compressor* compressor) const { libdeflate_free_compressor(compressor); }
  };
  const std::unique_ptr<libdeflate_compressor, Free> compressor(libdeflate_alloc_compressor(k_gzip_level));
  std::string out(libdeflate_gzip_compress_bound(compressor.get(), block.size()), '\0');
  out.resize(libdeflate_gzip_compress(compressor.get(), block.data(), block.size(), out.data(), out.size()));
  return out;
}

}  // namespace

PipeStage::PipeStage(Reader reader) : pipe_(Pipe::create()) {
  ::fcntl(pipe_.write.get(), F_SETPIPE_SZ, k_pipe_bytes);  // fewer turns; refused where the limit is lower
  thread_ = std::thread([this, reader = std::move(reader)] {
    try {
      reader(pipe_.read);
    } catch (...) {
      failure_ = std::current_exception();
    }
    std::array<char, 65536> rest;  // NOLINT(cppcoreguidelines-pro-type-member-init): filled by read
    while (::read(pipe_.read.get(), rest.data(), rest.size()) > 0) {
    }
  });
}

PipeStage::~PipeStage() { end(); }

void PipeStage::end() noexcept {
  pipe_.write = Fd();
  if (thread_.joinable()) thread_.join();
}

void PipeStage::finish() {
  end();
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

std::vector<std::string> copy_hashing(const Fd& in, int out, const std::vector<HashKind>& kinds) {
  std::vector<Hasher> hashers;
  for (const HashKind kind : kinds) hashers.emplace_back(kind);
  std::string buffer(k_pipe_read, '\0');
  while (const std::size_t got = read_some(in, buffer.data(), buffer.size())) {
    const std::string_view bytes = std::string_view(buffer).substr(0, got);
    for (Hasher& hasher : hashers) hasher.update(bytes);
    write_out(out, bytes);
  }
  std::vector<std::string> digests;
  for (Hasher& hasher : hashers) digests.push_back(hasher.hex_digest());
  return digests;
}

void gzip_stream(const Fd& in, int out) {
  const std::size_t at_once = usable_processors();
  std::vector<std::future<std::string>> members;
  bool ended = false;
  bool first = true;
  while (!ended || !members.empty()) {
    while (!ended && members.size() < at_once) {
      std::string block = read_block(in);
      ended = block.size() < k_gzip_block;
      if (block.empty() && !first) break;  // an empty stream is one empty member
      first = false;
      members.push_back(std::async(std::launch::async, [block = std::move(block)] { return gzip_member(block); }));
    }
    if (members.empty()) break;
    write_out(out, members.front().get());
    members.erase(members.begin());
  }
}

}  // namespace hearth::builder
