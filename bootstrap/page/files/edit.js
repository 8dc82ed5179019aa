// Bringing machines in, and editing a node: what would become of it is shown first.
import {call, withToken} from './actions.js';
import {$, h, put} from './dom.js';

const failureLine = () => h('p', {class: 'note failed lines-kept', role: 'alert', hidden: true});
const close = () => h('button', {type: 'button', onclick: () => $('#ask').close()}, 'Cancel');

function openForm(form, first) {
  const dialog = $('#ask');
  dialog.replaceChildren(form);
  if (!dialog.open) dialog.showModal();
  first.focus();
}

/** Runs; what it throws is shown in `failure`. */
async function trying(failure, button, run) {
  failure.hidden = true;
  button.disabled = true;
  try {
    await run();
  } catch (error) {
    failure.textContent = error.message;
    failure.hidden = false;
  }
  button.disabled = false;
}

const hidden = '******'; // what the conductor shows of a secret

/** What an import would do, as lines. */
function importLines(answer) {
  const value = (it) => (it === null || it === '' ? 'nothing' : typeof it === 'string' ? it : JSON.stringify(it));
  const change = ({field, old, new: now}) => (now === hidden ? `${field}: ${old === null ? 'is given' : 'another one'}` : `${field}: ${value(old)} → ${value(now)}`);
  const unsettled = new Set(answer.unsettled);
  const which = (id) => (unsettled.has(id) ? `${answer.machines[id]}; its UUID is made then` : id);
  const retried = new Set(answer.retried);
  const lines = ['created', 'updated', 'unchanged'].flatMap((what) => answer[what].map((id) => h('li', {}, h('strong', {}, `${what}: `), answer.names[id] || 'no name',
    h('span', {class: 'under'}, ` (${which(id)})`), retried.has(id) ? ', and tried again' : null,
    answer.changes[id] ? h('ul', {class: 'changes'}, answer.changes[id].map((each) => h('li', {}, change(each)))) : null)));
  return [...lines, ...answer.warnings.map((warning) => h('li', {class: 'note held'}, warning))];
}

const formats = [['', 'as it is seen'], ['json', 'JSON'], ['yaml', 'YAML'], ['csv', 'CSV'], ['txt', 'lines of a machine each'], ['ini', 'INI'], ['ansible', 'Ansible’s'],
  ['bifrost', 'bifrost’s'], ['instackenv', 'instackenv.json'], ['metal3', 'Metal3’s'], ['netbox', 'NetBox’ CSV'], ['maas', 'MAAS’'],
  ['ironic', 'Ironic’s'], ['site', 'a site file'], ['warewulf', 'Warewulf’s'], ['tinkerbell', 'Tinkerbell’s'], ['openchami', 'OpenCHAMI’s']];
const formatOf = (name) => /\.(json|ya?ml|csv|ini|txt)$/i.exec(name)?.[1].toLowerCase().replace('yml', 'yaml') ?? '';

function importForm() {
  const text = h('textarea', {id: 'import-text', rows: 10, required: true, spellcheck: 'false', placeholder: '{"nodes": [{"name": "web1", "pm_type": "redfish", …}]}'});
  const format = h('select', {id: 'import-format'}, formats.map(([value, label]) => h('option', {value}, label)));
  const state = h('select', {id: 'import-state'}, [['enroll', 'enroll: nothing is asked of them'], ['manageable', 'manageable: their BMCs are asked'],
    ['available', 'available: also cleaned, where that is on']].map(([value, label]) => h('option', {value}, label)));
  const file = h('input', {id: 'import-file', type: 'file', accept: '.json,.yaml,.yml,.csv,.ini,.txt,.nodes,.hosts,*', onchange: async () => {
    if (!file.files[0]) return;
    text.value = await file.files[0].text();
    format.value = formatOf(file.files[0].name);
    stale();
  }});
  const lines = h('ul', {class: 'preview', tabindex: '0', 'aria-label': 'What becomes of them', hidden: true});
  const failure = failureLine();
  const look = h('button', {type: 'submit', class: 'main'}, 'Show what becomes of them');
  const go = h('button', {type: 'button', class: 'main', hidden: true}, 'Bring them in');
  const stale = () => {
    go.hidden = lines.hidden = true;
    look.hidden = false;
  };
  const send = (dry) => call('POST', 'hearth/import', {text: text.value, source: 'inventory', format: format.value, initial_state: state.value, dry_run: dry});
  for (const each of [text, format, state]) each.addEventListener('input', stale);
  go.addEventListener('click', () => trying(failure, go, async () => {
    await send(false);
    $('#ask').close();
  }));
  const form = h('form', {class: 'broad', onsubmit: (event) => {
    event.preventDefault();
    trying(failure, look, async () => {
      stale();
      put(lines, ...importLines(await send(true)));
      lines.hidden = go.hidden = false;
      look.hidden = true;
      go.focus();
    });
  }}, h('h2', {id: 'ask-title'}, 'Add machines'),
  h('p', {}, 'An inventory: instackenv.json, bifrost’s, Ansible’s, CSV and others. Nodes that are there already are edited by it.'),
  h('label', {for: 'import-file'}, 'From a file', file), h('label', {for: 'import-text'}, 'Inventory', text),
  h('label', {for: 'import-format'}, 'It is written as', format), h('label', {for: 'import-state'}, 'They are to become', state),
  lines, failure, h('div', {class: 'buttons'}, close(), look, go));
  openForm(form, text);
}

const places = ['location', 'rack', 'slot'];

/** The fields of a node that can be edited: [{id, label, value, path, type, number}]; a card has `port` in place of a path. */
function fieldsOf(node, ports) {
  const seed = node.extra?.x_seed ?? {};
  const plain = (value) => typeof value === 'string' || typeof value === 'number';
  return [
    {id: 'name', label: 'Name', value: node.name ?? '', path: '/name'},
    {id: 'description', label: 'Description', value: node.description ?? '', path: '/description'},
    {id: 'capabilities', label: 'Capabilities', value: node.properties?.capabilities ?? '', path: '/properties/capabilities', hint: 'boot_mode:uefi,profile:compute'},
    ...ports.map(({uuid, address}, i) => ({id: `port-${i}`, label: `MAC address ${i + 1}`, value: address, port: uuid})),
    {id: 'port-new', label: 'One more MAC address', value: '', port: ''},
    ...places.map((key) => ({id: key, label: key[0].toUpperCase() + key.slice(1), value: String(seed[key] ?? ''), path: `/extra/x_seed/${key}`})),
    ...Object.entries(node.driver_info).filter(([, value]) => plain(value)).map(([key, value]) => ({
      id: `driver-${key}`, label: key, value: String(value), path: `/driver_info/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`,
      type: value === hidden ? 'password' : 'text', number: typeof value === 'number'})),
  ];
}

const operation = ({path, number, is}) => {
  if (!is) return {op: 'remove', path};
  return {op: 'add', path, value: number && Number.isFinite(Number(is)) ? Number(is) : is};
};

/** What becomes of a card: another address, none any more, or one that was not there. */
function portRequest(id, {port, is}) {
  if (!port) return {method: 'POST', path: 'ports', body: {address: is, node_uuid: id}};
  return is ? {method: 'PATCH', path: `ports/${port}`, body: [{op: 'replace', path: '/address', value: is}]} : {method: 'DELETE', path: `ports/${port}`};
}

/** What a form says otherwise than it did, as lines to read and as fields with what they were and are. */
function changesOf(fields, before, after) {
  const changed = fields.map((field, i) => ({...field, was: before[i], is: after[i]})).filter(({was, is}) => was !== is);
  const lines = changed.map(({label, type, was, is}) => (type === 'password' ? `${label}: ${is ? 'another one' : 'none'}` : `${label}: ${was || 'nothing'} → ${is || 'nothing'}`));
  return {lines, changed};
}

/** What is odd about new capabilities is said once; who sends them once more means them so. */
async function doubtsOf(changed, accepted) {
  const given = changed.find(({id}) => id === 'capabilities');
  if (!given || !given.is) return '';
  given.is = given.is.replaceAll('=', ':');
  const {doubts} = await call('GET', `hearth/capabilities?text=${encodeURIComponent(given.is)}`);
  const text = doubts.join('; ');
  if (text && text !== accepted) throw Object.assign(new Error(`${text}. Nothing is changed; “Change” once more takes it as it stands.`), {doubts: text});
  return text;
}

async function editForm(id) {
  const [node, {ports}] = await Promise.all([call('GET', `nodes/${id}`), call('GET', `nodes/${id}/ports`)]);
  const fields = fieldsOf(node, ports);
  const inputs = fields.map((field) => h('input', {id: `edit-${field.id}`, value: field.value, type: field.type ?? 'text', autocomplete: 'off', placeholder: field.hint ?? ''}));
  const lines = h('ul', {class: 'preview', 'aria-label': 'What changes', 'aria-live': 'polite'});
  const failure = failureLine();
  const ok = h('button', {type: 'submit', class: 'main'}, 'Change');
  const values = () => inputs.map((input) => (input.type === 'password' ? input.value : input.value.trim()));
  let accepted = ''; // doubts that were told already
  const before = values(); // as one line shows them: what nobody touched is no change
  const changes = () => changesOf(fields, before, values());
  const show = () => {
    const {lines: told} = changes();
    put(lines, ...told.map((line) => h('li', {}, line)));
    lines.hidden = ok.disabled = told.length === 0;
  };
  const form = h('form', {class: 'broad', oninput: show, onsubmit: (event) => {
    event.preventDefault();
    trying(failure, ok, async () => {
      const {changed} = changes();
      accepted = await doubtsOf(changed, accepted).catch((error) => {
        accepted = error.doubts ?? accepted;
        throw error;
      });
      for (const card of changed.filter(({port}) => port !== undefined)) {
        const {method, path, body} = portRequest(id, card);
        await call(method, path, body);
        before[fields.findIndex((field) => field.id === card.id)] = card.is; // which is done, should what follows be refused
      }
      const operations = changed.filter(({port}) => port === undefined).map(operation);
      if (operations.length > 0) await call('PATCH', `nodes/${id}`, operations);
      $('#ask').close();
    });
  }}, h('h2', {id: 'ask-title'}, `Edit ${node.name || id.slice(0, 8)}`),
  ...fields.map((field, i) => h('label', {for: `edit-${field.id}`}, field.label, inputs[i])), lines, failure,
  h('div', {class: 'buttons'}, close(), ok));
  openForm(form, inputs[0]);
  show();
}

export const addMachines = () => withToken(importForm);
export const editNode = (node) => withToken(() => editForm(node.id));
