// The picture of a whole boot: the seven parts of a machine's way from its first DHCP request to its agent's last deployment.
import assert from 'node:assert/strict';

/** What a browser draws of a node: [{name, kind, at, took}, …]. `told`: as the conductor tells it, in place of what this one would. */
export async function drawBoot(page, node, told) {
  if (told) await page.route(`**/page/nodes/${node}`, (route) => route.fulfill({json: {...told, id: node}}));
  await page.goto(`${page.url().split('#')[0]}#node/${node}`);
  await page.reload();
  const picture = page.locator('#node section').filter({has: page.locator('.timeline')});
  await picture.locator('li').first().waitFor();
  const rows = await picture.locator('li').evaluateAll((lines) => lines.map((line) => {
    const bar = line.querySelector('.lap');
    return {name: line.children[0].textContent, kind: bar.classList.contains('asked') ? 'asked' : bar.dataset.kind,
      at: line.querySelector('time').textContent, took: line.children[3].textContent};
  }));
  return {picture, rows};
}

/** All seven parts are in the picture, in their order, each with when it began and how long it took. */
export function assertWhole(rows) {
  const text = rows.map(({name, kind, at, took}) => `${at} ${name} (${kind}) ${took}`).join('\n');
  const wanted = [['asked', 'DHCP'], ['asked', 'loader'], ['asked', 'kernel'], ['asked', 'ramdisk'], ['stage', 'write image'], ['boot', 'first boot'], ['agent']];
  let last = -1;
  for (const [kind, name] of wanted) {
    const place = rows.findIndex((row, i) => i > last && row.kind === kind && (!name || row.name === name));
    assert.ok(place > last, `${name ?? 'a deployment of the agent'} is not in the picture, or not where it belongs:\n${text}`);
    assert.match(rows[place].at, /^\d\d:\d\d:\d\d$/, text);
    assert.match(rows[place].took, /^[\d.]+ (s|min|h)/, text);
    last = place;
  }
  return text;
}
