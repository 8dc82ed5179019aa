#include "builder/plan/volume_tools.hpp"

#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "base/text.hpp"

namespace hearth::builder {

namespace {

struct VolumeTool {
  const char* word;     ///< of the package's name, whatever system it is
  const char* package;  ///< to be asked for
  const char* volumes;
  bool (*is_needed)(const Volumes& volumes);
};

constexpr std::array<VolumeTool, 3> k_volume_tools = {
    {{"lvm2", "lvm2", "logical volumes", [](const Volumes& volumes) { return !volumes.logical.empty(); }},
     {"mdadm", "mdadm", "RAID arrays", [](const Volumes& volumes) { return !volumes.arrays.empty(); }},
     {"cryptsetup", "cryptsetup-initramfs", "encrypted volumes",
      [](const Volumes& volumes) { return !volumes.encrypted.empty(); }}}};

/// What elements, options and variables say, but for documentation.
class Texts {
 public:
  explicit Texts(const FileReader& files) : files_(files) {}

  void add(std::string_view text) { text_ += cat(text, "\n"); }
  void add_below(const fs::path& directory, int depth) {
    for (const std::string& name : files_.list(directory)) {
      const fs::path path = directory / name;
      const std::optional<FileStatus> status = files_.status(path);
      if (!status || name.starts_with("README")) continue;
      if (status->type == FileStatus::Type::directory && depth > 0) add_below(path, depth - 1);
      if (status->type == FileStatus::Type::regular && status->size <= k_largest) add(files_.read(path).value_or(""));
    }
  }
  [[nodiscard]] bool have(std::string_view word) const { return text_.find(word) != std::string::npos; }

 private:
  static constexpr std::uint64_t k_largest = std::uint64_t{1} << 20U;
  const FileReader& files_;
  std::string text_;
};

Volumes all_volumes(const DiskLayout& layout) {
  Volumes all = layout.volumes;
  for (const DiskLayout& disk : layout.further) {
    all.arrays.insert(all.arrays.end(), disk.volumes.arrays.begin(), disk.volumes.arrays.end());
    all.encrypted.insert(all.encrypted.end(), disk.volumes.encrypted.begin(), disk.volumes.encrypted.end());
    all.logical.insert(all.logical.end(), disk.volumes.logical.begin(), disk.volumes.logical.end());
  }
  return all;
}

}  // namespace

std::vector<Finding> missing_volume_tools(const FileReader& files, const BuildPlan& plan,
                                          const std::vector<std::string>& packages, const Environment& environment,
                                          const DiskLayout& layout) {
  constexpr int k_deepest = 3;
  const Volumes volumes = all_volumes(layout);
  if (volumes.empty()) return {};
  Texts texts(files);
  texts.add(join(packages, "\n"));
  for (const auto& [name, value] : environment) {
    if (name.starts_with("DIB_")) texts.add(value);
  }
  for (const Element& element : plan.elements.elements) texts.add_below(element.path, k_deepest);
  std::vector<Finding> found;
  for (const VolumeTool& tool : k_volume_tools) {
    if (!tool.is_needed(volumes) || texts.have(tool.word)) continue;
    found.push_back({"layout", 0, Severity::warning, "volumes",
                     cat("the disk has ", tool.volumes, ", and nothing asks for the package ", tool.package,
                         ", without which the system can't open them when it starts: -p ", tool.package,
                         ", or in a list of packages")});
  }
  return found;
}

}  // namespace hearth::builder
