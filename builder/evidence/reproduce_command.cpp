#include <algorithm>
#include <array>
#include <set>

#include "base/cli/print.hpp"
#include "base/error.hpp"
#include "base/foreign_json.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"
#include "builder/evidence/commands.hpp"
#include "builder/evidence/own_names.hpp"
#include "builder/evidence/statements.hpp"
#include "builder/evidence/tree_record.hpp"
#include "builder/evidence/verification.hpp"
#include "builder/fetch/fetch_plan.hpp"
#include "builder/fetch/fetch_session.hpp"
#include "builder/fetch/git_answers.hpp"

namespace hearth::builder::evidence {

namespace {

constexpr std::size_t k_most_told = 20;  // variables, a line each

/// Options that say what is built. A provenance may have come with the image from anywhere, so no other is taken from
/// it.
const std::set<std::string> k_taken = {"a",
                                       "n",
                                       "p",
                                       "t",
                                       "u",
                                       "metadata",
                                       "server",
                                       "install-type",
                                       "ramdisk-element",
                                       "accept-cycles",
                                       "compression",
                                       "checksum",
                                       "checksums",
                                       "qemu-img-options",
                                       "docker-target",
                                       "container-config",
                                       "image-size",
                                       "root-label",
                                       "image-version",  // UUIDs follow from it
                                       "mkfs-options",
                                       "image-extra-size",
                                       "mkfs-journal-size",
                                       "disk-maker",
                                       "max-online-resize"};
/// Options that say where things lie, what is kept and what is said of the image: a rebuild has its own. Those of the
/// network are among them.
const std::set<std::string> k_own = {"o",
                                     "x",
                                     "no-cache",
                                     "image-cache",
                                     "refresh",
                                     "strict",
                                     "offline",
                                     "fresh-from",
                                     "remote-cache",
                                     "no-tmpfs",
                                     "builder",
                                     "min-tmpfs",
                                     "remote-cache-read-only",
                                     "sign-key",
                                     "c",
                                     "remote-cache-key",
                                     "remote-cache-insecure"};

bool is_own(const std::string& key) {
  const auto& network = fetch::fetch_options();
  return k_own.contains(key) ||
         std::any_of(network.begin(), network.end(), [&](const cli::Option& option) { return option.key() == key; });
}

/// By the table, so that every spelling of an option ("--logf=x", "-oNAME") is the same option.
std::vector<std::string> taken_arguments(const std::vector<cli::Option>& table, const Json& recorded) {
  const cli::Arguments arguments = cli::parse_options(table, recorded.get<std::vector<std::string>>());
  std::vector<std::string> words;
  for (const cli::Option& option : table) {
    if (!arguments.has(option.key()) || is_own(option.key())) continue;
    if (!k_taken.contains(option.key())) {
      throw Error(ErrorKind::input, cat("the provenance says ", option.display(), ", which a rebuild does not take"))
          .hint("Build such an image without it, or look at NAME.d/provenance.json before you trust its maker.");
    }
    for (const std::string& value : arguments.values(option.key())) {
      words.push_back(option.display());
      if (!option.value_name.empty()) words.push_back(value);
    }
  }
  words.emplace_back("--");
  words.insert(words.end(), arguments.operands().begin(), arguments.operands().end());
  return words;
}

/// The environment of now, with the recorded variables that say what is built in the place of today's.
Environment rebuild_environment(const Json& recorded) {
  Environment environment = current_environment();
  std::erase_if(environment, [](const auto& variable) { return tells_what_is_built(variable.first); });
  for (const auto& [name, value] : recorded.items()) {
    if (tells_what_is_built(name)) {
      environment[name] = value.get<std::string>();
    } else {
      cli::tell(cat("left out of the provenance: the variable ", format_json(Json(name)), "\n"));
    }
  }
  return environment;
}

std::map<std::string, std::string> recorded_elements(const Json& dependencies) {
  constexpr std::string_view kind = "element ";
  std::map<std::string, std::string> elements;
  for (const Json& dependency : dependencies) {
    const std::string name = dependency.value("name", "");
    if (name.starts_with(kind)) elements[name.substr(kind.size())] = dependency.at("digest").at("sha256");
  }
  return elements;
}

Rebuild rebuild_of(const Statement& statement, const std::vector<cli::Option>& table, const fs::path& output,
                   bool locked) {
  try {
    const Json& definition = statement.content.at("predicate").at("buildDefinition");
    const Json& parameters = definition.at("externalParameters");
    Rebuild rebuild{.arguments = {"--no-cache", "-o", output.string(), locked ? "--locked" : "--offline", "--lock",
                                  (statement.directory / k_lock_file).string()},
                    .first_arguments = parameters.at("arguments").get<std::vector<std::string>>(),
                    .environment = rebuild_environment(parameters.at("environment")),
                    .elements = recorded_elements(definition.at("resolvedDependencies")),
                    .is_ramdisk = parameters.value("ramdisk", false)};
    for (const std::string& word : taken_arguments(table, parameters.at("arguments")))
      rebuild.arguments.push_back(word);
    return rebuild;
  } catch (const Json::exception& error) {
    throw Error(ErrorKind::input,
                cat("the provenance in ", statement.directory.string(), " can't be understood: ", json_fault(error)));
  }
}

/// Files of this machine that the rebuild would read because the provenance names them: --metadata's, and those of
/// variables.
std::vector<std::string> named_files(const Rebuild& rebuild, const Json& recorded) {
  std::vector<std::string> files;
  for (std::size_t i = 0; i + 1 < rebuild.arguments.size() && rebuild.arguments[i] != "--"; ++i) {
    if (rebuild.arguments[i] == "--metadata") files.push_back(rebuild.arguments[i + 1]);
    if (rebuild.arguments[i] != "-p") continue;
    for (const std::string& list : split(rebuild.arguments[i + 1], ',')) {
      if (list.starts_with('@')) files.push_back(list.substr(1));
    }
  }
  for (const auto& [name, value] : recorded.items()) {
    if (!tells_what_is_built(name)) continue;
    for (const fs::path& path : paths_in(value.get<std::string>())) files.push_back(path.string());
  }
  return files;
}

/// Who wrote an unsigned provenance may be anybody: what it makes this machine read, and bake into the image, the user
/// says.
void require_allowed_files(const std::vector<std::string>& files, const std::vector<std::string>& allowed) {
  const auto place = [](const std::string& file) { return fs::weakly_canonical(fs::absolute(file)); };
  for (const std::string& file : files) {
    if (!fs::exists(file)) continue;  // then the build says so, or has no need of it
    if (std::any_of(allowed.begin(), allowed.end(), [&](const auto& each) { return place(each) == place(file); }))
      continue;
    throw Error(ErrorKind::input, cat("the provenance, which nobody has signed, makes the build read ", file))
        .hint("Look whether the image needs it; --may-read FILE then lets it.");
  }
}

/// Names of the variables that hooks of the build read and whose values no provenance has.
std::set<std::string> read_variables(const Json& provenance) {
  std::set<std::string> names;
  const auto parameters = "/predicate/buildDefinition/externalParameters"_json_pointer / k_read_variables;
  if (!provenance.is_object() || !provenance.contains(parameters)) return names;
  for (const Json& name : provenance.at(parameters)) {
    if (name.is_string() && is_tellable_name(name.get<std::string>())) names.insert(name.get<std::string>());
  }
  return names;
}

/// A sentence for each that the first build had and this one has not. Of a provenance that names no end of them, of
/// some.
std::vector<std::string> missing_variables(const Statement& statement, const Environment& environment) {
  std::vector<std::string> missing;
  std::size_t more = 0;
  for (const std::string& name : read_variables(statement.content)) {
    if (environment.count(name) > 0) continue;
    if (missing.size() < k_most_told) {
      missing.push_back(cat("the build read the variable ", name, ", which is not set here"));
    } else {
      ++more;
    }
  }
  if (more > 0) missing.push_back(cat("and ", more, " more variables that are not set here"));
  return missing;
}

/// A sentence for each that only the rebuild, whose records are in `directory`, had.
std::vector<std::string> further_variables(const Statement& statement, const fs::path& directory) {
  std::vector<std::string> further;
  const std::set<std::string> before = read_variables(statement.content);
  const std::string now = RealFileSystem().read(directory / k_provenance_file).value_or("");
  for (const std::string& name : read_variables(json_or_null(now))) {
    if (before.count(name) == 0)
      further.push_back(cat("hooks read the variable ", name, ", which is set here and was not for the build"));
  }
  return further;
}

std::string story_of(const fs::path& first, const fs::path& second) {
  const std::string one = RealFileSystem().read(first / k_tree_file).value_or("");
  const std::string two = RealFileSystem().read(second / k_tree_file).value_or("");
  if (one.empty() || two.empty()) return "There is no record of both trees to tell what differs.";
  require_tree_record(one, (first / k_tree_file).string());
  require_tree_record(two, (second / k_tree_file).string());
  const std::optional<TreeDifference> difference = first_difference(one, two);
  if (!difference) return "The trees are the same; what differs is how they were put into the image.";
  return cat("The first file that differs: ", difference->path, " (", difference->what, "), written by ",
             difference->step);
}

/// What was checked before anything is built.
Statement statement_of(const fs::path& image, const std::vector<std::string>& keys) {
  Statement statement = checked_statement(image, keys);
  if (!fs::exists(statement.directory / k_lock_file)) {
    throw Error(ErrorKind::input, cat(image.string(), " was built without a lock: what it was made of is not known"))
        .hint("Build it with --record, --locked or --offline.");
  }
  require_image(statement, image);
  return statement;
}

/// What is to be replayed is there: here, or in NAME.d; with the network, what only NAME.d can have.
void require_fetches(const Statement& statement, const fs::path& fetches, bool locked) {
  const fs::path file = statement.directory / k_lock_file;
  const fetch::Lock lock = fetch::parse_lock(read_regular(file), file.string()).value_or_throw();
  if (lock.fetches.empty()) return;
  fetch::ObjectStore store(fetches);
  fetch::take_git_answers(file, lock, store);
  std::vector<std::string> missing;
  for (const auto& [key, fetched] : lock.fetches) {
    if ((locked && !fetch::asks_git(key)) || store.open(fetched.sha256, fetched.size)) continue;
    missing.push_back(cat("  ", key.url));
  }
  if (missing.empty()) return;
  const std::size_t all = missing.size();
  missing.resize(std::min(all, k_most_told));
  if (all > missing.size()) missing.push_back(cat("  … and ", all - missing.size(), " more"));
  throw Error(ErrorKind::not_found, cat("of what the build fetched ", all, " answers are neither in ", fetches.string(),
                                        " nor beside the image:\n", join(missing, "\n")))
      .hint(cat(locked ? "" : "--locked fetches it again. ",
                "What git servers answered nobody can fetch again: it lies in ",
                fetch::git_answers_directory(file).string(), " where the image was built; copy that along."));
}

int reproduce(const cli::Arguments& arguments, const std::vector<cli::Option>& table,
              const std::function<int(const Rebuild&)>& build) {
  if (arguments.operands().size() != 1) throw Error(ErrorKind::usage, "name one image");
  if (arguments.has("key") == arguments.has("unsigned")) {
    throw Error(ErrorKind::usage, "give --key FILE, whose owner must have signed the image, or --unsigned")
        .hint("A rebuild follows what the image's provenance says: with --unsigned, whoever wrote that.");
  }
  const fs::path image = arguments.operands().front();
  std::vector<std::string> keys;
  for (const std::string& file : arguments.values("key")) keys.push_back(public_key_hex(file));
  const Statement statement = statement_of(image, keys);
  const std::string name = statement.directory.stem().string();
  TempDir work = TempDir::create(fs::absolute(image).parent_path(), ".hearth-reproduce-");
  const Rebuild rebuild = rebuild_of(statement, table, work.path() / name, arguments.has("locked"));
  if (arguments.has("unsigned")) {
    const Json& recorded =
        statement.content.at("/predicate/buildDefinition/externalParameters/environment"_json_pointer);
    require_allowed_files(named_files(rebuild, recorded), arguments.values("may-read"));
  }
  require_fetches(statement, fetch::fetch_directory(rebuild.environment), arguments.has("locked"));
  std::vector<std::string> reasons = missing_variables(statement, rebuild.environment);
  for (const std::string& reason : reasons) cli::tell(cat("note: ", reason, "\n"));
  if (const int code = build(rebuild); code != 0) return code;
  const OutputFile again = describe_output(work.path() / image.filename());
  if (again.sha256 == *statement.digest) {
    cli::print(cat(image.string(), ": reproduced, sha256:", again.sha256, "\n"));
    return 0;
  }
  const fs::path records = work.path() / (name + ".d");
  const std::vector<std::string> further = further_variables(statement, records);
  reasons.insert(reasons.end(), further.begin(), further.end());
  reasons.push_back(story_of(statement.directory, records));
  throw Error(ErrorKind::input, cat(image.string(), ": the rebuilt image is sha256:", again.sha256,
                                    ", not sha256:", *statement.digest, "\n  ", join(reasons, "\n  ")));
}

}  // namespace

cli::Command reproduce_command(std::vector<cli::Option> table, std::function<int(const Rebuild&)> build) {
  return {
      .words = "image reproduce",
      .operands = "IMAGE",
      .summary = "build an image again from its own provenance, and compare",
      .details =
          "Uses the lock in NAME.d and what was recorded on this machine, with the network cut. Elements come\n"
          "from ELEMENTS_PATH and Hearth's own, as always, and must be those that the image was made of; relative\n"
          "paths begin here. Of the provenance only what says what is built is taken. When bytes differ, names\n"
          "the first file that does and the step that wrote it, and the variables that hooks read and that are not\n"
          "set here, or were not for the build: a provenance has their names, never their values.\n\n"
          "Exit codes: 0 the same bytes, 1 others or refused, 2 wrong usage; else the build's own.",
      .options = {{"key", 0, "FILE", "the public key that must have signed, checked before anything else"},
                  {"unsigned", 0, "", "believe a provenance that nobody has signed"},
                  {"may-read", 0, "FILE",
                   "with --unsigned: a file of this machine that the provenance names may be read"},
                  {"locked", 0, "", "fetch what the lock names and this machine has not got"}},
      .run = [table = std::move(table), build = std::move(build)](const cli::Arguments& arguments) {
        return reproduce(arguments, table, build);
      }};
}

}  // namespace hearth::builder::evidence
