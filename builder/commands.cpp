#include "builder/commands.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <map>
#include <optional>
#include <set>

#include "base/cli/print.hpp"
#include "base/cli/table.hpp"
#include "base/cli/tree.hpp"
#include "base/error.hpp"
#include "base/json.hpp"
#include "base/progress.hpp"
#include "base/text.hpp"
#include "base/variable.hpp"
#include "builder/boot/kernel_extract.hpp"
#include "builder/channels/commands.hpp"
#include "builder/described_images.hpp"
#include "builder/disk/layout/sizes.hpp"
#include "builder/evidence/commands.hpp"
#include "builder/fetch/local_access.hpp"
#include "builder/fleet/fleet.hpp"
#include "builder/fleet/graph_page.hpp"
#include "builder/fleet/pipeline.hpp"
#include "builder/frames/publish_command.hpp"
#include "builder/installation.hpp"
#include "builder/lint/read_once.hpp"
#include "builder/outdated/outdated.hpp"
#include "builder/output/convert_command.hpp"
#include "builder/plan/disk_plan.hpp"
#include "builder/plan/plan_image.hpp"
#include "builder/run/build_warnings.hpp"
#include "builder/run/image_build.hpp"
#include "builder/run/kept_steps.hpp"
#include "builder/run/plan_page.hpp"

namespace hearth::builder {

namespace {

ImageRequest request_of(const cli::Arguments& arguments, Manner manner, BuildKind kind = BuildKind::disk,
                        std::vector<std::string> typed = {}) {
  const SystemClock clock;
  return resolve(arguments,
                 {.environment = current_environment(),
                  .start_directory = fs::current_path(),
                  .manner = manner,
                  .kind = kind,
                  .typed = std::move(typed)},
                 clock);
}

/// The words that this program was started with.
std::vector<std::string> own_words() {
  std::vector<std::string> words = split(RealFileSystem().read("/proc/self/cmdline").value_or(""), '\0');
  if (!words.empty()) words.erase(words.begin());
  if (!words.empty() && words.back().empty()) words.pop_back();  // behind the last NUL
  return words;
}

constexpr std::uint64_t k_most_jobs = 256;

constexpr const char* k_create_details =
    "Composes elements (directories of hook scripts) into an image. Elements are found in ELEMENTS_PATH, then among\n"
    "Hearth's own. Needs neither root nor a loop device; an ordinary user needs a range in /etc/subuid.\n"
    "\nWrites NAME.TYPE for each type, and NAME.d with the log, the manifest and the timings. A file IMAGE.yaml lists\n"
    "images, each a map: imagename, elements, environment, release, types, packages, options and the other options\n"
    "by their long names; matrix makes one of each combination of values, extends takes over another's. They are "
    "built\n"
    "side by side; steps that several have in common run once.\n\n"
    "Exit codes: 0 ok, 1 failed, 2 wrong usage, 130 interrupted; a failing hook's own code is passed on. Of several\n"
    "images that failed the last one's counts; the table, --junit and --json say how many did.\n"
    "Example: hearth image create -o hello -t qcow2 vm debian-minimal hearth-agent";

std::vector<cli::Option> description_options() {
  return cli::under("With IMAGE.yaml",
                    {{"dry-run", 0, "", "print the command lines, build nothing"},
                     {"only", 0, "NAME", "of these images only this one; may be repeated"},
                     {"stop-on-failure", 0, "", "begin no further image when one has failed"},
                     {"keep-going", 0, "", "build the others all the same (the default)"},
                     {"jobs", 'j', "N", "build so many images at once (default: one a processor)"},
                     {"memory", 0, "SIZE", "what builds may take of it together, as 6GiB (default: what is free)"},
                     {"junit", 0, "FILE", "write how each image ended, as JUnit's XML"}});
}

/// They would be passed over in silence by a build that no file describes, which even --dry-run would begin.
void refuse_description_options(const cli::Arguments& arguments) {
  for (const cli::Option& option : description_options()) {
    if (!arguments.has(option.key())) continue;
    for (const std::string& word : arguments.operands()) {
      if ((word.ends_with(".yaml") || word.ends_with(".yml")) && !fs::exists(word))
        throw Error(ErrorKind::not_found, cat("there is no file ", word));
    }
    throw Error(ErrorKind::usage, cat(option.display(), " is for images that a file describes (IMAGE.yaml)"))
        .hint("What a build of elements would do: hearth image plan ELEMENT…");
  }
}

/// Options that say how images are built, on this machine, and not what is in them: they don't belong into a file.
const std::set<std::string> k_of_all_images = {"fresh-from",
                                               "if-outdated",
                                               "image-cache",
                                               "min-tmpfs",
                                               "no-cache",
                                               "no-tmpfs",
                                               "refresh",
                                               "remote-cache",
                                               "remote-cache-insecure",
                                               "remote-cache-key",
                                               "remote-cache-read-only",
                                               "strict"};

std::vector<std::string> words_for_all(const cli::Arguments& arguments) {
  std::vector<std::string> words;
  for (const cli::Option& option : image_options()) {
    if (!arguments.has(option.key())) continue;
    if (k_of_all_images.count(option.key()) == 0) {
      throw Error(ErrorKind::usage, cat(option.display(), " goes into the file when images are described by one"))
          .hint(option.name.empty() ? std::string("Each image has its own.")
                                    : cat("Its key there is '", option.name, "'."));
    }
    for (const std::string& value : arguments.values(option.key())) {
      words.push_back(option.display());
      if (!option.value_name.empty()) words.push_back(value);
    }
  }
  return words;
}

std::vector<FleetImage> images_of(const cli::Arguments& arguments) {
  return described_images({.files = arguments.operands(),
                           .environment = current_environment(),
                           .start_directory = fs::current_path(),
                           .words = words_for_all(arguments)});
}

/// Those of --only, in the order of the file.
std::vector<FleetImage> chosen_images(const cli::Arguments& arguments) {
  std::vector<FleetImage> images = images_of(arguments);
  const std::vector<std::string> chosen = arguments.values("only");
  if (chosen.empty()) return images;
  std::vector<std::string> names;
  for (const FleetImage& image : images) names.push_back(image.name);
  for (const std::string& name : chosen) {
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    const auto meant = nearest(name, names);
    throw Error(ErrorKind::usage, cat("--only: no image is called '", name, "' in ", join(arguments.operands(), ", "),
                                      meant ? cat("; did you mean '", *meant, "'?") : ""));
  }
  std::erase_if(images, [&](const FleetImage& image) {
    return std::find(chosen.begin(), chosen.end(), image.name) == chosen.end();
  });
  return images;
}

/// diskimage-builder's logs are those of one image after the other, unless somebody asks for more at once.
FleetOptions fleet_options(const cli::Arguments& arguments, Manner manner) {
  FleetOptions options{.jobs = {},
                       .memory = {},
                       .stop_on_failure = arguments.has("stop-on-failure"),
                       .junit = arguments.value_or("junit", ""),
                       .suite = join(arguments.operands(), " ")};
  if (options.stop_on_failure && arguments.has("keep-going"))
    throw Error(ErrorKind::usage, "--keep-going and --stop-on-failure exclude each other");
  if (manner == Manner::upstream) options.jobs = 1;
  if (const auto jobs = arguments.value("jobs")) {
    options.jobs = parse_number(*jobs);
    if (options.jobs.value_or(0) == 0 || *options.jobs > k_most_jobs)
      throw Error(ErrorKind::usage, cat("--jobs takes a number from 1 to ", k_most_jobs, ", not '", *jobs, "'"));
  }
  if (const auto memory = arguments.value("memory")) {
    options.memory = parse_size(*memory);
    if (options.memory.value_or(0) == 0)
      throw Error(ErrorKind::usage, cat("--memory takes a size, as 6GiB, not '", *memory, "'"));
  }
  return options;
}

/// Images whose elements can't be put together are told before any is built; the others are built all the same, unless
/// --stop-on-failure. How many there are.
std::size_t tell_unplannable(const std::vector<FleetImage>& images, const fs::path& built_in) {
  const RealFileSystem system;
  const ReadOnce files(system);
  std::size_t count = 0;
  for (const FleetImage& image : images) {
    std::vector<std::string> notes;
    try {
      static_cast<void>(plan_image(files, image.request, built_in, notes));
    } catch (const Error& error) {
      cli::tell(cat(image.place, ": image ", image.name, " can't be built: ", error.story(), "\n"));
      ++count;
    }
  }
  return count;
}

int build_descriptions(const cli::Arguments& arguments, const fs::path& executable, Verbosity verbosity,
                       Manner manner) {
  const std::vector<FleetImage> images = chosen_images(arguments);
  const FleetOptions options = fleet_options(arguments, manner);
  const std::string until = arguments.value_or("until", "");
  const bool is_single = images.size() == 1 && options.junit.empty();
  if (!until.empty() && !is_single)
    throw Error(ErrorKind::usage, "--until is for one image, without --junit").hint("--only NAME chooses it.");
  if (arguments.has("dry-run") || is_single) {
    for (const FleetImage& image : images) cli::tell(cat(image.command_line, "\n"));
  }
  const Installation installation = find_installation(current_environment(), executable);
  const bool is_told = arguments.has("dry-run") || (!is_single && manner != Manner::upstream);
  const std::size_t unplannable = is_told ? tell_unplannable(images, installation.elements) : 0;
  if (arguments.has("dry-run")) return unplannable == 0 ? 0 : 1;
  if (unplannable > 0 && options.stop_on_failure)
    throw Error(ErrorKind::input, cat(unplannable, " of ", images.size(), " images can't be built; nothing was begun"));
  if (!is_single) return build_fleet(images, installation, options, verbosity);
  try {
    return build_image(images.front().request, installation, verbosity, {.until = until});
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::interrupted) throw;
    cli::tell(cat("hearth: image ", images.front().name, ": ", error.story(), "\n"));
    return error.exit_code();
  }
}

bool draws_lines() { return progress_style(current_environment(), false).unicode; }

Verbosity verbosity_of(const cli::Arguments& arguments) {
  if (arguments.has("json") && arguments.has("verbose"))
    throw Error(ErrorKind::usage, "--json and --verbose: both want stdout")
        .hint("The whole log is in NAME.d/build.log.");
  if (arguments.has("json")) return Verbosity::json;
  return arguments.has("verbose") ? Verbosity::plain_log : Verbosity::progress;
}

cli::Command create_command(const fs::path& executable) {
  std::vector<cli::Option> options = image_options();
  options.push_back({"verbose", 'v', "", "print the whole log on stdout", {}, k_watching});
  options.push_back({"json", 0, "", "print progress on stdout, an event as JSON a line", {}, k_watching});
  options.push_back({"until", 0, "STEP", "run and keep the first steps up to this one, write no image", {}, k_reuse});
  const std::vector<cli::Option> further = description_options();
  options.insert(options.end(), further.begin(), further.end());
  return {.words = "image create",
          .operands = "ELEMENT… | IMAGE.yaml…",
          .summary = "build an image from elements, or the images that a file describes",
          .details = k_create_details,
          .options = options,
          .run =
              [executable](const cli::Arguments& arguments) {
                if (are_descriptions(arguments.operands(), fs::current_path())) {
                  return build_descriptions(arguments, executable, verbosity_of(arguments), Manner::hearth);
                }
                refuse_description_options(arguments);
                const ImageRequest request = request_of(arguments, Manner::hearth);
                return build_image(request, find_installation(current_environment(), executable),
                                   verbosity_of(arguments), {.until = arguments.value_or("until", "")});
              },
          .first = true,
          .names = element_names(executable),
          .instead = words_in_place_of_options()};
}

void add_forecasts(const std::vector<StepForecast>& forecasts, const UpToDate& done, Json& plan) {
  const bool runs = done.outputs.empty();
  for (std::size_t i = 0; i < forecasts.size(); ++i) {
    plan["steps"][i]["from_layers"] = forecasts[i].is_kept;
    if (runs && !forecasts[i].is_kept) plan["steps"][i]["runs_because"] = forecasts[i].why;
  }
  plan["up_to_date"] = !runs;
  plan["unless_changed"] = done.servers;
}

bool is_certain(const Finding& finding) { return finding.severity == Severity::error; }

/// Where lines are wanted, how the layers stand is found out last. `compared`: with which earlier build, in words.
void print_plan(const ImageRequest& request, const BuildPlan& plan, const DiskPlan& disk, const UpToDate& known,
                const std::string& compared, const std::function<std::vector<StepForecast>()>& forecasts) {
  Json details = plan_details(request, plan, disk);
  if (!compared.empty()) details["compared"] = compared;
  if (const std::size_t room = cli::table_room(); room > 0) {
    cli::print(cli::tree_text(plan_tree(plan, forecasts(), known, details), draws_lines(), room));
    return;
  }
  cli::print(cat(plan_text(plan), known.outputs.empty() ? kept_steps_text(forecasts()) : up_to_date_text(known),
                 plan_details_text(details)));
}

int plan_one(const ImageRequest& request, const cli::Arguments& arguments, const fs::path& executable) {
  std::vector<std::string> notes;
  const Installation installation = find_installation(current_environment(), executable);
  const RealFileSystem system;
  const ReadOnce files(system);
  const BuildPlan plan = plan_image(files, request, installation.elements, notes);
  for (const std::string& note : notes) cli::tell(cat(note, "\n"));
  const DiskPlan disk = plan_disk(request, plan);
  for (const std::string& warning : disk.layout.warnings) cli::tell(cat(warning, "\n"));
  const SystemClock clock;
  RealRunner runner(clock);
  const std::vector<Finding> warnings = build_warnings(files, request, plan, disk.layout, runner);
  refuse_warnings(request, warnings);
  for (const Finding& each : warnings) cli::tell(cat(finding_text(each), "\n"));
  for (const std::string& text : places_hidden_from(files, request, installation, plan, disk))
    cli::tell(cat("note: ", text, "\n"));
  const auto done = [&] { return up_to_date(files, request, installation, plan, disk); };
  const fs::path earlier = last_build_like(files, request, plan);
  const auto forecasts = [&] { return kept_steps(files, request, installation, plan, disk, earlier); };
  if (arguments.has("json")) {
    Json json = plan_json(plan);
    json["warnings"] = findings_json(warnings);
    json.update(plan_details(request, plan, disk));
    add_forecasts(forecasts(), done(), json);
    json["compared_with"] = earlier.empty() ? Json() : Json(earlier.string());
    cli::print(json_document(json));
  } else if (arguments.has("graph")) {
    cli::print(plan_graph(plan));
  } else {
    print_plan(request, plan, disk, done(), compared_text(earlier, request), forecasts);
  }
  return std::any_of(warnings.begin(), warnings.end(), is_certain) ? 1 : 0;
}

/// Of the images' plans: how much of each is in layers, and what its build would warn of, by the images' names.
std::map<std::string, std::vector<Finding>> look_at_plans(const std::vector<FleetImage>& images,
                                                          const Installation& installation,
                                                          std::optional<StepGraph>& graph) {
  const RealFileSystem system;
  const ReadOnce files(system);
  const SystemClock clock;
  RealRunner runner(clock);
  std::map<std::string, std::vector<Finding>> found;
  graph = plan_fleet(images, installation,
                     [&](const FleetImage& image, const BuildPlan& plan, const DiskPlan& disk, ImageSteps& steps) {
                       const auto forecasts = kept_steps(files, image.request, installation, plan, disk);
                       steps.in_layers = static_cast<std::size_t>(std::count_if(
                           forecasts.begin(), forecasts.end(), [](const auto& each) { return each.is_kept; }));
                       found[image.name] = build_warnings(files, image.request, plan, disk.layout, runner);
                       refuse_warnings(image.request, found[image.name]);
                     });
  return found;
}

int plan_descriptions(const cli::Arguments& arguments, const fs::path& executable) {
  const std::vector<FleetImage> images = images_of(arguments);
  const bool is_for_programs = arguments.has("json") || arguments.has("graph");
  if (images.size() == 1 && !is_for_programs) return plan_one(images.front().request, arguments, executable);
  std::optional<StepGraph> graph;
  auto found = look_at_plans(images, find_installation(current_environment(), executable), graph);
  for (const FleetImage& image : images) {
    for (const Finding& each : found[image.name]) cli::tell(cat(image.name, ": ", finding_text(each), "\n"));
  }
  if (arguments.has("json")) {
    Json json = fleet_json(*graph);
    for (Json& image : json["images"]) image["warnings"] = findings_json(found[image["name"].get<std::string>()]);
    cli::print(json_document(json));
  } else if (arguments.has("graph")) {
    cli::print(fleet_graph(*graph));
  } else {
    const std::size_t room = cli::table_room();
    cli::print(room > 0 ? cli::tree_text(fleet_tree(*graph), draws_lines(), room) : fleet_text(*graph));
  }
  const bool all_planned = std::all_of(graph->images().begin(), graph->images().end(),
                                       [](const ImageSteps& image) { return image.fault.empty(); });
  const bool is_doomed = std::any_of(found.begin(), found.end(), [](const auto& image) {
    return std::any_of(image.second.begin(), image.second.end(), is_certain);
  });
  return all_planned && !is_doomed ? 0 : 1;
}

cli::Command plan_command(const fs::path& executable) {
  std::vector<cli::Option> options = image_options();
  options.push_back({"json", 0, "", "print the plan as JSON"});
  options.push_back({"graph", 0, "", "print the elements and their dependencies for Graphviz"});
  return {.words = "image plan",
          .operands = "ELEMENT… | IMAGE.yaml…",
          .summary = "show what a build would run, in order, without running it",
          .details =
              "On a terminal as a tree: of each step whether it is kept from layers, and why the rest runs. Of the\n"
              "images that a file describes: how many of their steps are distinct, and which image goes on from what\n"
              "another one has done, below it.",
          .options = options,
          .run =
              [executable](const cli::Arguments& arguments) {
                if (are_descriptions(arguments.operands(), fs::current_path()))
                  return plan_descriptions(arguments, executable);
                return plan_one(request_of(arguments, Manner::hearth), arguments, executable);
              },
          .names = element_names(executable),
          .instead = words_in_place_of_options()};
}

/// The steps that a command line so far would run.
std::vector<std::string> steps_of(const std::vector<std::string>& words, const fs::path& executable) {
  std::vector<cli::Option> options = image_options();
  const cli::Arguments arguments = cli::parse_options(options, words);
  std::vector<std::string> notes;
  const ImageRequest request = are_descriptions(arguments.operands(), fs::current_path())
                                   ? images_of(arguments).front().request
                                   : request_of(arguments, Manner::hearth);
  const BuildPlan plan =
      plan_image(RealFileSystem(), request, find_installation(current_environment(), executable).elements, notes);
  std::vector<std::string> labels;
  for (const Step& step : plan.steps) labels.push_back(step.label());
  return labels;
}

/// Of the descriptions among the words.
std::vector<std::string> image_names(const std::vector<std::string>& words) {
  std::vector<std::string> files;
  for (const std::string& word : words) {
    if (are_descriptions({word}, fs::current_path())) files.push_back(word);
  }
  std::vector<std::string> names;
  for (const FleetImage& image :
       described_images({.files = files, .environment = current_environment(), .start_directory = fs::current_path()}))
    names.push_back(image.name);
  return names;
}

constexpr const char* k_pipeline_details =
    "What several images have in common is a job each, made once; then come the images, tests of those that have\n"
    "'checks: FILE', and publishing of those that have 'publish: FILE'. The engine decides who runs them, where and\n"
    "when; a job that runs again goes on from layers. Jobs run in this directory, or in a copy of it, and call hearth\n"
    "(HEARTH names another), with the environment that the engine gives them. They share layers by an image cache on\n"
    "one file system, or by --remote-cache.\n"
    "Example: hearth image pipeline images.yaml --for make | make -j 4 -k -f -";

/// Their jobs would fail, and what they share with others can't be known.
void refuse_unplanned(const StepGraph& graph, const std::vector<std::string>& files) {
  std::vector<std::string> faults;
  for (const ImageSteps& image : graph.images()) {
    if (!image.fault.empty()) faults.push_back(cat("image '", image.name, "' can't be planned: ", image.fault));
  }
  if (faults.empty()) return;
  throw Error(ErrorKind::input, join(faults, "\n"))
      .hint(cat("No pipeline was written. hearth image plan ", shell_join(files),
                " says the same; elements of your own are found by ELEMENTS_PATH=DIR."));
}

int print_pipeline(const cli::Arguments& arguments, const fs::path& executable) {
  const auto engine = arguments.value("for");
  if (!engine) {
    throw Error(ErrorKind::usage, "--for ENGINE is missing")
        .hint(cat("Engines: ", join(pipeline_engines(), ", "), "."));
  }
  if (!are_descriptions(arguments.operands(), fs::current_path()))
    throw Error(ErrorKind::usage, "a pipeline is of images that a file describes: IMAGE.yaml");
  const std::vector<FleetImage> images = images_of(arguments);
  const PipelineSetup setup{.files = arguments.operands(),
                            .options = words_for_all(arguments),
                            .directory = fs::current_path(),
                            .container = arguments.value_or("container", ""),
                            .runner = arguments.value_or("runner", ""),
                            .elements_path = variable(current_environment(), "ELEMENTS_PATH")};
  const StepGraph graph = plan_fleet(images, find_installation(current_environment(), executable));
  refuse_unplanned(graph, arguments.operands());
  const std::vector<PipelineJob> jobs = pipeline_jobs(images, graph, setup);
  for (const FleetImage& image : images) {
    if (image.checks.empty() || fs::exists(image.checks)) continue;
    throw Error(ErrorKind::not_found, cat(image.place, ": image '", image.name, "': there is no file ", image.checks,
                                          ", which its checks are to be in"))
        .hint("Its path is taken from the directory that jobs run in: this one.");
  }
  const std::string text = pipeline_text(*engine, jobs, setup);
  if (const auto output = arguments.value("output")) {
    RealFileSystem().write(*output, text, {});
  } else {
    cli::print_exact(text);
  }
  return 0;
}

cli::Command pipeline_command(const fs::path& executable) {
  std::vector<cli::Option> options = {
      {"for", 0, "ENGINE", "whose jobs to write", pipeline_engines()},
      {"output", 'o', "FILE", "where to (default: stdout)"},
      {"container", 0, "IMAGE", "the container image that jobs run in, where the engine has such"},
      {"runner", 0, "LABEL",
       "GitLab's tag, GitHub's label of the machines that run them (default there: self-hosted)"}};
  for (const cli::Option& option : image_options()) {
    if (k_of_all_images.count(option.name) > 0) options.push_back(option);
  }
  return {.words = "image pipeline",
          .operands = "IMAGE.yaml…",
          .summary = cat("write the images of a file as jobs for ", join(pipeline_engine_titles(), ", ")),
          .details = k_pipeline_details,
          .options = options,
          .run = [executable](const cli::Arguments& arguments) { return print_pipeline(arguments, executable); }};
}

cli::Command reproduce_command(const fs::path& executable) {
  return evidence::reproduce_command(image_options(), [executable](const evidence::Rebuild& rebuild) {
    const SystemClock clock;
    const std::vector<std::string> local = fetch::locally_named(current_environment(), RealFileSystem());
    const ImageRequest request = resolve(cli::parse_options(image_options(), rebuild.arguments),
                                         {.environment = rebuild.environment,
                                          .start_directory = fs::current_path(),
                                          .manner = Manner::upstream,
                                          .kind = rebuild.is_ramdisk ? BuildKind::ramdisk : BuildKind::disk,
                                          .first_arguments = rebuild.first_arguments,
                                          .element_digests = rebuild.elements,
                                          .local = local},  // not what an image names
                                         clock);
    return build_image(request, find_installation(current_environment(), executable), Verbosity::progress);
  });
}

}  // namespace

std::vector<cli::Command> commands(const fs::path& executable) {
  std::vector<cli::Command> rows = {create_command(executable), plan_command(executable),
                                    convert_command(),          channels::with_channels(frames::publish_command()),
                                    evidence::verify_command(), reproduce_command(executable)};
  rows.push_back(outdated_command());
  rows.push_back(pipeline_command(executable));
  for (cli::Command& row : channels::commands()) rows.push_back(std::move(row));
  for (cli::Command& row : inspect_commands(executable)) rows.push_back(std::move(row));
  for (cli::Command& row : cli::in_group("elements", element_commands(executable))) rows.push_back(std::move(row));
  for (cli::Command& row : cache_commands()) rows.push_back(std::move(row));
  return rows;
}

namespace {

cli::Command upstreams_create(const std::string& name, const fs::path& executable, BuildKind kind) {
  std::vector<cli::Option> options = image_options();
  options.push_back({"version", 0, "", "print the version"});
  const bool ramdisk = kind == BuildKind::ramdisk;
  return {.words = name,
          .operands = "ELEMENT…",
          .summary = ramdisk ? "build a ramdisk and its kernel from elements" : "build an image from elements",
          .details = k_create_details,
          .options = options,
          .run =
              [executable, kind](const cli::Arguments& arguments) {
                if (arguments.has("version")) {
                  cli::print(cat(HEARTH_VERSION, "\n"));
                  return 0;
                }
                const ImageRequest request = request_of(arguments, Manner::upstream, kind, own_words());
                return build_image(request, find_installation(current_environment(), executable), Verbosity::log);
              },
          .names = element_names(executable),
          .instead = words_in_place_of_options()};
}

cli::Command diskimage_builder(const fs::path& executable) {
  return {.words = "diskimage-builder",
          .operands = "IMAGE.yaml…",
          .summary = "build the images that files describe",
          .details = "The same as: hearth image create IMAGE.yaml…, with the whole log on stdout.",
          .options = description_options(),
          .run = [executable](const cli::Arguments& arguments) {
            if (arguments.operands().empty()) throw Error(ErrorKind::usage, "no file is named");
            return build_descriptions(arguments, executable, Verbosity::log, Manner::upstream);
          }};
}

cli::Command disk_image_get_kernel() {
  return {.words = "disk-image-get-kernel",
          .operands = "",
          .summary = "take the kernel and the ramdisk out of an image",
          .details = "Writes DIR/PREFIX-vmlinuz and DIR/PREFIX-initrd. Exit codes: 0 done, 1 failed, 2 wrong usage.",
          .options = {{"", 'i', "IMAGE", "the image, in any format that qemu-img reads"},
                      {"", 'd', "DIR", "where to write (default: /tmp)"},
                      {"", 'o', "PREFIX", "how the names begin (default: baremetal)"},
                      {"", 'x', "", "accepted; there is no trace"}},
          .run = [](const cli::Arguments& arguments) {
            const auto image = arguments.value("i");
            if (!image) throw Error(ErrorKind::usage, "-i IMAGE is missing");
            const fs::path directory = arguments.value_or("d", "/tmp");
            const std::string prefix = arguments.value_or("o", "baremetal");
            const KernelOutput output{directory / cat(prefix, "-vmlinuz"), directory / cat(prefix, "-initrd")};
            const SystemClock clock;
            RealRunner runner(clock);
            extract_kernel(*image, output, runner);
            cli::print(cat(output.kernel.string(), "\n", output.ramdisk.string(), "\n"));
            return 0;
          }};
}

}  // namespace

std::vector<cli::Command> link_commands(const fs::path& executable) {
  return {upstreams_create("disk-image-create", executable, BuildKind::disk),
          upstreams_create("ramdisk-image-create", executable, BuildKind::ramdisk),
          diskimage_builder(executable),
          disk_image_get_kernel(),
          element_info(executable),
          dib_lint(executable),
          dib_block_device()};
}

std::vector<std::string> warnings_of(const std::string& file, const fs::path& executable) {
  const std::vector<FleetImage> images =
      described_images({.files = {file}, .environment = current_environment(), .start_directory = fs::current_path()});
  std::optional<StepGraph> graph;
  std::vector<std::string> lines;
  for (const auto& [name, findings] :
       look_at_plans(images, find_installation(current_environment(), executable), graph)) {
    for (const Finding& each : findings) lines.push_back(finding_text(each));
  }
  return lines;
}

std::vector<std::string> known_names(const std::string& what, const std::vector<std::string>& words,
                                     const fs::path& executable) try {
  const std::string option = words.empty() ? "" : words.back();
  if (option == "--only" && what == "NAME") return image_names(words);
  if (option == "--until" && what == "STEP") return steps_of({words.begin(), words.end() - 1}, executable);
  if (option == "-t" && what == "TYPE") return disk_types();
  return channels::known_names(what, words);
} catch (const std::exception&) {  // what is typed so far is no whole command
  return {};
}

}  // namespace hearth::builder
