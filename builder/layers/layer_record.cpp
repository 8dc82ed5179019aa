#include "builder/layers/layer_record.hpp"

#include <algorithm>
#include <charconv>

#include "base/hash.hpp"
#include "base/hex.hpp"
#include "base/text.hpp"
#include "base/utf8.hpp"

namespace hearth::builder {

namespace {

constexpr int k_version = 4;
constexpr int k_version_with_binds = 5;  // which a Hearth that knows none must not take

constexpr char k_as_bytes = '\x01';

std::string text_of(const std::string& bytes) {
  const bool is_text = is_valid_utf8(bytes) && !bytes.starts_with(k_as_bytes);
  return is_text ? bytes : cat(std::string(1, k_as_bytes), to_hex(bytes));
}

std::string bytes_of(const std::string& text) {
  if (!text.starts_with(k_as_bytes)) return text;
  std::string bytes;
  for (std::size_t at = 1; at + 1 < text.size(); at += 2) {
    unsigned value = 0;
    std::from_chars(text.data() + at, text.data() + at + 2, value, 16);
    bytes.push_back(static_cast<char>(value));
  }
  return bytes;
}

Json steps_json(const std::vector<Step>& steps) {
  Json list = Json::array();
  for (const Step& step : steps) {
    list.push_back({{"phase", info(step.phase).name},
                    {"kind", static_cast<int>(step.kind)},
                    {"name", step.name},
                    {"element", step.element}});
  }
  return list;
}

Phase phase_of(const Json& json) { return parse_phase(json.get<std::string>()).value_or(Phase::root); }

std::vector<Step> recorded_steps(const Json& list) {
  std::vector<Step> steps;
  for (const Json& step : list) {
    steps.push_back({phase_of(step.at("phase")), static_cast<Step::Kind>(step.at("kind").get<int>()),
                     step.at("name").get<std::string>(), step.at("element").get<std::string>()});
  }
  return steps;
}

Json binds_json(const std::vector<CacheBind>& binds) {
  Json list = Json::array();
  for (const CacheBind& bind : binds)
    list.push_back({{"from", text_of(bind.from)}, {"to", text_of(bind.to)}, {"read_only", bind.is_read_only}});
  return list;
}

bool stays_below(const std::string& path) {
  const std::vector<std::string> parts = split(path, '/');
  return !path.starts_with('/') && std::find(parts.begin(), parts.end(), "..") == parts.end();
}

/// Nothing where one leads out of the cache or the target.
std::optional<std::vector<CacheBind>> recorded_binds(const Json& list) {
  std::vector<CacheBind> binds;
  for (const Json& bind : list) {
    binds.push_back({bytes_of(bind.at("from").get<std::string>()), bytes_of(bind.at("to").get<std::string>()),
                     bind.at("read_only").get<bool>()});
    if (!stays_below(binds.back().from) || !is_place_of_cache_bind(binds.back().to)) return std::nullopt;
  }
  return binds;
}

/// What identifies the layer.
Json identity(const LayerRecord& record) {
  Json steps = Json::array();
  for (const StepRecord& step : record.steps) steps.push_back({{"step", step.label}, {"facts", json_of(step.facts)}});
  Json json = {{"version", k_version},  {"parent", record.parent},          {"planned", record.planned},
               {"steps", steps},        {"phase", info(record.phase).name}, {"rest", steps_json(record.rest)},
               {"copy", record.is_copy}};
  if (record.binds.empty()) return json;
  json["version"] = k_version_with_binds;
  json["binds"] = binds_json(record.binds);
  return json;
}

}  // namespace

Json json_of(const Facts& facts) {
  Facts texts;
  for (const auto& [fact, digest] : facts) texts.emplace(text_of(fact), text_of(digest));
  return texts;
}

Facts facts_from(const Json& json) {
  Facts facts;
  for (const auto& [fact, digest] : json.get<Facts>()) facts.emplace(bytes_of(fact), bytes_of(digest));
  return facts;
}

std::string LayerRecord::id() const { return hex_digest(HashKind::sha256, format_json(identity(*this))); }

std::string lookup_key(const std::string& parent, const std::string& label, bool is_copy) {
  return hex_digest(HashKind::sha256, cat("layer ", k_version, is_copy ? " copy " : " ", parent, " ", label));
}

Json to_json(const StepRecord& step) {
  return {{"step", step.label}, {"element", step.element}, {"seconds", step.seconds}, {"facts", json_of(step.facts)}};
}

Json to_json(const LayerRecord& record) {
  Json json = identity(record);
  Json steps = Json::array();
  for (const StepRecord& step : record.steps) steps.push_back(to_json(step));
  json["steps"] = steps;
  json["began"] = record.written.began;
  json["ended"] = record.written.ended;
  json["blob"] = record.blob;
  json["bytes"] = record.bytes;
  if (!record.made_by.empty()) json["made_by"] = text_of(record.made_by);
  return json;
}

StepRecord step_record(const Json& json) {
  return {json.at("step").get<std::string>(), json.at("element").get<std::string>(), json.at("seconds").get<double>(),
          facts_from(json.at("facts"))};
}

std::optional<LayerRecord> parse_layer_record(const std::string& text) {
  const Result<Json> parsed = parse_json(text, "layer record");
  if (!parsed.ok()) return std::nullopt;
  const Json& json = parsed.value();
  try {
    LayerRecord record;
    if (json.at("version") == k_version_with_binds) {
      const std::optional<std::vector<CacheBind>> binds = recorded_binds(json.at("binds"));
      if (!binds || binds->empty()) return std::nullopt;
      record.binds = *binds;
    } else if (json.at("version") != k_version) {
      return std::nullopt;
    }
    record.parent = json.at("parent").get<std::string>();
    record.planned = json.at("planned").get<std::vector<std::string>>();
    for (const Json& step : json.at("steps")) record.steps.push_back(step_record(step));
    record.phase = phase_of(json.at("phase"));
    record.rest = recorded_steps(json.at("rest"));
    record.is_copy = json.at("copy").get<bool>();
    record.written = {json.at("began").get<std::int64_t>(), json.at("ended").get<std::int64_t>()};
    record.blob = json.at("blob").get<std::string>();
    record.bytes = json.at("bytes").get<std::uint64_t>();
    record.made_by = bytes_of(json.value("made_by", ""));
    return record;
  } catch (const Json::exception&) {
    return std::nullopt;
  }
}

}  // namespace hearth::builder
