// Tests the drawing of pages without a browser: replays of each game, step by step as seen by everybody, and the form of a move.
// node --test view.mjs, with the environment's MODULES (where linkedom is), LINK (a server with its token), and REPLAYS (a folder of
// matches, each what `arena show DIR MATCH --json` prints).
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { test } from 'node:test';
import { scripts, without } from './scripts-of-pages.mjs';

const { MODULES, LINK, REPLAYS } = process.env;
const { parseHTML } = createRequire(path.join(path.resolve(MODULES), 'x.js'))('linkedom');
const read = (file) => readFileSync(path.join(REPLAYS, file), 'utf8');
const files = readdirSync(REPLAYS).filter((file) => file.endsWith('.json'));
const replays = files.map((file) => JSON.parse(read(file)));
/** The data of the page of each replay. */
const pages = files.map((file) => JSON.parse(/<script id="data"[^>]*>([^<]*)</.exec(read(file.replace('.json', '.html')))[1]));
const games = [...new Set(replays.map(({ game }) => game))];
const all = await scripts(LINK, games);

/** Loads the functions of a page's script, without the part that runs at once. */
function load(name, last, functions) {
  const { document, HTMLSelectElement } = parseHTML('<!doctype html><body><main id="replay"></main></body>');
  document.adoptedStyleSheets = [];
  // Makes the value of a list writable, which linkedom only reads.
  Object.defineProperty(HTMLSelectElement.prototype, 'value', { get() { return this.chosen ?? '0'; }, set(value) { this.chosen = value; } });
  const CSSStyleSheet = class { replaceSync() {} };
  const text = [last, 'company.js'].reduce(without, all.find((script) => script.name === name).text);
  const made = new Function('document', 'CSSStyleSheet', 'addEventListener', 'location', 'history', `${text}\nreturn { ${functions.join(', ')} };`);
  return { document, ...made(document, CSSStyleSheet, () => {}, { hash: '' }, { replaceState() {} }) };
}

/** Returns the form of a move with these fields, and what it sends. */
function form(inputs, possible = []) {
  const sent = [];
  const page = load(`seat-${games[0]}.js`, 'seat.js', ['promptForm']);
  const offers = [{ action: 'act', title: 'act', help: '', inputs: inputs.map((input) => ({ title: input.name, ...input })) }];
  const made = page.promptForm(offers, 0, (action) => sent.push(action), possible);
  page.document.body.append(made.form);
  const press = () => made.form.dispatchEvent(new page.document.defaultView.Event('submit', { cancelable: true }));
  const [asked, problem] = ['.primary', '.problem'].map((place) => () => made.form.querySelector(place).textContent);
  return { ...made, sent, press, asked, problem };
}
const values = (...all) => all.map((value) => ({ value, text: String(value) }));

test('a form asks for what is missing, takes what is touched, and sends it once', () => {
  const { sent, press, pick, asked } = form([
    { name: 'seat', kind: 'player', values: [values(1, 2)] }, { name: 'position', kind: { place: { of: 'seat' } }, values: [values(0, 3)] },
    { name: 'face', kind: 'list', values: [values('4', '-')] },
  ]);
  press();
  assert.equal(asked(), 'Choose a seat');
  assert.equal(pick({ player: 2, place: 1 }), false, 'a place that is not on offer');
  assert.equal(pick({ player: 2, place: 3 }), true);
  press();
  assert.equal(asked(), 'Choose a face');
  assert.equal(pick({ face: '-' }), true);
  press();
  assert.deepEqual(sent, [{ act: { seat: 2, position: 3, face: '-' } }]);
});

test('what is touched fills the next place of a list of values', () => {
  const { sent, press, pick } = form([{ name: 'code', kind: 'each', values: [values(1, 2, 3), values(1, 2, 3)] }]);
  for (const code of [3, 2, 1]) pick({ code });
  press();
  assert.deepEqual(sent, [{ act: { code: [1, 2] } }]);
});

test('a text is sent as it was typed, and stays when it is refused', () => {
  const { form: drawn, sent, press, fail, asked, problem } = form([{ name: 'code', kind: { text: { alphabet: '0123456789', length: 6, prefill: false } }, values: [values('123456')] }]);
  press();
  assert.equal(asked(), 'Choose a code');
  drawn.querySelector('input.text').value = ' 000000 ';
  press();
  fail('the neighbours are equal');
  assert.deepEqual(sent, [{ act: { code: '000000' } }]);
  assert.equal(problem(), 'the neighbours are equal');
  assert.equal(drawn.querySelector('input.text').value.trim(), '000000');
});

test('what cannot be by counting is known by the chance of the best guess', () => {
  const { best } = form([{ name: 'position', kind: { place: { of: 'seat' } }, values: [values(0, 1)] }], [[{ act: { position: 0 } }, 0.25], [{ act: { position: 0 } }, 0.5]]);
  assert.deepEqual([best({ player: 1, place: 0 }), best({ player: 1, place: 1 })], [0.5, 0]);
});

for (const [nth, replay] of replays.entries()) {
  const { document, ...page } = load(`tv-${replay.game}.js`, 'tv.js', ['drawTable', 'unfold', 'summary', 'reactions', 'ending', 'course', 'linkTo', 'stepOf', 'sight', 'unpacked']);
  const views = page.unfold(replay.frames, replay.bots.length, (view, seen) => ({ ...view, ...seen.view }));
  const name = `${replay.game}, ${replay.match}`;

  test(`${name}: each step is drawn from everybody's eyes, with nothing undefined`, () => {
    for (const [step, frame] of replay.frames.entries()) {
      for (const eyes of [null, ...replay.bots.keys()]) {
        const events = replay.frames.slice(0, step + 1).map((frame) => page.sight(frame, eyes)?.event).filter(Boolean);
        // The data lack what only others see.
        const seen = views[step].map((view, seat) => (eyes === null || eyes === seat ? view : null));
        const before = views[Math.max(step - 1, 0)];
        const event = page.sight(frame, eyes)?.event ?? null;
        const table = page.drawTable({ bots: replay.bots, eyes, views: seen, before, event, events, rules: replay.rules });
        const texts = [table.outerHTML, page.summary(replay, step, eyes), ...page.reactions(replay, frame, eyes).map((drawn) => drawn.outerHTML)];
        for (const text of texts) assert.doesNotMatch(text, /undefined|NaN|\[object/, `step ${step}, eyes ${eyes}`);
      }
    }
    for (const drawn of [page.ending(replay), page.course(replay)]) assert.doesNotMatch(drawn.outerHTML, /undefined|NaN|\[object/);
  });

  test(`${name}: the page holds all of it, and less text`, () => {
    const text = JSON.stringify(pages[nth]);
    assert.ok(text.length < JSON.stringify(replay).length);
    assert.deepEqual(page.unpacked(pages[nth]), replay);
  });

  test(`${name}: the link to a step leads to it`, () => {
    for (const step of replay.frames.keys()) assert.equal(page.stepOf(replay.frames, `#${page.linkTo(replay.frames, step)}`), step);
    for (const wrong of ['', '#', '#turn=', '#turn=-1', '#turn=x', '#start+x']) assert.equal(page.stepOf(replay.frames, wrong), 0, wrong);
    assert.equal(page.stepOf(replay.frames, '#start+999999'), replay.frames.length - 1);
  });

  test(`${name}: what is drawn of a seat's eyes depends on what that seat sees alone`, () => {
    for (const eyes of replay.bots.keys()) {
      const step = replay.frames.length >> 1;
      const draw = (views) => page.drawTable({ bots: replay.bots, eyes, views, before: views, event: null, events: [], rules: replay.rules }).outerHTML;
      const own = views[step].map((view, seat) => (seat === eyes ? view : null));
      assert.equal(draw(views[step]), draw(own), `eyes ${eyes}`);
    }
  });
}
