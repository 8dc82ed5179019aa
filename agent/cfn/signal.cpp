#include "agent/cfn/signal.hpp"

#include "base/error.hpp"
#include "base/python_json.hpp"
#include "base/text.hpp"

namespace hearth::agent {

namespace {

constexpr const char* k_nova_url = "http://169.254.169.254/openstack/2012-08-10/meta_data.json";
constexpr const char* k_nova_cache = "/var/lib/heat-cfntools/nova_meta.json";
constexpr Duration k_nova_patience = std::chrono::seconds(10);
constexpr Duration k_signal_patience = std::chrono::seconds(60);
constexpr int k_tries = 4;
constexpr int k_no_answer = 7;
constexpr int k_refused = 22;

std::string uuid_in(const std::string& text) {
  const Result<Json> metadata = parse_python_json(text, "Nova's metadata");
  return metadata ? text_member(*metadata, "uuid") : "";
}

std::string ask_nova(const CfnWorld& world) {
  HttpRequest request;
  request.url = parse_url(k_nova_url).value_or_throw();
  request.deadline = Deadline::after(k_nova_patience, world.clock);
  const HttpResponse response = world.http.send(request);
  std::string uuid = response.ok() ? uuid_in(response.body) : "";
  if (uuid.empty()) return "";
  world.files.make_directories(fs::path(k_nova_cache).parent_path(), 0700);
  world.files.write(k_nova_cache, response.body, {.mode = 0600});
  return uuid;
}

}  // namespace

std::string signal_text(const CfnSignal& signal, const std::string& id) {
  const bool success = signal.exit_code.empty() ? signal.success == "true" : signal.exit_code == "0";
  Json body = Json::object();
  body["Status"] = success ? "SUCCESS" : "FAILURE";
  body["Reason"] = signal.reason;
  body["UniqueId"] = id;
  body["Data"] = signal.data;
  return python_json(body);
}

std::string instance_id(const std::string& host_name, const CfnWorld& world) {
  std::string uuid = uuid_in(world.files.read(k_nova_cache).value_or(""));
  try {
    if (uuid.empty()) uuid = ask_nova(world);
  } catch (const Error& error) {
    world.log.debug(error.what());
  }
  if (!uuid.empty()) return uuid;
  world.log.error("Could not get the instance id from metadata!");
  return host_name;
}

int send_cfn_signal(const CfnSignal& signal, const std::string& id, const CfnWorld& world) {
  HttpRequest request;
  request.method = "PUT";
  request.url = parse_url(signal.url).value_or_throw();
  request.body = signal_text(signal, id);
  request.verify_tls = !signal.insecure;
  int status = k_no_answer;
  for (int n = 0; n < k_tries; ++n) {
    if (n > 0) world.clock.sleep(std::chrono::seconds(1 << (n - 1)));
    request.deadline = Deadline::after(k_signal_patience, world.clock);
    try {
      const HttpResponse response = world.http.send(request);
      if (response.ok()) return 0;
      status = k_refused;
      world.log.error(cat("PUT ", request.url.masked(), ": HTTP ", response.status, " ", response.reason));
      if (response.status < 500) return status;
    } catch (const Error& error) {
      world.log.error(error.what());
    }
  }
  return status;
}

}  // namespace hearth::agent
