#include "metadata/compile/signals.hpp"

#include <algorithm>
#include <map>

#include "base/error.hpp"
#include "base/text.hpp"
#include "metadata/model/json_reader.hpp"
#include "metadata/model/value_text.hpp"

namespace hearth::metadata {

namespace {

struct Answer {
  std::string server;
  std::string deployment;  ///< its name, for people
  std::string id;
  Value signal{};
  std::size_t line = 0;
  bool used = false;
};

std::string text_field(const Value& map, std::string_view key) {
  const Value found = member(map, key);
  return found.is_string() ? found.text() : "";
}

std::vector<Answer> read_answers(std::string_view lines, const std::string& file, std::vector<std::string>& notes) {
  std::vector<Answer> answers;
  std::size_t number = 0;
  for (const std::string& line : split(std::string(lines), '\n')) {
    ++number;
    if (line.empty()) continue;
    const std::string place = cat(file, ":", number);
    const Result<Value> parsed = parse_json_value(line, place);
    if (!parsed) {
      notes.push_back(cat(place, ": passed over: no whole signal; a crash may have left it"));
      continue;
    }
    const Value& read = *parsed;
    Answer answer{text_field(read, "server"), text_field(read, "deployment"), text_field(read, "id"),
                  member(read, "signal"), number};
    if (answer.server.empty() || answer.id.empty() || !answer.signal.is_map()) {
      throw Error(ErrorKind::input, cat(place, ": a signal has \"server\", \"id\" and \"signal\""))
          .hint("Give the signals.jsonl that `hearth metadata serve --compiled` wrote.");
    }
    answers.push_back(std::move(answer));
  }
  if (answers.empty() && !notes.empty()) throw Error(ErrorKind::input, cat(file, " has no signal in it"));
  return answers;
}

/// Why a deployment failed, as Heat judges it; empty when it did not.
std::string failure_of(Resource& deployment, const Value& signal) {
  const Value code = member(signal, "deploy_status_code");
  const std::string text = code.is_null() ? "" : python_str(code);
  if (!text.empty() && text != "0") return cat("deploy_status_code is ", text);
  const Value given = deployment.owner->properties(deployment);
  const auto& known = deployment.owner->tree().by_id;
  const auto config = known.find(python_str(member(given, "config")));
  if (config == known.end()) return "";
  const Value outputs = member(config->second->owner->properties(*config->second), "outputs");
  for (const Value& output : outputs.is_list() ? outputs.items() : std::vector<Value>{}) {
    const std::string name = python_str(member(output, "name"));
    if (truth(member(output, "error_output")) && signal.find(name) != nullptr) return cat(name, " is an error output");
  }
  return "";
}

/// Learns whatever answers a deployment that is there now; true when any did.
bool learn_round(Stack& root, const Endpoints& endpoints, std::vector<Answer>& answers,
                 std::vector<std::string>& failures, const std::string& file) {
  std::map<std::pair<std::string, std::string>, std::string> open;  // server and id → deployment
  for (const ServerDocument& server : server_documents(root, endpoints)) {
    for (const ServerDocument::Sent& sent : server.sent) open[{server.path, sent.id}] = sent.deployment;
  }
  std::map<std::string, const Answer*> learned;
  for (Answer& answer : answers) {
    const auto found = answer.used ? open.end() : open.find({answer.server, answer.id});
    if (found == open.end()) continue;
    answer.used = true;
    learned[found->second] = &answer;
  }
  for (const auto& [path, answer] : learned) {
    Resource* deployment = root.find_path(path);
    if (deployment == nullptr) continue;
    if (const std::string why = failure_of(*deployment, answer->signal); !why.empty()) {
      failures.push_back(cat(file, ":", answer->line, ": ", path, " failed on ", answer->server, ": ", why));
      continue;
    }
    root.learn(path, answer->signal);
  }
  return !learned.empty();
}

}  // namespace

std::vector<std::string> learn_signals(Stack& root, const Endpoints& endpoints, std::string_view lines,
                                       const std::string& file) {
  std::vector<std::string> notes;
  std::vector<Answer> answers = read_answers(lines, file, notes);
  while (learn_round(root, endpoints, answers, notes, file)) {  // what was learned lets other deployments be there
  }
  for (const Answer& answer : answers) {
    if (answer.used) continue;
    notes.push_back(cat(file, ":", answer.line, ": passed over: ", answer.deployment, " of ", answer.server,
                        " has changed since, or is gone"));
  }
  return notes;
}

}  // namespace hearth::metadata
