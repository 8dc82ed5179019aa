#include "metadata/commands.hpp"

#include <cstdio>

#include "base/clock.hpp"
#include "base/text.hpp"
#include "metadata/batch/eval.hpp"
#include "metadata/batch/validate.hpp"
#include "metadata/compile/compiler.hpp"
#include "metadata/compile/files.hpp"
#include "metadata/compile/validation.hpp"
#include "metadata/model/json_reader.hpp"
#include "metadata/model/value_text.hpp"

namespace hearth::metadata {

namespace {

using cli::Arguments;
using cli::Option;

const Option k_template{"template", 't', "FILE", "the template"};
const Option k_environment{"environment", 'e', "FILE", "an environment; later ones win; may be given again"};
const Option k_parameter{"parameter", 'P', "NAME=VALUE", "a parameter; wins over the environments; may be given again"};
const Option k_name{"name", 'n', "NAME", "name of the stack (overcloud)"};
const Option k_seed{"seed", 0, "TEXT", "what ids and secrets are derived from (hearth)"};
const Option k_inventory{"inventory", 0, "FILE", "JSON: attributes that only the run would tell, by path"};
const Option k_heat_order{"environment-wins", 0, "", "environments win over --parameter, as in Heat"};
const Option k_batch{"batch", 0, "FILE", "a JSON list of cases; prints a list of results"};

void print(const std::string& text) { std::fwrite(text.data(), 1, text.size(), stdout); }

Value read_json_file(const std::string& name) { return parse_json_value(read_file(name), name).value_or_throw(); }

int run_batch(const Arguments& arguments, Value (*evaluate)(const Value&)) {
  const Value cases = read_json_file(*arguments.value("batch"));
  if (!cases.is_list()) throw Error(ErrorKind::input, "a batch is a JSON list of cases");
  std::vector<Value> results;
  for (const Value& test : cases.items()) results.push_back(evaluate(test));
  print(json_text(Value::list(std::move(results)), {.indent = 1}) + "\n");
  return 0;
}

/// All that the options of compile, validate, graph, … say of the stack.
StackRequest request_of(const Arguments& arguments) {
  if (!arguments.has("template")) throw Error(ErrorKind::usage, "which template? give -t FILE");
  StackRequest request;
  request.name = arguments.value_or("name", "overcloud");
  request.template_name = *arguments.value("template");
  request.environments = arguments.values("environment");
  request.environment_wins = arguments.has("environment-wins");
  request.settings.seed = arguments.value_or("seed", "hearth");
  MapBuilder parameters;
  for (const std::string& pair : arguments.values("parameter")) {
    const std::size_t equals = pair.find('=');
    if (equals == std::string::npos) throw Error(ErrorKind::usage, cat("--parameter takes NAME=VALUE, not ", pair));
    parameters.set(pair.substr(0, equals), Value::string(pair.substr(equals + 1)));
  }
  request.parameters = Value::map(std::move(parameters));
  return request;
}

/// Builds the model and runs `use`; faults get their file and line.
int with_model(const Arguments& arguments, const std::function<int(StackModel&)>& use) {
  const RealFileSystem disk;
  StackModel model;
  model.files = std::make_unique<DiskFiles>(disk);
  try {
    build_model(model, request_of(arguments));
    if (arguments.has("inventory")) learn_inventory(model, read_json_file(*arguments.value("inventory")));
    return use(model);
  } catch (const Fault& fault) {
    throw fault.located(model.sources);
  }
}

int validate_all(StackModel& model) {
  const std::vector<Fault> faults = validate_stack(*model.root);
  for (const Fault& fault : faults) std::fprintf(stderr, "error: %s\n", fault.located(model.sources).story().c_str());
  for (const auto& [mark, text] : stack_warnings(*model.root)) {
    std::fprintf(stderr, "warning: %s: %s\n", model.sources.text(mark).c_str(), text.c_str());
  }
  if (faults.empty()) print("valid\n");
  return faults.empty() ? 0 : 1;
}

Endpoints endpoints_of(const Arguments& arguments) {
  Endpoints endpoints;
  endpoints.cfn = arguments.value_or("cfn-url", endpoints.cfn);
  endpoints.objects = arguments.value_or("object-url", endpoints.objects);
  endpoints.created = arguments.value_or("created", endpoints.created);
  return endpoints;
}

int compile_to(const Arguments& arguments, StackModel& model) {
  if (!arguments.has("output")) throw Error(ErrorKind::usage, "where to? give -o DIR");
  const Compiled compiled = compile(model, endpoints_of(arguments));
  const std::vector<std::string> waiting = waiting_lines(compiled, model.sources);
  for (const std::string& line : waiting) std::fprintf(stderr, "%s\n", line.c_str());
  if (!waiting.empty() && arguments.has("strict")) {
    throw Error(ErrorKind::input, cat(waiting.size(), " values wait for events (above); --strict takes none"))
        .hint("Give what is known already by --inventory, or leave out --strict.");
  }
  RealFileSystem disk;
  write_compiled(compiled, model.root->identity().name, *arguments.value("output"), disk);
  print(cat(compiled.servers.size(), " servers in ", *arguments.value("output"), "\n"));
  return 0;
}

std::vector<Option> with(std::vector<Option> more) {
  std::vector<Option> options{k_template, k_environment, k_parameter, k_name, k_seed, k_inventory, k_heat_order};
  options.insert(options.end(), more.begin(), more.end());
  return options;
}

}  // namespace

std::vector<cli::Command> commands() {
  return {
      {.words = "metadata compile",
       .operands = "",
       .summary = "compile templates to each server's metadata",
       .details = "Without a controller: what is known is resolved, what only the run tells is left out and listed on "
                  "standard error.",
       .options = with({{"output", 'o', "DIR", "where servers/PATH/metadata.json and index.json go"},
                        {"strict", 0, "", "fail when anything waits for an event"},
                        {"cfn-url", 0, "URL", "where agents find the CFN API (http://127.0.0.1:8000)"},
                        {"object-url", 0, "URL", "where agents find TempURL objects (http://127.0.0.1:8080)"},
                        {"created", 0, "TIME", "creation_time of the deployments (2026-01-01T00:00:00Z)"}}),
       .run =
           [](const Arguments& a) { return with_model(a, [&](StackModel& model) { return compile_to(a, model); }); }},
      {.words = "metadata validate",
       .operands = "",
       .summary = "all errors of a stack at once, with their places",
       .details = "",
       .options = with({k_batch}),
       .run =
           [](const Arguments& a) {
             return a.has("batch") ? run_batch(a, validate_case) : with_model(a, validate_all);
           }},
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
}

}  // namespace hearth::metadata
