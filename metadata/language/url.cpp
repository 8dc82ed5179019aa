#include "metadata/language/url.hpp"

#include <algorithm>
#include <array>
#include <cctype>

#include "metadata/language/arguments.hpp"

namespace hearth::metadata {

namespace {

constexpr std::array<std::string_view, 8> k_parts{"scheme", "username", "password", "host",
                                                  "port",   "path",     "query",    "fragment"};

std::string percent_quoted(const std::string& text, std::string_view safe) {
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0 || std::string_view("_.-~").find(c) != std::string_view::npos ||
        safe.find(c) != std::string_view::npos) {
      out.push_back(c);
    } else {
      out.push_back('%');
      out.push_back("0123456789ABCDEF"[byte >> 4U]);
      out.push_back("0123456789ABCDEF"[byte & 15U]);
    }
  }
  return out;
}

void check_port(const Value& port, const Value& all) {
  Value number = port;
  if (!port.is_integer() && !port.is_bool()) {
    if (port.kind() == Kind::real) {
      number = Value::integer(static_cast<std::int64_t>(port.as_real()));
    } else if (!port.is_string()) {
      throw type_fault(
          cat("int() argument must be a string, a bytes-like object or a real number, not '", type_name(port), "'"));
    } else if (std::optional<Value> read = integer_from(port.text())) {
      number = *read;
    } else {
      throw value_fault(cat("Invalid URL port \"", port.text(), "\" for make_url called with ", python_repr(all)),
                        port.mark());
    }
  }
  if (number.kind() == Kind::big_integer || number.as_integer() < 1 || number.as_integer() > 65535) {
    throw value_fault(cat("Invalid URL port ", python_str(number), ", must be in range 1-65535"), port.mark());
  }
}

/// `known` tells whether a part is more than a function still to be resolved.
template <class Known>
void check_parts(const Value& parts, Known known) {
  for (const std::string_view name : k_parts) {
    const Value* part = parts.find(name);
    if (part == nullptr) continue;
    const bool checkable = known(name);
    if (name == "query") {
      if (checkable && !part->is_map())
        throw type_fault("The \"query\" argument to \"make_url\" must be a map", part->mark());
      return;
    }
    if (!checkable) continue;
    if (name == "port") {
      check_port(*part, parts);
    } else if (!part->is_string()) {
      throw type_fault(cat("The \"", name, "\" argument to \"make_url\" must be a string"), part->mark());
    }
  }
}

std::string text_of(const Value& parts, std::string_view name) {
  const Value* part = parts.find(name);
  return part == nullptr ? "" : python_str(*part);
}

std::string network_location(const Value& parts) {
  std::string out = percent_quoted(text_of(parts, "username"), "");
  const std::string password = percent_quoted(text_of(parts, "password"), "");
  if (!password.empty()) out += ":" + password;
  if (!out.empty()) out += "@";
  std::string host = text_of(parts, "host");
  if (host.size() >= 2 && host.front() == '[' && host.back() == ']') host = host.substr(1, host.size() - 2);
  host = percent_quoted(host, ":");
  out += host.find(':') != std::string::npos ? cat("[", host, "]") : host;
  const Value* port = parts.find("port");
  if (port != nullptr && truth(*port)) out += ":" + python_str(*port);
  return out;
}

std::string query_text(const Value* query) {
  if (query == nullptr || !query->is_map()) return "";
  std::vector<std::string> pairs;
  for (const Entry& entry : query->entries()) {
    const auto form = [](const Value& value) { return replace_all(percent_quoted(python_str(value), " "), " ", "+"); };
    pairs.push_back(cat(form(entry.key), "=", form(entry.value)));
  }
  return replace_all(join(pairs, "&"), "%2F", "/");
}

/// Schemes for which urllib writes "//" even without a host.
bool uses_authority(const std::string& scheme) {
  static const std::vector<std::string> schemes{"",     "ftp",     "http",  "gopher", "nntp",    "telnet", "imap",
                                                "wais", "file",    "mms",   "https",  "shttp",   "snews",  "prospero",
                                                "rtsp", "rtspu",   "rsync", "svn",    "svn+ssh", "sftp",   "nfs",
                                                "git",  "git+ssh", "ws",    "wss"};
  return std::find(schemes.begin(), schemes.end(), scheme) != schemes.end();
}

}  // namespace

void validate_url(const Expression& call, Scope&) {
  const Expression& arguments = call.arguments();
  if (!is_map_expression(arguments)) throw type_fault("The arguments to \"make_url\" must be a map", arguments.mark);
  std::vector<std::string> unknown;
  for (const Entry& entry : written(call).entries()) {
    const std::string key = python_str(entry.key);
    if (std::find(k_parts.begin(), k_parts.end(), key) == k_parts.end()) unknown.push_back(key);
  }
  if (!unknown.empty()) {
    throw with_near_key(value_fault(cat("Invalid arguments to \"make_url\": ", join(unknown, ", "))), call,
                        {k_parts.begin(), k_parts.end()});
  }
  check_parts(written(call), [&](std::string_view name) { return !is_dynamic(*member(arguments, name)); });
}

Value make_url(const Expression& call, Scope& scope) {
  const Value parts = resolved(call, scope);
  if (!parts.is_map()) throw type_fault("The arguments to \"make_url\" must be a map");
  check_parts(parts, [](std::string_view) { return true; });
  const std::string scheme = text_of(parts, "scheme");
  if (scheme.find(':') != std::string::npos) throw value_fault("URL \"scheme\" should not contain ':'");
  const std::string location = network_location(parts);
  std::string url = percent_quoted(text_of(parts, "path"), "/");
  const bool authority = !location.empty() || (!scheme.empty() && uses_authority(scheme) && url.substr(0, 2) != "//");
  if (authority) {
    if (!url.empty() && url.front() != '/') url.insert(url.begin(), '/');
    url = cat("//", location, url);
  }
  if (!scheme.empty()) url = cat(scheme, ":", url);
  const std::string query = query_text(parts.find("query"));
  if (!query.empty()) url += "?" + query;
  const Value* anchor = parts.find("fragment");  // behind "query" Heat checks nothing any more
  if (anchor != nullptr && !anchor->is_string()) throw type_fault("quote_from_bytes() expected bytes", anchor->mark());
  const std::string fragment = percent_quoted(text_of(parts, "fragment"), "/");
  return Value::string(fragment.empty() ? url : cat(url, "#", fragment));
}

}  // namespace hearth::metadata
