// The networks that the boot servers serve, and who has which address in them.
import {$, compare, h, put, when} from './dom.js';
import {networkView, site, title} from './store.js';

const everySoOften = 15000;
let open = () => {};

function owner(mac) {
  const node = [...site.nodes.values()].find((each) => each.macs.includes(mac));
  return node ? h('button', {type: 'button', class: 'name', onclick: () => open(node.id)}, title(node)) : h('span', {class: 'none'}, 'no node');
}

function networkRow(network) {
  const used = `${network.held} of ${network.addresses}`;
  return h('tr', {}, h('th', {scope: 'row'}, network.subnet), h('td', {}, network.server), h('td', {}, network.mode === 'proxy' ? 'another server’s' : 'ours'),
    h('td', {}, network.pools.join(', ') || '–'),
    h('td', {}, h('meter', {min: 0, max: Math.max(1, network.addresses), value: network.held, 'aria-label': used}), ` ${used}`));
}

const leaseRow = (lease) => h('tr', {}, h('th', {scope: 'row'}, lease.address), h('td', {}, owner(lease.mac)), h('td', {}, h('code', {}, lease.mac)),
  h('td', {}, lease.state), h('td', {}, lease.state === 'bound' ? when(lease.until, 'until') : '–'));

const table = (caption, heads, rows) => h('div', {class: 'card scroll'}, h('table', {class: 'plain'}, h('caption', {}, caption),
  h('thead', {}, h('tr', {}, heads.map((head) => h('th', {scope: 'col'}, head)))), h('tbody', {}, rows)));

async function draw() {
  const view = await networkView();
  if (!view) return;
  if (view.networks.length === 0) {
    put($('#network'), h('p', {class: 'card'}, 'This conductor boots no machines itself: hearth node serve --boot SITE.yaml'));
    return;
  }
  const leases = [...view.leases].sort((a, b) => compare(a.address, b.address));
  put($('#network'), table('Networks', ['Network', 'Server', 'Addresses are', 'Pools', 'In use'], view.networks.map(networkRow)),
    leases.length ? table('Leases', ['Address', 'Machine', 'Card', 'State', 'Ends'], leases.map(leaseRow)) :
      h('p', {class: 'card'}, 'No machine has asked for an address yet.'));
}

export function startNetwork(openNode) {
  open = openNode;
  const look = () => {
    if (!$('#network').hidden && !document.hidden) draw();
  };
  $('#tab-network').addEventListener('click', look);
  $('#tab-network').addEventListener('focus', look);
  setInterval(look, everySoOften);
}
