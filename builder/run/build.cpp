#include "builder/run/build.hpp"

#include <optional>

#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"
#include "builder/run/manifest.hpp"
#include "builder/run/target_tree.hpp"
#include "builder/sandbox/sandbox.hpp"

namespace hearth::builder {

namespace {

constexpr std::size_t k_native_steps = 2;  // size and layout; outputs

class Build {
 public:
  explicit Build(const BuildInputs& inputs)
      : in_(inputs),
        phases_({.runner = in_.runner,
                 .progress = in_.progress,
                 .log = in_.log,
                 .clock = in_.clock,
                 .environment = hook_environment(in_.request, in_.plan, in_.installation, in_.disk.facts()),
                 .breaks = in_.request.breaks,
                 .hooks = hooks_,
                 .target = k_target_root},
                in_.plan),
        packages_(in_.plan, in_.request, k_target_root, phases_) {
    phases_.set_native_steps(packages_);
    phases_.count_steps(in_.plan.steps.size() + k_native_steps);
  }

  void run() {
    lay_out_hooks();
    grow_root();
    // Beyond this point the target has an operating system, and hooks can run in it.
    install();
    // Beyond this point the size of the disk is known, and the tree only gets its last touches.
    finalise();
    // Beyond this point the tree is not written any more.
    write_outputs();
  }

 private:
  void lay_out_hooks() {
    fs::create_directories(hooks_);
    fs::create_directories(k_target_root);
    in_.plan.hooks.materialise(in_.runner, hooks_);
    fs::create_directories(hooks_ / "environment.d");
    fs::copy_file(k_library_directory / "dib-run-parts", hooks_ / "dib-run-parts",
                  fs::copy_options::overwrite_existing);
    for (const Element& element : in_.plan.elements.elements) {
      if (element.built_in) fs::create_symlink(element.path, k_elements_directory / element.name);
    }
    in_.disk.write_parameters(k_build_directory / "block-device");
    // For the element svc-map, which has nothing that could read YAML.
    RealFileSystem().write(hooks_ / "svc-map.table", service_table(in_.plan.services), {.mode = 0644});
  }

  void grow_root() {
    const Environment environment = phases_.environment_for(Phase::root);
    phases_.set_variable("HEARTH_BOOTSTRAP_PACKAGES", join(packages_.bootstrap_packages(environment), " "));
    phases_.run(Phase::root);
    if (has_root_content(k_target_root)) return;
    throw Error(ErrorKind::input, "Failed to deploy the root element.")
        .hint("No hook in root.d put anything into the target; an operating-system element has to.");
  }

  void install() {
    lend_resolv_conf(k_target_root);
    const TargetMounts mounts(k_target_root);
    define_install_type();
    phases_.run(Phase::extra_data);
    phases_.run(Phase::pre_install);
    phases_.run(Phase::install);
    phases_.run(Phase::post_install);
    phases_.run(Phase::post_root);
    fs::remove_all(k_target_root / "lost+found");
    remove_placeholders(k_target_root / "dev");
  }

  /// Upstream defines this one from extra-data.d on only; elements rely on its being unset before.
  void define_install_type() {
    RealFileSystem().write(
        hooks_ / "environment.d/11-dib-install-type.bash",
        cat("export DIB_DEFAULT_INSTALLTYPE=${DIB_DEFAULT_INSTALLTYPE:-\"", in_.request.install_type, "\"}\n"),
        {.mode = 0644});
  }

  void finalise() {
    phases_.set_variable("DIB_IMAGE_SIZE", std::to_string(in_.disk.size_kib(measure_tree(k_target_root))));
    report_usage();
    phases_.run(Phase::block_device);
    phases_.set_variable("IMAGE_BLOCK_DEVICE", in_.disk.facts().device);
    phases_.set_variable("IMAGE_BLOCK_DEVICES", in_.disk.facts().devices);
    in_.disk.prepare(k_target_root, phases_.environment_for(Phase::pre_finalise));
    {
      const TargetMounts mounts(k_target_root);
      lend_grub();
      phases_.run(Phase::pre_finalise);
      phases_.run(Phase::finalise);
    }
    phases_.run(Phase::cleanup);
    take_back_resolv_conf(k_target_root);
    tidy_tree(k_target_root);
  }

  /// A boot loader's hook that is not ours finds programs of GRUB that need no disk.
  void lend_grub() {
    if (!in_.disk.has_foreign_boot_loader()) return;
    const fs::path programs = hooks_ / ".grub";
    fs::create_directories(programs);
    for (const std::string& name : RealFileSystem().list(k_library_directory / "target")) {
      fs::copy_file(k_library_directory / "target" / name, programs / name, fs::copy_options::overwrite_existing);
    }
    phases_.set_variable("HEARTH_TARGET_PATH", "/tmp/in_target.d/.grub");
    phases_.set_variable("HEARTH_GRUB_FACTS", in_.disk.grub_facts());
  }

  /// DIB_SHOW_IMAGE_USAGE: what takes the space.
  void report_usage() {
    if (!in_.request.show_usage) return;
    for (const std::string& line : usage_report(k_target_root, in_.request.show_all_usage)) in_.log.line(line);
  }

  void write_outputs() {
    const auto work = [this](const std::string& name, const std::function<void()>& body) {
      phases_.native_step(name, Phase::cleanup, body);
    };
    const DiskTools tools{in_.runner, phases_.environment_for(Phase::cleanup), work};
    std::vector<fs::path> created = in_.disk.write(k_target_root, tools);
    write_manifest(in_, k_target_root, phases_.timings());
    std::string summary = timing_table(phases_.timings(), progress_style(in_.request.environment, false));
    for (const fs::path& file : created) summary += cat("Image file ", file.string(), " created...\n");
    in_.log.line("Build completed successfully");
    in_.progress.finish(summary);
  }

  const BuildInputs& in_;
  fs::path hooks_ = k_build_directory / "hooks";
  PhaseRunner phases_;
  PackageSteps packages_;
};

}  // namespace

void build(const BuildInputs& inputs) { Build(inputs).run(); }

}  // namespace hearth::builder
