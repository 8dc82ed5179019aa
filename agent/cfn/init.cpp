#include "agent/cfn/init.hpp"

#include "agent/cfn/config_sets.hpp"
#include "agent/value/value.hpp"
#include "base/error.hpp"
#include "base/text.hpp"

namespace hearth::agent {

namespace {

constexpr const char* k_init_init = "AWS::CloudFormation::Init";
constexpr Duration k_download_time = std::chrono::minutes(30);
constexpr std::size_t k_download_limit = std::size_t{1} << 30U;
constexpr int k_cannot_start = 127;

struct Part {
  const char* name;
  void (*apply)(const Json&, const CfnWorld&);
};

constexpr Part k_parts[] = {{"packages", apply_packages}, {"sources", apply_sources}, {"groups", apply_groups},
                            {"users", apply_users},       {"files", apply_files},     {"commands", apply_commands},
                            {"services", apply_services}};

}  // namespace

void apply_init(const Json& metadata, const std::string& config_sets, const CfnWorld& world) {
  const Json* init = find_member(metadata, k_init_init);
  if (!is_set(init) || !init->is_object()) throw Error(ErrorKind::input, cat("the metadata have no ", k_init_init));
  for (const std::string& name : sections_to_apply(*init, config_sets)) {
    const Json* section = find_member(*init, name);
    if (section == nullptr) {
      throw Error(ErrorKind::input,
                  cat("Could not find '", name, "' set in template, may need to specify another set."));
    }
    for (const Part& part : k_parts) {
      const Json* value = find_member(*section, part.name);
      if (!is_set(value)) continue;
      if (!value->is_object()) throw Error(ErrorKind::input, cat("'", part.name, "' of '", name, "' is no object"));
      part.apply(*value, world);
    }
  }
}

bool to_boolean(const Json& value) {
  if (value.is_boolean()) return value.get<bool>();
  if (value.is_number()) return value.get<double>() == 1;
  if (!value.is_string()) return false;
  const std::string text = to_lower(trim(value.get_ref<const std::string&>()));
  return text == "true" || text == "yes" || text == "1";
}

int run_logged(const std::vector<std::string>& argv, const CfnWorld& world) {
  return run_logged(Command{.argv = argv}, world);
}

int run_logged(Command command, const CfnWorld& world) {
  if (!command.env) command.env = world.env;
  const std::string shown = shell_join(command.argv);
  world.log.debug(cat("Running command: ", shown));
  try {
    const CommandResult result = world.runner.run(command);
    if (succeeded(result.status)) return 0;
    world.log.warning(
        cat(shown, ": ", describe(result.status), "\nstdout: ", trim(result.out), "\nstderr: ", trim(result.err)));
    return shell_code(result.status);
  } catch (const Error& error) {
    world.log.warning(error.what());
    return k_cannot_start;
  }
}

std::string download(const std::string& url, const CfnWorld& world) {
  HttpRequest request;
  request.url = parse_url(url).value_or_throw();
  request.max_redirects = 10;
  request.body_limit = k_download_limit;
  request.deadline = Deadline::after(k_download_time, world.clock);
  HttpResponse response = world.http.send(request);
  if (!response.ok()) {
    throw Error(ErrorKind::external, cat("GET ", request.url.masked(), ": HTTP ", response.status), response.status);
  }
  return std::move(response.body);
}

}  // namespace hearth::agent
