// The proxy that hooks of a recorded build reach the network through: HTTP, and HTTPS by CONNECT. A thread for each
// connection, since a build has few. It decides nothing about what may pass: recording.hpp does.
#pragma once

#include <functional>
#include <memory>

#include "base/net/connection.hpp"
#include "base/sys/process.hpp"
#include "builder/fetch/recording.hpp"

namespace hearth::builder::fetch {

struct ProxySetup {
  bool intercept = false;   ///< take CONNECT over with a certificate authority of our own
  Environment environment;  ///< the caller's: his proxies and authorities are used towards the network
  Duration stall = std::chrono::seconds(60);  ///< a server that sends nothing for so long is given up
  std::function<void(int)> count_request{};   ///< told +1 before a request is answered, -1 when all is done
  OnFetchedBytes on_bytes{};
  AddressCheck check{};  ///< which servers are connected to for hooks
};

class FetchProxy {
 public:
  /// `recording` and `store` must live until stop().
  FetchProxy(std::shared_ptr<Recording> recording, std::shared_ptr<ObjectStore> store, ProxySetup setup);
  FetchProxy(const FetchProxy&) = delete;
  FetchProxy& operator=(const FetchProxy&) = delete;
  ~FetchProxy();

  /// The certificate of the authority to trust, PEM; empty when nothing is intercepted.
  [[nodiscard]] std::string authority() const;
  /// Serves a listening socket, in threads of its own.
  void start(Fd listener);
  /// Closes all connections. A thread that still waits for a server is left behind.
  void stop();

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace hearth::builder::fetch
