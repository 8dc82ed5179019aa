#include "builder/store/remote_cache.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <thread>

#include "base/hash.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"
#include "builder/store/action_result.hpp"
#include "tests/fakes/scripted_http.hpp"

namespace hearth::builder {
namespace {

using fakes::ScriptedHttp;

const std::string k_base = "http://192.0.2.7/cache";
const std::string k_key(64, 'a');

// Made by `openssl genpkey -algorithm ed25519` for these tests.
const RecordKeys k_site = {
    "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g\n-----END PRIVATE "
    "KEY-----\n",
    {"d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a"}};
const RecordKeys k_stranger = {
    "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIGetF8t1iM686Keoy4Z4OAIwI21E76otjOJU1F3NKTXu\n-----END PRIVATE "
    "KEY-----\n",
    {"74a4d0baca3541a4c30c91ed5f53347d71aae5100ef35a379c1766f33823e205"}};

std::string remote_cache_digest_of(const std::string& bytes) { return hex_digest(HashKind::sha256, bytes); }

LayerRecord remote_cache_layer(const std::string& bytes, const std::string& step = "root.d/10-a") {
  LayerRecord record{.parent = "base", .planned = {step}};
  record.steps = {{step, "element", 1.5, {{"env DIB_RELEASE", "1234"}}}};
  record.blob = remote_cache_digest_of(bytes);
  record.bytes = bytes.size();
  return record;
}

/// A cache beside two scripted servers, one for each direction, and a store.
struct Fixture {
  TempDir directory = TempDir::create(fs::temp_directory_path(), "hearth-test-");
  SystemClock clock;
  BlobStore store{directory.path() / "blobs"};
  ScriptedHttp* down = new ScriptedHttp;
  ScriptedHttp* up = new ScriptedHttp;
  std::vector<std::string> notes;
  RemoteCache cache;

  explicit Fixture(bool read_only = false, RecordKeys keys = {})
      : cache({.url = parse_url(k_base + "/").value(),
               .read_only = read_only,
               .keys = std::move(keys),
               .downloads = std::unique_ptr<HttpClient>(down),
               .uploads = std::unique_ptr<HttpClient>(up),
               .clock = clock,
               .note = [this](const std::string& text) { notes.push_back(text); }}) {}

  std::string keep(const std::string& bytes) const {
    BlobStore::Writer writer = store.begin();
    writer.write(bytes);
    return writer.commit();
  }
  /// The server gives bytes as an answer's body, as the real client does.
  void gives(const std::string& path, int status, const std::string& body) const {
    down->on("GET", cat(k_base, path), [status, body](const HttpRequest& request) {
      HttpResponse response{status, "", {}, "", request.url};
      if (request.sink == nullptr) {
        response.body = body;
      } else {
        request.sink->begin(response);
        request.sink->take(body);
      }
      return response;
    });
  }
};

TEST(RemoteCache, ALayerIsFoundFetchedAndCheckedAgainstItsDigest) {
  Fixture f;
  f.gives(cat("/ac/", k_key), 200, encode_action({{remote_cache_layer("layer bytes"), ""}}));
  f.gives(cat("/cas/", remote_cache_digest_of("layer bytes")), 200, "layer bytes");
  const std::vector<LayerRecord> found = f.cache.find(k_key);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_TRUE(f.cache.fetch(found.front(), f.store));
  EXPECT_TRUE(f.store.verify(found.front().blob));
  EXPECT_EQ(f.cache.fetched_bytes(), 11U);
  EXPECT_TRUE(f.notes.empty());
}

TEST(RemoteCache, OtherBytesThanThoseOfTheDigestAreNeverKeptNorAskedForAgain) {
  Fixture f;
  f.gives(cat("/ac/", k_key), 200, encode_action({{remote_cache_layer("layer bytes"), ""}}));
  f.gives(cat("/cas/", remote_cache_digest_of("layer bytes")), 200, "other bytes");
  const std::vector<LayerRecord> found = f.cache.find(k_key);
  EXPECT_FALSE(f.cache.fetch(found.front(), f.store));
  EXPECT_TRUE(f.store.list().empty());
  EXPECT_TRUE(f.cache.find(k_key).empty());
  EXPECT_EQ(f.notes.size(), 1U);
}

TEST(RemoteCache, OnlyARecordThatTheSiteSignedForThisPlaceIsUsed) {
  const LayerRecord layer = remote_cache_layer("layer bytes");
  const SignedRecord good = sign_record(k_site, k_key, layer);
  SignedRecord forged = good;
  forged.record.blob = remote_cache_digest_of("evil bytes");
  SignedRecord relabelled = good;
  relabelled.record.steps[0].facts["env DIB_RELEASE"] = "5678";
  const SignedRecord replayed = sign_record(k_site, std::string(64, 'b'), layer);
  const struct {
    const char* what = "";
    SignedRecord record;
    bool is_used = false;
  } cases[] = {{"the site's", good, true},
               {"one without a signature", {layer, ""}, false},
               {"another archive under the site's signature", forged, false},
               {"other inputs under the site's signature", relabelled, false},
               {"another's signature", sign_record(k_stranger, k_key, layer), false},
               {"the site's from another place", replayed, false},
               {"half a signature", {layer, good.signature.substr(0, 32)}, false}};
  for (const auto& [what, record, is_used] : cases) {
    Fixture f(false, {"", k_site.trusted});
    f.gives(cat("/ac/", k_key), 200, encode_action({record}));
    EXPECT_EQ(f.cache.find(k_key).size(), is_used ? 1U : 0U) << what;
    EXPECT_TRUE(f.cache.find(k_key).empty() || is_used);
    EXPECT_EQ(f.notes.size(), is_used ? 0U : 1U) << what << ": told, and once";
  }
}

TEST(RemoteCache, OfTwoKeysEitherCounts) {
  Fixture f(false, {"", {k_site.trusted[0], k_stranger.trusted[0]}});
  f.gives(cat("/ac/", k_key), 200,
          encode_action({sign_record(k_stranger, k_key, remote_cache_layer("a")),
                         sign_record(k_site, k_key, remote_cache_layer("b", "root.d/20-b"))}));
  EXPECT_EQ(f.cache.find(k_key).size(), 2U);
}

TEST(RemoteCache, AnUploadIsSignedAndLeavesNoForgeryBesideIt) {
  Fixture f(false, k_site);
  const std::string cas = cat(k_base, "/cas/", f.keep("mine"));
  const std::string ac = cat(k_base, "/ac/", k_key);
  f.up->on("HEAD", cas, 200);
  f.up->on("GET", ac, 200,
           encode_action({sign_record(k_stranger, k_key, remote_cache_layer("evil", "root.d/20-b")),
                          sign_record(k_site, k_key, remote_cache_layer("ours", "root.d/30-c"))}));
  f.up->on("PUT", ac, 201);
  f.cache.upload(k_key, remote_cache_layer("mine"), f.store);
  f.cache.finish();
  const std::vector<SignedRecord> put = decode_action(f.up->sent.back().body);
  ASSERT_EQ(put.size(), 2U);
  EXPECT_EQ(put[0].record.blob, remote_cache_digest_of("mine"));
  for (const SignedRecord& given : put) EXPECT_TRUE(is_trusted({"", k_site.trusted}, k_key, given));
}

TEST(RemoteCache, AMissIsNoFault) {
  Fixture f;
  f.gives(cat("/ac/", k_key), 404, "not here");
  EXPECT_TRUE(f.cache.find(k_key).empty());
  EXPECT_TRUE(f.notes.empty());
  EXPECT_TRUE(f.cache.find(k_key).empty());
  EXPECT_EQ(f.down->sent.size(), 2U);  // it is asked again: nothing was wrong
}

TEST(RemoteCache, ADeadServerIsAskedOnceAndToldOnce) {
  Fixture f;
  EXPECT_TRUE(f.cache.find(k_key).empty());
  EXPECT_TRUE(f.cache.find(k_key).empty());
  f.cache.upload(k_key, remote_cache_layer("x"), f.store);
  f.cache.finish();
  EXPECT_EQ(f.down->sent.size(), 1U);
  EXPECT_TRUE(f.up->sent.empty());
  ASSERT_EQ(f.notes.size(), 1U);
  EXPECT_NE(f.notes[0].find("Connection refused"), std::string::npos);
}

/// A server that answers nothing until the cache has said that it waits, or for five seconds.
struct MuteServer {
  std::latch told{1};
  std::vector<std::string> notes;
  SystemClock clock;
  ScriptedHttp* down = new ScriptedHttp;
  ScriptedHttp* up = new ScriptedHttp;
  RemoteCache cache{{.url = parse_url(k_base).value(),
                     .keys = {},
                     .downloads = std::unique_ptr<HttpClient>(down),
                     .uploads = std::unique_ptr<HttpClient>(up),
                     .clock = clock,
                     .note =
                         [this](const std::string& text) {
                           notes.push_back(text);
                           if (!told.try_wait()) told.count_down();
                         },
                     .moment = std::chrono::milliseconds(1)}};
  auto answers(int status) {
    return [this, status](const HttpRequest& request) {
      for (int i = 0; i < 500 && !told.try_wait(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
      return HttpResponse{status, "", {}, "", request.url};
    };
  }
};

TEST(RemoteCache, WhoWaitsForAMuteServerKnowsForWhat) {
  MuteServer server;
  server.down->on("GET", cat(k_base, "/ac/", k_key), server.answers(404));
  EXPECT_TRUE(server.cache.find(k_key).empty());
  ASSERT_EQ(server.notes.size(), 1U);
  EXPECT_EQ(server.notes[0],
            cat("waiting for an answer of the remote cache ", k_base, "; 5 s of its silence end that"));
}

TEST(RemoteCache, TheEndOfABuildSaysWhatItWaitsFor) {
  const Fixture f;
  MuteServer server;
  server.up->on("HEAD", cat(k_base, "/cas/", f.keep("mine")), server.answers(500));
  server.cache.upload(k_key, remote_cache_layer("mine"), f.store);
  server.cache.finish();
  ASSERT_FALSE(server.notes.empty());
  EXPECT_EQ(server.notes[0].find(cat("handing layers to the remote cache ", k_base)), 0U) << server.notes[0];
}

TEST(RemoteCache, EveryExchangeHasABoundThatFollowsFromItsSize) {
  Fixture f;
  f.gives(cat("/ac/", k_key), 404, "");
  (void)f.cache.find(k_key);
  EXPECT_FALSE(f.down->sent.at(0).deadline.is_never());
  EXPECT_GT(f.down->sent.at(0).stall, Duration::zero());
}

TEST(RemoteCache, AnUploadPutsTheArchiveBeforeTheRecordAndKeepsWhatOthersPut) {
  Fixture f;
  const std::string digest = f.keep("mine");
  const std::string cas = cat(k_base, "/cas/", digest);
  const std::string ac = cat(k_base, "/ac/", k_key);
  f.up->on("HEAD", cas, 404);
  f.up->on("PUT", cas, 201);
  f.up->on("GET", ac, 200, encode_action({{remote_cache_layer("theirs", "root.d/20-b"), ""}}));
  f.up->on("PUT", ac, 204);
  f.cache.upload(k_key, remote_cache_layer("mine"), f.store);
  f.cache.finish();
  ASSERT_EQ(f.up->sent.size(), 4U);
  EXPECT_EQ(f.up->sent[1].body, "mine");
  EXPECT_EQ(f.up->sent[3].method, "PUT");
  const std::vector<SignedRecord> put = decode_action(f.up->sent[3].body);
  ASSERT_EQ(put.size(), 2U);
  EXPECT_EQ(put[0].record.blob, digest);
  EXPECT_EQ(f.cache.uploaded_bytes(), 4U);
  EXPECT_TRUE(f.notes.empty());
  EXPECT_EQ(f.cache.summary(), "remote cache http://192.0.2.7/cache/: 4 B uploaded\n");
}

TEST(RemoteCache, OneThatRefusesIsToldOfAtOnceAndAtTheEnd) {
  Fixture f;
  EXPECT_EQ(f.cache.summary(), "");
  f.gives(cat("/ac/", k_key), 401, "");
  (void)f.cache.find(k_key);
  const std::string why =
      "it answers 401  (name and password stand in its URL: --remote-cache, or remote-cache in hearth.conf)";
  ASSERT_EQ(f.notes.size(), 1U);
  EXPECT_EQ(f.notes[0], cat("the remote cache http://192.0.2.7/cache/ is not used any more: ", why));
  f.cache.finish();
  EXPECT_EQ(f.cache.summary(), cat("warning: remote cache http://192.0.2.7/cache/: not used to the end: ", why, "\n"));
}

TEST(RemoteCache, WhatTheServerHasIsNotSentAgain) {
  Fixture f;
  const std::string cas = cat(k_base, "/cas/", f.keep("mine"));
  f.up->on("HEAD", cas, 200);
  f.up->on("GET", cat(k_base, "/ac/", k_key), 404);
  f.up->on("PUT", cat(k_base, "/ac/", k_key), 201);
  f.cache.upload(k_key, remote_cache_layer("mine"), f.store);
  f.cache.finish();
  EXPECT_EQ(f.up->sent.size(), 3U);
  EXPECT_EQ(f.cache.uploaded_bytes(), 0U);
}

TEST(RemoteCache, WhatTheServerDoesNotHaveOrHasDroppedIsOfferedLater) {
  const LayerRecord layer = remote_cache_layer("mine");
  const struct {
    bool known;
    int archive;  ///< the answer to HEAD
    std::size_t requests;
  } cases[] = {{true, 200, 2}, {true, 404, 4}, {false, 404, 4}, {false, 200, 4}};
  for (const auto& [known, archive, requests] : cases) {
    Fixture f;
    const std::string cas = cat(k_base, "/cas/", f.keep("mine"));
    const std::string ac = cat(k_base, "/ac/", k_key);
    f.up->on("GET", ac, 200, encode_action({{known ? layer : remote_cache_layer("theirs", "root.d/20-b"), ""}}));
    f.up->on("HEAD", cas, archive);
    f.up->on("PUT", cas, 201);
    f.up->on("PUT", ac, 201);
    f.cache.offer(k_key, layer, f.store);
    f.cache.finish();
    EXPECT_EQ(f.up->sent.size(), requests) << known << archive;
    EXPECT_EQ(f.cache.uploaded_bytes(), archive == 200 ? 0U : 4U);
  }
}

/// Its time moves when it is told to. Whoever asks in the thread that made it opens the gate.
struct GatedClock final : Clock {
  [[nodiscard]] MonotonicTime now() const override {
    if (std::this_thread::get_id() == owner && !gate.try_wait()) gate.count_down();
    return MonotonicTime(std::chrono::seconds(seconds));
  }
  [[nodiscard]] WallTime wall() const override { return {}; }
  void sleep(Duration /*duration*/) override {}
  std::thread::id owner = std::this_thread::get_id();
  mutable std::latch gate{1};
  std::atomic<int> seconds = 1000;
};

TEST(RemoteCache, ABuildsEndDoesNotWaitForEachAnswerOfASlowServer) {
  constexpr int layers = 20;
  constexpr int seconds_each = 4;
  Fixture f;
  GatedClock clock;
  auto* const up = new ScriptedHttp;
  std::vector<std::string> notes;
  RemoteCache cache({.url = parse_url(k_base).value(),
                     .keys = {},
                     .downloads = std::make_unique<ScriptedHttp>(),
                     .uploads = std::unique_ptr<HttpClient>(up),
                     .clock = clock,
                     .note = [&](const std::string& text) { notes.push_back(text); }});
  const LayerRecord layer = remote_cache_layer("mine");
  up->on("HEAD", cat(k_base, "/cas/", f.keep("mine")), 200);
  up->on("GET", cat(k_base, "/ac/", k_key), [&](const HttpRequest& request) {
    clock.gate.wait();  // until the build ends
    clock.seconds += seconds_each;
    return HttpResponse{200, "", {}, encode_action({{layer, ""}}), request.url};
  });
  for (int i = 0; i < layers; ++i) cache.offer(k_key, layer, f.store);
  cache.finish();
  EXPECT_EQ(up->sent.size(), 4U) << "five seconds, and one for each MiB";
  EXPECT_EQ(notes, std::vector<std::string>{"the remote cache http://192.0.2.7/cache takes long: 18 layers were not "
                                            "uploaded; a later build that takes them uploads them"});
}

TEST(RemoteCache, AServerThatRefusesUploadsIsToldOnce) {
  Fixture f;
  const std::string cas = cat(k_base, "/cas/", f.keep("mine"));
  f.up->on("HEAD", cas, 404);
  f.up->on("PUT", cas, 403);
  f.cache.upload(k_key, remote_cache_layer("mine"), f.store);
  f.cache.finish();
  ASSERT_EQ(f.notes.size(), 1U);
  EXPECT_NE(f.notes[0].find("403"), std::string::npos);
  EXPECT_NE(f.notes[0].find("takes no layers, and is only read from"), std::string::npos);
  EXPECT_NE(f.notes[0].find("--remote-cache-read-only"), std::string::npos);
  f.gives(cat("/ac/", k_key), 404, "");
  EXPECT_TRUE(f.cache.find(k_key).empty());
  EXPECT_FALSE(f.down->sent.empty()) << "it is asked for layers all the same";
}

TEST(RemoteCache, ReadOnlyNothingIsUploaded) {
  Fixture f(true);
  f.cache.upload(k_key, remote_cache_layer("mine"), f.store);
  f.cache.finish();
  EXPECT_TRUE(f.up->sent.empty());
}

}  // namespace
}  // namespace hearth::builder
