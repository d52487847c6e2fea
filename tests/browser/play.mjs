// Plays a whole match of each game in a real browser by clicks, as a person would, against a bot, and says what is wrong.
// node play.mjs MODULES BROWSER LINK [SHOTS]: where playwright-core and axe-core are, the browser, the address of the server with
// its token, and a folder for pictures. Prints a line for each problem; exits with 1 if there is one.
import path from 'node:path';
import { audit, launch, open, overflow } from './browser.mjs';

const [modules, executablePath, link, shots] = process.argv.slice(2);
const { browser, axe } = await launch(modules, executablePath);
const { origin } = new URL(link);
const problems = [];
/** The games, each with a rule that makes it short, on a screen of this width. */
const GAMES = [['coda', { rounds: '1' }, 1280, 'light'], ['sample', {}, 360, 'dark'], ['code-777', { points: '1', questions: '30' }, 768, 'dark'], ['crack-the-code', {}, 360, 'light'], ['digit-code', { turn_limit: '6' }, 1280, 'dark']];

const any = (all) => all[Math.floor(Math.random() * all.length)];
const isOver = (page) => page.locator('.now').textContent().then((text) => text === 'The match is over.');

/** One move, by the mouse: something on the table that is clicked, or whatever the form offers. */
async function move(page, tell) {
  const form = page.locator('form.prompt');
  const touched = await page.locator('.place:not(:first-of-type) [data-choice]').all();
  let clicked = null;
  if (touched.length > 0 && await form.getByText('attack').count() > 0) {
    const element = any(touched);
    clicked = JSON.parse(await element.getAttribute('data-choice'));
    await element.click();
  }
  else if (await form.locator('> fieldset .chip').count() > 1) await any(await form.locator('> fieldset .chip').all()).click();
  for (const field of await form.locator('.fields fieldset').all()) {
    const chips = await field.locator('.chip').all();
    if (chips.length > 0 && await field.locator(':checked').count() === 0) await any(chips).click();
    for (const list of await field.locator('select').all()) await list.selectOption({ index: Math.floor(Math.random() * await list.locator('option').count()) });
  }
  const typed = form.locator('input.text');
  if (await typed.count() > 0 && await typed.inputValue() === '') await typed.fill('123456');
  await form.evaluate((form) => { form.dataset.old = 'yes'; });
  let sent = null;
  const note = (request) => { if (request.url().endsWith('/answer')) sent = request.postDataJSON().action; };
  page.on('request', note);
  await form.getByRole('button', { name: 'Do it' }).click();
  await page.waitForFunction(() => !document.querySelector('form.prompt[data-old]') || document.querySelector('.problem')?.textContent);
  page.off('request', note);
  const { seat, position } = sent?.attack ?? {};
  if (clicked && (seat !== clicked.player || position !== clicked.place)) tell(`${JSON.stringify(clicked)} was clicked, and the action sent is ${JSON.stringify(sent)}`);
}

async function play(game, rules, width, colorScheme) {
  const tell = (problem) => problems.push(`${game}: ${problem}`);
  const page = await open(browser, { viewport: { width, height: 900 }, colorScheme }, (url) => url.startsWith(`${origin}/`), tell);
  const inspect = async (name) => {
    (await page.evaluate(overflow)).forEach((problem) => tell(`${name}: ${problem}`));
    await audit(page, axe, (problem) => tell(`${name}: ${problem}`));
    if (shots) await page.screenshot({ path: path.join(shots, `play-${game}-${name}.png`), fullPage: true });
  };
  await page.goto(link);
  await page.getByRole('link', { name: 'Play', exact: true }).click();
  // The list is drawn by a script, once the page is there.
  await page.locator('select[name=game] option[value=coda]').waitFor({ state: 'attached' });
  const isListed = await page.locator(`select[name=game] option[value=${game}]`).count() > 0;
  if (isListed) {
    await page.locator('select[name=game]').selectOption(game);
    for (const [name, value] of Object.entries(rules)) await page.locator(`input[name=${name}]`).fill(value);
    await page.getByLabel('Hints, on request').check();
    await page.getByLabel('Name in seat 0').fill('<b>Ann');
    await inspect('lobby');
    await page.getByRole('button', { name: 'Begin' }).click();
    await page.waitForURL(/\/seat\//);
  } else {
    if (game !== 'sample') tell('it is not in the lobby');
    const body = JSON.stringify({ game, hints: true, seats: [{ person: '<b>Ann' }, { builtin: 'random' }] });
    const opened = await page.evaluate((body) => fetch('/play', { method: 'POST', headers: { 'content-type': 'application/json' }, body }).then((response) => response.json()), body);
    await page.goto(`${origin}${opened.seats[0].address}`);
  }
  const seat = page.url();
  for (let moves = 0; moves < 400; moves += 1) {
    await page.waitForFunction(() => ['It is your move.', 'The match is over.'].includes(document.querySelector('.now')?.textContent));
    if (await isOver(page)) break;
    if (moves === 1) {
      await page.getByRole('button', { name: 'Hint' }).click();
      await page.getByRole('button', { name: 'Show a move' }).click();
      await page.waitForFunction(() => document.querySelector('#table [role=status]')?.textContent.includes(' would '));
      await inspect('seat');
      // What others know is not told before the end, and a browser that was closed finds everything as it was.
      const early = await page.request.get(`${seat}/replay`);
      if (early.status() !== 409) tell(`the replay is there before the end: ${early.status()}`);
      const before = await page.locator('.events').textContent();
      await page.reload();
      await page.waitForFunction((before) => document.querySelector('.events')?.textContent === before, before);
      await page.waitForFunction(() => document.querySelector('form.prompt'));
    }
    // A code that is refused twice stays, with the reason.
    if (game === 'digit-code' && moves === 0) {
      for (const attempt of ['first', 'second']) {
        await page.locator('form.prompt input.text').fill('000000');
        await page.getByRole('button', { name: 'Do it' }).click();
        await page.waitForFunction(() => document.querySelector('.problem')?.textContent, null, { timeout: 10000 }).catch(() => tell(`no reason after the ${attempt} wrong answer`));
        if (await page.locator('form.prompt input.text').inputValue() !== '000000') tell('what was typed is gone');
      }
    }
    await move(page, tell);
    if (moves === 2 && !(await page.locator('.news p').count() > 0)) tell('nothing is read out');
  }
  if (!(await page.title()).includes('Ann')) tell('the title does not say who plays');
  if (!(await isOver(page))) tell('the match does not end');
  await page.getByRole('link', { name: 'Replay with nothing hidden' }).waitFor();
  await inspect('end');
  if (game === 'coda') await page.getByText(/no clear mistake of yours|Where more could be won/).waitFor();
  const shown = (await page.locator('#table ol li:has(bdi)').allTextContents()).map((line) => line.replace(' (you)', '')).sort();
  await page.getByRole('link', { name: 'Replay with nothing hidden' }).click();
  await page.locator('.controls output').waitFor();
  if (!(await page.locator('h1').textContent()).includes('<b>Ann')) tell('the name is not shown as it is');
  const { bots, outcome } = await page.evaluate(() => JSON.parse(document.getElementById('data').textContent));
  const kept = bots.map((bot, seat) => `${bot}: ${outcome.seats[seat].points} point${outcome.seats[seat].points === 1 ? '' : 's'}`).sort();
  if (JSON.stringify(shown) !== JSON.stringify(kept)) tell(`the end was ${shown}, kept is ${kept}`);
  await page.context().close();
}

for (const [game, rules, width, scheme] of GAMES) await play(game, rules, width, scheme);
await browser.close();
problems.forEach((problem) => console.log(problem));
process.exit(problems.length ? 1 : 0);
