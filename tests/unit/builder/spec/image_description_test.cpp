#include "builder/spec/image_description.hpp"

#include <gmock/gmock.h>

#include "base/text.hpp"

namespace hearth::builder {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

std::vector<ImageDescription> images(const std::string& text) {
  return parse_image_descriptions({{"images.yaml", text}}).value_or_throw();
}

std::string refusal(const std::string& text) {
  const auto parsed = parse_image_descriptions({{"images.yaml", text}});
  return parsed ? "(taken)" : parsed.error().text();
}

TEST(ImageDescription, KeysBecomeOptionsInUpstreamsOrder) {
  const auto all = images(R"(
- elements: [vm, os]
  skip-base: true
  packages: [a, b]
  imagename: web
  arch: amd64
  types: [qcow2, tar]
  debug-trace: 2
  checksum: yes
  image-size: 3
  qemu-img-options: {compat: '1.1', lazy_refcounts: 'on'}
  root-label: r
  no-tmpfs: false
  mkfs-options: ''
)");
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(join(all[0].words, " "),
            "-o web -a amd64 -t qcow2,tar -x -x --checksum --image-size 3 "
            "--qemu-img-options compat=1.1,lazy_refcounts=on --root-label r -p a,b -n vm os");
}

TEST(ImageDescription, VariablesHaveNames) {
  for (const char* wrong : {"'A=B'", "''", "'X Y'", "1A"}) {
    EXPECT_THAT(refusal(cat("- {environment: {", wrong, ": c}, elements: [os]}")),
                HasSubstr("is no name of a variable"))
        << wrong;
  }
}

TEST(ImageDescription, EachInstructionForContainersIsAnOption) {
  const auto all = images("- {container-config: ['CMD [\"a\", \"b\"]', USER x], elements: [os]}");
  EXPECT_THAT(all[0].words, ElementsAre("-o", "image", "--container-config", "CMD [\"a\", \"b\"]", "--container-config",
                                        "USER x", "os"));
}

TEST(ImageDescription, EnvironmentReleaseAndRamdiskAreNotOptions) {
  const auto all = images("- {environment: {DIB_X: 'a b'}, release: bookworm, ramdisk: true, elements: [os]}");
  EXPECT_EQ(all[0].shown_command_line(), "DIB_RELEASE=bookworm DIB_X='a b' ramdisk-image-create -o image os");
}

TEST(ImageDescription, EntriesOfOneNameAreMerged) {
  const auto all = images(R"(
- imagename: one
  elements: [os]
  root-label: first
  environment: {A: '1', B: '1'}
- elements: [vm]
  root-label: second
  environment: {B: '2'}
- imagename: two
  elements: [other]
- imagename: one
  packages: [p]
)");
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(join(all[0].words, " "), "-o one --root-label second -p p os vm");
  EXPECT_EQ(all[0].environment, (Environment{{"A", "1"}, {"B", "2"}}));
  EXPECT_EQ(all[1].name, "two");
  EXPECT_EQ(all[1].source, "images.yaml:9:3");
}

TEST(ImageDescription, EveryOptionOfTheCommandIsAKeyByItsLongName) {
  const auto all =
      images("- {imagename: x, elements: [os], sign-key: k, record: true, compression: best, strict: no}\n");
  EXPECT_EQ(join(all[0].words, " "), "-o x --compression best --sign-key k --record os");
  EXPECT_THAT(refusal("- image-cach: x\n"), HasSubstr("did you mean image-cache?"));
  EXPECT_THAT(refusal("- imagename: a\n  remote-cache: x\n"),
              HasSubstr("2:3: remote-cache is a matter of the machine"));
}

TEST(ImageDescription, SeveralFilesAreOneList) {
  const auto all =
      parse_image_descriptions({{"a", "- {imagename: x, elements: [os]}"}, {"b", "- elements: [vm]"}}).value_or_throw();
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(join(all[0].words, " "), "-o x os vm");
}

TEST(ImageDescription, AMatrixMakesAnImageOfEachCombination) {
  const auto all = images(R"(
- imagename: ${role}-${release}
  matrix:
    release: [bookworm, trixie]
    role: [web, db]
    exclude: [{release: trixie, role: db}]
  elements: [os, "${role}"]
  release: ${release}
  packages: ["role-${role}"]
  environment: {ROLE: "${role}", SHELL_TEXT: "$${HOME} $role"}
)");
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(
      all[0].shown_command_line(),
      "DIB_RELEASE=bookworm ROLE=web SHELL_TEXT='${HOME} $role' disk-image-create -o web-bookworm -p role-web os web");
  EXPECT_EQ(all[1].name, "db-bookworm");
  EXPECT_EQ(all[2].name, "web-trixie");
  EXPECT_EQ(all[2].source, "images.yaml:2:3");
}

TEST(ImageDescription, TheCommandLineThatIsShownHasNoSecrets) {
  const auto all = images(R"(
- imagename: x
  elements: [os]
  packages: ["https://me:hunter2@example.org/x.deb"]
  environment: {DIB_ROOT_PASSWORD: hunter2 again, A_TOKEN: tok12345, PLAIN: seen, SITE: "https://me:hunter2@example.org/",
                DIB_SIGN_KEY: ./site.key, DIB_PASSWORDLESS_SUDO: "1"}
)");
  EXPECT_EQ(all[0].shown_command_line(),
            "A_TOKEN=REDACTED DIB_PASSWORDLESS_SUDO=1 DIB_ROOT_PASSWORD=REDACTED DIB_SIGN_KEY=./site.key PLAIN=seen "
            "SITE=https://example.org/ disk-image-create -o x -p https://example.org/x.deb os");
  EXPECT_EQ(all[0].environment.at("DIB_ROOT_PASSWORD"), "hunter2 again") << "the build has it";
}

TEST(ImageDescription, AnImageOfAMatrixCanBeAdjustedByALaterEntry) {
  const auto all = images(
      "- {imagename: 'x-${a}', matrix: {a: ['1', '2']}, elements: [os]}\n"
      "- {imagename: x-2, packages: [more]}\n");
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(join(all[1].words, " "), "-o x-2 -p more os");
}

TEST(ImageDescription, WithoutAMatrixTextsStayAsTheyAre) {
  EXPECT_EQ(images("- {imagename: x, elements: [os], environment: {A: '${HOME}'}}")[0].environment,
            (Environment{{"A", "${HOME}"}}));
}

TEST(ImageDescription, ExtendsTakesOverWhatAnotherHasButItsName) {
  const auto all = images(R"(
- template: debian
  elements: [vm, debian-minimal]
  release: bookworm
  environment: {A: '1', B: '1'}
- imagename: web
  extends: debian
  elements: [web]
  environment: {B: '2'}
- imagename: web-large
  extends: [web]
  image-size: 8
- imagename: ${role}-next
  extends: debian
  matrix: {role: [a]}
  release: trixie
)");
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[0].shown_command_line(), "A=1 B=2 DIB_RELEASE=bookworm disk-image-create -o web vm debian-minimal web");
  EXPECT_EQ(all[1].shown_command_line(),
            "A=1 B=2 DIB_RELEASE=bookworm disk-image-create -o web-large --image-size 8 vm debian-minimal web");
  EXPECT_EQ(all[2].shown_command_line(), "A=1 B=1 DIB_RELEASE=trixie disk-image-create -o a-next vm debian-minimal");
}

TEST(ImageDescription, WrongMatricesAreRefusedWithTheirPlace) {
  EXPECT_EQ(refusal("- imagename: x\n  matrix: {role: []}\n"),
            "images.yaml:2:18: 'role' has no values: the matrix makes no image");
  EXPECT_EQ(refusal("- imagename: x\n  matrix: {}\n"),
            "images.yaml:2:11: the matrix has no variables, and makes no image");
  EXPECT_EQ(refusal("- imagename: x\n  matrix: {role: web}\n"),
            "images.yaml:2:18: the values of 'role' must be a list");
  EXPECT_EQ(refusal("- imagename: x\n  matrix: {role: [web, web]}\n"),
            "images.yaml:2:24: 'role' has the value 'web' twice");
  EXPECT_EQ(
      refusal("- imagename: x-${rolle}\n  matrix: {role: [web]}\n"),
      "images.yaml:1:14: unknown variable 'rolle', did you mean role?; the matrix has role; $${rolle} is the text "
      "itself");
  EXPECT_EQ(refusal("- imagename: x-${a}\n  matrix: {a: ['1'], b: [p, q]}\n"),
            "images.yaml:1:14: two images of the matrix have the name 'x-1'; put ${b} into it");
  EXPECT_EQ(refusal("- imagename: x-1\n  elements: [os]\n- imagename: x-${a}\n  matrix: {a: ['1']}\n"),
            "images.yaml:3:14: the image 'x-1' is described twice, first at images.yaml:1:3");
  EXPECT_EQ(refusal("- imagename: x-${a}\n  elements: [os]\n"),
            "images.yaml:1:3: the name 'x-${a}' has a variable, but the image no 'matrix' of values");
  EXPECT_EQ(refusal("- imagename: x-${a}\n  matrix: {a: ['1'], exclude: [{a: '2'}]}\n"),
            "images.yaml:2:36: 'a' has no value '2', did you mean 1?; it has 1");
  EXPECT_EQ(refusal("- imagename: x-${a}\n  matrix: {a: ['1'], exclude: [{a: '1'}]}\n"),
            "images.yaml:2:31: 'exclude' leaves no image of the matrix");
  EXPECT_THAT(refusal("- imagename: x-${a}\n  matrix: {a: ['1']}\n  elements: [os]\n- packages: [p]\n"),
              HasSubstr("images.yaml:4:3: the entry has no 'imagename', and the one before it describes many"));
}

TEST(ImageDescription, WrongInheritanceIsRefusedWithItsPlace) {
  EXPECT_EQ(refusal("- {imagename: a, extends: bb, elements: [os]}\n- {imagename: b, elements: [os]}\n"),
            "images.yaml:1:27: there is no image or template 'bb' to extend, did you mean b?; "
            "those of a matrix go by its 'imagename' as it is written");
  EXPECT_EQ(refusal("- {imagename: a, extends: b}\n- {imagename: b, extends: c}\n- {imagename: c, extends: a}\n"),
            "images.yaml:3:27: 'a' extends 'b' extends 'c' extends 'a': that is a cycle");
  EXPECT_EQ(refusal("- {imagename: a, extends: a}\n"), "images.yaml:1:27: 'a' extends 'a': that is a cycle");
  EXPECT_EQ(refusal("- {template: t}\n- {template: t}\n"),
            "images.yaml:2:14: the template 't' is described twice, first at images.yaml:1:3");
  EXPECT_EQ(refusal("- {template: t, imagename: x}\n"),
            "images.yaml:1:28: 't' is a template, which is no image and has no 'imagename'");
  EXPECT_EQ(refusal("- {imagename: b}\n- {extends: b}\n"),
            "images.yaml:2:3: an image that extends another needs an 'imagename' of its own");
}

/// t1 extends t0, so many times over, and so on up to the image.
std::string tower(std::size_t templates, std::size_t times) {
  std::string text = "- {template: t0, elements: [os]}\n";
  for (std::size_t i = 1; i <= templates; ++i) {
    const std::string before = cat("t", i - 1);
    const bool is_image = i == templates;
    text += cat("- {", is_image ? "imagename: x" : cat("template: t", i), ", extends: [",
                join(std::vector<std::string>(times, before), ", "), "]}\n");
  }
  return text;
}

TEST(ImageDescription, TowersOfInheritanceTakeNoTimeAndNoStack) {
  EXPECT_THAT(images(tower(64, 3)).at(0).words, ElementsAre("-o", "x", "os"));
  EXPECT_THAT(refusal(tower(300, 1)), HasSubstr("is extended over more than 100 others"));
}

TEST(ImageDescription, ValuesThatAnOptionDoesNotTakeAreToldAtTheirOwnPlace) {
  EXPECT_THAT(refusal("- imagename: w\n  types: [raw, qcw2]\n"),
              AllOf(HasSubstr("images.yaml:2:16: 'types' is one of qcow2, raw, "),
                    HasSubstr("not 'qcw2', did you mean qcow2?")));
  EXPECT_THAT(refusal("- types: [img]\n"), HasSubstr("not 'img', did you mean raw?"));
  EXPECT_THAT(refusal("- compression: fats\n"), HasSubstr("images.yaml:1:16: 'compression' is one of fast, "));
  EXPECT_THAT(refusal("- checksums: md5,sha1\n"), HasSubstr("not 'sha1'"));
  EXPECT_TRUE(parse_image_descriptions({{"a", "- types: ['qcow2,raw']\n"}}).ok());
  EXPECT_THAT(refusal("- imagename: a-${k}\n  matrix: {k: [raw, rwa]}\n  types: ['${k}']\n"),
              HasSubstr("images.yaml:3:11: 'types' is one of"));
}

TEST(ImageDescription, FaultsNameLineColumnAndWhatIsAllowed) {
  EXPECT_THAT(refusal("- elements: [os]\n  image-sise: 3\n"),
              testing::StrEq("images.yaml:2:3: unknown key 'image-sise', did you mean image-size?"));
  EXPECT_THAT(refusal("- colour: red\n"), HasSubstr("images.yaml:1:3: unknown key 'colour'; allowed are imagename, "));
  EXPECT_LT(refusal("- colour: red\n").size(), 240U) << "not all keys, in a line of seven hundred characters";
  EXPECT_EQ(refusal("- image-size: 0\n"), "images.yaml:1:15: 'image-size' must be a size, as 4, 4G or 500MiB, not '0'");
  for (const char* size : {"3GiB", "4G", "2.5", "500MiB"})
    EXPECT_TRUE(parse_image_descriptions({{"a", cat("- image-size: ", size, "\n")}}).ok()) << size;
  EXPECT_THAT(refusal("- image-size: 3X\n"), HasSubstr("images.yaml:1:15: 'image-size' must be a size"));
  EXPECT_EQ(refusal("- min-tmpfs: 0\n"), "images.yaml:1:14: 'min-tmpfs' must be a whole number from 1, not '0'");
  EXPECT_THAT(refusal("- arch: pdp11\n"), HasSubstr("images.yaml:1:9: 'arch' is one of aarch64, "));
  EXPECT_EQ(refusal("- debug-trace: 3\n"), "images.yaml:1:16: 'debug-trace' is one of 0, 1, 2, not '3'");
  EXPECT_EQ(refusal("- checksum: maybe\n"), "images.yaml:1:13: 'checksum' must be true or false, not 'maybe'");
  EXPECT_EQ(refusal("- elements: os vm, web\n"),
            "images.yaml:1:13: 'elements' must be a list: elements: [os, vm, web]");
  EXPECT_EQ(refusal("- elements: os\n"), "images.yaml:1:13: 'elements' must be a list: elements: [os]");
  EXPECT_EQ(refusal("- options: --strict --cpus 2\n"),
            "images.yaml:1:12: 'options' must be a list: options: [--strict, --cpus, 2]");
  EXPECT_EQ(refusal("- options: {server: Web1}\n"),
            "images.yaml:1:12: 'options' must be a list: options: [--server, Web1]");
  EXPECT_EQ(refusal("- packages: {a: b}\n"), "images.yaml:1:13: 'packages' must be a list: packages: [A, B]");
  EXPECT_EQ(refusal("- {arch: amd64, arch: arm64}"), "images.yaml:1:17: 'arch' stands there twice");
  EXPECT_THAT(refusal("imagename: x\n"), HasSubstr("images.yaml:1:1: the file must be a list of images"));
  EXPECT_THAT(refusal("[]\n"), HasSubstr("images.yaml:1:1: the list is empty"));
  EXPECT_EQ(refusal("- just text\n"), "images.yaml:1:3: an image must be a map");
  EXPECT_THAT(refusal("- elements: [os\n"), HasSubstr("images.yaml:1:13: this '[' is not closed"));
}

TEST(ImageDescription, AllFaultsOfAFileAreToldAtOnceInItsOrder) {
  EXPECT_EQ(refusal("- imagename: a\n  imagesize: 3\n  checksum: maybe\n  environment: {1A: x, B-: y}\n"
                    "- just text\n"
                    "- {imagename: b, extends: [c, a, d], types: qcow2}\n"),
            "images.yaml:2:3: unknown key 'imagesize', did you mean image-size?\n"
            "images.yaml:3:13: 'checksum' must be true or false, not 'maybe'\n"
            "images.yaml:4:17: '1A' is no name of a variable\n"
            "images.yaml:4:24: 'B-' is no name of a variable\n"
            "images.yaml:5:3: an image must be a map\n"
            "images.yaml:6:28: there is no image or template 'c' to extend, did you mean a?; "
            "those of a matrix go by its 'imagename' as it is written\n"
            "images.yaml:6:34: there is no image or template 'd' to extend, did you mean a?; "
            "those of a matrix go by its 'imagename' as it is written\n"
            "images.yaml:6:45: 'types' must be a list: types: [qcow2]");
  EXPECT_EQ(refusal("- {imagename: 'a-${x}', matrix: {x: [p, p], y: []}}\n- {imagename: b, arch: z8, min-tmpfs: 0}\n"),
            "images.yaml:1:41: 'x' has the value 'p' twice\n"
            "images.yaml:1:48: 'y' has no values: the matrix makes no image\n"
            "images.yaml:2:24: 'arch' is one of aarch64, amd64, arm64, armhf, powerpc, ppc64, ppc64el, ppc64le, s390x, "
            "x86_64, not 'z8'\n"
            "images.yaml:2:39: 'min-tmpfs' must be a whole number from 1, not '0'");
}

TEST(ImageDescription, WhichServersMetadataIsBakedStandsBesideThem) {
  const auto images = parse_image_descriptions({{"a", "- {elements: [vm], server: Web1, metadata: compiled}\n"}});
  ASSERT_TRUE(images.ok());
  EXPECT_THAT(images.value().front().words, testing::IsSupersetOf({"--metadata", "compiled", "--server", "Web1"}));
  const std::string schema = image_description_schema();
  EXPECT_THAT(schema, HasSubstr("\"server\""));
}

TEST(ImageDescription, AFaultOfWhatManyImagesHaveIsToldOnce) {
  EXPECT_EQ(refusal("- {template: t, checksum: maybe}\n- {imagename: 'a-${x}', matrix: {x: [p, q]}, extends: t}\n"
                    "- {imagename: b, extends: t}\n"),
            "images.yaml:1:27: 'checksum' must be true or false, not 'maybe'");
}

TEST(ImageDescription, OfTextsThatAreNoListsEachIsNamed) {
  const auto parsed = parse_image_descriptions({{"a", "x: y\n"}, {"b", "- [z\n"}, {"c", "- {extends: nobody}\n"}});
  ASSERT_FALSE(parsed);
  EXPECT_THAT(parsed.error().text(),
              testing::AllOf(HasSubstr("a:1:1: the file must be"), HasSubstr("\nb:1:3: this '['"),
                             testing::Not(HasSubstr("nobody' to extend"))));
}

}  // namespace
}  // namespace hearth::builder
