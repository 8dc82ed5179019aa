// Where templates, environments and scripts come from: the file system, or a map as Heat's API hands it in.
#pragma once

#include <map>
#include <string>

#include "base/sys/file.hpp"
#include "metadata/graph/stack.hpp"

namespace hearth::metadata {

/// Names are paths, relative to the file that names them; "file://" before an absolute path is dropped.
class DiskFiles final : public FileSource {
 public:
  explicit DiskFiles(const FileReader& reader) : reader_(reader) {}
  [[nodiscard]] std::optional<std::string> read(const std::string& name) override;
  [[nodiscard]] std::string resolve(const std::string& from, const std::string& reference) override;
  [[nodiscard]] std::vector<std::string> beside(const std::string& name) override;
  [[nodiscard]] bool strips_templates() const override { return true; }

 private:
  const FileReader& reader_;
};

/// Names are keys of a map; a reference that is none is taken relative to the file that names it.
class MapFiles final : public FileSource {
 public:
  explicit MapFiles(std::map<std::string, std::string> files) : files_(std::move(files)) {}
  [[nodiscard]] std::optional<std::string> read(const std::string& name) override;
  [[nodiscard]] std::string resolve(const std::string& from, const std::string& reference) override;
  [[nodiscard]] std::vector<std::string> beside(const std::string& name) override;

 private:
  std::map<std::string, std::string> files_;
};

/// "dir/b.yaml" for "b.yaml" in "dir/a.yaml"; absolute references and URLs stay as they are.
[[nodiscard]] std::string relative_to(const std::string& from, const std::string& reference);

}  // namespace hearth::metadata
