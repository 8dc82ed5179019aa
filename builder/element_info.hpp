// What can be said of elements without building them: element-info's output, and a page about one element.
// Source of element-info's format: diskimage-builder's element_dependencies.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/sys/file.hpp"
#include "builder/elements/closure.hpp"

namespace hearth::builder {

/// The names of a closed set, in one line: element-info's output.
[[nodiscard]] std::string element_names_text(const ElementSet& elements);

/// The same for bash to evaluate: IMAGE_ELEMENT, IMAGE_ELEMENT_YAML and the function get_image_element_array.
[[nodiscard]] std::string element_variables_text(const ElementSet& elements);

/// The first sentence of an element's README that is prose, without headlines.
[[nodiscard]] std::string summary_of(const FileReader& files, const Element& element);

/// What `hearth element info` tells of one element.
struct ElementPage {
  Element element;
  std::string summary;
  std::vector<std::string> needed_by;      ///< elements whose element-deps name it, or something that it provides
  std::vector<std::string> hooks;          ///< "install.d/10-name", by phase and then in order
  std::vector<std::string> idle_hooks;     ///< "install.d/20-name: why it does not run"
  std::vector<std::string> files;          ///< of static/, as they lie in the image: "/etc/name"
  std::vector<std::string> templates;      ///< of os-apply-config, as a node has them when they are rendered
  std::vector<std::string> node_scripts;   ///< of os-refresh-config: "configure.d/50-name"
  std::vector<std::string> packages;       ///< names in package-installs files, conditions or not
  std::vector<std::string> package_notes;  ///< "name: when A = b", "name: nginx-light on debian (pkg-map)"
  std::vector<std::string> variables;      ///< DIB_… that its files mention
  std::string readme;                      ///< its file; empty where there is none
};

/// Its README, as a file; empty where there is none.
[[nodiscard]] fs::path readme_of(const FileReader& files, const Element& element);

[[nodiscard]] ElementPage describe_element(const FileReader& files, const Catalog& catalog, const Element& element);
/// Lists are wrapped in their column to `width` (0: not).
[[nodiscard]] std::string page_text(const ElementPage& page, std::size_t width = 0);

}  // namespace hearth::builder
