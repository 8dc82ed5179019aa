#include <array>
#include <cstdio>

#include "base/clock.hpp"
#include "base/text.hpp"
#include "metadata/bake/seed_drive.hpp"
#include "metadata/command_line.hpp"
#include "metadata/compile/explain.hpp"
#include "metadata/compile/output_directory.hpp"
#include "metadata/compile/picture.hpp"
#include "metadata/compile/plan.hpp"
#include "metadata/compile/resolved.hpp"
#include "metadata/compile/site_seed.hpp"
#include "metadata/compile/wanted_parameters.hpp"
#include "metadata/model/plain_words.hpp"
#include "metadata/model/value_text.hpp"
#include "metadata/roles/rendered_tree.hpp"

namespace hearth::metadata {

namespace {

using cli::Arguments;

const cli::Option k_json{"json", 0, "", "as JSON"};

std::vector<cli::Option> with_endpoints(std::vector<cli::Option> more) {
  std::vector<cli::Option> options = stack_options(std::move(more));
  for (cli::Option& option : endpoint_options()) options.push_back(std::move(option));
  return options;
}

int draw(const Arguments& arguments, StackModel& model) {
  const std::string format = arguments.value_or("format", "dot");
  cli::print(format == "dot" ? dot_picture(*model.root) : svg_picture(*model.root));
  return 0;
}

Value plan_document(const ServerPlan& plan) {
  static constexpr std::array k_words{"none", "changed", "added", "removed"};
  std::vector<Value> lines;
  for (const std::string& line : plan.lines) lines.push_back(Value::string(line));
  return map_of({{"path", Value::string(plan.path)},
                 {"change", Value::string(k_words.at(static_cast<std::size_t>(plan.change)))},
                 {"lines", Value::list(std::move(lines))}});
}

int show_plan(const Arguments& arguments, StackModel& model) {
  if (arguments.operands().size() != 1)
    throw Error(ErrorKind::usage, "against what? give the directory of an earlier compile");
  if (!fs::is_directory(arguments.operands()[0])) {
    throw Error(ErrorKind::not_found, cat("there is no directory ", arguments.operands()[0]))
        .hint("hearth metadata compile -o DIR makes it");
  }
  const std::map<std::string, Value> before = read_compiled(arguments.operands()[0], RealFileSystem());
  const std::vector<ServerPlan> plans = plan(compile(model, endpoints_of(arguments)), before, &model);
  if (arguments.has("json")) {
    std::vector<Value> servers;
    for (const ServerPlan& each : plans) servers.push_back(plan_document(each));
    cli::print(json_text(map_of({{"servers", Value::list(std::move(servers))}}), {.indent = 1}) + "\n");
    return 0;
  }
  std::size_t untouched = 0;
  for (const ServerPlan& each : plans) {
    if (each.change == ServerPlan::Change::none) {
      ++untouched;
      continue;
    }
    const bool added = each.change == ServerPlan::Change::added;
    const bool removed = each.change == ServerPlan::Change::removed;
    cli::print(cat(each.path, added ? " (new)" : removed ? " (removed)" : "", "\n"));
    for (const std::string& line : each.lines) cli::print(cat("  ", line, "\n"));
  }
  cli::print(cat(untouched, untouched == 1 ? " server unchanged\n" : " servers unchanged\n"));
  return 0;
}

int show_origin(const Arguments& arguments) {
  const Explanation found = explained(arguments);
  if (arguments.has("json")) {
    cli::print(json_text(explained_document(found), {.indent = 1}) + "\n");
    return 0;
  }
  for (const std::string& line : explained_lines(found)) cli::print(line + "\n");
  return 0;
}

/// The server of a compiled directory, by path, name or id.
SeedRequest seed_of(const fs::path& directory, const std::string& wanted) {
  const Value index = read_json_file((directory / "index.json").string());
  std::vector<std::string> names;
  const Value* servers = index.find("servers");
  for (const Value& server : servers == nullptr ? std::vector<Value>{} : servers->items()) {
    const auto field = [&](std::string_view key) {
      return server.find(key) == nullptr ? "" : python_str(*server.find(key));
    };
    names.insert(names.end(), {field("path"), field("name")});
    if (wanted != field("path") && wanted != field("name") && wanted != field("id")) continue;
    const std::string user_data = field("user_data");
    return {.name = field("name"),
            .id = field("id"),
            .metadata = read_json_file((directory / field("metadata")).string()),
            .user_data = user_data.empty() ? "" : read_file((directory / user_data).string())};
  }
  Error error(ErrorKind::not_found, cat("there is no server ", wanted, " in ", directory.string()));
  if (const auto near = nearest(wanted, names)) error.hint(cat("Did you mean ", *near, "?"));
  throw error;
}

int bake(const Arguments& arguments) {
  const std::vector<std::string>& operands = arguments.operands();
  if (operands.size() != 2 || !arguments.has("output"))
    throw Error(ErrorKind::usage, "give DIR, SERVER and -o FILE")
        .hint("hearth metadata bake compiled web1 -o web1.iso");
  SeedRequest seed = seed_of(operands[0], operands[1]);
  if (arguments.has("user-data")) seed.user_data = read_file(*arguments.value("user-data"));
  const bool no_cloud = arguments.has("nocloud");
  const std::vector<SeedFile> files = no_cloud ? no_cloud_files(seed) : config_drive_files(seed);
  const std::string label = no_cloud ? "cidata" : "config-2";
  const std::string format = arguments.value_or("format", "iso");
  const fs::path target = *arguments.value("output");
  if (format == "iso") {
    RealFileSystem().write(target, iso_image(files, label), {.mode = 0600});
  } else {
    const SystemClock clock;
    RealRunner runner(clock);
    write_fat_image(files, label, target, runner);
  }
  cli::print(cat(target.string(), ": ", label, " for ", seed.name, "\n"));
  return 0;
}

int render_tree(const Arguments& arguments) {
  if (arguments.operands().size() != 1 || !arguments.has("output"))
    throw Error(ErrorKind::usage, "give TREE and -o DIR");
  const RealFileSystem disk;
  Sources sources;
  try {
    const auto files = rendered_files(arguments, disk, arguments.operands()[0], sources);
    OutputDirectory output(*arguments.value("output"));
    for (const auto& [name, rule] : files->rules()) output.write(name, files->render_output(name));
    output.commit();
    cli::print(cat(files->rules().size(), " files in ", *arguments.value("output"), "\n"));
    return 0;
  } catch (const Fault& fault) {
    throw in_plain_words(fault).located(sources);
  }
}

cli::Command render_command() {
  return {.words = "metadata render",
          .operands = "TREE",
          .summary = "render the Jinja templates of a TripleO tree",
          .details =
              "For a look at them: compile and the others render in memory what they read. Writes the rendered "
              "files only.",
          .options =
              [] {
                std::vector<cli::Option> options = role_options();
                options.push_back({"output", 'o', "DIR", "where the files go; replaced as a whole"});
                return options;
              }(),
          .run = render_tree};
}

cli::Command parameters_command() {
  return {
      .words = "metadata parameters",
      .operands = "[TEMPLATE]",
      .summary = "what a template asks for, as an environment to fill in",
      .details =
          "Each parameter without a value, of the templates inside, too, with its type, constraints and description.",
      .options = stack_options({{"all", 0, "", "those that have a value, too; hidden ones are left out"}}),
      .run = [](const Arguments& a) {
        return with_model(with_template(a), [&](StackModel& model) {
          cli::print(wanted_parameters(*model.root, a.has("all")));
          return 0;
        });
      }};
}

cli::Command bake_command() {
  return {.words = "metadata bake",
          .operands = "DIR SERVER",
          .summary = "a config-drive or NoCloud seed with a server's metadata",
          .details =
              "DIR is what `hearth metadata compile` wrote. The drive is labelled config-2, a NoCloud seed cidata. "
              "Where compile "
              "was told of no server (--cfn-url), the machine has what is on the drive, and its agent polls nobody.",
          .options = {{"output", 'o', "FILE", "the image"},
                      {"format", 0, "iso|vfat", "file system (iso)", {"iso", "vfat"}},
                      {"nocloud", 0, "", "a NoCloud seed instead of a config-drive"},
                      {"user-data", 0, "FILE", "the machine's own user data (what compile --user-data wrote)"}},
          .run = bake};
}

/// The secrets of what was compiled to a directory of this one, where it was.
SeedUse seed_here(const Arguments& arguments) {
  const fs::path output = "compiled";  // of any name: they lie beside it
  const bool is_there = !arguments.has("seed") && fs::exists(seed_file_beside(output));
  return {.output = is_there ? output : fs::path()};
}

}  // namespace

Explanation explained(const Arguments& arguments) {
  const std::vector<std::string>& operands = arguments.operands();
  if (operands.empty() || operands.size() > 2) {
    throw Error(ErrorKind::usage, "give SERVER and KEY")
        .hint(
            "KEY is a path in its metadata, such as deployments or os-collect-config.heat.auth_url; hearth metadata "
            "compile writes all of it");
  }
  Explanation found;
  std::vector<std::string> keys;
  static_cast<void>(with_model(
      arguments,
      [&](StackModel& model) {
        const Compiled compiled = compile(model, endpoints_of(arguments));
        if (operands.size() == 1)
          keys = keys_of(compiled, operands[0]);
        else
          found = explain(model, compiled, operands[0], operands[1]);
        return 0;
      },
      seed_here(arguments)));
  if (found.is_derived && !arguments.has("seed") && !arguments.has("seed-file") &&
      seed_here(arguments).output.empty()) {
    cli::tell(
        "Ids, passwords and keys are made up here, other ones each time: there is no .hearth-seed in this directory, "
        "which "
        "a compile leaves beside its output. --seed-file FILE names one.\n");
  }
  if (operands.size() == 1) {
    throw Error(ErrorKind::usage, cat("which KEY of ", operands[0], "? There are ", join(keys, ", ")))
        .hint("What is below one stands behind a dot: deployments.NAME.inputs.INPUT");
  }
  return found;
}

std::vector<cli::Command> inspect_commands() {
  return {
      render_command(),
      {.words = "metadata graph",
       .operands = "[TEMPLATE]",
       .summary = "draw the resources and what comes before what",
       .details = "What waits for an event is orange.",
       .options = stack_options({{"format", 0, "dot|svg", "for graphviz, or a picture (dot)", {"dot", "svg"}}}),
       .run =
           [](const Arguments& a) {
             return with_model(with_template(a), [&](StackModel& model) { return draw(a, model); });
           }},
      parameters_command(),
      {.words = "metadata resources",
       .operands = "[TEMPLATE]",
       .summary = "every resource of the tree with its values, as JSON",
       .details =
           "Properties as resolved and as typed, ids, what comes before it, nested stacks, outputs. What is wrong "
           "or waits is shown in its place.",
       .options = stack_options({}),
       .run =
           [](const Arguments& a) {
             return with_model(with_template(a), [](StackModel& model) {
               cli::print(json_text(resolved_stack(*model.root), {.indent = 1}) + "\n");
               return 0;
             });
           }},
      {.words = "metadata plan",
       .operands = "DIR",
       .summary = "what a compile would change for each server against DIR",
       .details = "Of what changed it tells where that is written now.",
       .options = with_endpoints({k_json}),
       .run =
           [](const Arguments& a) {
             const bool compared = a.operands().size() == 1 && fs::exists(fs::path(a.operands()[0]) / "index.json");
             return with_model(a, [&](StackModel& model) { return show_plan(a, model); },
                               {.output = compared ? fs::path(a.operands()[0]) : fs::path()});
           }},
      {.words = "metadata explain",
       .operands = "SERVER KEY",
       .summary = "where a value in a server's metadata came from",
       .details =
           "KEY goes into the document, items of lists by name: deployments.NetworkDeployment.inputs.foo. Prints "
           "the value and, indented, the functions, parameters and files that it came from. Ids, passwords and keys "
           "are "
           "those of a compile whose output lies in this directory; else --seed-file says of which site.",
       .options = with_endpoints({k_json}),
       .run = show_origin},
      bake_command(),
  };
}

}  // namespace hearth::metadata
