// One request of a client, answered from the store or by the network.
#pragma once

#include <string>

#include "base/net/http.hpp"
#include "base/result.hpp"
#include "builder/fetch/channel.hpp"
#include "builder/fetch/proxy_request.hpp"
#include "builder/fetch/recording.hpp"
#include "builder/fetch/redactions.hpp"

namespace hearth::builder::fetch {

struct ExchangeParts {
  Recording& recording;
  ObjectStore& store;
  Redactions& redactions;
  HttpClient& upstream;
  Channel& channel;
  Duration stall;
  const OnFetchedBytes& on_bytes;
};

/// What is asked for; `secure_host` ("host:port") inside a CONNECT that was taken over. Of the proxy itself "/URL" may
/// be asked for, https, too. The error is a reason.
[[nodiscard]] Result<Url, std::string> url_of(const ProxyRequest& request, const std::string& secure_host);

/// Answers. False when the connection must be closed because an answer broke off. Throws when the client is gone.
[[nodiscard]] bool exchange(const ProxyRequest& request, const Url& url, const ExchangeParts& parts);

}  // namespace hearth::builder::fetch
