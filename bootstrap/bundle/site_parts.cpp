#include "bootstrap/bundle/site_parts.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"
#include "bootstrap/bundle/collect.hpp"
#include "bootstrap/node/node.hpp"
#include "bootstrap/site/site_file.hpp"
#include "metadata/live/upload.hpp"

namespace hearth::bootstrap::bundle {

namespace {

struct Named {
  const char* key;
  fs::path path;
};

std::vector<Named> files_named_by(const SiteFile& site) {
  std::vector<Named> named = {{"deploy.kernel", site.deploy.kernel},
                              {"deploy.ramdisk", site.deploy.ramdisk},
                              {"image", site.image},
                              {"seed.image", site.seed_image},
                              {"stack.template", site.stack.template_file}};
  for (const fs::path& environment : site.stack.environments) named.push_back({"stack.environments", environment});
  return named;
}

/// Read as if the file lay elsewhere: what does not move along would not be found on the closed side.
void refuse_absolute_paths(const fs::path& file, const SiteFile& site) {
  const fs::path elsewhere = site.directory / "elsewhere" / file.filename();
  const Result<SiteFile, std::string> moved = parse_site_file(read_file(file), elsewhere);
  if (!moved) throw Error(ErrorKind::input, moved.error());
  const std::vector<Named> here = files_named_by(site);
  const std::vector<Named> there = files_named_by(*moved);
  for (std::size_t i = 0; i < here.size(); ++i) {
    if (here[i].path.empty() || here[i].path != there[i].path) continue;
    throw Error(ErrorKind::input, cat(file.string(), ": ", here[i].key, ": ", here[i].path.string(),
                                      " is an absolute path: a closed site has another tree"))
        .hint("Put the file below the site file's directory, and name it relative to that.");
  }
}

class Parts {
 public:
  explicit Parts(const fs::path& file) : site_(load_site_file(file)) {
    std::vector<std::string> missing = missing_files(site_, false);
    if (has_channel_image(site_)) {
      const std::string name = site_.image.filename().string();
      missing.push_back(
          cat("image: ", name,
              " is taken from a channel, which a closed site has none of; fetch it (hearth image channel fetch ", name,
              "), and name the file"));
    }
    if (!missing.empty())
      throw Error(ErrorKind::not_found, cat(file.string(), " can't go into a bundle:\n", join(missing, "\n")));
    refuse_absolute_paths(file, site_);
    add("the site file", fs::absolute(file));
    parts_.file = parts_.sources.front().path;
    for (const Named& named : files_named_by(site_)) {
      if (!named.path.empty() && named.path != site_.seed_image) add(named.key, named.path);
    }
    note_passwords();
    add_evidence(site_.image);
    add_seed();
    add_what_templates_reach();
  }
  SiteParts take() { return std::move(parts_); }

 private:
  void add(const std::string& key, const fs::path& path) {
    const fs::path relative = path.lexically_normal().lexically_relative(site_.directory.lexically_normal());
    if (relative.empty() || *relative.begin() == "..") {
      throw Error(ErrorKind::input, cat(key, ": ", path.string(), " lies outside of ", site_.directory.string(),
                                        ", the site file's directory"))
          .hint("A bundle carries that directory as it is: put the file below it.");
    }
    parts_.sources.push_back({cat("site/", relative.string()), path});
  }
  /// A bundle is signed, not sealed.
  void note_passwords() {
    const auto has_some = [](const ListingEntry& entry) {  // pm_password, or a driver's own: redfish_password
      return std::any_of(entry.data.items().begin(), entry.data.items().end(), [](const auto& item) {
        return item.key().ends_with("_password") && item.value().is_string() && item.value() != "";
      });
    };
    if (!std::any_of(site_.inventory.begin(), site_.inventory.end(), has_some)) return;
    parts_.notes.emplace_back("the passwords of BMCs in the site file can be read by whoever has the bundle");
  }
  void add_evidence(const fs::path& image) {
    if (const fs::path evidence = evidence_of(image); !evidence.empty()) add("image", evidence);
  }
  /// Only a rehearsal with a seed of its own needs its image, so it may be missing.
  void add_seed() {
    if (site_.seed_image.empty()) return;
    const fs::path token = site_.seed_image.string() + ".token";
    for (const fs::path& each : {site_.seed_image, token}) {
      if (fs::exists(each)) continue;
      parts_.notes.push_back(cat("seed.image: there is no ", each.string(),
                                 ": from this bundle the seed can only be rehearsed as a process"));
      return;
    }
    add("seed.image", site_.seed_image);
    add("seed.image", token);
    add_evidence(site_.seed_image);
  }
  void add_what_templates_reach() {
    if (site_.stack.template_file.empty()) return;
    std::vector<std::string> parameters;
    for (const auto& [name, value] : site_.stack.parameters) parameters.push_back(cat(name, "=", value));
    const Json upload = metadata::live::make_upload({.name = site_.stack.name,
                                                     .template_file = site_.stack.template_file,
                                                     .environments = site_.stack.environments,
                                                     .parameters = parameters},
                                                    RealFileSystem());
    for (const auto& [name, text] : upload.at("files").items()) add("stack.template", name);
  }

  SiteFile site_;
  SiteParts parts_;
};

}  // namespace

SiteParts site_parts(const fs::path& site_file) { return Parts(site_file).take(); }

}  // namespace hearth::bootstrap::bundle
