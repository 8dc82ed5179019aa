// `hearth seed handover`: nodes, images and stacks of a seed are given to a live OpenStack. Each step can be done
// again, and what was begun is kept in a journal: after any interruption the same command goes on, or `--back` returns
// all of it. A machine has one owner at each moment: the seed gives it no orders from before the cloud hears of it.
//
//     look (all faults at once) → images → each node: seed gives it; enrol, ports; manage; adopt or provide
//         → stacks (stack_giving.hpp) → agents → record
//
// Nothing is switched, written or cleaned: Ironic adopts what is in service.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/path.hpp"
#include "base/sys/secret.hpp"
#include "bootstrap/seed/given_forms.hpp"
#include "bootstrap/seed/given_stack_forms.hpp"

namespace hearth::bootstrap {

/// The seed, the cloud and a person. The seam.
class GivingWorld {
 public:
  struct Answer {
    int status = 0;
    Json body;
    [[nodiscard]] bool good() const { return status >= 200 && status < 300; }
    /// What it says of a refusal, however that is wrapped.
    [[nodiscard]] std::string words() const;
  };
  struct Sent {
    std::string sha256, sha512;
  };
  virtual ~GivingWorld() = default;
  /// Of the seed's REST API. Throws Error.
  [[nodiscard]] virtual Json ask_seed(const std::string& method, const std::string& target, const Json& body) = 0;
  /// Whether the seed's stack service is known.
  [[nodiscard]] virtual bool has_stacks() const = 0;
  /// Of that, behind its project. Throws Error.
  [[nodiscard]] virtual Json ask_stacks(const std::string& method, const std::string& target, const Json& body) = 0;
  /// Whether the cloud's catalogue has a service of that type. Logs in first. Throws Error.
  [[nodiscard]] virtual bool has(const std::string& service) = 0;
  /// Of a service of the cloud; 4xx are answers. Throws Error: no answer, 5xx.
  [[nodiscard]] virtual Answer ask_cloud(const std::string& service, const std::string& method,
                                         const std::string& target, const Json& body) = 0;
  /// The bytes of an image; what was sent. Throws Error.
  [[nodiscard]] virtual Sent upload(const std::string& id, const fs::path& file) = 0;
  virtual void pause() = 0;
  virtual void tell(const std::string& line) = 0;
};

struct GivingJournal {
  std::string id;
  std::string to;              ///< the cloud's identity service
  std::string step = "begun";  ///< begun, given, final
  std::vector<GivenImage> images;
  std::vector<GivenNode> nodes;
  std::vector<GivenStack> stacks;
  std::vector<std::string> left;   ///< nodes and stacks that stay
  std::vector<std::string> notes;  ///< what is not, or not wholly, given
  bool operator==(const GivingJournal&) const = default;
};
[[nodiscard]] std::optional<GivingJournal> read_giving(const fs::path& folder);
void write_giving(const fs::path& folder, const GivingJournal& journal);
/// Beside it, once all is given.
constexpr const char* k_handover_record = "handover-record.json";

class Giving {
 public:
  struct Wishes {
    std::string to;
    std::map<std::string, fs::path> files;        ///< of images, in place of the seed's
    std::set<std::string> left;                   ///< nodes, stacks and agents that stay
    std::optional<Secret> key;                    ///< who signs the record
    bool final = false;                           ///< from then on nothing is returned
    Duration patience = std::chrono::minutes(5);  ///< with agents that are to ask elsewhere
  };
  Giving(fs::path folder, GivingWorld& world, const Clock& clock)
      : folder_(std::move(folder)), world_(world), clock_(clock) {}

  /// Only tells what would be done. Throws Error with all that is wrong.
  void look(const Wishes& wishes);
  /// All of it, or what is left of it. Throws Error; then it can be run again, or called off.
  void run(const Wishes& wishes);
  /// The seed has everything again. Throws Error(input) when it is final, or the cloud has used what it got.
  void back(const Wishes& wishes);

 private:
  [[nodiscard]] GivingJournal begin(const Wishes& wishes);
  [[nodiscard]] GivingJournal plan(const Wishes& wishes);
  void look_at_cloud(const GivingJournal& journal, const Json& nodes, std::vector<std::string>& faults);
  void look_at_files(GivingJournal& journal, std::vector<std::string>& faults);
  void name_what_stays(GivingJournal& journal, const Json& nodes);
  [[nodiscard]] std::vector<std::string> unknown_ones(const Wishes& wishes, const Json& nodes);
  void give_stacks(GivingJournal& journal, const Wishes& wishes);
  void give_image(GivingJournal& journal, GivenImage& image, bool is_second = false);
  void give_node(GivingJournal& journal, GivenNode& node);
  void leave(GivingJournal& journal, const std::set<std::string>& left);
  void enrol(const GivingJournal& journal, const GivenNode& node, const Json& whole);
  void bring_to_goal(const GivenNode& node);
  void make_final(GivingJournal& journal);
  void write_record(const GivingJournal& journal, const Wishes& wishes);
  [[nodiscard]] Json seed_rows(const std::string& list, const char* key);
  [[nodiscard]] Json cloud_node(const std::string& uuid);
  [[nodiscard]] Json asked(const std::string& service, const std::string& method, const std::string& target,
                           const Json& body, const std::string& what);
  void return_node(const GivingJournal& journal, const GivenNode& node, const Json& kept);
  [[nodiscard]] std::map<std::string, Json> kept_by_seed(const GivingJournal& journal);
  [[nodiscard]] std::string use_in_cloud(const GivingJournal& journal, const GivenNode& node, const Json& kept);

  fs::path folder_;
  GivingWorld& world_;
  const Clock& clock_;
};

}  // namespace hearth::bootstrap
