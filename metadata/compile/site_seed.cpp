#include "metadata/compile/site_seed.hpp"

#include <unistd.h>

#include "base/error.hpp"
#include "base/hex.hpp"
#include "base/json.hpp"
#include "base/sys/file.hpp"
#include "base/sys/private_file.hpp"
#include "base/sys/random.hpp"
#include "base/text.hpp"

namespace hearth::metadata {

namespace {

constexpr std::size_t k_secret_bytes = 32;
constexpr const char* k_if_read = "`hearth metadata rotate`";

std::string seed_file_text(const SiteSeed& site) {
  Json all = Json::object();
  all["seed"] = site.seed;
  all["key"] = site.key;
  if (!site.former_key.empty()) {
    all["former_key"] = site.former_key;
    all["former_until"] = site.former_until;
  }
  return format_json(all, {.indent = 2}) + "\n";
}

/// What a parser says of such a file may hold a part of a secret.
Error no_site_seed(const fs::path& file, const std::string& why) {
  return Error(ErrorKind::input, cat(file.string(), why))
      .hint(
          "Take the file from a backup: without it, ids and passwords of all that was compiled are others. Where "
          "nothing was compiled yet, remove it.");
}

std::string secret_at(const Json& all, const char* name, const fs::path& file) {
  const auto found = all.find(name);
  std::string text = found != all.end() && found->is_string() ? found->get<std::string>() : "";
  if (is_hex(text, 2 * k_secret_bytes)) return text;
  throw no_site_seed(file, cat(": \"", name, "\" is not 64 hexadecimal digits"));
}

void require_site_seed(const fs::path& file) {
  if (::access(file.c_str(), F_OK) != 0 && errno == ENOENT) {
    throw Error(ErrorKind::not_found, cat("there is no site seed ", file.string()))
        .hint("Compile first, which makes one, or name the site's by --seed-file.");
  }
}

}  // namespace

fs::path seed_file_beside(const fs::path& output) {
  const fs::path whole = output.filename().empty() || output.filename() == "." ? output.parent_path() : output;
  return whole.parent_path() / ".hearth-seed";
}

SiteSeed read_site_seed(const fs::path& file) {
  require_site_seed(file);
  const Result<Json> read = parse_json(read_private_file(file, k_if_read), file.string());
  if (!read || !read->is_object()) throw no_site_seed(file, " is no site seed: it is empty, cut or was changed");
  const Json& all = *read;
  SiteSeed site{secret_at(all, "seed", file), secret_at(all, "key", file)};
  if (!all.contains("former_key")) return site;
  site.former_key = secret_at(all, "former_key", file);
  const auto until = all.find("former_until");
  site.former_until = until != all.end() && until->is_number_integer() ? until->get<std::int64_t>() : 0;
  return site;
}

SiteSeed site_seed(const fs::path& file) {
  if (::access(file.c_str(), F_OK) != 0) {
    (void)make_private_file(file, seed_file_text({random_hex(k_secret_bytes), random_hex(k_secret_bytes)}));
  }
  return read_site_seed(file);
}

SiteSeed rotate_site_seed(const fs::path& file, std::int64_t now, std::int64_t until, bool forced) {
  require_site_seed(file);
  const FileLock lock = lock_private_file(file);
  SiteSeed site = read_site_seed(file);
  if (!forced && !site.former_key.empty() && site.former_until > now) {
    throw Error(ErrorKind::usage, cat("the key of before the last rotation still holds for ",
                                      (site.former_until - now + 3599) / 3600, " hours"))
        .hint("--force ends it now: agents that have not polled since the last rotation are shut out.");
  }
  site.former_key = site.key;
  site.former_until = until;
  site.key = random_hex(k_secret_bytes);
  rewrite_private_file(file, seed_file_text(site));
  return site;
}

void use_site_seed(const SiteSeed& site, std::int64_t now, StackSettings& settings) {
  settings.seed = site.seed;
  settings.key_seed = site.key;
  const bool holds = !site.former_key.empty() && site.former_until > now;
  settings.former_key_seed = holds ? site.former_key : "";
  settings.former_until = holds ? site.former_until : 0;
}

}  // namespace hearth::metadata
