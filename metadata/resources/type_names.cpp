// The names of Heat's built-in resource types (release 19): those that are described, and by namespace those that are
// not.
#include "metadata/resources/type_names.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "metadata/resources/type_descriptions.hpp"

namespace hearth::metadata {

namespace {

constexpr const char* k_families = R"(
AWS::AutoScaling: AutoScalingGroup LaunchConfiguration ScalingPolicy
AWS::CloudFormation: Stack
AWS::EC2: EIP EIPAssociation Instance InternetGateway NetworkInterface RouteTable SecurityGroup Subnet
  SubnetRouteTableAssociation VPC VPCGatewayAttachment Volume VolumeAttachment
AWS::ElasticLoadBalancing: LoadBalancer
AWS::IAM: AccessKey User
AWS::S3: Bucket
OS::Aodh: Alarm CombinationAlarm CompositeAlarm EventAlarm GnocchiAggregationByMetricsAlarm
  GnocchiAggregationByResourcesAlarm GnocchiResourcesAlarm LBMemberHealthAlarm
OS::Barbican: CertificateContainer GenericContainer Order RSAContainer Secret
OS::Blazar: Host Lease
OS::Cinder: EncryptedVolumeType QoSAssociation QoSSpecs Quota Volume VolumeAttachment VolumeType
OS::Designate: Domain Record RecordSet Zone
OS::Glance: Image WebImage
OS::Heat: ScalingPolicy
OS::Ironic: Port
OS::Keystone: Domain Endpoint Group GroupRoleAssignment Project Region Role Service UserRoleAssignment
OS::Magnum: Bay BayModel Cluster ClusterTemplate
OS::Manila: SecurityService Share ShareNetwork ShareType
OS::Mistral: CronTrigger ExternalResource Workflow
OS::Monasca: AlarmDefinition Notification
OS::Neutron: AddressScope ExtraRoute ExtraRouteSet Firewall FirewallPolicy FirewallRule FloatingIP
  FloatingIPAssociation FloatingIPPortForward FlowClassifier HealthMonitor IKEPolicy IPsecPolicy IPsecSiteConnection
  L2Gateway L2GatewayConnection LoadBalancer MeteringLabel MeteringRule NetworkGateway Pool PoolMember PortChain
  PortPair PortPairGroup ProviderNet QoSBandwidthLimitRule QoSDscpMarkingRule QoSMinimumBandwidthRule
  QoSMinimumPacketRateRule QoSPolicy Quota RBACPolicy Router RouterGateway RouterInterface SecurityGroupRule Segment
  SubnetPool Trunk VPNService
OS::Neutron::LBaaS: HealthMonitor L7Policy L7Rule Listener LoadBalancer Pool PoolMember
OS::Neutron::TaaS: TapFlow TapService
OS::Nova: FloatingIP FloatingIPAssociation HostAggregate Quota
OS::Octavia: Flavor FlavorProfile HealthMonitor L7Policy L7Rule Listener LoadBalancer Pool PoolMember Quota
OS::Sahara: Cluster ClusterTemplate DataSource ImageRegistry Job JobBinary NodeGroupTemplate
OS::Senlin: Cluster Node Policy Profile Receiver
OS::Trove: Cluster Instance
OS::Vitrage: Template
OS::Zaqar: MistralTrigger Queue SignedQueueURL Subscription
OS::Zun: Container
)";

std::vector<std::string> read_names() {
  std::vector<std::string> names;
  std::string family;
  for (const std::string& word : split_words(k_families)) {
    if (word.back() == ':') {
      family = word.substr(0, word.size() - 1) + "::";
    } else {
      names.push_back(family + word);
    }
  }
  for (const FamilyDescription& described : families()) {
    for (const TypeDescription& type : described.types) names.emplace_back(type.name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace

const std::vector<std::string>& builtin_type_names() {
  static const std::vector<std::string> names = read_names();
  return names;
}

bool is_builtin_type(std::string_view name) {
  const std::vector<std::string>& names = builtin_type_names();
  const auto found = std::lower_bound(names.begin(), names.end(), name);
  return found != names.end() && *found == name;
}

}  // namespace hearth::metadata
