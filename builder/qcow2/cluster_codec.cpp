#include "builder/qcow2/cluster_codec.hpp"

#include <isa-l/crc.h>
#include <isa-l/igzip_lib.h>
#include <isa-l/mem_routines.h>
#include <libdeflate.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"

namespace hearth::builder::qcow2 {

namespace {

/// Matches reach over the last 32 KiB. QEMU asks zlib for a window of 2^12 bytes, but zlib looks back into what it has
/// put out already (a whole cluster in one call), so that distances beyond the window are read by every QEMU.
constexpr std::uint16_t k_window_bits = 15;

/// ISA-L's level 2. Its assembler code takes, for the third byte of its input, a register that holds the address of the
/// stream in place of the data (igzip_icf_body_h1_gr_bt.asm, .write_first_byte, in 2.30 and after): position 2 is
/// entered in its table under that address' hash. This decides about the output only where one of the first three
/// positions has the same hash, one cluster in thousands; such a cluster is compressed by a stream at another address,
/// so that equal clusters come out equal wherever the process' memory lies.
class FastDeflate final : public ClusterCompressor {
 public:
  std::size_t compress(std::span<const std::uint8_t> cluster, std::span<std::uint8_t> out) override {
    isal_zstream& stream = stream_for(cluster);
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
  static constexpr std::uint32_t k_level = 2;  // level 1 is 1 % larger at the same speed; level 3 takes twice the time
  /// With room for 4 Ki tokens: blocks that short, each with codes of its own, are 1 % smaller than those of 16 Ki.
  static constexpr std::size_t k_buffer = ISAL_DEF_LVL2_REQ + ISAL_DEF_LVL2_TOKEN_SIZE * std::size_t{4096};
  static constexpr std::size_t k_streams = 8;  // for three hashes to avoid; a stream not used costs no memory
  static constexpr std::size_t k_positions = 3;

  /// The library's hash of four bytes: the processor's CRC-32C, cut to 15 bits, for short inputs to fewer; what differs
  /// in the lowest ten differs in all.
  static std::uint32_t hash_of(const std::uint8_t* bytes) {
    return crc32_iscsi(const_cast<std::uint8_t*>(bytes), 4, 0) & 0x3ffU;
  }

  /// Under which hash the stream's own address is entered.
  static std::uint32_t hash_of(const isal_zstream& stream) {
    const auto word = static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(&stream) >> 16U);
    std::array<std::uint8_t, sizeof word> bytes{};
    std::memcpy(bytes.data(), &word, sizeof word);
    return hash_of(bytes.data());
  }

  isal_zstream& stream_for(std::span<const std::uint8_t> cluster) {
    if (cluster.size() < k_positions + 4) return streams_[0];
    std::array<std::uint32_t, k_positions> first{};
    for (std::size_t i = 0; i < k_positions; ++i) first[i] = hash_of(cluster.data() + i);
    const auto harmless = [&](std::uint32_t hash) {
      return std::find(first.begin(), first.end(), hash) == first.end();
    };
    const auto found = std::find_if(address_hashes_.begin(), address_hashes_.end(), harmless);
    return streams_[found == address_hashes_.end() ? 0 : static_cast<std::size_t>(found - address_hashes_.begin())];
  }

  std::vector<std::uint8_t> buffer_ = std::vector<std::uint8_t>(k_buffer);
  std::unique_ptr<isal_zstream[]> streams_{new isal_zstream[k_streams]};  // not set to zero: init does it
  std::array<std::uint32_t, k_streams> address_hashes_ = [this] {
    std::array<std::uint32_t, k_streams> hashes{};
    for (std::size_t i = 0; i < k_streams; ++i) hashes[i] = hash_of(streams_[i]);
    return hashes;
  }();
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
