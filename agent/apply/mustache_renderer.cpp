#include <utility>

#include "agent/apply/mustache_renderer.hpp"
#include "base/python_json.hpp"
#include "base/text.hpp"

namespace hearth::agent {

namespace {

constexpr int k_max_partial_depth = 100;

bool is_falsy(const Json* value) {
  if (value == nullptr) return true;
  switch (value->type()) {
    case Json::value_t::null: return true;
    case Json::value_t::boolean: return !value->get<bool>();
    case Json::value_t::string: return value->get_ref<const std::string&>().empty();
    case Json::value_t::number_integer:
    case Json::value_t::number_unsigned:
    case Json::value_t::number_float: return value->get<double>() == 0;
    case Json::value_t::binary: return false;  // a big integer
    default: return value->empty();
  }
}

/// As in the template: text as it is, null as nothing, all else as JSON.
std::string inserted(const Json* value) {
  if (value == nullptr || value->is_null()) return "";
  return value->is_string() ? value->get<std::string>() : python_json(*value);
}

std::string indented(const std::string& text, const std::string& indent) {
  if (indent.empty()) return text;
  std::string out;
  bool line_begins = true;
  for (const char c : text) {
    if (line_begins && c != '\n') out += indent;
    out.push_back(c);
    line_begins = c == '\n';
  }
  return out;
}

class Renderer {
 public:
  Renderer(const MetadataRoot& root, const PartialLoader& partials, const MissingReport& missing)
      : root_(root), partials_(partials), missing_(missing) {}

  std::string run(const MustacheNodes& nodes) {
    render(nodes);
    return std::move(out_);
  }

 private:
  void render(const MustacheNodes& nodes) {
    for (const MustacheNode& node : nodes) std::visit([this](const auto& part) { put(part); }, node.value);
  }

  void put(const MustacheText& text) { out_ += text.text; }
  void put(const MustacheVariable& variable) {
    const Json* value = look_up(variable.name);
    if (missing_ && (value == nullptr || value->is_null())) missing_({variable.name, partial_, variable.line});
    out_ += inserted(value);
  }

  void put(const MustacheSection& section) {
    const Json* value = look_up(section.name);
    if (section.inverted) {
      if (is_falsy(value)) render(section.inside);
      return;
    }
    if (is_falsy(value)) return;
    if (!value->is_array()) {
      render_with(*value, section.inside);
      return;
    }
    for (const Json& element : *value) render_with(element, section.inside);
  }

  void put(const MustachePartial& partial) {
    const std::optional<std::string> text = partials_(partial.name);
    if (!text) return;
    if (++partial_depth_ > k_max_partial_depth)
      throw Error(ErrorKind::input, cat("partial ", partial.name, " includes itself"));
    const MustacheTemplate parsed = parse_mustache(indented(*text, partial.indent), partial.name).value_or_throw();
    const std::string outer = std::exchange(partial_, partial.name);
    render(parsed.nodes);
    partial_ = outer;
    --partial_depth_;
  }

  void render_with(const Json& value, const MustacheNodes& inside) {
    stack_.push_back(&value);
    render(inside);
    stack_.pop_back();
  }

  /// The first part of a dotted name is searched from the innermost value out, the rest only inside what was found.
  [[nodiscard]] const Json* look_up(const std::string& name) const {
    if (name == ".") return stack_.empty() ? &root_.value() : stack_.back();
    const std::vector<std::string> parts = split(name, '.');
    const Json* value = search(parts.front());
    for (std::size_t i = 1; i < parts.size() && value != nullptr; ++i) value = find_member(*value, parts[i]);
    return value;
  }

  [[nodiscard]] const Json* search(const std::string& name) const {
    for (std::size_t depth = stack_.size(); depth > 0; --depth) {
      if (const Json* found = find_member(*stack_[depth - 1], name)) return found;
    }
    return root_.member(name);
  }

  const MetadataRoot& root_;
  const PartialLoader& partials_;
  const MissingReport& missing_;
  std::vector<const Json*> stack_;  ///< what is within the root, innermost value last
  std::string out_;
  std::string partial_;  ///< the one that is being rendered
  int partial_depth_ = 0;
};

}  // namespace

std::string render_mustache(const MustacheTemplate& parsed, const MetadataRoot& root, const PartialLoader& partials,
                            const MissingReport& missing) {
  return Renderer(root, partials, missing).run(parsed.nodes);
}

}  // namespace hearth::agent
