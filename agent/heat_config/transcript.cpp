#include "agent/heat_config/transcript.hpp"

#include "agent/python_log.hpp"
#include "base/text.hpp"
#include "base/utf8.hpp"

namespace hearth::agent {

Transcript::Transcript(const Json& deployment, Logger& log, LogBook& book)
    : name_(log_name(deployment)), mask_(deployment), log_(log), book_(book) {}

void Transcript::line(std::string_view text) {
  empty_ = false;
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
