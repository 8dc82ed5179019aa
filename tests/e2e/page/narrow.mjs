// What stands off the edge of a narrow screen, of each view and each thing that opens over them.
import assert from 'node:assert/strict';

/** What is beyond the left or right edge. A stack's graph alone goes sideways, in a frame of its own. */
const offEdge = () => {
  const wide = document.documentElement.clientWidth;
  const found = document.documentElement.scrollWidth > wide ? [`the page goes sideways: ${document.documentElement.scrollWidth}`] : [];
  for (const element of document.querySelectorAll('body *')) {
    if (!element.checkVisibility() || element.closest('svg.graph, .hidden, .skip')) continue;
    const {left, right, width} = element.getBoundingClientRect();
    if (width > 0 && (left < -0.5 || right > wide + 0.5)) found.push(`${element.localName} "${element.textContent.trim().slice(0, 40)}" ${Math.round(left)} to ${Math.round(right)}`);
  }
  return found;
};

const networks = {
  networks: [{subnet: '192.0.2.0/24', server: '192.0.2.1', mode: 'full', pools: ['192.0.2.100-192.0.2.199', '192.0.2.210-192.0.2.250'], addresses: 100, held: 1}],
  leases: [{address: '192.0.2.100', mac: '52:54:00:ff:ff:ff', state: 'bound', until: new Date(Date.now() + 600000).toISOString(), hostname: ''}],
};
const images = {images: [{name: 'a-long-name-of-an-image', format: 'qcow2', boots: true, source: 'http://192.0.2.1/images/a-long-name-of-an-image.qcow2', digest_kind: 'sha256',
  digest: '0123456789abcdef'.repeat(4), evidence: {distribution: 'debian 12', architecture: 'amd64', elements: ['vm', 'debian-minimal'], packages: 301, files: ['packages.json'], agrees: true, finished: '2026-11-20T10:00:00Z'}}]};

/** `name`: of a node, which gets a work with times on this page. */
export async function narrow(browser, name) {
  const {uuid} = await browser.site.ask('GET', `/v1/nodes/${name}`);
  const event = (seconds, kind, text) => ({id: seconds, at: new Date(Date.parse('2026-11-20T10:00:00Z') + 1000 * seconds).toISOString(), node: uuid, name, kind, text});
  const events = [event(0, 'state', 'available -> deploying (admin)'), event(1, 'stage', 'deploy: prepare instance boot (3/5)'), event(6000, 'state', 'deploying -> active'),
    event(6075, 'system', 'its agent has asked for its metadata'), event(6090, 'system', 'deployment a-long-name-of-a-deployment: failed')];
  for (const width of [320, 360, 414]) {
    const page = await browser.page({viewport: {width, height: 740}});
    await page.route('**/page/network', (route) => route.fulfill({json: networks}));
    await page.route('**/page/images', (route) => route.fulfill({json: images}));
    await page.route(`**/page/nodes/${uuid}`, async (route) => {
      const response = await route.fetch();
      await route.fulfill({response, json: {...await response.json(), events}});
    });
    const look = async (what) => assert.deepEqual(await page.evaluate(offEdge), [], `${what}, ${width} wide`);
    for (const tab of ['Stacks', 'Events', 'Network', 'Images', 'Log', 'Nodes']) {
      await page.getByRole('tab', {name: tab}).click();
      if (tab === 'Stacks') await page.locator('.graph').waitFor();
      if (tab === 'Network' || tab === 'Images') await page.locator(`#${tab.toLowerCase()} table`).first().waitFor();
      await look(tab);
    }
    await page.getByText('3 resources as a table').evaluate((summary) => summary.click());
    for (const way of ['Map', 'Racks', 'List']) {
      await page.getByRole('button', {name: way, exact: true}).click();
      await look(way);
    }
    await page.getByLabel('Find nodes').fill(name);
    await page.locator('#list').getByRole('button', {name, exact: true}).click();
    await page.getByRole('dialog', {name}).waitFor();
    await page.locator('#node .timeline li').first().waitFor();
    await look('a node');
    await page.locator('#node').getByRole('button', {name: 'edit', exact: true}).click();
    await page.getByLabel('Token').waitFor();
    await look('logging in');
    await page.getByLabel('Token').fill(browser.site.token);
    await page.getByRole('button', {name: 'Log in', exact: true}).click();
    await page.getByRole('dialog', {name: `Edit ${name}`}).waitFor();
    await look('editing');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    for (const [button, title] of [['Act on all shown', /^One action for/], ['Add machines', 'Add machines']]) {
      await page.getByRole('button', {name: button}).click();
      await page.getByRole('dialog', {name: title}).waitFor();
      await look(button);
      await page.keyboard.press('Escape');
    }
    await page.context().close();
  }
}
