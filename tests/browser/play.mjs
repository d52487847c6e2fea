// Plays a whole match of each game against a bot by clicks in a real browser, and says what is wrong.
// node play.mjs MODULES BROWSER LINK [SHOTS]: where playwright-core and axe-core are, the browser, the address of the server with
// its token, and a folder for pictures. Prints a line for each problem; exits with 1 if there is one.
import path from 'node:path';
import { audit, launch, open, overflow } from './browser.mjs';

const [modules, executablePath, link, ...more] = process.argv.slice(2);
/** A game other than the four built-in ones. */
const own = more[0] && !more[0].includes('/') ? more.shift() : undefined;
const [shots] = more;
const { browser, axe } = await launch(modules, executablePath);
const { origin } = new URL(link);
const problems = [];
/** The games, each with a rule for a short match, and the width of the screen. */
const GAMES = [['coda', { rounds: '1' }, 1280, 'light'], ['code-777', { points: '1', questions: '30' }, 768, 'dark'], ['crack-the-code', {}, 360, 'light'], ['digit-code', { turn_limit: '6' }, 1280, 'dark']];

const any = (all) => all[Math.floor(Math.random() * all.length)];
const isOver = (page) => page.locator('.now').textContent().then((text) => text === 'The match is over.');

/** Shows everything that a form offers. A narrow page hides what the table also offers. */
async function unfold(form) {
  const more = form.locator('.more[aria-expanded=false]');
  if (await more.isVisible()) await more.click();
}

/** Makes a move with the mouse: clicks something on the table, or uses the form. */
async function move(page, tell) {
  const form = page.locator('form.prompt');
  const touched = await page.locator('.place:not(:first-of-type) [data-choice]').all();
  let clicked = null;
  if (touched.length > 0 && await form.getByText('attack').count() > 0) {
    const element = any(touched);
    clicked = JSON.parse(await element.getAttribute('data-choice'));
    await element.click();
  }
  else if (await form.locator('> fieldset .chip').count() > 1) {
    await unfold(form);
    await any(await form.locator('> fieldset .chip').all()).click();
  }
  await unfold(form);
  for (const list of await form.locator('details.list:not([open])').all()) await list.locator('summary').click();
  for (const field of await form.locator('.fields fieldset').all()) {
    const chips = await field.locator('.chip').all();
    if (chips.length > 0 && await field.locator(':checked').count() === 0) await any(chips).click();
    for (let place = 0; place < await field.locator('.slot').count(); place += 1) await any(await field.locator('[data-text]').all()).click();
  }
  for (const list of await form.locator('.fields select').all()) await list.selectOption({ index: Math.floor(Math.random() * await list.locator('option').count()) });
  const typed = form.locator('input.text');
  if (await typed.count() > 0 && await typed.inputValue() === '') await typed.fill('123456');
  await form.evaluate((form) => { form.dataset.old = 'yes'; });
  let sent = null;
  const note = (request) => { if (request.url().endsWith('/answer')) sent = request.postDataJSON().action; };
  page.on('request', note);
  const done = () => page.waitForFunction(() => !document.querySelector('form.prompt[data-old]') || document.querySelector('.problem')?.textContent);
  await form.locator('.primary').click();
  await done();
  // A guess that counting rules out is sent only after a confirmation.
  if (await form.getByText('Press again').count() > 0) {
    await form.locator('.primary').click();
    await done();
  }
  page.off('request', note);
  const { seat, position } = sent?.attack ?? {};
  if (clicked && (seat !== clicked.player || position !== clicked.place)) tell(`${JSON.stringify(clicked)} was clicked, and the action sent is ${JSON.stringify(sent)}`);
}

async function play(game, rules, width, colorScheme) {
  const tell = (problem) => problems.push(`${game}: ${problem}`);
  const page = await open(browser, { viewport: { width, height: 900 }, colorScheme, reducedMotion: 'reduce' }, (url) => url.startsWith(`${origin}/`), tell);
  const inspect = async (name) => {
    (await page.evaluate(overflow)).forEach((problem) => tell(`${name}: ${problem}`));
    await audit(page, axe, (problem) => tell(`${name}: ${problem}`));
    if (shots) await page.screenshot({ path: path.join(shots, `play-${game}-${name}.png`), fullPage: true });
  };
  await page.goto(link);
  await page.getByRole('link', { name: 'Play', exact: true }).click();
  // A script draws the list after the page has loaded.
  await page.locator(`select[name=game] option[value="${own ?? 'coda'}"]`).waitFor({ state: 'attached' });
  await page.locator('select[name=game]').selectOption(game);
  await page.getByText('More rules').click();
  for (const [name, value] of Object.entries(rules)) await page.locator(`input[name=${name}]`).fill(value);
  await page.getByLabel('Hints, on request').check();
  await page.getByLabel('Name in seat 1').fill('<b>Ann');
  await inspect('lobby');
  await page.getByRole('button', { name: 'Begin' }).click();
  await page.waitForURL(/\/seat\//);
  const seat = page.url();
  for (let moves = 0; moves < 400; moves += 1) {
    await page.waitForFunction(() => /(It is your move|The match is over)\.$/.test(document.querySelector('.now')?.textContent));
    if (await isOver(page)) break;
    if (moves === 1) {
      await page.getByRole('button', { name: 'Hint' }).click();
      await page.getByRole('button', { name: 'Show a move' }).click();
      await page.waitForFunction(() => document.querySelector('#table [role=status]')?.textContent.includes(' would '));
      await inspect('seat');
      // The replay is not available before the end, and a reopened browser shows the same state as before.
      const early = await page.request.get(`${seat}/replay`);
      if (early.status() !== 409) tell(`the replay is there before the end: ${early.status()}`);
      const before = await page.locator('.events').textContent();
      await page.reload();
      await page.waitForFunction((before) => document.querySelector('.events')?.textContent === before, before);
      await page.waitForFunction(() => document.querySelector('form.prompt'));
    }
    // A code that was refused twice stays in the form, with the reason.
    if (game === 'digit-code' && moves === 0) {
      for (const attempt of ['first', 'second']) {
        await page.locator('form.prompt input.text').fill('000000');
        await page.locator('.primary').click();
        await page.waitForFunction(() => document.querySelector('.problem')?.textContent).catch(() => tell(`no reason after the ${attempt} wrong answer`));
        if (await page.locator('form.prompt input.text').inputValue() !== '000000') tell('what was typed is gone');
      }
    }
    await move(page, tell);
    if (moves === 2 && await page.locator('[aria-live]').count() !== 1) tell('there is more than one live region');
  }
  if (!(await page.title()).includes('Ann')) tell('the title does not say who plays');
  if (!(await isOver(page))) tell('the match does not end');
  await page.getByRole('link', { name: 'Replay with nothing hidden' }).waitFor();
  // At the end, hidden information is shown, with the chart of the match if the game counts possibilities.
  if (!own) await page.locator('#table .course svg').waitFor().catch(() => tell('no course of the match at its end'));
  // In Code 777, a declared rack may be gone.
  if (game !== 'code-777' && await page.locator('.tables .unknown').count() > 0) tell('something is still hidden at the end');
  await inspect('end');
  if (!own) await page.getByText(/No clear mistake of yours|What could be better/).waitFor();
  const shown = (await page.locator('#table ol li:has(bdi)').allTextContents()).map((line) => line.replace(' (you)', '')).sort();
  await page.getByRole('link', { name: 'Replay with nothing hidden' }).click();
  await page.locator('.controls output').waitFor();
  if (!(await page.locator('h1').textContent()).includes('<b>Ann')) tell('the name is not shown as it is');
  const { bots, outcome } = await page.evaluate(() => JSON.parse(document.getElementById('data').textContent));
  const kept = bots.map((bot, seat) => `${bot}: ${outcome.seats[seat].points} point${outcome.seats[seat].points === 1 ? '' : 's'}`).sort();
  if (JSON.stringify(shown) !== JSON.stringify(kept)) tell(`the end was ${shown}, kept is ${kept}`);
  await page.context().close();
}

/** Opens a page for each person at a new table. Reports the errors of each page, except lost requests that are intended. */
async function sit(table, options, tell) {
  const lost = (problem) => /ERR_FAILED|Failed to load/.test(problem) || tell(problem);
  const first = await open(browser, options, (url) => url.startsWith(`${origin}/`), lost);
  await first.goto(link);
  const opened = await first.evaluate((body) => fetch('/play', { method: 'POST', headers: { 'content-type': 'application/json' }, body }).then((response) => response.json()), JSON.stringify(table));
  await first.goto(`${origin}${opened.seats[0].address}`);
  const others = opened.seats.slice(1).map(({ address }) => `${origin}${address}`);
  return [first, others];
}

const myMove = (page) => page.waitForFunction(() => document.querySelector('.now')?.textContent.endsWith('It is your move.'));
const bots = (count) => Array(count).fill({ builtin: 'random' });

/** Tests that the moves of bots appear one by one, or all at once for people who skip the wait or want no motion. */
async function pace(reducedMotion) {
  const tell = (problem) => problems.push(`pace, ${reducedMotion}: ${problem}`);
  const [page] = await sit({ game: 'coda', seats: [{ person: 'Ann' }, ...bots(3)] }, { reducedMotion }, tell);
  await page.evaluate(() => {
    [window.added, window.waits] = [[], 0];
    const [news, skip] = ['.events', '.now + button'].map((place) => document.querySelector(place));
    new MutationObserver((all) => window.added.push(all.flatMap(({ addedNodes }) => [...addedNodes]).length)).observe(news, { childList: true });
    new MutationObserver(() => {
      if (skip.hidden) return;
      window.waits += 1;
      if (document.querySelector('form.prompt')) window.added.push('a question before all is shown');
    }).observe(skip, { attributes: true });
  });
  for (let moves = 0; moves < 3; moves += 1) {
    await myMove(page);
    await move(page, tell);
  }
  await myMove(page);
  const { added, waits } = await page.evaluate(() => ({ added: window.added, waits: window.waits }));
  const isCalm = reducedMotion === 'reduce';
  if (isCalm ? waits > 0 : waits === 0 || added.some((number) => number !== 0 && number !== 1)) tell(`${waits} waits, ${added}`);
  if (!isCalm) {
    // Click it at once: a moment later it may be gone.
    const wait = () => {
      const skip = document.querySelector('.now + button');
      if (skip.hidden) return document.querySelector('form.prompt') && 'no';
      skip.click();
      // Later moves of bots may bring the button back.
      return skip.hidden ? 'yes' : 'not all';
    };
    let skipped = 'no';
    while (skipped === 'no') {
      await move(page, tell);
      skipped = await (await page.waitForFunction(wait)).jsonValue();
    }
    if (skipped !== 'yes') tell('Skip does not show all');
  }
  await page.context().close();
}

/** Tests that a question that the table has already answered is sent only after a confirmation. */
async function repeated() {
  const tell = (problem) => problems.push(`repeated: ${problem}`);
  const [page] = await sit({ game: 'digit-code', hints: true, seats: [{ person: 'Ann' }, ...bots(1)] }, { viewport: { width: 1280, height: 900 }, reducedMotion: 'reduce' }, tell);
  const answered = page.locator('[data-answered*=ask_parity]');
  const mayDeclare = page.locator('form.prompt > fieldset').getByText('declare', { exact: false });
  for (let moves = 0; moves < 20 && await mayDeclare.count() === 0; moves += 1) {
    await move(page, tell);
    await myMove(page);
  }
  const { ask_parity: asked } = JSON.parse(await answered.first().getAttribute('data-answered'));
  await page.locator(`.sought g[data-choice='${JSON.stringify(asked)}']`).click();
  await page.locator('form.prompt .primary').click();
  if (await page.getByText(`You know the answer: ${asked.digit} is`).count() === 0) tell('no warning');
  if (await answered.count() !== 1) tell('it is sent without a warning');
  await page.locator('form.prompt .primary').click();
  await myMove(page);
  if (await answered.count() !== 2) tell('it is not sent when it is confirmed');
  await page.context().close();
}

/** Tests that on a phone the form is one line while a place must be touched, and that its button leads there. */
async function touch() {
  const tell = (problem) => problems.push(`touch: ${problem}`);
  const [page] = await sit({ game: 'digit-code', seats: [{ person: 'Ann' }, ...bots(1)] }, { viewport: { width: 360, height: 740 }, reducedMotion: 'reduce' }, tell);
  await page.locator('form.prompt .primary').click();
  await page.locator('form.prompt > fieldset .chip').filter({ hasText: 'Ask place' }).click();
  const sheet = await page.locator('section.sheet').boundingBox();
  if (sheet.height > 80) tell(`the sheet is ${sheet.height} high`);
  await page.locator('form.prompt .primary').click();
  const places = page.locator('.sought rect.can');
  const { y } = await places.first().boundingBox();
  if (y < 0 || y > sheet.y) tell(`the first place is at ${y}, and the sheet at ${sheet.y}`);
  for (const mark of await page.locator('.sought [data-choice]').all()) {
    const { width, height } = await mark.boundingBox();
    if (Math.min(width, height) < 43.9) tell(`a place of ${width} × ${height}`);
  }
  await places.first().click();
  if (!/^Ask place · column . · row .$/.test(await page.locator('form.prompt .primary').textContent())) tell('a place that is touched is not chosen');
  await audit(page, axe, tell);
  (await page.evaluate(overflow)).forEach(tell);
  await page.context().close();
}

/** Tests that impossible values, at least those that the seat holds itself, are grey but can still be chosen. */
async function grey() {
  const tell = (problem) => problems.push(`grey: ${problem}`);
  const [page] = await sit({ game: 'coda', hints: true, seats: [{ person: 'Ann' }, ...bots(1)] }, { viewport: { width: 360, height: 800 }, reducedMotion: 'reduce' }, tell);
  for (let moves = 0; moves < 20; moves += 1) {
    await myMove(page);
    if (await page.locator('form.prompt').getByText('attack').count() > 0) break;
    await move(page, tell);
  }
  await page.getByRole('button', { name: 'More' }).click();
  await page.getByLabel('Cross out').check();
  const panel = page.locator('.place:nth-of-type(2) [data-choice]').first();
  await panel.click();
  const colour = (await panel.getAttribute('class')).includes('dark') ? 'dark' : 'light';
  const own = (await page.locator('.place svg').first().getAttribute('aria-label')).matchAll(new RegExp(`${colour} (\\w+)`, 'g'));
  const held = [...own].map(([, face]) => (face === 'dash' ? '-' : face));
  const faces = page.locator('.fields > fieldset').last().locator('.chip');
  const texts = await faces.allTextContents();
  for (const face of held) if (texts.includes(face)) tell(`${colour} ${face} is the seat's own, and is not greyed: ${texts}`);
  const crossed = texts.filter((text) => text.endsWith('✗')).length;
  if (crossed < held.length || crossed === texts.length) tell(`greyed are ${crossed} of ${texts.length}`);
  await page.locator('.fields .chip:has(.cannot)').first().click();
  if (await page.locator('.fields .chip:has(.cannot) :checked').count() === 0) tell('what is greyed cannot be chosen');
  if (await page.locator('.picked').count() !== 1) tell('the panel that is chosen is not lit');
  const other = page.locator('.place:nth-of-type(2) [data-choice]').last();
  await other.click();
  if (!(await other.getAttribute('class')).includes('picked') || await page.locator('.picked').count() !== 1) tell('the light stays where it was');
  await page.locator('.fields .chip:has(.cannot)').first().click();
  await page.locator('.primary').click();
  await page.getByText('Press again').waitFor();
  await page.getByRole('button', { name: 'Hint' }).click();
  await page.locator('.chance').first().waitFor();
  const chances = await page.locator('.chance').allTextContents();
  if (chances.length !== await page.locator('.place:nth-of-type(2) [data-choice]').count() || chances.some((chance) => !/^\d+ %$/.test(chance))) tell(`the chances are ${chances}`);
  await page.reload();
  await page.locator('form.prompt').waitFor();
  if (!(await page.getByLabel('Cross out').isChecked())) tell('it is forgotten');
  await audit(page, axe, tell);
  (await page.evaluate(overflow)).forEach(tell);
  await page.context().close();
}

/** Hides a code of one colour. */
async function hide(page) {
  const colour = page.getByRole('button', { name: 'colour 1' });
  await colour.waitFor();
  for (let place = 0; place < 5; place += 1) await colour.click();
  await page.locator('.primary').click();
}

/** Tests that notes and marks are kept, answers are sent until they arrive, two pages of a seat agree, and people see who is away. */
async function keep() {
  const tell = (problem) => problems.push(`keep: ${problem}`);
  const [page, [other]] = await sit({ game: 'crack-the-code', seats: [{ person: 'Ann' }, { person: 'Bob' }] }, { viewport: { width: 360, height: 800 } }, tell);
  await page.locator('h3', { hasText: 'Bob (away)' }).waitFor();
  const rival = await page.context().newPage();
  await rival.goto(other);
  await page.waitForFunction(() => !document.querySelector('.board').textContent.includes('(away)'));
  await page.getByLabel('Notes').fill('no red');
  await page.getByText('Mark by hand').click();
  await page.getByRole('button', { name: 'Place 2: 3' }).click();
  await page.reload();
  await myMove(page);
  if (await page.getByLabel('Notes').inputValue() !== 'no red') tell('the notes are gone');
  if (await page.locator('[data-mark][aria-pressed=true]').count() !== 1) tell('the mark is gone');
  await page.getByRole('button', { name: 'Clear the marks' }).click();
  if (await page.locator('[data-mark][aria-pressed=true]').count() !== 0) tell('the mark stays');
  if (await rival.getByLabel('Notes').inputValue() !== '') tell('notes are seen by another seat');
  // The connection is lost for a while.
  const colours = page.getByRole('button', { name: /^colour/ });
  for (const nth of [1, 2, 1, 0, 3]) await colours.nth(nth).click();
  await page.route('**/answer', (route) => route.abort());
  await page.locator('.primary').click();
  await page.getByText('Not sent yet: The server cannot be reached').waitFor();
  if (await page.locator('.primary').textContent() !== 'Hide · code 2 3 2 1 4') tell('what was chosen is gone');
  // Another page of the seat answers, and this page follows.
  const second = await page.context().newPage();
  await second.goto(page.url());
  await hide(second);
  await page.waitForFunction(() => !document.querySelector('form.prompt') && document.querySelector('.now').textContent === 'Sent.');
  if (!/^Waiting for Bob/.test(await page.locator('.turn').textContent())) tell('it does not say for whom it waits');
  await hide(rival);
  await page.locator('form.prompt', { hasText: 'A guess at' }).waitFor();
  await page.unroute('**/answer');
  await page.goto(link);
  await page.goBack();
  await page.locator('form.prompt').waitFor();
  await rival.close();
  await page.locator('h3', { hasText: 'Bob (away)' }).waitFor();
  await page.context().close();
}

/** Tests that a move arrives exactly once if the request or its response is lost, also if the person changes it meanwhile. */
async function lose() {
  const tell = (problem) => problems.push(`lose: ${problem}`);
  const [page] = await sit({ game: 'coda', seats: [{ person: 'Ann' }, ...bots(1)] }, { reducedMotion: 'reduce' }, tell);
  const seen = () => page.locator('.events li').count();
  let sent = [];
  page.on('request', (request) => { if (request.url().endsWith('/answer')) sent.push(request.postData()); });
  for (const lost of ['request', 'answer', 'both']) {
    await myMove(page);
    sent = [];
    const before = await seen();
    await page.route('**/answer', async (route) => {
      if (lost === 'answer') await route.fetch();
      await route.abort();
    });
    page.waitForFunction(() => document.querySelector('.now').textContent === 'Not sent yet.').catch(() => tell(`${lost}: it does not say that it is not sent`));
    await move(page, tell);
    if (lost !== 'answer') await page.getByText('It is tried again').waitFor();
    if (lost === 'both') {
      await page.evaluate(() => document.querySelector('form.prompt').dispatchEvent(new Event('input')));
      const tries = sent.length;
      await page.unroute('**/answer');
      await page.waitForTimeout(1500);
      if (sent.length !== tries || await seen() !== before) tell('what is changed meanwhile is sent all the same');
      await page.locator('.primary').click();
    }
    await page.unroute('**/answer');
    await page.waitForFunction((before) => document.querySelectorAll('.events li').length > before, before);
    if (new Set(sent).size !== 1) tell(`${lost}: sent was ${sent}`);
  }
  await page.context().close();
}

/** Tests that with more open pages than a browser has connections, a move on the last page arrives and all pages show it. */
async function crowd() {
  const tell = (problem) => problems.push(`crowd: ${problem}`);
  const table = { game: 'coda', seats: [{ person: 'Ann' }, ...bots(1)] };
  const [first] = await sit(table, { reducedMotion: 'reduce' }, tell);
  const pages = [first];
  for (const address of ['/t/t', '/t/t', '/t/t', '/t/t', '/t/t/tv', '/play', '/t/t', first.url(), first.url(), first.url()]) {
    const page = await first.context().newPage();
    await page.goto(new URL(address, origin).href);
    pages.push(page);
  }
  // A hidden page of standings sends no requests until it is shown.
  const hidden = pages[1];
  await hidden.evaluate(() => {
    window.isHidden = true;
    Object.defineProperty(document, 'hidden', { get: () => window.isHidden });
  });
  let asked = 0;
  hidden.on('request', () => { asked += 1; });
  const seats = pages.filter((page) => page.url() === first.url());
  const last = seats.at(-1);
  for (let moves = 0; moves < 3; moves += 1) {
    await myMove(last);
    const before = await last.locator('.events li').count();
    await move(last, tell);
    await last.waitForFunction((before) => document.querySelectorAll('.events li').length > before, before);
    const shown = await last.locator('.events li').count();
    for (const page of seats) await page.waitForFunction((shown) => document.querySelectorAll('.events li').length >= shown, shown);
  }
  if (asked > 1) tell(`a hidden page has sent ${asked} requests`);
  const request = hidden.waitForRequest(/news/).catch(() => tell('a page that is shown again does not ask'));
  await hidden.evaluate(() => {
    window.isHidden = false;
    document.dispatchEvent(new Event('visibilitychange'));
  });
  await request;
  for (const page of pages.filter((page) => page.url().endsWith('/t/t'))) if (await page.locator('#connection').textContent() !== '') tell('standings are not connected');
  await first.context().close();
}

/** Tests that one click starts a match against a bot, and that a rematch leads everybody to the same table, later pages by a link. */
async function meet() {
  const tell = (problem) => problems.push(`meet: ${problem}`);
  const [ann, [other]] = await sit({ game: 'crack-the-code', seats: [{ person: 'Ann' }, { person: 'Bob' }] }, { viewport: { width: 360, height: 800 }, reducedMotion: 'reduce' }, tell);
  const guest = (address) => open(browser, {}, (url) => url.startsWith(`${origin}/`), tell).then((page) => page.goto(address).then(() => page));
  const bob = await guest(other);
  const watch = await ann.getByRole('link', { name: 'Link for others to watch' }).getAttribute('href');
  const onlooker = await guest(`${origin}${watch}`);
  for (const page of [ann, bob, onlooker]) await page.getByText('1 viewer.').waitFor();
  if (await onlooker.locator('form.prompt, .marks, .place button').count() > 0) tell('an onlooker is asked');
  await audit(onlooker, axe, tell);
  const second = await guest(ann.url());
  await ann.getByText('also open in another browser').waitFor();
  await second.context().close();
  const first = [ann, bob].map((page) => page.url());
  for (const page of [ann, bob]) {
    await page.getByRole('button', { name: 'Leave' }).click();
    await page.getByRole('button', { name: 'Leave and forfeit?' }).click();
  }
  for (const page of [ann, bob, onlooker]) await page.getByRole('link', { name: 'Replay with nothing hidden' }).waitFor();
  if (await onlooker.getByRole('button', { name: 'Rematch' }).count() > 0) tell('an onlooker is offered a rematch');
  if ((await (await onlooker.request.get(`${origin}${watch}/replay`)).text()).includes('"/play"')) tell('an onlooker is offered to play');
  await audit(ann, axe, tell);
  await bob.getByRole('button', { name: 'Rematch' }).click();
  for (const [nth, page] of [ann, bob].entries()) await page.waitForURL((url) => url.pathname.startsWith('/seat/') && url.href !== first[nth]);
  await onlooker.waitForURL((url) => url.pathname.startsWith('/watch/') && url.pathname !== watch);
  for (const page of [ann, bob]) await myMove(page);
  if (!(await ann.locator('header h1').textContent()).startsWith('Bob')) tell('nobody has moved on');
  const next = ann.url();
  await ann.goto(first[0]);
  await ann.getByRole('link', { name: 'To the rematch' }).click();
  await ann.waitForURL(next);
  await ann.goto(`${origin}/play`);
  await ann.getByText('over. Return').waitFor();
  await ann.getByText('your move. Return').getByRole('link').click();
  await ann.waitForURL(next);
  await ann.goto(origin);
  await ann.getByRole('button', { name: 'Easy' }).click();
  await ann.waitForURL(/seat/);
  await myMove(ann);
  for (const page of [ann, bob, onlooker]) await page.context().close();
}

if (own) {
  await play(own, {}, 360, 'dark');
} else {
  await lose();
  await crowd();
  await pace('no-preference');
  await pace('reduce');
  await grey();
  await touch();
  await repeated();
  await keep();
  for (const [game, rules, width, scheme] of GAMES) await play(game, rules, width, scheme);
  await meet();
}
await browser.close();
problems.forEach((problem) => console.log(problem));
process.exit(problems.length ? 1 : 0);
