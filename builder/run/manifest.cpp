#include "builder/run/manifest.hpp"

#include "base/json.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"
#include "builder/packages/dpkg_status.hpp"

namespace hearth::builder {

namespace {

constexpr int k_indent = 2;

void write_json(const fs::path& file, const Json& value) {
  RealFileSystem().write(file, cat(value.dump(k_indent), "\n"), {.mode = 0644});
}

Json package_list(const fs::path& root) {
  Json packages = Json::array();
  const std::string status = RealFileSystem().read(root / "var/lib/dpkg/status").value_or("");
  for (const auto& [name, package] : parse_dpkg_status(status)) {
    packages.push_back({{"package", name}, {"version", package.version}, {"arch", package.architecture}});
  }
  return packages;
}

}  // namespace

void write_manifest(const BuildInputs& inputs, const fs::path& root, const std::vector<TimingRow>& timings) {
  const fs::path directory = inputs.request.output.string() + ".d";
  write_json(directory / "manifest.json", {{"builder", cat("hearth ", HEARTH_VERSION)},
                                           {"arguments", inputs.request.arguments_text},
                                           {"architecture", inputs.request.architecture},
                                           {"elements", inputs.plan.elements.names()},
                                           {"packages", package_list(root)}});
  Json steps = Json::array();
  for (const TimingRow& row : timings) {
    steps.push_back({{"step", row.name}, {"seconds", std::chrono::duration<double>(row.duration).count()}});
  }
  write_json(directory / "timing.json", steps);
}

}  // namespace hearth::builder
