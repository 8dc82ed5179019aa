#include "bootstrap/api/image_evidence.hpp"

#include "base/text.hpp"
#include "base/utf8.hpp"
#include "bootstrap/node/node.hpp"

namespace hearth::bootstrap {

namespace {

// What a page is sent with each look at it is no longer, whatever a foreign file says.
constexpr std::size_t k_most_elements = 500;
constexpr std::size_t k_longest_element = 100;

std::string short_text(const std::string& text) {
  return text.size() <= k_longest_element ? text : cat(replace_invalid_utf8(text.substr(0, k_longest_element)), "…");
}

/// Does the statement give this digest for one of its subjects?
bool gives(const Json& statement, const std::string& digest) {
  const auto subjects = statement.find("subject");
  if (subjects == statement.end() || !subjects->is_array()) return false;
  for (const Json& subject : *subjects) {
    if (subject.is_object() && text_in(object_member(subject, "digest"), "sha256") == digest) return true;
  }
  return false;
}

}  // namespace

std::string evidence_name(const std::string& image, const std::string& file) { return cat(image, ".", file); }

Json evidence_summary(const Json& manifest, const Json& statement, const std::string& digest) {
  Json shown = Json::object();
  if (!manifest.is_object()) return shown;
  for (const char* key : {"builder", "distribution", "architecture"}) {
    if (const std::string text = text_in(manifest, key); !text.empty()) shown[key] = short_text(text);
  }
  shown["elements"] = Json::array();
  const Json elements = manifest.value("elements", Json::array());
  for (const Json& element : elements) {
    if (!element.is_string() || shown["elements"].size() == k_most_elements) continue;
    shown["elements"].push_back(short_text(element.get<std::string>()));
  }
  shown["packages"] = manifest.value("packages", Json::array()).size();
  shown["agrees"] = nullptr;
  if (!statement.is_object()) return shown;
  shown["agrees"] = gives(statement, digest);
  const Json& run = object_member(object_member(statement, "predicate"), "runDetails");
  if (const std::string at = text_in(object_member(run, "metadata"), "finishedOn"); !at.empty())
    shown["finished"] = short_text(at);
  return shown;
}

}  // namespace hearth::bootstrap
