// IMAGE.yaml: one or several images described as data, in the form that diskimage-builder's users know. A list of maps;
// entries of one imagename are merged. Each image becomes the command line and the environment that would build it.
// Source of the format: diskimage-builder's front end `diskimage-builder` and its JSON schema.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "base/sys/process.hpp"
#include "builder/yaml/parse_faults.hpp"

namespace hearth::builder {

struct ImageDescription {
  std::string name;
  Environment environment;         ///< added to the caller's
  bool ramdisk = false;            ///< ramdisk-image-create's work
  std::vector<std::string> words;  ///< options and elements, in upstream's order
  std::string source;              ///< file:line:column of its first entry
  std::string checks = {};         ///< what it is tested by, in a pipeline; empty = it is not
  std::string publish = {};        ///< where it is published, in a pipeline; empty = nowhere

  /// "K=V … disk-image-create -o NAME …", as a shell would read it, to be shown: values of variables that are named as
  /// secrets are "REDACTED", URLs are without user and password, as in the build's log.
  [[nodiscard]] std::string shown_command_line() const;
};

struct DescriptionText {
  std::string source;  ///< file name
  std::string text;
};

/// The images of all files, in the order of their first entries. Faults, from the first line of the first file on, name
/// the key, its place and what is allowed.
[[nodiscard]] Result<std::vector<ImageDescription>, ParseFaults> parse_image_descriptions(
    const std::vector<DescriptionText>& files);

/// What the file may have, for editors: a JSON schema.
[[nodiscard]] std::string image_description_schema();

}  // namespace hearth::builder
