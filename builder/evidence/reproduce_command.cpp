#include <array>
#include <cstdio>

#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"
#include "builder/evidence/commands.hpp"
#include "builder/evidence/evidence.hpp"
#include "builder/evidence/tree_record.hpp"

namespace hearth::builder::evidence {

namespace {

/// Options that a rebuild sets itself, with whether a value follows.
constexpr std::array<std::pair<const char*, bool>, 8> k_replaced = {{{"-o", true},
                                                                     {"--record", false},
                                                                     {"--locked", false},
                                                                     {"--offline", false},
                                                                     {"--lock", true},
                                                                     {"--intercept-https", false},
                                                                     {"--sign-key", true},
                                                                     {"--logfile", true}}};

std::vector<std::string> kept_arguments(const Json& given) {
  std::vector<std::string> kept;
  for (std::size_t i = 0; i < given.size(); ++i) {
    const std::string word = given[i].get<std::string>();
    bool replaced = false;
    for (const auto& [name, has_value] : k_replaced) {
      if (word != name) continue;
      replaced = true;
      i += has_value ? 1 : 0;
    }
    if (!replaced) kept.push_back(word);
  }
  return kept;
}

/// Elements that are no longer what they were: then other bytes are no wonder.
std::vector<std::string> changed_elements(const Json& definition) {
  std::vector<std::string> changed;
  constexpr std::string_view kind = "element ";
  constexpr std::string_view scheme = "file://";
  for (const Json& dependency : definition.at("resolvedDependencies")) {
    const std::string name = dependency.value("name", "");
    if (name.compare(0, kind.size(), kind) != 0) continue;
    const fs::path path = dependency.value("uri", "").substr(scheme.size());
    if (!fs::is_directory(path)) {
      changed.push_back(cat(name.substr(kind.size()), " (", path.string(), " is gone)"));
    } else if (directory_digest(path) != dependency.at("digest").value("sha256", "")) {
      changed.push_back(name.substr(kind.size()));
    }
  }
  return changed;
}

Rebuild rebuild_of(const Statement& statement, const fs::path& output, bool locked) {
  const Json& definition = statement.content.at("predicate").at("buildDefinition");
  const Json& parameters = definition.at("externalParameters");
  Rebuild rebuild;
  rebuild.arguments = kept_arguments(parameters.at("arguments"));
  for (const std::string& word :
       {std::string("--no-cache"), std::string("-o"), output.string(), std::string(locked ? "--locked" : "--offline"),
        std::string("--lock"), (statement.directory / "hearth.lock").string()}) {
    rebuild.arguments.push_back(word);
  }
  for (const auto& [name, value] : parameters.at("environment").items()) {
    rebuild.environment[name] = value.get<std::string>();
  }
  rebuild.directory = parameters.at("directory").get<std::string>();
  return rebuild;
}

std::string story_of(const fs::path& first, const fs::path& second) {
  const std::string one = RealFileSystem().read(first / "tree.tsv").value_or("");
  const std::string two = RealFileSystem().read(second / "tree.tsv").value_or("");
  if (one.empty() || two.empty()) return "There is no record of both trees to tell what differs.";
  const std::optional<TreeDifference> difference = first_difference(one, two);
  if (!difference) return "The trees are the same; what differs is how they were put into the image.";
  return cat("The first file that differs: ", difference->path, " (", difference->what, "), written by ",
             difference->step);
}

/// What the provenance names, or a clear error.
Statement statement_of(const fs::path& image) {
  Statement statement = read_statement(image);
  if (!fs::exists(statement.directory / "hearth.lock")) {
    throw Error(ErrorKind::input, cat(image.string(), " was built without a lock: what it was made of is not known"))
        .hint("Build it with --record, --locked or --offline.");
  }
  if (!statement.digest) throw Error(ErrorKind::input, cat("its provenance knows no ", image.filename().string()));
  return statement;
}

int reproduce(const fs::path& image, bool locked, const std::function<int(const Rebuild&)>& build) {
  const Statement statement = statement_of(image);
  const std::string name = statement.directory.stem().string();
  TempDir work = TempDir::create(fs::absolute(image).parent_path(), ".hearth-reproduce-");
  const Rebuild rebuild = rebuild_of(statement, work.path() / name, locked);
  for (const std::string& element : changed_elements(statement.content["predicate"]["buildDefinition"])) {
    std::fprintf(stderr, "element changed since: %s\n", element.c_str());
  }
  if (const int code = build(rebuild); code != 0) return code;
  const OutputFile again = describe_output(work.path() / image.filename());
  const OutputFile here = describe_output(image);
  if (again.sha256 == here.sha256 && here.sha256 == *statement.digest) {
    std::printf("%s: reproduced, sha256:%s\n", image.c_str(), here.sha256.c_str());
    return 0;
  }
  if (here.sha256 != *statement.digest) {
    throw Error(ErrorKind::input,
                cat(image.string(), " is not what its provenance says; it was changed after it was made"));
  }
  throw Error(ErrorKind::input, cat(image.string(), ": the rebuilt image is sha256:", again.sha256, ", not sha256:",
                                    here.sha256, "\n  ", story_of(statement.directory, work.path() / (name + ".d"))));
}

}  // namespace

cli::Command reproduce_command(std::function<int(const Rebuild&)> build) {
  return {.words = "image reproduce",
          .operands = "IMAGE",
          .summary = "build an image again from its own provenance, and compare",
          .details =
              "Uses the lock in NAME.d and what was recorded on this machine, with the network cut. When bytes\n"
              "differ, names the first file that does and the step that wrote it. Exit codes: 0 the same bytes,\n"
              "1 others, 2 wrong usage; else the build's own.",
          .options = {{"locked", 0, "", "fetch what the lock names and this machine has not got"}},
          .run = [build = std::move(build)](const cli::Arguments& arguments) {
            if (arguments.operands().size() != 1) throw Error(ErrorKind::usage, "name one image");
            return reproduce(arguments.operands().front(), arguments.has("locked"), build);
          }};
}

}  // namespace hearth::builder::evidence
