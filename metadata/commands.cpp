#include "metadata/commands.hpp"

#include "base/cli/print.hpp"
#include "base/sys/secret.hpp"
#include "base/text.hpp"
#include "metadata/batch/eval.hpp"
#include "metadata/batch/validate.hpp"
#include "metadata/command_line.hpp"
#include "metadata/compile/mending.hpp"
#include "metadata/compile/signals.hpp"
#include "metadata/compile/site_seed.hpp"
#include "metadata/model/value_text.hpp"

namespace hearth::metadata {

namespace {

using cli::Arguments;
using cli::Option;

const Option k_batch{"batch", 0, "FILE", "a JSON list of cases; prints a list of results"};

int run_batch(const Arguments& arguments, Value (*evaluate)(const Value&)) {
  const Value cases = read_json_file(*arguments.value("batch"));
  if (!cases.is_list()) throw Error(ErrorKind::input, "a batch is a JSON list of cases");
  std::vector<Value> results;
  for (const Value& test : cases.items()) results.push_back(evaluate(test));
  cli::print(json_text(Value::list(std::move(results)), {.indent = 1}) + "\n");
  return 0;
}

Value as_list(const std::vector<Mistake>& mistakes) {
  std::vector<Value> items;
  for (const Mistake& each : mistakes) {
    items.push_back(map_of({{"file", Value::string(each.file)},
                            {"line", Value::integer(each.line)},
                            {"column", Value::integer(each.column)},
                            {"type", Value::string(each.type)},
                            {"text", Value::string(each.text)},
                            {"advice", Value::string(each.advice)}}));
  }
  return Value::list(std::move(items));
}

int validate_all(const Arguments& given) {
  const Arguments arguments = with_template(given);
  const Mistakes mistakes = all_mistakes([&](StackModel& model) { read_model(arguments, model); });
  const bool valid = mistakes.errors.empty() && mistakes.all;
  if (arguments.has("json")) {
    cli::print(json_text(map_of({{"valid", Value::boolean(valid)},
                                 {"errors", as_list(mistakes.errors)},
                                 {"warnings", as_list(mistakes.warnings)},
                                 {"untold", Value::integer(static_cast<std::int64_t>(mistakes.untold))},
                                 {"all", Value::boolean(mistakes.all)}}),
                         {.indent = 1}) +
               "\n");
    return valid ? 0 : 1;
  }
  for (const Mistake& error : mistakes.errors) cli::tell(cat("error: ", error.story, "\n"));
  for (const Mistake& warning : mistakes.warnings) cli::tell(cat("warning: ", warning.story, "\n"));
  if (mistakes.untold > 0) cli::tell(cat(mistakes.untold, " further errors were seen.\n"));
  if (!mistakes.all) cli::tell("There may be more: mend these, and run it again.\n");
  if (!valid) cli::tell(cat(mistakes.errors.size(), mistakes.errors.size() == 1 ? " error\n" : " errors\n"));
  if (valid) cli::print("valid\n");
  return valid ? 0 : 1;
}

/// Answers of machines, from --signals; what they don't tell is said.
void take_signals(const Arguments& arguments, StackModel& model) {
  const auto file = arguments.value("signals");
  if (!file) return;
  for (const std::string& note : learn_signals(*model.root, endpoints_of(arguments), read_file(*file), *file)) {
    cli::tell(cat(note, "\n"));
  }
}

int compile_to(const Arguments& arguments, StackModel& model) {
  take_signals(arguments, model);
  const Compiled compiled = compile(model, endpoints_of(arguments),
                                    {.user_data = arguments.has("user-data"),
                                     .hosts = arguments.has("hosts"),
                                     .hieradata = arguments.has("hieradata")});
  const std::vector<std::string> waiting = waiting_lines(compiled, model.sources);
  for (const std::string& line : waiting) cli::tell(cat(line, "\n"));
  if (!waiting.empty() && arguments.has("strict")) {
    throw Error(ErrorKind::input, cat(waiting.size(), " values wait for events (above); --strict takes none"))
        .hint("Give what is known already by --inventory, or leave out --strict.");
  }
  write_compiled(compiled, model.root->identity().name, *arguments.value("output"));
  cli::print(cat(compiled.servers.size(), compiled.servers.size() == 1 ? " server in " : " servers in ",
                 *arguments.value("output"), "\n"));
  return 0;
}

int run_compile(const Arguments& given) {
  const Arguments arguments = with_template(given);
  std::vector<std::string> mistakes = missing_files(arguments);
  const auto output = arguments.value("output");
  if (!output) mistakes.emplace_back("where to? give -o DIR");
  if (!mistakes.empty()) throw Error(ErrorKind::usage, join(mistakes, "\n"));
  return with_model(arguments, [&](StackModel& model) { return compile_to(arguments, model); },
                    {.output = *output, .makes = true});
}

int rotate(const Arguments& arguments) {
  const bool one = arguments.operands().size() == 1;
  if (one == arguments.has("seed-file")) throw Error(ErrorKind::usage, "give DIR of a compile, or --seed-file FILE");
  const fs::path file = one ? seed_file_beside(arguments.operands()[0]) : fs::path(*arguments.value("seed-file"));
  const std::string asked = arguments.value_or("hours", "168");
  const std::optional<std::uint64_t> hours = parse_number(asked);
  if (!hours || *hours > 100'000) throw Error(ErrorKind::usage, cat("--hours takes a number of hours, not ", asked));
  const std::int64_t until = unix_now() + static_cast<std::int64_t>(*hours) * 3600;
  forbid_dumps();
  (void)rotate_site_seed(file, unix_now(), until, arguments.has("force"));
  cli::print(cat(file.string(), ": a new key; the former one holds for ", *hours,
                 " hours.\nCompile again, so that agents get theirs with their next poll.\n"));
  return 0;
}

std::vector<Option> compile_options() {
  std::vector<Option> options = stack_options(
      {{"output", 'o', "DIR", "where servers/PATH/metadata.json and index.json go"},
       {"user-data", 0, "", "also servers/PATH/user-data for each OS::Nova::Server, as Heat makes it"},
       {"hosts", 0, "", "also hosts: every server with its static addresses, for /etc/hosts"},
       {"hieradata", 0, "", "also servers/PATH/puppet/: hiera.yaml and the data files of deployments"},
       {"signals", 0, "FILE",
        "what machines answered (signals.jsonl in the --state of `hearth metadata serve --compiled`): outputs of "
        "deployments that are still what was answered"},
       {"strict", 0, "", "fail when anything waits for an event"}});
  for (Option& option : endpoint_options()) options.push_back(std::move(option));
  return options;
}

cli::Command compile_command() {
  return {.words = "metadata compile",
          .operands = "[TEMPLATE]",
          .summary = "compile templates to each server's metadata",
          .details =
              "Without a controller: what is known is resolved, what only the run tells is left out and listed on "
              "standard error. With --roles the template is one of a TripleO tree, whose templates in Jinja "
              "(overcloud.j2.yaml, "
              "puppet/role.role.j2.yaml) are rendered as they are read. Ports that ask for an address "
              "(fixed_ips: ip_address) get it before other ports of their template get any. Addresses for --hosts "
              "are those of a server's ports, of its networks property, of the inventory, or of the ports beside it "
              "where it is the only server of its template. index.json names everything written.",
          .options = compile_options(),
          .run = run_compile,
          .first = true};
}

}  // namespace

std::vector<cli::Command> commands() {
  std::vector<cli::Command> rows = {
      compile_command(),
      {.words = "metadata rotate",
       .operands = "[DIR]",
       .summary = "give the agents of a site new keys",
       .details =
           "Makes a new key in the site's seed file, beside the compiled DIR. Agents get keys made of it from the "
           "next compile on. What they have now goes on working at `hearth metadata serve --compiled` until the "
           "hours are over, so that each can fetch its new ones. Ids and passwords stay as they are.",
       .options = {{"seed-file", 0, "FILE", "the seed file, in place of the one beside DIR"},
                   {"hours", 0, "HOURS", "how long the former keys hold (168)"},
                   {"force", 0, "", "also while those of an earlier rotation still hold; these end now"}},
       .run = rotate},
      {.words = "metadata validate",
       .operands = "[TEMPLATE]",
       .summary = "all errors of a stack at once, with their places",
       .details =
           "Each mistake with file, line and column, and the nearest right name where one is near. What is wrong is "
           "mended in memory, so that all that stands behind it is looked at, too; a thousand are told, further ones "
           "counted. Exit code 1: there are errors; "
           "warnings alone are 0.",
       .options = stack_options({{"json", 0, "", "errors and warnings as JSON"}, k_batch}),
       .run = [](const Arguments& a) { return a.has("batch") ? run_batch(a, validate_case) : validate_all(a); }},
      {.words = "metadata lint",
       .operands = "[TEMPLATE]",
       .summary = "the same as metadata validate",
       .details = "See hearth metadata validate. Exit code 1: there are errors; warnings alone are 0.",
       .options = stack_options({{"json", 0, "", "errors and warnings as JSON"}, k_batch}),
       .run = [](const Arguments& a) { return a.has("batch") ? run_batch(a, validate_case) : validate_all(a); }},
      {.words = "metadata eval",
       .operands = "",
       .summary = "evaluate snippets of templates",
       .details = "A case has version and snippet; params, schema, cond, files, stub, env_defaults as needed.",
       .options = {k_batch},
       .run =
           [](const Arguments& a) {
             if (!a.has("batch")) throw Error(ErrorKind::usage, "give --batch FILE");
             return run_batch(a, evaluate_case);
           }},
      {.words = "metadata registry",
       .operands = "",
       .summary = "look resource types up in registries",
       .details = "A case has files (registries in order) and lookups ([type, name]).",
       .options = {k_batch},
       .run =
           [](const Arguments& a) {
             if (!a.has("batch")) throw Error(ErrorKind::usage, "give --batch FILE");
             return run_batch(a, registry_case);
           }},
  };
  for (cli::Command& row : inspect_commands()) rows.push_back(std::move(row));
  return rows;
}

}  // namespace hearth::metadata
