// The names of time zones (IANA's tz database), so that a template can be checked on a machine that has none.
#include "metadata/parameters/custom_constraints.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/text.hpp"

namespace hearth::metadata {

namespace {

struct Area {
  std::string_view name;   ///< empty: names that stand alone
  std::string_view zones;  ///< with blanks between
};

constexpr std::array<Area, 17> k_areas{{
    {"africa",
     "abidjan accra addis_ababa algiers asmara asmera bamako bangui banjul bissau blantyre brazzaville "
     "bujumbura cairo casablanca ceuta conakry dakar dar_es_salaam djibouti douala el_aaiun freetown gaborone "
     "harare johannesburg juba kampala khartoum kigali kinshasa lagos libreville lome luanda lubumbashi lusaka "
     "malabo maputo maseru mbabane mogadishu monrovia nairobi ndjamena niamey nouakchott ouagadougou "
     "porto-novo sao_tome timbuktu tripoli tunis windhoek"},
    {"america",
     "adak anchorage anguilla antigua araguaina argentina/buenos_aires argentina/catamarca "
     "argentina/comodrivadavia argentina/cordoba argentina/jujuy argentina/la_rioja argentina/mendoza "
     "argentina/rio_gallegos argentina/salta argentina/san_juan argentina/san_luis argentina/tucuman "
     "argentina/ushuaia aruba asuncion atikokan atka bahia bahia_banderas barbados belem belize blanc-sablon "
     "boa_vista bogota boise buenos_aires cambridge_bay campo_grande cancun caracas catamarca cayenne cayman "
     "chicago chihuahua ciudad_juarez coral_harbour cordoba costa_rica coyhaique creston cuiaba curacao "
     "danmarkshavn dawson dawson_creek denver detroit dominica edmonton eirunepe el_salvador ensenada "
     "fort_nelson fort_wayne fortaleza glace_bay godthab goose_bay grand_turk grenada guadeloupe guatemala "
     "guayaquil guyana halifax havana hermosillo indiana/indianapolis indiana/knox indiana/marengo "
     "indiana/petersburg indiana/tell_city indiana/vevay indiana/vincennes indiana/winamac indianapolis inuvik "
     "iqaluit jamaica jujuy juneau kentucky/louisville kentucky/monticello knox_in kralendijk la_paz lima "
     "los_angeles louisville lower_princes maceio managua manaus marigot martinique matamoros mazatlan mendoza "
     "menominee merida metlakatla mexico_city miquelon moncton monterrey montevideo montreal montserrat nassau "
     "new_york nipigon nome noronha north_dakota/beulah north_dakota/center north_dakota/new_salem nuuk "
     "ojinaga panama pangnirtung paramaribo phoenix port-au-prince port_of_spain porto_acre porto_velho "
     "puerto_rico punta_arenas rainy_river rankin_inlet recife regina resolute rio_branco rosario santa_isabel "
     "santarem santiago santo_domingo sao_paulo scoresbysund shiprock sitka st_barthelemy st_johns st_kitts "
     "st_lucia st_thomas st_vincent swift_current tegucigalpa thule thunder_bay tijuana toronto tortola "
     "vancouver virgin whitehorse winnipeg yakutat yellowknife"},
    {"antarctica", "casey davis dumontdurville macquarie mawson mcmurdo palmer rothera south_pole syowa troll vostok"},
    {"arctic", "longyearbyen"},
    {"asia",
     "aden almaty amman anadyr aqtau aqtobe ashgabat ashkhabad atyrau baghdad bahrain baku bangkok barnaul "
     "beirut bishkek brunei calcutta chita choibalsan chongqing chungking colombo dacca damascus dhaka dili "
     "dubai dushanbe famagusta gaza harbin hebron ho_chi_minh hong_kong hovd irkutsk istanbul jakarta jayapura "
     "jerusalem kabul kamchatka karachi kashgar kathmandu katmandu khandyga kolkata krasnoyarsk kuala_lumpur "
     "kuching kuwait macao macau magadan makassar manila muscat nicosia novokuznetsk novosibirsk omsk oral "
     "phnom_penh pontianak pyongyang qatar qostanay qyzylorda rangoon riyadh saigon sakhalin samarkand seoul "
     "shanghai singapore srednekolymsk taipei tashkent tbilisi tehran tel_aviv thimbu thimphu tokyo tomsk "
     "ujung_pandang ulaanbaatar ulan_bator urumqi ust-nera vientiane vladivostok yakutsk yangon yekaterinburg "
     "yerevan"},
    {"atlantic",
     "azores bermuda canary cape_verde faeroe faroe jan_mayen madeira reykjavik south_georgia st_helena "
     "stanley"},
    {"australia",
     "act adelaide brisbane broken_hill canberra currie darwin eucla hobart lhi lindeman lord_howe melbourne "
     "nsw north perth queensland south sydney tasmania victoria west yancowinna"},
    {"brazil", "acre denoronha east west"},
    {"",
     "cet cst6cdt cuba eet est est5edt egypt eire gb gb-eire gmt gmt+0 gmt-0 gmt0 greenwich hst hongkong "
     "iceland iran israel jamaica japan kwajalein libya met mst mst7mdt nz nz-chat navajo prc pst8pdt poland "
     "portugal roc rok singapore turkey uct utc universal w-su wet zulu"},
    {"canada", "atlantic central eastern mountain newfoundland pacific saskatchewan yukon"},
    {"chile", "continental easterisland"},
    {"etc",
     "gmt gmt+0 gmt+1 gmt+10 gmt+11 gmt+12 gmt+2 gmt+3 gmt+4 gmt+5 gmt+6 gmt+7 gmt+8 gmt+9 gmt-0 gmt-1 gmt-10 "
     "gmt-11 gmt-12 gmt-13 gmt-14 gmt-2 gmt-3 gmt-4 gmt-5 gmt-6 gmt-7 gmt-8 gmt-9 gmt0 greenwich uct utc "
     "universal zulu"},
    {"europe",
     "amsterdam andorra astrakhan athens belfast belgrade berlin bratislava brussels bucharest budapest "
     "busingen chisinau copenhagen dublin gibraltar guernsey helsinki isle_of_man istanbul jersey kaliningrad "
     "kiev kirov kyiv lisbon ljubljana london luxembourg madrid malta mariehamn minsk monaco moscow nicosia "
     "oslo paris podgorica prague riga rome samara san_marino sarajevo saratov simferopol skopje sofia "
     "stockholm tallinn tirane tiraspol ulyanovsk uzhgorod vaduz vatican vienna vilnius volgograd warsaw "
     "zagreb zaporozhye zurich"},
    {"indian", "antananarivo chagos christmas cocos comoro kerguelen mahe maldives mauritius mayotte reunion"},
    {"mexico", "bajanorte bajasur general"},
    {"pacific",
     "apia auckland bougainville chatham chuuk easter efate enderbury fakaofo fiji funafuti galapagos gambier "
     "guadalcanal guam honolulu johnston kanton kiritimati kosrae kwajalein majuro marquesas midway nauru niue "
     "norfolk noumea pago_pago palau pitcairn pohnpei ponape port_moresby rarotonga saipan samoa tahiti tarawa "
     "tongatapu truk wake wallis yap"},
    {"us",
     "alaska aleutian arizona central east-indiana eastern hawaii indiana-starke michigan mountain pacific "
     "samoa"},
}};

}  // namespace

bool is_time_zone(const std::string& name) {
  const std::string lower = to_lower(name);
  const std::size_t slash = lower.find('/');
  const std::string area = slash == std::string::npos ? "" : lower.substr(0, slash);
  const std::string zone = slash == std::string::npos ? lower : lower.substr(slash + 1);
  const auto found = std::find_if(k_areas.begin(), k_areas.end(), [&](const Area& a) { return a.name == area; });
  if (found == k_areas.end() || zone.empty()) return false;
  const std::vector<std::string> zones = split_words(std::string(found->zones));
  return std::find(zones.begin(), zones.end(), zone) != zones.end();
}

}  // namespace hearth::metadata
