// What hooks and inputs may hold: Python literals, answers, log lines. Any bytes give a value or an error; a failed
// hook never becomes a success.
#include "agent/heat_config/deployment/python_literal.hpp"
#include "agent/heat_config/deployment/signal_data.hpp"
#include "agent/heat_config/yaml_writer.hpp"
#include "agent/log/python_log.hpp"
#include "base/python_json.hpp"
#include "tests/fuzz/check.hpp"

using hearth::fuzz::check;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = hearth::fuzz::text_of(data, size);
  const hearth::Result<hearth::Json> literal = hearth::agent::parse_python_literal(text, "input");
  check(literal.ok() || !literal.error().what.empty());
  (void)hearth::agent::parse_log_line(text);
  const hearth::agent::HookOutcome failed{"x", std::nullopt, {hearth::Exited{3}, std::string(text), ""}};
  const hearth::Json told = hearth::agent::signal_data(failed, false);
  check(told.is_object() && told.contains("deploy_status_code"));
  const hearth::Json& status = told["deploy_status_code"];
  check(!status.is_null() && hearth::python_text(status) != "0");
  const hearth::Result<hearth::Json> json = hearth::parse_python_json(text, "input");
  if (json) check(!hearth::agent::yaml_text(*json).empty());
  return 0;
}
