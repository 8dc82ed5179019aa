// What a build would find done already, before anything runs: its outputs, or steps that come from layers. Servers are
// not asked, nor a remote cache.
#pragma once

#include <string>
#include <vector>

#include "base/json.hpp"
#include "builder/run/build_facts.hpp"

namespace hearth::builder {

struct StepForecast {
  std::string label;
  bool is_kept = false;
  std::string why;  ///< it runs, in words
};

/// Of each step of the plan, in order; what the build of `earlier` (last_build_like()) noted tells what has changed
/// where no layer does. Makes nothing, neither directories nor records.
[[nodiscard]] std::vector<StepForecast> kept_steps(const FileReader& files, const ImageRequest& request,
                                                   const Installation& installation, const BuildPlan& plan,
                                                   const DiskPlan& disk, const fs::path& earlier = {});

/// What its hooks would miss (hidden_places()).
[[nodiscard]] std::vector<std::string> places_hidden_from(const FileReader& files, const ImageRequest& request,
                                                          const Installation& installation, const BuildPlan& plan,
                                                          const DiskPlan& disk);

/// The image whose last build this one would be compared with: its own, or, where there is none, the one beside it that
/// was built last of the same steps. Empty where there is none either.
[[nodiscard]] fs::path last_build_like(const FileReader& files, const ImageRequest& request, const BuildPlan& plan);

/// For people: that it is another one's; empty where it is not.
[[nodiscard]] std::string compared_text(const fs::path& earlier, const ImageRequest& request);

/// The outputs of an earlier build that this one would leave as they are, and which servers it would ask before.
struct UpToDate {
  std::vector<fs::path> outputs;     ///< none where the build would run
  std::vector<std::string> faults;   ///< of evidence that it would make anew
  std::vector<std::string> servers;  ///< as facts name them: "URL" of a Release file, "git URL REF", "url URL"
};

/// Makes nothing either.
[[nodiscard]] UpToDate up_to_date(const FileReader& files, const ImageRequest& request,
                                  const Installation& installation, const BuildPlan& plan, const DiskPlan& disk);

/// Lines for people, of outputs that are.
[[nodiscard]] std::string up_to_date_text(const UpToDate& known);

/// What the result of each step that layers may cover depends on, as far as that is known before a build. Two images
/// with equal ones up to a step have it in common: the second goes on from a layer of the first.
struct StepKeys {
  std::vector<std::string> keys;  ///< none where nothing is kept
  std::string first_label;        ///< of the first step
  Facts first;                    ///< what it depends on; of the build as a whole "build WHAT" = value
};
[[nodiscard]] StepKeys step_keys(const FileReader& files, const ImageRequest& request, const Installation& installation,
                                 const BuildPlan& plan, const DiskPlan& disk);

/// Why an image has not even its first step in common with the other one, in words.
[[nodiscard]] std::string why_apart(const StepKeys& image, const StepKeys& other, const std::string& others_name);

/// Lines for people: how many come from layers, and why the rest runs, steps of one reason together.
[[nodiscard]] std::string kept_steps_text(const std::vector<StepForecast>& steps);

}  // namespace hearth::builder
