#include "builder/qcow2/cluster_codec.hpp"

#include <isa-l/igzip_lib.h>
#include <isa-l/mem_routines.h>
#include <libdeflate.h>
#include <zstd.h>

#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"

namespace hearth::builder::qcow2 {

namespace {

/// QEMU inflates with a window of 2^12 bytes (zlib's windowBits -12); no match may reach further back.
constexpr std::uint16_t k_window_bits = 12;

class FastDeflate final : public ClusterCompressor {
 public:
  std::size_t compress(std::span<const std::uint8_t> cluster, std::span<std::uint8_t> out) override {
    isal_zstream& stream = *stream_;
    isal_deflate_stateless_init(&stream);
    stream.level = k_level;
    stream.level_buf = buffer_.data();
    stream.level_buf_size = static_cast<std::uint32_t>(buffer_.size());
    stream.hist_bits = k_window_bits;
    stream.end_of_stream = 1;
    stream.next_in = const_cast<std::uint8_t*>(cluster.data());  // the library's C interface; it only reads
    stream.avail_in = static_cast<std::uint32_t>(cluster.size());
    stream.next_out = out.data();
    stream.avail_out = static_cast<std::uint32_t>(out.size());
    return isal_deflate_stateless(&stream) == COMP_OK ? stream.total_out : 0;
  }

 private:
  static constexpr std::uint32_t k_level = 1;  // level 0 has fixed Huffman codes and is a tenth larger
  std::vector<std::uint8_t> buffer_ = std::vector<std::uint8_t>(ISAL_DEF_LVL1_SMALL);  // blocks of 16 Ki tokens
  std::unique_ptr<isal_zstream> stream_ = std::make_unique<isal_zstream>();
};

class BestDeflate final : public ClusterCompressor {
 public:
  std::size_t compress(std::span<const std::uint8_t> cluster, std::span<std::uint8_t> out) override {
    return libdeflate_deflate_compress(compressor_.get(), cluster.data(), cluster.size(), out.data(), out.size());
  }

 private:
  static constexpr int k_level = 7;  // the next ones cost twice the time for 1 %
  struct Free {
    void operator()(libdeflate_compressor* compressor) const { libdeflate_free_compressor(compressor); }
  };
  std::unique_ptr<libdeflate_compressor, Free> compressor_{libdeflate_alloc_compressor(k_level)};
};

class Zstd final : public ClusterCompressor {
 public:
  std::size_t compress(std::span<const std::uint8_t> cluster, std::span<std::uint8_t> out) override {
    const std::size_t length =
        ZSTD_compressCCtx(context_.get(), out.data(), out.size(), cluster.data(), cluster.size(), k_level);
    return ZSTD_isError(length) != 0 ? 0 : length;
  }

 private:
  static constexpr int k_level = 1;  // 1.5 % larger than QEMU's level 3
  struct Free {
    void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
  };
  std::unique_ptr<ZSTD_CCtx, Free> context_{ZSTD_createCCtx()};
};

class None final : public ClusterCompressor {
 public:
  std::size_t compress(std::span<const std::uint8_t> /*cluster*/, std::span<std::uint8_t> /*out*/) override {
    return 0;
  }
};

}  // namespace

Compression parse_compression(std::string_view name) {
  if (name == "none") return Compression::none;
  if (name == "fast") return Compression::fast;
  if (name == "best") return Compression::best;
  if (name == "zstd") return Compression::zstd;
  throw Error(ErrorKind::usage, cat("unknown compression ", name)).hint("It is none, fast, best or zstd.");
}

CompressionType type_of(Compression compression) {
  return compression == Compression::zstd ? CompressionType::zstd : CompressionType::deflate;
}

std::unique_ptr<ClusterCompressor> make_compressor(Compression compression) {
  switch (compression) {
    case Compression::fast: return std::make_unique<FastDeflate>();
    case Compression::best: return std::make_unique<BestDeflate>();
    case Compression::zstd: return std::make_unique<Zstd>();
    case Compression::none: break;
  }
  return std::make_unique<None>();
}

bool all_zero(std::span<const std::uint8_t> bytes) {
  return isal_zero_detect(const_cast<std::uint8_t*>(bytes.data()), bytes.size()) == 0;  // it only reads
}

}  // namespace hearth::builder::qcow2
