#include "bootstrap/seed/simulate.hpp"

#include <algorithm>
#include <csignal>

#include "base/cli/print.hpp"
#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"
#include "builder/described_images.hpp"
#include "builder/installation.hpp"
#include "builder/plan/plan_image.hpp"
#include "builder/run/image_build.hpp"

namespace hearth::bootstrap {

namespace {

constexpr const char* k_waiting = "hearth::waiting";

void add_waiting(const Json& value, const std::string& path, std::vector<std::string>& found) {
  if (value.is_object() && value.size() == 1 && value.contains(k_waiting) && value[k_waiting].is_array()) {
    std::vector<std::string> names;
    for (const Json& name : value[k_waiting]) {
      if (name.is_string()) names.push_back(name.get<std::string>());
    }
    found.push_back(cat(path, " waits for ", join(names, ", ")));
    return;
  }
  if (!value.is_structured()) return;
  for (const auto& [key, inside] : value.items()) add_waiting(inside, path.empty() ? key : cat(path, ".", key), found);
}

/// The templates of all elements as one tree, as an image has them; without control files, whose owners only the
/// machine has, and without programs, which are to run there.
class TemplateTree {
 public:
  explicit TemplateTree(const builder::BuildPlan& plan) {
    for (const builder::Element& element : plan.elements.elements) add(element.path / "os-apply-config", "");
  }
  [[nodiscard]] const fs::path& path() const { return directory_.path(); }
  [[nodiscard]] const std::map<std::string, fs::path>& sources() const { return sources_; }

 private:
  void add(const fs::path& root, const std::string& below) {
    for (const std::string& name : files_.list(root / below)) {
      const std::string relative = below.empty() ? name : cat(below, "/", name);
      const fs::path source = root / relative;
      const std::optional<FileStatus> status = files_.status(source);
      if (!status) continue;
      if (status->type == FileStatus::Type::directory) {
        if (!fs::is_symlink(source)) add(root, relative);
      } else if (status->type == FileStatus::Type::regular && !name.ends_with(".oac") && (status->mode & 0111U) == 0) {
        files_.make_directories((path() / relative).parent_path(), 0755);
        files_.write(path() / relative, read_file(source), {});
        sources_[relative] = source;
      }
    }
  }

  RealFileSystem files_;
  TempDir directory_ = TempDir::create("/tmp", "hearth-simulate-");
  std::map<std::string, fs::path> sources_;
};

/// What is wrong with one image, in lines; prints the line of one that is right.
std::vector<std::string> faults_of(const builder::FleetImage& image, const builder::Installation& installation) {
  const auto metadata = image.request.environment.find("DIB_HEAT_METADATA");
  if (metadata == image.request.environment.end() || metadata->second.empty())
    throw Error(ErrorKind::input, cat("image ", image.name, " has no metadata"))
        .hint("In the file:  options: [--metadata, FILE]");
  std::vector<std::string> faults;
  for (const std::string& what :
       waiting_values(parse_json(read_file(metadata->second), metadata->second).value_or_throw()))
    faults.push_back(cat(metadata->second, ": ", what));
  std::vector<std::string> notes;
  const TemplateTree tree(builder::plan_image(RealFileSystem(), image.request, installation.elements, notes));
  SystemClock clock;
  const Command agent{.argv = {installation.agent_binary.string(), "os-apply-config", "--validate", "--need-keys",
                               "--compat", "strict", "--templates", tree.path().string(), "--metadata",
                               metadata->second}};
  try {
    const CommandResult result = RealRunner(clock).run(agent);
    for (std::string& fault : template_faults(agent, result, tree.path(), tree.sources()))
      faults.push_back(std::move(fault));
  } catch (Error& error) {
    throw error.during(cat("rendering the templates of image ", image.name));
  }
  if (faults.empty())
    cli::print(cat(image.name, ": ", tree.sources().size(), " templates render with ", metadata->second, "\n"));
  return faults;
}

int simulate(const cli::Arguments& arguments, const fs::path& executable) {
  if (arguments.operands().empty()) throw Error(ErrorKind::usage, "name the file that describes images");
  const Environment environment = current_environment();
  const builder::Installation installation = builder::find_installation(environment, executable);
  int code = 0;
  for (const builder::FleetImage& image :
       builder::described_images({arguments.operands(), environment, fs::current_path()})) {
    for (const std::string& fault : faults_of(image, installation)) {
      cli::tell(cat(image.name, ": ", fault, "\n"));
      code = 1;
    }
  }
  return code;
}

/// What to do about an agent that says nothing of its own about its end.
std::string advice_on_agent(const std::string& agent, const ExitStatus& status) {
  if (status == ExitStatus(Signaled{SIGKILL}))
    return "The kernel does that where memory is short (dmesg tells): let it have more, and start again.";
  return cat("Is it the agent of this Hearth? Compare 'hearth --version' with '", shell_join({agent, "--version"}),
             "'; HEARTH_AGENT_BINARY names another.");
}

}  // namespace

std::vector<std::string> waiting_values(const Json& metadata) {
  std::vector<std::string> found;
  add_waiting(metadata, "", found);
  return found;
}

std::vector<std::string> template_faults(const Command& agent, const CommandResult& result, const fs::path& tree,
                                         const std::map<std::string, fs::path>& sources) {
  if (succeeded(result.status)) return {};
  constexpr std::string_view mark = "[ERROR] ";
  const std::string root = cat(tree.string(), "/");
  std::vector<std::string> faults;
  for (const std::string& line : split(result.err, '\n')) {
    const std::size_t at = line.find(mark);
    if (at == std::string::npos) continue;
    std::string fault = line.substr(at + mark.size());
    // The longest name first: one template's may begin as another's.
    for (auto each = sources.rbegin(); each != sources.rend(); ++each)
      fault = replace_all(std::move(fault), cat(root, each->first), each->second.string());
    faults.push_back(std::move(fault));
  }
  if (result.status == ExitStatus(Exited{1}) && !faults.empty()) return faults;
  throw Error(ErrorKind::external, describe_failure(agent, result))
      .hint(advice_on_agent(agent.argv.front(), result.status));
}

cli::Command simulate_command(const fs::path& executable) {
  return {.words = "seed simulate",
          .operands = "IMAGE.yaml…",
          .summary = "render every template of images with their metadata, before they are made",
          .details =
              "For each image that the files describe (hearth image create IMAGE.yaml): all templates of its elements "
              "are rendered with the metadata that are baked into it, and nothing is kept. Told are each value that a "
              "template inserts and the metadata do not have, with template and line; sections that are never closed; "
              "what compiled metadata still wait for. A key that only a section asks for may be missing. Programs in "
              "place of templates are not run.\nExit codes: 0 all render, 1 something is missing, or the agent itself "
              "failed.",
          .run = [executable](const cli::Arguments& arguments) { return simulate(arguments, executable); }};
}

}  // namespace hearth::bootstrap
