// Configuration files: assignments with a group and a key, or an error with its line; and whatever was read can be
// used as settings and as a logging configuration.
#include "agent/collect/log_config.hpp"
#include "agent/collect/settings.hpp"
#include "base/error.hpp"
#include "tests/fuzz/check.hpp"

using hearth::fuzz::check;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = hearth::fuzz::text_of(data, size);
  const hearth::Result<std::vector<hearth::agent::Assignment>> parsed = hearth::agent::parse_ini(text, "input");
  if (!parsed) {
    check(parsed.error().at.line > 0);
    return 0;
  }
  for (const hearth::agent::Assignment& one : *parsed) check(!one.group.empty() && !one.key.empty());
  try {
    const hearth::agent::Settings settings(*parsed, {}, {});
    for (const hearth::agent::SettingRow& row : hearth::agent::setting_rows()) {
      if (row.type == hearth::agent::SettingType::list) {
        (void)settings.list(row.group, row.name);
      } else {
        (void)settings.text(row.group, row.name);
      }
    }
  } catch (const hearth::Error& error) {
    check(error.kind() == hearth::ErrorKind::input);
  }
  (void)hearth::agent::parse_log_config(text, "input");
  return 0;
}
