#include "builder/disk/layout/layout_view.hpp"

#include <algorithm>

#include "base/cli/tree.hpp"
#include "base/json.hpp"
#include "base/text.hpp"
#include "builder/disk/layout/config_check.hpp"

namespace hearth::builder {

namespace {

using Facts = std::vector<std::pair<std::string, std::string>>;

void fact(Facts& facts, const char* name, std::string value) {
  if (!value.empty()) facts.emplace_back(name, std::move(value));
}

std::string size_text(const SizeSpec& size) {
  if (const auto* const bytes = std::get_if<std::uint64_t>(&size)) return human_bytes(*bytes);
  return cat(fixed(std::get<Percent>(size).value, 0), "% of what is free");
}

class TreeMaker {
 public:
  TreeMaker(const DiskLayout& layout, const std::optional<Placement>& placement)
      : layout_(layout), placement_(placement) {}

  LayoutNode make() const {
    LayoutNode disk{.kind = "disk", .name = layout_.disk, .offset = 0};
    if (placement_) disk.bytes = placement_->disk_bytes;
    const char* const table = layout_.table == PartitionTable::gpt   ? "gpt"
                              : layout_.table == PartitionTable::mbr ? "mbr"
                                                                     : "";
    fact(disk.facts, "table", table);
    fact(disk.facts, "id", layout_.disk_id);
    fact(disk.facts, "sector", std::to_string(layout_.sector_size));
    for (std::size_t i = 0; i < layout_.partitions.size(); ++i) disk.children.push_back(partition(i));
    if (layout_.partitions.empty()) disk.children = inside(layout_.disk);
    for (const VolumeGroup& each : layout_.volumes.groups) disk.children.push_back(group(each));
    return disk;
  }

 private:
  LayoutNode partition(std::size_t index) const {
    const Partition& source = layout_.partitions[index];
    LayoutNode node{.kind = "partition", .name = source.name};
    if (placement_) {
      node.offset = placement_->partitions[index].offset;
      node.bytes = placement_->partitions[index].length;
      fact(node.facts, "number", std::to_string(placement_->numbers[index]));
    } else {
      fact(node.facts, "size", size_text(source.size));
    }
    fact(node.facts, "type", source.type);
    fact(node.facts, "uuid", source.guid);
    if (source.boot) fact(node.facts, "flags", "boot");
    node.children = inside(source.name);
    return node;
  }

  void set_bytes(LayoutNode& node) const {
    if (!placement_) return;
    const auto found = placement_->volumes.find(node.name);
    if (found != placement_->volumes.end()) node.bytes = found->second;
  }

  /// What lies on the device `name`. An array stands under its first member; the others refer to it.
  std::vector<LayoutNode> inside(const std::string& name) const {
    std::vector<LayoutNode> nodes;
    for (const RaidArray& array : layout_.volumes.arrays) {
      if (std::find(array.members.begin(), array.members.end(), name) == array.members.end()) continue;
      LayoutNode node{.kind = "raid", .name = array.name};
      fact(node.facts, "level", array.level);
      if (array.members.front() == name) {
        set_bytes(node);
        fact(node.facts, "uuid", array.uuid);
        node.children = inside(array.name);
      }
      nodes.push_back(std::move(node));
    }
    for (const LuksVolume& volume : layout_.volumes.encrypted) {
      if (volume.base != name) continue;
      LayoutNode node{.kind = "luks", .name = volume.name};
      set_bytes(node);
      fact(node.facts, "type", volume.version);
      fact(node.facts, "uuid", volume.uuid);
      fact(node.facts, "key", volume.image_key_file.empty() ? "asked for at boot" : volume.image_key_file);
      node.children = inside(volume.name);
      nodes.push_back(std::move(node));
    }
    for (const PhysicalVolume& volume : layout_.volumes.physical) {
      if (volume.base != name) continue;
      LayoutNode node{.kind = "lvm-physical", .name = volume.name};
      for (const VolumeGroup& group : layout_.volumes.groups) {
        const bool member = std::find(group.members.begin(), group.members.end(), volume.name) != group.members.end();
        if (member) fact(node.facts, "group", group.name);
      }
      fact(node.facts, "uuid", volume.uuid);
      nodes.push_back(std::move(node));
    }
    for (const DiskFileSystem& each : layout_.file_systems) {
      if (device_of(each) == name) nodes.push_back(file_system(each));
    }
    return nodes;
  }

  std::string device_of(const DiskFileSystem& each) const {
    if (!each.volume.empty()) return each.volume;
    return each.partition ? layout_.partitions[*each.partition].name : layout_.disk;
  }

  static LayoutNode file_system(const DiskFileSystem& each) {
    LayoutNode node{.kind = each.type, .name = each.name};
    fact(node.facts, "label", each.label);
    fact(node.facts, "uuid", each.uuid);
    fact(node.facts, "mount", each.mount_point);
    if (each.fstab) fact(node.facts, "options", each.fstab->options);
    return node;
  }

  LayoutNode group(const VolumeGroup& source) const {
    LayoutNode node{.kind = "lvm-group", .name = source.name};
    for (const LogicalVolume& each : layout_.volumes.logical) {
      if (each.group != source.name) continue;
      LayoutNode volume{.kind = "lvm-volume", .name = each.name};
      set_bytes(volume);
      if (each.kind == LogicalVolume::Kind::thin_pool) fact(volume.facts, "type", "thin pool");
      if (each.kind == LogicalVolume::Kind::thin) fact(volume.facts, "pool", each.pool);
      volume.children = inside(each.name);
      node.children.push_back(std::move(volume));
    }
    return node;
  }

  const DiskLayout& layout_;
  const std::optional<Placement>& placement_;
};

std::string node_label(const LayoutNode& node) {
  std::string text = node.name.empty() || node.name == node.kind ? node.kind : cat(node.kind, " ", node.name);
  if (node.bytes) text += cat("  ", human_bytes(*node.bytes));
  if (node.offset && node.kind != "disk") text += cat(" at ", human_bytes(*node.offset));
  return text;
}

/// "type=EFI System  uuid=…"
std::string node_facts(const LayoutNode& node) {
  std::vector<std::string> texts;
  for (const auto& [name, value] : node.facts) {
    const std::string_view known = name == "type" ? gpt_type_name(value) : "";
    texts.push_back(cat(name, "=", known.empty() ? value : known));
  }
  return join(texts, "  ");
}

std::string describe_node(const LayoutNode& node) {
  const std::string facts = node_facts(node);
  return cat(node_label(node), facts.empty() ? "" : cat("  ", facts));
}

cli::TreeNode drawn(const LayoutNode& node) {
  cli::TreeNode row{.label = node_label(node), .note = node_facts(node)};
  for (const LayoutNode& child : node.children) row.children.push_back(drawn(child));
  return row;
}

constexpr int k_row = 44;
constexpr int k_width = 960;
constexpr int k_least_width = 60;

int depth_of(const LayoutNode& node) {
  int depth = 0;
  for (const LayoutNode& child : node.children) depth = std::max(depth, depth_of(child));
  return depth + 1;
}

const char* colour_of(const LayoutNode& node) {
  if (node.kind == "disk") return "#d9dde3";
  if (node.kind == "partition") return "#b7c9e2";
  if (node.kind == "raid") return "#e8d3a9";
  if (node.kind == "luks") return "#e6b8b7";
  if (node.kind.starts_with("lvm")) return "#cfe2c3";
  return "#f4f1de";
}

/// One box, its children below it: each as wide as its share of the bytes, but wide enough for a word.
void draw_box(const LayoutNode& node, double x, double width, int row, std::string& svg) {
  const int y = row * k_row;
  svg += cat("<g><title>", xml_escaped(describe_node(node)), "</title><rect x=\"", fixed(x, 1), "\" y=\"", y,
             "\" width=\"", fixed(std::max(width - 2, 1.0), 1), "\" height=\"", k_row - 4, "\" rx=\"3\" fill=\"",
             colour_of(node), "\" stroke=\"#555\"/>");
  const auto room = static_cast<std::size_t>(std::max(width / 7.0 - 1, 1.0));
  const std::string under = node.bytes ? human_bytes(*node.bytes) : node.facts.empty() ? "" : node.facts.front().second;
  svg += cat("<text x=\"", fixed(x + 4, 1), "\" y=\"", y + 16, "\">",
             xml_escaped((node.name.empty() ? node.kind : cat(node.kind, " ", node.name)).substr(0, room)),
             "</text><text x=\"", fixed(x + 4, 1), "\" y=\"", y + 33, "\" fill=\"#444\">",
             xml_escaped(under.substr(0, room)), "</text></g>\n");
  double total = 0;
  for (const LayoutNode& child : node.children) total += static_cast<double>(child.bytes.value_or(0));
  const auto count = static_cast<double>(node.children.size());
  const double spare = std::max(width - count * k_least_width, 0.0);
  for (const LayoutNode& child : node.children) {
    const double share = total > 0 ? static_cast<double>(child.bytes.value_or(0)) / total : 1.0 / count;
    const double mine = std::min(width / count, static_cast<double>(k_least_width)) + spare * share;
    draw_box(child, x, mine, row + 1, svg);
    x += mine;
  }
}

}  // namespace

LayoutNode layout_tree(const DiskLayout& layout, const std::optional<Placement>& placement) {
  return TreeMaker(layout, placement).make();
}

std::string layout_text(const LayoutNode& disk, bool unicode, std::size_t room) {
  return cli::tree_text(drawn(disk), unicode, room);
}

nlohmann::ordered_json layout_json(const LayoutNode& disk) {
  nlohmann::ordered_json json = {{"kind", disk.kind}, {"name", disk.name}};
  if (disk.offset) json["offset"] = *disk.offset;
  if (disk.bytes) json["bytes"] = *disk.bytes;
  for (const auto& [name, value] : disk.facts) json[name] = value;
  if (disk.children.empty()) return json;
  for (const LayoutNode& child : disk.children) json["holds"].push_back(layout_json(child));
  return json;
}

std::string layout_svg(const LayoutNode& disk) {
  const int height = depth_of(disk) * k_row + 4;
  std::string svg = cat("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 ", k_width + 4, " ", height,
                        "\" font-family=\"sans-serif\" font-size=\"12\">\n");
  draw_box(disk, 2, k_width, 0, svg);
  return cat(svg, "</svg>\n");
}

}  // namespace hearth::builder
