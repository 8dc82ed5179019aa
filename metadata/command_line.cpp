#include "metadata/command_line.hpp"

#include <chrono>
#include <cstdio>

#include "base/clock.hpp"
#include "base/sys/heat_hooks.hpp"
#include "base/sys/process.hpp"
#include "base/sys/secret.hpp"
#include "base/text.hpp"
#include "base/variable.hpp"
#include "metadata/compile/files.hpp"
#include "metadata/compile/mending.hpp"
#include "metadata/compile/site_seed.hpp"
#include "metadata/model/json_reader.hpp"
#include "metadata/model/plain_words.hpp"
#include "metadata/model/value_text.hpp"
#include "metadata/roles/rendered_tree.hpp"

namespace hearth::metadata {

namespace {

using cli::Arguments;
using cli::Option;

constexpr const char* k_which = "which template? give -t FILE";
const Option k_template{"template", 't', "FILE", "the template"};
const Option k_environment{"environment", 'e', "FILE", "an environment; later ones win; may be given again"};
const Option k_parameter{"parameter", 'P', "NAME=VALUE", "a parameter; wins over the environments; may be given again"};
const Option k_name{"name", 'n', "NAME", "name of the stack (overcloud)"};
const Option k_seed_file{
    "seed-file", 0, "FILE",
    "the site's secrets, from which ids, passwords and keys are derived; made by the first compile "
    "(.hearth-seed beside the output)"};
const Option k_seed{"seed", 0, "TEXT", "in place of the seed file, for trials: whoever knows it has all secrets"};
const Option k_inventory{"inventory", 0, "FILE", "JSON: attributes that only the run would tell, by path"};
const Option k_roles{"roles", 'r', "FILE",
                     "roles_data.yaml: templates of a TripleO tree in Jinja are rendered as read"};
const Option k_networks{"network-data", 0, "FILE", "networks of the tree (network_data.yaml in it)"};
const Option k_heat_order{"environment-wins", 0, "", "environments win over --parameter, as in Heat"};

/// Files as they are, or with --roles a TripleO tree around the template.
std::unique_ptr<FileSource> files_of(const Arguments& arguments, const FileReader& disk, Sources& sources) {
  if (!arguments.has("roles")) return std::make_unique<DiskFiles>(disk);
  if (!arguments.has("template")) throw Error(ErrorKind::usage, k_which);
  return rendered_files(arguments, disk, tree_root(disk, *arguments.value("template")), sources);
}

/// Where the secrets of the site are; nothing where no directory is written or compared with.
std::optional<fs::path> seed_file(const Arguments& arguments, const SeedUse& use) {
  if (const auto named = arguments.value("seed-file")) return fs::path(*named);
  if (use.output.empty()) return std::nullopt;
  return seed_file_beside(use.output);
}

/// Without a file a stack gets a random seed: nothing of it is kept.
void choose_seed(const Arguments& arguments, const SeedUse& use, StackSettings& settings) {
  if (const auto text = arguments.value("seed")) {
    if (arguments.has("seed-file") || text->empty())
      throw Error(ErrorKind::usage, text->empty() ? "--seed needs a text" : "give --seed or --seed-file, not both");
    settings.seed = *text;
    return;
  }
  const std::optional<fs::path> file = seed_file(arguments, use);
  if (!file) return;
  forbid_dumps();
  use_site_seed(use.makes ? site_seed(*file) : read_site_seed(*file), unix_now(), settings);
}

/// All that the options of compile, validate, graph, … say of the stack.
StackRequest request_of(const Arguments& arguments, const SeedUse& use, Sources& sources) {
  if (!arguments.has("template")) throw Error(ErrorKind::usage, k_which);
  StackRequest request;
  request.name = arguments.value_or("name", "overcloud");
  request.template_name = without_jinja(*arguments.value("template"));
  request.environments = arguments.values("environment");
  request.environment_wins = arguments.has("environment-wins");
  request.settings.brings_hook = [](const std::string& group) {
    return brings_hook_in(RealFileSystem(), variable(current_environment(), "ELEMENTS_PATH"), group);
  };
  choose_seed(arguments, use, request.settings);
  MapBuilder parameters;
  for (const std::string& pair : arguments.values("parameter")) {
    const std::size_t equals = pair.find('=');
    if (equals == std::string::npos) throw Error(ErrorKind::usage, cat("--parameter takes NAME=VALUE, not ", pair));
    const std::string name = pair.substr(0, equals);
    parameters.set(Value::string(name).with_mark({.file = sources.add(cat("-P ", name))}),
                   Value::string(pair.substr(equals + 1)));
  }
  request.parameters = Value::map(std::move(parameters));
  return request;
}

}  // namespace

Value read_json_file(const std::string& name) { return parse_json_value(read_file(name), name).value_or_throw(); }

std::vector<Option> stack_options(std::vector<Option> more) {
  std::vector<Option> options{k_template, k_environment, k_parameter,  k_name,  k_seed_file,
                              k_seed,     k_inventory,   k_heat_order, k_roles, k_networks};
  options.insert(options.end(), more.begin(), more.end());
  return options;
}

std::vector<Option> role_options() { return {k_roles, k_networks}; }

std::unique_ptr<RenderedFiles> rendered_files(const Arguments& arguments, const FileReader& disk, const fs::path& root,
                                              Sources& sources) {
  const std::string networks = arguments.value_or("network-data", (root / "network_data.yaml").string());
  const bool optional = !arguments.has("network-data");
  RoleSet set =
      role_set(read_yaml_file(disk, arguments.value_or("roles", (root / "roles_data.yaml").string()), sources),
               read_yaml_file(disk, networks, sources, optional));
  return std::make_unique<RenderedFiles>(disk, root, std::move(set), sources);
}

Arguments with_template(Arguments arguments) {
  const std::vector<std::string>& operands = arguments.operands();
  const std::size_t most = arguments.has("template") ? 0 : 1;
  if (operands.size() > most) {
    throw Error(ErrorKind::usage, cat("'", operands[most], "' is one word too many: there is one template"))
        .hint("Environments are named by -e, --environment FILE, parameters by -P, --parameter NAME=VALUE.");
  }
  if (!operands.empty()) arguments.add("template", operands.front());
  return arguments;
}

std::vector<std::string> missing_files(const Arguments& arguments) {
  std::vector<std::string> told;
  if (!arguments.has("template")) told.emplace_back(k_which);
  for (const char* option : {"template", "environment", "roles", "network-data", "inventory", "signals"}) {
    // With --roles a template may be there as one in Jinja, under another name.
    if (std::string_view(option) == "template" && arguments.has("roles")) continue;
    for (const std::string& file : arguments.values(option)) {
      boost::system::error_code hidden;  // reading it says why
      if (fs::status(file, hidden).type() == fs::file_not_found)
        told.push_back(cat("--", option, ": there is no file ", file));
    }
  }
  return told;
}

std::vector<Option> endpoint_options() {
  return {{"cfn-url", 0, "URL", "where agents find the CFN API (http://127.0.0.1:8000)"},
          {"object-url", 0, "URL", "where agents find TempURL objects (http://127.0.0.1:8080)"},
          {"created", 0, "TIME", "creation_time of the deployments (2026-01-01T00:00:00Z)"}};
}

std::int64_t unix_now() { return unix_seconds(SystemClock().wall()); }

void read_model(const Arguments& arguments, StackModel& model, const SeedUse& seed) {
  static const RealFileSystem disk;
  model.files = files_of(arguments, disk, model.sources);
  build_model(model, request_of(arguments, seed, model.sources));
  if (arguments.has("inventory")) learn_inventory(model, read_json_file(*arguments.value("inventory")));
}

int with_model(const Arguments& arguments, const std::function<int(StackModel&)>& use, const SeedUse& seed) {
  StackModel model;
  try {
    read_model(arguments, model, seed);
    return use(model);
  } catch (const Fault& fault) {
    throw with_all_mistakes(in_plain_words(fault).located(model.sources),
                            [&](StackModel& again) { read_model(arguments, again); });
  }
}

Endpoints endpoints_of(const Arguments& arguments) {
  Endpoints endpoints;
  endpoints.cfn = arguments.value_or("cfn-url", endpoints.cfn);
  endpoints.objects = arguments.value_or("object-url", endpoints.objects);
  endpoints.created = arguments.value_or("created", endpoints.created);
  return endpoints;
}

}  // namespace hearth::metadata
