// A conductor for the page's tests, a Heat API beside it, and the browser.
import assert from 'node:assert/strict';
import {execFileSync, spawn} from 'node:child_process';
import {chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {createServer} from 'node:http';
import {connect, createServer as createTcpServer} from 'node:net';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {chromium} from 'playwright-core';

/** The line between browser and conductor, which can be cut. */
class Line {
  sockets = new Set();
  whole = true;

  async open(target) {
    this.server = createTcpServer((near) => {
      if (!this.whole) return near.destroy();
      const far = connect(target(), '127.0.0.1');
      for (const [socket, other] of [[near, far], [far, near]]) {
        this.sockets.add(socket);
        socket.on('error', () => {});
        socket.on('close', () => {
          this.sockets.delete(socket);
          other.destroy();
        });
        socket.pipe(other);
      }
      return far;
    });
    await new Promise((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${this.server.address().port}`;
  }

  cut() {
    this.whole = false;
    for (const socket of this.sockets) socket.destroy();
  }

  mend() {
    this.whole = true;
  }
}

export class Site {
  constructor(hearth) {
    this.hearth = hearth;
    this.directory = mkdtempSync(join(tmpdir(), 'hearth-page-'));
    this.port = 0;
    this.logged = '';
    this.options = []; // further ones of hearth node serve
  }

  async start() {
    this.process = spawn(this.hearth, ['node', 'serve', '--quiet', '--state', this.directory, '--port', String(this.port),
      '--power-sync-interval', '0', '--stacks', this.heat.url, ...this.options], {stdio: ['ignore', 'pipe', 'pipe']});
    this.process.stderr.on('data', (data) => {
      this.logged += data;
      process.stderr.write(data);
    });
    const line = await new Promise((resolve, reject) => {
      this.process.stdout.once('data', (data) => resolve(String(data)));
      this.process.once('exit', (code) => reject(new Error(`hearth node serve ended with ${code}`)));
    });
    this.port = Number(/^api \S+ (\d+)/.exec(line)[1]);
    this.url = `http://127.0.0.1:${this.port}`;
    this.line ??= new Line();
    this.front ??= await this.line.open(() => this.port);
    this.token = readFileSync(join(this.directory, 'api-token'), 'utf8').trim();
  }

  /** As kill -9 does it. */
  async kill() {
    const gone = new Promise((resolve) => this.process.once('exit', resolve));
    this.process.kill('SIGKILL');
    await gone;
  }

  async end() {
    if (this.process.exitCode === null && this.process.signalCode === null) await this.kill();
    rmSync(this.directory, {recursive: true, force: true});
    this.line.cut();
    this.line.server.close();
    this.heat.server.close();
    this.heat.server.closeAllConnections?.();
  }

  async ask(method, path, body) {
    const answer = await fetch(this.url + path, {
      method, body: body && JSON.stringify(body),
      headers: {'X-Auth-Token': this.token, 'X-OpenStack-Ironic-API-Version': '1.82', 'Content-Type': 'application/json'},
    });
    const text = await answer.text();
    assert.ok(answer.ok, `${method} ${path}: ${answer.status} ${text}`);
    return text ? JSON.parse(text) : null;
  }

  /** The cookie of a browser that is logged in. */
  async logIn() {
    const answer = await fetch(`${this.url}/v1/hearth/login`, {method: 'POST', headers: {'X-Auth-Token': this.token}});
    assert.equal(answer.status, 204);
    const [, name, value] = /^([^=]+)=([^;]+)/.exec(answer.headers.get('set-cookie'));
    return {name, value, url: this.front};
  }

  async add(name, more = {}) {
    const node = await this.ask('POST', '/v1/nodes', {driver: 'fake-hardware', name, ...more});
    const tail = (more.uuid ?? node.uuid.replace(/-.*/, '')).slice(-6).match(/../g).join(':');
    await this.ask('POST', '/v1/ports', {address: `52:54:00:${tail}`, node_uuid: node.uuid});
    return node.uuid;
  }

  verb = (node, target) => this.ask('PUT', `/v1/nodes/${node}/states/provision`, {target});

  async state(node, wanted) {
    for (let i = 0; i < 600; ++i) {
      const {provision_state: state} = await this.ask('GET', `/v1/nodes/${node}`);
      if (state === wanted) return;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    throw new Error(`${node} does not become ${wanted}`);
  }

  /** Brings the node to "wait call-back". */
  async deploy(node) {
    await this.verb(node, 'manage');
    await this.state(node, 'manageable');
    await this.verb(node, 'provide');
    await this.state(node, 'available');
    await this.ask('PATCH', `/v1/nodes/${node}`, [{op: 'add', path: '/instance_info', value: {
      image_source: 'http://192.0.2.1/i.raw', image_os_hash_algo: 'sha256', image_os_hash_value: '00'}}]);
    await this.verb(node, 'active');
    await this.state(node, 'wait call-back');
  }

  /** The deploy ramdisk of that node calls back, fails at its first order, and sends `log` as its log. */
  async failAtAgent(uuid, log) {
    const folder = mkdtempSync(join(tmpdir(), 'hearth-agent-'));
    writeFileSync(join(folder, 'agent.log'), log);
    const logs = execFileSync('tar', ['-C', folder, '-czf', '-', 'agent.log']).toString('base64');
    rmSync(folder, {recursive: true});
    const agent = createServer((request, response) => {
      const parts = [];
      request.on('data', (data) => parts.push(data)).on('end', () => {
        const name = parts.length ? JSON.parse(Buffer.concat(parts)).name.split('.')[1] : '';
        const record = name === 'collect_system_logs' ? {command_status: 'SUCCEEDED', command_result: {system_logs: logs}}
          : {command_status: 'FAILED', command_error: {message: 'no disk'}};
        response.writeHead(200, {'Content-Type': 'application/json'});
        response.end(JSON.stringify(name ? {id: '1', command_name: name, ...record} : {commands: []}));
      });
    });
    await new Promise((resolve) => agent.listen(0, '127.0.0.1', resolve));
    const {config} = await this.ask('GET', `/v1/lookup?node_uuid=${uuid}`);
    await this.ask('POST', `/v1/heartbeat/${uuid}`, {
      callback_url: `http://127.0.0.1:${agent.address().port}`, agent_token: config.agent_token, agent_version: '1'});
    await this.state(uuid, 'deploy failed');
    for (let i = 0; i < 100; ++i) {
      if ((await fetch(`${this.url}/v1/hearth/log/${uuid}`, {headers: {'X-Auth-Token': this.token}})).ok) break;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    agent.close();
    agent.closeAllConnections?.();
  }
}

/** QEMU's end of a machine's serial line: a socket with a path. */
export async function serialLine(path) {
  let heard = '';
  const sockets = new Set();
  const server = createTcpServer((socket) => {
    sockets.add(socket);
    socket.on('data', (data) => { heard += data; });
    socket.on('error', () => {});
  });
  await new Promise((resolve) => server.listen(path, resolve));
  chmodSync(path, 0o666); // the conductor is another user by now, whose QEMU would be, too
  return {
    async hears(text) {
      for (let i = 0; i < 100 && heard.length < text.length; ++i) await new Promise((resolve) => setTimeout(resolve, 100));
      assert.equal(heard, text);
      heard = '';
    },
    async end() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** QEMU's monitor, which says whether somebody has the machine's console. */
export async function monitor(path) {
  const state = {isTaken: false};
  const server = createTcpServer((socket) => {
    socket.on('error', () => {});
    socket.write('{"QMP": {}}\n');
    socket.on('data', (data) => socket.write(`${JSON.stringify({return: String(data).includes('query-chardev')
      ? [{label: 'console', filename: `${state.isTaken ? '' : 'disconnected:'}unix:console,server=on`}] : {}})}\n`));
  });
  await new Promise((resolve) => server.listen(path, resolve));
  chmodSync(path, 0o666);
  return Object.assign(state, {end: () => new Promise((resolve) => server.close(resolve))});
}

/** A Heat API with one stack of three resources. */
export async function heatApi() {
  const base = () => `http://127.0.0.1:${server.address().port}/v1/p/stacks/site/1`;
  const resource = (name, status, requiredBy) => ({
    resource_name: name, resource_type: 'OS::Nova::Server', resource_status: status, resource_status_reason: '',
    required_by: requiredBy, links: [{rel: 'stack', href: base()}],
  });
  const answers = {
    '/v1/p/stacks': () => ({stacks: [{id: '1', stack_name: 'site', stack_status: 'CREATE_IN_PROGRESS', stack_status_reason: ''}]}),
    '/v1/p/stacks/site/1/resources': () => ({resources: [
      resource('network', 'CREATE_COMPLETE', ['controller', 'compute']),
      resource('controller', 'CREATE_FAILED', ['compute']), resource('compute', 'INIT_COMPLETE', [])]}),
    '/v1/p/stacks/site/1/events': () => ({events: [{event_time: '2026-11-20T10:00:00Z', resource_name: 'network',
      resource_status: 'CREATE_COMPLETE', resource_status_reason: 'state changed'}]}),
  };
  const server = createServer((request, response) => {
    const answer = answers[request.url.split('?')[0]];
    response.writeHead(answer ? 200 : 404, {'Content-Type': 'application/json'});
    response.end(JSON.stringify(answer ? answer() : {}));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {server, url: `http://127.0.0.1:${server.address().port}/v1/p`};
}

export class Browser {
  constructor(site) {
    this.site = site;
    this.faults = [];
  }

  async open() {
    this.chromium = await chromium.launch({executablePath: process.env.CHROMIUM, args: ['--no-sandbox', '--disable-dev-shm-usage']});
  }

  /** A page whose errors, refused contents and requests to others are faults. `quiet`: refused connections are none. */
  async page(options = {}) {
    const context = await this.chromium.newContext({viewport: {width: 1200, height: 900}, ...options});
    await context.addCookies([await this.site.logIn()]);
    const page = await context.newPage();
    page.setDefaultTimeout(30000);
    page.on('pageerror', (error) => this.faults.push(`script: ${error.message}`));
    page.on('console', (message) => {
      const expected = /40[13]|ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED|ERR_INTERNET_DISCONNECTED|ERR_EMPTY_RESPONSE|ERR_CONNECTION_RESET/;
      if (message.type() === 'error' && !expected.test(message.text()) && !this.alsoExpected?.test(message.text())) this.faults.push(`console: ${message.text()}`);
    });
    page.on('request', (request) => {
      if (!request.url().startsWith(`${this.site.front}/`)) this.faults.push(`request to ${request.url()}`);
    });
    await page.goto(`${this.site.front}/`);
    await page.locator('#live.good').waitFor();
    return page;
  }
}

/** Texts whose contrast to what is behind them is below 4.5:1 (WCAG 2.2, 1.4.3); of large ones below 3:1. */
export const poorContrast = () => {
  const canvas = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
  const rgba = (color) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = color;
    canvas.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
    return [r, g, b, a / 255];
  };
  const over = (top, below) => [0, 1, 2].map((i) => top[i] * top[3] + below[i] * (1 - top[3]));
  const behind = (element) => {
    const layers = [];
    for (let e = element; e; e = e.parentElement) layers.push(rgba(getComputedStyle(e).backgroundColor));
    return layers.reverse().reduce((below, top) => over(top, below), [255, 255, 255]);
  };
  const light = ([r, g, b]) => {
    const part = (c) => (c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4);
    return 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
  };
  const poor = [];
  for (const element of document.querySelectorAll('body *')) {
    const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
    if (!own || !element.checkVisibility() || element.closest('svg, .hidden, .skip, :disabled')) continue;
    const style = getComputedStyle(element);
    const ground = behind(element);
    const ink = over(rgba(style.color), ground);
    const [a, b] = [light(ink), light(ground)].sort((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05);
    if (ratio < (parseFloat(style.fontSize) >= 24 ? 3 : 4.5)) poor.push(`${ratio.toFixed(2)} "${element.textContent.trim().slice(0, 40)}" .${element.className}`);
  }
  return poor;
};
