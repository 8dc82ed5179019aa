#include "metadata/compile/mending.hpp"

#include <algorithm>
#include <chrono>
#include <functional>
#include <optional>
#include <tuple>
#include <utility>

#include "base/text.hpp"
#include "metadata/compile/validation.hpp"
#include "metadata/language/functions.hpp"
#include "metadata/model/plain_words.hpp"
#include "metadata/model/value_text.hpp"
#include "metadata/model/yaml_reader.hpp"

namespace hearth::metadata {

namespace {

using Patch = Mending::Patch;
using Path = std::vector<std::size_t>;

constexpr std::size_t k_most_told = 1000;
constexpr std::size_t k_lines_before = 6;  ///< that may be to blame for where a text can't be read any more
constexpr std::chrono::milliseconds k_longest_reading{300};  ///< of one file that can't be parsed

Value not_known() { return Value::waiting({{"what is wrong", "value"}}); }

std::size_t size_of(const Value& value) {
  return value.is_map() ? value.entries().size() : value.is_list() ? value.items().size() : 0;
}
const Value& child(const Value& value, std::size_t index) {
  return value.is_map() ? value.entries()[index].value : value.items()[index];
}
const Value& at(const Value& document, const Path& path, std::size_t depth) {
  const Value* value = &document;
  for (std::size_t i = 0; i < depth; ++i) value = &child(*value, path[i]);
  return *value;
}
std::string name_at(const Value& document, const Path& path, std::size_t depth) {
  const Value& map = at(document, path, depth);
  return map.is_map() ? python_str(map.entries()[path[depth]].key) : "";
}

/// Goes through keys and values, outer ones first; what `found` accepts is where `path` and `key` are left at.
bool search(const Value& value, const std::function<bool(const Value&, bool key)>& found, Path& path, bool& key) {
  for (std::size_t i = 0; i < size_of(value); ++i) {
    path.push_back(i);
    key = value.is_map() && found(value.entries()[i].key, true);
    if (key || found(child(value, i), false) || search(child(value, i), found, path, key)) return true;
    path.pop_back();
  }
  return false;
}

Value patched(const Value& value, const Patch& patch, std::size_t depth = 0) {
  if (depth == patch.path.size()) {
    if (patch.kind == Patch::Kind::replace) return patch.value;
    MapBuilder members(value.entries());
    members.set(patch.name, patch.value);
    return Value::map(std::move(members)).with_mark(value.mark());
  }
  const std::size_t index = patch.path[depth];
  if (index >= size_of(value)) return value;
  const bool last = depth + 1 == patch.path.size();
  const auto place = static_cast<std::ptrdiff_t>(index);
  if (value.is_list()) {
    std::vector<Value> items = value.items();
    if (last && patch.kind == Patch::Kind::drop) {
      items.erase(items.begin() + place);
    } else {
      items[index] = patched(items[index], patch, depth + 1);
    }
    return Value::list(std::move(items)).with_mark(value.mark());
  }
  std::vector<Entry> entries = value.entries();
  if (last && patch.kind == Patch::Kind::drop) {
    entries.erase(entries.begin() + place);
  } else if (last && patch.kind == Patch::Kind::rename) {
    entries[index].key = patch.value;
  } else {
    entries[index].value = patched(entries[index].value, patch, depth + 1);
  }
  return Value::map(MapBuilder(std::move(entries))).with_mark(value.mark());
}

/// What is to be changed for one fault in one document, which is a template or an environment.
class Surgeon {
 public:
  Surgeon(const Value& document, const Fault& fault) : document_(document), fault_(fault) {
    try {
      version_ = version_of(document);
    } catch (const Fault&) {
    }
    template_ = version_.has_value() || std::any_of(document.entries().begin(), document.entries().end(), is_version);
  }

  std::optional<Patch> patch() {
    const auto stands_here = [&](const Value& value, bool) { return value.mark() == fault_.mark(); };
    const auto key_here = [&](const Value& value, bool key) { return key && value.mark() == fault_.mark(); };
    const auto map_here = [&](const Value& value, bool key) {
      return !key && value.is_map() && value.mark() == fault_.mark();
    };
    // A map written in a block begins where its first key does: all resources where the first one does.
    const bool key = search(document_, key_here, path_, key_);
    name_path();
    if (key && !fault_.lacking().empty() && is_resource()) return add_property();
    Path map;
    bool is_key = false;
    if (!fault_.lacking().empty() && search(document_, map_here, map, is_key)) return add(map);
    if (!key && !search(document_, stands_here, path_, key_)) return std::nullopt;
    name_path();
    if (!fault_.misspelt().empty() && may_be_renamed()) {
      if (auto spelt = spelt_right()) return spelt;
    }
    return template_ ? in_template() : in_environment();
  }

 private:
  void name_path() {
    names_.clear();
    for (std::size_t depth = 0; depth < path_.size(); ++depth) names_.push_back(name_at(document_, path_, depth));
  }
  static bool is_version(const Entry& entry) {
    const std::string name = python_str(entry.key);
    return name == "heat_template_version" || name == "HeatTemplateFormatVersion" || name == "AWSTemplateFormatVersion";
  }
  [[nodiscard]] bool cfn() const { return version_ && is_cfn(*version_); }
  [[nodiscard]] bool section(std::string_view hot, std::string_view cfn) const {
    return names_[0] == hot || names_[0] == cfn;
  }
  /// What was meant may not be the nearest: another condition leaves resources out, another resource makes a circle.
  [[nodiscard]] bool may_be_renamed() const {
    return fault_.type() != "InvalidTemplateReference" && !(template_ && section("conditions", "Conditions"));
  }
  [[nodiscard]] bool is_resource() const { return template_ && path_.size() == 2 && section("resources", "Resources"); }
  [[nodiscard]] Path outer(std::size_t depth) const {
    return {path_.begin(), path_.begin() + static_cast<std::ptrdiff_t>(depth)};
  }
  [[nodiscard]] Patch drop(std::size_t depth) const { return {Patch::Kind::drop, outer(depth)}; }
  [[nodiscard]] Patch replace(std::size_t depth, Value value) const {
    return {Patch::Kind::replace, outer(depth), std::move(value)};
  }
  [[nodiscard]] Patch add(Path path) const {
    return {Patch::Kind::add, std::move(path), not_known(), fault_.lacking()};
  }

  [[nodiscard]] Patch add_property() const {
    const std::string word = cfn() ? "Properties" : "properties";
    const Value& resource = at(document_, path_, path_.size());
    for (std::size_t i = 0; i < size_of(resource); ++i) {
      if (!resource.is_map() || python_str(resource.entries()[i].key) != word) continue;
      Path inside = path_;
      inside.push_back(i);
      if (child(resource, i).is_map()) return add(inside);
    }
    return {Patch::Kind::add, path_, map_of({{fault_.lacking(), not_known()}}), word};
  }

  [[nodiscard]] std::optional<Patch> spelt_right() const {
    Path path = path_;
    bool key = key_;
    const auto is_it = [&](const Value& value, bool) { return value.is_string() && value.text() == fault_.misspelt(); };
    const Value& here = at(document_, path, path.size());
    if (key && !is_it(at(document_, path, path.size() - 1).entries()[path.back()].key, true)) key = false;
    if (!key && !is_it(here, false) && !search(here, is_it, path, key)) return std::nullopt;
    const Value& around = at(document_, path, path.size() - 1);
    if (key && around.find(fault_.suggestion()) != nullptr) return Patch{Patch::Kind::drop, path};
    return Patch{key ? Patch::Kind::rename : Patch::Kind::replace, path, Value::string(fault_.suggestion())};
  }

  /// How deep the innermost function's call is that this stands in.
  [[nodiscard]] std::optional<std::size_t> call() const {
    for (std::size_t depth = path_.size(); version_ && depth > 2; --depth) {
      const Value& value = at(document_, path_, depth);
      if (!value.is_map() || value.entries().size() != 1) continue;
      const std::string name = python_str(value.entries().front().key);
      if (find_function(name, *version_) != nullptr || is_branch(name, *version_)) return depth;
    }
    return std::nullopt;
  }

  [[nodiscard]] Patch in_template() const {
    if (path_.size() == 1 && is_version(document_.entries()[path_[0]])) {
      return replace(1, Value::string(names_[0] == "heat_template_version" ? "2021-04-16" : "2012-12-12"));
    }
    if (path_.size() == 1) return drop(1);
    if (section("parameters", "Parameters"))
      return replace(2, cfn() ? map_of({{"Type", Value::string("String")}, {"Default", not_known()}})
                              : map_of({{"type", Value::string("string")}, {"default", not_known()}}));
    if (section("conditions", "Conditions")) return replace(2, Value::boolean(true));
    if (section("outputs", "Outputs")) return replace(2, map_of({{cfn() ? "Value" : "value", not_known()}}));
    if (section("resources", "Resources")) return in_resource();
    return drop(std::min<std::size_t>(path_.size(), 4));  // one of the names in a group of parameters
  }

  [[nodiscard]] Patch in_resource() const {
    const Value nothing = Value::string("OS::Heat::None");
    if (path_.size() == 2) return replace(2, map_of({{cfn() ? "Type" : "type", nothing}}));
    const bool type = names_[2] == "type" || names_[2] == "Type";
    if (path_.size() == 3) return type ? replace(3, nothing) : drop(3);
    if (const auto depth = call()) return replace(*depth, not_known());
    const bool name = names_[2] == "depends_on" || names_[2] == "DependsOn";
    return key_ || name ? drop(path_.size()) : replace(path_.size(), not_known());
  }

  [[nodiscard]] Patch in_environment() const {
    if (key_ || path_.size() == 1) return drop(path_.size());
    if (names_[0] == "resource_registry") return replace(path_.size(), Value::string("OS::Heat::None"));
    return names_[0].rfind("parameter", 0) == 0 ? replace(path_.size(), not_known()) : drop(path_.size());
  }

  const Value& document_;
  const Fault& fault_;
  std::optional<Version> version_;
  bool template_ = false;
  Path path_;
  bool key_ = false;
  std::vector<std::string> names_;
};

Mistake mistake_of(const Fault& met, const Sources& sources) {
  const Fault fault = in_plain_words(met);
  return {.file = sources.name(fault.mark().file),
          .line = fault.mark().line,
          .column = fault.mark().column,
          .type = fault.type(),
          .text = fault.what(),
          .advice = fault.advice(),
          .story = fault.located(sources).story()};
}

void sort_by_place(std::vector<Mistake>& mistakes) {
  std::vector<std::string> files;
  const auto number = [&](const std::string& file) {
    return std::find(files.begin(), files.end(), file) - files.begin();
  };
  for (const Mistake& each : mistakes) {
    if (number(each.file) == static_cast<std::ptrdiff_t>(files.size())) files.push_back(each.file);
  }
  std::stable_sort(mistakes.begin(), mistakes.end(), [&](const Mistake& a, const Mistake& b) {
    return std::tuple(number(a.file), a.line, a.column) < std::tuple(number(b.file), b.line, b.column);
  });
}

/// Where the text can't be parsed any more; nothing where it can.
std::optional<std::size_t> stops_at(const std::vector<std::string>& lines) {
  const Result<Value> read = parse_yaml(join(lines, "\n"), "", 0);
  return read ? std::nullopt : std::optional(static_cast<std::size_t>(read.error().at.line));
}

/// The line near `stop`, counted from 1, without which most of the rest can be read.
std::size_t worst_line(std::vector<std::string>& lines, std::size_t stop, const std::function<void()>& breathe) {
  std::size_t worst = 0;
  std::size_t farthest = 0;
  const std::size_t last = std::min(stop, lines.size());
  for (std::size_t line = last; line > 0 && line + k_lines_before > last; --line) {
    if (trim(lines[line - 1]).empty()) continue;
    if (breathe) breathe();
    const std::string kept = std::exchange(lines[line - 1], "");
    const std::size_t reached = stops_at(lines).value_or(lines.size() + 1);
    lines[line - 1] = kept;
    if (reached <= farthest) continue;
    farthest = reached;
    worst = line;
  }
  return worst;
}

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

void add_words(std::string_view text, std::set<std::string>& words) {
  std::string word;
  for (const char c : cat(text, " ")) {
    if (is_word(c)) {
      word += c;
    } else if (!word.empty()) {
      words.insert(std::exchange(word, ""));
    }
  }
}

/// What a line gives a name to: its first key.
std::string key_of(std::string_view line) {
  const std::string_view text = trim(line);
  const auto end = std::find_if_not(text.begin(), text.end(), is_word);
  return end != text.end() && *end == ':' ? std::string(text.begin(), end) : "";
}

}  // namespace

std::string Mending::readable(const std::string& file, std::string text, std::string_view what, Sources& sources,
                              const std::function<void()>& breathe) {
  if (const auto known = readable_.find(file); known != readable_.end()) return known->second;
  const Result<Value> read = parse_yaml(text, file, 0);
  if (read) return text;
  const Position at = read.error().at;
  readable_[file] = text;
  unreadable_.push_back(
      value_fault(cat("Error parsing ", what, ": ", read.error().what),
                  {sources.add(file), static_cast<std::uint32_t>(at.line), static_cast<std::uint32_t>(at.column)}));
  std::vector<std::string> lines = split(text, '\n');
  std::set<std::string> names;
  const Duration began = thread_time();
  while (thread_time() - began < k_longest_reading) {
    const std::optional<std::size_t> stop = stops_at(lines);
    if (!stop) {
      const Result<Value> rest = parse_yaml(join(lines, "\n"), "", 0);
      if (!rest || !rest->is_map()) return text;
      left_out_.merge(names);
      return readable_[file] = join(lines, "\n");
    }
    const std::size_t worst = worst_line(lines, *stop, breathe);
    if (worst == 0) return text;
    if (std::string name = key_of(lines[worst - 1]); !name.empty()) names.insert(std::move(name));
    lines[worst - 1].clear();
  }
  return text;
}

bool Mending::may_follow(const Fault& fault) const {
  std::set<std::string> words;
  add_words(fault.what(), words);
  return std::any_of(words.begin(), words.end(), [&](const std::string& word) { return left_out_.count(word) > 0; });
}

Value Mending::mended(const std::string& file, Value document) {
  for (const Patch& patch : patches_[file]) document = patched(document, patch);
  return documents_[file] = std::move(document);
}

bool Mending::mend(const Fault& fault, const Sources& sources) {
  const auto found = documents_.find(sources.name(fault.mark().file));
  if (found == documents_.end() || !fault.mark().known() || !found->second.is_map()) return false;
  const std::optional<Patch> patch = Surgeon(found->second, fault).patch();
  if (!patch) return false;
  found->second = patched(found->second, *patch);
  patches_[found->first].push_back(*patch);
  return true;
}

namespace {

/// Looks at a tree, mends what is wrong with it, and looks again.
class Search {
 public:
  Search(const std::function<void(StackModel&)>& build, Duration longest) : build_(build), longest_(longest) {}

  Mistakes run() {
    late_ = [end = thread_time() + longest_] { return thread_time() >= end; };
    bool mended = true;
    while (mended && result_.all) {
      mended = look();
      if ((mended && late_()) || result_.untold > 0) result_.all = false;
    }
    result_.all = result_.all && is_whole_;
    sort_by_place(result_.errors);
    return std::move(result_);
  }

 private:
  /// Whether anything was mended.
  bool look() {
    StackModel model;
    model.mend = [&](const std::string& file, Value document) { return mending_.mended(file, std::move(document)); };
    model.mend_text = [&](const std::string& file, std::string text, std::string_view what) {
      return mending_.readable(file, std::move(text), what, model.sources, model.breathe);
    };
    std::vector<Fault> faults;
    try {
      build_(model);
      faults = validate_stack(*model.root);
      warn(model, faults.empty() && model.tree->further.empty());
    } catch (const Fault& fault) {
      faults = {fault};
    }
    if (model.tree) {
      faults.insert(faults.end(), model.tree->further.begin(), model.tree->further.end());
      if (model.tree->exhausted()) result_.all = false;
    }
    for (const Fault& fault : mending_.take_unreadable()) {
      is_whole_ = false;
      tell(fault, model.sources);
    }
    const bool mended = mend(faults, model.sources);
    return mended && !(model.tree && model.tree->patterns.is_gone());  // the next look would spend as much
  }

  bool mend(const std::vector<Fault>& faults, const Sources& sources) {
    bool mended = false;
    for (const Fault& fault : faults) {
      if (!mending_.may_follow(fault)) tell(fault, sources);
      if (result_.errors.size() >= k_most_told || late_()) {
        result_.all = false;  // to mend more would take too long
        continue;
      }
      const Mark& mark = fault.mark();
      // What is met again at its place was not mended by that, and never will be.
      const bool is_new =
          tried_.insert(cat(sources.name(mark.file), ":", mark.line, ":", mark.column, " ", fault.text())).second;
      mended = (is_new && mending_.mend(fault, sources)) || mended;
    }
    return mended;
  }

  /// Once, however often it is met: at the same place, perhaps seen from further out.
  void tell(const Fault& fault, const Sources& sources) {
    Mistake mistake = mistake_of(fault, sources);
    // Files are numbered anew for each look.
    std::vector<Words>& told = told_[cat(mistake.file, ":", mistake.line, ":", mistake.column)];
    const Words words{mistake.text, fault.text()};
    if (std::any_of(told.begin(), told.end(), [&](const Words& earlier) { return is_same(earlier, words); })) return;
    told.push_back(words);
    if (result_.errors.size() < k_most_told) {
      result_.errors.push_back(std::move(mistake));
    } else {
      ++result_.untold;
    }
  }

  struct Words {
    std::string whole;  ///< with the path in front
    std::string text;
  };
  /// Of a template that several resources use each tells what is wrong there.
  static std::string_view in_its_file(std::string_view text) {
    const std::size_t end = text.rfind(">: ");
    return end == std::string_view::npos ? text : text.substr(end + 3);
  }
  static bool is_same(const Words& a, const Words& b) {
    return in_its_file(a.text) == in_its_file(b.text) || a.whole.ends_with(b.whole) || b.whole.ends_with(a.whole);
  }

  /// As soon as the templates can be read; and where nothing is wrong, or all is mended, what takes values.
  void warn(StackModel& model, bool faultless) {
    const auto add = [&](const Warnings& found) {
      for (const auto& [mark, text] : found) {
        result_.warnings.push_back({model.sources.name(mark.file), mark.line, mark.column, "", text, "",
                                    cat(model.sources.text(mark), ": ", text)});
      }
    };
    if (!std::exchange(warned_, true)) add(warnings_as_written(*model.root, !result_.errors.empty()));
    if (faultless) add(warnings_of_values(*model.root));
  }

  const std::function<void(StackModel&)>& build_;
  Duration longest_;
  std::function<bool()> late_;
  Mending mending_;
  Mistakes result_;
  bool is_whole_ = true;  ///< else nobody has looked at the lines that were left out
  bool warned_ = false;
  std::set<std::string> tried_;                     ///< faults, by place and text
  std::map<std::string, std::vector<Words>> told_;  ///< by place
};

}  // namespace

Mistakes all_mistakes(const std::function<void(StackModel&)>& build, Duration longest) {
  return Search(build, longest).run();
}

Error with_all_mistakes(const Error& first, const std::function<void(StackModel&)>& build) {
  constexpr std::size_t k_most_shown = 20;
  const Mistakes mistakes = all_mistakes(build);
  std::vector<std::string> stories;
  for (const Mistake& each : mistakes.errors) stories.push_back(each.story);
  if (std::find(stories.begin(), stories.end(), first.story()) == stories.end())
    stories.insert(stories.begin(), first.story());
  if (stories.size() < 2) return first;
  const std::size_t count = stories.size() + mistakes.untold;
  stories.resize(std::min(stories.size(), k_most_shown));
  Error all(ErrorKind::input, cat(mistakes.all ? "" : "at least ", count, " mistakes:\n", join(stories, "\n")));
  if (count > stories.size())
    all.hint(cat("… and ", count - stories.size(), " more; `hearth metadata lint` with the same options tells all."));
  return all;
}

}  // namespace hearth::metadata
