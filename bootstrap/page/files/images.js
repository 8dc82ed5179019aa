// The images that this site can write, what they are known by, and of what they were made.
import {$, compare, h, put, when} from './dom.js';
import {imagesView} from './store.js';

const link = (source) => (/^https?:\/\//.test(source) ? h('a', {href: source, rel: 'noreferrer'}, source) : source || '–');

const agreement = {true: 'The statement is about this very image.', false: 'The statement is about another image: its digest is not this one’s.'};

/** Told by what stood beside the image when it was loaded; `hearth image verify` proves it. */
function evidence({name, evidence: told}) {
  if (!told?.elements) return h('span', {class: 'under'}, 'none was beside it');
  const file = (each) => h('li', {}, h('a', {href: `/v1/hearth/images/${encodeURIComponent(name)}/evidence/${encodeURIComponent(each)}`, download: `${name}.${each}`}, each));
  return h('div', {}, h('p', {class: 'under'}, [told.distribution, told.architecture].filter(Boolean).join(' '), ` · ${told.elements.length} elements · ${told.packages} packages`),
    told.finished ? h('p', {class: 'under'}, 'made ', when(told.finished, 'ago'), told.builder ? ` by ${told.builder}` : '') : null,
    told.agrees === false ? h('p', {class: 'note failed'}, agreement.false) : null,
    h('details', {}, h('summary', {}, 'Evidence'), h('p', {class: 'under'}, told.agrees === null ? 'It has no statement.' : agreement[told.agrees]),
      h('p', {}, told.elements.join(', ')), h('ul', {'aria-label': `Evidence of ${name}`}, (told.files ?? []).map(file))));
}

const row = (image) => h('tr', {}, h('th', {scope: 'row'}, image.name), h('td', {}, image.format || '–'),
  h('td', {}, image.boots ? 'yes' : 'no'), h('td', {}, link(image.source)),
  h('td', {}, image.digest ? h('code', {}, `${image.digest_kind}:${image.digest}`) : 'none: it is not written'), h('td', {}, evidence(image)));

async function draw() {
  const images = await imagesView();
  if (!images) return;
  put($('#images'), images.length === 0 ? h('p', {class: 'card'}, 'No image is registered: hearth image load FILE') :
    h('div', {class: 'card scroll'}, h('table', {class: 'plain'}, h('caption', {}, 'Images'),
      h('thead', {}, h('tr', {}, ['Image', 'Format', 'Boots a ramdisk', 'Machines fetch it from', 'Digest', 'Made of'].map((head) => h('th', {scope: 'col'}, head)))),
      h('tbody', {}, [...images].sort((a, b) => compare(a.name, b.name)).map(row)))));
}

export function startImages() {
  const look = () => {
    if (!$('#images').hidden && !document.hidden) draw();
  };
  $('#tab-images').addEventListener('click', look);
  $('#tab-images').addEventListener('focus', look);
}
