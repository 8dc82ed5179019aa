#include "builder/commands.hpp"

#include <unistd.h>

#include <cstdio>

#include "base/error.hpp"
#include "base/text.hpp"
#include "builder/element_commands.hpp"
#include "builder/installation.hpp"
#include "builder/run/image_build.hpp"

namespace hearth::builder {

namespace {

void print(const std::string& text) { std::fwrite(text.data(), 1, text.size(), stdout); }

/// -c: what hooks keep of the caller's environment.
Environment cleared(const Environment& environment) {
  Environment kept;
  for (const char* name : {"PATH", "HOME", "USER", "TERM", "LANG"}) {
    const auto found = environment.find(name);
    if (found != environment.end()) kept.insert(*found);
  }
  return kept;
}

std::string quoted_arguments(const cli::Arguments& arguments, const std::vector<cli::Option>& table) {
  std::vector<std::string> words;
  for (const cli::Option& option : table) {
    for (const std::string& value : arguments.values(option.key())) {
      words.push_back(option.name.empty() ? cat("-", option.letter) : cat("--", option.name));
      if (!option.value_name.empty()) words.push_back(value);
    }
  }
  words.insert(words.end(), arguments.operands().begin(), arguments.operands().end());
  return shell_join(words);
}

ImageRequest request_of(const cli::Arguments& arguments, const std::vector<cli::Option>& table, Cycles cycles) {
  const Environment environment = current_environment();
  ImageRequest request =
      make_request(arguments, arguments.has("c") ? cleared(environment) : environment, fs::current_path(), cycles);
  request.arguments_text = quoted_arguments(arguments, table);
  return request;
}

std::vector<cli::Option> create_options() {
  std::vector<cli::Option> options = image_options();
  options.push_back({"accept-cycles", 0, "", "accept element-deps that form a cycle, as diskimage-builder does"});
  return options;
}

Cycles cycles_of(const cli::Arguments& arguments) {
  return arguments.has("accept-cycles") ? Cycles::accept : Cycles::refuse;
}

constexpr const char* k_create_details =
    "Composes elements (directories of hook scripts) into an image. Elements are found in ELEMENTS_PATH, then among\n"
    "Hearth's own. Needs neither root nor a loop device; an ordinary user needs a range in /etc/subuid.\n"
    "Writes NAME.TYPE for each type, and NAME.d with the log, the manifest and the timings.\n\n"
    "Exit codes: 0 ok, 1 failed, 2 wrong usage, 130 interrupted; a failing hook's own code is passed on.\n"
    "Example: hearth image create -o hello -t qcow2 vm debian-minimal hearth-agent";

cli::Command create_command(const fs::path& executable) {
  std::vector<cli::Option> options = create_options();
  options.push_back({"verbose", 'v', "", "print the whole log on stdout"});
  return {.words = "image create",
          .operands = "ELEMENT…",
          .summary = "build an image from elements",
          .details = k_create_details,
          .options = options,
          .run = [executable, options](const cli::Arguments& arguments) {
            const ImageRequest request = request_of(arguments, options, cycles_of(arguments));
            const Verbosity verbosity = arguments.has("verbose") ? Verbosity::plain_log : Verbosity::progress;
            return build_image(request, find_installation(current_environment(), executable), verbosity);
          }};
}

cli::Command plan_command(const fs::path& executable) {
  std::vector<cli::Option> options = create_options();
  options.push_back({"json", 0, "", "print the plan as JSON"});
  options.push_back({"graph", 0, "", "print the elements and their dependencies for Graphviz"});
  return {.words = "image plan",
          .operands = "ELEMENT…",
          .summary = "show what a build would run, in order, without running it",
          .details = "",
          .options = options,
          .run = [executable, options](const cli::Arguments& arguments) {
            const ImageRequest request = request_of(arguments, options, cycles_of(arguments));
            std::vector<std::string> notes;
            const BuildPlan plan = plan_image(request, find_installation(current_environment(), executable), notes);
            for (const std::string& note : notes) std::fprintf(stderr, "%s\n", note.c_str());
            if (arguments.has("json")) {
              print(cat(plan_json(plan).dump(2), "\n"));
            } else {
              print(arguments.has("graph") ? plan_graph(plan) : plan_text(plan));
            }
            return 0;
          }};
}

}  // namespace

std::vector<cli::Command> commands(const fs::path& executable) {
  std::vector<cli::Command> rows = {create_command(executable), plan_command(executable)};
  for (cli::Command& row : element_commands(executable)) rows.push_back(std::move(row));
  return rows;
}

cli::Command disk_image_create(const fs::path& executable) {
  std::vector<cli::Option> options = create_options();
  options.push_back({"version", 0, "", "print the version"});
  return {.words = "disk-image-create",
          .operands = "ELEMENT…",
          .summary = "build an image from elements",
          .details = k_create_details,
          .options = options,
          .run = [executable, options](const cli::Arguments& arguments) {
            if (arguments.has("version")) {
              print(cat(HEARTH_VERSION, "\n"));
              return 0;
            }
            const ImageRequest request = request_of(arguments, options, Cycles::accept);
            return build_image(request, find_installation(current_environment(), executable), Verbosity::log);
          }};
}

}  // namespace hearth::builder
