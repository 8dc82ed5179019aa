// The picture of each node of a site that was really deployed has all parts of its boot. usage: whole_boot.mjs HEARTH STATE [RECORD]
// STATE: the conductor's directory, which is copied. RECORD: a file that gets what was told of the first node, for the manual's picture.
import assert from 'node:assert/strict';
import {cpSync, writeFileSync} from 'node:fs';
import {assertWhole, drawBoot} from './boot_picture.mjs';
import {Browser, Site, heatApi} from './site.mjs';

const [, , hearth, state, record] = process.argv;
const site = new Site(hearth);
cpSync(state, site.directory, {recursive: true, filter: (file) => !/\/(api\.socket|endpoint|lock)$/.test(file)});
site.options = ['--keep-rights']; // what machines asked the boot servers for stands where it stood, readable to its owner
site.heat = await heatApi();
await site.start();
const browser = new Browser(site);
await browser.open();
let failed = 0;
const {nodes} = await site.ask('GET', '/v1/nodes');
assert.ok(nodes.length > 0, 'no node is in that state');
for (const {uuid, name} of nodes.sort((a, b) => a.name.localeCompare(b.name))) {
  const page = await browser.page({timezoneId: 'UTC'});
  try {
    console.log(`${name}:\n${assertWhole((await drawBoot(page, uuid)).rows)}`);
  } catch (error) {
    ++failed;
    console.log(`FAILED  ${name}: ${error.stack}`);
  }
  await page.context().close();
}
if (record) {
  const page = await browser.page();
  const {uuid} = nodes.find(({name}) => name === 'control1') ?? nodes[0];
  const told = await page.evaluate(async (id) => (await fetch(`nodes/${id}`)).json(), uuid);
  writeFileSync(record, `${JSON.stringify({...told, log: undefined, console: null}, null, 1)}\n`);
}
await browser.chromium.close();
await site.end();
process.exit(failed === 0 ? 0 : 1);
