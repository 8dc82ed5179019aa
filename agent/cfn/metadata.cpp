#include "agent/cfn/metadata.hpp"

#include "agent/cfn/signature.hpp"
#include "agent/collect/ini.hpp"
#include "agent/collect/same_value.hpp"
#include "base/error.hpp"
#include "base/python_json.hpp"
#include "base/text.hpp"

namespace hearth::agent {

namespace {

constexpr std::string_view k_last = "/var/cache/heat-cfntools/last_metadata";
constexpr std::string_view k_init_data = "/var/lib/heat-cfntools/cfn-init-data";
constexpr std::string_view k_server_file = "/var/lib/heat-cfntools/cfn-metadata-server";
constexpr std::string_view k_boto_file = "/var/lib/heat-cfntools/cfn-boto-cfg";
constexpr Duration k_patience = std::chrono::seconds(30);

std::string boto_setting(const FileReader& files, std::string_view key) {
  const std::optional<std::string> text = files.read(std::string(k_boto_file));
  if (!text) return "";
  const Result<std::vector<Assignment>> settings = parse_ini(*text, std::string(k_boto_file));
  if (!settings) return "";
  for (const Assignment& setting : *settings) {
    if (setting.group == "boto" && setting.key == key) return setting.value;
  }
  return "";
}

AwsCredentials credentials_of(const MetadataRequest& request, const FileReader& files) {
  AwsCredentials found{request.access_key, request.secret_key};
  if (request.credential_file.empty()) return found;
  const std::optional<std::string> text = files.read(request.credential_file);
  if (!text) throw Error(ErrorKind::not_found, cat("there is no credential file ", request.credential_file));
  for (const std::string& line : split_lines(*text)) {
    const std::size_t equals = line.find('=');
    if (equals == std::string::npos) continue;
    const std::string_view name = trim(std::string_view(line).substr(0, equals));
    const std::string value(trim(std::string_view(line).substr(equals + 1)));
    if (name == "AWSAccessKeyId") found.access_key = value;
    if (name == "AWSSecretKey") found.secret_key = value;
  }
  return found;
}

Json text_as_json(const Json& value) {
  if (!value.is_string()) return value;
  return parse_python_json(value.get<std::string>(), "the resource's metadata").value_or_throw();
}

class Retrieval {
 public:
  Retrieval(const MetadataRequest& request, const CfnWorld& world)
      : request_(request),
        world_(world),
        own_file_(request.resource.empty() ? std::string(k_last) : cat(k_last, "_", request.resource)) {
    if (request.resource.find('/') != std::string::npos) {
      throw Error(ErrorKind::input, cat("'", request.resource, "' can't be the name of a resource"));
    }
  }

  std::optional<Metadata> run() {
    std::optional<Json> content = remote();
    if (!content) content = local();
    if (!content) {
      world_.log.error("Unable to read any valid metadata!");
      return std::nullopt;
    }
    const bool changed = differs_from_last(*content);
    keep(*content);
    return Metadata{std::move(*content), changed};
  }

 private:
  std::optional<Json> remote() {
    try {
      const AwsCredentials credentials = credentials_of(request_, world_.files);
      if (!credentials.access_key.empty() && !credentials.secret_key.empty()) return ask(credentials);
      world_.log.warning("Unable to retrieve remote metadata : No credentials!");
    } catch (const Error& error) {
      world_.log.warning(cat("Unable to retrieve remote metadata : ", error.what()));
    }
    return std::nullopt;
  }

  Json ask(const AwsCredentials& credentials) {
    const std::string base = request_.url.empty() ? cfn_api_url(world_.files) : request_.url;
    if (base.empty()) throw Error(ErrorKind::not_found, cat("no API is named: there is no ", k_server_file));
    HttpRequest http;
    const std::string slash = base.back() == '/' ? "" : "/";
    http.url = parse_url(cat(base, slash, "?",
                             encode_query({{"Action", "DescribeStackResource"},
                                           {"ContentType", "JSON"},
                                           {"LogicalResourceId", request_.resource},
                                           {"StackName", request_.stack},
                                           {"Version", "2010-05-15"}})))
                   .value_or_throw();
    const std::string region = request_.region.empty() ? "heat" : request_.region;
    http.headers = sign_get(http.url, credentials, {region, "cloudformation"}, world_.clock.wall());
    http.headers.emplace_back("Accept", "application/json");
    http.deadline = Deadline::after(k_patience, world_.clock);
    const HttpResponse response = world_.http.send(http);
    if (!response.ok()) {
      throw Error(ErrorKind::external, cat("GET ", http.url.masked(), ": HTTP ", response.status), response.status);
    }
    return metadata_in(parse_python_json(response.body, "the API's answer").value_or_throw());
  }

  static Json metadata_in(const Json& answer) {
    const Json* found = &answer;
    for (const char* name :
         {"DescribeStackResourceResponse", "DescribeStackResourceResult", "StackResourceDetail", "Metadata"}) {
      found = find_member(*found, name);
      if (found == nullptr) throw Error(ErrorKind::external, cat("the API's answer has no ", name));
    }
    return text_as_json(*found);
  }

  std::optional<Json> local() {
    for (const std::string& path : {own_file_, std::string(k_last), std::string(k_init_data)}) {
      const std::optional<std::string> text = world_.files.read(path);
      if (!text) {
        world_.log.warning(cat("Unable to open local metadata : ", path));
        continue;
      }
      Result<Json> content = parse_python_json(*text, path);
      if (content) {
        world_.log.info(cat("Opened local metadata ", path));
        return std::move(content).value();
      }
      world_.log.warning(content.error().text());
    }
    return std::nullopt;
  }

  bool differs_from_last(const Json& content) {
    for (const std::string& path : {own_file_, std::string(k_last)}) {
      const std::optional<std::string> text = world_.files.read(path);
      if (!text) continue;
      const Result<Json> last = parse_python_json(*text, path);
      return !last || !same_value(*last, content);
    }
    return true;
  }

  void keep(const Json& content) {
    try {
      world_.files.make_directories(fs::path(std::string(k_last)).parent_path(), 0700);
      const std::string text = python_json(content);
      world_.files.write(std::string(k_last), text, {.mode = 0600});
      if (own_file_ != k_last) world_.files.write(own_file_, text, {.mode = 0600});
    } catch (const Error& error) {
      world_.log.warning(cat("the metadata can't be kept: ", error.what()));
    }
  }

  const MetadataRequest& request_;
  const CfnWorld& world_;
  std::string own_file_;
};

}  // namespace

std::string cfn_api_url(const FileReader& files) {
  const std::string server(trim(files.read(std::string(k_server_file)).value_or("")));
  const std::string endpoint = boto_setting(files, "cfn_region_endpoint");
  const Result<Url> url = parse_url(server);
  if (endpoint.empty()) return url ? cat(url->scheme, "://", url->authority(), "/v1/") : "";
  const std::uint16_t port = url && !url->has_default_port() ? url->port : 8000;
  const bool tls = to_lower(boto_setting(files, "is_secure")) == "1" || (url && url->is_tls());
  return cat(tls ? "https://" : "http://", endpoint, ":", port, "/v1/");
}

std::optional<Metadata> retrieve_metadata(const MetadataRequest& request, const CfnWorld& world) {
  return Retrieval(request, world).run();
}

const Json* metadata_member(const Json& metadata, std::string_view path) {
  const Json* found = &metadata;
  while (found != nullptr && !path.empty()) {
    const bool quoted = path.front() == '\'';
    const std::size_t end = quoted ? path.find('\'', 1) : path.find('.');
    if (quoted && end == std::string_view::npos) return nullptr;
    const std::string_view name = quoted ? path.substr(1, end - 1) : path.substr(0, end);
    path.remove_prefix(quoted ? end + 1 : std::min(end, path.size()));
    if (!path.empty() && path.front() != '.') return nullptr;
    if (!path.empty()) path.remove_prefix(1);
    found = find_member(*found, std::string(name));
  }
  return found;
}

}  // namespace hearth::agent
