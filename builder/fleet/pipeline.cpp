#include "builder/fleet/pipeline.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/text.hpp"

namespace hearth::builder {

namespace {

constexpr std::size_t k_longest_job_name = 40;  // Kubernetes takes 63, with what stands in front and behind
constexpr std::size_t k_digits_of_digest = 8;
constexpr const char* k_job_program = "\"${HEARTH:-hearth}\"";

/// A word for sh. "$" and "%" stand apart from what follows, so that no engine finds a variable or an expression of its
/// own ("$(A)", "${A}", "${{ a }}", "%{ if a }") in it.
std::string job_word(const std::string& text) {
  return replace_all(replace_all(shell_quote(text), "$", "$''"), "%{", "%''{");
}

std::string job_path(const std::string& path) { return job_word(path.starts_with("-") ? cat("./", path) : path); }

/// Also those of Unicode: readers of YAML refuse them, or take them for ends of lines.
bool has_control(const std::string& text) {
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
  if (std::any_of(text.begin(), text.end(), is_control)) return true;
  for (std::size_t at = text.find('\xc2'); at != std::string::npos; at = text.find('\xc2', at + 1)) {
    if (at + 1 < text.size() && static_cast<unsigned char>(text[at + 1]) < 0xa0) return true;  // U+0080 to U+009F
  }
  return text.find("\u2028") != std::string::npos || text.find("\u2029") != std::string::npos;
}

/// "web", "out/Web" → "out-web-1f2e3d4c": what was lost of the name is in the digest.
std::string job_name(const std::string& stage, const std::string& image) {
  std::string name;
  for (const char c : image) {
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    const char lower = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : '-';
    if (is_plain || lower != '-' || (!name.empty() && name.back() != '-')) name += is_plain ? c : lower;
  }
  name.resize(std::min(name.size(), k_longest_job_name));
  while (!name.empty() && name.back() == '-') name.pop_back();
  if (name == image) return cat(stage, "-", name);
  const std::string digest = hex_digest(HashKind::sha256, image).substr(0, k_digits_of_digest);
  return cat(stage, "-", name, name.empty() ? "" : "-", digest);
}

/// The value of an option of the image's command line; empty where it has none.
std::string value_of(const ImageRequest& request, const std::string& option) {
  const auto found = std::find(request.arguments.begin(), request.arguments.end(), option);
  return found == request.arguments.end() || found + 1 == request.arguments.end() ? "" : *(found + 1);
}

/// Recordings are made as a whole.
bool is_whole(const FleetImage& image) { return image.request.fetching.mode.has_value(); }

StepGraph without_whole(const std::vector<FleetImage>& images, const StepGraph& graph) {
  std::vector<ImageSteps> steps = graph.images();
  for (std::size_t i = 0; i < images.size(); ++i) {
    if (is_whole(images[i])) steps[i].keys.clear();
  }
  return StepGraph(std::move(steps));
}

class JobList {
 public:
  JobList(const std::vector<FleetImage>& images, const StepGraph& graph, const PipelineSetup& setup)
      : images_(images), graph_(without_whole(images, graph)), setup_(setup) {}

  std::vector<PipelineJob> jobs() && {
    for (std::size_t image = 0; image < images_.size(); ++image) add_shared(image);
    std::vector<std::size_t> built;
    for (std::size_t image = 0; image < images_.size(); ++image) built.push_back(add_image(image));
    std::vector<std::optional<std::size_t>> tested(images_.size());
    for (std::size_t image = 0; image < images_.size(); ++image) {
      if (!images_[image].checks.empty()) tested[image] = add_test(image, built[image]);
    }
    for (std::size_t image = 0; image < images_.size(); ++image) {
      if (images_[image].publish.empty()) continue;
      std::vector<std::size_t> needs = {built[image]};
      if (tested[image]) needs.push_back(*tested[image]);
      add_publish(image, std::move(needs));
    }
    return std::move(jobs_);
  }

 private:
  using Stage = PipelineJob::Stage;

  [[nodiscard]] std::string create(std::size_t image, const std::string& until = "") const {
    std::vector<std::string> words = {k_job_program, "image create"};
    for (const std::string& option : setup_.options) words.push_back(job_word(option));
    words.push_back(job_word(cat("--only=", images_[image].name)));
    if (!until.empty()) words.push_back(job_word(cat("--until=", until)));
    for (const std::string& file : setup_.files) words.push_back(job_path(file));
    return join(words, " ");
  }

  std::size_t add(PipelineJob job) {
    const FleetImage& image = images_[job.image];
    std::vector<std::string> texts = {image.name, image.checks, image.publish, job.about};
    texts.insert(texts.end(), job.files.begin(), job.files.end());
    texts.insert(texts.end(), job.commands.begin(), job.commands.end());
    for (const std::string& text : texts) {
      if (!has_control(text)) continue;
      throw Error(ErrorKind::input, cat(image.place, ": image '", image.name, "': '", text,
                                        "' has a control character, which no job can name"));
    }
    for (const std::string& file : job.files) require_own(file, job.image);
    jobs_.push_back(std::move(job));
    return jobs_.size() - 1;
  }

  /// Two jobs that write one file would spoil it for each other.
  void require_own(const std::string& file, std::size_t image) {
    const auto [known, is_new] =
        written_.emplace(fs::absolute(file, setup_.directory).lexically_normal().string(), image);
    if (is_new) return;
    const FleetImage& other = images_[known->second];
    throw Error(ErrorKind::input, cat(images_[image].place, ": image '", images_[image].name, "' writes ", file,
                                      ", which '", other.name, "' (", other.place, ") writes already"))
        .hint("Give each image an imagename and a 'publish' of its own, for example with the variables of its matrix.");
  }

  /// The image's steps that others have, too, up to each place where ways part.
  void add_shared(std::size_t image) {
    std::vector<std::size_t> needs;
    for (const std::size_t steps : graph_.cuts(image)) {
      std::size_t first = 0;
      while (first < image && graph_.common(first, image) < steps) ++first;
      const auto [known, is_new] = shared_.emplace(std::pair(first, steps), jobs_.size());
      if (is_new) {
        const std::string& label = graph_.images()[image].labels[steps - 1];
        add({.stage = Stage::shared,
             .name = cat("shared-", shared_.size()),
             .about = cat(label, " of ", images_[image].name),
             .image = image,
             .commands = {create(image, label)},
             .needs = needs,
             .files = {},
             .report = {}});
      }
      needs = {known->second};
    }
    behind_[image] = needs;
  }

  /// Recordings into one lock come one after the other, and before the images below them that read it.
  [[nodiscard]] std::vector<std::size_t> needs_of_image(std::size_t image) {
    std::vector<std::size_t> needs = behind_[image];
    if (!is_whole(images_[image])) return needs;
    const fetch::FetchPlan& plan = images_[image].request.fetching;
    if (const auto writer = writers_.find(plan.lock.string()); writer != writers_.end())
      needs.push_back(writer->second);
    if (plan.mode == fetch::FetchMode::record) writers_[plan.lock.string()] = jobs_.size();
    return needs;
  }

  [[nodiscard]] std::string stem(std::size_t image) const {
    const fs::path& output = images_[image].request.output;
    const fs::path below = output.lexically_relative(setup_.directory);
    return below.empty() || *below.begin() == ".." ? output.string() : below.string();
  }

  std::size_t add_image(std::size_t image) {
    PipelineJob job{.stage = Stage::image,
                    .name = job_name("image", images_[image].name),
                    .about = images_[image].name,
                    .image = image,
                    .commands = {create(image)},
                    .needs = needs_of_image(image),
                    .files = {cat(stem(image), ".d")},
                    .report = {}};
    for (const OutputFormat& format : images_[image].request.formats) {
      job.files.push_back(cat(stem(image), ".", format.extension()));
      if (format.kind == FormatKind::kernel) job.files.push_back(cat(stem(image), ".initrd"));
    }
    return add(std::move(job));
  }

  /// The output that a machine can start from.
  [[nodiscard]] std::string disk(std::size_t image, const char* key) const {
    const FleetImage& described = images_[image];
    for (const OutputFormat& format : described.request.formats) {
      if (format.from_disk()) return cat(stem(image), ".", format.extension());
    }
    throw Error(ErrorKind::input,
                cat(described.place, ": image '", described.name, "' has '", key, "', but no type that is a disk"))
        .hint("Add qcow2 to its types.");
  }

  std::size_t add_test(std::size_t image, std::size_t built) {
    const std::string name = job_name("test", images_[image].name);
    const std::string report = cat(name, ".xml");
    const std::string file = job_path(disk(image, "checks"));
    return add({.stage = Stage::test,
                .name = name,
                .about = images_[image].name,
                .image = image,
                .commands = {verify(file), cat(k_job_program, " image test --timeout 600 --junit ", report,
                                               " --checks ", job_path(images_[image].checks), " ", file)},
                .needs = {built},
                .files = {},
                .report = report});
  }

  /// What came from another job has the digest that its evidence says, or the job ends.
  static std::string verify(const std::string& file) { return cat(k_job_program, " image verify ", file); }

  void add_publish(std::size_t image, std::vector<std::size_t> needs) {
    const std::string file = job_path(disk(image, "publish"));
    const std::string key = value_of(images_[image].request, "--sign-key");
    const std::string& target = images_[image].publish;
    const fs::path folder = fs::path(target).parent_path();
    std::vector<std::string> commands = {verify(file)};
    if (!folder.empty()) commands.push_back(cat("mkdir -p ", job_path(folder.string())));
    commands.push_back(cat(k_job_program, " image publish ", key.empty() ? "" : cat("--sign ", job_path(key), " "),
                           file, " ", job_path(target)));
    add({.stage = Stage::publish,
         .name = job_name("publish", images_[image].name),
         .about = images_[image].name,
         .image = image,
         .commands = std::move(commands),
         .needs = std::move(needs),
         .files = {target, cat(target, ".json")},
         .report = {}});
  }

  const std::vector<FleetImage>& images_;
  const StepGraph graph_;
  const PipelineSetup& setup_;
  std::vector<PipelineJob> jobs_;
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> shared_;  ///< first image, steps → job
  std::map<std::size_t, std::vector<std::size_t>> behind_;             ///< image → the last of its shared jobs
  std::map<std::string, std::size_t> writers_;                         ///< lock → the last job that records into it
  std::map<std::string, std::size_t> written_;                         ///< file → the image whose job writes it
};

}  // namespace

const char* PipelineJob::stage_name() const {
  switch (stage) {
    case Stage::shared: return "shared";
    case Stage::image: return "image";
    case Stage::test: return "test";
    case Stage::publish: return "publish";
  }
  return "";
}

std::vector<PipelineJob> pipeline_jobs(const std::vector<FleetImage>& images, const StepGraph& graph,
                                       const PipelineSetup& setup) {
  for (const std::vector<std::string>* words : {&setup.files, &setup.options}) {
    const auto found = std::find_if(words->begin(), words->end(), has_control);
    if (found != words->end())
      throw Error(ErrorKind::input, cat("'", *found, "' has a control character, which no job can name"));
  }
  if (images.empty())
    throw Error(ErrorKind::input, cat(join(setup.files, ", "), ": there are templates, but no image for a job"));
  return JobList(images, graph, setup).jobs();
}

}  // namespace hearth::builder
