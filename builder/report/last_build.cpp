#include "builder/report/last_build.hpp"

#include <optional>

#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"
#include "builder/evidence/own_names.hpp"
#include "builder/report/build_log.hpp"

namespace hearth::builder {

namespace {

constexpr std::size_t k_to_seconds = 19;

fs::path file_of(const fs::path& output) { return fs::path(output.string() + ".d") / k_unfinished_file; }

}  // namespace

LastBuild::LastBuild(const fs::path& output, const Clock& clock)
    : file_(file_of(output)), began_(cat(utc_stamp(clock.wall()).substr(0, k_to_seconds), " UTC")) {
  write({{"began", began_}});
}

void LastBuild::failed(const std::string& story) const { write({{"began", began_}, {"error", story}}); }

void LastBuild::write(const Json& told) const try {
  RealFileSystem().write(file_, cat(format_json(told, {.indent = 1, .ascii = false, .lossy = true}), "\n"),
                         {.mode = 0644});
} catch (const Error&) {  // see above
}

void forget_unfinished_build(const fs::path& output) {
  boost::system::error_code failed;
  fs::remove(file_of(output), failed);
}

Json unfinished_build(const fs::path& directory) {
  const fs::path file = directory / k_unfinished_file;
  const std::optional<std::string> text = RealFileSystem().read(file);
  return text ? parse_json(*text, file.string()).value_or_throw() : Json();
}

std::string unfinished_text(const Json& unfinished) {
  if (!unfinished.is_object()) return "";
  const std::string begin = cat("The last build (begun ", text_member(unfinished, "began"), ") ");
  const std::string error = text_member(unfinished, "error");
  if (error.empty())
    return cat(begin, "has not ended: it runs, or was killed. What is there, if anything, is of an earlier one.\n");
  return cat(begin, "failed. What is there, if anything, is of an earlier one.\n  ", replace_all(error, "\n", "\n  "),
             "\n");
}

}  // namespace hearth::builder
