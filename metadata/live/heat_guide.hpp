// The guide to the template language that Hearth knows: its property tables, versions and functions, as Heat's API
// shows them.
#pragma once

#include <functional>

#include "metadata/rest/template_guide.hpp"

namespace hearth::metadata::live {

class HeatGuide final : public TemplateGuide {
 public:
  /// Called now and then while a template is validated.
  void set_breath(std::function<void()> breathe) { breathe_ = std::move(breathe); }
  [[nodiscard]] std::vector<std::string> resource_types() const override;
  [[nodiscard]] std::optional<Json> resource_type(const std::string& name) const override;
  [[nodiscard]] std::optional<Json> type_template(const std::string& name, bool hot) const override;
  [[nodiscard]] Json versions() const override;
  [[nodiscard]] std::optional<Json> functions(const std::string& version, bool conditions) const override;
  [[nodiscard]] Json validate(const Json& request, bool nested) const override;

 private:
  std::function<void()> breathe_;
};

}  // namespace hearth::metadata::live
