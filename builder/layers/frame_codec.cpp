#include "builder/layers/frame_codec.hpp"

#include <isa-l.h>
#include <lz4frame.h>

#include <cstring>

#include "base/error.hpp"
#include "base/text.hpp"

namespace hearth::builder {

namespace {

constexpr std::size_t k_checksum = sizeof(std::uint64_t);
constexpr std::uint64_t k_largest = std::uint64_t{16} << 30U;  // of one file; more is damage

/// Throws Error of this kind where LZ4 returned an error.
std::size_t checked(std::size_t result, ErrorKind kind, std::string_view what) {
  if (::LZ4F_isError(result) != 0) throw Error(kind, cat(what, ": ", ::LZ4F_getErrorName(result)));
  return result;
}

/// Of the packed bytes: LZ4's own checksum, of the content, takes as long as unpacking it.
std::uint64_t checksum(std::string_view bytes) {
  return ::crc64_ecma_refl(0, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
}

Error damaged() { return {ErrorKind::input, "a frame of the layer archive is damaged"}; }

}  // namespace

struct FrameCodec::Context {
  Context() { checked(::LZ4F_createDecompressionContext(&unpacking, LZ4F_VERSION), ErrorKind::io, "preparing LZ4"); }
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
  ~Context() { ::LZ4F_freeDecompressionContext(unpacking); }
  LZ4F_dctx* unpacking = nullptr;
};

FrameCodec::FrameCodec() : context_(std::make_unique<Context>()) {}
FrameCodec::~FrameCodec() = default;

char* FrameCodec::room(std::size_t size) {
  if (size > size_) {
    bytes_.reset(new char[size]);  // not set to zero
    size_ = size;
  }
  return bytes_.get();
}

std::string_view FrameCodec::pack(std::string_view bytes) {
  LZ4F_preferences_t wanted{};
  wanted.frameInfo.blockSizeID = LZ4F_max4MB;
  wanted.frameInfo.blockMode = LZ4F_blockIndependent;
  wanted.frameInfo.contentSize = bytes.size();
  const std::size_t bound = ::LZ4F_compressFrameBound(bytes.size(), &wanted);
  char* const out = room(bound + k_checksum);
  const std::size_t size = checked(::LZ4F_compressFrame(out, bound, bytes.data(), bytes.size(), &wanted), ErrorKind::io,
                                   "compressing a layer");
  const std::uint64_t sum = checksum({out, size});
  std::memcpy(out + size, &sum, k_checksum);
  return {out, size + k_checksum};
}

std::string_view FrameCodec::unpack(std::string_view frame) {
  if (frame.size() < k_checksum) throw damaged();
  std::uint64_t sum = 0;
  std::memcpy(&sum, frame.data() + frame.size() - k_checksum, k_checksum);
  frame.remove_suffix(k_checksum);
  if (checksum(frame) != sum) throw damaged();
  ::LZ4F_resetDecompressionContext(context_->unpacking);
  LZ4F_frameInfo_t info{};
  std::size_t used = frame.size();
  if (::LZ4F_isError(::LZ4F_getFrameInfo(context_->unpacking, &info, frame.data(), &used)) != 0) throw damaged();
  if (info.contentSize > k_largest) throw damaged();
  char* const out = room(std::max<std::size_t>(info.contentSize, 1));
  LZ4F_decompressOptions_t options{};
  options.stableDst = 1;  // nothing is copied once more
  std::size_t filled = 0;
  for (std::size_t more = 1; more != 0;) {
    std::size_t got = info.contentSize - filled;
    std::size_t taken = frame.size() - used;
    more = ::LZ4F_decompress(context_->unpacking, out + filled, &got, frame.data() + used, &taken, &options);
    if (::LZ4F_isError(more) != 0 || (more != 0 && got == 0 && taken == 0)) throw damaged();
    filled += got;
    used += taken;
  }
  if (filled != info.contentSize || used != frame.size()) throw damaged();
  return {out, filled};
}

}  // namespace hearth::builder
