#include "agent/deploy/disk/inflate.hpp"

#include <zlib.h>
#include <zstd.h>

#include <new>

#include "base/error.hpp"
#include "base/text.hpp"

namespace hearth::agent::deploy {

namespace {

constexpr int k_raw_deflate = -15;        // zlib's number for: no header, a window of 32 KiB
constexpr int k_gzip = 15 + 16;           // a gzip header is asked for
constexpr int k_largest_window_log = 27;  // 128 MiB: what `zstd --long` needs

Bytef* input(std::string_view text) { return reinterpret_cast<Bytef*>(const_cast<char*>(text.data())); }

}  // namespace

struct FrameInflater::State {
  std::unique_ptr<ZSTD_DCtx, std::size_t (*)(ZSTD_DCtx*)> context{::ZSTD_createDCtx(), &::ZSTD_freeDCtx};
};

FrameInflater::FrameInflater() : state_(std::make_unique<State>()) {}
FrameInflater::~FrameInflater() = default;

bool FrameInflater::inflate(std::string_view in, std::span<char> out) {
  const std::size_t size = ::ZSTD_findFrameCompressedSize(in.data(), in.size());
  if (::ZSTD_isError(size) != 0) return false;
  return ::ZSTD_decompressDCtx(state_->context.get(), out.data(), out.size(), in.data(), size) == out.size();
}

bool inflate_raw(std::string_view in, std::span<char> out) {
  z_stream stream{};
  if (::inflateInit2(&stream, k_raw_deflate) != Z_OK) throw std::bad_alloc();
  stream.next_in = input(in);
  stream.avail_in = static_cast<uInt>(in.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  const int result = ::inflate(&stream, Z_FINISH);
  ::inflateEnd(&stream);
  return stream.avail_out == 0 && (result == Z_STREAM_END || result == Z_BUF_ERROR || result == Z_OK);
}

struct StreamInflater::State {
  explicit State(Kind which) : kind(which) {
    if (kind == Kind::gzip) {
      if (::inflateInit2(&gzip, k_gzip) != Z_OK) throw std::bad_alloc();
    } else {
      ::ZSTD_DCtx_setParameter(zstd.get(), ZSTD_d_windowLogMax, k_largest_window_log);
    }
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() {
    if (kind == Kind::gzip) ::inflateEnd(&gzip);
  }

  Kind kind;
  z_stream gzip{};
  std::unique_ptr<ZSTD_DCtx, std::size_t (*)(ZSTD_DCtx*)> zstd{::ZSTD_createDCtx(), &::ZSTD_freeDCtx};
  bool complete = false;

  std::size_t from_gzip(std::string_view& in, std::span<char> out) {
    if (complete) {  // a further member
      if (in.empty()) return 0;
      ::inflateReset(&gzip);
      complete = false;
    }
    gzip.next_in = input(in);
    gzip.avail_in = static_cast<uInt>(in.size());
    gzip.next_out = reinterpret_cast<Bytef*>(out.data());
    gzip.avail_out = static_cast<uInt>(out.size());
    const int result = ::inflate(&gzip, Z_NO_FLUSH);
    if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR) {
      throw Error(ErrorKind::input, cat("the image's gzip data are broken: ", gzip.msg == nullptr ? "?" : gzip.msg));
    }
    complete = result == Z_STREAM_END;
    in.remove_prefix(in.size() - gzip.avail_in);
    return out.size() - gzip.avail_out;
  }

  std::size_t from_zstd(std::string_view& in, std::span<char> out) {
    if (complete && in.empty()) return 0;
    ZSTD_inBuffer from{in.data(), in.size(), 0};
    ZSTD_outBuffer to{out.data(), out.size(), 0};
    const std::size_t result = ::ZSTD_decompressStream(zstd.get(), &to, &from);
    if (::ZSTD_isError(result) != 0) {
      throw Error(ErrorKind::input, cat("the image's zstd data are broken: ", ::ZSTD_getErrorName(result)));
    }
    complete = result == 0;
    in.remove_prefix(from.pos);
    return to.pos;
  }
};

StreamInflater::StreamInflater(Kind kind) : state_(std::make_unique<State>(kind)) {}
StreamInflater::~StreamInflater() = default;

std::size_t StreamInflater::inflate(std::string_view& in, std::span<char> out) {
  return state_->kind == Kind::gzip ? state_->from_gzip(in, out) : state_->from_zstd(in, out);
}

bool StreamInflater::complete() const { return state_->complete; }

}  // namespace hearth::agent::deploy
