#include "bootstrap/store/site_files.hpp"

#include <algorithm>
#include <array>

#include "base/hex.hpp"
#include "base/hmac.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"

namespace hearth::bootstrap {

namespace {

constexpr const char* k_token = "api-token";
/// seal-key has an id of its own, by which what is sealed names it.
constexpr std::array<const char*, 8> k_keys = {k_token,
                                               "people",
                                               "server.key",
                                               "server-authority.pem",
                                               "metadata/seal-key",
                                               "metadata/api-token",
                                               "metadata/tokens.json",
                                               "metadata/transport"};
constexpr const char* k_images = "files";
constexpr std::size_t k_mark_bytes = 16;

bool is_key(const std::string& name) { return !name.starts_with(cat(k_images, "/")); }

}  // namespace

Json site_files(const fs::path& directory) {
  Json found = Json::object();
  // Keyed by what is random and secret: people may have chosen tokens that could be guessed from a plain digest.
  const std::string token = RealFileSystem().read(directory / k_token).value_or("");
  for (const char* name : k_keys) {
    if (const std::optional<std::string> text = RealFileSystem().read(directory / name))
      found[name] = to_hex(hmac(HashKind::sha256, token, cat(name, "\n", *text)).substr(0, k_mark_bytes));
  }
  boost::system::error_code none;
  for (fs::recursive_directory_iterator at(directory / k_images, none), end; at != end; at.increment(none)) {
    boost::system::error_code gone;
    const auto size = fs::is_regular_file(at->path(), gone) ? fs::file_size(at->path(), gone) : 0;
    if (!gone && size > 0) found[at->path().lexically_relative(directory).string()] = cat(size, " bytes");
  }
  return found;
}

FileDifferences differing_files(const Json& told, const Json& own) {
  FileDifferences differing;
  const auto note = [&](const std::string& name) {
    std::vector<std::string>& names = is_key(name) ? differing.keys : differing.images;
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  };
  for (const auto& [name, mark] : told.items()) {
    if (!own.contains(name) || own[name] != mark) note(name);
  }
  for (const auto& [name, mark] : own.items()) {
    if (is_key(name) && !told.contains(name)) note(name);
  }
  return differing;
}

}  // namespace hearth::bootstrap
