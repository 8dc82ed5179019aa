// A software deployment as Heat delivers it, made ready for its hook. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "base/log.hpp"

namespace hearth::agent {

/// Inputs of type String whose value is no text get its Python text form; null and missing values stay.
[[nodiscard]] Json with_text_inputs(Json deployment);

/// For group "component": the first of config.configs whose actions hold the deployment's action gives config and
/// group. Other groups come back unchanged; nothing = no part of the component is for this action.
[[nodiscard]] std::optional<Json> resolve_component(Json deployment);

/// The group reduced to letters, digits, "-" and "_": a file name that can't leave its directory.
[[nodiscard]] std::string hook_name(const std::string& group);

/// Groups that no hook is meant to run: their config goes through os-collect-config to os-apply-config.
[[nodiscard]] bool is_hookless_group(const std::string& group);

/// Whether an id may become a file name: not empty, no "/" and no leading dot.
[[nodiscard]] bool is_safe_id(const std::string& id);

/// Text for logs with secrets replaced by ***.
class SecretMask {
 public:
  /// Secret are the values of inputs whose names say so (password, token, key…) and the signed signal URL; of one with
  /// several lines each, since logs are written by the line.
  explicit SecretMask(const Json& deployment);
  [[nodiscard]] std::string apply(std::string text) const;
  [[nodiscard]] static bool is_secret_name(const std::string& name);

 private:
  std::vector<std::string> secrets_;
};

/// Hands every record on with its secrets masked.
class MaskingLogger final : public Logger {
 public:
  MaskingLogger(Logger& log, SecretMask mask) : log_(log), mask_(std::move(mask)) {}
  void log(LogLevel level, std::string_view text) noexcept override;

 private:
  Logger& log_;
  SecretMask mask_;
};

}  // namespace hearth::agent
