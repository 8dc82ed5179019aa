#include "builder/layers/archive.hpp"

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "base/check.hpp"
#include "base/clock.hpp"
#include "base/sys/limits.hpp"
#include "base/sys/parallel.hpp"
#include "base/text.hpp"
#include "builder/layers/archive_entry.hpp"
#include "builder/layers/frame_codec.hpp"

namespace hearth::builder {

namespace {

constexpr std::string_view k_magic = "HLAYER2\n";
constexpr std::uint64_t k_frame_bytes = std::uint64_t{4} << 20U;
constexpr std::uint64_t k_entry_bytes = 128;  // about what an entry takes besides its data
constexpr std::size_t k_trailer_bytes = 2 * sizeof(std::uint64_t) + 8;

struct PackedFrame {
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
};

/// What a thread works with, from frame to frame.
struct Scratch {
  std::string entries;
  FrameCodec codec;
};

/// Runs `work(i, scratch)` for 0 ≤ i < count on all processors; the first exception ends it and is thrown on. Returns
/// the processor time that it took.
Duration for_each_parallel(std::size_t count, const std::function<void(std::size_t, Scratch&)>& work) {
  std::atomic<std::size_t> next = 0;
  std::atomic<bool> failed = false;
  std::atomic<Duration::rep> spent = 0;
  run_in_threads(static_cast<unsigned>(std::min<std::size_t>(usable_processors(), count)), [&] {
    const Duration before = thread_time();
    Scratch scratch;
    try {
      for (std::size_t i = next++; i < count && !failed; i = next++) work(i, scratch);
    } catch (...) {
      failed = true;
      throw;
    }
    spent += (thread_time() - before).count();
  });
  return Duration(spent);
}

/// Frames of entries: directories, then files by size, then hard links.
std::vector<std::vector<const ArchiveEntry*>> group(const std::vector<ArchiveEntry>& entries) {
  std::vector<std::vector<const ArchiveEntry*>> groups(1);
  for (const ArchiveEntry& entry : entries) {
    if (entry.is_directory()) groups.front().push_back(&entry);
  }
  std::uint64_t bytes = k_frame_bytes;
  for (const ArchiveEntry& entry : entries) {
    if (entry.is_directory() || entry.hard_link) continue;
    if (bytes >= k_frame_bytes) {
      groups.emplace_back();
      bytes = 0;
    }
    groups.back().push_back(&entry);
    bytes += entry.size + k_entry_bytes;
  }
  groups.emplace_back();
  for (const ArchiveEntry& entry : entries) {
    if (entry.hard_link) groups.back().push_back(&entry);
  }
  return groups;
}

/// Hands frames to the sink in their order, whoever has them ready first.
class OrderedSink {
 public:
  explicit OrderedSink(const std::function<void(std::string_view)>& sink) : sink_(sink) {}

  void put(std::size_t number, std::string_view frame) {
    const std::lock_guard lock(mutex_);
    if (number != next_) {
      waiting_[number] = frame;
      return;
    }
    put_next(frame);
    for (auto found = waiting_.find(next_); found != waiting_.end(); found = waiting_.find(next_)) {
      put_next(found->second);
      waiting_.erase(found);
    }
  }
  void write(std::string_view bytes) {
    sink_(bytes);
    offset_ += bytes.size();
  }
  [[nodiscard]] std::uint64_t offset() const { return offset_; }
  [[nodiscard]] const std::vector<PackedFrame>& frames() const { return frames_; }

 private:
  void put_next(std::string_view frame) {
    check(frames_.size() == next_, "frames follow each other", "frames", frames_.size(), "next", next_);
    frames_.push_back({offset_, frame.size()});
    write(frame);
    ++next_;
  }

  const std::function<void(std::string_view)>& sink_;
  std::mutex mutex_;
  std::map<std::size_t, std::string> waiting_;
  std::size_t next_ = 0;
  std::uint64_t offset_ = 0;
  std::vector<PackedFrame> frames_;
};

std::vector<PackedFrame> read_index(std::string_view archive) {
  const bool whole = archive.size() >= k_magic.size() + k_trailer_bytes &&
                     archive.substr(0, k_magic.size()) == k_magic &&
                     archive.substr(archive.size() - k_magic.size()) == k_magic;
  if (!whole) throw Error(ErrorKind::input, "not a whole layer archive");
  wire::Reader trailer(archive.substr(archive.size() - k_trailer_bytes));
  const auto offset = trailer.number<std::uint64_t>();
  const auto size = trailer.number<std::uint64_t>();
  if (offset > archive.size() || size > archive.size() - offset) throw Error(ErrorKind::input, "the index is damaged");
  FrameCodec codec;
  const std::string_view index = codec.unpack(archive.substr(offset, size));
  std::vector<PackedFrame> frames;
  for (wire::Reader bytes(index); !bytes.at_end();) {
    const auto begin = bytes.number<std::uint64_t>();
    const auto length = bytes.number<std::uint64_t>();
    if (begin > archive.size() || length > archive.size() - begin) {
      throw Error(ErrorKind::input, "the index is damaged");
    }
    frames.push_back({begin, length});
  }
  if (frames.size() < 2) throw Error(ErrorKind::input, "the index is damaged");
  return frames;
}

}  // namespace

PackReport pack_tree(const fs::path& root, const std::function<void(std::string_view)>& sink) {
  const Duration before = thread_time();
  const std::vector<ArchiveEntry> entries = scan_tree(root);
  const std::vector<std::vector<const ArchiveEntry*>> groups = group(entries);
  OrderedSink ordered(sink);
  ordered.write(k_magic);
  Duration spent = thread_time() - before;
  spent += for_each_parallel(groups.size(), [&](std::size_t number, Scratch& scratch) {
    scratch.entries.clear();
    for (const ArchiveEntry* entry : groups[number]) put_entry(scratch.entries, *entry, root);
    ordered.put(number, scratch.codec.pack(scratch.entries));
  });
  check(ordered.frames().size() == groups.size(), "each group of entries has its frame", "frames",
        ordered.frames().size(), "groups", groups.size());
  std::string index;
  for (const PackedFrame& frame : ordered.frames()) {
    wire::put(index, frame.offset);
    wire::put(index, frame.size);
  }
  FrameCodec codec;
  const std::string_view packed = codec.pack(index);
  std::string trailer;
  wire::put(trailer, ordered.offset());
  wire::put(trailer, static_cast<std::uint64_t>(packed.size()));
  ordered.write(packed);
  ordered.write(trailer);
  ordered.write(k_magic);
  return {.entries = entries.size(), .packed_bytes = ordered.offset(), .processor_time = spent};
}

void unpack_tree(std::string_view archive, const fs::path& root) {
  const std::vector<PackedFrame> frames = read_index(archive);
  const auto restore = [&](std::size_t number, EntryKind kind, FrameCodec& codec) {
    const std::string_view bytes = codec.unpack(archive.substr(frames[number].offset, frames[number].size));
    EntryRestorer restorer(root);
    std::vector<ArchiveEntry> entries;
    for (wire::Reader reader(bytes); !reader.at_end();) entries.push_back(restorer.restore(reader, kind));
    return entries;
  };
  FrameCodec codec;
  const std::vector<ArchiveEntry> directories = restore(0, EntryKind::directory, codec);
  (void)for_each_parallel(frames.size() - 2, [&](std::size_t i, Scratch& scratch) {
    (void)restore(i + 1, EntryKind::file, scratch.codec);
  });
  (void)restore(frames.size() - 1, EntryKind::hard_link, codec);
  EntryRestorer finisher(root);
  for (auto directory = directories.rbegin(); directory != directories.rend(); ++directory) {
    finisher.finish_directory(*directory);
  }
}

}  // namespace hearth::builder
