// The package steps of a build: what package-installs files and -p ask for, mapped through pkg-map, less what is there
// already, handed to the target's install-packages.
#pragma once

#include <string>
#include <vector>

#include "builder/hooks/phase_runner.hpp"
#include "builder/spec/image_request.hpp"

namespace hearth::builder {

/// A package of the image, by its name there, and who asked for it.
struct AskedPackage {
  std::string package;
  std::string element;  ///< empty: the command line (-p)
};

class PackageSteps final : public NativeSteps {
 public:
  PackageSteps(const BuildPlan& plan, const ImageRequest& request, fs::path target, PhaseRunner& phases)
      : plan_(plan), request_(request), target_(std::move(target)), phases_(phases) {}

  void run(const Step& step, const Environment& environment) override;

  /// Everything that the phases up to install.d will install for good: an operating-system element that bootstraps the
  /// tree may install it in one go (HEARTH_BOOTSTRAP_PACKAGES), and the steps find it there.
  [[nodiscard]] std::vector<std::string> bootstrap_packages(const Environment& root_environment) const;

  /// Each once for each element, in the order of phases and elements. `environment` decides conditions and names.
  [[nodiscard]] std::vector<AskedPackage> asked(const Environment& environment) const;

 private:
  void install(const std::vector<std::string>& names, const std::string& what, const Environment& environment);
  void remove(const std::vector<std::string>& names, const std::string& what, const Environment& environment);

  const BuildPlan& plan_;
  const ImageRequest& request_;
  fs::path target_;
  PhaseRunner& phases_;
};

}  // namespace hearth::builder
