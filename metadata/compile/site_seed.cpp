#include "metadata/compile/site_seed.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/json.hpp"
#include "base/sys/fd.hpp"
#include "base/sys/file.hpp"
#include "base/sys/random.hpp"
#include "base/sys/sync.hpp"
#include "base/text.hpp"

namespace hearth::metadata {

namespace {

constexpr std::size_t k_secret_bytes = 32;

bool is_secret(const std::string& text) {
  return text.size() == 2 * k_secret_bytes &&
         std::all_of(text.begin(), text.end(), [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

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
  if (is_secret(text)) return text;
  throw no_site_seed(file, cat(": \"", name, "\" is not 64 hexadecimal digits"));
}

/// Whoever can read it can make every key of the site.
void require_private(const fs::path& file) {
  struct stat info {};
  if (::stat(file.c_str(), &info) != 0) {
    const int error = errno;
    Error failed = Error::from_errno("reading", file.string(), error);
    throw error == ENOENT ? Error(ErrorKind::not_found, cat("there is no site seed ", file.string()))
                                .hint("Compile first, which makes one, or name the site's by --seed-file.")
                          : failed;
  }
  if ((info.st_mode & 077U) == 0) return;
  throw Error(ErrorKind::input, cat(file.string(), ": others than its owner can use this file of secrets"))
      .hint(cat("chmod 600 ", file.string(), ", and `hearth metadata rotate` when they may have read it."));
}

/// Under its name at once and whole; false when somebody else was first.
bool make_seed_file(const fs::path& file, const SiteSeed& site) {
  const fs::path fresh = file.string() + "." + random_hex(8);
  {
    const Fd out = Fd::open(fresh.string(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    write_all(out, seed_file_text(site), fresh.string());
    if (::fsync(out.get()) != 0) throw Error::from_errno("writing", fresh.string());
  }
  const bool made = ::link(fresh.c_str(), file.c_str()) == 0;
  const int error = errno;
  (void)::unlink(fresh.c_str());
  sync_directory(file.parent_path());  // all ids and keys that are made from it now must stay true
  if (!made && error != EEXIST) throw Error::from_errno("making", file.string(), error);
  return made;
}

}  // namespace

fs::path seed_file_beside(const fs::path& output) {
  const fs::path whole = output.filename().empty() || output.filename() == "." ? output.parent_path() : output;
  return whole.parent_path() / ".hearth-seed";
}

SiteSeed read_site_seed(const fs::path& file) {
  require_private(file);
  const Result<Json> read = parse_json(read_file(file), file.string());
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
    (void)make_seed_file(file, {random_hex(k_secret_bytes), random_hex(k_secret_bytes)});
  }
  return read_site_seed(file);
}

SiteSeed rotate_site_seed(const fs::path& file, std::int64_t now, std::int64_t until, bool forced) {
  SiteSeed site = read_site_seed(file);
  if (!forced && !site.former_key.empty() && site.former_until > now) {
    throw Error(ErrorKind::usage, cat("the key of before the last rotation still holds for ",
                                      (site.former_until - now + 3599) / 3600, " hours"))
        .hint("--force ends it now: agents that have not polled since the last rotation are shut out.");
  }
  site.former_key = site.key;
  site.former_until = until;
  site.key = random_hex(k_secret_bytes);
  // Where the name is a link, the file behind it may have other names: it is the site's.
  RealFileSystem().write(fs::canonical(file), seed_file_text(site), {.mode = 0600});
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
