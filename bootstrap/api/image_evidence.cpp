#include "bootstrap/api/image_evidence.hpp"

#include "base/text.hpp"
#include "bootstrap/node/node.hpp"

namespace hearth::bootstrap {

namespace {

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
    if (const std::string text = text_in(manifest, key); !text.empty()) shown[key] = text;
  }
  shown["elements"] = Json::array();
  const Json elements = manifest.value("elements", Json::array());
  for (const Json& element : elements) {
    if (element.is_string()) shown["elements"].push_back(element);
  }
  shown["packages"] = manifest.value("packages", Json::array()).size();
  shown["agrees"] = nullptr;
  if (!statement.is_object()) return shown;
  shown["agrees"] = gives(statement, digest);
  const Json& run = object_member(object_member(statement, "predicate"), "runDetails");
  if (const std::string at = text_in(object_member(run, "metadata"), "finishedOn"); !at.empty()) shown["finished"] = at;
  return shown;
}

}  // namespace hearth::bootstrap
