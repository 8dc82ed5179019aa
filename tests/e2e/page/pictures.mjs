// The pictures of the manual, docs/pictures: taken of the page itself and made by the program, so that they show what there is.
// HEARTH_PICTURES=DIR keeps them there; without it those that are committed must be what is taken now.
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {assertWhole, drawBoot} from './boot_picture.mjs';

const places = {control1: ['A1', '12'], control2: ['A1', '14'], compute1: ['A2', '3'], compute2: ['A2', '5'], compute3: ['A2', '7'], storage1: ['A3', '1']};

/** Six machines of a site, each at another point of its way. */
async function fillSite(site) {
  const ids = {};
  for (const [name, [rack, slot]] of Object.entries(places)) {
    const profile = name.replace(/\d/, '');
    const uuid = `3f1c0b7e-5a24-4d18-9c6e-0000000000${slot.padStart(2, '0')}`; // so that texts break their lines where they did
    ids[name] = await site.add(name, {uuid, extra: {x_seed: {rack, slot}}, properties: {cpus: 16, memory_mb: 65536, local_gb: 480, capabilities: `profile:${profile}`}});
  }
  for (const name of ['control1', 'control2']) {
    await site.verb(name, 'manage');
    await site.state(name, 'manageable');
    await site.ask('PATCH', `/v1/nodes/${name}`, [{op: 'add', path: '/instance_info', value: {image_source: 'http://192.0.2.1/images/node.raw'}}]);
    await site.verb(name, 'adopt');
    await site.state(name, 'active');
  }
  await site.deploy('compute2'); // its machine takes a while to call
  await site.deploy('compute1');
  await site.verb('compute3', 'manage');
  await site.state('compute3', 'manageable');
  await site.verb('compute3', 'provide');
  await site.state('compute3', 'available');
  await site.ask('PUT', '/v1/nodes/compute3/maintenance', {reason: 'a fan is being replaced'});
  await site.failAtAgent(ids.compute2, 'no disk\n');
}

/** What share of the points differs clearly; 1 where they are not of one size. Any browser page can reckon it. */
const difference = async ([one, other]) => {
  const points = async (base64) => {
    const image = await createImageBitmap(new Blob([Uint8Array.from(atob(base64), (c) => c.charCodeAt(0))]));
    const canvas = new OffscreenCanvas(image.width, image.height).getContext('2d');
    canvas.drawImage(image, 0, 0);
    return {size: `${image.width} ${image.height}`, data: canvas.getImageData(0, 0, image.width, image.height).data};
  };
  const [a, b] = [await points(one), await points(other)];
  if (a.size !== b.size) return 1;
  let differing = 0;
  for (let i = 0; i < a.data.length; i += 4) differing += [0, 1, 2].some((c) => Math.abs(a.data[i + c] - b.data[i + c]) > 60) ? 1 : 0;
  return differing / (a.data.length / 4);
};

/** What may differ: seconds that are written out; of the node also the bars, which are as long as things took. */
const tolerance = {'status-page.png': 0.004, 'racks.png': 0.004, 'node.png': 0.02, 'boot.png': 0.004};

/** The picture of a build's time, of the times that a build had (beside this file: timing.json). */
function timingPicture(hearth, here) {
  const folder = mkdtempSync(join(tmpdir(), 'hearth-timing-'));
  mkdirSync(join(folder, 'web.d'));
  writeFileSync(join(folder, 'web.d', 'timing.json'), readFileSync(join(here, 'timing.json')));
  const picture = execFileSync(hearth, ['image', 'timing', 'web', '--svg'], {cwd: folder});
  rmSync(folder, {recursive: true});
  return picture;
}

/** A machine's whole boot, as e2e.three_nodes had it (beside this file: whole-boot.json; HEARTH_BOOT_RECORD writes it anew). */
export async function bootPicture(browser, node, here) {
  const page = await browser.page({viewport: {width: 900, height: 1400}, reducedMotion: 'reduce', timezoneId: 'UTC'});
  const {picture, rows} = await drawBoot(page, node, JSON.parse(readFileSync(join(here, 'whole-boot.json'), 'utf8')));
  assertWhole(rows);
  await still(page);
  const taken = await picture.screenshot({animations: 'disabled', caret: 'hide'});
  await page.context().close();
  return taken;
}

const still = (page) => page.waitForFunction(() => document.getAnimations().every((one) => one.playState !== 'running' || one.effect.getTiming().iterations === Infinity));

async function photograph(browser, here) {
  const shot = async (options, steps) => {
    const page = await browser.page({viewport: {width: 1000, height: 820}, reducedMotion: 'reduce', ...options});
    await steps(page);
    await still(page);
    const picture = await page.screenshot({animations: 'disabled', caret: 'hide'});
    await page.context().close();
    return picture;
  };
  const {nodes} = await browser.site.ask('GET', '/v1/nodes');
  return {
    'boot.png': await bootPicture(browser, nodes.find(({name}) => name === 'control1').uuid, here),
    'status-page.png': await shot({}, (page) => page.locator('#list tr.node').nth(5).waitFor()),
    'racks.png': await shot({viewport: {width: 1000, height: 560}}, async (page) => {
      await page.getByRole('button', {name: 'Racks', exact: true}).click();
      await page.getByRole('region', {name: 'rack A3'}).waitFor();
    }),
    'node.png': await shot({colorScheme: 'dark'}, async (page) => {
      await page.locator('#list').getByRole('button', {name: 'compute2', exact: true}).click();
      await page.locator('#node .timeline li').first().waitFor();
    }),
  };
}

export async function pictures(browser, here) {
  await fillSite(browser.site);
  const taken = {...await photograph(browser, here), 'timing.svg': timingPicture(browser.site.hearth, here)};
  const kept = process.env.HEARTH_PICTURES;
  if (kept) {
    for (const [name, picture] of Object.entries(taken)) writeFileSync(join(kept, name), picture);
    return;
  }
  const folder = process.env.HEARTH_DOC_PICTURES;
  assert.deepEqual(readdirSync(folder).sort(), Object.keys(taken).sort(), 'each picture of docs/pictures is made here');
  const page = await browser.page();
  for (const [name, picture] of Object.entries(taken)) {
    const committed = readFileSync(join(folder, name));
    const how = `${name} is not what is drawn now: HEARTH_PICTURES=docs/pictures tests/e2e/page/page.sh HEARTH FOLDER draws it`;
    if (name.endsWith('.svg')) assert.equal(committed.toString(), picture.toString(), how);
    else assert.ok(await page.evaluate(difference, [committed.toString('base64'), picture.toString('base64')]) < tolerance[name], how);
    assert.ok(committed.length < 200000, `${name} is too large for a page`);
  }
  await page.context().close();
}
