#include "agent/collect/xml.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/text.hpp"
#include "base/utf8.hpp"

namespace hearth::agent {

namespace {

constexpr int k_xml_max_depth = 64;
constexpr std::string_view k_blanks = " \t\r\n";
constexpr std::string_view k_name_ends = " \t\r\n/>=<";

std::string_view local_name(std::string_view name) {
  const std::size_t colon = name.rfind(':');
  return colon == std::string_view::npos ? name : name.substr(colon + 1);
}

/// The character that "&NAME;" stands for; nothing for an unknown or malformed reference.
std::optional<std::string> reference(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, char>, 5> named = {
      {{"lt", '<'}, {"gt", '>'}, {"amp", '&'}, {"quot", '"'}, {"apos", '\''}}};
  for (const auto& [known, character] : named) {
    if (name == known) return std::string(1, character);
  }
  if (!name.starts_with("#")) return std::nullopt;
  const bool hexadecimal = name.starts_with("#x");
  name.remove_prefix(hexadecimal ? 2 : 1);
  std::uint32_t code = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), code, hexadecimal ? 16 : 10);
  if (error != std::errc() || end != name.data() + name.size() || code == 0) return std::nullopt;
  std::string out;
  append_utf8(out, static_cast<char32_t>(code));
  return out;
}

class XmlParser {
 public:
  XmlParser(std::string_view text, const std::string& source) : text_(text), rest_(text), error_{source, {}, ""} {}

  Result<XmlElement> run() {
    XmlElement root;
    const bool ok = skip_prolog() && (rest_.starts_with("<") || fail("no element")) && element(root, 0);
    if (!ok) return located();
    return root;
  }

 private:
  bool fail(std::string what) {
    if (error_.what.empty()) error_.what = std::move(what);
    return false;
  }

  ParseError located() {
    const std::string_view before = text_.substr(0, text_.size() - rest_.size());
    error_.at.line = 1 + static_cast<int>(std::count(before.begin(), before.end(), '\n'));
    error_.at.column = static_cast<int>(before.size() - (before.rfind('\n') + 1)) + 1;
    return error_;
  }

  void skip_blanks() { rest_.remove_prefix(std::min(rest_.find_first_not_of(k_blanks), rest_.size())); }

  bool skip_past(std::string_view end) {
    const std::size_t at = rest_.find(end);
    if (at == std::string_view::npos) return fail(cat("'", end, "' is missing"));
    rest_.remove_prefix(at + end.size());
    return true;
  }

  bool skip_prolog() {
    if (rest_.starts_with("\xef\xbb\xbf")) rest_.remove_prefix(3);
    while (true) {
      skip_blanks();
      if (rest_.starts_with("<!DOCTYPE")) return fail("a document type is not accepted");
      if (rest_.starts_with("<?")) {
        if (!skip_past("?>")) return false;
      } else if (rest_.starts_with("<!--")) {
        if (!skip_past("-->")) return false;
      } else {
        return true;
      }
    }
  }

  std::string_view name() {
    const std::string_view found = rest_.substr(0, std::min(rest_.find_first_of(k_name_ends), rest_.size()));
    rest_.remove_prefix(found.size());
    return found;
  }

  /// NAME = "VALUE" pairs up to the end of the tag.
  bool skip_attributes() {
    while (true) {
      skip_blanks();
      if (rest_.empty() || rest_.front() == '>' || rest_.front() == '/') return true;
      if (name().empty()) return fail("an attribute has no name");
      skip_blanks();
      if (!rest_.starts_with("=")) return fail("an attribute has no value");
      rest_.remove_prefix(1);
      skip_blanks();
      if (!rest_.starts_with("\"") && !rest_.starts_with("'")) return fail("an attribute's value has no quotes");
      const std::string quote(1, rest_.front());
      rest_.remove_prefix(1);
      if (!skip_past(quote)) return false;
    }
  }

  bool element(XmlElement& out, int depth) {
    if (depth > k_xml_max_depth) return fail("nested too deeply");
    rest_.remove_prefix(1);
    const std::string_view full_name = name();
    if (full_name.empty()) return fail("an element has no name");
    out.name = local_name(full_name);
    if (!skip_attributes()) return false;
    if (rest_.starts_with("/>")) {
      rest_.remove_prefix(2);
      return true;
    }
    if (!rest_.starts_with(">")) return fail(cat("the tag '", full_name, "' does not end"));
    rest_.remove_prefix(1);
    return content(out, depth) && end_tag(full_name);
  }

  bool content(XmlElement& out, int depth) {
    while (!rest_.starts_with("</")) {
      if (rest_.empty()) return fail(cat("'", out.name, "' does not end"));
      if (!item(out, depth)) return false;
    }
    return true;
  }

  bool item(XmlElement& out, int depth) {
    if (rest_.starts_with("<!--")) return skip_past("-->");
    if (rest_.starts_with("<?")) return skip_past("?>");
    if (rest_.starts_with("<![CDATA[")) return cdata(out);
    if (rest_.front() == '<') return element(out.children.emplace_back(), depth + 1);
    return text(out);
  }

  bool cdata(XmlElement& out) {
    rest_.remove_prefix(std::string_view("<![CDATA[").size());
    const std::size_t end = rest_.find("]]>");
    out.text += rest_.substr(0, end);
    return skip_past("]]>");
  }

  bool text(XmlElement& out) {
    if (rest_.front() != '&') {
      const std::size_t end = std::min(rest_.find_first_of("<&"), rest_.size());
      out.text += rest_.substr(0, end);
      rest_.remove_prefix(end);
      return true;
    }
    const std::size_t end = rest_.find(';');
    const std::optional<std::string> character =
        end == std::string_view::npos ? std::nullopt : reference(rest_.substr(1, end - 1));
    if (!character) return fail("a malformed reference");
    out.text += *character;
    rest_.remove_prefix(end + 1);
    return true;
  }

  bool end_tag(std::string_view full_name) {
    rest_.remove_prefix(2);
    if (name() != full_name) return fail(cat("'", full_name, "' is closed by another tag"));
    skip_blanks();
    return skip_past(">");
  }

  std::string_view text_;
  std::string_view rest_;
  ParseError error_;
};

}  // namespace

const XmlElement* XmlElement::find(const std::vector<std::string>& way) const {
  const XmlElement* at = this;
  for (const std::string& step : way) {
    const auto child = std::find_if(at->children.begin(), at->children.end(),
                                    [&step](const XmlElement& element) { return element.name == step; });
    if (child == at->children.end()) return nullptr;
    at = &*child;
  }
  return at;
}

Result<XmlElement> parse_xml(std::string_view text, const std::string& source) { return XmlParser(text, source).run(); }

}  // namespace hearth::agent
