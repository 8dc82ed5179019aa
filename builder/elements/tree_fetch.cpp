#include "builder/elements/tree_fetch.hpp"

#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "base/net/wait_notice.hpp"
#include "base/redaction.hpp"
#include "base/sys/file.hpp"
#include "base/sys/file_digest.hpp"
#include "base/sys/tree_reader.hpp"
#include "base/text.hpp"

namespace hearth::builder {

namespace {

constexpr const char* k_upstream = "diskimage-builder";
constexpr const char* k_package = "python3-diskimage-builder";
constexpr const char* k_package_elements = "usr/lib/python3/dist-packages/diskimage_builder/elements";

bool is_element(const FileReader& files, const fs::path& directory) {
  const auto has = [&](const char* name) { return files.status(directory / name).has_value(); };
  const bool described = has("element-deps") || has("element-provides") || has("package-installs.yaml");
  if (described || has("environment.d")) return true;
  const std::vector<std::string> names = files.list(directory);
  return std::any_of(names.begin(), names.end(), [](const std::string& name) {
    return name == "install.d" || name == "root.d" || name == "pre-install.d" || name == "post-install.d" ||
           name == "extra-data.d" || name == "finalise.d" || name == "cleanup.d";
  });
}

std::size_t count_elements(const FileReader& files, const fs::path& directory) {
  const std::vector<std::string> names = files.list(directory);
  return static_cast<std::size_t>(std::count_if(names.begin(), names.end(), [&](const std::string& name) {
    return name.front() != '.' && is_element(files, directory / name);
  }));
}

/// What came, before it is kept.
struct Fetched {
  fs::path tree;
  Json origin;
};

std::string first_line(const std::string& text) { return std::string(trim(text.substr(0, text.find('\n')))); }

Fetched fetch_directory(const TreeSource& source) {
  const fs::path directory = fs::canonical(source.source);
  return {directory, {{"kind", "directory"}, {"source", directory.string()}}};
}

Fetched fetch_git(const TreeSource& source, const fs::path& work, CommandRunner& runner) {
  const fs::path tree = work / "git";
  // A server that takes the request and says nothing would be waited for without end.
  Command clone{
      .argv = {"git", "-c", "http.lowSpeedLimit=1", "-c", "http.lowSpeedTime=60", "clone", "--quiet", "--depth", "1"}};
  if (!source.ref.empty()) clone.argv.insert(clone.argv.end(), {"--branch", source.ref});
  clone.argv.insert(clone.argv.end(), {"--", source.source, tree.string()});
  {
    const WaitNotice notice(cat("waiting for ", without_credentials(source.source), "; 60 s of its silence end that"));
    (void)run_checked(runner, clone);
  }
  const std::string commit =
      first_line(run_checked(runner, {.argv = {"git", "-C", tree.string(), "rev-parse", "HEAD"}}));
  return {tree, {{"kind", "git"}, {"source", without_credentials(source.source)}, {"commit", commit}}};
}

/// A configuration of apt that knows one suite of the host's own archive, and changes nothing of the host's.
fs::path suite_configuration(const std::string& suite, const fs::path& work, CommandRunner& runner) {
  const std::string known =
      run_checked(runner, {.argv = {"apt-get", "indextargets", "--format", "$(ORIGIN) $(COMPONENT) $(REPO_URI)"}});
  std::string archive;
  for (const std::string& line : split_lines(known)) {
    const std::vector<std::string> words = split_words(line);
    const bool main = words.size() == 3 && words[0] == "Debian" && words[1] == "main";
    if (main && archive.empty() && words[2].find("security") == std::string::npos) archive = words[2];
  }
  if (archive.empty()) throw Error(ErrorKind::not_found, "this machine's apt knows no archive of Debian");
  RealFileSystem files;
  for (const char* directory : {"lists/partial", "archives/partial"}) files.make_directories(work / directory, 0755);
  files.write(work / "status", "", {});
  files.write(work / "sources.list", cat("deb ", archive, " ", suite, " main\n"), {});
  const std::string& at = work.string();
  files.write(
      work / "apt.conf",
      cat("Dir::Etc::sourcelist \"", at, "/sources.list\";\nDir::Etc::sourceparts \"/dev/null\";\nDir::State \"", at,
          "\";\nDir::State::status \"", at, "/status\";\nDir::State::lists \"", at, "/lists\";\nDir::Cache \"", at,
          "\";\nAcquire::Languages \"none\";\nAPT::Sandbox::User \"\";\n"),
      {});
  return work / "apt.conf";
}

Fetched fetch_package(const TreeSource& source, const fs::path& work, CommandRunner& runner) {
  Environment environment = current_environment();
  if (!source.ref.empty()) {
    environment["APT_CONFIG"] = suite_configuration(source.ref, work, runner).string();
    (void)run_checked(runner, {.argv = {"apt-get", "--quiet", "update"}, .env = environment});
  }
  try {
    (void)run_checked(runner, {.argv = {"apt-get", "--quiet", "download", k_package}, .env = environment, .cwd = work});
  } catch (Error& error) {
    throw error.hint(
        "Run apt-get update (as root), or name a suite of Debian by --ref; a git URL or a directory will do.");
  }
  for (const std::string& name : RealFileSystem().list(work)) {
    if (!name.ends_with(".deb")) continue;
    const fs::path tree = work / "package";
    const std::string file = (work / name).string();
    (void)run_checked(runner, {.argv = {"dpkg-deb", "--extract", file, tree.string()}});
    const std::string version = first_line(run_checked(runner, {.argv = {"dpkg-deb", "--field", file, "Version"}}));
    return {tree, {{"kind", "deb"}, {"source", k_package}, {"version", version}}};
  }
  throw Error(ErrorKind::external, cat("apt-get downloaded no ", k_package));
}

/// The text of the licence that lies beside the elements, or above.
std::string licence_text(const fs::path& directory) {
  const TreeReader tree(directory);
  for (const std::string& place : {std::string(), cat("usr/share/doc/", k_package, "/")}) {
    for (const char* name : {"LICENSE", "LICENSE.txt", "LICENCE", "COPYING", "copyright"}) {
      if (const auto text = tree.read(cat(place, name))) return *text;
    }
  }
  return "";
}

std::string licence_name(const std::string& text) {
  static constexpr std::array<std::pair<const char*, const char*>, 6> known = {{{"Apache License", "Apache-2.0"},
                                                                                {"Apache-2", "Apache-2.0"},
                                                                                {"MIT License", "MIT"},
                                                                                {"GNU AFFERO", "AGPL"},
                                                                                {"GNU LESSER", "LGPL"},
                                                                                {"GNU GENERAL PUBLIC LICENSE", "GPL"}}};
  for (const auto& [words, name] : known) {
    if (text.find(words) != std::string::npos) return name;
  }
  return text.empty() ? "unknown" : "see .licence";
}

bool is_git(const std::string& source) {
  return source.find("://") != std::string::npos || source.starts_with("git@") || source.ends_with(".git");
}

Fetched fetch_source(const TreeSource& source, const fs::path& work, CommandRunner& runner) {
  if (source.source.find("://") == std::string::npos && fs::is_directory(source.source)) return fetch_directory(source);
  if (is_git(source.source)) return fetch_git(source, work, runner);
  if (source.source == k_upstream) return fetch_package(source, work, runner);
  const std::optional<std::string> meant = nearest(source.source, {k_upstream});
  throw Error(ErrorKind::not_found, cat("'", source.source, "' is no directory here, and no URL of a git repository",
                                        meant ? cat("; did you mean '", *meant, "'?") : ""))
      .hint("Give diskimage-builder, a directory, or a URL like https://host/project.git.");
}

}  // namespace

std::string kept_name(const TreeSource& source) {
  std::string name = source.name;
  if (name.empty()) {
    name = source.source;
    while (!name.empty() && name.back() == '/') name.pop_back();
    name = name.substr(name.find_last_of("/:") + 1);
    if (name.ends_with(".git")) name.resize(name.size() - 4);
  }
  const bool plain = std::all_of(name.begin(), name.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_' || c == '.';
  });
  if (name.empty() || name.front() == '.' || !plain) {
    throw Error(ErrorKind::usage, cat("'", name, "' can't be the name of a tree"))
        .hint("--name NAME gives one: letters, digits, '-', '_' and '.'.");
  }
  return name;
}

fs::path elements_in(const FileReader& files, const fs::path& source, const std::string& below) {
  if (!below.empty()) {
    if (count_elements(files, source / below) > 0) return source / below;
    throw Error(ErrorKind::input, cat("there are no elements in ", below));
  }
  for (const char* place :
       {"elements", "diskimage_builder/elements", k_package_elements, "dib", "nodepool/elements", "."}) {
    if (count_elements(files, source / place) > 0) return (source / place).lexically_normal();
  }
  throw Error(ErrorKind::input, "the tree holds no elements where they usually are")
      .hint("--below DIR says where: a directory with one directory for each element.");
}

KeptTree fetch_tree(const TreeSource& source, const fs::path& kept, CommandRunner& runner) {
  const fs::path place = kept / kept_name(source);
  RealFileSystem files;
  files.make_directories(kept, 0755);
  const TempDir work = TempDir::create(kept, ".fetch-");
  const Fetched fetched = fetch_source(source, work.path(), runner);
  const fs::path fresh = work.path() / "kept";
  files.make_directories(fresh, 0755);
  const fs::path elements = fs::canonical(elements_in(files, fetched.tree, source.below));
  const std::string root = fs::canonical(fetched.tree).string();
  if (elements != root && !elements.string().starts_with(root + "/")) {
    throw Error(ErrorKind::input, cat("the tree's elements are a link out of it, to ", elements.string()));
  }
  (void)run_checked(runner, {.argv = {"cp", "-a", "--no-preserve=ownership", "--", elements.string(),
                                      (fresh / "elements").string()}});
  const std::string licence = licence_text(fetched.tree);
  Json origin = fetched.origin;
  origin["elements"] = count_elements(files, fresh / "elements");
  origin["licence"] = licence_name(licence);
  origin["sha256"] = directory_digest(fresh / "elements");
  if (!licence.empty()) files.write(fresh / "elements/.licence", licence, {.mode = 0644});
  files.write(fresh / "elements" / k_origin_file, json_document(origin), {.mode = 0644});
  if (fs::exists(place)) fs::rename(place, work.path() / "old");
  fs::rename(fresh, place);
  return {place / "elements", origin};
}

}  // namespace hearth::builder
