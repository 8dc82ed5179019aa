// Requests to the REST face, in the process, over the conductor of conductor_fixture.hpp.
#pragma once

#include "bootstrap/api/ironic_api.hpp"
#include "tests/unit/bootstrap/conductor_fixture.hpp"

namespace hearth::bootstrap {

class ApiFixture : public ConductorFixture {
 protected:
  struct Said {
    int status = 0;
    Json body;
    HttpHeaders headers;
    [[nodiscard]] std::string fault() const {
      return Json::parse(body.value("error_message", "{}")).value("faultstring", "");
    }
  };

  ConsoleDesk* desk = nullptr;  ///< where there are consoles

  Said ask(const std::string& method, const std::string& target, const Json& body = Json(),
           const std::string& version = "1.78", const std::string& peer = "192.0.2.9",
           const Caller& caller = {Role::admin, "admin"}, IronicApi::Faces faces = IronicApi::Faces::all) {
    IronicApi api(*conductor, faces, log);
    if (desk != nullptr) api.set_consoles(*desk);
    ServedRequest request;
    request.method = method;
    request.target = target;
    const RequestTarget parts = parse_request_target(target).value();
    request.path = parts.path;
    request.raw_path = parts.raw_path;
    request.query = parts.query;
    request.headers.emplace_back("Host", "192.0.2.1:6385");
    if (!version.empty()) request.headers.emplace_back("X-OpenStack-Ironic-API-Version", version);
    request.peer = peer;
    request.body = body.is_null() ? "" : body.dump();
    const ServedResponse response = api.answer(request, caller);
    const std::string& text = response.content();
    return {response.status, text.empty() ? Json() : Json::parse(text), response.headers};
  }
};

}  // namespace hearth::bootstrap
