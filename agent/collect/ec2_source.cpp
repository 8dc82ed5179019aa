#include "agent/collect/sources.hpp"

#include "agent/collect/config_drive.hpp"
#include "agent/collect/web.hpp"
#include "base/error.hpp"
#include "base/python_json.hpp"
#include "base/text.hpp"

namespace hearth::agent {

namespace {

constexpr int k_max_depth = 16;
constexpr int k_max_requests = 2000;

using Get = std::function<std::optional<std::string>(const std::string&)>;

class Walk {
 public:
  explicit Walk(const Get& get) : get_(get) {}

  // Bounded by k_max_depth: a server that lists every directory inside itself must not exhaust the stack.
  std::optional<Json> directory(const std::string& url, int depth) {
    const std::optional<std::string> listing = fetch(url);
    if (!listing || depth > k_max_depth) return std::nullopt;
    Json tree = Json::object();
    for (const std::string& line : split_lines(*listing)) {
      const std::string entry = entry_of(line);
      if (entry.empty()) continue;
      const bool is_directory = entry.back() == '/';
      std::optional<Json> value = is_directory ? directory(url + entry, depth + 1) : leaf(url + entry);
      if (!value) return std::nullopt;
      tree[entry.substr(0, entry.size() - (is_directory ? 1 : 0))] = std::move(*value);
    }
    return tree;
  }

 private:
  static std::string entry_of(std::string_view line) {
    line = trim(line);
    const std::size_t equals = line.find('=');
    return equals == std::string_view::npos ? std::string(line) : cat(line.substr(0, equals), "/");
  }

  std::optional<Json> leaf(const std::string& url) {
    const std::optional<std::string> text = fetch(url);
    return text ? std::optional(Json(*text)) : std::nullopt;
  }

  std::optional<std::string> fetch(const std::string& url) {
    if (++requests_ > k_max_requests) return std::nullopt;
    return get_(url);
  }

  const Get& get_;
  int requests_ = 0;
};

/// What an earlier run collected, if it is worth anything.
std::optional<Json> cached(const SourceContext& context) {
  const std::string path = cat(context.settings.text_or("DEFAULT", "cachedir", ""), "/ec2.json");
  const std::optional<std::string> text = context.files.read(path);
  if (!text) return std::nullopt;
  Result<Json> content = parse_python_json(*text, path);
  if (!content) {
    context.log.warning(content.error().text());
    return std::nullopt;
  }
  if (!content->is_structured() || content->empty()) return std::nullopt;
  return std::move(content).value();
}

std::optional<Json> from_service(const SourceContext& context) {
  const std::optional<std::string> url = context.settings.text("ec2", "metadata_url");
  if (!url) return std::nullopt;
  const double seconds = context.settings.number("ec2", "timeout");
  return walk_metadata(cat(*url, "/"), [&](const std::string& address) -> std::optional<std::string> {
    const std::optional<HttpResponse> response = send_or_warn(context, get_request(context, address, seconds));
    return response ? std::optional(response->body) : std::nullopt;
  });
}

}  // namespace

std::optional<Json> walk_metadata(const std::string& root_url, const Get& get) {
  return Walk(get).directory(root_url, 0);
}

Collection collect_ec2(const SourceContext& context) {
  try {
    std::optional<Json> tree = cached(context);
    if (!tree) tree = config_drive_metadata(context);
    if (!tree) tree = from_service(context);
    if (tree) return std::vector<Collected>{{"ec2", std::move(*tree)}};
  } catch (const Error& error) {
    context.log.warning(error.what());
  }
  return Unavailable{};
}

}  // namespace hearth::agent
