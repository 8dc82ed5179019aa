#include "agent/cfn/init.hpp"
#include "agent/value/value.hpp"
#include "base/error.hpp"
#include "base/text.hpp"

namespace hearth::agent {

namespace {

/// What an archive is, by the end of its URL; ".gz" and ".bz2" are single files. Empty = unknown.
std::string archive_type(const Url& url) {
  const std::string path = to_lower(url.path);
  for (const auto& [ending, type] : std::initializer_list<std::pair<const char*, const char*>>{{".tgz", "tgz"},
                                                                                               {".tar.gz", "tgz"},
                                                                                               {".tbz2", "tbz2"},
                                                                                               {".tar.bz2", "tbz2"},
                                                                                               {".tar", "tar"},
                                                                                               {".zip", "zip"},
                                                                                               {".gz", "gz"},
                                                                                               {".bz2", "bz2"}}) {
    if (path.ends_with(ending)) return type;
  }
  const std::vector<std::string> parts = split(path, '/');
  const std::string before_last = parts.size() > 1 ? parts[parts.size() - 2] : "";
  if (!url.host.ends_with("github.com")) return "";
  return before_last == "zipball" ? "zip" : before_last == "tarball" ? "tgz" : "";
}

/// An archive in a file of its own, for as long as it is unpacked.
void unpack(const std::string& type, const fs::path& archive, const fs::path& directory, const std::string& name,
            const CfnWorld& world) {
  const std::string& file = archive.string();
  const std::string& to = directory.string();
  if (type == "tgz") (void)run_logged({"tar", "-xzf", file, "-C", to}, world);
  if (type == "tbz2") (void)run_logged({"tar", "-xjf", file, "-C", to}, world);
  if (type == "tar") (void)run_logged({"tar", "-xf", file, "-C", to}, world);
  if (type == "zip") (void)run_logged({"unzip", "-o", "-q", file, "-d", to}, world);
  if (type != "gz" && type != "bz2") return;
  const CommandResult unpacked =
      world.runner.run({.argv = {type == "gz" ? "gunzip" : "bunzip2", "-c", file}, .env = world.env});
  if (!succeeded(unpacked.status)) throw Error(ErrorKind::external, cat(name, ": ", trim(unpacked.err)));
  world.files.write(directory / fs::path(name).stem(), unpacked.out, {.mode = 0644});
}

void apply_source(const std::string& directory, const std::string& address, const CfnWorld& world) {
  const Url url = parse_url(address).value_or_throw();
  const std::string type = archive_type(url);
  if (type.empty()) throw Error(ErrorKind::input, cat(url.masked(), " is no archive that is known by its name"));
  const std::string data = download(address, world);
  world.files.make_directories(directory, 0755);
  const std::string name = fs::path(percent_decode(url.path)).filename().string();
  const fs::path archive = fs::path(directory) / cat(".cfn-init-", name);
  world.files.write(archive, data, {.mode = 0600});
  try {
    unpack(type, archive, directory, name, world);
  } catch (const Error&) {
    world.files.remove(archive);
    throw;
  }
  world.files.remove(archive);
}

}  // namespace

void apply_sources(const Json& sources, const CfnWorld& world) {
  for (const auto& [directory, address] : sources.items()) {
    try {
      apply_source(directory, value_text(&address), world);
    } catch (const Error& error) {
      world.log.error(cat("sources: ", directory, ": ", error.what()));
    }
  }
}

}  // namespace hearth::agent
