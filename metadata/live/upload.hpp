// What `hearth stack create` and `update` send: a template with all files that it reaches, as Heat's API takes them.
#pragma once

#include <string>
#include <vector>

#include "base/json.hpp"
#include "base/sys/file.hpp"

namespace hearth::metadata::live {

struct UploadRequest {
  std::string name;
  fs::path template_file;
  std::vector<fs::path> environments;
  std::vector<std::string> parameters;  ///< "NAME=VALUE"
  fs::path roles{};                     ///< roles_data.yaml: the template's TripleO tree in Jinja is rendered as read
  fs::path networks{};                  ///< network_data.yaml of the tree, where it is another than the tree's own
};

/// The body of the request. Everything is read and validated here already, so that an error names file and line.
/// Throws Error.
[[nodiscard]] Json make_upload(const UploadRequest& request, const FileReader& reader);

/// Of an update that keeps the stack's own template: parameters only.
[[nodiscard]] Json make_changes(const UploadRequest& request);

}  // namespace hearth::metadata::live
