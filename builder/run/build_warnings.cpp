#include "builder/run/build_warnings.hpp"

#include <algorithm>
#include <map>

#include "base/cli/print.hpp"
#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"
#include "builder/evidence/evidence.hpp"
#include "builder/evidence/own_names.hpp"
#include "builder/evidence/policy.hpp"
#include "builder/lint/baked_metadata.hpp"
#include "builder/lint/left_out.hpp"
#include "builder/lint/package_check.hpp"
#include "builder/lint/refused_values.hpp"
#include "builder/plan/layout_choice.hpp"
#include "builder/plan/volume_tools.hpp"
#include "builder/store/layer_store.hpp"

namespace hearth::builder {

namespace {

constexpr std::size_t k_most_remembered = 20000;

/// What was found right before, a line each.
class Remembered {
 public:
  explicit Remembered(const fs::path& cache) : file_(layer_directory(cache) / "checked") {
    lines = split_lines(RealFileSystem().read(file_).value_or(""));
    before_ = lines.size();
  }

  void keep() const {
    if (lines.size() == before_ || !fs::is_directory(file_.parent_path())) return;
    const std::size_t first = lines.size() > k_most_remembered ? lines.size() - k_most_remembered : 0;
    const std::vector<std::string> last(lines.begin() + static_cast<std::ptrdiff_t>(first), lines.end());
    try {
      RealFileSystem().write(file_, cat(join(last, "\n"), "\n"), {.mode = 0644});
    } catch (const Error&) {  // of another user, or a full disk: the next build looks again
      return;
    }
  }

  std::vector<std::string> lines;

 private:
  fs::path file_;
  std::size_t before_ = 0;
};

}  // namespace

std::vector<Finding> build_warnings(const FileReader& files, const ImageRequest& request, const BuildPlan& plan,
                                    const DiskLayout& layout, CommandRunner& runner) try {
  Remembered remembered(request.cache);
  std::vector<Finding> warnings = left_out(files, plan, request.environment, runner, remembered.lines);
  for (Finding& finding : refused_values(files, request, plan, runner, remembered.lines)) {
    warnings.push_back(std::move(finding));
  }
  for (Finding& finding : unknown_packages(files, request, plan, remembered.lines)) {
    warnings.push_back(std::move(finding));
  }
  for (Finding& finding : missing_interpreters(files, request, plan, remembered.lines)) {
    warnings.push_back(std::move(finding));
  }
  for (Finding& finding : deployments_without_hook(files, request, plan)) warnings.push_back(std::move(finding));
  for (Finding& finding : missing_volume_tools(files, plan, request.packages, request.environment, layout)) {
    warnings.push_back(std::move(finding));
  }
  for (Finding& finding : idle_layouts(files, request, plan)) warnings.push_back(std::move(finding));
  remembered.keep();
  return warnings;
} catch (Error& error) {
  if (error.system_error() == 0) throw;
  throw error.during("reading the elements, all of whose files are looked at before the first hook")
      .hint("Whoever builds has to be able to read them; where an element was changed meanwhile, start again.");
}

void refuse_warnings(const ImageRequest& request, const std::vector<Finding>& warnings) {
  if (!request.strict || warnings.empty()) return;
  std::vector<std::string> lines;
  for (const Finding& finding : warnings) lines.push_back(finding_text(finding));
  throw Error(ErrorKind::input, cat("with --strict, warnings end the build:\n", join(lines, "\n")));
}

void refuse_certain_faults(const std::vector<Finding>& warnings) {
  std::vector<std::string> lines;
  bool is_of_package = false;
  for (const Finding& finding : warnings) {
    if (finding.severity != Severity::error) continue;
    lines.push_back(finding_text(finding));
    is_of_package = is_of_package || finding.check == "package";
  }
  if (lines.empty()) return;
  Error error(ErrorKind::input, cat("the build would end by this, so it does not begin:\n", join(lines, "\n")));
  if (is_of_package)
    error.hint(
        "Where a package is new in its repository: apt-get update (as root), or remove apt/ in the image cache, whose "
        "lists the next build fetches again.");
  throw error;
}

std::vector<std::string> notes_on_earlier_image(const ImageRequest& request) {
  const fs::path records = request.output.string() + ".d";
  const std::string name = request.output.filename().string();
  std::vector<std::string> notes;
  if (!request.signing_key && evidence::is_signed(records))
    notes.push_back(cat(name, " is signed, and will not be: this build has no --sign-key"));
  const bool is_replay = request.fetching.mode && *request.fetching.mode != fetch::FetchMode::record;
  const fs::path file = records / k_provenance_file;
  if (!is_replay || !is_regular_file(RealFileSystem(), file)) return notes;
  const std::map<std::string, std::string> before = evidence::identity_in(json_or_null(read_file(file)));
  const auto version = before.find("version");
  const std::string was = version == before.end() ? "" : version->second;
  if (was == request.version) return notes;
  notes.push_back(cat(name, " was made ", was.empty() ? "without a version" : cat("as version ", was),
                      ", and is not now: its disk gets other ids",
                      was.empty() ? "" : cat(" (--image-version ", was, " makes the same bytes)")));
  return notes;
}

void tell_warnings(const std::vector<Finding>& warnings, BuildLog& log) {
  for (const Finding& finding : warnings) {
    const std::string text = finding_text(finding);
    log.line(text);
    cli::tell(cat(text, "\n"));
  }
}

void tell_at_end(const ImageRequest& request, const BuildPlan& plan, std::vector<Finding> warnings, bool failed,
                 BuildLog& log) {
  if (failed) {
    std::vector<std::string> known;
    for (Finding& finding : unknown_packages(RealFileSystem(), request, plan, known)) {
      if (std::find(warnings.begin(), warnings.end(), finding) == warnings.end())
        warnings.push_back(std::move(finding));
    }
  }
  tell_warnings(warnings, log);
}

}  // namespace hearth::builder
