// Blueprints of real templates: the resource graph of metadata/graph as the engine wants to see it.
#pragma once

#include <map>
#include <optional>

#include "metadata/compile/request.hpp"
#include "metadata/engine/blueprint.hpp"
#include "metadata/live/breakpoints.hpp"

namespace hearth::metadata::live {

inline constexpr std::size_t k_largest_template = 524'288;  ///< Heat's max_template_size

class HeatBlueprintMaker final : public BlueprintMaker {
 public:
  /// `secret` seeds ids and random strings, together with the stack's own UUID.
  explicit HeatBlueprintMaker(std::string secret) : secret_(std::move(secret)) {}
  /// Throws Error with the position in the template; everything is validated.
  [[nodiscard]] std::unique_ptr<Blueprint> make(const StackDefinition& definition) override;

 private:
  std::string secret_;
};

class HeatBlueprint final : public Blueprint {
 public:
  /// `given`: the parameters of the request.
  HeatBlueprint(std::unique_ptr<StackModel> model, Json given);

  [[nodiscard]] PlannedStack stack(const std::string& path) override;
  [[nodiscard]] std::string physical_id(const std::string& path) override;
  [[nodiscard]] Json reference(const std::string& path) override;
  [[nodiscard]] Json properties(const std::string& path) override;
  [[nodiscard]] PlannedDeployment deployment(const std::string& path, const Trigger& trigger) override;
  [[nodiscard]] PlannedServer server(const std::string& path) override;
  [[nodiscard]] std::string user_data(const std::string& path, const Json& document) override;
  [[nodiscard]] PlannedWait wait(const std::string& path) override;
  [[nodiscard]] std::vector<PlannedOutput> outputs(const std::string& stack_path) override;
  [[nodiscard]] PlannedHandle handle(const std::string& path) override;
  [[nodiscard]] Json kept(const std::string& path) override;
  [[nodiscard]] Json resource_data(const std::string& path) override;
  void renew(const std::string& path) override;
  [[nodiscard]] bool updates_in_place(const std::string& path, const std::vector<std::string>& changed) override;
  [[nodiscard]] Json parameters(const std::string& stack_path) override;
  [[nodiscard]] Json shown_attributes(const std::string& path) override;
  [[nodiscard]] Json source(const std::string& stack_path) override;
  [[nodiscard]] Json environment() override;
  [[nodiscard]] std::vector<std::string> immutable_parameters() override;
  void know(const std::string& path, const Json& attributes) override;

 private:
  [[nodiscard]] metadata::Resource& at(const std::string& path);
  [[nodiscard]] metadata::Stack& stack_at(const std::string& path);
  [[nodiscard]] Json fixed_properties(metadata::Resource& resource);
  [[nodiscard]] bool loses_members(const std::string& path);

  std::unique_ptr<StackModel> model_;
  Json given_;
  std::optional<Breakpoints> breakpoints_;        ///< none where no resource has hooks
  std::map<std::string, std::string> handle_of_;  ///< by what refers to it, where that is no UUID
  std::string nonce_;                             ///< another one for each update
};

}  // namespace hearth::metadata::live
