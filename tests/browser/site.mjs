// Opens every page of a server in a real browser, wide and narrow, light and dark, and says what is wrong with it.
// node site.mjs MODULES BROWSER LINK NAMES [SHOTS]: where playwright-core and axe-core are, the browser, the address with its
// token, the bots' names as JSON, and a folder for pictures. It opens the first tournament of the list, which is being played.
// Prints a line for each problem; exits with 1 if there is one.
import path from 'node:path';
import { audit, launch, open, overflow, stepOf } from './browser.mjs';

const [modules, executablePath, link, names, shots] = process.argv.slice(2);
const { browser, axe } = await launch(modules, executablePath);
const { origin } = new URL(link);
const problems = [];

async function look(kind, width, colorScheme) {
  const tell = (problem) => problems.push(`${kind}: ${problem}`);
  const page = await open(browser, { viewport: { width, height: 800 }, colorScheme }, (url) => url.startsWith(`${origin}/`), tell);
  const picture = async (name) => { if (shots) await page.screenshot({ path: path.join(shots, `site-${kind}-${name}.png`), fullPage: true }); };
  const inspect = async (name) => {
    (await page.evaluate(overflow)).forEach((problem) => tell(`${name}: ${problem}`));
    await audit(page, axe, (problem) => tell(`${name}: ${problem}`));
    await picture(name);
  };
  await page.goto(link, { waitUntil: 'load' });
  if (page.url().includes('token')) tell('the token stays in the address');
  await inspect('list');
  // With keys only.
  const first = page.locator('tbody a').first();
  for (let press = 0; press < 9 && !(await first.evaluate((link) => link === document.activeElement)); press += 1) await page.keyboard.press('Tab');
  const news = page.waitForResponse(/\/news/);
  await page.keyboard.press('Enter');
  await news;
  if (await page.locator('#connection').textContent() !== '') tell('standings are not connected');
  // Focus and selection survive a change of the standings, even if their element moves.
  const bot = page.locator('#live th[scope=row] a').last();
  await bot.focus();
  await bot.evaluate((link) => {
    window.focused = [link, link.textContent, 0];
    link.addEventListener('blur', () => { window.focused[2] += 1; });
    getSelection().selectAllChildren(link);
  });
  for (let times = 0; times < 3; times += 1) {
    const before = await page.locator('#live .what').textContent();
    await page.waitForFunction((before) => document.querySelector('#live .what').textContent !== before, before);
  }
  const kept = await page.evaluate(() => [document.activeElement === window.focused[0], String(getSelection()) === window.focused[1], window.focused[0].textContent === window.focused[1], window.focused[2]]);
  if (String(kept) !== 'true,true,true,0') tell(`focus and selection: ${kept}`);
  const shown = await page.locator('#live th[scope=row] bdi').allTextContents();
  for (const name of JSON.parse(names)) if (!shown.includes(name)) tell(`the name ${name} is not shown as it is: ${shown}`);
  await inspect('standings');
  const tournament = page.url();
  const dead = await page.evaluate(() => [...document.querySelectorAll('#live td.cell')].filter((cell) => /\d/.test(cell.textContent) && !cell.querySelector('a')).length);
  if (dead > 0) tell(`${dead} cells of the crosstable lead nowhere`);
  // A number in the crosstable is a link to its matches.
  const href = await page.locator('#live td.cell a').first().getAttribute('href');
  await page.goto(new URL(href, tournament).href);
  if (await page.locator('select[name=bot]').inputValue() === '' || await page.locator('select[name=other]').inputValue() === '') tell(`${href} does not choose two bots`);
  await page.getByRole('link', { name: 'Rules', exact: true }).click();
  await page.locator('.rules h1').waitFor();
  await inspect('rules');
  await page.goto(tournament);
  for (const name of ['Matches', 'Charts', 'Pairs', 'Faults']) {
    await page.getByRole('link', { name, exact: true }).click();
    await page.waitForLoadState('load');
    if (await page.locator('[aria-current=page]').textContent() !== name) tell(`${name} is not the current page`);
    await inspect(name);
  }
  await page.goto(`${tournament}/matches`);
  await page.locator('select[name=result]').selectOption('won');
  await page.locator('select[name=bot]').selectOption({ label: shown[0] });
  await page.getByRole('button', { name: 'Show' }).click();
  await page.waitForURL(/result=won/);
  if (await page.locator('select[name=result]').inputValue() !== 'won') tell('the filter does not stay');
  // The bot may not have won yet.
  for (let tries = 0; tries < 2000 && await page.locator('tbody a').count() === 0; tries += 1) await page.reload({ waitUntil: 'load' });
  await page.locator('tbody a').first().click();
  await page.locator('.controls output').waitFor();
  await page.keyboard.press('End');
  const [step, last] = (await stepOf(page)).split(' of ');
  if (step !== last) tell(`the replay does not go to its end: ${step}`);
  await inspect('replay');
  await page.getByRole('link', { name: 'next →' }).click();
  await page.locator('.controls output').waitFor();
  await page.goto(`${tournament}/report`, { waitUntil: 'load' });
  (await page.evaluate(overflow)).forEach(tell);
  for (const screen of ['/tv', '/tv?kiosk']) {
    await page.goto(`${tournament}${screen}`);
    await page.waitForFunction(() => Number(document.querySelector('.controls output')?.textContent.split(' ')[1]) > 2);
    // The end of a match is the widest.
    await page.evaluate(() => { document.querySelector('#screen .controls input').value = 1e6; document.querySelector('#screen .controls input').dispatchEvent(new Event('input')); });
    await page.locator('.ending').waitFor({ state: 'attached' });
    if (!(await page.locator('#caption').textContent()).includes('match d')) tell('the screen does not say what it shows');
    await inspect(screen.replace(/\W/g, ''));
  }
  await page.context().close();
}

for (const [kind, width, scheme] of [['desktop', 1280, 'light'], ['tablet', 768, 'dark'], ['phone', 360, 'light'], ['wide', 1920, 'dark']]) await look(`${kind}-${scheme}`, width, scheme);
await browser.close();
problems.forEach((problem) => console.log(problem));
process.exit(problems.length ? 1 : 0);
