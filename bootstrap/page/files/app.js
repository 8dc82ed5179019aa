// Puts the views together: tabs, theme, the connection's sign.
import {$, keepTimes} from './dom.js';
import {startActions} from './actions.js';
import {openNode, startDetail} from './detail.js';
import {startEvents} from './events.js';
import {startImages} from './images.js';
import {startNetwork} from './network.js';
import {startNodes} from './nodes.js';
import {startStacks} from './stacks.js';
import {connect, onChange, site} from './store.js';

const tabs = [...document.querySelectorAll('[role=tab]')];

function choose(tab, focus = false) {
  for (const one of tabs) {
    const is = one === tab;
    one.setAttribute('aria-selected', String(is));
    one.tabIndex = is ? 0 : -1;
    $(`#${one.getAttribute('aria-controls')}`).hidden = !is;
  }
  if (focus) tab.focus();
  window.history.replaceState(null, '', `#${tab.getAttribute('aria-controls')}`);
}

function startTabs() {
  for (const [i, tab] of tabs.entries()) {
    tab.addEventListener('click', () => choose(tab));
    tab.addEventListener('keydown', (event) => {
      const step = {ArrowRight: 1, ArrowLeft: -1}[event.key];
      if (step) choose(tabs[(i + step + tabs.length) % tabs.length], true);
      if (event.key === 'Home') choose(tabs[0], true);
      if (event.key === 'End') choose(tabs.at(-1), true);
    });
  }
  const wanted = tabs.find((tab) => `#${tab.getAttribute('aria-controls')}` === location.hash);
  if (wanted) choose(wanted);
}

const themes = ['auto', 'light', 'dark'];

function setTheme(theme) {
  if (theme === 'auto') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  const button = $('#theme');
  button.textContent = {auto: '◑ Auto', light: '☀ Light', dark: '☾ Dark'}[theme];
  button.setAttribute('aria-label', `Colours: ${theme}`);
}

function startTheme() {
  let theme = localStorage.getItem('hearth-theme') ?? 'auto';
  if (!themes.includes(theme)) theme = 'auto';
  setTheme(theme);
  $('#theme').addEventListener('click', () => {
    theme = themes[(themes.indexOf(theme) + 1) % themes.length];
    localStorage.setItem('hearth-theme', theme);
    setTheme(theme);
  });
}

function showSite() {
  const failed = [...site.nodes.values()].filter((node) => node.kind === 'failed').length;
  document.title = `${failed ? `(${failed}) ` : ''}${site.host} · Hearth`;
  $('#site').textContent = `${site.host} · ${site.version}`;
}

startTabs();
startTheme();
startActions();
startDetail();
startNodes(openNode);
startEvents(openNode);
startStacks();
startNetwork(openNode);
startImages();
keepTimes();

let wantedNode = /^#node\/([0-9a-f-]+)$/.exec(location.hash)?.[1];
onChange(() => {
  showSite();
  if (!wantedNode) return;
  openNode(wantedNode);
  wantedNode = null;
});

connect((text, kind) => {
  $('#live').textContent = text;
  $('#live').className = `live ${kind}`;
});
