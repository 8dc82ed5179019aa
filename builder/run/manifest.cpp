#include "builder/run/manifest.hpp"

#include "base/json.hpp"
#include "base/redaction.hpp"
#include "base/sys/file.hpp"
#include "base/sys/tree_reader.hpp"
#include "base/text.hpp"
#include "builder/evidence/own_names.hpp"
#include "builder/evidence/tree_record.hpp"
#include "builder/packages/installed_packages.hpp"
#include "builder/report/timing.hpp"

namespace hearth::builder {

namespace {

Json package_list(const std::vector<ListedPackage>& listed) {
  Json packages = Json::array();
  for (const ListedPackage& package : listed) {
    Json entry = {{"package", package.name}, {"version", package.version}, {"arch", package.architecture}};
    if (package.manager != "deb") entry["manager"] = package.manager;
    if (!package.license.empty()) entry["license"] = package.license;
    packages.push_back(std::move(entry));
  }
  return packages;
}

Json asked_list(const std::vector<AskedPackage>& asked) {
  Json list = Json::array();
  for (const AskedPackage& each : asked) {
    Json entry = {{"package", each.package}};
    if (!each.element.empty()) entry["element"] = each.element;
    list.push_back(std::move(entry));
  }
  return list;
}

Json source_list(const std::vector<ListedSource>& listed) {
  Json sources = Json::array();
  for (const ListedSource& source : listed) {
    sources.push_back({{"name", source.name}, {"path", source.path}, {"url", source.url}, {"commit", source.commit}});
  }
  return sources;
}

/// A list that is not whole must not look as if it were.
void tell_unlisted(const BuildInputs& inputs, const std::string& unlisted) {
  if (unlisted.empty()) return;
  inputs.log.line(cat("hearth: the manifest and the SBOM are not whole: ", unlisted));
  inputs.progress.note(cat("the manifest and the SBOM are not whole: ", unlisted));
}

/// ID of os-release(5); empty when there is none.
std::string distribution_of(const TreeReader& tree) {
  for (const char* file : {"etc/os-release", "usr/lib/os-release"}) {  // the first is mostly a link to the second
    for (const std::string& line : split_lines(tree.read(file).value_or(""))) {
      if (line.compare(0, 3, "ID=") == 0) return replace_all(line.substr(3), "\"", "");
    }
  }
  return "";
}

/// Beside NAME.d; a ramdisk's elements write outputs of other names.
Json names_of(const std::vector<fs::path>& outputs) {
  Json names = Json::array();
  for (const fs::path& output : outputs) names.push_back(output.filename().string());
  return names;
}

}  // namespace

void write_manifest(const BuildInputs& inputs, const fs::path& root, const std::vector<TimingRow>& timings,
                    const std::vector<AskedPackage>& asked, const std::vector<fs::path>& outputs) {
  const TreeReader tree(root);
  const fs::path directory = inputs.request.output.string() + ".d";
  const InstalledPackages installed = installed_packages(tree, inputs.runner, inputs.request.environment);
  tell_unlisted(inputs, installed.unlisted);
  RealFileSystem().write(directory / k_manifest_file,
                         json_document({{"builder", cat("hearth ", HEARTH_VERSION)},
                                        {"arguments", without_credentials(inputs.request.arguments_text)},
                                        {"architecture", inputs.request.architecture},
                                        {"elements", inputs.plan.elements.names()},
                                        {"distribution", distribution_of(tree)},
                                        {"outputs", names_of(outputs)},
                                        {"packages", package_list(installed.packages)},
                                        {"asked", asked_list(asked)},
                                        {"sources", source_list(installed.sources)},
                                        {"unlisted", installed.unlisted}}),
                         {});
  if (inputs.spans != nullptr) {
    RealFileSystem().write(directory / k_tree_file, evidence::record_tree(root, *inputs.spans), {.mode = 0644});
  }
  RealFileSystem().write(directory / k_timing_file, json_document(timing_json(timings)), {});
  RealFileSystem().write(directory / k_timing_picture,
                         timing_picture(timings, inputs.request.output.filename().string()), {.mode = 0644});
}

}  // namespace hearth::builder
