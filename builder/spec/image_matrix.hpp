// One entry of a list of images that describes many: "matrix: {release: [bookworm, trixie], role: [web, db]}" makes an
// image of each combination, and "${release}" in the entry's texts is the image's value. For .cpp files only.
#pragma once

#include <yaml-cpp/yaml.h>

#include <map>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "builder/yaml/yaml_fault.hpp"

namespace hearth::builder {

/// The variables of one image.
using MatrixValues = std::map<std::string, std::string>;

/// All combinations of the values in `matrix`, the variable that stands last changing fastest, but those that an entry
/// of its `exclude` matches. Keeps the faults of single variables, values and patterns, and has no combinations then;
/// throws YamlFault for a matrix as a whole: no variables, more than 10,000 images, all of them excluded.
[[nodiscard]] std::vector<MatrixValues> matrix_combinations(const YAML::Node& matrix, YamlFaults& faults);

/// The text with each "${NAME}" replaced by its value; "$${" stands for "${". Throws YamlFault at `at` for a name that
/// is not among `values`.
[[nodiscard]] std::string substitute(const std::string& text, const MatrixValues& values, const Position& at);

}  // namespace hearth::builder
