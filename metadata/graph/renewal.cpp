// Of a resource that another one takes the place of, nothing is known any more, and what came after it is made anew.
#include <map>
#include <unordered_set>

#include "base/text.hpp"
#include "metadata/graph/stack.hpp"

namespace hearth::metadata {

namespace {

/// What is said of the resource at `path` and of all inside it.
template <class Known>
void erase_below(std::map<std::string, Known>& by_path, const std::string& path) {
  by_path.erase(path);
  const std::string inside = cat(path, ".");
  const auto first = by_path.lower_bound(inside);
  auto last = first;
  while (last != by_path.end() && last->first.starts_with(inside)) ++last;
  by_path.erase(first, last);
}

}  // namespace

void Stack::renew(const std::string& path) {
  Resource* resource = find_path(path);
  if (resource == nullptr) return;
  erase_below(tree_.eras, path);
  erase_below(tree_.learned, path);
  erase_below(tree_.random_texts, path);
  tree_.by_id.erase(resource->uuid);
  resource->nested.reset();
  resource->owner->forget(*resource);
  resource->owner->identify(*resource);
  for (const Resource* changed = resource; changed != nullptr; changed = changed->owner->parent()) {
    changed->owner->forget_users(*changed);
  }
}

/// All that comes after a resource of this stack.
void Stack::forget_users(const Resource& resource) {
  if (!users_) {
    std::unordered_map<std::string, std::vector<Resource*>> users;
    for (const auto& each : resources_) {
      for (const std::string& need : needs(*each)) users[need].push_back(each.get());
    }
    users_ = std::move(users);
  }
  std::vector<Resource*> changed;
  std::unordered_set<std::string> names{resource.name};
  const auto add_users_of = [&](const std::string& name) {
    const auto users = users_->find(name);
    for (Resource* user : users == users_->end() ? std::vector<Resource*>{} : users->second) {
      if (names.insert(user->name).second) changed.push_back(user);
    }
  };
  add_users_of(resource.name);
  for (std::size_t i = 0; i < changed.size(); ++i) add_users_of(changed[i]->name);
  for (Resource* each : changed) {
    forget(*each);
    each->nested.reset();
  }
}

}  // namespace hearth::metadata
