// What a serial terminal shows: firmware's menus, GRUB's, logins, editors. Of ECMA-48 and what VT100 and xterm add it knows where
// the cursor goes, what is erased, moved and scrolled, colours, line drawing and the second screen. Nothing is answered to what
// asks a terminal, wide characters take one place, and of colours there are 16.

const columnsUsual = 80;
const rowsUsual = 24;
const columnsMost = 132; // a program that goes further than the usual screen has a larger one
const rowsMost = 60;
const keptLines = 5000; // above the screen
const keptLetters = 400000;

const lineDrawing = {'`': '◆', a: '▒', f: '°', g: '±', j: '┘', k: '┐', l: '┌', m: '└', n: '┼', o: '⎺', p: '⎻', q: '─', r: '⎼', s: '⎽',
  t: '├', u: '┤', v: '┴', w: '┬', x: '│', y: '≤', z: '≥', '{': 'π', '|': '≠', '}': '£', '~': '·'};
const unseen = /[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/; // controls, and what turns the direction of text
const joined = /\p{M}/u; // it goes on the letter before it

// A style is one number: its colours (0: the terminal's own), and what is said of the letters.
const [bold, underlined, inverse] = [1 << 10, 1 << 11, 1 << 12];
const foreOf = (style) => style & 31;
const backOf = (style) => (style >> 5) & 31;

function classesOf(style) {
  const colors = style & inverse ? ['inverse'] : [foreOf(style) && `f${foreOf(style)}`, backOf(style) && `b${backOf(style)}`];
  return [...colors, style & bold && 'bold', style & underlined && 'underlined'].filter(Boolean).join(' ');
}

const blankRow = (columns, style = 0) => ({letters: Array(columns).fill(' '), styles: Array(columns).fill(style & ~(bold | underlined | inverse | 31)), goesOn: false});

/** As it is shown: what stands behind the last letter is nothing, but for colours, and for where the cursor is. */
function shownLength(row, cursor) {
  let length = row.letters.length;
  while (length > cursor && row.letters[length - 1] === ' ' && !backOf(row.styles[length - 1]) && !(row.styles[length - 1] & inverse)) --length;
  return length;
}

const textOf = (row) => row.letters.slice(0, row.goesOn ? undefined : shownLength(row, 0)).join('');

export class Screen {
  above = ''; // lines that have left the screen, each with its end
  part = ''; // of a sequence that has not come whole yet
  keysOfApplications = false;

  constructor() {
    this.columns = columnsUsual;
    this.rows = Array.from({length: rowsUsual}, () => blankRow(this.columns));
    this.begin();
  }

  begin() {
    Object.assign(this, {x: 0, y: 0, style: 0, wraps: true, isFull: false, saved: null, sets: ['B', 'B'], set: 0, seen: true, top: 0, bottom: this.rows.length - 1});
  }

  write(text) {
    text = this.part + text;
    this.part = '';
    for (let i = 0; i < text.length;) {
      if (text[i] !== '\x1b') {
        const letter = String.fromCodePoint(text.codePointAt(i));
        this.take(letter);
        i += letter.length;
        continue;
      }
      const length = this.sequence(text, i);
      if (!length) {
        this.part = text.slice(i, i + 4096); // the rest has still to come; nobody means one that is longer
        return;
      }
      i += length;
    }
  }

  /** How long the sequence is that begins there; 0 while its end has not come. */
  sequence(text, at) {
    const kind = text[at + 1];
    if (kind === undefined) return 0;
    if (kind === '[') {
      const found = /^\x1b\[([<-?]?)([0-9:;]*)([ -/]*)([@-~])/.exec(text.slice(at, at + 100));
      if (found) this.control(found[1], found[2].split(/[;:]/).map(Number), found[3] ? '' : found[4]);
      return found ? found[0].length : text.length - at < 100 && /^\x1b\[[0-?]*[ -/]*$/.test(text.slice(at)) ? 0 : 2;
    }
    if (']PX^_'.includes(kind)) { // strings: titles, links, what is meant for the terminal itself
      const found = /[\x07\n]|\x1b\\/.exec(text.slice(at + 2, at + 4100));
      return found ? 2 + found.index + found[0].length : text.length - at > 4000 ? 2 : 0;
    }
    if (kind >= ' ' && kind <= '/') {
      const last = text[at + 2];
      if (last === undefined) return 0;
      if ('()'.includes(kind)) this.sets['()'.indexOf(kind)] = last;
      return 3;
    }
    this.escape(kind);
    return 2;
  }

  escape(kind) {
    if (kind === 'D') this.down();
    else if (kind === 'E') [this.x, this.isFull] = [0, this.down()];
    else if (kind === 'M') this.up();
    else if (kind === '7') this.save();
    else if (kind === '8') this.restore();
    else if (kind === 'c') {
      this.erase(2);
      this.begin();
    }
  }

  take(letter) {
    if (letter === '\r') [this.x, this.isFull] = [0, false];
    else if (letter === '\n' || letter === '\v' || letter === '\f') this.down();
    else if (letter === '\b') [this.x, this.isFull] = [Math.max(0, this.x - (this.isFull ? 0 : 1)), false];
    else if (letter === '\t') [this.x, this.isFull] = [Math.min(this.columns - 1, (this.x & ~7) + 8), false];
    else if (letter === '\x0e' || letter === '\x0f') this.set = letter === '\x0e' ? 1 : 0;
    else if (!unseen.test(letter)) this.put(this.sets[this.set] === '0' ? lineDrawing[letter] ?? letter : letter);
  }

  put(letter) {
    if (joined.test(letter) && this.x > 0) {
      const before = this.isFull ? this.x : this.x - 1;
      if (this.rows[this.y].letters[before].length < 9) this.rows[this.y].letters[before] += letter;
      return;
    }
    if (this.isFull && this.wraps) {
      this.rows[this.y].goesOn = true;
      [this.x] = [0, this.down()];
    }
    const row = this.rows[this.y];
    row.letters[this.x] = letter;
    row.styles[this.x] = this.style;
    if (this.x === this.columns - 1) this.isFull = true; // the next letter wraps, and nothing else does
    else ++this.x;
  }

  down() {
    this.isFull = false;
    if (this.y === this.bottom) this.scroll(1);
    else if (this.y < this.rows.length - 1) ++this.y;
    return false;
  }

  up() {
    this.isFull = false;
    if (this.y === this.top) this.scroll(-1);
    else if (this.y > 0) --this.y;
  }

  /** What leaves the whole screen at its top is kept above it. */
  scroll(count, top = this.top, keeps = top === 0 && !this.other) {
    const blank = () => blankRow(this.columns, this.style);
    for (let left = Math.min(Math.abs(count), this.bottom - top + 1); left > 0; --left) {
      if (count < 0) {
        this.rows.splice(this.bottom, 1);
        this.rows.splice(top, 0, blank());
      } else {
        const [row] = this.rows.splice(top, 1);
        if (keeps) this.keep([row]);
        this.rows.splice(this.bottom, 0, blank());
      }
    }
  }

  keep(rows) {
    for (const row of rows) this.above += row.goesOn ? textOf(row) : `${textOf(row)}\n`;
    if (this.above.length > 2 * keptLetters) this.above = this.above.slice(-keptLetters);
  }

  /** The place, from 0 on; the screen grows for who knows a larger one. */
  go(x, y) {
    if (y >= this.rows.length && y < rowsMost) {
      if (this.bottom === this.rows.length - 1) this.bottom = y;
      while (this.rows.length <= y) this.rows.push(blankRow(this.columns));
    }
    if (x >= this.columns && x < columnsMost) {
      this.columns = columnsMost;
      for (const row of this.rows) {
        while (row.letters.length < columnsMost) {
          row.letters.push(' ');
          row.styles.push(0);
        }
      }
    }
    this.x = Math.max(0, Math.min(this.columns - 1, x));
    this.y = Math.max(0, Math.min(this.rows.length - 1, y));
    this.isFull = false;
  }

  save() {
    this.saved = {x: this.x, y: this.y, style: this.style, sets: [...this.sets], set: this.set};
  }

  restore() {
    const {x, y, ...rest} = this.saved ?? {x: 0, y: 0};
    this.go(x, y);
    Object.assign(this, rest);
  }

  /** Of one row, from a place up to another. */
  blank(row, from, to) {
    const {letters, styles} = blankRow(1, this.style);
    this.rows[row].letters.fill(letters[0], from, to);
    this.rows[row].styles.fill(styles[0], from, to);
    if (to >= this.columns) this.rows[row].goesOn = false;
  }

  erase(what) {
    const isWhole = what === 2 || (what === 0 && this.x === 0 && this.y === 0);
    if (isWhole && !this.other) { // the reasons that firmware wipes away are kept above, too
      let last = this.rows.length;
      while (last > 0 && !textOf(this.rows[last - 1])) --last;
      this.keep(this.rows.slice(0, last));
    }
    this.rows.forEach((_, i) => {
      if (isWhole || (what === 0 && i > this.y) || (what === 1 && i < this.y)) this.blank(i, 0, this.columns);
    });
    if (what < 2) this.eraseLine(what);
  }

  eraseLine(what) {
    this.blank(this.y, what === 0 ? this.x : 0, what === 1 ? this.x + 1 : this.columns);
  }

  /** Letters of the cursor's row are put in or taken out, as blanks. */
  shift(count) {
    const row = this.rows[this.y];
    const blanks = blankRow(Math.min(Math.abs(count), this.columns - this.x), this.style);
    for (const key of ['letters', 'styles']) {
      if (count > 0) row[key].splice(this.x, 0, ...blanks[key]);
      else row[key].splice(this.x, blanks[key].length);
      row[key] = [...row[key], ...blanks[key]].slice(0, this.columns);
    }
  }

  control(mark, numbers, kind) {
    const n = Math.max(1, numbers[0]);
    if (mark === '?' && 'hl'.includes(kind)) numbers.forEach((number) => this.mode(number, kind === 'h'));
    if (mark) return;
    const {x, y} = this;
    const moves = {A: [x, Math.max(y - n, y >= this.top ? this.top : 0)], B: [x, Math.min(y + n, y <= this.bottom ? this.bottom : this.rows.length - 1)],
      C: [Math.min(x + n, this.columns - 1), y], D: [x - n, y], E: [0, y + n], F: [0, y - n], G: [n - 1, y], '`': [n - 1, y], d: [x, n - 1],
      a: [x + n, y], e: [x, y + n], H: [Math.max(1, numbers[1] || 1) - 1, n - 1], f: [Math.max(1, numbers[1] || 1) - 1, n - 1]};
    const isWithin = y >= this.top && y <= this.bottom;
    if (moves[kind]) this.go(...moves[kind]);
    else if (kind === 'J') this.erase(numbers[0]);
    else if (kind === 'K') this.eraseLine(numbers[0]);
    else if (kind === 'L' && isWithin) this.scroll(-n, y, false);
    else if (kind === 'M' && isWithin) this.scroll(n, y, false);
    else if (kind === '@') this.shift(n);
    else if (kind === 'P') this.shift(-n);
    else if (kind === 'X') this.blank(y, x, x + n);
    else if (kind === 'S') this.scroll(n);
    else if (kind === 'T') this.scroll(-n);
    else if (kind === 'm') this.color(numbers);
    else if (kind === 'r') this.region(n - 1, (numbers[1] || this.rows.length) - 1);
    else if (kind === 's') this.save();
    else if (kind === 'u') this.restore();
  }

  region(top, bottom) {
    if (top >= bottom || bottom >= rowsMost) return;
    this.go(0, bottom);
    Object.assign(this, {top, bottom});
    this.go(0, 0);
  }

  mode(number, on) {
    if (number === 1) this.keysOfApplications = on;
    if (number === 7) this.wraps = on;
    if (number === 25) this.seen = on;
    if (number === 1049 && on) this.save();
    if ([47, 1047, 1049].includes(number) && Boolean(this.other) !== on) {
      const rows = this.other ?? this.rows.map(() => blankRow(this.columns));
      this.other = on ? this.rows : null;
      this.rows = rows;
      this.bottom = this.rows.length - 1;
      this.top = 0;
      this.y = Math.min(this.y, this.bottom);
    }
    if (number === 1049 && !on) this.restore();
  }

  color(numbers) {
    const set = (fore, back) => { this.style = (this.style & ~1023) | fore | (back << 5); };
    for (let i = 0; i < numbers.length; ++i) {
      const n = numbers[i];
      const [fore, back] = [foreOf(this.style), backOf(this.style)];
      if (n === 0) this.style = 0;
      else if (n === 1) this.style |= bold;
      else if (n === 4) this.style |= underlined;
      else if (n === 7) this.style |= inverse;
      else if (n === 22) this.style &= ~bold;
      else if (n === 24) this.style &= ~underlined;
      else if (n === 27) this.style &= ~inverse;
      else if (n >= 30 && n <= 37) set(n - 29, back);
      else if (n >= 40 && n <= 47) set(fore, n - 39);
      else if (n >= 90 && n <= 97) set(n - 81, back);
      else if (n >= 100 && n <= 107) set(fore, n - 91);
      else if (n === 39) set(0, back);
      else if (n === 49) set(fore, 0);
      else if (n === 38 || n === 48) {
        const number = numbers[i + 1] === 5 && numbers[i + 2] < 16 ? numbers[i + 2] + 1 : 0;
        if (n === 38) set(number, back);
        else set(fore, number);
        i += numbers[i + 1] === 2 ? 4 : 2;
      }
    }
  }

  /** Into two elements: what is above the screen, and the screen. */
  draw(above, screen, isTyped) {
    const lines = this.above.slice(-keptLetters).split('\n').slice(-keptLines - 1).join('\n');
    if (above.textContent !== lines) above.textContent = lines;
    let last = this.rows.length - 1;
    while (last > this.y && shownLength(this.rows[last], 0) === 0) --last;
    const parts = [];
    for (let y = 0; y <= last; ++y) {
      if (y > 0) parts.push('\n');
      this.drawRow(this.rows[y], y === this.y ? this.x : -1, isTyped && this.seen, parts);
    }
    screen.replaceChildren(...parts);
  }

  drawRow(row, cursor, isTyped, parts) {
    const length = shownLength(row, Math.max(0, cursor));
    for (let from = 0; from <= length;) {
      if (from === cursor && isTyped) parts.push(Object.assign(document.createElement('span'), {className: 'caret'}));
      let to = from + 1;
      while (to < length && to !== cursor && row.styles[to] === row.styles[from]) ++to;
      const text = row.letters.slice(from, Math.min(to, length)).join('');
      const className = classesOf(row.styles[from] ?? 0);
      if (text) parts.push(className ? Object.assign(document.createElement('span'), {className, textContent: text}) : text);
      from = to;
    }
  }
}
