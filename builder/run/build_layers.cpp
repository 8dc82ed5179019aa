#include "builder/run/build_layers.hpp"

#include "base/net/web_client.hpp"
#include "base/text.hpp"
#include "builder/fetch/fetch_session.hpp"
#include "builder/run/build_facts.hpp"
#include "builder/sandbox/sandbox.hpp"
#include "builder/store/repository_states.hpp"

namespace hearth::builder {

namespace {

const fs::path k_layers_directory = "/hearth/layers";

std::shared_ptr<RemoteCache> remote_cache(const BuildInputs& inputs) {
  if (!inputs.request.remote_cache) return nullptr;
  const auto client = [&] { return std::make_unique<WebClient>(inputs.clock, inputs.request.environment, "hearth"); };
  return std::make_shared<RemoteCache>(RemoteCacheSetup{.url = *inputs.request.remote_cache,
                                                        .read_only = inputs.request.remote_cache_read_only,
                                                        .keys = inputs.request.remote_cache_keys,
                                                        .downloads = client(),
                                                        .uploads = client(),
                                                        .clock = inputs.clock,
                                                        .note = [&inputs](const std::string& text) {
                                                          inputs.log.line(cat("hearth: ", text));
                                                          inputs.progress.note(text);
                                                        }});
}

/// Repositories are what their servers say.
void ask_servers(const BuildInputs& inputs, LayerKeeperSetup& setup) {
  auto client = std::make_shared<WebClient>(inputs.clock, inputs.request.environment, "hearth");
  auto states = std::make_shared<RepositoryStates>(setup.store.directory() / "repositories.json", *client, inputs.clock,
                                                   inputs.layers.repository_age, inputs.request.environment);
  setup.remote_facts.repository = [client, states](const std::string& url) { return states->digest(url); };
  setup.repository_seen = [states](const std::string& url, const std::string& digest) { states->seen(url, digest); };
}

/// Repositories, and all other downloads, are what the lock says, or what is recorded now.
void ask_session(fetch::FetchSession& network, LayerKeeperSetup& setup) {
  setup.remote_facts.fetch = [&network](const std::string& fetch) { return network.answer_now(fetch); };
  setup.remote_facts.repository = [&network](const std::string& url) -> std::optional<std::string> {
    if (url.starts_with("git ") || url.starts_with("url ")) return std::nullopt;  // its requests are facts themselves
    return network.answer_now(cat("GET ", url));
  };
  setup.repository_seen = [](const std::string&, const std::string&) {};
}

}  // namespace

std::unique_ptr<LayerKeeper> make_layer_keeper(const BuildInputs& inputs) {
  fs::create_directories(k_layers_directory);
  LayerStore store(inputs.layer_store);
  LayerKeeperSetup setup{
      .plan = inputs.plan,
      .policy = inputs.layers,
      .store = std::move(store),
      .cache = layer_directory(inputs.request.cache),
      .base_key = layers_base_key(inputs.request, k_shims_directory, k_library_directory),
      .image = inputs.request.output,
      .downloads = fs::weakly_canonical(inputs.network == nullptr ? inputs.request.cache : k_private_cache),
      .written = inputs.places->written_by_hooks(),
      .scratch = {{k_temporary_directory, k_temporary_directory},
                  {"/tmp", "/hearth/private/tmp/upper"},
                  {"/var/tmp", "/hearth/private/var/tmp/upper"}},
      .times = k_layers_directory,
      .began = new_write_time(k_layers_directory),
      .epoch = source_date_epoch(inputs.request.environment),
      .facts = inputs.facts,
      .remote_facts = {},
      .repository_seen = {},
      .network = inputs.network,
      .watch = inputs.watch,
      .remote = inputs.network == nullptr ? remote_cache(inputs) : nullptr,
      .clock = inputs.clock,
      .progress = inputs.progress,
      .log = inputs.log};
  inputs.network == nullptr ? ask_servers(inputs, setup) : ask_session(*inputs.network, setup);
  return std::make_unique<LayerKeeper>(
      std::move(setup), WorkArea::create(k_build_directory, k_layers_directory, !inputs.request.copy_layers));
}

}  // namespace hearth::builder
