// Opens a match's page in a real browser, wide and narrow, light and dark, and says what is wrong with it.
// node replay.mjs MODULES BROWSER FILE [SHOTS]: where playwright-core and axe-core are, the browser, the page, and a folder for
// pictures. Prints a line for each problem; exits with 1 if there is one.
import { pathToFileURL } from 'node:url';
import path from 'node:path';
import { audit, launch, open, overflow, stepOf } from './browser.mjs';

const [modules, executablePath, file, shots] = process.argv.slice(2);
const url = pathToFileURL(file).href;
const problems = [];
/** Maximum width, in pixels, of a window with the bar at the bottom. */
const NARROW_WIDTH = 832;

/** Runs in the page: returns what would disturb a reader. */
function inspect() {
  const found = [];
  for (const what of ['img', 'iframe', 'object', 'embed', 'form', '[onerror]', '[onload]', 'svg:not([aria-label])']) {
    const one = document.querySelector(what);
    if (one) found.push(`there is ${what}: ${one.outerHTML.slice(0, 100)}`);
  }
  for (const svg of document.querySelectorAll('.table svg')) {
    const { left, right } = svg.getBoundingClientRect();
    if (left < 0 || right > window.innerWidth + 1) found.push(`${svg.getAttribute('aria-label')} is beyond the edge`);
  }
  return found;
}

/** Runs in the page: returns the steps whose words are wrong for the seat, or for a viewer who sees all cards. */
function walk([seat, stride]) {
  const { frames } = JSON.parse(document.getElementById('data').textContent);
  const slider = document.querySelector('.controls input');
  const found = [];
  for (let step = 0; step < frames.length; step += stride) {
    slider.value = String(step);
    slider.dispatchEvent(new Event('input'));
    // An event that a seat sees like everybody else is stored once.
    const { words } = { ...frames[step].all, ...frames[step].seats[seat ?? 'all'] };
    const shown = document.querySelector('.now').textContent;
    if (words && shown !== words) found.push(`step ${step} says ${shown}`);
    const known = frames[step].moves.find((move) => seat === null || move.seat === seat)?.known;
    const chance = known && known.chance !== null ? `${(100 * known.chance).toFixed(1)} % by counting` : '';
    const now = frames.slice(0, step + 1).findLast((frame) => frame.seats[seat]?.known)?.seats[seat].known;
    const possible = now && now.worlds !== null ? `can know nowPossible${now.worlds.toLocaleString('en')}Likeliest` : '';
    if (!document.querySelector('.details').textContent.includes(possible)) found.push(`step ${step} does not say ${possible}`);
    if (!document.querySelector('.details').textContent.includes(chance)) found.push(`step ${step} does not say ${chance}`);
  }
  return found;
}

/** Tests that the chart leads to steps and keys lead to mistakes, and that the list counts all by kind and shows the ten largest. */
async function course(page, data, last, expect, tell) {
  const all = data.frames.flatMap((frame, step) => frame.moves.filter(({ lesson }) => lesson).map(() => step));
  const listed = await page.locator('.mistakes li').allTextContents();
  if (listed.length !== Math.min(all.length, 10)) tell(`${listed.length} mistakes are listed, of ${all.length}`);
  const heading = all.length > 0 ? await page.locator('.mistakes summary').textContent() : '';
  const counted = [...heading.matchAll(/(\d+) (?:blunder|mistake|inaccurac)/g)].reduce((sum, [, number]) => sum + Number(number), 0);
  if (counted !== all.length) tell(`${heading}, of ${all.length}`);
  // A short list has all of them, and then keys skip inaccuracies.
  const isClear = (_, nth) => all.length > 10 || listed.every((line) => line.endsWith('inaccuracy')) || !listed[nth].endsWith('inaccuracy');
  const wrong = all.length > 10 && heading.includes('inaccurac') ? [] : all.filter(isClear);
  const isCounted = data.frames.some(({ seats }) => seats.some((seat) => seat?.known?.worlds > 1));
  if (isCounted) {
    const picture = page.locator('.course svg');
    const { width, height } = await picture.boundingBox();
    await picture.click({ position: { x: width - 1, y: height - 1 } });
    await expect('a click at the end of the course', `${last} of ${last}`);
  }
  await page.keyboard.press('Home');
  for (const step of [...new Set(wrong)].filter((step) => step > 0).slice(0, 2)) {
    await page.keyboard.press('Shift+ArrowRight');
    await expect('the key to the next mistake', `${step} of ${last}`);
    if (!(await page.locator('.details').textContent()).includes('Mistake')) tell(`step ${step} does not say what was wrong`);
  }
  await page.keyboard.press('End');
  await page.keyboard.press('Shift+ArrowLeft');
  const before = wrong.findLast((step) => step < last);
  if (wrong.length > 0) await expect('the key to the mistake before', `${before ?? last} of ${last}`);
  await page.keyboard.press('Home');
  if (await page.locator('.tables .place').count() === 0) tell('there is no table at the beginning');
  await page.getByLabel('Seen by').selectOption('1');
  await page.keyboard.press('ArrowRight');
  await page.reload();
  if (page.viewportSize().width <= NARROW_WIDTH) await page.getByText('More', { exact: true }).click();
  if (await page.getByLabel('Seen by').inputValue() !== '1') tell('the address does not keep whose eyes are used');
  await expect('the page loaded again', `1 of ${last}`);
  await page.getByLabel('Seen by').selectOption('everything');
}

async function look(browser, name, width, colorScheme) {
  const tell = (problem) => problems.push(`${name}: ${problem}`);
  const isAllowed = (asked) => asked.split('#')[0] === url;
  const page = await open(browser, { viewport: { width, height: 800 }, colorScheme, offline: true }, isAllowed, tell);
  const context = page.context();
  await page.goto(url, { waitUntil: 'load' });
  const where = () => stepOf(page);
  const expect = async (what, right) => { if (await where() !== right) tell(`${what}: at ${await where()}, not ${right}`); };
  const last = Number((await where()).split(' of ')[1]);
  if (!(last > 10)) tell(`there are ${last} steps`);
  for (const [key, step] of [['ArrowRight', 1], ['ArrowRight', 2], ['ArrowLeft', 1], ['End', last], ['ArrowRight', last], ['Home', 0]]) {
    await page.keyboard.press(key);
    await expect(key, `${step} of ${last}`);
  }
  const data = await page.evaluate(() => JSON.parse(document.getElementById('data').textContent));
  if (width <= NARROW_WIDTH) {
    const board = await page.locator('.table').boundingBox();
    if (board.y > 260) tell(`the board begins at ${board.y}`);
    const small = await page.evaluate(() => [...document.querySelectorAll('.controls :is(button, input[type=range], summary)')].filter((one) => one.offsetParent && (one.offsetHeight < 44 || one.offsetWidth < 44)).map((one) => one.outerHTML));
    small.forEach((one) => tell(`too small to be touched: ${one}`));
    const { bottom } = await page.locator('.controls').evaluate((bar) => bar.getBoundingClientRect());
    if (Math.abs(bottom - 800) > 2) tell(`the bar ends at ${bottom}`);
    await page.getByText('More', { exact: true }).click();
  }
  const eyes = page.getByLabel('Seen by');
  for (const value of ['0', '1', 'side by side', 'everything']) {
    await eyes.selectOption(value);
    (await page.evaluate(walk, [/^\d$/.test(value) ? Number(value) : null, width > 1000 ? 1 : 9])).forEach((problem) => tell(`for ${value}: ${problem}`));
    (await page.evaluate(inspect)).forEach(tell);
    (await page.evaluate(overflow)).forEach(tell);
  }
  await course(page, data, last, expect, tell);
  const middle = data.frames.findLastIndex((frame) => frame.moves.length > 0 && frame.moves[0].turn < last / 4);
  const turn = data.frames[middle].moves[0].turn;
  await page.evaluate((turn) => { location.hash = `#turn=${turn}+1`; }, turn);
  await page.waitForFunction((step) => document.querySelector('.controls input').value === step, String(middle + 1));
  const again = await context.newPage();
  await again.goto(`${url}#turn=${turn}`, { waitUntil: 'load' });
  if (await stepOf(again) !== `${middle} of ${last}`) tell('a link to a turn does not lead there');
  if (!(await again.locator('.controls output').textContent()).startsWith(`turn ${turn} of `)) tell('the bar counts turns differently');
  const current = await again.locator('[aria-current=step] .soft').textContent();
  if (current !== String(turn)) tell(`the list counts turns differently: ${current}`);
  if (await again.locator('[aria-current=step]').count() !== 1) tell('no step of the list is the current one');
  await again.close();
  await page.getByRole('button', { name: 'Play', exact: true }).click();
  await page.waitForFunction((step) => document.querySelector('.controls input').value !== step, String(middle + 1));
  await page.getByRole('button', { name: 'Pause', exact: true }).click();
  await eyes.selectOption('side by side');
  await audit(page, axe, tell);
  if (shots) await page.screenshot({ path: path.join(shots, `${data.game}-${name}.png`), fullPage: true });
  await context.close();
}

const { browser, axe } = await launch(modules, executablePath);
for (const [kind, width, scheme] of [['desktop', 1280, 'light'], ['tablet', 768, 'dark'], ['phone', 360, 'light'], ['wide', 1920, 'dark']]) {
  await look(browser, `${kind}-${scheme}`, width, scheme);
}
await browser.close();
problems.forEach((problem) => console.log(problem));
process.exit(problems.length ? 1 : 0);
