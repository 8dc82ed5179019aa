// A reader that asks for each file, status and directory once: for what looks at the same elements one after the other
// (planning, checks, facts), and is to find them as they were the first time. Large files are read each time.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/sys/file.hpp"

namespace hearth::builder {

class ReadOnce final : public FileReader {
 public:
  explicit ReadOnce(const FileReader& files) : files_(files) {}
  [[nodiscard]] std::optional<std::string> read(const fs::path& path) const override;
  [[nodiscard]] std::optional<FileStatus> status(const fs::path& path) const override;
  [[nodiscard]] std::vector<std::string> list(const fs::path& directory) const override;

 private:
  [[nodiscard]] bool is_known_to_miss(const fs::path& path) const;
  const FileReader& files_;
  mutable std::map<std::string, std::optional<std::string>> texts_;
  mutable std::map<std::string, std::optional<FileStatus>> statuses_;
  mutable std::map<std::string, std::vector<std::string>> names_;
};

}  // namespace hearth::builder
