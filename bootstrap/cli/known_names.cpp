#include "bootstrap/cli/known_names.hpp"

#include "base/cli/options.hpp"
#include "base/sys/process.hpp"
#include "base/text.hpp"
#include "bootstrap/client/conductor_client.hpp"
#include "bootstrap/inventory/drivers.hpp"
#include "bootstrap/node/states.hpp"
#include "metadata/live/stack_session.hpp"

namespace hearth::bootstrap {

namespace {

using Names = std::vector<std::string>;

cli::Arguments places_in(const Names& words) {
  cli::Arguments arguments;
  for (const char* option : {"state", "url", "token-file"}) {
    const std::string word = cat("--", option);
    for (std::size_t i = 0; i < words.size(); ++i) {
      if (words[i] == word && i + 1 < words.size()) arguments.add(option, words[i + 1]);
      if (words[i].starts_with(cat(word, "="))) arguments.add(option, words[i].substr(word.size() + 1));
    }
  }
  return arguments;
}

Names named_in(const Json& list, const char* key) {
  Names names;
  for (const Json& each : list) names.push_back(text_in(each, key));
  std::erase(names, "");
  return names;
}

Names of_conductor(const cli::Arguments& places, bool nodes) {
  const bool is_named = places.has("url") || current_environment().count("HEARTH_NODE_URL") > 0;
  if (!is_named) {
    if (const auto names = names_at_rest(state_directory(places), nodes)) return *names;
  }
  const auto conductor = ConductorClient::open(places);
  if (nodes) return named_in(conductor->call("GET", "/v1/nodes?fields=name")["nodes"], "name");
  return named_in(conductor->call("GET", "/v1/hearth/images")["images"], "name");
}

Names of_stacks(const cli::Arguments& places) {
  metadata::live::Session session(places);
  return named_in(session.client.part("/stacks", "stacks"), "stack_name");
}

Names of_states() {
  Names names;
  for (int i = 0; i <= static_cast<int>(State::service_hold); ++i) names.emplace_back(name(static_cast<State>(i)));
  return names;
}

Names of_drivers() {
  Names names;
  for (const DriverRow& row : driver_table()) {
    if (row.supported) names.emplace_back(row.driver);
  }
  return names;
}

/// Of `hearth why [image|node|stack|value] NAME`, whose kinds are offered as well.
Names of_anything(const Names& words) {
  Names names = {"image", "node", "stack", "value", "page"};
  try {
    const Names nodes = of_conductor(places_in(words), true);
    names.insert(names.end(), nodes.begin(), nodes.end());
  } catch (const Error&) {
    return names;  // nothing is known of nodes here
  }
  return names;
}

}  // namespace

std::vector<std::string> known_names(const std::string& what, const std::vector<std::string>& words) {
  const std::string kind = what == "NAME" && !words.empty() ? words.front() : "";  // hearth why node NAME
  try {
    if (what == "NODE" || kind == "node") return of_conductor(places_in(words), true);
    if (what == "IMAGE|URL" || what == "LOADED-IMAGE") return of_conductor(places_in(words), false);
    if (what == "image|node|stack|value") return of_anything(words);
    if (what == "STACK" || kind == "stack") return of_stacks(places_in(words));
    if (what == "STATE") return of_states();
    if (what == "DRIVER") return of_drivers();
  } catch (const std::exception&) {
    return {};
  }
  return {};
}

}  // namespace hearth::bootstrap
