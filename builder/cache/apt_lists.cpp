#include "builder/cache/apt_lists.hpp"

#include "base/hash.hpp"
#include "base/text.hpp"

namespace hearth::builder {

namespace {

constexpr const char* k_lists = "var/lib/apt/lists";

std::string source_texts(const TreeReader& tree) {
  std::string texts = tree.read("etc/apt/sources.list").value_or("");
  for (const std::string& name : tree.list("etc/apt/sources.list.d")) {
    texts += cat("\n", tree.read(cat("etc/apt/sources.list.d/", name)).value_or(""));
  }
  return texts;
}

}  // namespace

std::optional<std::string> release_url(const std::string& list, const std::string& sources) {
  const std::string place = replace_all(replace_all(list, "_", "/"), "%5f", "_");
  const std::string host = place.substr(0, place.find('/'));
  if (host.empty()) return cat("file:", place);
  for (const char* scheme : {"https://", "http://"}) {
    const std::size_t found = sources.find(cat(scheme, host));
    if (found != std::string::npos) return cat(scheme, place);
    const std::size_t user = sources.find(cat("@", host));  // in front of it stands who asks
    if (user != std::string::npos && sources.rfind(scheme, user) != std::string::npos) return cat(scheme, place);
  }
  return std::nullopt;
}

Facts AptLists::changes(const fs::path& target, const std::string& known) {
  Facts facts;
  boost::system::error_code failed;
  if (!fs::is_directory(target, failed)) return facts;
  const TreeReader tree(target);
  for (const std::string& name : tree.list(k_lists)) {
    if (!name.ends_with("_InRelease") && !name.ends_with("_Release")) continue;
    const std::string path = cat(k_lists, "/", name);
    const auto status = tree.status(path);
    if (!status || status->type != FileStatus::Type::regular) continue;
    std::string& look = seen_[name];
    const std::string now = cat(status->size, " ", status->modified);
    if (std::exchange(look, now) == now) continue;
    if (const auto url = release_url(name, cat(source_texts(tree), "\n", known))) {
      facts[cat("repository ", *url)] = hex_digest(HashKind::sha256, tree.read(path).value_or(""));
    } else {
      facts[cat("unseen apt took ", name, ", whose repository no source tells")] = "-";
    }
  }
  return facts;
}

}  // namespace hearth::builder
