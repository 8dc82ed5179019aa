// A template, parsed once and shared by all stacks made of it: parameters, conditions, resources, outputs.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "metadata/language/expression.hpp"
#include "metadata/parameters/schema.hpp"

namespace hearth::metadata {

struct ResourceDefinition {
  std::string name{};
  Mark mark{};
  Value type{};
  /// Names with what stands behind them, where `properties` is a map as written; else `properties` is one expression.
  ExpressionPtr properties{};
  ExpressionPtr metadata{};
  ExpressionPtr condition{};
  ExpressionPtr external_id{};  ///< of what somebody else made and keeps
  ExpressionPtr update_policy{};
  ExpressionPtr computed_deletion_policy{};  ///< where it is no plain text
  std::vector<Value> depends_on{};
  std::string deletion_policy = "Delete";
  std::string description{};
};

struct OutputDefinition {
  std::string name;
  Mark mark;
  ExpressionPtr value;
  ExpressionPtr condition;
  std::string description;
};

/// A section of a template; what is wrong with it is thrown where it is used, as Heat comes to it.
template <class Item>
struct Section {
  std::vector<Item> items{};
  std::optional<Fault> fault{};
  std::vector<Fault> further{};  ///< of other items, for whoever looks for all mistakes at once

  void add(Fault found) {
    if (fault) return further.push_back(std::move(found));
    fault = std::move(found);
  }

  [[nodiscard]] const std::vector<Item>& get() const {
    if (fault) throw *fault;
    return items;
  }
};

class Template {
 public:
  /// Throws Fault for an unknown version only. `name` is the template's file or URL.
  Template(Value document, std::string name);

  /// Throws what is wrong with any section.
  void check() const;
  void check_sections() const;
  void check_parameter_groups() const;
  /// What is wrong with each item of the sections.
  [[nodiscard]] std::vector<Fault> faults() const;

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] Version version() const { return version_; }
  [[nodiscard]] const Value& document() const { return document_; }
  [[nodiscard]] const std::vector<ParameterSchema>& parameters() const { return parameters_.get(); }
  [[nodiscard]] const std::vector<ResourceDefinition>& resources() const { return resources_.get(); }
  [[nodiscard]] const std::vector<OutputDefinition>& outputs() const { return outputs_.get(); }
  /// Null when there is none of that name.
  [[nodiscard]] const OutputDefinition* output(const std::string& name) const;
  [[nodiscard]] ExpressionPtr condition(const std::string& name) const;
  [[nodiscard]] std::vector<std::string> condition_names() const;
  /// The section as written; null when there is none.
  [[nodiscard]] Value section(std::string_view hot, std::string_view cfn) const;
  [[nodiscard]] std::string description() const;

 private:
  void read_parameters();
  void read_conditions();
  void read_resources();
  void read_outputs();
  [[nodiscard]] ResourceDefinition resource(const Entry& entry) const;
  [[nodiscard]] OutputDefinition read_output(const Entry& entry) const;

  Value document_;
  std::string name_;
  Version version_;
  Section<ParameterSchema> parameters_;
  Section<std::pair<std::string, ExpressionPtr>> conditions_;
  Section<ResourceDefinition> resources_;
  Section<OutputDefinition> outputs_;
  std::unordered_map<std::string, std::size_t> output_places_;
  std::unordered_map<std::string, std::size_t> condition_places_;
};

using TemplatePtr = std::shared_ptr<const Template>;

/// What a template of this version may have, in the order in which people write it: its sections, the keys of a
/// resource and of an output.
[[nodiscard]] std::vector<std::string> section_names(Version version);
[[nodiscard]] std::vector<std::string> resource_keywords(Version version);
[[nodiscard]] std::vector<std::string> output_keywords(Version version);
[[nodiscard]] const std::vector<std::string>& deletion_policies();

/// Reads the text of a template: JSON, and where it is none, YAML. Throws ValueError. An empty text is an empty map.
[[nodiscard]] Value read_template_text(std::string_view text, std::string_view name, Sources& sources);

}  // namespace hearth::metadata
