#include "metadata/language/version.hpp"

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "metadata/model/fault.hpp"
#include "metadata/model/value_text.hpp"

namespace hearth::metadata {

namespace {

struct Named {
  std::string_view key;
  std::string_view name;
  std::string_view alias;
  Version version;
};

constexpr std::string_view k_hot = "heat_template_version";
constexpr const char* k_aws = "AWSTemplateFormatVersion";
constexpr const char* k_heat_cfn = "HeatTemplateFormatVersion";
constexpr std::array<Named, 13> k_versions{{
    {k_hot, "2013-05-23", "", Version::v2013_05_23},
    {k_hot, "2014-10-16", "", Version::v2014_10_16},
    {k_hot, "2015-04-30", "", Version::v2015_04_30},
    {k_hot, "2015-10-15", "", Version::v2015_10_15},
    {k_hot, "2016-04-08", "", Version::v2016_04_08},
    {k_hot, "2016-10-14", "newton", Version::v2016_10_14},
    {k_hot, "2017-02-24", "ocata", Version::v2017_02_24},
    {k_hot, "2017-09-01", "pike", Version::v2017_09_01},
    {k_hot, "2018-03-02", "queens", Version::v2018_03_02},
    {k_hot, "2018-08-31", "rocky", Version::v2018_08_31},
    {k_hot, "2021-04-16", "wallaby", Version::v2021_04_16},
    {k_aws, "2010-09-09", "", Version::aws_2010_09_09},
    {k_heat_cfn, "2012-12-12", "", Version::heat_2012_12_12},
}};

Fault bad_version(const std::string& text, const Mark& mark) {
  return {"InvalidTemplateVersion", "The template version is invalid: " + text, mark};
}

/// At a key that is near to one that names a version, where there is one.
Fault no_version(const Value& document) {
  for (const Entry& entry : document.entries()) {
    if (!entry.key.is_string()) continue;
    Fault fault = bad_version("Template version was not provided", entry.key.mark());
    if (!fault.suggest(entry.key.text(), {std::string(k_hot), k_heat_cfn, k_aws}).suggestion().empty()) return fault;
  }
  return bad_version("Template version was not provided", document.mark());
}

}  // namespace

Version version_of(const Value& document) {
  const Entry* found = nullptr;
  for (const Entry& entry : document.entries()) {
    if (!entry.key.is_string() || !entry.value.is_string()) continue;
    const std::string& key = entry.key.text();
    if (key != k_hot && key != k_heat_cfn && key != k_aws) continue;
    if (found != nullptr) {
      throw bad_version(cat("Ambiguous versions (", found->key.text(), ", ", key, ")"), entry.key.mark());
    }
    found = &entry;
  }
  if (found == nullptr) throw no_version(document);
  const std::string text = python_str(found->value);
  std::vector<std::string> names;
  for (const Named& row : k_versions) {
    if (row.key != found->key.text()) continue;
    if (row.name == text || (!row.alias.empty() && row.alias == text)) return row.version;
    names.emplace_back(row.name);
    if (!row.alias.empty()) names.emplace_back(row.alias);
  }
  const std::string& key = found->key.text();
  Fault fault = bad_version(cat("\"", key, ": ", text, "\". \"", key, "\" should be ",
                                names.size() == 1 ? "" : "one of: ", join(names, ", ")),
                            found->value.mark());
  throw fault.suggest(text, names);
}

std::string_view name_of(Version version) {
  const auto row =
      std::find_if(k_versions.begin(), k_versions.end(), [&](const Named& n) { return n.version == version; });
  return row == k_versions.end() ? "" : row->name;
}

std::vector<std::string> hot_version_names() {
  std::vector<std::string> names;
  for (const Named& row : k_versions) {
    if (row.key == k_hot) names.emplace_back(row.name);
  }
  return names;
}

}  // namespace hearth::metadata
