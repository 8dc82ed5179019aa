// A stack and the tree of stacks below it, evaluated on demand: what is known is a value, what only the run tells waits
// for an event (a deployment's output, a wait condition's data). learn() tells such a thing; only what used it is
// evaluated again.
//
// A resource remembers its properties (Memo). While they are evaluated a frame collects the events that they use, and
// those of all that they ask on the way; so Tree::users knows for each event who used it, and learn() forgets those
// alone. Whoever asks for himself on the way to himself is a circle, and is told so with its names.
//
// What must hold: a remembered value is the one that evaluating anew would give, as long as nothing that it used was
// told anew. Ids and secrets are derived from the seed, the path and the era, never drawn: a tree that is made again
// has the same ones. The era counts the updates in which a resource was replaced (renew): a new era, a new id.
//
// A template is anybody's: depth, resources, bytes that functions make and time of patterns are bounded for the tree as
// a whole. Once one bound is passed nothing more is evaluated (Tree::exhausted). breathe() is called before each
// evaluation.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "metadata/environment/environment.hpp"
#include "metadata/environment/registry.hpp"
#include "metadata/parameters/parameters.hpp"
#include "metadata/resources/property_schema.hpp"
#include "metadata/resources/type_descriptions.hpp"
#include "metadata/template/conditions.hpp"
#include "metadata/template/template.hpp"

namespace hearth::metadata {

/// Files by name: templates, environments and scripts, as the client of Heat gathers them.
class FileSource {
 public:
  virtual ~FileSource() = default;
  [[nodiscard]] virtual std::optional<std::string> read(const std::string& name) = 0;
  /// Heat's client strips the templates that it reads, so that a text that ends the file has no newline at its end.
  [[nodiscard]] virtual bool strips_templates() const { return false; }
  /// The name of `reference` as written in `from`: "nested.yaml" in "dir/top.yaml" is "dir/nested.yaml".
  [[nodiscard]] virtual std::string resolve(const std::string& from, const std::string& reference) = 0;
  /// Names of the files where this one would be: for advice alone.
  [[nodiscard]] virtual std::vector<std::string> beside(const std::string& /*name*/) { return {}; }
};

/// "Did you mean chain.yaml?", of the files where this one would be; empty where none is near.
[[nodiscard]] std::string advice_of_file(FileSource& files, const std::string& name);

struct StackSettings {
  std::string seed{};             ///< of all ids and secrets; empty = a random one, for what is not kept
  std::string key_seed{};         ///< of the keys by which agents come in; empty = the seed
  std::string former_key_seed{};  ///< of keys that still hold for a while after a rotation; empty = none
  std::int64_t former_until = 0;  ///< Unix seconds
  std::string project = "admin";
  std::size_t yaql_limit = 1'000'000;
  std::size_t deepest = 20;
  std::size_t most_of_one_template = 5;  ///< times that a template may stand inside itself, with other parameters
  std::size_t most_resources = 200'000;
  std::size_t largest_template = std::numeric_limits<std::size_t>::max();  ///< bytes of its text
  std::uint64_t most_made = 1ULL << 30U;  ///< bytes that functions make in one evaluation of the tree
  /// Each resource's properties are written out and kept, so that what they share counts each time.
  bool keeps_properties = false;
  /// Whether an element at hand brings the hook for deployments of a group; not set: none does.
  std::function<bool(const std::string& group)> brings_hook = {};
  /// For validation alone: types that only a cloud can make are good, nobody looks inside nested templates for
  /// attributes or at values there, at conditions that nothing asks for, or at what outputs and metadata come to.
  bool checked_as_heat_does = false;
};

class Stack;

struct Resource {
  std::string name;
  std::string path;
  std::string type;       ///< as written
  std::string real_type;  ///< behind the registry; the file of a nested template
  Family family = Family::opaque;
  Mark mark{};
  std::string uuid;
  std::string physical_name;
  Stack* owner = nullptr;
  std::unique_ptr<Stack> nested;
  Value given{};  ///< parameters of the nested template
  Implementation implementation;
  const ResourceDefinition* definition = nullptr;
  const ResourceType* table = nullptr;

  /// Memory of one evaluation, with the events that it used.
  struct Memo {
    std::optional<Value> value;
    std::set<std::string> events;
    bool busy = false;
    std::shared_ptr<const Fault> failed{};  ///< in that validation: all that use it fail likewise
    std::size_t failed_in = 0;
  };
  Memo raw, typed, needs_memo;
  std::vector<std::string> needs;
  std::set<std::string> passed_over;  ///< of a ResourceGroup whose members are known: names that it does not use
};

/// What all stacks of one tree share.
struct Tree {
  Tree(Sources& known_sources, FileSource& known_files) : sources(known_sources), files(known_files) {}

  StackSettings settings;
  TextFilter mend_text{};           ///< before they are parsed
  DocumentFilter mend{};            ///< of templates and environments, for whoever looks for all mistakes at once
  std::vector<Fault> further{};     ///< found by him beside one that was thrown
  std::function<void()> breathe{};  ///< called before anything is evaluated: whoever has more to do may do it
  std::size_t suggested_from = 0;   ///< names that wrong references were compared with
  Sources& sources;
  FileSource& files;
  Environment environment;
  std::unordered_map<std::string, TemplatePtr> templates;               ///< by file
  std::unordered_map<std::string, Resource*> by_id;                     ///< references given out
  std::map<std::string, Value> learned;                                 ///< attributes by resource path
  std::unordered_map<std::string, std::set<Resource*>> users;           ///< of events, by the path of what tells them
  std::vector<std::set<std::string>*> frames;                           ///< evaluations going on
  std::vector<std::string> chain;                                       ///< their names, for circles
  std::map<std::string, std::map<std::string, std::string>> addresses;  ///< given out by subnet: address → port
  std::map<std::string, std::map<std::string, std::string>> held;  ///< by ports that are there: path → subnet → address
  std::unordered_map<std::string, Value> texts;     ///< of get_file, by file: one text, however often it is named
  std::map<std::string, std::string> random_texts;  ///< of RandomStrings that were made elsewhere, by path
  std::size_t era = 0;                              ///< of what is made now: how often the stack was updated before
  std::map<std::string, std::size_t> eras;          ///< of what is there, by path
  std::size_t resources = 0;  ///< made since it learned something last, with those that were there
  bool too_deep = false;      ///< something in it needs more than can be evaluated within each other
  std::uint64_t made = 0;     ///< bytes, since the tree was made or learned something
  void spend(std::uint64_t bytes);
  std::size_t validation = 0;   ///< the one that goes on, by number; none: 0
  std::size_t validations = 0;  ///< that there were
  PatternBudget patterns{};     ///< of the constraints of its stacks' parameters
  /// It has more resources, or made more, than it may, or is too deep: nothing more is to be looked at.
  [[nodiscard]] bool exhausted() const {
    return too_deep || resources > settings.most_resources || made > settings.most_made || patterns.is_gone();
  }

  /// What makes ids and secrets of a later era others: "" in the first one.
  [[nodiscard]] std::string era_of(const std::string& path) const;
  std::string root_id;  ///< of the root stack: what is derived for one stack says nothing of another's
  /// What secrets of a resource are derived from: its stack and its path.
  [[nodiscard]] std::string secret_place(const std::string& path) const { return root_id + "/" + path; }
};

class Stack final : public Scope {
 public:
  /// The root. `identity.id` may be empty. Throws Fault.
  Stack(Tree& tree, TemplatePtr source, StackIdentity identity, const Value& given);
  /// A nested one, of a template or (source null) of `members`.
  Stack(Tree& tree, TemplatePtr source, StackIdentity identity, const Value& given, Resource& parent,
        Registry registry);
  ~Stack() override;

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] const StackIdentity& identity() const { return identity_; }
  [[nodiscard]] const Template* source() const { return template_.get(); }
  [[nodiscard]] const TemplatePtr& definition() const { return template_; }
  [[nodiscard]] StackParameters& parameters() { return *parameters_; }
  [[nodiscard]] Resource* parent() const { return parent_; }
  [[nodiscard]] Tree& tree() const { return tree_; }
  /// In the order of the template; those whose condition is false are not among them.
  [[nodiscard]] std::vector<Resource*> resources();
  [[nodiscard]] Resource* find(std::string_view name);
  /// By path below this stack: "Compute.0.server".
  [[nodiscard]] Resource* find_path(std::string_view path);
  /// What the structure of this stack waits for, where a condition or a count is not known yet.
  [[nodiscard]] const std::vector<Event>& structure_waits() const { return structure_waits_; }

  /// Properties as resolved, before conversion; typed: converted, with defaults.
  [[nodiscard]] Value raw_properties(Resource& resource);
  [[nodiscard]] Value properties(Resource& resource);
  [[nodiscard]] Value metadata_of(Resource& resource);
  [[nodiscard]] Value reference_of(Resource& resource);
  [[nodiscard]] Value attribute_of(Resource& resource, const std::vector<Value>& path);
  [[nodiscard]] Value output(const std::string& name);
  [[nodiscard]] bool has_output(std::string_view name) const;
  /// Names in this stack that the resource comes after.
  [[nodiscard]] const std::vector<std::string>& needs(Resource& resource);
  /// The stack inside a resource of the families nested, group, chain and deployment_group; null while it can't be
  /// known.
  [[nodiscard]] Stack* nested_of(Resource& resource);
  /// Attributes that only the run tells; what used earlier ones is evaluated anew. Returns those resources.
  std::vector<Resource*> learn(const std::string& path, const Value& attributes);
  /// What is at this path is made anew in this era: it has another id, and nothing is known of it. What comes after it
  /// is evaluated again.
  void renew(const std::string& path);
  /// Adds a member to a stack without template.
  void add_member(ResourceDefinition definition);

  // Scope
  std::optional<Value> parameter(std::string_view name) override;
  std::vector<std::string> parameter_names() const override { return parameters_->names(); }
  std::vector<std::string> resource_names() const override;
  bool has_resource(std::string_view name) override;
  Value reference(std::string_view name) override;
  bool has_attribute(std::string_view name, std::string_view attribute) override;
  std::vector<std::string> attribute_names(std::string_view name) override;
  Value attribute(std::string_view name, const std::vector<Value>& path) override;
  Value condition(const Value& name) override;
  std::optional<Value> file(std::string_view name) override;
  [[nodiscard]] std::string advice_of_file(std::string_view name) override;
  Value facade(std::string_view which) override;
  Value mappings() override;
  void spend(std::uint64_t bytes) override { tree_.spend(bytes); }
  std::size_t yaql_limit() const override { return tree_.settings.yaql_limit; }
  void breathe() override {
    if (tree_.breathe) tree_.breathe();
  }

 private:
  void read_resources();
  void read_definitions();
  [[nodiscard]] bool is_wanted(const ResourceDefinition& definition);
  [[nodiscard]] bool members_have(Resource& group, std::string_view attribute);
  [[nodiscard]] std::string nearest_template() const;
  void add_resource(const ResourceDefinition& definition);
  void count_one_more(const Mark& mark);
  Value remember(Resource& resource, Resource::Memo& memo, const std::function<Value()>& evaluate);
  void use_event(const std::string& path);
  void forget(Resource& resource);
  void forget_users(const Resource& resource);
  void identify(Resource& resource);
  [[nodiscard]] Value event_value(Resource& resource, const std::string& attribute);
  [[nodiscard]] Value deployment_attribute(Resource& resource, const std::vector<Value>& path);
  [[nodiscard]] Value members_attribute(Resource& resource, const std::vector<Value>& path);
  [[nodiscard]] Value group_attribute(Resource& resource, Stack& nested, const std::vector<Value>& path);
  Value stack_reference(Resource& resource);
  [[nodiscard]] Value nested_attribute(Resource& resource, const std::vector<Value>& path);
  [[nodiscard]] Value plain_attribute(Resource& resource, const std::vector<Value>& path);
  [[nodiscard]] Value port_attribute(Resource& resource, const std::vector<Value>& path);

  Tree& tree_;
  TemplatePtr template_;
  StackIdentity identity_;
  std::string path_;
  Resource* parent_ = nullptr;
  Registry registry_;
  std::unique_ptr<StackParameters> parameters_;
  std::unique_ptr<Conditions> conditions_;
  std::vector<std::unique_ptr<Resource>> resources_;
  std::unordered_map<std::string, Resource*> by_name_;
  std::set<std::string> disabled_;
  std::map<std::string, std::vector<Event>, std::less<>> undecided_;  ///< resources whose condition waits
  std::vector<std::unique_ptr<ResourceDefinition>> members_;
  std::vector<Event> structure_waits_;
  bool read_ = false;
  std::optional<std::unordered_map<std::string, std::vector<Resource*>>> users_;  ///< by what they need, while it holds
};

/// Throws RequestLimitExceeded, as Heat does, for a text that is too large for a template.
void check_template_size(std::size_t bytes, std::size_t most);
/// The template of a file, read once a tree. Throws Fault.
[[nodiscard]] TemplatePtr template_of(Tree& tree, const std::string& file);
/// Makes the stack inside a group, a chain, a deployment group or a nested template; null while something it needs
/// waits (then `waits` says for what).
[[nodiscard]] std::unique_ptr<Stack> make_nested(Stack& stack, Resource& resource, const Registry& registry,
                                                 std::vector<Event>& waits);
/// Whether its files alone, whatever resources will tell, come to more resources than the tree may have.
[[nodiscard]] bool will_be_too_many(Stack& root);
/// Whether a ResourceGroup's removal_policies name anything. Which names it passes over depends on what was learned of
/// it: "removed_rsrc_list", those so far; "refs_map", the members that are there; "decided": the list is to be taken as
/// it is.
[[nodiscard]] bool has_removal_policies(Resource& group);
/// The content that deployments and user data get from a resource of the family config: a script, a map, cloud-config
/// text, MIME parts. `stack` finds configs by id.
[[nodiscard]] Value config_value(const std::string& type, const Value& properties, Stack& stack);
/// The text that a RandomString has.
[[nodiscard]] std::string random_text(const Value& properties, const std::string& seed);
/// Calls `visit` for every resource of the tree, parents first.
void for_each_resource(Stack& stack, const std::function<void(Resource&)>& visit);

}  // namespace hearth::metadata
