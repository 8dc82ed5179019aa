// A reader that asks for each file, status and directory once: for checks that look at the same texts one after the
// other, while nobody changes them.
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
  const FileReader& files_;
  mutable std::map<std::string, std::optional<std::string>> texts_;
  mutable std::map<std::string, std::optional<FileStatus>> statuses_;
  mutable std::map<std::string, std::vector<std::string>> names_;
};

}  // namespace hearth::builder
