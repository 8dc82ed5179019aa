#include "builder/fleet/fleet.hpp"

#include <fcntl.h>
#include <poll.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <map>

#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/sys/limits.hpp"
#include "base/sys/stop_signals.hpp"
#include "base/text.hpp"
#include "builder/evidence/own_names.hpp"
#include "builder/fleet/fleet_report.hpp"
#include "builder/fleet/fleet_view.hpp"
#include "builder/fleet/image_job.hpp"
#include "builder/fleet/schedule.hpp"
#include "builder/lint/read_once.hpp"
#include "builder/plan/disk_plan.hpp"
#include "builder/plan/plan_image.hpp"
#include "builder/run/kept_steps.hpp"

namespace hearth::builder {

namespace {

using Outcome = ImageResult::Outcome;

constexpr Duration k_look = std::chrono::milliseconds(100);
constexpr Duration k_patience_with_stopped = std::chrono::seconds(10);
constexpr std::uint64_t k_fleet_gib = std::uint64_t{1} << 30U;

Json record_of(const ImageRequest& request, const char* name) {
  return json_or_null(RealFileSystem().read(fs::path(request.output.string() + ".d") / name).value_or(""));
}

/// Bytes of the work area, as the image's last build tells.
std::optional<std::uint64_t> last_memory(const ImageRequest& request) {
  const Json steps = record_of(request, k_steps_file);
  const Json* const bytes = find_member(steps, "work_area_bytes");
  if (bytes == nullptr || !bytes->is_number_unsigned() || bytes->get<std::uint64_t>() == 0) return std::nullopt;
  return bytes->get<std::uint64_t>();
}

ImageNeeds needs_of(const ImageRequest& request) {
  return {.memory = request.use_tmpfs ? last_memory(request) : std::optional<std::uint64_t>(0),
          .usual_memory = request.min_tmpfs_gib * k_fleet_gib,
          .lock = request.fetching.mode ? fs::weakly_canonical(request.fetching.lock).string() : "",
          .writes_lock = request.fetching.mode == fetch::FetchMode::record};
}

void require_place_for_report(const fs::path& report) {
  if (report.empty()) return;
  const fs::path parent = fs::absolute(report).parent_path();
  if (fs::is_directory(parent) && !fs::is_directory(report)) return;
  throw Error(ErrorKind::input, cat("the report ", report.string(), " can't be written"))
      .hint(fs::is_directory(report) ? "It is a directory; give a file."
                                     : cat("There is no directory ", parent.string(), "; make it."));
}

void write_report(const fs::path& file, const std::string& text) {
  const fs::file_type type = fs::symlink_status(file).type();
  if (type == fs::regular_file || type == fs::file_not_found) {
    RealFileSystem().write(file, text, {.mode = 0644});
  } else {  // a pipe, a device, a link as /dev/stdout: nothing takes its place
    write_all(Fd::open(file.string(), O_WRONLY | O_CREAT | O_TRUNC, 0644), text, file.string());
  }
}

std::string killed_story(int signal) {
  return cat("its build was killed by SIG", ::sigabbrev_np(signal),
             signal == SIGKILL ? ", by somebody or by the kernel, which was out of memory (dmesg tells; --memory and "
                                 "--jobs take less); the others went on"
                               : "; the others went on");
}

class Fleet {
 public:
  Fleet(const std::vector<FleetImage>& images, const Installation& installation, const FleetOptions& options,
        Verbosity verbosity)
      : images_(images),
        installation_(installation),
        options_(options),
        verbosity_(verbosity),
        jobs_(options.jobs.value_or(usable_processors())),
        graph_(plan_fleet(images, installation)),
        schedule_(graph_, needs(), {jobs_, options.memory.value_or(memory_for_tmpfs())}),
        view_(make_fleet_view(verbosity, jobs_, clock_, current_environment())),
        began_(clock_.now()) {
    for (const FleetImage& image : images_)
      results_.push_back({.name = image.name, .stem = image.request.output.string(), .place = image.place});
  }

  int run() {
    const StopSignals signals;
    while (true) {
      if (StopSignals::received() != 0) stop_all();
      start_more();
      if (running_.empty()) break;
      wait_for_news();
      take_news();
      view_->tick(is_stopping() ? 0 : schedule_.waiting(), is_stopping() ? "" : waits());
    }
    view_->finish(results_, seconds_since(began_));
    if (!options_.junit.empty())
      write_report(options_.junit, junit_xml(results_, options_.suite, seconds_since(began_)));
    require_not_stopped();
    return exit_code_of(results_);
  }

 private:
  struct Running {
    std::unique_ptr<ImageJob> job;
    MonotonicTime began{};
  };

  [[nodiscard]] std::vector<ImageNeeds> needs() const {
    std::vector<ImageNeeds> all;
    for (const FleetImage& image : images_) all.push_back(needs_of(image.request));
    return all;
  }

  [[nodiscard]] double seconds_since(MonotonicTime then) const {
    return std::chrono::duration<double>(clock_.now() - then).count();
  }

  [[nodiscard]] bool is_stopping() const {
    return StopSignals::received() != 0 || (options_.stop_on_failure && failures_of(results_) > 0);
  }

  void start_more() {
    while (!is_stopping()) {
      const std::optional<Schedule::Start> start = schedule_.next();
      if (!start) return;
      const std::size_t image = start->image;
      try {
        running_.insert_or_assign(image, Running{begin(*start), clock_.now()});
      } catch (const Error& error) {  // the system gives no more processes or files
        if (!running_.empty()) return schedule_.postpone(image);
        results_[image].outcome = Outcome::failed;
        results_[image].code = error.exit_code();
        results_[image].error = error.story();
        schedule_.ended(image, Schedule::End::failed);
        view_->ends(results_[image]);
        continue;
      }
      view_->begins(results_[image], images_[image].command_line);
    }
  }

  [[nodiscard]] std::unique_ptr<ImageJob> begin(const Schedule::Start& start) {
    const std::size_t image = start.image;
    const bool has_events = verbosity_ == Verbosity::progress || verbosity_ == Verbosity::json;
    return ImageJob::start(images_[image].request, installation_, has_events ? Verbosity::json : verbosity_,
                           {.branches = graph_.branches(image), .stored = {}, .ends = {}, .memory = start.memory},
                           {.out =
                                [this, image, has_events](const std::string& line) {
                                  if (has_events) count(results_[image], json_or_null(line));
                                  view_->out(results_[image], line);
                                },
                            .err = [this, image](const std::string& line) { view_->said(results_[image], line); },
                            .stored = [this, image](const std::string& step) { schedule_.stored(image, step); },
                            .kept = [this, image](const std::string& step) { schedule_.keeps_up_to(image, step); },
                            .failed = [this, image](const std::string& story) { results_[image].error = story; }});
  }

  /// Steps of phases, and files that are there already.
  static void count(ImageResult& result, const Json& event) {
    const std::string kind = text_member(event, "event");
    if (kind == "up-to-date") {
      result.outcome = Outcome::unchanged;
      result.outputs.push_back(fs::path(text_member(event, "output")).filename().string());
    }
    if (kind != "step-end" || text_member(event, "name").find(".d/") == std::string::npos) return;
    ++(text_member(event, "outcome") == "cached" ? result.from_layers : result.ran);
  }

  static std::string received_signal() { return cat("SIG", ::sigabbrev_np(StopSignals::received())); }

  void require_not_stopped() const {
    if (StopSignals::received() == 0) return;
    std::vector<std::string> stopped;
    for (const ImageResult& result : results_) {
      if (result.outcome == Outcome::interrupted) stopped.push_back(result.name);
    }
    throw Error(ErrorKind::interrupted,
                cat("stopped by ", received_signal(), "; nothing was left behind",
                    stopped.empty() ? "" : cat(" of ", join(stopped, ", "))),
                128 + StopSignals::received());
  }

  /// "2 wait for web, 1 for db"; empty where none does.
  [[nodiscard]] std::string waits() const {
    std::vector<std::string> parts;
    for (const auto& [image, others] : schedule_.awaited())
      parts.push_back(cat(others, parts.empty() ? " wait for " : " for ", images_[image].name));
    return join(parts, ", ");
  }

  void wait_for_news() {
    std::vector<pollfd> watched;
    for (const auto& [image, running] : running_) {
      for (const int fd : running.job->descriptors()) watched.push_back({fd, POLLIN, 0});
    }
    const auto patience = std::chrono::duration_cast<std::chrono::milliseconds>(k_look).count();
    (void)::poll(watched.data(), watched.size(), static_cast<int>(patience));  // a signal ends it, too
  }

  void take_news() {
    for (auto each = running_.begin(); each != running_.end();) {
      const std::optional<ExitStatus> status = each->second.job->take();
      if (status) end(each->first, *status, each->second.began);
      each = status ? running_.erase(each) : std::next(each);
    }
  }

  void end(std::size_t image, const ExitStatus& status, MonotonicTime began) {
    ImageResult& result = results_[image];
    result.seconds = seconds_since(began);
    result.code = shell_code(status);
    const ImageRequest& request = images_[image].request;
    std::optional<std::uint64_t> memory;
    if (result.code == 0 && result.outcome != Outcome::unchanged) {
      result.outcome = Outcome::built;
      take_records(request, result);
      if (request.use_cache && request.use_tmpfs) memory = last_memory(request);
    } else if (result.code != 0) {
      const auto* const killed = std::get_if<Signaled>(&status);
      if (killed != nullptr && result.error.empty()) result.error = killed_story(killed->signal);
      if (result.error.empty()) result.error = cat("it ended with ", describe(status));
      result.outcome = StopSignals::received() != 0 ? Outcome::interrupted : Outcome::failed;
      if (result.outcome == Outcome::interrupted)  // what came for all; it was given another signal
        result.error = cat("it was stopped by ", received_signal(), "; nothing of it was left behind");
    }
    schedule_.ended(image,
                    result.outcome == Outcome::built       ? Schedule::End::built
                    : result.outcome == Outcome::unchanged ? Schedule::End::unchanged
                                                           : Schedule::End::failed,
                    memory);
    view_->ends(result);
  }

  /// What a build that told no events has written of itself.
  void take_records(const ImageRequest& request, ImageResult& result) const {
    const Json manifest = record_of(request, k_manifest_file);
    for (const Json& output : list_member(manifest, "outputs")) {
      if (output.is_string()) result.outputs.push_back(output.get<std::string>());
    }
    const bool has_events = verbosity_ == Verbosity::progress || verbosity_ == Verbosity::json;
    if (has_events || !request.use_cache) return;
    const Json steps = record_of(request, k_steps_file);
    for (const Json& step : list_member(steps, "steps"))
      ++(text_member(step, "outcome") == "taken" ? result.from_layers : result.ran);
  }

  void stop_all() {
    if (!stopped_) {
      stopped_ = clock_.now();
      for (const auto& [image, running] : running_) running.job->stop(SIGTERM);
    } else if (clock_.now() - *stopped_ > k_patience_with_stopped) {
      for (const auto& [image, running] : running_) running.job->stop(SIGKILL);
    }
  }

  const std::vector<FleetImage>& images_;
  const Installation& installation_;
  const FleetOptions& options_;
  Verbosity verbosity_;
  SystemClock clock_;
  std::size_t jobs_;
  StepGraph graph_;
  Schedule schedule_;
  std::unique_ptr<FleetView> view_;
  MonotonicTime began_;
  std::optional<MonotonicTime> stopped_;
  std::vector<ImageResult> results_;
  std::map<std::size_t, Running> running_;
};

}  // namespace

namespace {

Error already_written(const FleetImage& image, const FleetImage& other, const std::string& where) {
  return Error(ErrorKind::input, cat(image.place, ": the image '", image.name, "' would be written where '", other.name,
                                     "' (", other.place, ") is: ", where))
      .hint("Give each an imagename of its own.");
}

}  // namespace

namespace {

/// Empty where one of the images before it has its first step, too, or there is none.
std::string why_apart_from_all(const StepKeys& image, const std::vector<std::pair<std::string, StepKeys>>& before) {
  for (const auto& [name, other] : before) {
    if (!image.keys.empty() && !other.keys.empty() && other.keys.front() == image.keys.front()) return "";
  }
  return before.empty() ? "" : why_apart(image, before.front().second, before.front().first);
}

}  // namespace

StepGraph plan_fleet(const std::vector<FleetImage>& images, const Installation& installation, const OfPlan& each) {
  std::vector<ImageSteps> steps;
  std::map<std::string, const FleetImage*> written;  // by NAME-DISK.raw an image's second disk may be another image
  const RealFileSystem system;
  const ReadOnce files(system);
  std::vector<std::pair<std::string, StepKeys>> planned;  // by the images' names
  for (const FleetImage& image : images) {
    steps.push_back({.name = image.name, .labels = {}, .keys = {}});
    std::vector<fs::path> outputs;
    try {
      std::vector<std::string> notes;
      const BuildPlan plan = plan_image(files, image.request, installation.elements, notes);
      const DiskPlan disk = plan_disk(image.request, plan);
      outputs = output_files(disk, image.request);
      const StepKeys keys = step_keys(files, image.request, installation, plan, disk);
      steps.back().keys = keys.keys;
      steps.back().apart = why_apart_from_all(keys, planned);
      planned.emplace_back(image.name, keys);
      for (const Step& step : plan.steps) steps.back().labels.push_back(step.label());
      if (each) each(image, plan, disk, steps.back());
    } catch (const Error& error) {  // the others are planned all the same
      steps.back().keys.clear();
      steps.back().fault = error.what();
    }
    for (const fs::path& output : outputs) {
      const auto [found, is_new] = written.emplace(fs::weakly_canonical(output).string(), &image);
      if (!is_new && found->second != &image) throw already_written(image, *found->second, found->first);
    }
  }
  return StepGraph(std::move(steps));
}

void require_own_outputs(const std::vector<FleetImage>& images) {
  std::map<std::string, const FleetImage*> known;
  for (const FleetImage& image : images) {
    const auto [found, is_new] = known.emplace(fs::weakly_canonical(image.request.output).string(), &image);
    if (is_new) continue;
    throw already_written(image, *found->second, found->first);
  }
}

int build_fleet(const std::vector<FleetImage>& images, const Installation& installation, const FleetOptions& options,
                Verbosity verbosity) {
  require_own_outputs(images);
  require_place_for_report(options.junit);
  return Fleet(images, installation, options, verbosity).run();
}

}  // namespace hearth::builder
