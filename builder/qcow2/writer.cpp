#include "builder/qcow2/writer.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>

#include "base/error.hpp"
#include "base/sys/limits.hpp"
#include "base/sys/parallel.hpp"
#include "base/sys/stop_signals.hpp"
#include "builder/qcow2/host_space.hpp"
#include "builder/qcow2/known_clusters.hpp"
#include "builder/qcow2/raw_source.hpp"

namespace hearth::builder::qcow2 {

namespace {

using Bytes = std::span<const std::uint8_t>;

constexpr std::uint64_t k_flush_batches = 32;  // 32 MiB of the disk

void write_at(const Fd& out, std::uint64_t offset, Bytes bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::pwrite(out.get(), bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) throw Error::from_errno("writing", "the qcow2 image");
    bytes = bytes.subspan(static_cast<std::size_t>(written));
    offset += static_cast<std::uint64_t>(written);
  }
}

void write_at(const Fd& out, std::uint64_t offset, const std::string& bytes) {
  write_at(out, offset, Bytes(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()));
}

/// The guest's clusters and where they lie: L2 tables, only those that have an entry.
class ClusterMap {
 public:
  void set(std::uint64_t cluster, std::uint64_t entry) {
    std::vector<std::uint64_t>& table = tables_[cluster / k_entries_per_table];
    table.resize(k_entries_per_table);
    table[cluster % k_entries_per_table] = entry;
  }
  [[nodiscard]] const std::map<std::uint64_t, std::vector<std::uint64_t>>& tables() const { return tables_; }

 private:
  std::map<std::uint64_t, std::vector<std::uint64_t>> tables_;
};

/// A cluster after compression.
struct Outcome {
  enum class Kind { absent, zero, plain, compressed };
  Kind kind = Kind::absent;
  Bytes bytes;
  Mark mark{};    ///< of the cluster, and
  Mark packed{};  ///< of its compressed form; where clusters are remembered
};

/// One thread's buffers: reads a batch and compresses it.
class Worker {
 public:
  Worker(const RawDisk& raw, const RawDisk* backing, const KnownClusters* known, Compression compression)
      : raw_(raw), backing_(backing), known_(known), compressor_(make_compressor(compression)) {
    if (backing_ != nullptr) behind_.resize(input_.size());
    if (known_ != nullptr) marker_.emplace(known_->key());
  }

  void run(const Batch& batch) {
    const std::uint64_t bytes = batch.clusters * k_cluster;
    raw_.read(batch.first_cluster * k_cluster, std::span(input_).first(bytes));
    if (backing_ != nullptr) backing_->read(batch.first_cluster * k_cluster, std::span(behind_).first(bytes));
    outcomes_.clear();
    used_ = 0;
    for (std::uint64_t i = 0; i < batch.clusters; ++i) outcomes_.push_back(cluster(i * k_cluster));
  }

  [[nodiscard]] const std::vector<Outcome>& outcomes() const { return outcomes_; }

 private:
  Outcome cluster(std::uint64_t at) {
    const Bytes here = Bytes(input_).subspan(at, k_cluster);
    const bool zero = all_zero(here);
    if (backing_ == nullptr) {
      if (zero) return {Outcome::Kind::absent, {}};
    } else {
      const Bytes behind = Bytes(behind_).subspan(at, k_cluster);
      if (std::equal(here.begin(), here.end(), behind.begin())) return {Outcome::Kind::absent, {}};
      if (zero) return {Outcome::Kind::zero, {}};
    }
    return known_ == nullptr ? packed(here) : known_or_packed(here);
  }

  Outcome packed(Bytes here) {
    const std::span<std::uint8_t> room = std::span(output_).subspan(used_, k_cluster - 1);
    const std::size_t length = compressor_->compress(here, room);
    if (length == 0) return {Outcome::Kind::plain, here};
    used_ += length;
    return {Outcome::Kind::compressed, room.first(length)};
  }

  Outcome known_or_packed(Bytes here) {
    const Mark mark = marker_->of(here);
    const std::span<std::uint8_t> room = std::span(output_).subspan(used_, k_cluster - 1);
    if (const KnownCluster* const known = known_->find(mark, room, *marker_)) {
      if (known->length == 0) return {Outcome::Kind::plain, here, mark, {}};
      used_ += known->length;
      return {Outcome::Kind::compressed, room.first(known->length), mark, known->packed};
    }
    Outcome outcome = packed(here);
    outcome.mark = mark;
    if (outcome.kind == Outcome::Kind::compressed) outcome.packed = marker_->of(outcome.bytes);
    return outcome;
  }

  const RawDisk& raw_;
  const RawDisk* backing_;
  const KnownClusters* known_;
  std::unique_ptr<ClusterCompressor> compressor_;
  std::optional<Marker> marker_;
  std::vector<std::uint8_t> input_ = std::vector<std::uint8_t>(k_batch_clusters * k_cluster);
  std::vector<std::uint8_t> behind_;
  std::vector<std::uint8_t> output_ = std::vector<std::uint8_t>(k_batch_clusters * k_cluster);
  std::size_t used_ = 0;
  std::vector<Outcome> outcomes_;
};

/// A stretch of bytes and where it goes.
struct Piece {
  std::uint64_t offset = 0;
  Bytes bytes;
};

/// Pieces that lie side by side in memory and in the file become one.
void add_piece(std::vector<Piece>& pieces, std::uint64_t offset, Bytes bytes) {
  if (!pieces.empty()) {
    Piece& last = pieces.back();
    if (last.offset + last.bytes.size() == offset && last.bytes.data() + last.bytes.size() == bytes.data()) {
      last.bytes = Bytes(last.bytes.data(), last.bytes.size() + bytes.size());
      return;
    }
  }
  pieces.push_back({offset, bytes});
}

/// What the threads share. Batches are taken, and get their place in the file, in the order of the disk; reading,
/// compressing and writing run side by side.
class Conversion {
 public:
  Conversion(const RawDisk& raw, const RawDisk* backing, const KnownClusters* known, const Fd& out,
             Compression compression)
      : raw_(raw),
        backing_(backing),
        known_(known),
        out_(out),
        compression_(compression),
        source_(raw, backing == nullptr) {}

  void run(unsigned threads) {
    run_in_threads(threads, [this] { work(); });
  }

  /// Tables and header, when all data is there.
  void finish(const WriterOptions& options);

 private:
  void work() {
    try {
      Worker worker(raw_, backing_, known_, compression_);
      while (const std::optional<Batch> batch = take()) {
        worker.run(*batch);
        for (const Piece& piece : place(*batch, worker.outcomes())) write_at(out_, piece.offset, piece.bytes);
        // So that the disk works meanwhile, and little is left for the sync at the end.
        if (batch->number % k_flush_batches == 0) ::sync_file_range(out_.get(), 0, 0, SYNC_FILE_RANGE_WRITE);
      }
    } catch (...) {
      const std::lock_guard lock(mutex_);
      failed_ = true;
      turn_.notify_all();
      throw;
    }
  }

  std::optional<Batch> take() {
    StopSignals::check();
    const std::lock_guard lock(mutex_);
    return failed_ ? std::nullopt : source_.next();
  }

  std::vector<Piece> place(const Batch& batch, const std::vector<Outcome>& outcomes) {
    std::unique_lock lock(mutex_);
    turn_.wait(lock, [&] { return failed_ || placed_ == batch.number; });
    if (failed_) return {};
    std::vector<Piece> pieces;
    for (std::size_t i = 0; i < outcomes.size(); ++i) place(batch.first_cluster + i, outcomes[i], pieces);
    ++placed_;
    turn_.notify_all();
    return pieces;
  }

  void place(std::uint64_t cluster, const Outcome& outcome, std::vector<Piece>& pieces) {
    switch (outcome.kind) {
      case Outcome::Kind::absent: return;
      case Outcome::Kind::zero: return map_.set(cluster, k_zero_entry);
      case Outcome::Kind::plain: {
        const std::uint64_t offset = space_.cluster();
        map_.set(cluster, plain_entry(offset));
        note(outcome, offset, 0);
        return add_piece(pieces, offset, outcome.bytes);
      }
      case Outcome::Kind::compressed: {
        const std::uint64_t offset = space_.packed(outcome.bytes.size());
        map_.set(cluster, compressed_entry(offset, outcome.bytes.size()));
        note(outcome, offset, outcome.bytes.size());
        return add_piece(pieces, offset, outcome.bytes);
      }
    }
  }

  void note(const Outcome& outcome, std::uint64_t offset, std::size_t length) {
    if (known_ == nullptr) return;
    placed_clusters_.push_back({outcome.mark, outcome.packed, offset, static_cast<std::uint32_t>(length)});
  }

  void write_cluster_map(Header& header);
  void write_references(Header& header);

  const RawDisk& raw_;
  const RawDisk* backing_;
  const KnownClusters* known_;  ///< null: none are remembered
  const Fd& out_;
  Compression compression_;

  std::mutex mutex_;  ///< guards what follows
  std::condition_variable turn_;
  RawSource source_;
  std::uint64_t placed_ = 0;  ///< batches that have their place
  HostSpace space_;
  ClusterMap map_;
  std::vector<KnownCluster> placed_clusters_;
  bool failed_ = false;
};

void Conversion::write_cluster_map(Header& header) {
  header.l1_entries = static_cast<std::uint32_t>(divide_up(divide_up(raw_.size(), k_cluster), k_entries_per_table));
  std::vector<std::uint64_t> l1(header.l1_entries);
  for (const auto& [index, table] : map_.tables()) {
    const std::uint64_t offset = space_.cluster();
    write_at(out_, offset, table_bytes(table));
    l1[index] = table_entry(offset, true);
  }
  const std::string bytes = table_bytes(l1);
  header.l1_offset = bytes.empty() ? 0 : space_.clusters(bytes.size() / k_cluster);
  write_at(out_, header.l1_offset, bytes);
}

void Conversion::write_references(Header& header) {
  const RefcountNeeds needs = refcount_needs(space_.references().size());
  header.refcount_table_clusters = static_cast<std::uint32_t>(needs.table_clusters);
  header.refcount_table_offset = space_.clusters(needs.table_clusters);
  std::vector<std::uint64_t> table;
  for (std::uint64_t block = 0; block < needs.blocks; ++block) table.push_back(table_entry(space_.cluster(), false));
  const std::vector<std::uint16_t>& counts = space_.references();
  for (std::uint64_t block = 0; block < needs.blocks; ++block) {
    const std::uint64_t first = std::min<std::uint64_t>(block * k_refcounts_per_block, counts.size());
    const std::uint64_t number = std::min<std::uint64_t>(k_refcounts_per_block, counts.size() - first);
    write_at(out_, table[block], refcount_bytes(counts.data() + first, number));
  }
  write_at(out_, header.refcount_table_offset, table_bytes(table));
}

void Conversion::finish(const WriterOptions& options) {
  Header header{.virtual_size = raw_.size(), .compression = type_of(compression_)};
  if (backing_ != nullptr) {
    header.backing_file = options.backing_file;
    header.backing_format = options.backing_format;
  }
  space_.end_packing();
  write_cluster_map(header);
  write_references(header);
  write_at(out_, 0, header_bytes(header));
  if (::ftruncate(out_.get(), static_cast<off_t>(space_.file_size())) != 0) {
    throw Error::from_errno("sizing", "the qcow2 image");
  }
  if (known_ != nullptr) save_index(options.index, compression_, known_->key(), std::move(placed_clusters_));
}

}  // namespace

void write_qcow2(const RawDisk& raw, const Fd& out, const WriterOptions& options) {
  std::optional<RawDisk> backing;
  if (!options.backing_raw.empty()) backing.emplace(options.backing_raw);
  std::optional<KnownClusters> known;
  if (!options.index.empty()) known = KnownClusters::load(options.index, options.earlier_image, options.compression);
  Conversion conversion(raw, backing ? &*backing : nullptr, known ? &*known : nullptr, out, options.compression);
  conversion.run(options.threads == 0 ? usable_processors() : options.threads);
  conversion.finish(options);
}

}  // namespace hearth::builder::qcow2
