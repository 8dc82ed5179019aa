#include "builder/run/build.hpp"
#include "builder/hooks/copied_hooks.hpp"

#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "base/error.hpp"
#include "base/redaction.hpp"
#include "base/sys/file.hpp"
#include "base/sys/namespace.hpp"
#include "base/text.hpp"
#include "builder/cache/unchanged.hpp"
#include "builder/evidence/evidence.hpp"
#include "builder/evidence/evidence_room.hpp"
#include "builder/fetch/fetch_session.hpp"
#include "builder/hooks/hook_files.hpp"
#include "builder/hooks/own_files.hpp"
#include "builder/output/old_output.hpp"
#include "builder/run/build_layers.hpp"
#include "builder/run/disk_checks.hpp"
#include "builder/run/disk_writing.hpp"
#include "builder/run/manifest.hpp"
#include "builder/run/step_report.hpp"
#include "builder/sandbox/call_filter.hpp"
#include "builder/sandbox/sandbox.hpp"
#include "builder/sandbox/step_watch.hpp"
#include "builder/target/lent_apt.hpp"
#include "builder/target/settled_clones.hpp"
#include "builder/target/settled_times.hpp"
#include "builder/target/stragglers.hpp"
#include "builder/target/target_tree.hpp"

namespace hearth::builder {

namespace {

constexpr std::size_t k_native_steps = 2;  // size and layout; outputs

/// As k_private_cache.
const fs::path k_private_lock_files = "/hearth/lock-files";

std::vector<std::string> labels_of(const std::vector<DeviceHook>& hooks) {
  std::vector<std::string> labels;
  for (const DeviceHook& hook : hooks) labels.push_back(hook.label);
  return labels;
}

class Build final : StepObserver {
 public:
  explicit Build(const BuildInputs& inputs)
      : in_(inputs),
        programs_(in_.runner,
                  [this] {
                    if (in_.watch != nullptr) in_.watch->watch_this_thread();
                  }),
        phases_({.runner = programs_,
                 .progress = in_.progress,
                 .log = in_.log,
                 .clock = in_.clock,
                 .environment = hook_variables(),
                 .breaks = in_.request.breaks,
                 .hooks = hooks_,
                 .target = k_target_root,
                 .elsewhere = labels_of(in_.disk.device_hooks),
                 .observer = nullptr,
                 .handed = [this](Phase phase, const Step* step) { return in_.facts.variables(phase, step); },
                 .withheld = [this](const Step& step) { return in_.facts.withheld(step); },
                 .start_directory = in_.request.start_directory,
                 .has_terminal = ::isatty(STDIN_FILENO) == 1},
                in_.plan),
        packages_(in_.plan, in_.request, k_target_root, phases_) {
    if (in_.network != nullptr) {
      in_.facts.use_environment(
          [variables = hook_variables()](Phase phase) { return phase_environment(variables, phase, k_target_root); });
    }
    phases_.set_native_steps(packages_);
    phases_.count_steps(in_.plan.steps.size() + k_native_steps);
  }
  Build(const Build&) = delete;
  Build& operator=(const Build&) = delete;
  ~Build() override = default;

  void run() {
    users_umask_ = ::umask(022);  // the tree's modes don't depend on who builds it
    lay_out_hooks();
    if (in_.check_inputs) in_.check_inputs();
    take_layers();
    grow_root();
    // Beyond this point the target has an operating system, and hooks can run in it.
    install();
    if (phases_.has_ended()) return keep_layers();
    // Beyond this point the size of the disk is known, and the tree only gets its last touches.
    finalise();
    // Beyond this point the tree is not written any more.
    if (in_.network != nullptr) in_.network->require_complete();
    write_outputs();
  }

 private:
  [[nodiscard]] Environment hook_variables() const {
    Environment variables = hook_environment(in_.request, in_.plan, in_.installation, disk_facts(in_.disk));
    if (in_.network == nullptr) return variables;
    fetch::add_variables(in_.network->view(), hooks_.string(), variables);
    variables["DIB_IMAGE_CACHE"] = k_private_cache.string();
    variables["DIB_LOCKFILES"] = k_private_lock_files.string();
    return variables;
  }

  void lay_out_network() {
    if (in_.network == nullptr) return;
    fs::create_directories(hooks_ / ".fetch");
    fs::create_directories(k_private_cache);
    fs::create_directories(k_private_lock_files);
    for (const auto& [name, text] : in_.network->view().files) {
      RealFileSystem().write(hooks_ / ".fetch" / name, text, {.mode = 0644});
    }
  }

  void lay_out_hooks() {
    fs::create_directories(hooks_);
    fs::create_directories(k_target_root);
    copy_hooks(in_.plan.hooks, in_.runner, hooks_);
    fs::create_directories(hooks_ / "environment.d");
    fs::copy_file(k_library_directory / "dib-run-parts", hooks_ / "dib-run-parts",
                  fs::copy_options::overwrite_existing);
    for (const Element& element : in_.plan.elements.elements) {
      if (element.built_in) fs::create_symlink(element.path, k_elements_directory / element.name);
    }
    lay_out_network();
    lend_apt(k_library_directory, hooks_);
    phases_.set_variable(k_target_apt_settings, k_lent_apt_settings);
    write_parameters(in_.disk, in_.request, k_build_directory / "block-device");
    for (const auto& [name, text] : files_beside_hooks(in_.plan))
      RealFileSystem().write(hooks_ / name, text, {.mode = 0644});
  }

  /// Goes on behind what earlier builds did already.
  void take_layers() {
    const Environment environment = phases_.environment_for(Phase::root);
    phases_.set_variable("HEARTH_BOOTSTRAP_PACKAGES", join(packages_.bootstrap_packages(environment), " "));
    if (!in_.layers.enabled) return;
    phases_.end_after(in_.layers.until);
    keeper_ = make_layer_keeper(in_);
    resume_ = keeper_->resume();
    earlier_ = earlier_build(RealFileSystem(), in_.request.output.string() + ".d",
                             [this](const std::string& layer) { return keeper_->has(layer); });
    for (const StepRecord& step : keeper_->steps()) phases_.show_taken(step.label);
    if (keeper_->taken() > 0) phases_.resume_at(resume_);
    if (keeper_->taken() == 0 && in_.network != nullptr && *in_.request.fetching.mode != fetch::FetchMode::record)
      in_.progress.note(
          "a replay proves that it needs nothing else: it takes no layer of the recording, and all its steps run");
    keeper_->bind_again();
    if (keeper_->taken() > 0 && resume_.phase == Phase::root) rebind_devices(k_target_root / "dev");
    phases_.set_observer(*this);
  }

  void grow_root() {
    phases_.run(Phase::root);
    if (phases_.has_ended() || has_root_content(k_target_root)) return;
    std::string hint = "No hook in root.d put anything into the target; an operating-system element has to.";
    const std::string directory = directory_name(Phase::root);
    for (const std::string& name : in_.plan.hooks.ignored(directory)) {
      const HookEntry& idle = in_.plan.hooks.directory(directory).at(name);
      hint += cat("\n  ", idle.path.string(),
                  idle.is_executable ? " does not run: its name may have letters, digits, _ and - only"
                                     : " does not run: it is not executable (chmod +x)");
    }
    throw Error(ErrorKind::input, "Failed to deploy the root element.").hint(hint);
  }

  void install() {
    if (resume_.phase > Phase::root) {
      renew_resolv_conf(k_target_root);
    } else {
      lend_resolv_conf(k_target_root);
    }
    mounts_.emplace(k_target_root);
    define_install_type();
    phases_.run(Phase::extra_data);
    phases_.run(Phase::pre_install);
    phases_.run(Phase::install);
    phases_.run(Phase::post_install);
    phases_.run(Phase::post_root);
    mounts_.reset();
    fs::remove_all(k_target_root / "lost+found");
    remove_placeholders(k_target_root / "dev");
  }

  void phase_begins(Phase phase) override { keeper_->phase_begins(phase); }
  void step_begins(const Step& step) override {
    if (in_.watch != nullptr) in_.watch->watch_reads(in_.facts.may_read_unseen(step));
    keeper_->step_begins(step);
  }
  bool step_ended(const Step& step, Duration took, const std::vector<Step>& rest) override {
    note_work_area();
    return keeper_->step_ended(step, took, rest);
  }
  /// How much memory the build takes besides its programs', for whoever schedules the next one.
  void note_work_area() {
    struct statfs status {};
    if (::statfs("/hearth", &status) != 0 || status.f_type != TMPFS_MAGIC) return;
    const auto blocks = static_cast<std::uint64_t>(status.f_blocks - status.f_bfree);
    work_area_ = std::max(work_area_, blocks * static_cast<std::uint64_t>(status.f_bsize));
  }
  /// What is mounted in the target would be in the way. Taking our mounts away takes away the hooks' with them, so they
  /// are looked at first.
  void keep(const std::vector<Step>& rest) override {
    const bool mounted = mounts_.has_value();
    if (!mounted) unbind_devices(k_target_root / "dev");
    if (keeper_->mounts_allow_keeping(mounted ? TargetMounts::places(k_target_root) : std::vector<fs::path>())) {
      mounts_.reset();
      keeper_->keep(rest);
      if (mounted) mounts_.emplace(k_target_root);
      keeper_->bind_again();
    }
    if (!mounted) rebind_devices(k_target_root / "dev");
  }

  /// Upstream defines this one from extra-data.d on only; elements rely on its being unset before.
  void define_install_type() {
    RealFileSystem().write(
        hooks_ / "environment.d/11-dib-install-type.bash",
        cat("export DIB_DEFAULT_INSTALLTYPE=${DIB_DEFAULT_INSTALLTYPE:-\"", in_.request.install_type, "\"}\n"),
        {.mode = 0644});
  }

  /// Nothing but these was asked for.
  void keep_layers() {
    keeper_->finish();
    const std::string result = keeper_->ended().empty()
                                   ? cat("The steps up to ", in_.layers.until, " are kept.")
                                   : cat("Each image runs them by itself, since ", keeper_->ended(), ".");
    in_.log.line(result);
    in_.progress.finish(cat(result, "\n"));
  }

  void finalise() {
    const TreeUsage usage = measure_tree(k_target_root);
    files_of_tree_ = usage.inodes;
    work_area_ = std::max(work_area_, usage.bytes);  // on disk nothing else tells
    phases_.set_variable("DIB_IMAGE_SIZE", std::to_string(size_kib(in_.disk, in_.request, usage)));
    report_usage();
    phases_.run(Phase::block_device);
    phases_.set_variable("IMAGE_BLOCK_DEVICE", disk_facts(in_.disk).device);
    phases_.set_variable("IMAGE_BLOCK_DEVICES", disk_facts(in_.disk).devices);
    prepare_disk_tree(in_.disk, k_target_root, phases_.environment_for(Phase::pre_finalise));
    {
      const TargetMounts mounts(k_target_root);
      lend_grub();
      phases_.run(Phase::pre_finalise);
      phases_.run(Phase::finalise);
    }
    phases_.run(Phase::cleanup);
    take_back_resolv_conf(k_target_root);
    tidy_tree(k_target_root);
    if (const auto epoch = source_date_epoch(in_.request.environment)) {
      settle_clones(k_target_root);
      settle_times(k_target_root, *epoch);
    }
  }

  /// A boot loader's hook that is not ours finds programs of GRUB that need no disk.
  void lend_grub() {
    if (in_.disk.boot_loader != BootLoader::foreign) return;
    const fs::path programs = hooks_ / ".grub";
    fs::create_directories(programs);
    for (const std::string& name : RealFileSystem().list(k_library_directory / "target")) {
      fs::copy_file(k_library_directory / "target" / name, programs / name, fs::copy_options::overwrite_existing);
    }
    phases_.set_variable("HEARTH_TARGET_PATH", "/tmp/in_target.d/.grub");
    phases_.set_variable("HEARTH_GRUB_FACTS", grub_facts(in_.disk));
  }

  [[nodiscard]] Environment environment_of(const DeviceHook& hook) {
    for (const Step& step : in_.plan.steps) {
      if (step.label() == hook.label) return phases_.environment_for(step);
    }
    return phases_.environment_for(hook.in_target ? Phase::finalise : Phase::block_device);
  }

  /// DIB_SHOW_IMAGE_USAGE: what takes the space.
  void report_usage() {
    if (!in_.request.show_usage) return;
    for (const std::string& line : usage_report(k_target_root, in_.request.show_all_usage)) in_.log.line(line);
  }

  void take_hooks_files() {
    for (const std::string& left :
         take_hook_files(in_.places->written_by_hooks(), in_.request.output, output_files(in_.disk, in_.request))) {
      in_.log.line(cat("hearth: hooks wrote to a copy of the outputs' directory: ", left));
    }
  }

  [[nodiscard]] Fd room_for_evidence() const {
    std::vector<std::string> outputs;
    for (const fs::path& file : output_files(in_.disk, in_.request)) outputs.push_back(file.filename().string());
    const fs::path directory = in_.request.output.string() + ".d";
    return reserve_room(directory, evidence_bytes(directory, files_of_tree_, in_.network != nullptr),
                        join(outputs, ", "));
  }

  /// Of an earlier build, which made more than this one.
  void note_left_outputs(const std::vector<fs::path>& created) {
    const fs::path& stem = in_.request.output;
    const fs::path kept = old_output_name(stem, SystemClock().wall()).string() + ".d";
    const std::vector<std::string> left = evidence::keep_evidence_of_left(stem.string() + ".d", created, kept);
    if (left.empty()) return;
    const std::string text = cat(join(left, ", "), left.size() == 1 ? " is" : " are",
                                 " of the earlier build; the evidence is ", kept.filename().string(), "/ now");
    in_.log.line(cat("hearth: ", text));
    in_.progress.note(text);
  }

  void report_steps() const {
    write_steps(in_,
                {.steps = keeper_->steps(),
                 .taken = keeper_->taken(),
                 .fresh_from = in_.layers.fresh_from,
                 .ended = keeper_->ended(),
                 .rejected = keeper_->reasons(),
                 .layers = keeper_->layers(),
                 .base = keeper_->base_key(),
                 .work_area_bytes = work_area_,
                 .image = in_.request.output.filename().string()},
                earlier_);
  }

  void write_outputs() {
    const auto work = [this](const std::string& name, const std::function<void()>& body) {
      phases_.native_step(name, Phase::cleanup, body);
      note_work_area();
    };
    DiskTools tools{in_.runner, phases_.environment_for(Phase::cleanup), work, users_umask_,
                    [this](std::string_view line) {
                      in_.log.line(line);
                      in_.progress.line(line);
                      in_.progress.tick();
                      note_work_area();
                    }};
    tools.note = [this](const std::string& text) {
      in_.log.line(cat("hearth: ", text));
      in_.progress.note(text);
    };
    tools.hooks = in_.disk.device_hooks;
    for (DeviceHook& hook : tools.hooks) {
      std::optional<TargetHooks> files;  // environment.d of a phase in the image lies there
      if (hook.in_target) files.emplace(k_target_root, hooks_);
      hook.environment = environment_of(hook);
    }
    if (const auto& maker = in_.disk.maker) {
      in_.log.line(cat("Disk maker: ", name_of(maker->maker), " (", maker->reason, ")"));
    }
    (void)kill_stragglers();  // of the environment.d above
    if (keeper_) keeper_->show_anew();
    let_others_look();   // tools that write outputs open them by this process's descriptors
    in_.places->show();  // from here on the outputs' directory is the real one
    take_back_own_files(in_.request.output.string() + ".d");
    check_places(in_.disk, in_.request);
    Fd room = room_for_evidence();
    std::vector<fs::path> created = write_disk(in_.disk, in_.request, k_target_root, tools);
    room = Fd();
    note_left_outputs(created);
    take_hooks_files();
    write_manifest(in_, k_target_root, phases_.timings(), packages_.asked(tools.environment), created);
    if (in_.network != nullptr) {
      const std::string settings = RealFileSystem().read(hooks_ / ".fetch/settings").value_or("");
      in_.network->keep_settings(without_credentials(settings));  // a lock is shown around
    }
    std::string summary =
        timing_table(rows_that_matter(phases_.timings()), progress_style(in_.request.environment, false));
    for (const fs::path& file : created) summary += cat("Image file ", file.string(), " created...\n");
    if (keeper_) {
      keeper_->finish();
      report_steps();
      summary += keeper_->summary();
      if (!created.empty()) {
        note_outputs(in_.request.output.string() + ".d", in_.output_key, created, keeper_->steps(), in_.plan, in_.facts,
                     in_.secrets);
      }
    }
    in_.log.line("Build completed successfully");
    in_.progress.finish(summary);
  }

  const BuildInputs& in_;
  fs::path hooks_ = k_build_directory / "hooks";
  unsigned users_umask_ = 022;
  std::uint64_t files_of_tree_ = 0;
  std::uint64_t work_area_ = 0;  ///< bytes, the most so far
  UnsyncedRunner programs_;      ///< hooks' and package steps'
  PhaseRunner phases_;
  PackageSteps packages_;
  std::optional<TargetMounts> mounts_;
  std::unique_ptr<LayerKeeper> keeper_;
  ResumePoint resume_;
  EarlierBuild earlier_;  ///< as it was when this one began
};

}  // namespace

void build(const BuildInputs& inputs) { Build(inputs).run(); }

}  // namespace hearth::builder
