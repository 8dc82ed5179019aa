#include "metadata/model/yaml_reader.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "base/utf8.hpp"
#include "base/yaml_opening.hpp"
#include "base/yaml_scalar.hpp"
#include "metadata/model/yaml_scanner.hpp"

namespace hearth::metadata {

namespace {

using yaml::Place;
using yaml::Scanner;
using yaml::Token;
using Type = Token::Type;

constexpr int k_yaml_reader_deepest = 200;
constexpr std::string_view k_standard = "tag:yaml.org,2002:";

struct Properties {
  std::string anchor;
  std::string tag;
  Place begin;
  bool any = false;
};

/// One member of a mapping as written; merge keys are still among them.
struct Member {
  Value key;
  Value value;
  bool merge = false;
  Place at;
};

Value value_of_scalar(YamlScalar scalar) {
  if (const auto* truth = std::get_if<bool>(&scalar)) return Value::boolean(*truth);
  if (const auto* integer = std::get_if<YamlInteger>(&scalar)) return Value::big_integer(integer->digits);
  if (const auto* number = std::get_if<double>(&scalar)) return Value::real(*number);
  if (auto* text = std::get_if<std::string>(&scalar)) return Value::string(std::move(*text));
  return {};
}

class Composer {
 public:
  Composer(std::string_view text, std::string_view source, std::uint32_t file, const YamlLimits& limits)
      : scanner_(text, source), file_(file), limits_(limits) {}

  Value document() {
    if (next() == Type::document_start) {
      scanner_.take();
    } else if (scanner_.had_directive() || next() == Type::document_end) {
      fail("did not find expected <document start>");
    }
    Value value = next() == Type::end || next() == Type::document_end ? Value() : node(0, Block::yes);
    bool closed = false;
    while (next() == Type::document_end) {
      scanner_.take();
      closed = true;
    }
    if (next() == Type::document_start || (closed && next() != Type::end)) {
      fail("expected a single document in the stream, but found another one");
    }
    if (next() != Type::end) fail("did not find expected <document start>");
    return value;
  }

 private:
  enum class Block { no, yes, yes_or_indentless };

  Type next() { return scanner_.peek().type; }
  [[noreturn]] void fail(std::string what) { scanner_.fail(scanner_.peek().begin, std::move(what)); }
  [[nodiscard]] Mark mark(const Place& place) const {
    return {file_, static_cast<std::uint32_t>(place.line), static_cast<std::uint32_t>(place.column)};
  }

  Properties properties() {
    Properties found;
    found.begin = scanner_.peek().begin;
    while (next() == Type::anchor || next() == Type::tag) {
      const Token token = scanner_.take();
      std::string& slot = token.type == Type::anchor ? found.anchor : found.tag;
      if (!slot.empty()) scanner_.fail(token.begin, "a second anchor or tag on the same value");
      slot = token.text;
      found.any = true;
    }
    return found;
  }

  Value node(int depth, Block block) {
    if (depth > k_yaml_reader_deepest) fail(cat("nested deeper than ", k_yaml_reader_deepest));
    if (next() == Type::alias) return alias();
    const Properties own = properties();
    if (!own.anchor.empty()) anchors_[own.anchor].reset();
    Value value = content(own, depth, block).with_mark(mark(own.begin));
    if (value.weight() > limits_.budget) {
      scanner_.fail(own.begin, cat("more than ", limits_.budget, " values when its aliases are written out"));
    }
    if (!own.anchor.empty()) anchors_[own.anchor] = value;
    return value;
  }

  Value alias() {
    const Token token = scanner_.take();
    const auto found = anchors_.find(token.text);
    if (found == anchors_.end()) scanner_.fail(token.begin, cat("found undefined alias '", token.text, "'"));
    if (!found->second) scanner_.fail(token.begin, cat("the alias '", token.text, "' stands inside what it names"));
    return *found->second;
  }

  Value content(const Properties& own, int depth, Block block) {
    switch (next()) {
      case Type::scalar: return scalar(own, scanner_.take());
      case Type::flow_sequence_start: return expect_tag(own, "seq", flow_sequence(depth));
      case Type::flow_mapping_start: return expect_tag(own, "map", flow_mapping(depth));
      case Type::block_sequence_start:
        if (block != Block::no) return expect_tag(own, "seq", block_sequence(depth));
        break;
      case Type::block_mapping_start:
        if (block != Block::no) return expect_tag(own, "map", block_mapping(depth));
        break;
      case Type::block_entry:
        if (block == Block::yes_or_indentless) return expect_tag(own, "seq", indentless_sequence(depth));
        break;
      default: break;
    }
    if (own.any) return scalar(own, {.type = Type::scalar, .begin = own.begin, .text = "", .plain = true});
    fail("did not find expected node content");
  }

  Value expect_tag(const Properties& own, std::string_view type, Value value) {
    if (own.tag.empty() || own.tag == "!" || own.tag == cat(k_standard, type)) return value;
    if (own.tag == cat(k_standard, "set")) scanner_.fail(own.begin, "a set has no form in JSON");
    if (own.tag == cat(k_standard, "omap") || own.tag == cat(k_standard, "pairs")) {
      scanner_.fail(own.begin, "pairs have no form in JSON; write a list of maps");
    }
    scanner_.fail(own.begin, cat("could not determine a constructor for the tag '", own.tag, "'"));
  }

  Value scalar(const Properties& own, const Token& token) {
    if (own.tag.empty()) {
      if (!token.plain) return Value::string(token.text);
      if (token.text == "<<" || token.text == "=") {
        scanner_.fail(token.begin, cat("could not determine a constructor for the tag '", k_standard,
                                       token.text == "=" ? "value'" : "merge'", "; quote the text"));
      }
      return value_of_scalar(resolve_yaml_scalar(token.text));
    }
    if (own.tag == "!") return Value::string(token.text);
    if (own.tag.rfind(k_standard, 0) == 0) {
      const std::string_view type = std::string_view(own.tag).substr(k_standard.size());
      if (std::optional<YamlScalar> scalar = resolve_yaml_scalar(token.text, type))
        return value_of_scalar(std::move(*scalar));
      if (type == "int" || type == "float" || type == "bool") {
        scanner_.fail(token.begin, cat("'", token.text, "' is not of the type !!", type));
      }
    }
    scanner_.fail(own.begin, cat("could not determine a constructor for the tag '", own.tag, "'"));
  }

  Value empty(const Place& at) { return Value().with_mark(mark(at)); }

  Value block_sequence(int depth) {
    scanner_.take();
    std::vector<Value> items;
    while (next() == Type::block_entry) items.push_back(entry(depth, Type::block_end));
    if (next() != Type::block_end) fail("did not find expected '-' indicator; is this line indented as the list is?");
    scanner_.take();
    return Value::list(std::move(items));
  }

  Value indentless_sequence(int depth) {
    std::vector<Value> items;
    while (next() == Type::block_entry) items.push_back(entry(depth, Type::key));
    return Value::list(std::move(items));
  }

  Value entry(int depth, Type /*end*/) {
    const Token dash = scanner_.take();
    const Type type = next();
    if (type == Type::block_entry || type == Type::key || type == Type::value || type == Type::block_end) {
      return empty(dash.begin);
    }
    return node(depth + 1, Block::yes);
  }

  Value block_mapping(int depth) {
    scanner_.take();
    std::vector<Member> members;
    while (next() == Type::key) {
      Member member = key(depth, Block::yes_or_indentless, {Type::key, Type::value, Type::block_end});
      member.value = empty(member.at);
      if (next() == Type::value) {
        const Token colon = scanner_.take();
        const Type type = next();
        member.value = type == Type::key || type == Type::value || type == Type::block_end
                           ? empty(colon.begin)
                           : node(depth + 1, Block::yes_or_indentless);
      }
      members.push_back(std::move(member));
    }
    if (next() != Type::block_end) fail("did not find expected key; is this line indented as the map is?");
    scanner_.take();
    return mapping(std::move(members));
  }

  /// The key part; none (": x") is null.
  Member key(int depth, Block block, std::initializer_list<Type> none) {
    Member member;
    member.at = scanner_.peek().begin;
    if (next() != Type::key) return member;
    scanner_.take();
    for (const Type type : none) {
      if (next() == type) return member;
    }
    member.at = scanner_.peek().begin;
    if (next() == Type::scalar && scanner_.peek().plain && scanner_.peek().text == "<<") {
      scanner_.take();
      member.merge = true;
      return member;
    }
    if (next() == Type::scalar && scanner_.peek().plain && scanner_.peek().text == "=") {
      scanner_.take();
      member.key = Value::string("=").with_mark(mark(member.at));
      return member;
    }
    member.key = node(depth + 1, block);
    if (member.key.is_list() || member.key.is_map()) scanner_.fail(member.at, "found unhashable key");
    return member;
  }

  Value flow_sequence(int depth) {
    scanner_.take();
    std::vector<Value> items;
    while (next() != Type::flow_sequence_end) {
      if (!items.empty()) {
        if (next() != Type::flow_entry) fail("did not find expected ',' or ']'");
        scanner_.take();
        if (next() == Type::flow_sequence_end) break;
      }
      items.push_back(next() == Type::key ? single_pair(depth) : node(depth + 1, Block::no));
    }
    scanner_.take();
    return Value::list(std::move(items));
  }

  /// [a: b] is a list of a map.
  Value single_pair(int depth) {
    std::vector<Member> members;
    members.push_back(
        flow_member(depth, {Type::value, Type::flow_entry, Type::flow_sequence_end}, Type::flow_sequence_end));
    const Mark at = mark(members.front().at);
    return mapping(std::move(members)).with_mark(at);
  }

  Member flow_member(int depth, std::initializer_list<Type> none, Type end) {
    Member member;
    if (next() == Type::key) {
      member = key(depth, Block::no, none);
    } else {
      member.at = scanner_.peek().begin;
      member.key = node(depth + 1, Block::no);
    }
    member.value = empty(member.at);
    if (next() == Type::value) {
      scanner_.take();
      if (next() != Type::flow_entry && next() != end) member.value = node(depth + 1, Block::no);
    }
    return member;
  }

  Value flow_mapping(int depth) {
    scanner_.take();
    std::vector<Member> members;
    while (next() != Type::flow_mapping_end) {
      if (!members.empty()) {
        if (next() != Type::flow_entry) fail("did not find expected ',' or '}'");
        scanner_.take();
        if (next() == Type::flow_mapping_end) break;
      }
      members.push_back(
          flow_member(depth, {Type::value, Type::flow_entry, Type::flow_mapping_end}, Type::flow_mapping_end));
    }
    scanner_.take();
    return mapping(std::move(members));
  }

  /// Merged maps come first, so that what the map says itself wins; of several merged maps the first wins.
  Value mapping(std::vector<Member> members) {
    MapBuilder builder;
    for (const Member& member : members) {
      if (!member.merge) continue;
      const std::vector<Value> maps = member.value.is_list() ? member.value.items() : std::vector<Value>{member.value};
      for (auto map = maps.rbegin(); map != maps.rend(); ++map) {
        if (!map->is_map()) scanner_.fail(member.at, "expected a mapping or list of mappings for merging");
        merged_ += map->entries().size();
        if (merged_ > limits_.budget)
          scanner_.fail(member.at, cat("more than ", limits_.budget, " members that << merges"));
        for (const Entry& entry : map->entries()) builder.set(entry.key, entry.value);
      }
    }
    for (Member& member : members) {
      if (!member.merge) builder.set(member.key, std::move(member.value));
    }
    return Value::map(std::move(builder));
  }

  Scanner scanner_;
  std::uint32_t file_;
  YamlLimits limits_;
  std::uint64_t merged_ = 0;  ///< members, by <<
  std::map<std::string, std::optional<Value>> anchors_;
};

}  // namespace

namespace {

bool is_allowed_in_yaml(char32_t c) {
  if (c == 0x09 || c == 0x0a || c == 0x0d || c == 0x85) return true;
  return (c >= 0x20 && c <= 0x7e) || (c >= 0xa0 && c <= 0xfffd) || c >= 0x10000;
}

/// YAML is made of printable characters (YAML 1.1, 5.1), in UTF-8.
void check_characters(std::string_view text, std::string_view source) {
  yaml::Cursor cursor(text, source);
  for (std::size_t at = 0; at < text.size();) {
    const auto byte = static_cast<unsigned char>(text[at]);
    if (byte >= 0x20 && byte <= 0x7e) {
      ++at;
      continue;
    }
    const DecodedCharacter next = decode_utf8(text.substr(at));
    if (!next.valid || !is_allowed_in_yaml(next.value)) {
      while (cursor.place().offset < at) {
        if (cursor.is_break()) {
          (void)cursor.take_break();
        } else {
          cursor.skip();
        }
      }
      cursor.fail(next.valid ? "control characters are not allowed" : "this is not UTF-8");
    }
    at += next.length;
  }
}

}  // namespace

Result<Value> parse_yaml(std::string_view text, std::string_view source, std::uint32_t file, const YamlLimits& limits) {
  try {
    check_characters(text, source);
    return Composer(text, source, file, limits).document();
  } catch (const yaml::Stop& stop) {
    const std::optional<YamlOpening> opening = yaml_opening_of(text, stop.error.at);
    return opening ? ParseError{stop.error.source, opening->at, opening->what} : stop.error;
  }
}

}  // namespace hearth::metadata
