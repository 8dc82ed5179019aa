// The status page with many nodes, in headless Chromium: until the first picture, until something is found, a change, and memory.
// usage: hall_page.mjs HEARTH NODES…   (halls' sizes, ascending)   Prints rows of a table; exit 1 where a goal is missed.
// Goals are for the clock; what of that was processor time of the page's thread stands beside it: others may have the machine's cores.
import {readFileSync} from 'node:fs';
import {Browser, Site, heatApi} from './site.mjs';

// What a node takes of the browser's memory is told beside the hall before; the page itself takes more than 1,000 nodes do.
const goals = {'first picture, ms': 1000, 'found, ms': 100, 'memory, MB a 1,000 nodes': 5};
const middle = (times) => times.sort((a, b) => a - b)[Math.floor(times.length / 2)];

/** A hall of n nodes, each in a rack; in parts, as one request has its limit. */
async function bringIn(site, from, n) {
  const part = 5000;
  for (let first = from; first < n; first += part) {
    const nodes = Array.from({length: Math.min(part, n - first)}, (_, i) => first + i).map((i) => ({
      pm_type: 'fake-hardware', name: `hall-${i}`, mac: [`52:54:01:${[i >> 16, i >> 8, i].map((part) => (part & 255).toString(16).padStart(2, '0')).join(':')}`],
      extra: {x_seed: {rack: `R${Math.floor(i / 40)}`, slot: String(i % 40 + 1)}}}));
    await site.ask('POST', '/v1/hearth/import', {text: JSON.stringify({nodes}), source: 'hall.json', format: 'json', initial_state: 'enroll'});
  }
}

/** In the page: milliseconds from `act` until what `look` tells is on the screen (two frames later, nothing is left to draw). */
const timed = (page, act, look) => page.evaluate(`(async () => {
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
  const began = performance.now();
  ${act};
  while (!(${look})) {
    await frame();
    if (performance.now() - began > 20000) throw new Error('not within 20 s: ' + ${JSON.stringify(look)});
  }
  await frame();
  await frame();
  return performance.now() - began;
})()`);

const find = (page, text, count) => timed(page, `
  document.querySelector('#find').value = '${text}';
  document.querySelector('#find').dispatchEvent(new Event('input'));`, `document.querySelector('#count').textContent.startsWith('${count}')`);

/** Processes that show pages. */
async function renderers(page) {
  const all = await page.context().browser().newBrowserCDPSession();
  const {processInfo} = await all.send('SystemInfo.getProcessInfo');
  await all.detach();
  return processInfo.filter(({type}) => type === 'renderer').map(({id}) => id);
}

/** Milliseconds that the thread of each which runs its page has had a core so far. */
const ran = (pids) => pids.map((pid) => Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'latin1').split(' ')[0]) / 1e6);

/** Milliseconds that `act` took by its own word, and for how many of them the busiest page had a core. */
async function measured(page, act) {
  const pids = await renderers(page);
  const before = ran(pids);
  const clock = await act();
  return {clock, own: Math.max(...ran(pids).map((time, at) => time - before[at]))};
}

/** Of the processes that show pages, in MB: what is theirs alone. */
async function memory(page) {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('HeapProfiler.enable');
  await cdp.send('HeapProfiler.collectGarbage');
  await cdp.detach();
  const own = (pid) => readFileSync(`/proc/${pid}/smaps_rollup`, 'latin1').matchAll(/^Private_(?:Clean|Dirty): +(\d+) kB/gm);
  return (await renderers(page)).flatMap((id) => [...own(id)]).reduce((sum, [, kb]) => sum + Number(kb), 0) / 1000;
}

/** Milliseconds from the start of loading until the first nodes are on the screen; the page itself takes the time. */
async function firstPicture(page) {
  await page.reload();
  await page.waitForFunction(() => window.firstPicture);
  return page.evaluate('window.firstPicture');
}

const watchFirst = `(async () => {
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
  while (!document.querySelector('#map .tile, #list tr.node')) await frame();
  await frame();
  window.firstPicture = performance.now();
})()`;

async function look(browser, n) {
  const page = await browser.page();
  await page.addInitScript(watchFirst);
  const firsts = [];
  for (let i = 0; i < 5; ++i) firsts.push(await measured(page, () => firstPicture(page)));
  const found = [];
  for (const [text, count] of [['hall-99', n > 9999 ? 111 : n > 999 ? 11 : 1], ['hall-9', n > 9999 ? 1111 : n > 999 ? 111 : 11], ['slot 40', Math.floor(n / 40)]]) {
    found.push(await measured(page, () => find(page, text, `${count} of`)));
    await find(page, '', '');
  }
  const row = {'first picture, ms': middle(firsts.map(({clock}) => clock)), 'processor time of it': middle(firsts.map(({own}) => own)),
               'found, ms': Math.max(...found.map(({clock}) => clock)), 'processor time of that': Math.max(...found.map(({own}) => own))};
  for (const how of ['List', 'Racks', 'Map']) {
    row[`${how}, ms`] = await timed(page, `document.querySelector('#as-${how.toLowerCase()}').click()`, 'true');
  }
  row['memory, MB'] = await memory(page);
  row.elements = await page.evaluate('document.querySelectorAll("*").length');
  await page.context().close();
  return row;
}

const site = new Site(process.argv[2]);
site.heat = await heatApi();
await site.start();
const browser = new Browser(site);
await browser.open();
let missed = 0;
let before = {nodes: 0};
for (const n of process.argv.slice(3).map(Number)) {
  await bringIn(site, before.nodes, n);
  const row = await look(browser, n);
  if (before.nodes) row['memory, MB a 1,000 nodes'] = (row['memory, MB'] - before['memory, MB']) / (n - before.nodes) * 1000;
  before = {nodes: n, ...row};
  for (const [name, value] of Object.entries(row)) {
    const isMissed = value > goals[name];
    missed += isMissed ? 1 : 0;
    const figure = value.toFixed(value < 100 ? 1 : 0);
    console.log(['ROW', `${n} nodes: ${name}`, goals[name] ?? '', figure, name in goals ? (isMissed ? 'MISSED' : 'met') : ''].join('\t'));
  }
}
await browser.chromium.close();
await site.end();
process.exit(missed ? 1 : 0);
