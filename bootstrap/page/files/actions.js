// What changes nodes: the REST API, with a token that stays in this page's memory and nowhere else. Logging in with it
// gives the browser a cookie, which scripts can't read, for what the page is told.
import {$, h} from './dom.js';
import {onChange, onLoggedOut, reconnect, title} from './store.js';
import {askWhoIAm, me, sentence} from './who.js';

let token = '';

export async function call(method, path, body, given = token) {
  const answer = await fetch(`/v1/${path}`, {
    method,
    headers: {'X-Auth-Token': given, 'X-OpenStack-Ironic-API-Version': '1.82', 'Content-Type': 'application/json'},
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  const text = await answer.text();
  if (answer.ok) return text ? JSON.parse(text) : null;
  let reason = text;
  try {
    const told = JSON.parse(text);
    reason = told.faults ?? JSON.parse(told.error_message).faultstring;
  } catch { /* not in Ironic's form */ }
  throw new Error(answer.status === 401 ? 'The token is not accepted.' : reason || `The conductor answers ${answer.status}.`);
}

/** What takes the token to be read; nothing without it. */
export const readWithToken = (path) => (token ? fetch(path, {headers: {'X-Auth-Token': token}}) : null);

/** A question with fields; `go(values)` may throw, its reason is shown. */
function ask({heading, text, fields = [], button, danger, go}) {
  const dialog = $('#ask');
  const inputs = fields.map((f) => h('input', {id: `ask-${f.name}`, type: f.type, name: f.name, autocomplete: 'off', required: true}));
  const failure = h('p', {class: 'note failed', role: 'alert', hidden: true});
  const ok = h('button', {class: danger ? 'danger' : 'main'}, button);
  const form = h('form', {
    onsubmit: async (event) => {
      event.preventDefault();
      ok.disabled = true;
      try {
        await go(Object.fromEntries(inputs.map((input) => [input.name, input.value])));
        dialog.close();
      } catch (error) {
        failure.hidden = false;
        failure.textContent = error.message;
      }
      ok.disabled = false;
    },
  }, h('h2', {id: 'ask-title'}, heading), h('p', {}, text),
  ...fields.map((f, i) => h('label', {for: `ask-${f.name}`}, f.label, inputs[i])), failure,
  h('div', {class: 'buttons'}, h('button', {type: 'button', onclick: () => dialog.close()}, 'Cancel'), ok));
  dialog.replaceChildren(form);
  if (!dialog.open) dialog.showModal();
  (inputs[0] ?? ok).focus();
}

function unlock(then = () => {}) {
  ask({
    heading: 'Log in',
    text: 'The token is in the file api-token of the conductor’s state directory (/var/lib/hearth/node/api-token, where its --state is no other), or your own. To see nodes lasts twelve hours; to act on them, until this page is closed.',
    fields: [{name: 'token', label: 'Token', type: 'password'}],
    button: 'Log in',
    go: async (values) => {
      await call('POST', 'hearth/login', undefined, values.token.trim());
      token = values.token.trim();
      await askWhoIAm(token);
      $('#announce').textContent = sentence();
      reconnect();
      setTimeout(then);
    },
  });
}

export const withToken = (f) => (token ? f() : unlock(f));

export const warnings = {
  deploy: 'The image is written to its root disk; what is there is lost.',
  rebuild: 'The image is written again; what is on its root disk is lost.',
  undeploy: 'The machine is switched off and its instance is forgotten.',
  provide: 'Where cleaning is switched on, its disks are erased first.',
  abort: 'The work under way ends here.',
  'power off': 'The machine is switched off at once, without asking its system.',
  rebooting: 'The machine is switched off and on again, without asking its system.',
};

const notes = {
  maintenance: 'The conductor leaves its machine alone then: it starts, cleans and deploys nothing there until maintenance ends.',
};

/** An action behind a question; the token is asked for first when there is none. */
function confirmed(node, name, what, go, fields) {
  withToken(() => ask({
    heading: `${name}: ${title(node)}`, text: warnings[what] ?? notes[name] ?? 'The conductor begins at once.', fields,
    button: name, danger: what in warnings, go,
  }));
}

const states = (node, path, body) => call('PUT', `nodes/${node.id}/states/${path}`, body);

export const act = {
  verb: (node, verb) => confirmed(node, verb, verb,
    (values) => states(node, 'provision', {target: verb, ...values}),
    verb === 'rescue' ? [{name: 'rescue_password', label: 'Password for the rescue user', type: 'password'}] : []),
  power: (node, target, name) => confirmed(node, name, target, () => states(node, 'power', {target})),
  maintenance: (node) => (node.maintenance === undefined
    ? confirmed(node, 'maintenance', '', (values) => call('PUT', `nodes/${node.id}/maintenance`, values),
      [{name: 'reason', label: 'Why', type: 'text'}])
    : confirmed(node, 'back in service', '', () => call('DELETE', `nodes/${node.id}/maintenance`))),
  approve: (mac, then) => withToken(() => ask({
    heading: `A node of ${mac}?`, text: 'It is enrolled with this card; nothing else happens to it.', button: 'Approve',
    fields: [{name: 'name', label: 'What it is called', type: 'text'}],
    go: (values) => call('POST', `hearth/waiting/${mac}`, values).then(then),
  })),
  done: (node) => withToken(() => ask({
    heading: `Done at ${title(node)}?`, text: node.todo.text, button: 'It is done',
    go: () => call('DELETE', `hearth/instructions/${node.id}?since=${encodeURIComponent(node.todo.since)}`),
  })),
};

/** Who one is, and what to do about it. */
function aboutMe() {
  const dialog = $('#ask');
  const close = () => dialog.close();
  const later = (f) => () => {
    close();
    f();
  };
  const forget = later(() => {
    token = '';
    askWhoIAm('');
  });
  const failure = h('p', {class: 'note failed', role: 'alert', hidden: true});
  const leave = async () => {
    token = '';
    try {
      const answer = await fetch('/v1/hearth/login', {method: 'DELETE'});
      if (!answer.ok) throw new Error(`the conductor answers ${answer.status}`);
      location.reload();
    } catch (error) {
      askWhoIAm('');
      failure.hidden = false;
      failure.textContent = `This browser is still logged in, to look (${error.message}). The page has forgotten the token. Log out again when the conductor answers, or delete this site’s cookies.`;
    }
  };
  const acts = token && me.may !== 'read';
  dialog.replaceChildren(h('form', {method: 'dialog'}, h('h2', {id: 'ask-title'}, me.name), h('p', {}, sentence()),
    h('p', {class: 'under'}, acts ? 'The page has your token until it is closed.' : 'The page only looks: to act, it asks for the token.'), failure,
    h('div', {class: 'buttons'}, h('button', {type: 'button', onclick: leave}, 'Log out'),
      h('button', {type: 'button', onclick: later(() => unlock())}, 'Give a token'),
      acts ? h('button', {type: 'button', onclick: forget}, 'Forget the token') : null, h('button', {class: 'main'}, 'Close'))));
  dialog.showModal();
}

export function startActions() {
  onLoggedOut(() => unlock());
  onChange((change) => {
    if (change.all) askWhoIAm(token); // logged in, or come back
  });
  $('#lock').addEventListener('click', () => (me.name ? aboutMe() : unlock()));
}
