// The versions of template languages and which function belongs to which.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "metadata/model/value.hpp"

namespace hearth::metadata {

/// In order of age within HOT; the two of CloudFormation behind them.
enum class Version {
  v2013_05_23,
  v2014_10_16,
  v2015_04_30,
  v2015_10_15,
  v2016_04_08,
  v2016_10_14,
  v2017_02_24,
  v2017_09_01,
  v2018_03_02,
  v2018_08_31,
  v2021_04_16,
  hot_end,
  aws_2010_09_09,
  heat_2012_12_12,
  cfn_end
};

[[nodiscard]] inline bool is_cfn(Version version) { return version > Version::hot_end; }
[[nodiscard]] inline bool has_conditions(Version version) {
  return version == Version::aws_2010_09_09 || (version >= Version::v2016_10_14 && version < Version::hot_end);
}

/// The version that a template names in its heat_template_version, HeatTemplateFormatVersion or
/// AWSTemplateFormatVersion. Throws InvalidTemplateVersion.
[[nodiscard]] Version version_of(const Value& document);
[[nodiscard]] std::string_view name_of(Version version);
[[nodiscard]] std::vector<std::string> hot_version_names();

}  // namespace hearth::metadata
