#include "metadata/resources/config_text.hpp"

#include <openssl/evp.h>
#include <algorithm>
#include <optional>

#include "base/hash.hpp"
#include "base/text.hpp"
#include "base/yaml_scalar.hpp"
#include "metadata/model/value_text.hpp"

namespace hearth::metadata {

namespace {

/// Plain where a YAML reader would read the same text back, else in single quotes, or double ones for control
/// characters.
std::string yaml_scalar(const Value& value) {
  if (value.is_null()) return "null";
  if (value.is_bool()) return value.as_bool() ? "true" : "false";
  if (!value.is_string()) return python_str(value);
  const std::string& text = value.text();
  const bool controls = std::any_of(text.begin(), text.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) >= 0x7f;
  });
  if (controls) return json_text(value);
  const bool special = text.empty() ||
                       std::string_view("-?:,[]{}#&*!|>'\"%@`= ").find(text.front()) != std::string_view::npos ||
                       text.back() == ' ' || text.back() == ':' || text.find(": ") != std::string::npos ||
                       text.find(" #") != std::string::npos || !is_yaml_text(text) || text == "<<";
  return special ? cat("'", replace_all(text, "'", "''"), "'") : text;
}

void append_yaml(std::string& out, const Value& value, std::size_t indent, bool in_list) {
  const std::string margin(indent, ' ');
  if (value.is_map() && !value.entries().empty()) {
    std::vector<const Entry*> entries;
    for (const Entry& entry : value.entries()) entries.push_back(&entry);
    std::sort(entries.begin(), entries.end(),
              [](const Entry* a, const Entry* b) { return python_str(a->key) < python_str(b->key); });
    bool first = true;
    for (const Entry* entry : entries) {
      out += first && in_list ? "" : margin;
      first = false;
      out += yaml_scalar(entry->key) + ":";
      const bool nested = (entry->value.is_map() && !entry->value.entries().empty()) ||
                          (entry->value.is_list() && !entry->value.items().empty());
      if (!nested) {
        out += " ";
        append_yaml(out, entry->value, 0, true);
        out += "\n";
      } else {
        out += "\n";
        append_yaml(out, entry->value, entry->value.is_list() ? indent : indent + 2, false);
      }
    }
    return;
  }
  if (value.is_list() && !value.items().empty()) {
    bool first = true;
    for (const Value& item : value.items()) {
      out += (first && in_list ? "" : margin) + "- ";
      first = false;
      const bool nested = (item.is_map() && !item.entries().empty()) || (item.is_list() && !item.items().empty());
      append_yaml(out, item, indent + 2, true);
      if (!nested) out += "\n";
    }
    return;
  }
  out += value.is_map() ? "{}" : value.is_list() ? "[]" : yaml_scalar(value);
}

std::string base64_lines(const std::string& text) {
  std::string out(4 * ((text.size() + 2) / 3) + 1, '\0');
  const int length =
      EVP_EncodeBlock(reinterpret_cast<unsigned char*>(out.data()), reinterpret_cast<const unsigned char*>(text.data()),
                      static_cast<int>(text.size()));
  out.resize(static_cast<std::size_t>(length));
  for (std::size_t at = 76; at < out.size(); at += 77) out.insert(at, "\n");
  return out + "\n";
}

}  // namespace

std::string cloud_config_text(const Value& map) {
  std::string out = "#cloud-config\n";
  if (!truth(map)) return out + "{}\n";
  append_yaml(out, map, 0, false);
  return out;
}

std::vector<std::string> mime_parts(const std::string& text) {
  const std::string unix_text = replace_all(text, "\r\n", "\n");
  const std::size_t end = unix_text.find("\n\n");
  if (end == std::string::npos) return {};
  const std::string headers = unix_text.substr(0, end);
  const std::size_t at = headers.find("boundary=");
  if (to_lower(headers).find("content-type: multipart/") == std::string::npos || at == std::string::npos) return {};
  const bool quoted = headers.compare(at + 9, 1, "\"") == 0;
  const std::size_t begin = at + (quoted ? 10 : 9);
  const std::string mark =
      cat("--", headers.substr(begin, headers.find_first_of(quoted ? "\"" : "; \t\n", begin) - begin));
  std::vector<std::string> parts;
  std::optional<std::string> part;
  for (const std::string& line : split(unix_text.substr(end + 2), '\n')) {
    if (line != mark && line != mark + "--") {
      if (part) *part += line + "\n";
      continue;
    }
    // The newline before a boundary belongs to the boundary.
    if (part && !part->empty()) part->pop_back();
    if (part) parts.push_back(std::move(*part));
    part.reset();
    if (line != mark) return parts;
    part.emplace();
  }
  return {};
}

std::string mime_text(const std::vector<MimePart>& parts) {
  std::string all;
  for (const MimePart& part : parts) all += part.text + part.filename + part.whole;
  const std::string boundary = cat("===============", hex_digest(HashKind::sha256, all).substr(0, 19), "==");
  std::string out = cat("Content-Type: multipart/mixed; boundary=\"", boundary, "\"\nMIME-Version: 1.0\n\n");
  for (const MimePart& part : parts) {
    if (!part.whole.empty()) {
      out += cat("--", boundary, "\n", part.whole, "\n");
      continue;
    }
    const bool ascii =
        std::all_of(part.text.begin(), part.text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
    out += cat("--", boundary, "\nContent-Type: ", part.type, "; charset=\"", ascii ? "us-ascii" : "utf-8",
               "\"\nMIME-Version: 1.0\n", "Content-Transfer-Encoding: ", ascii ? "7bit" : "base64", "\n");
    if (!part.filename.empty()) out += cat("Content-Disposition: attachment; filename=\"", part.filename, "\"\n");
    out += "\n" + (ascii ? part.text : base64_lines(part.text));
    if (out.back() != '\n' || ascii) out += "\n";
  }
  return out + cat("--", boundary, "--\n");
}

}  // namespace hearth::metadata
