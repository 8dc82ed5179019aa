// The status page in headless Chromium, sentence by sentence. usage: page.mjs HEARTH HERE   (HERE: this folder of the source tree)
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {createHash} from 'node:crypto';
import {appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {narrow} from './narrow.mjs';
import {pictures} from './pictures.mjs';
import {Browser, Site, heatApi, monitor, poorContrast, serialLine} from './site.mjs';

const operatorToken = 'the-token-of-ole-who-operates';
const readerToken = 'the-token-of-ria-who-only-looks';

const site = new Site(process.argv[2]);
site.heat = await heatApi();
writeFileSync(join(site.directory, 'people'), `ole operate ${operatorToken}\nria read ${readerToken}\n`);
await site.start();
const browser = new Browser(site);
await browser.open();

const line = (page, name) => page.locator('#list tr.node').filter({has: page.getByRole('button', {name, exact: true})});
const eventIds = (page) => page.evaluate(() => [...document.querySelectorAll('#event-list li')].map((li) => Number(li.dataset.id)));

async function openConsole(page, uuid, token) {
  await page.goto(`${page.url().split('#')[0]}#node/${uuid}`);
  await page.reload();
  await page.locator('#node').getByText('Serial console', {exact: true}).click();
  await page.getByLabel('Token').fill(token);
  await page.getByRole('button', {name: 'Log in', exact: true}).click();
}

// The form in which a node is edited, by somebody who has logged in for it.
async function editing(page, name) {
  await page.getByLabel('Find nodes').fill(name);
  await page.getByRole('button', {name: new RegExp(`^${name}`)}).first().click();
  await page.getByRole('button', {name: 'edit', exact: true}).click();
  await page.getByLabel('Token').fill(site.token);
  await page.getByRole('button', {name: 'Log in', exact: true}).click();
  return page.getByRole('dialog', {name: `Edit ${name}`});
}

const tests = {
  async 'a node that comes and moves on is shown without a reload'() {
    const page = await browser.page();
    await page.getByText('No nodes yet').waitFor();
    await site.add('web1', {extra: {x_seed: {rack: 'A1', slot: '7'}}});
    await line(page, 'web1').locator('.badge', {hasText: 'enroll'}).waitFor();
    await line(page, 'web1').getByText('rack A1 · slot 7').waitFor();
    await site.deploy('web1');
    await line(page, 'web1').getByText('wait call-back').waitFor();
    await line(page, 'web1').getByText(/deploy: await agent \(\d+ of \d+\)/).waitFor();
    assert.equal(await line(page, 'web1').locator('.way [aria-current=step]').textContent(), 'deploying');
    assert.equal(await line(page, 'web1').getByRole('progressbar').count(), 1);
    await page.context().close();
  },

  async 'a failure is announced, counted in the title, and told with its reason'() {
    const page = await browser.page();
    await site.verb('web1', 'abort');
    await line(page, 'web1').getByText('deploy failed').waitFor();
    await line(page, 'web1').getByText('The deploy was aborted by request.').waitFor();
    await page.waitForFunction(() => document.title.startsWith('(1)'));
    await page.getByRole('button', {name: '1 Failed'}).click();
    assert.equal(await page.locator('#list tr.node:visible').count(), 1);
    await page.context().close();
  },

  async 'everything can be done by keyboard'() {
    const page = await browser.page();
    await page.keyboard.press('Tab');
    assert.equal(await page.evaluate(() => document.activeElement.textContent), 'Skip to the content');
    await page.keyboard.press('Tab');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    await page.locator('#event-list').waitFor({state: 'visible'});
    await page.keyboard.press('Home');
    const name = page.locator('#list').getByRole('button', {name: 'web1', exact: true});
    await name.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', {name: 'web1'}).waitFor();
    assert.ok(await page.evaluate(() => document.querySelector('#node').contains(document.activeElement)));
    await page.keyboard.press('Escape');
    await page.locator('#node').waitFor({state: 'hidden'});
    assert.equal(await page.evaluate(() => document.activeElement.textContent), 'web1');
    await page.context().close();
  },

  async 'nothing can be changed without the token, and with it what is asked for is done'() {
    const page = await browser.page();
    await site.add('web2');
    await page.locator('#list').getByRole('button', {name: 'web2', exact: true}).click();
    const status = await page.evaluate(async () => (await fetch('/v1/nodes/web2/states/provision', {
      method: 'PUT', body: '{"target": "manage"}'})).status);
    assert.equal(status, 403, 'though the browser is logged in, and on this machine');
    await page.getByRole('button', {name: 'manage', exact: true}).click();
    await page.getByLabel('Token').fill('wrong');
    await page.getByRole('button', {name: 'Log in', exact: true}).click();
    await page.getByText('The token is not accepted.').waitFor();
    await page.getByLabel('Token').fill(site.token);
    await page.getByRole('button', {name: 'Log in', exact: true}).click();
    await page.getByRole('dialog', {name: 'manage: web2'}).getByRole('button', {name: 'manage'}).click();
    await page.locator('#node .badge', {hasText: 'manageable'}).waitFor();
    await site.state('web2', 'manageable');
    assert.equal(await page.evaluate(() => JSON.stringify({...localStorage, ...sessionStorage}) + document.cookie), '{}');
    await page.context().close();
  },

  async 'what was missed while the conductor was killed and started again comes once and in order'() {
    const page = await browser.page();
    await page.getByRole('tab', {name: 'Events'}).click();
    await page.locator('#event-list li').first().waitFor();
    assert.match(await page.locator('#event-list').textContent(), / \((admin|root|[a-z-]+)\)/, 'who did it');
    const last = (await eventIds(page))[0];
    site.line.cut();
    await page.locator('#live.waiting').waitFor();
    await site.add('web3');
    await site.verb('web3', 'manage');
    await site.state('web3', 'manageable');
    await site.kill();
    await site.start();
    site.line.mend();
    await page.locator('#live.good').waitFor();
    await page.locator('#event-list').getByText('verifying -> manageable').nth(2).waitFor();
    const ids = await eventIds(page);
    assert.ok(ids[0] > last);
    assert.deepEqual(ids, Array.from({length: ids[0]}, (_, i) => ids[0] - i), 'no gap, no event twice');
    await page.context().close();
  },

  async 'the connection that breaks is resumed with what was missed only'() {
    const page = await browser.page();
    const seen = [];
    page.on('request', (request) => request.url().endsWith('/page/events') && seen.push(request));
    site.line.cut();
    await page.locator('#live.waiting').waitFor();
    await site.verb('web3', 'provide');
    await site.state('web3', 'available');
    site.line.mend();
    await page.locator('#live.good').waitFor();
    await line(page, 'web3').locator('.badge', {hasText: 'available'}).waitFor();
    const headers = await seen.at(-1).allHeaders();
    assert.match(headers['last-event-id'] ?? '', /^[0-9a-f]+-\d+-\d+-\d+$/);
    await page.context().close();
  },

  async 'the stack is drawn with what needs what, and told as a table'() {
    const page = await browser.page();
    await page.getByRole('tab', {name: 'Stacks'}).click();
    await page.getByRole('img', {name: '3 resources of site'}).waitFor();
    assert.equal(await page.locator('.graph .resource').count(), 3);
    assert.equal(await page.locator('.graph .edge').count(), 3);
    const x = (name) => page.locator('.graph .resource').filter({hasText: name}).evaluate((g) => g.transform.baseVal[0].matrix.e);
    assert.ok(await x('network') < await x('controller') && await x('controller') < await x('compute'));
    assert.equal(await page.locator('.graph .resource.failed').count(), 1);
    await page.getByText('3 resources as a table').click();
    await page.getByRole('row', {name: /network .* controller, compute/}).waitFor();
    await page.context().close();
  },

  async 'what looks like markup is text'() {
    const page = await browser.page();
    const nasty = '<img src=x onerror="document.title=1"><script>document.title=2</script>';
    await site.ask('PUT', '/v1/nodes/web1/maintenance', {reason: nasty});
    await line(page, 'web1').getByText(nasty).waitFor();
    assert.equal(await page.locator('main img, main script').count(), 0);
    await page.context().close();
  },

  async 'it can be read by day, by night, and on a phone'() {
    for (const colorScheme of ['light', 'dark']) {
      const page = await browser.page({colorScheme, viewport: {width: 360, height: 740}});
      const ground = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
      assert.equal(/rgb\((\d+)/.exec(ground)[1] < 60, colorScheme === 'dark');
      for (const tab of ['Nodes', 'Stacks', 'Events', 'Network', 'Images', 'Log']) {
        await page.getByRole('tab', {name: tab}).click();
        if (tab === 'Stacks') await page.locator('.graph').waitFor();
        await page.waitForFunction(() => document.getAnimations().every((one) => one.playState !== 'running' || one.effect.getTiming().iterations === Infinity));
        assert.deepEqual(await page.evaluate(poorContrast), [], `${colorScheme}, ${tab}`);
      }
      await page.getByRole('tab', {name: 'Nodes'}).click();
      await page.locator('#list').getByRole('button', {name: 'web1', exact: true}).click();
      await page.getByRole('dialog', {name: 'web1'}).waitFor();
      assert.deepEqual(await page.evaluate(poorContrast), [], `${colorScheme}, a node`);
      await page.context().close();
    }
  },

  async 'nothing of any view is off the edge of a narrow screen'() {
    await narrow(browser, 'web1');
  },

  async 'everything that can be used has a name for those who hear it'() {
    const page = await browser.page();
    const nameless = await page.evaluate(() => [...document.querySelectorAll('button, input, select, [role=img], dialog[open]')]
      .filter((e) => e.checkVisibility() && !(e.ariaLabel || e.textContent.trim() || e.labels?.length || e.getAttribute('aria-labelledby')))
      .map((e) => e.outerHTML));
    assert.deepEqual(nameless, []);
    const twice = await page.evaluate(() => [...document.querySelectorAll('[id]')].map((e) => e.id).filter((id, i, all) => all.indexOf(id) !== i));
    assert.deepEqual(twice, []);
    await page.context().close();
  },

  async 'a hall of nodes is shown as tiles and searched at once'() {
    const nodes = Array.from({length: 300}, (_, i) => ({pm_type: 'fake-hardware', name: `hall-${i}`, mac: [`52:54:01:00:${(i >> 8).toString(16).padStart(2, '0')}:${(i & 255).toString(16).padStart(2, '0')}`]}));
    await site.ask('POST', '/v1/hearth/import', {text: JSON.stringify({nodes}), source: 'hall.json', format: 'json', initial_state: 'enroll'});
    const page = await browser.page();
    await page.locator('#map .tile').first().waitFor();
    assert.equal(await page.locator('#map .tile').count(), 303);
    await page.getByLabel('Find nodes').fill('hall-29');
    await page.getByText('11 of 303 nodes').waitFor();
    assert.equal(await page.locator('#map .tile:visible').count(), 11);
    let told;
    await page.route('**/events', async (route) => {
      await new Promise((resolve) => { told = resolve; });
      await route.continue();
    });
    await page.reload({waitUntil: 'domcontentloaded'});
    await page.getByRole('button', {name: 'List', exact: true}).click(); // before the page knows how many there are
    told();
    await line(page, 'hall-29').waitFor();
    assert.equal(await page.locator('#map').isVisible(), false, 'what a person chose stays');
    await page.context().close();
  },

  async 'of a long list there is what is near, and the rest comes where one goes'() {
    const page = await browser.page();
    await page.getByRole('button', {name: 'List', exact: true}).click();
    await line(page, 'hall-0').waitFor();
    const rows = page.locator('#list tr.node');
    assert.equal(await page.locator('#list').getAttribute('aria-rowcount'), '304');
    assert.ok(await rows.count() < 150, 'what nobody sees is not there');
    const height = await page.evaluate(() => document.body.scrollHeight);
    assert.ok(height > 303 * 40, `but has its place: ${height}`);
    await line(page, 'hall-0').getByRole('button').focus(); // and stays, though it is not seen any more
    await page.evaluate(() => window.scrollTo(0, document.body.scrollHeight));
    await line(page, 'web1').waitFor();
    assert.equal(await line(page, 'web1').getAttribute('aria-rowindex'), '302');
    assert.equal(await page.evaluate(() => document.activeElement.textContent), 'hall-0');
    assert.equal(await line(page, 'hall-150').count(), 0);
    await site.ask('PUT', '/v1/nodes/hall-0/maintenance', {reason: 'a disk'});
    await line(page, 'hall-0').getByText('In maintenance: a disk').waitFor({state: 'attached'});
    assert.equal(await page.evaluate(() => document.activeElement.textContent), 'hall-0', 'nor does a change take it away');
    await page.evaluate(() => document.activeElement.blur());
    await page.evaluate(() => window.scrollTo(0, document.body.scrollHeight / 2));
    await line(page, 'hall-150').waitFor();
    await page.evaluate(() => window.scrollTo(0, 0));
    await line(page, 'hall-0').waitFor();
    await page.getByRole('button', {name: 'Map', exact: true}).click();
    assert.equal(await rows.count(), 0, 'nor is the list while the map is seen');
    await page.setViewportSize({width: 420, height: 900});
    await page.waitForFunction(() => document.querySelector('#map ul').childElementCount === 36);
    const wide = await page.evaluate(() => document.querySelector('#map ul').getBoundingClientRect().height);
    assert.ok(wide > 12 * 20 && wide < 12 * 60, `twelve lines of three: ${wide}`);
    await page.context().close();
  },

  async 'one action goes to many nodes, after it was shown to which'() {
    for (const name of ['bulk1', 'bulk2', 'bulk3']) await site.add(name);
    await site.verb('bulk3', 'manage');
    await site.state('bulk3', 'manageable');
    const page = await browser.page();
    await page.getByLabel('Find nodes').fill('bulk');
    await page.getByText('3 of 306 nodes').waitFor();
    await page.getByRole('button', {name: 'Act on all shown'}).click();
    await page.getByLabel('Token').fill(site.token);
    await page.getByRole('button', {name: 'Log in', exact: true}).click();
    const dialog = page.getByRole('dialog', {name: 'One action for 3 nodes'});
    await dialog.getByLabel('Action').selectOption('manage');
    await dialog.getByText('bulk3: not while it is manageable').waitFor();
    await dialog.getByRole('button', {name: 'manage: 2 nodes'}).waitFor();
    assert.deepEqual(await page.evaluate(poorContrast), []);
    await dialog.getByLabel('bulk2').uncheck();
    await dialog.getByRole('button', {name: 'manage: 1 node', exact: true}).click();
    await dialog.getByText('✓ begun').waitFor();
    await site.state('bulk1', 'manageable');
    assert.equal((await site.ask('GET', '/v1/nodes/bulk2')).provision_state, 'enroll', 'it was left out');
    await dialog.getByRole('button', {name: 'Close'}).click();
    await page.getByRole('button', {name: 'Act on all shown'}).click();
    await site.ask('DELETE', '/v1/nodes/bulk2');
    await dialog.getByLabel('Action').selectOption('manage');
    await dialog.getByRole('button', {name: /^manage: /}).click();
    await page.getByText(/✕ Node .* could not be found/).waitFor();
    browser.faults = browser.faults.filter((fault) => !/status of 40[04]/.test(fault)); // that answer
    await page.context().close();
  },

  async 'the last work on a node is one picture with times'() {
    const page = await browser.page();
    const {uuid} = await site.ask('GET', '/v1/nodes/web1');
    const events = await page.evaluate(async (id) => (await (await fetch(`nodes/${id}`)).json()).events, uuid);
    const began = Date.parse(events.find((event) => event.text.startsWith('available -> deploying')).at);
    await page.route(`**/page/nodes/${uuid}`, async (route) => {
      const response = await route.fetch();
      const boot = (after, protocol, what) => ({at: new Date(began + after).toISOString(), protocol, what, seconds: 0.01});
      await route.fulfill({response, json: {...await response.json(), boots: [boot(-5000, 'dhcp', 'DISCOVER'),
        boot(20, 'dhcp', 'DISCOVER'), boot(30, 'tftp', 'grubx64.efi'), boot(40, 'http', '/boot/kernel'), boot(50, 'http', '/boot/ramdisk')]}});
    });
    await page.getByLabel('Find nodes').fill('web1');
    await page.getByRole('button', {name: /^web1/}).first().click();
    const picture = page.getByRole('list', {name: 'The way through deploying, on one axis of time'});
    await picture.getByText('await agent').waitFor();
    for (const asked of ['DHCP', 'loader', 'kernel', 'ramdisk']) await picture.getByText(asked, {exact: true}).waitFor();
    assert.equal(await picture.locator('.lap.asked').count(), 4, 'what came before it is of another work');
    const outside = await picture.locator('.lap').evaluateAll((bars) => bars.filter((bar) => {
      const [own, track] = [bar.getBoundingClientRect(), bar.parentElement.getBoundingClientRect()];
      return own.left < track.left - 1 || own.right > track.right + 4 || own.height < 8 || own.width < 3;
    }).length);
    assert.equal(outside, 0);
    const starts = await picture.locator('.lap').evaluateAll((bars) => bars.map((bar) => bar.getBoundingClientRect().left));
    assert.deepEqual(starts, [...starts].sort((a, b) => a - b), 'in the order in which they began');
    await page.context().close();
  },

  async 'a node in trouble is told with its cause and the next step'() {
    const uuid = await site.add('trouble1');
    const page = await browser.page();
    await page.route(`**/page/nodes/${uuid}`, async (route) => {
      const response = await route.fetch();
      await route.fulfill({response, json: {...await response.json(), why: {cause: 'The BMC refuses the password.', evidence: [], next: 'hearth node set trouble1'}}});
    });
    await page.getByLabel('Find nodes').fill('trouble1');
    await page.getByRole('button', {name: /^trouble1/}).first().click();
    const why = page.locator('#node').getByRole('region', {name: 'Why'});
    await why.getByText('The BMC refuses the password.').waitFor();
    await why.getByText('Next: hearth node set trouble1').waitFor();
    await page.context().close();
  },

  async 'the picture goes on through the first boot and the agent’s deployments'() {
    const uuid = await site.add('boot1');
    const page = await browser.page();
    const began = Date.parse('2026-11-20T10:00:00Z');
    const event = (seconds, kind, text) => ({id: seconds, at: new Date(began + 1000 * seconds).toISOString(), node: uuid, name: 'boot1', kind, text});
    let events = [event(0, 'state', 'available -> deploying (admin)'), event(1, 'stage', 'deploy: write image (3/5)'), event(60, 'state', 'deploying -> active'),
      event(75, 'system', 'its agent has asked for its metadata'), event(90, 'system', 'deployment network: done'), event(100, 'system', 'deployment web: failed')];
    await page.route(`**/page/nodes/${uuid}`, async (route) => {
      const response = await route.fetch();
      const json = await response.json();
      await route.fulfill({response, json: {...json, events, state: state ?? json.state, heard: heard ?? json.heard}});
    });
    let [state, heard] = [null, null];
    const look = async () => {
      await page.goto(`${page.url().split('#')[0]}#node/${uuid}`);
      await page.reload();
      const picture = page.getByRole('list', {name: 'The way through deploying, on one axis of time'});
      await picture.waitFor();
      return picture.locator('li').evaluateAll((rows) => rows.map((row) => {
        const bar = row.querySelector('.lap');
        return [row.children[0].textContent, row.querySelector('time').dateTime.slice(11, 19), row.children[3].textContent, bar.style.insetInlineStart, bar.style.inlineSize, bar.dataset.kind];
      }));
    };
    assert.deepEqual(await look(), [
      ['write image', '10:00:01', '59 s', '1%', '59%', 'stage'], ['first boot', '10:01:00', '15 s', '60%', '15%', 'boot'],
      ['network', '10:01:15', '15 s', '75%', '15%', 'agent'], ['web failed', '10:01:30', '10 s', '90%', '10%', 'failed']]);
    assert.deepEqual(await page.evaluate(poorContrast), []);
    const later = 180 * 86400;
    events = [...events, event(later, 'system', 'deployment network: failed'), event(later + 1, 'system', 'update of deployment web: done'), event(later + 2, 'system', 'deployment late: done')];
    assert.deepEqual((await look()).map(([name]) => name), ['write image', 'first boot', 'network', 'web failed'], 'half a year later is no part of it');
    events = [...events.slice(0, 3), event(70, 'system', 'its machine has asked for an address'), event(75, 'system', 'its agent has asked for its metadata')];
    assert.deepEqual((await look()).slice(1).map(([name, , took]) => [name, took]), [['boot to DHCP', '10 s'], ['first boot', '15 s']]);
    events = events.slice(0, 3);
    await look();
    assert.equal(await page.getByText('How its own system came up can’t be known here').count(), 0, 'it is not active');
    state = 'active';
    await look();
    await page.getByText('How its own system came up can’t be known here: this conductor gives machines neither addresses').waitFor();
    heard = {metadata: false, addresses: true};
    await look();
    await page.getByText('Nothing was heard of its own system yet. What would be: its machine’s DHCP request.').waitFor();
    events = [...events, event(75, 'system', 'its agent has asked for its metadata'), ...Array.from({length: 30}, (_, i) => event(80 + i, 'system', `deployment d${i}: done`))];
    assert.deepEqual((await look()).map(([name]) => name), ['write image', 'first boot', '30 deployments']);
    await page.context().close();
  },

  async 'networks and leases are shown, and whose they are'() {
    const page = await browser.page();
    await page.getByRole('tab', {name: 'Network'}).click();
    await page.getByText('This conductor boots no machines itself').waitFor();
    const {ports: [{address: mac}]} = await site.ask('GET', '/v1/nodes/web1/ports');
    const lease = (address, card, state) => ({address, mac: card, state, until: new Date(Date.now() + 600000).toISOString(), hostname: ''});
    await page.route('**/page/network', (route) => route.fulfill({json: {
      networks: [{subnet: '192.0.2.0/24', server: '192.0.2.1', mode: 'full', pools: ['192.0.2.100-192.0.2.199'], addresses: 100, held: 1}],
      leases: [lease('192.0.2.100', mac, 'bound'), lease('192.0.2.101', '52:54:00:ff:ff:ff', 'over')]}}));
    await page.getByRole('tab', {name: 'Nodes'}).click();
    await page.getByRole('tab', {name: 'Network'}).click();
    await page.getByRole('row', {name: /192\.0\.2\.0\/24 192\.0\.2\.1 ours .* 1 of 100/}).waitFor();
    await page.getByRole('row', {name: /192\.0\.2\.101 no node 52:54:00:ff:ff:ff over/}).waitFor();
    assert.deepEqual(await page.evaluate(poorContrast), []);
    await page.getByRole('row', {name: /192\.0\.2\.100 web1 .* bound/}).getByRole('button', {name: 'web1'}).click();
    await page.getByRole('dialog', {name: 'web1'}).waitFor();
    await page.context().close();
  },

  async 'machines are brought in after it was shown what becomes of them'() {
    const page = await browser.page();
    await page.getByRole('button', {name: 'Add machines'}).click();
    await page.getByLabel('Token').fill(site.token);
    await page.getByRole('button', {name: 'Log in', exact: true}).click();
    const dialog = page.getByRole('dialog', {name: 'Add machines'});
    const machine = (more) => ({name: 'new1', pm_type: 'fake-hardware', mac: ['52:54:00:aa:00:01'], x_seed: {rack: 'B2', slot: '4'}, ...more});
    const text = (...nodes) => JSON.stringify({nodes});
    await dialog.getByLabel('Inventory').fill(text(machine({pm_type: 'redfihs'}), {name: 'a b', pm_type: 'fake-hardware'}));
    await dialog.getByRole('button', {name: 'Show what becomes of them'}).click();
    const fault = dialog.getByRole('alert');
    await fault.getByText(/unknown pm_type .*redfihs \(do you mean redfish\?\)/).waitFor();
    await fault.getByText(/Name "a b" is invalid/).waitFor();
    browser.faults = browser.faults.filter((each) => !/status of 422/.test(each)); // that answer
    await dialog.getByLabel('From a file').setInputFiles({name: 'hall.yaml', mimeType: 'text/yaml', buffer: Buffer.from(text(machine(), machine({name: 'new2', mac: ['52:54:00:aa:00:02'], x_seed: {rack: 'B2', slot: '7'}})))});
    await page.waitForFunction(() => document.querySelector('#import-format').value === 'yaml' && document.querySelector('#import-text').value.includes('new2'));
    await dialog.getByRole('button', {name: 'Show what becomes of them'}).click();
    const lines = dialog.getByRole('list', {name: 'What becomes of them'});
    await lines.getByText('created: new1').waitFor();
    await lines.getByText('created: new2').waitFor();
    await lines.getByText('created: new1 (fake-hardware, 52:54:00:aa:00:01; its UUID is made then)').waitFor();
    assert.deepEqual(await page.evaluate(poorContrast), []);
    const names = (await site.ask('GET', '/v1/nodes')).nodes.map((node) => node.name);
    assert.ok(!names.includes('new1'), 'only shown');
    await page.keyboard.press('Enter'); // on "Bring them in"
    await dialog.waitFor({state: 'hidden'});
    await page.getByLabel('Find nodes').fill('new');
    await page.getByText('2 of ').waitFor();
    const {nodes} = await site.ask('GET', '/v1/nodes');
    const {uuid} = nodes.find((node) => node.name === 'new1');
    await page.getByRole('button', {name: 'Add machines'}).click();
    await dialog.getByLabel('From a file').setInputFiles({name: 'hosts', mimeType: 'text/plain', buffer: Buffer.from('pm_type,pm_addr,pm_user,pm_password,mac\nipmi,192.0.2.77,a,b,52:54:00:aa:00:09\n')});
    await page.waitForFunction(() => document.querySelector('#import-text').value.includes('192.0.2.77'));
    assert.equal(await page.evaluate(() => document.querySelector('#import-format').selectedOptions[0].textContent), 'as it is seen');
    await dialog.getByRole('button', {name: 'Show what becomes of them'}).click();
    await lines.getByText('created: no name (ipmi 192.0.2.77, 52:54:00:aa:00:09; its UUID is made then)').waitFor();
    await dialog.getByLabel('Inventory').fill(text(machine({})));
    await dialog.getByRole('button', {name: 'Show what becomes of them'}).click();
    await lines.getByText(`unchanged: new1 (${uuid})`).waitFor();
    await page.context().close();
  },

  async 'of machines that are there it is shown which values an import would change'() {
    const machine = (more) => JSON.stringify({nodes: [{name: 'there1', pm_type: 'redfish', pm_addr: 'http://192.0.2.9', pm_system_id: '1', pm_user: 'admin', pm_password: 'old-secret', mac: ['52:54:00:aa:00:31'], ...more}]});
    await site.ask('POST', '/v1/hearth/import', {text: machine({}), source: 'hall.json', format: 'json', initial_state: 'enroll'});
    const page = await browser.page();
    await page.getByRole('button', {name: 'Add machines'}).click();
    await page.getByLabel('Token').fill(site.token);
    await page.getByRole('button', {name: 'Log in', exact: true}).click();
    const dialog = page.getByRole('dialog', {name: 'Add machines'});
    await dialog.getByLabel('Inventory').fill(machine({pm_addr: 'http://192.0.2.10', pm_password: 'new-secret', x_seed: {rack: 'C3'}}));
    await dialog.getByRole('button', {name: 'Show what becomes of them'}).click();
    const lines = dialog.getByRole('list', {name: 'What becomes of them'});
    await lines.getByText('driver_info.redfish_address: http://192.0.2.9 → http://192.0.2.10').waitFor();
    assert.deepEqual(await lines.locator('.changes li').allTextContents(), ['driver_info.redfish_address: http://192.0.2.9 → http://192.0.2.10',
      'driver_info.redfish_password: another one', 'extra.x_seed.rack: nothing → C3']);
    assert.deepEqual(await page.evaluate(poorContrast), []);
    await page.context().close();
  },

  async 'a node is edited after it was shown what changes, and secrets stay'() {
    await site.ask('PATCH', '/v1/nodes/new1', [{op: 'add', path: '/driver_info', value: {redfish_password: 'old-secret', redfish_address: 'http://192.0.2.9'}}]);
    const page = await browser.page();
    const dialog = await editing(page, 'new1');
    assert.equal(await dialog.getByRole('button', {name: 'Change'}).isDisabled(), true);
    await dialog.getByLabel('Slot').fill('9');
    await dialog.getByLabel('Description').fill('by the door');
    await dialog.getByLabel('redfish_address').fill('http://192.0.2.10');
    const changes = dialog.getByRole('list', {name: 'What changes'});
    await changes.getByText('Slot: 4 → 9').waitFor();
    await changes.getByText('redfish_address: http://192.0.2.9 → http://192.0.2.10').waitFor();
    await changes.getByText('Description: nothing → by the door').waitFor();
    assert.equal(await changes.locator('li').count(), 3);
    await dialog.getByRole('button', {name: 'Change'}).click();
    await page.locator('#node').getByText('by the door').waitFor();
    const node = await site.ask('GET', '/v1/nodes/new1');
    assert.deepEqual([node.extra.x_seed.slot, node.extra.x_seed.rack, node.driver_info.redfish_address], ['9', 'B2', 'http://192.0.2.10']);
    const exported = JSON.stringify(await site.ask('GET', '/v1/hearth/export?secrets=true'));
    assert.ok(exported.includes('old-secret'), 'what was not touched is as it was');
    await page.context().close();
  },

  async 'cards and capabilities are edited, and what is odd about them is told before'() {
    await site.add('cards1', {properties: {capabilities: 'profile:compute'}});
    const {uuid} = await site.ask('GET', '/v1/nodes/cards1');
    const [{address: first}] = (await site.ask('GET', `/v1/nodes/${uuid}/ports`)).ports;
    const addresses = async () => (await site.ask('GET', '/v1/nodes/cards1/ports')).ports.map(({address}) => address).sort();
    const page = await browser.page();
    const dialog = await editing(page, 'cards1');
    browser.alsoExpected = /status of 400/;  // the browser says what it was answered
    await dialog.getByLabel('MAC address 1').fill('52:54:00:c0:00:0');
    await dialog.getByRole('button', {name: 'Change'}).click();
    await dialog.getByRole('alert').getByText('52:54:00:c0:00:0').waitFor();
    browser.alsoExpected = undefined;
    await dialog.getByLabel('MAC address 1').fill('52:54:00:c0:00:02');
    await dialog.getByLabel('One more MAC address').fill('52:54:00:c0:00:03');
    await dialog.getByLabel('Capabilities').fill('profile:compute,boot_mod:bios');
    await dialog.getByRole('button', {name: 'Change'}).click();
    await dialog.getByRole('alert').getByText('did you mean boot_mode?').waitFor();
    assert.deepEqual(await addresses(), [first], 'nothing is changed yet');
    await dialog.getByLabel('Capabilities').fill('profile:compute,boot_mode=bios');
    await dialog.getByRole('button', {name: 'Change'}).click();
    await dialog.waitFor({state: 'hidden'});
    assert.deepEqual(await addresses(), ['52:54:00:c0:00:02', '52:54:00:c0:00:03']);
    assert.equal((await site.ask('GET', '/v1/nodes/cards1')).properties.capabilities, 'profile:compute,boot_mode:bios');
    await page.locator('#node').getByRole('button', {name: 'edit', exact: true}).click();
    await dialog.getByLabel('MAC address 2').fill('');
    await dialog.getByRole('button', {name: 'Change'}).click();
    await dialog.waitFor({state: 'hidden'});
    assert.equal((await addresses()).length, 1);
    await page.context().close();
  },

  async 'what nobody touched in the form stays, whatever keys and values a node has'() {
    const info = {slot: 'chassis-3', redfish_address: 'http://192.0.2.9', port: 8443, note: ' spaced '};
    await site.add('edit1', {description: 'two\nlines', driver_info: info, extra: {x_seed: {rack: 'E', slot: '1', note: 'kept'}}});
    const page = await browser.page();
    const dialog = await editing(page, 'edit1');
    assert.equal(await dialog.getByRole('button', {name: 'Change'}).isDisabled(), true, 'nothing was changed yet');
    await dialog.getByLabel('Rack').fill('F');
    await dialog.getByLabel('port', {exact: true}).fill('8444');
    await site.ask('PATCH', '/v1/nodes/edit1', [{op: 'add', path: '/extra/x_seed/note', value: 'by somebody else, meanwhile'}]);
    await dialog.getByRole('button', {name: 'Change'}).click();
    await dialog.waitFor({state: 'hidden'});
    const node = await site.ask('GET', '/v1/nodes/edit1');
    assert.deepEqual([node.description, node.driver_info, node.extra.x_seed],
      ['two\nlines', {...info, port: 8444}, {rack: 'F', slot: '1', note: 'by somebody else, meanwhile'}]);
    await page.context().close();
  },

  async 'racks are drawn with each node in its slot, and show a person where to go'() {
    await site.add('hand1', {driver: 'manual-management', extra: {x_seed: {rack: 'B2', slot: '6'}}});
    await site.deploy('hand1');
    const page = await browser.page();
    const todo = page.locator('#todo li').filter({hasText: 'hand1'});
    const place = todo.getByRole('img', {name: 'hand1 is in rack B2, slot 6'});
    await place.waitFor();
    assert.deepEqual(await place.locator('.slot').allTextContents(), ['9', '8', '7', '6'], 'from the top');
    assert.match(await place.locator('.here').textContent(), /6hand1/);
    await page.getByRole('button', {name: 'Racks', exact: true}).click();
    const rack = page.getByRole('region', {name: 'rack B2'});
    await rack.locator('li').first().waitFor();
    assert.deepEqual(await rack.locator('li').evaluateAll((rows) => rows.map((row) => row.textContent.replace(/[^\w]/g, ''))), ['9new1', '8', '7new2', '6hand1']);
    assert.deepEqual(await page.evaluate(poorContrast), []);
    await page.getByLabel('Find nodes').fill('new2');
    await page.waitForFunction(() => document.querySelectorAll('#racks button').length === 1);
    await rack.getByRole('button', {name: 'new2: enroll, slot 7'}).focus();
    await site.ask('PUT', '/v1/nodes/new2/maintenance', {reason: 'a disk'});
    await rack.locator('.tile.held').waitFor();
    assert.match(await page.evaluate(() => document.activeElement.getAttribute('aria-label')), /^new2/, 'who is there stays there');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', {name: 'new2'}).waitFor();
    await page.context().close();
  },

  async 'a slot that is no place and a rack of thousands stop nobody'() {
    await site.add('odd1', {extra: {x_seed: {rack: 'odd', slot: '99999999999999999999'}}});
    const page = await browser.page();
    await page.getByRole('button', {name: 'Racks', exact: true}).click();
    await page.getByRole('region', {name: 'rack odd'}).getByRole('button', {name: 'odd1: enroll, slot 99999999999999999999'}).waitFor();
    const milliseconds = await page.evaluate(async () => {
      const {drawRack, racksOf} = await import('./racks.js');
      const nodes = Array.from({length: 20000}, (_, i) => ({id: `${i}`, name: `n${i}`, state: 'enroll', kind: 'stable', place: {rack: 'one', slot: `${i % 900}`}}));
      const began = performance.now();
      for (const [name, there] of racksOf(nodes)) drawRack(name, there, (node) => node.id === '1', () => {});
      return performance.now() - began;
    });
    assert.ok(milliseconds < 2000, `${milliseconds} ms`);
    await site.ask('DELETE', '/v1/nodes/odd1');
    await page.context().close();
  },

  async 'images are listed with what machines fetch and its digest'() {
    const page = await browser.page();
    await page.getByRole('tab', {name: 'Images'}).click();
    await page.getByText('No image is registered').waitFor();
    await site.ask('PUT', '/v1/hearth/images/node', {file: '/x/node.qcow2', kernel: '/x/k', ramdisk: '/x/r', image_disk_format: 'qcow2',
      image_source: 'http://me:SECRET@192.0.2.1/images/node.qcow2', image_os_hash_algo: 'sha256', image_os_hash_value: 'ab12'});
    await page.getByRole('tab', {name: 'Nodes'}).click();
    await page.getByRole('tab', {name: 'Images'}).click();
    await page.getByRole('row', {name: /node qcow2 yes .*192\.0\.2\.1\/images\/node\.qcow2 sha256:ab12/}).waitFor();
    assert.ok(!(await page.locator('#images').innerHTML()).includes('SECRET'));
    assert.deepEqual(await page.evaluate(poorContrast), []);
    await page.context().close();
  },

  async 'of an image that was loaded it is told of what it was made, with its evidence'() {
    const folder = mkdtempSync(join(tmpdir(), 'hearth-image-'));
    for (const name of ['made.raw', 'k', 'r']) writeFileSync(join(folder, name), name);
    mkdirSync(join(folder, 'made.d'));
    const digest = createHash('sha256').update('made.raw').digest('hex');
    const manifest = {builder: 'hearth 9.9', distribution: 'debian', architecture: 'amd64', elements: ['base', '<b>vm</b>'], packages: [{package: 'bash'}, {package: 'apt'}]};
    writeFileSync(join(folder, 'made.d', 'manifest.json'), JSON.stringify(manifest));
    const statement = (sha256) => writeFileSync(join(folder, 'made.d', 'provenance.json'), JSON.stringify({
      subject: [{name: 'made.raw', digest: {sha256}}], predicate: {runDetails: {metadata: {finishedOn: '2026-11-20T10:00:00Z'}}}}));
    const load = () => execFileSync(process.argv[2], ['image', 'load', join(folder, 'made.raw'), '--state', site.directory, '--kernel', join(folder, 'k'), '--ramdisk', join(folder, 'r')]);
    statement(digest);
    load();
    const page = await browser.page();
    await page.getByRole('tab', {name: 'Images'}).click();
    const row = page.getByRole('row', {name: /^made raw/});
    await row.getByText('debian amd64 · 2 elements · 2 packages').waitFor();
    await row.getByText(/made \d+ d .* ago by hearth 9\.9/).waitFor();
    await row.getByText('Evidence', {exact: true}).click();
    await row.getByText('The statement is about this very image.').waitFor();
    await row.getByText('base, <b>vm</b>').waitFor();
    assert.deepEqual(await page.evaluate(poorContrast), []);
    const [download] = await Promise.all([page.waitForEvent('download'), row.getByRole('link', {name: 'manifest.json'}).click()]);
    assert.deepEqual(JSON.parse(readFileSync(await download.path())), manifest);
    statement('00');
    load();
    await page.getByRole('tab', {name: 'Nodes'}).click();
    await page.getByRole('tab', {name: 'Images'}).click();
    await row.getByText('The statement is about another image').first().waitFor();
    symlinkSync(join(site.directory, 'api-token'), join(folder, 'made.d', 'hearth.lock'));
    assert.throws(load, /hearth\.lock is a link: all who log in could read where it leads/);
    const evidence = async () => (await fetch(`${site.url}/v1/hearth/images/made/evidence/manifest.json`, {headers: {'X-Auth-Token': readerToken}})).status;
    assert.equal(await evidence(), 200);
    rmSync(join(folder, 'made.d'), {recursive: true});
    load();
    assert.equal(await evidence(), 404, 'what an image of before was made of');
    rmSync(folder, {recursive: true});
    await page.context().close();
  },

  async 'what a machine of the conductor says on its console is read as it comes'() {
    const {uuid} = await site.ask('GET', '/v1/nodes/new1');
    const folder = join(site.directory, 'qemu', uuid);
    mkdirSync(folder, {recursive: true});
    writeFileSync(join(folder, 'console.log'), '\x1b[2J\x1b]0;a title\x07\x1bPq#0\x1b\\\x1b(B 10%\r 20%\r\x1b[1;31mBooting\x1b[0m <b>it</b>\r\n');
    const page = await browser.page();
    await page.goto(`${page.url().split('#')[0]}#node/${uuid}`);
    await page.reload();
    await page.locator('#node').getByText('Serial console', {exact: true}).click();
    await page.getByLabel('Token').fill(site.token); // it may show secrets
    await page.getByRole('button', {name: 'Log in', exact: true}).click();
    const lines = page.getByRole('log', {name: 'Serial console'});
    await lines.getByText('Booting <b>it</b>').waitFor();
    appendFileSync(join(folder, 'console.log'), 'login: ');
    await lines.getByText('login:').waitFor();
    assert.equal(await lines.textContent(), 'Booting <b>it</b>\nlogin: ');
    await site.ask('PUT', '/v1/nodes/new1/maintenance', {reason: 'drawn anew'});
    await page.locator('#node .note').getByText('In maintenance: drawn anew').waitFor();
    assert.equal(await lines.textContent(), 'Booting <b>it</b>\nlogin: ', 'it stays open');
    assert.deepEqual(await page.evaluate(poorContrast), []);
    for (const part of ['x', 'y\b']) { // a line that never ends, and one that is taken back, keep no browser busy
      appendFileSync(join(folder, 'console.log'), part.repeat(150000 / part.length));
      await page.waitForFunction((end) => document.querySelector('#node pre').textContent.endsWith(end), part[0]);
    }
    appendFileSync(join(folder, 'console.log'), '\r\nlogin: ');
    await page.waitForFunction(() => document.querySelector('#node pre').textContent.endsWith('xxy\nlogin: '));
    await page.getByRole('button', {name: 'Type', exact: true}).click();
    await page.getByRole('status').getByText('the machine is off').waitFor();
    browser.faults = browser.faults.filter((fault) => !/status of 409/.test(fault)); // that answer
    await page.context().close();
  },

  async 'a machine of the conductor is typed to, by one at a time, and nothing typed is kept'() {
    const uuid = await site.add('typed1');
    const folder = join(site.directory, 'qemu', uuid);
    mkdirSync(folder, {recursive: true});
    writeFileSync(join(folder, 'console.log'), 'login: ');
    const machine = await serialLine(join(folder, 'console'));
    const qemu = await monitor(join(folder, 'qmp'));
    const page = await browser.page();
    await openConsole(page, uuid, site.token);
    await page.getByRole('button', {name: 'Type', exact: true}).click();
    const keys = page.getByRole('textbox', {name: 'Type to typed1; Control and right bracket stops'});
    await keys.waitFor();
    assert.deepEqual(await page.evaluate(poorContrast), []);
    await keys.pressSequentially('root', {delay: 5});
    for (const key of ['Enter', 'Tab', 'ArrowUp', 'Backspace', 'Control+c', 'Escape']) await page.keyboard.press(key);
    await page.getByRole('button', {name: 'Ctrl-D'}).click();
    await machine.hears('root\r\t\x1b[A\x7f\x03\x1b\x04');
    assert.ok(await page.locator('#node').isVisible(), 'Escape is the machine’s while one types');
    const pasted = `pa-${'x'.repeat(3000)}-ssword`;
    await keys.fill(pasted);
    await machine.hears(pasted);

    const other = await browser.page();
    await openConsole(other, uuid, operatorToken);
    await other.getByRole('status').getByText('admin types here; one at a time.').waitFor();
    assert.equal(await other.getByRole('button', {name: 'Type', exact: true}).isDisabled(), true);
    assert.deepEqual(await other.evaluate(poorContrast), []);
    await page.keyboard.press('Control+]');
    await page.getByRole('status').getByText('You have given the keyboard back.').waitFor();
    assert.equal(await page.evaluate(() => document.activeElement.textContent), 'Type');
    qemu.isTaken = true; // by socat, which came between the two
    await other.getByRole('button', {name: 'Type', exact: true}).and(other.locator(':enabled')).click();
    await other.getByRole('status').getByText('another program has its console').waitFor();
    browser.faults = browser.faults.filter((fault) => !/status of 409/.test(fault)); // that answer
    qemu.isTaken = false;
    await other.getByRole('button', {name: 'Type', exact: true}).and(other.locator(':enabled')).click();
    await other.getByRole('textbox', {name: /^Type to typed1/}).pressSequentially('second');
    await machine.hears('second');
    await qemu.end();
    await machine.end();
    await other.getByRole('status').getByText('You no longer type here').waitFor();
    const {events} = await site.ask('GET', `/v1/hearth/events?node=${uuid}`);
    assert.deepEqual(events.filter((event) => event.kind === 'console').map((event) => event.text), ['admin types at its console',
      'admin types at its console no more', 'ole types at its console', 'ole types at its console no more: the console has ended']);
    assert.ok(!site.logged.includes('ssword') && !JSON.stringify(events).includes('ssword'), 'what was typed');
    await page.context().close();
    await other.context().close();
  },

  async 'menus that real firmware and GRUB draw stand where they drew them'() {
    const recorded = JSON.parse(readFileSync(join(process.argv[3], 'consoles.json'), 'utf8'));
    const uuid = await site.add('menu1');
    const folder = join(site.directory, 'qemu', uuid);
    mkdirSync(folder, {recursive: true});
    const file = join(folder, 'console.log');
    const menu = recorded.grub.slice(0, recorded.grub.indexOf('in 3s.') + 6);
    writeFileSync(file, menu.slice(0, 1000)); // in the midst of its drawing, and of a sequence
    const page = await browser.page();
    await openConsole(page, uuid, site.token);
    const screen = page.locator('#node .screen');
    await screen.getByText('GNU GRUB').waitFor();
    appendFileSync(file, menu.slice(1000));
    await page.waitForFunction(() => document.querySelector('#node .screen').textContent.endsWith('automatically in 3s.'));
    const lines = (await screen.textContent()).split('\n');
    assert.deepEqual([lines[1].trim(), lines[3], lines[4], lines[5], lines[16]], ['GNU GRUB  version 2.06-13+deb12u2', ` +${'-'.repeat(76)}+`,
      ` | Debian GNU/Linux${' '.repeat(59)}|`, ` |*Advanced options for Debian GNU/Linux${' '.repeat(38)}|`, ` +${'-'.repeat(76)}+`]);
    assert.equal((await screen.locator('.inverse').textContent()).trim(), '*Advanced options for Debian GNU/Linux', 'what is highlighted');
    const places = await screen.evaluate((element) => { // of letters, as they are drawn
      const at = (text) => {
        const walk = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
        while (walk.nextNode()) {
          const found = walk.currentNode.data.indexOf(text);
          if (found < 0) continue;
          const range = document.createRange();
          range.setStart(walk.currentNode, found);
          range.setEnd(walk.currentNode, found + 1);
          return range.getBoundingClientRect();
        }
        return null;
      };
      return [at('*Advanced').left - at('+--').left, (at('*Advanced').top - at('+--').top) / at('+--').height, at('+--').width];
    });
    assert.ok(Math.abs(places[0] - places[2]) < 1 && Math.abs(places[1] - 2) < 0.5, `${places}`);
    assert.deepEqual(await page.evaluate(poorContrast), []);
    appendFileSync(file, recorded.grub.slice(menu.length));
    await page.waitForFunction(() => document.querySelector('#node .screen').textContent === '  Booting `Advanced options for Debian GNU/Linux\'\n\n\nchosen\n');
    assert.ok((await page.locator('#node .terminal').textContent()).includes('in 0s.'), 'what was wiped away is above');
    appendFileSync(file, recorded.firmware);
    await page.waitForFunction(() => document.querySelector('#node .screen').textContent.endsWith('Shell> '));
    assert.equal((await screen.textContent()).split('\n')[4], 'Press ESC in 1 seconds to skip startup.nsh or any other key to continue.');
    assert.deepEqual(await page.evaluate(poorContrast), []);
    const vi = '\x1b[0m\x1b[?1049h\x1b[1;24r\x1b[H\x1b[2J\x1b[1;1Hfirst\r\n\x1b[94m~\x1b[0m\x1b[24;1H\x1b[1m"file"\x1b[0m\x1b[K\x1b[2;1H\x1b[L\x1b[34mnew\x1b[1;3H\x1b[P';
    appendFileSync(file, vi);
    await page.waitForFunction(() => document.querySelector('#node .screen').textContent.startsWith('fist\nnew\n~'));
    assert.deepEqual(await page.evaluate(poorContrast), []);
    appendFileSync(file, '\x1b[?1049l');
    await page.waitForFunction(() => document.querySelector('#node .screen').textContent.endsWith('Shell> '));
    const times = await page.evaluate(async () => { // what a hostile machine says
      const {Screen} = await import('./screen.js');
      const time = (run) => {
        const began = performance.now();
        run();
        return performance.now() - began;
      };
      const usual = time(() => new Screen().write('a line of a log, as they come\r\n'.repeat(35000))); // as many bytes
      const says = ['\x1b[99999999S', '\x1b[60;132H\x1b[99999999L', '\x1b]', `\x1b[${'1;'.repeat(30000)}m`, '\x1b[99999999@', '\x1b[?1049h\x1b[?1049l', 'a\u0301\u0301\u0301', '\x1b[2J'];
      return time(() => {
        for (const say of says) new Screen().write(say.repeat(65536 / say.length + 1));
        const screen = new Screen();
        for (let i = 0; i < 10; ++i) screen.write('\x1bP'.padEnd(65536, 'x'));
      }) / usual;
    });
    assert.ok(times < 50, `${times} times as long as of what is usual`);
    await page.context().close();
  },

  async 'who types or reads keeps his place while the node changes'() {
    const uuid = await site.add('stay1');
    const folder = join(site.directory, 'qemu', uuid);
    mkdirSync(folder, {recursive: true});
    writeFileSync(join(folder, 'console.log'), Array.from({length: 300}, (_, i) => `line ${i}\r\n`).join(''));
    const machine = await serialLine(join(folder, 'console'));
    const qemu = await monitor(join(folder, 'qmp'));
    const page = await browser.page();
    await openConsole(page, uuid, site.token);
    await page.locator('#node .terminal').getByText('line 299').waitFor();
    await page.getByRole('button', {name: 'Type', exact: true}).click();
    const keys = page.getByRole('textbox', {name: /^Type to stay1/});
    await keys.waitFor();
    await page.keyboard.type('a');
    await page.evaluate(() => { document.querySelector('#node .terminal').scrollTop = 500; });
    for (const [i, reason] of ['one', 'two'].entries()) {
      await site.ask('PUT', `/v1/nodes/${uuid}/maintenance`, {reason});
      await page.locator('#node .note').getByText(`In maintenance: ${reason}`).waitFor();
      assert.equal(await page.evaluate(() => document.activeElement.className), 'keys', 'keys go to the machine still');
      assert.equal(await page.evaluate(() => document.querySelector('#node .terminal').scrollTop), 500);
      await page.keyboard.type(String(i));
    }
    await machine.hears('a01');
    await page.keyboard.press('Control+]');
    await page.locator('#node').getByRole('button', {name: 'edit', exact: true}).focus();
    await site.ask('DELETE', `/v1/nodes/${uuid}/maintenance`);
    await page.locator('#node').getByRole('button', {name: 'maintenance', exact: true}).waitFor();
    assert.equal(await page.evaluate(() => document.activeElement.textContent), 'edit');
    await qemu.end();
    await machine.end();
    await page.context().close();
  },

  async 'the page says who one is, and offers what one may do'() {
    await site.add('who1');
    const acts = ['manage', 'switch on', 'maintenance', 'edit', 'Act on all shown', 'Add machines'];
    const look = async (token) => {
      const page = await browser.page();
      await page.getByRole('button', {name: 'List', exact: true}).click(); // a map is shown where the tests before made many
      await page.getByLabel('Find nodes').fill('who1');
      await page.getByRole('button', {name: 'admin, role admin, looking only'}).click();
      await page.getByRole('dialog', {name: 'admin'}).getByRole('button', {name: 'Give a token'}).click();
      await page.getByLabel('Token').fill(token);
      await page.getByRole('button', {name: 'Log in', exact: true}).click();
      await page.locator('#ask').waitFor({state: 'hidden'});
      await page.locator('#list').getByRole('button', {name: 'who1', exact: true}).click();
      const sheet = page.getByRole('dialog', {name: 'who1'});
      await sheet.waitFor();
      const found = await page.evaluate((wanted) => [...document.querySelectorAll('main button, #node button')].filter((button) => button.checkVisibility())
        .map((button) => button.textContent).filter((text) => wanted.includes(text)).sort(), acts);
      const told = await sheet.locator('[data-tells]').textContent();
      assert.deepEqual(await page.evaluate(poorContrast), []);
      await sheet.getByRole('button', {name: 'Close'}).click();
      return {page, found, told};
    };
    const admin = await look(site.token);
    assert.deepEqual(admin.found, ['Act on all shown', 'Add machines', 'edit', 'maintenance', 'manage', 'switch on']);
    assert.equal(admin.told, '');
    await admin.page.context().close();
    const ole = await look(operatorToken);
    assert.deepEqual(ole.found, ['Act on all shown', 'maintenance', 'manage', 'switch on']);
    await ole.page.getByRole('button', {name: 'ole, role operate', exact: true}).click();
    await ole.page.getByText(/You are ole, an operator \(role operate\)\. You may also move nodes/).and(ole.page.locator('#ask p')).waitFor();
    await ole.page.getByRole('button', {name: 'Forget the token'}).click();
    await ole.page.getByRole('button', {name: 'ole, role operate, looking only'}).waitFor();
    await ole.page.context().close();
    const ria = await look(readerToken);
    assert.deepEqual(ria.found, []);
    assert.equal(ria.told, 'To act on nodes takes the role operate; yours, ria, is read.');
    await ria.page.getByRole('button', {name: /^ria, role read/}).click();
    await ria.page.getByText(/nothing can be changed/).and(ria.page.locator('#ask p')).waitFor();
    await ria.page.route('**/v1/hearth/login', (route) => route.abort());
    await ria.page.getByRole('button', {name: 'Log out'}).click();
    await ria.page.getByRole('alert').getByText(/This browser is still logged in, to look/).waitFor();
    browser.faults = browser.faults.filter((fault) => !/ERR_FAILED/.test(fault)); // that one
    await ria.page.unroute('**/v1/hearth/login');
    await ria.page.getByRole('button', {name: 'Log out'}).click();
    await ria.page.getByRole('dialog', {name: 'Log in'}).waitFor();
    await ria.page.getByText(/log in to see them/).waitFor();
    await ria.page.context().close();
  },

  async 'who only looks gets no console, neither its words nor its keyboard'() {
    const {uuid} = await site.ask('GET', '/v1/nodes/typed1');
    for (const method of ['GET', 'PUT', 'DELETE']) {
      const answer = await fetch(`${site.url}/v1/hearth/consoles/${uuid}`, {method, headers: {'X-Auth-Token': readerToken},
        body: method === 'PUT' ? '{"keyboard": "0123456789abcdef"}' : undefined});
      assert.equal(answer.status, 403, method);
    }
  },

  async 'what a deploy ramdisk told when it failed can be read there'() {
    const uuid = await site.add('web9');
    await site.deploy('web9');
    await site.failAtAgent(uuid, 'looking for a disk\n<b>none</b> is there\n');
    const page = await browser.page();
    await page.goto(`${page.url().split('#')[0]}#node/${uuid}`);
    await page.reload();
    const sheet = page.getByRole('dialog', {name: 'web9'});
    await sheet.getByText("The agent's log of").click();
    await sheet.locator('pre', {hasText: '<b>none</b> is there'}).waitFor();
    await page.context().close();
  },
};

let failed = 0;
for (const [name, test] of Object.entries(tests)) {
  const began = Date.now();
  try {
    await test();
    assert.deepEqual(browser.faults, []);
    console.log(`ok      ${name} (${Date.now() - began} ms)`);
  } catch (error) {
    ++failed;
    console.log(`FAILED  ${name}: ${error.stack}`);
    browser.faults = [];
  }
}
await browser.chromium.close();
await site.end();

const shown = new Site(process.argv[2]);
shown.heat = await heatApi();
await shown.start();
const camera = new Browser(shown);
await camera.open();
try {
  await pictures(camera, process.argv[3]);
  assert.deepEqual(camera.faults, []);
  console.log('ok      the pictures of the manual are what is drawn now');
} catch (error) {
  ++failed;
  console.log(`FAILED  the pictures of the manual: ${error.stack}`);
}
await camera.chromium.close();
await shown.end();
process.exit(failed === 0 ? 0 : 1);
