// The frames of a layer archive: LZ4's frame format, and behind it the CRC-64 of these bytes (ECMA-182, reflected; 8
// bytes, little-endian). LZ4 packs in two thirds of the time that zstd's fastest levels take, unpacks in half of
// theirs, and takes a seventh more space.
#pragma once

#include <memory>
#include <string_view>

namespace hearth::builder {

/// For one thread: keeps its memory from frame to frame, since new memory costs a page fault for every page.
class FrameCodec {
 public:
  FrameCodec();
  FrameCodec(const FrameCodec&) = delete;
  FrameCodec& operator=(const FrameCodec&) = delete;
  ~FrameCodec();

  /// The results are good until the next call of either.
  [[nodiscard]] std::string_view pack(std::string_view bytes);
  /// Throws Error(input) when the frame is damaged, or says that it holds more than 16 GiB.
  [[nodiscard]] std::string_view unpack(std::string_view frame);

 private:
  char* room(std::size_t size);

  struct Context;
  std::unique_ptr<Context> context_;
  std::unique_ptr<char[]> bytes_;
  std::size_t size_ = 0;
};

}  // namespace hearth::builder
