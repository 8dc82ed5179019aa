#include "builder/spec/image_matrix.hpp"

#include <algorithm>
#include <set>

#include "base/text.hpp"

namespace hearth::builder {

namespace {

constexpr std::size_t k_most_images = 10'000;  // of one matrix
constexpr const char* k_exclude = "exclude";

struct MatrixVariable {
  std::string name;
  std::vector<std::string> values;
};

std::vector<std::string> names_of(const std::vector<MatrixVariable>& variables) {
  std::vector<std::string> names;
  for (const MatrixVariable& variable : variables) names.push_back(variable.name);
  return names;
}

std::string suggestion(const std::string& name, const std::vector<std::string>& names) {
  return cat(did_you_mean(name, names), "; the matrix has ", join(names, ", "));
}

std::vector<std::string> values_of(const YAML::Node& list, const std::string& name) {
  if (!list.IsSequence()) {
    throw YamlFault{position_of(list.Mark()), cat("the values of '", name, "' must be a list")};
  }
  std::vector<std::string> values;
  for (const YAML::Node& item : list) {
    std::string value = yaml_text(item, name);
    if (std::find(values.begin(), values.end(), value) != values.end())
      throw YamlFault{position_of(item.Mark()), cat("'", name, "' has the value '", value, "' twice")};
    values.push_back(std::move(value));
  }
  if (values.empty())
    throw YamlFault{position_of(list.Mark()), cat("'", name, "' has no values: the matrix makes no image")};
  return values;
}

void add_variable(const YAML::Node& key, const YAML::Node& values, std::vector<MatrixVariable>& variables) {
  const std::string name = yaml_text(key, "matrix");
  if (name == k_exclude) return;
  const std::vector<std::string> known = names_of(variables);
  if (std::find(known.begin(), known.end(), name) != known.end())
    throw YamlFault{position_of(key.Mark()), cat("'", name, "' stands there twice")};
  variables.push_back({name, {}});
  variables.back().values = values_of(values, name);
}

/// Nothing when one of them is wrong.
std::optional<std::vector<MatrixVariable>> variables_of(const YAML::Node& matrix, YamlFaults& faults) {
  std::vector<MatrixVariable> variables;
  bool good = true;
  for (const auto& pair : matrix)
    good = faults.gather([&] { add_variable(pair.first, pair.second, variables); }) && good;
  if (!good) return std::nullopt;
  if (variables.empty()) throw YamlFault{position_of(matrix.Mark()), "the matrix has no variables, and makes no image"};
  std::size_t images = 1;
  for (const MatrixVariable& variable : variables) {
    images *= variable.values.size();
    if (images > k_most_images)
      throw YamlFault{position_of(matrix.Mark()), cat("the matrix makes more than ", k_most_images, " images")};
  }
  return variables;
}

std::vector<MatrixValues> combinations(const std::vector<MatrixVariable>& variables) {
  std::vector<MatrixValues> all = {{}};
  for (const MatrixVariable& variable : variables) {
    std::vector<MatrixValues> next;
    for (const MatrixValues& values : all) {
      for (const std::string& value : variable.values) {
        next.push_back(values);
        next.back()[variable.name] = value;
      }
    }
    all = std::move(next);
  }
  return all;
}

/// What one entry of "exclude" asks for: an image that has all of these values is not made.
MatrixValues excluded(const YAML::Node& entry, const std::vector<MatrixVariable>& variables) {
  if (!entry.IsMap() || entry.size() == 0)
    throw YamlFault{position_of(entry.Mark()), "'exclude' must be a list of maps, each of variables to a value"};
  MatrixValues values;
  for (const auto& pair : entry) {
    const std::string name = yaml_text(pair.first, k_exclude);
    const auto variable =
        std::find_if(variables.begin(), variables.end(), [&](const MatrixVariable& each) { return each.name == name; });
    if (variable == variables.end())
      throw YamlFault{position_of(pair.first.Mark()),
                      cat("unknown variable '", name, "'", suggestion(name, names_of(variables)))};
    const std::string value = yaml_text(pair.second, name);
    if (std::find(variable->values.begin(), variable->values.end(), value) == variable->values.end()) {
      throw YamlFault{position_of(pair.second.Mark()),
                      cat("'", name, "' has no value '", value, "'", did_you_mean(value, variable->values), "; it has ",
                          join(variable->values, ", "))};
    }
    values[name] = value;
  }
  return values;
}

bool matches(const MatrixValues& image, const MatrixValues& pattern) {
  return std::all_of(pattern.begin(), pattern.end(),
                     [&](const auto& each) { return image.at(each.first) == each.second; });
}

}  // namespace

std::vector<MatrixValues> matrix_combinations(const YAML::Node& matrix, YamlFaults& faults) {
  if (!matrix.IsMap())
    throw YamlFault{position_of(matrix.Mark()), "'matrix' must be a map of variables to lists of values"};
  const std::optional<std::vector<MatrixVariable>> variables = variables_of(matrix, faults);
  if (!variables) return {};
  std::vector<MatrixValues> images = combinations(*variables);
  const YAML::Node exclude = matrix[k_exclude];
  if (!exclude.IsDefined()) return images;
  if (!exclude.IsSequence())
    throw YamlFault{position_of(exclude.Mark()), "'exclude' must be a list of maps, each of variables to a value"};
  bool good = true;
  const auto leave_out = [&](const MatrixValues& pattern) {
    std::erase_if(images, [&](const MatrixValues& image) { return matches(image, pattern); });
  };
  for (const YAML::Node& entry : exclude) good = faults.gather([&] { leave_out(excluded(entry, *variables)); }) && good;
  if (!good) return {};
  if (images.empty()) throw YamlFault{position_of(exclude.Mark()), "'exclude' leaves no image of the matrix"};
  return images;
}

std::string substitute(const std::string& text, const MatrixValues& values, const Position& at) {
  std::string result;
  std::size_t done = 0;
  for (std::size_t open = text.find("${"); open != std::string::npos; open = text.find("${", done)) {
    if (open > done && text[open - 1] == '$') {
      result += cat(text.substr(done, open - 1 - done), "${");
      done = open + 2;
      continue;
    }
    const std::size_t close = text.find('}', open);
    if (close == std::string::npos) throw YamlFault{at, cat("'", text, "': the brace of ${ is not closed")};
    const std::string name = text.substr(open + 2, close - open - 2);
    const auto found = values.find(name);
    if (found == values.end()) {
      std::vector<std::string> names;
      for (const auto& [known, value] : values) names.push_back(known);
      throw YamlFault{
          at, cat("unknown variable '", name, "'", suggestion(name, names), "; $${", name, "} is the text itself")};
    }
    result += cat(text.substr(done, open - done), found->second);
    done = close + 1;
  }
  return result + text.substr(done);
}

}  // namespace hearth::builder
