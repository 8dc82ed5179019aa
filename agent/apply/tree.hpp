// A template tree and what it renders to: every file below the root is a template, except control files (NAME.oac).
// A file that the caller may execute is a program that gets the metadata on stdin and prints the file.
#pragma once

#include <string>
#include <vector>

#include "agent/apply/control.hpp"
#include "agent/apply/root.hpp"
#include "base/log.hpp"
#include "base/sys/process.hpp"

namespace hearth::agent {

struct Template {
  std::string path;      ///< as root + relative, for reading and for messages
  std::string relative;  ///< below the root, without leading slash
  bool executable = false;
  std::optional<std::string> control;  ///< text of NAME.oac
};

/// One file that the tree renders to.
struct RenderedFile {
  std::string relative;
  std::string content;
  FileControl control;
};

/// All templates, sorted by path. Linked directories are not entered; a root that does not exist has none.
[[nodiscard]] std::vector<Template> scan_templates(const std::string& root);

/// What rendering needs from the world.
struct RenderContext {
  const MetadataRoot& metadata;
  const FileReader& reader;
  CommandRunner& runner;
  Logger& log;
  Accounts accounts;
  bool strict = false;     ///< unclosed sections are errors, not warnings
  bool need_keys = false;  ///< so is a variable that the metadata do not have
};

/// Renders every template, or throws the Error of the first that fails: nothing is ever applied in part. Of keys that
/// are missing all are logged first, whichever template needs them.
[[nodiscard]] std::vector<RenderedFile> render_tree(const std::vector<Template>& templates,
                                                    const RenderContext& context);

}  // namespace hearth::agent
