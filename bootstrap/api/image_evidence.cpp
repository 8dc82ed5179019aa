#include "bootstrap/api/image_evidence.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/sys/fd.hpp"
#include "base/text.hpp"
#include "base/utf8.hpp"
#include "bootstrap/conductor/transition.hpp"
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

Fd opened_or_none(const fs::path& file) try {
  return Fd::open(file.string(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
} catch (const Error&) {  // it is not there, or is a link
  return {};
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

void drop_evidence(const fs::path& state, const std::string& image, const Json& document) {
  if (image.find('/') != std::string::npos) return;
  const Json files = member_or_null(object_member(document, "evidence"), "files");
  for (const char* file : k_evidence_shown) {
    if (files.is_array() && std::find(files.begin(), files.end(), Json(file)) != files.end()) continue;
    boost::system::error_code ignored;
    fs::remove(state / k_evidence_folder / evidence_name(image, file), ignored);
  }
}

std::shared_ptr<const std::string> EvidenceShelf::take(const fs::path& file) {
  std::erase_if(kept_, [](const Kept& one) { return one.text.expired(); });
  const Fd opened = opened_or_none(file);
  struct stat status {};
  if (!opened || ::fstat(opened.get(), &status) != 0 || !S_ISREG(status.st_mode)) return nullptr;
  const std::array<std::uint64_t, 4> which = {status.st_dev, status.st_ino,
                                              static_cast<std::uint64_t>(status.st_mtim.tv_sec),
                                              static_cast<std::uint64_t>(status.st_mtim.tv_nsec)};
  auto held = static_cast<std::uint64_t>(status.st_size);
  for (const Kept& one : kept_) {
    const std::shared_ptr<const std::string> text = one.text.lock();
    if (text && one.which == which) return text;
    held += text ? text->size() : 0;
  }
  if (held > most_)
    throw Refusal(503, cat(file.filename().string(),
                           " can't be given now: others read as much as there is room for. "
                           "Try again in a moment."));
  auto text = std::make_shared<const std::string>(read_all(opened, file.string()));
  kept_.push_back({which, text});
  return text;
}

}  // namespace hearth::bootstrap
