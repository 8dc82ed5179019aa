#include "agent/heat_config/transcript.hpp"

#include "agent/log/python_log.hpp"
#include "base/text.hpp"
#include "base/utf8.hpp"

namespace hearth::agent {

namespace {

/// Of a deployment's log; a little more than a hook of ours says (hooks/tools.cpp), so that no end is cut off twice.
constexpr std::size_t k_first = std::size_t{8} << 20U;
constexpr std::size_t k_last = std::size_t{1} << 20U;

}  // namespace

Transcript::Transcript(const Json& deployment, Logger& log, LogBook& book)
    : name_(log_name(deployment)),
      mask_(deployment),
      log_(log),
      book_(book),
      excerpt_(k_first, k_last, [this](std::string_view text) { show(text); }) {}

void Transcript::line(std::string_view text) {
  empty_ = false;
  excerpt_.line(text);
}

void Transcript::show(std::string_view text) {
  const std::string masked = mask_.apply(replace_invalid_utf8(text));
  book_.append(name_, masked);
  const std::optional<LogLine> record = parse_log_line(masked);
  record ? log_.log(record->level, record->text) : log_.info(masked);
}

std::string log_name(const Json& deployment) {
  const std::string name = hook_name(text_member(deployment, "name"));
  return cat(text_member(deployment, "id"), name.empty() ? "" : "-", name);
}

}  // namespace hearth::agent
