#include "builder/outdated/image_age.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/foreign_json.hpp"
#include "base/progress_text.hpp"
#include "base/text.hpp"
#include "builder/evidence/own_names.hpp"

namespace hearth::builder {

namespace {

constexpr std::size_t k_shown_names = 5;

std::optional<Json> read_json(const FileReader& files, const fs::path& file) {
  const std::optional<std::string> text = files.read(file);
  if (!text) return std::nullopt;
  return parse_json(*text, file.string()).value_or_throw();
}

/// What steps noted of other machines, the last of each; without the kind for repositories.
void take_facts(const Json& steps, BuildRecords& records) {
  for (const Json& step : steps.at("steps")) {
    const Json facts = step.value("facts", Json::object());
    for (const auto& [fact, digest] : facts.items()) {
      constexpr std::string_view repository = "repository ";
      if (fact.starts_with(repository))
        records.repositories[fact.substr(repository.size())] = digest.get<std::string>();
      if (fact.starts_with("git ") || fact.starts_with("url ")) records.remotes[fact] = digest.get<std::string>();
    }
  }
}

void take_elements(const Json& provenance, BuildRecords& records) {
  constexpr std::string_view kind = "element ";
  constexpr std::string_view scheme = "file://";
  const Json& definition = provenance.at("predicate").at("buildDefinition");
  for (const Json& dependency : definition.at("resolvedDependencies")) {
    const std::string uri = dependency.value("uri", "");
    if (!dependency.value("name", "").starts_with(kind) || !uri.starts_with(scheme)) continue;
    records.elements[uri.substr(scheme.size())] = dependency.at("digest").at("sha256").get<std::string>();
  }
}

void take_manifest(const Json& manifest, BuildRecords& records) {
  for (const Json& package : manifest.at("packages")) {
    records.packages.push_back({.manager = package.value("manager", "deb"),
                                .name = package.at("package").get<std::string>(),
                                .version = package.at("version").get<std::string>(),
                                .architecture = package.value("arch", ""),
                                .license = ""});
  }
  records.unlisted = manifest.value("unlisted", "");
}

std::string counted(std::size_t count, const char* one, const char* more) {
  return cat(count, " ", count == 1 ? one : more);
}

/// The numbers in offers() of the repositories that can be read; the others are said to be unknown.
std::vector<std::size_t> readable_repositories(const BuildRecords& records, const World& world, ImageAge& age,
                                               std::vector<std::string>& names) {
  std::vector<std::size_t> readable;
  for (const auto& [url, digest] : records.repositories) {
    const RepositoryLook& look = world.repository(url);
    if (!look.fault.empty()) {
      age.unknown.push_back(look.fault);
      continue;
    }
    if (!look.unchecked.empty()) age.notes.push_back(cat(url, ": not known to be signed: ", look.unchecked));
    readable.push_back(look.offer);
    names.resize(std::max(names.size(), look.offer + 1));
    names[look.offer] = look.name;
  }
  return readable;
}

void compare_packages(const BuildRecords& records, const World& world, ImageAge& age) {
  std::vector<std::string> names;
  const std::vector<std::size_t> repositories = readable_repositories(records, world, age, names);
  std::vector<std::string> others;
  std::vector<std::string> nowhere;
  for (const ListedPackage& package : records.packages) {
    if (package.manager != "deb") {
      others.push_back(package.name);
      continue;
    }
    const InstalledState state =
        world.offers().state_of(package.name, package.architecture, package.version, repositories);
    if (!state.is_offered) nowhere.push_back(package.name);
    age.compared += state.is_offered ? 1 : 0;
    if (!state.newer) continue;
    age.packages.push_back(
        {package.name, package.version, state.newer->version, names.at(state.newer->repository), state.by_security});
  }
  std::stable_sort(age.packages.begin(), age.packages.end(),
                   [](const NewerPackage& a, const NewerPackage& b) { return a.is_security && !b.is_security; });
  if (!others.empty())
    age.unknown.push_back(cat("only Debian packages are compared, not ", join_first(others, k_shown_names)));
  if (!repositories.empty() && !nowhere.empty()) {
    age.notes.push_back(cat("in no repository (any more): ", join_first(nowhere, k_shown_names)));
  }
}

void compare_inputs(const BuildRecords& records, const World& world, ImageAge& age) {
  for (const auto& [directory, digest] : records.elements) {
    const std::optional<std::string> now = world.element(directory);
    if (!now) {
      age.unknown.push_back(cat("the element ", directory, " can't be read any more"));
    } else if (*now != digest) {
      age.moved.push_back({cat("element ", directory), digest, *now});
    }
  }
  for (const auto& [what, digest] : records.remotes) {
    const std::optional<std::string> now = world.remote(what);
    if (!now) {
      age.unknown.push_back(cat(what, ": the server does not answer"));
    } else if (*now != digest) {
      age.moved.push_back({what, digest, *now});
    }
  }
}

std::string verdict_on(const ImageAge& image) {
  const auto security = static_cast<std::size_t>(std::count_if(
      image.packages.begin(), image.packages.end(), [](const NewerPackage& each) { return each.is_security; }));
  std::vector<std::string> words;
  if (!image.packages.empty()) {
    words.push_back(cat(counted(image.packages.size(), "newer package", "newer packages"),
                        security == 0 ? "" : cat(", ", security, " by security")));
  }
  if (!image.moved.empty()) words.push_back(cat(counted(image.moved.size(), "input has", "inputs have"), " moved"));
  if (image.is_outdated()) return cat(image.image, ": outdated: ", join(words, "; "));
  return cat(image.image, image.unknown.empty() ? ": up to date (" : ": not known (",
             counted(image.compared, "package", "packages"), " compared)");
}

}  // namespace

BuildRecords read_build_records(const FileReader& files, const fs::path& directory) {
  BuildRecords records{.image = directory.parent_path().empty() || directory.parent_path() == "."
                                    ? directory.stem().string()
                                    : (directory.parent_path() / directory.stem()).string()};
  const std::optional<Json> manifest = read_json(files, directory / k_manifest_file);
  if (!manifest) {
    throw Error(ErrorKind::not_found, cat("there is no ", (directory / k_manifest_file).string()))
        .hint("Name an image that Hearth has built; the directory NAME.d lies beside it.");
  }
  fs::path reading = directory / k_manifest_file;
  try {
    take_manifest(*manifest, records);
    reading = directory / k_steps_file;
    if (const std::optional<Json> steps = read_json(files, reading)) {
      records.has_steps = true;
      take_facts(*steps, records);
    }
    reading = directory / k_provenance_file;
    if (const std::optional<Json> provenance = read_json(files, reading)) take_elements(*provenance, records);
  } catch (const Json::exception& error) {
    throw Error(ErrorKind::input, cat(reading.string(), " can't be understood: ", json_fault(error)));
  }
  return records;
}

ImageAge image_age(const BuildRecords& records, const World& world) {
  ImageAge age{.image = records.image};
  compare_packages(records, world, age);
  compare_inputs(records, world, age);
  if (!records.unlisted.empty()) age.unknown.push_back(cat("its list of packages is not whole: ", records.unlisted));
  if (!records.has_steps) {
    age.unknown.emplace_back(
        "it was built with --no-cache, so nothing tells its repositories (there is no steps.json)");
  } else if (records.repositories.empty() && !records.packages.empty()) {
    age.unknown.emplace_back("no step of its build noted a package repository");
  }
  return age;
}

std::string age_text(const std::vector<ImageAge>& images) {
  std::string text;
  // Records and servers are anybody's: no line of theirs ends early or moves the cursor.
  const auto put = [&](const std::string& line) { text += cat(clean_line(line), "\n"); };
  for (const ImageAge& image : images) {
    put(verdict_on(image));
    for (const NewerPackage& package : image.packages) {
      put(cat(package.is_security ? "  security  " : "  package   ", package.package, "  ", package.installed, " -> ",
              package.version, "  (", package.repository, ")"));
    }
    for (const MovedInput& input : image.moved) {
      const bool is_git = input.what.starts_with("git ");
      put(cat("  moved     ", input.what,
              is_git ? cat("  ", input.was.substr(0, 12), " -> ", input.now.substr(0, 12)) : ""));
    }
    for (const std::string& why : image.unknown) put(cat("  unknown   ", replace_all(why, "\n", " ")));
    for (const std::string& note : image.notes) put(cat("  note      ", replace_all(note, "\n", " ")));
  }
  return text;
}

Json age_json(const std::vector<ImageAge>& images) {
  Json list = Json::array();
  for (const ImageAge& image : images) {
    Json packages = Json::array();
    for (const NewerPackage& each : image.packages) {
      packages.push_back({{"package", each.package},
                          {"installed", each.installed},
                          {"version", each.version},
                          {"repository", each.repository},
                          {"security", each.is_security}});
    }
    Json moved = Json::array();
    for (const MovedInput& each : image.moved)
      moved.push_back({{"what", each.what}, {"was", each.was}, {"now", each.now}});
    list.push_back({{"image", image.image},
                    {"outdated", image.is_outdated()},
                    {"compared", image.compared},
                    {"packages", packages},
                    {"moved", moved},
                    {"unknown", image.unknown},
                    {"notes", image.notes}});
  }
  return {{"version", 1}, {"images", list}};
}

}  // namespace hearth::builder
