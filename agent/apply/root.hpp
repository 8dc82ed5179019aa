// What templates and keys are looked up in: an object, most of whose members nobody may ask for.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

#include "base/json.hpp"

namespace hearth::agent {

class MetadataRoot {
 public:
  virtual ~MetadataRoot() = default;
  /// All of it.
  [[nodiscard]] virtual const Json& value() const = 0;
  /// One member; nullptr where there is none. It stays where it is.
  [[nodiscard]] virtual const Json* member(const std::string& name) const = 0;

 protected:
  MetadataRoot() = default;
  MetadataRoot(const MetadataRoot&) = default;
  MetadataRoot(MetadataRoot&&) = default;
  MetadataRoot& operator=(const MetadataRoot&) = default;
  MetadataRoot& operator=(MetadataRoot&&) = default;
};

/// A value that is there, with an index over its members, as there may be thousands. Refers to the value.
class JsonRoot final : public MetadataRoot {
 public:
  explicit JsonRoot(const Json& value);
  [[nodiscard]] const Json& value() const override { return value_; }
  [[nodiscard]] const Json* member(const std::string& name) const override;

 private:
  const Json& value_;
  std::unordered_map<std::string_view, const Json*> members_;
};

}  // namespace hearth::agent
