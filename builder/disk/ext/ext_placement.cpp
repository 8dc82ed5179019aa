#include "builder/disk/ext/ext_placement.hpp"

#include <algorithm>
#include <utility>

#include "builder/qcow2/disk_format.hpp"

namespace hearth::builder {

namespace {

constexpr std::uint64_t k_longest_extent = 32768;  // blocks
constexpr std::uint64_t k_fast_link = 60;          // bytes; shorter texts lie in the inode

/// Blocks in a row of a node, before it is known where.
struct Need {
  std::size_t node = 0;
  std::uint64_t logical = 0;
  std::uint64_t count = 0;
};

void add_data(const ExtNode& node, std::size_t index, std::uint64_t block, std::vector<Need>& needs) {
  for (const DataRange& range : node.data) {
    needs.push_back({index, range.offset / block, qcow2::divide_up(range.length, block)});
  }
  if (node.is_link() && node.size >= k_fast_link) needs.push_back({index, 0, qcow2::divide_up(node.size, block)});
}

std::uint64_t sum(const std::vector<Need>& needs) {
  std::uint64_t blocks = 0;
  for (const Need& need : needs) blocks += need.count;
  return blocks;
}

class Placer {
 public:
  Placer(const std::vector<ExtNode>& nodes, FreeBlocks free, const PlacementRules& rules)
      : nodes_(nodes), free_(std::move(free)), rules_(rules), extents_(nodes.size()) {
    per_cluster_ = std::max<std::uint64_t>(1, rules.cluster / rules.block_size);
  }

  std::optional<std::vector<std::vector<FileExtent>>> run(const std::vector<std::uint64_t>& directory_blocks) {
    gather(directory_blocks);
    if (sum(directories_) + sum(large_) + sum(small_) > free_.left()) return std::nullopt;
    decide_about_gaps();
    if (!place(directories_)) return std::nullopt;
    for (std::size_t i = 0; i < large_.size(); ++i) {
      if (i == 0 || large_[i].node != large_[i - 1].node) begin_cluster();
      if (!place({large_[i]})) return std::nullopt;
    }
    begin_cluster();
    for (const std::vector<Need>& group : groups_) {
      if (sum(group) >= per_cluster_) begin_cluster();
      if (!place(group)) return std::nullopt;
    }
    begin_cluster();
    return place(others_) ? std::optional(std::move(extents_)) : std::nullopt;
  }

 private:
  /// Directories; files of a cluster and more; the small ones by directory, those of directories with few together.
  void gather(const std::vector<std::uint64_t>& directory_blocks) {
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      if (directory_blocks[i] > 0) directories_.push_back({i, 0, directory_blocks[i]});
    }
    for (const ExtNode& directory : nodes_) {
      std::vector<Need> group;
      for (const std::size_t child : directory.children) add_file(child, group);
      small_.insert(small_.end(), group.begin(), group.end());
      if (sum(group) >= per_cluster_) {
        groups_.push_back(std::move(group));
      } else {
        others_.insert(others_.end(), group.begin(), group.end());
      }
    }
  }

  void add_file(std::size_t index, std::vector<Need>& group) {
    if (nodes_[index].same_as != index) return;
    std::vector<Need> needs;
    add_data(nodes_[index], index, rules_.block_size, needs);
    std::vector<Need>& to = sum(needs) >= per_cluster_ ? large_ : group;
    to.insert(to.end(), needs.begin(), needs.end());
  }

  /// What the gaps take must be a small part of what is left.
  void decide_about_gaps() {
    const std::uint64_t need = sum(directories_) + sum(large_) + sum(small_);
    const std::uint64_t gaps = (large_.size() + groups_.size() + 2) * per_cluster_;
    gaps_ = need + gaps + need / 8 <= free_.left();
  }

  void begin_cluster() {
    if (gaps_) free_.align(per_cluster_, rules_.offset / rules_.block_size);
  }

  bool place(const std::vector<Need>& needs) {
    for (const Need& need : needs) {
      const auto ranges = free_.take(need.count);
      if (!ranges) return false;
      std::uint64_t logical = need.logical;
      for (const BlockRange& range : *ranges) {
        for (std::uint64_t done = 0; done < range.count;) {
          const std::uint64_t count = std::min(range.count - done, k_longest_extent);
          extents_[need.node].push_back({logical, range.first + done, static_cast<std::uint32_t>(count)});
          logical += count;
          done += count;
        }
      }
    }
    return true;
  }

  const std::vector<ExtNode>& nodes_;
  FreeBlocks free_;
  const PlacementRules& rules_;
  std::uint64_t per_cluster_ = 1;  ///< blocks
  bool gaps_ = false;
  std::vector<Need> directories_;
  std::vector<Need> large_;
  std::vector<Need> small_;
  std::vector<std::vector<Need>> groups_;
  std::vector<Need> others_;
  std::vector<std::vector<FileExtent>> extents_;
};

}  // namespace

FreeBlocks::FreeBlocks(std::vector<BlockRange> free) : free_(std::move(free)) {
  for (const BlockRange& range : free_) left_ += range.count;
}

std::optional<std::vector<BlockRange>> FreeBlocks::take(std::uint64_t count) {
  if (count > left_) return std::nullopt;
  left_ -= count;
  std::vector<BlockRange> taken;
  while (count > 0) {
    if (at_ == free_.size()) {
      free_ = std::exchange(skipped_, {});
      at_ = 0;
    }
    BlockRange& range = free_[at_];
    const std::uint64_t now = std::min(count, range.count);
    if (now > 0) taken.push_back({range.first, now});
    range.first += now;
    range.count -= now;
    count -= now;
    if (range.count == 0) ++at_;
  }
  return taken;
}

void FreeBlocks::align(std::uint64_t alignment, std::uint64_t phase) {
  while (at_ < free_.size()) {
    BlockRange& range = free_[at_];
    const std::uint64_t gap = (alignment - (range.first + phase) % alignment) % alignment;
    const std::uint64_t skipped = std::min(gap, range.count);
    if (skipped > 0) skipped_.push_back({range.first, skipped});
    range.first += skipped;
    range.count -= skipped;
    if (range.count > 0) return;
    ++at_;
  }
}

std::optional<std::vector<std::vector<FileExtent>>> place_nodes(const std::vector<ExtNode>& nodes,
                                                                const std::vector<std::uint64_t>& directory_blocks,
                                                                FreeBlocks free, const PlacementRules& rules) {
  return Placer(nodes, std::move(free), rules).run(directory_blocks);
}

}  // namespace hearth::builder
