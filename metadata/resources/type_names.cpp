// The names of Heat's built-in resource types (release 19), by family.
#include "metadata/resources/type_names.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace hearth::metadata {

namespace {

constexpr const char* k_families = R"(
AWS::AutoScaling: AutoScalingGroup LaunchConfiguration ScalingPolicy
AWS::CloudFormation: Stack WaitCondition WaitConditionHandle
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
OS::Heat: AccessPolicy AutoScalingGroup CloudConfig Delay DeployedServer HARestarter InstanceGroup MultipartMime None
  RandomString ResourceChain ResourceGroup ScalingPolicy SoftwareComponent SoftwareConfig SoftwareDeployment
  SoftwareDeploymentGroup SoftwareDeployments Stack StructuredConfig StructuredDeployment StructuredDeploymentGroup
  StructuredDeployments SwiftSignal SwiftSignalHandle TestResource UpdateWaitConditionHandle Value WaitCondition
  WaitConditionHandle
OS::Ironic: Port
OS::Keystone: Domain Endpoint Group GroupRoleAssignment Project Region Role Service User UserRoleAssignment
OS::Magnum: Bay BayModel Cluster ClusterTemplate
OS::Manila: SecurityService Share ShareNetwork ShareType
OS::Mistral: CronTrigger ExternalResource Workflow
OS::Monasca: AlarmDefinition Notification
OS::Neutron: AddressScope ExtraRoute ExtraRouteSet Firewall FirewallPolicy FirewallRule FloatingIP
  FloatingIPAssociation FloatingIPPortForward FlowClassifier HealthMonitor IKEPolicy IPsecPolicy IPsecSiteConnection
  L2Gateway L2GatewayConnection LoadBalancer MeteringLabel MeteringRule Net NetworkGateway Pool PoolMember Port
  PortChain PortPair PortPairGroup ProviderNet QoSBandwidthLimitRule QoSDscpMarkingRule QoSMinimumBandwidthRule
  QoSMinimumPacketRateRule QoSPolicy Quota RBACPolicy Router RouterGateway RouterInterface SecurityGroup
  SecurityGroupRule Segment Subnet SubnetPool Trunk VPNService
OS::Neutron::LBaaS: HealthMonitor L7Policy L7Rule Listener LoadBalancer Pool PoolMember
OS::Neutron::TaaS: TapFlow TapService
OS::Nova: Flavor FloatingIP FloatingIPAssociation HostAggregate KeyPair Quota Server ServerGroup
OS::Octavia: Flavor FlavorProfile HealthMonitor L7Policy L7Rule Listener LoadBalancer Pool PoolMember Quota
OS::Sahara: Cluster ClusterTemplate DataSource ImageRegistry Job JobBinary NodeGroupTemplate
OS::Senlin: Cluster Node Policy Profile Receiver
OS::Swift: Container
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
