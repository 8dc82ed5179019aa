// Where os-apply-config's metadata comes from: a list of JSON files, merged in order.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "agent/apply/root.hpp"
#include "base/log.hpp"
#include "base/sys/file.hpp"
#include "base/sys/process.hpp"

namespace hearth::agent {

inline constexpr std::string_view k_os_config_files = "/var/lib/os-collect-config/os_config_files.json";
inline constexpr std::string_view k_old_os_config_files = "/var/run/os-collect-config/os_config_files.json";

/// What the command line and the environment say about metadata files.
struct MetadataChoice {
  std::vector<std::string> files;     ///< -m; empty = look further
  std::vector<std::string> fallback;  ///< read first, lowest priority
  std::string list_file = std::string(k_os_config_files);
};

/// The files to read: those given, else $OS_CONFIG_FILES split at ":" (set but empty = none), else the list in
/// choice.list_file, or at the place where it used to be, with a warning. Throws Error(input) when the list is none.
[[nodiscard]] std::vector<std::string> metadata_files(const MetadataChoice& choice, const Environment& env,
                                                      const FileReader& reader, Logger& log);

/// Lays `upper` over `lower`: objects merge member by member, anything else replaces.
[[nodiscard]] Json merge_metadata(Json lower, Json upper);

/// Documents, one laid over the other. Each is checked from end to end; values are made of those members that are asked
/// for.
class MergedMetadata final : public MetadataRoot {
 public:
  /// Reads the files in order. Empty names and missing files are skipped, documents that are no objects ignored. Throws
  /// Error naming the file that can't be read or parsed.
  [[nodiscard]] static MergedMetadata read(const std::vector<std::string>& files, const FileReader& reader);

  [[nodiscard]] const Json& value() const override;
  [[nodiscard]] const Json* member(const std::string& name) const override;

 private:
  /// One member as a document has it, and as the documents before have it.
  struct Layer {
    std::string_view text;
    std::size_t document;
    std::unique_ptr<Layer> below;
    [[nodiscard]] Json value() const;
  };
  struct Member {
    Layer top;
    mutable std::optional<Json> value;
  };
  void add(std::string text, const std::string& file);
  static const Json& value_of(const Member& member);

  std::deque<std::string> documents_;  ///< which the members refer to
  std::deque<std::pair<std::string, Member>> members_;
  std::unordered_map<std::string_view, Member*> index_;
  mutable std::optional<Json> whole_;
};

/// The sub-object at "a.b". Throws Error(input) when there is no object.
[[nodiscard]] const Json& metadata_below(const MetadataRoot& metadata, const std::string& dotted);

}  // namespace hearth::agent
