// Draws the pages of a server, narrow and wide, light and dark, and compares each picture with the last accepted one.
// node pictures.mjs MODULES BROWSER LINK REPORT ACCEPTED NEW: where playwright-core and axe-core are, the browser, the address of the
// server with its token, a report's file, the folder of the accepted pictures, and one for those that differ. Pictures are kept at a quarter
// of their size. Screens that play are stopped at a known step.
// Prints a line for each changed page, with the place; exits with 1 if there is one. With ARENA_BLESS=1, all pictures are accepted.
// The pictures depend on the browser and its fonts: with another browser, it says so and exits with 3.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { launch, open } from './browser.mjs';

const [modules, executablePath, link, report, accepted, fresh] = process.argv.slice(2);
const { browser } = await launch(modules, executablePath);
const { origin } = new URL(link);
const isBlessing = process.env.ARENA_BLESS === '1';
const problems = [];
/** Maximum height of a picture, in pixels; higher pages are cut. */
const MAX_HEIGHT = 5000;
/** Opens a match inside a report. */
const openMatch = (page) => page.evaluate(() => {
  document.querySelectorAll('details').forEach((details) => { details.open = true; });
  document.querySelector('[data-match]').click();
  const slider = document.querySelector('#replay [type=range]');
  slider.value = 9;
  slider.dispatchEvent(new Event('input'));
});
const HOUR = 3_600_000;
/** Lets a screen play for this long, in milliseconds. */
const playFor = (time) => (page) => page.clock.runFor(time);
/** The pages by name, each with the element to wait for, an action before drawing, and the element to draw if not the whole page. */
const PAGES = {
  list: ['/', 'tbody a'], standings: ['/t/coda', '#live table a'], matches: ['/t/coda/matches', 'tbody a'], charts: ['/t/coda/charts', 'figure'],
  pairs: ['/t/coda/pairs', 'tbody a'], faults: ['/t/coda/faults', 'main'], bot: ['/t/coda/bot?name=b', 'main'],
  report: ['/t/coda/report', 'main'], rules: ['/rules/crack-the-code', '.rules h1'], lobby: ['/play', 'form select'],
  ...Object.fromEntries(['coda', 'code-777', 'crack-the-code', 'digit-code'].map((game) => [`replay-${game}`, [`/t/${game}/match?id=d1%2Fa%2Fb#turn=9`, '.table']])),
  'report-match': [pathToFileURL(report).href, 'main', openMatch, '#replay'],
};
/** The same for screens, with a stopped clock. */
const SCREENS = {
  tv: ['/t/coda/tv', '.table', playFor(15_000)], 'tv-kiosk': ['/t/crack-the-code/tv?kiosk', '.table', playFor(15_000)],
  'tv-next': ['/t/coda/tv?kiosk', '.table', async (page) => { await page.clock.runFor(50_000); await page.getByText('Next: ').waitFor(); }],
};
/** Games in which nothing visible at a person's first turn depends on chance. */
const PLAYED = ['coda', 'crack-the-code'];

/** Runs in a page: returns a picture at a quarter of its size. */
async function quarter(picture) {
  const image = await createImageBitmap(await (await fetch(picture)).blob());
  const canvas = new OffscreenCanvas(Math.ceil(image.width / 4), Math.ceil(image.height / 4));
  const context = canvas.getContext('2d');
  context.imageSmoothingQuality = 'high';
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  const bytes = new Uint8Array(await (await canvas.convertToBlob({ type: 'image/webp', quality: 0.6 })).arrayBuffer());
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
}

/** Runs in a page: unfolds everything, sets all dates to one day, and takes fixed columns out of layers, which can be half a pixel off. */
function prepare() {
  document.querySelectorAll('th, td').forEach((cell) => { if (getComputedStyle(cell).position === 'sticky') cell.style.position = 'static'; });
  document.querySelectorAll('main details').forEach((details) => { details.open = true; });
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) texts.currentNode.data = texts.currentNode.data.replace(/\b20\d\d-\d\d-\d\d\b/g, '2000-01-01');
}

/** Runs in a page: returns where two pictures differ most, in pixels of the page; null if they hardly differ. */
async function difference([one, other]) {
  const TILE = 12;
  const MIN_DIFFERENCE = 6;
  const [a, b] = await Promise.all([one, other].map(async (picture) => createImageBitmap(await (await fetch(picture)).blob())));
  if (a.width !== b.width || Math.abs(a.height - b.height) > 2) return `it is ${4 * b.width} by ${4 * b.height}, and was ${4 * a.width} by ${4 * a.height}`;
  const [width, height] = [a.width, Math.min(a.height, b.height)];
  const [before, after] = [a, b].map((image) => {
    const context = new OffscreenCanvas(width, height).getContext('2d');
    context.drawImage(image, 0, 0);
    return context.getImageData(0, 0, width, height).data;
  });
  let most = { mean: MIN_DIFFERENCE, place: null };
  for (let top = 0; top < height; top += TILE) {
    for (let left = 0; left < width; left += TILE) {
      let [sum, count] = [0, 0];
      for (let y = top; y < Math.min(top + TILE, height); y += 1) {
        for (let x = left; x < Math.min(left + TILE, width); x += 1) {
          for (let channel = 0; channel < 3; channel += 1) {
            sum += Math.abs(before[4 * (y * width + x) + channel] - after[4 * (y * width + x) + channel]);
            count += 1;
          }
        }
      }
      if (sum / count > most.mean) most = { mean: sum / count, place: `at ${4 * left}, ${4 * top}` };
    }
  }
  return most.place;
}

const desk = await (await browser.newContext()).newPage();
const asUrl = (kind, base64) => `data:image/${kind};base64,${base64}`;

/** Draws a few words with the browser and its fonts: if this picture differs, all others would too. */
async function drawnBy() {
  await desk.setContent('<p style="font:16px system-ui">Coda 0123 ← → ● ×</p><pre>mono ±</pre><select><option>list</select>');
  const hash = createHash('sha256').update(await desk.screenshot()).digest('hex').slice(0, 16);
  return { browser: browser.version().split('.')[0], words: hash };
}

/** Returns the address of a person's seat at a new table, against the weakest bot. */
async function seat(game) {
  await desk.request.get(link);
  const wanted = { game, seats: [{ person: 'ann' }, { builtin: 'random' }], hints: true };
  const answer = await desk.request.post(`${origin}/play`, { headers: { origin }, data: wanted });
  return (await answer.json()).seats[0].address;
}

const about = path.join(accepted, 'browser.json');
const here = await drawnBy();
if (isBlessing) {
  mkdirSync(accepted, { recursive: true });
  readdirSync(accepted).forEach((file) => rmSync(path.join(accepted, file)));
  writeFileSync(about, `${JSON.stringify(here)}\n`);
} else if (JSON.stringify(JSON.parse(readFileSync(about, 'utf8'))) !== JSON.stringify(here)) {
  console.log(`the pictures are by another browser or other fonts (${readFileSync(about, 'utf8').trim()}, here ${JSON.stringify(here)}): look at all pages once, then accept them with ARENA_BLESS=1`);
  await browser.close();
  process.exit(3);
}
/** Draws pages in their own window, and notes those that differ. */
async function draw(pages, width, colorScheme) {
  const page = await open(browser, { viewport: { width, height: 900 }, colorScheme, reducedMotion: 'reduce' }, (url) => [`${origin}/`, 'file:'].some((own) => url.startsWith(own)), (problem) => problems.push(problem));
  await page.goto(link);
  for (const [name, [address, there, act, part]] of Object.entries(pages)) {
    await page.goto('about:blank');
    if (name === 'tv') await page.clock.install({ time: 0 }).then(() => page.clock.pauseAt(HOUR));
    await page.goto(new URL(address, origin).href);
    await page.locator(there).first().waitFor();
    await act?.(page);
    await page.evaluate(prepare);
    const height = Math.min(await page.evaluate(() => document.documentElement.scrollHeight), MAX_HEIGHT);
    const all = { fullPage: true, animations: 'disabled', clip: { x: 0, y: 0, width, height } };
    const shot = (await (part ? page.locator(part).screenshot() : page.screenshot(all))).toString('base64');
    const file = `${name}-${width}-${colorScheme}.webp`;
    const small = await desk.evaluate(quarter, asUrl('png', shot));
    if (isBlessing) {
      writeFileSync(path.join(accepted, file), Buffer.from(small, 'base64'));
      continue;
    }
    const before = path.join(accepted, file);
    const place = existsSync(before) ? await desk.evaluate(difference, [asUrl('webp', readFileSync(before, 'base64')), asUrl('webp', small)]) : 'it is new';
    if (!place) continue;
    mkdirSync(fresh, { recursive: true });
    writeFileSync(path.join(fresh, file.replace('webp', 'png')), Buffer.from(shot, 'base64'));
    problems.push(`${name}, ${width} wide, ${colorScheme}: ${place}`);
  }
  await page.context().close();
}

// Viewing a match starts its judgement, which its page and its bots' pages then show.
await desk.request.get(link);
while ((await desk.request.get(`${origin}/t/coda/judged?id=d1%2Fa%2Fb`)).status() === 204);
const WINDOWS = [[360, 'light'], [360, 'dark'], [1280, 'light'], [1280, 'dark']];
for (const window of WINDOWS) await draw(PAGES, ...window);
// After the lobby, which would show the tables. A seat is drawn once, because a second page may say that the seat is open elsewhere.
for (const window of WINDOWS) {
  const seats = Object.fromEntries(await Promise.all(PLAYED.map(async (game) => [`seat-${game}`, [await seat(game), 'form.prompt']])));
  await draw({ ...seats, ...SCREENS }, ...window);
}
await browser.close();
problems.forEach((problem) => console.log(problem));
if (problems.length > 0) console.log(`the new pictures are in ${fresh}; if they are right, accept them with ARENA_BLESS=1`);
process.exit(problems.length ? 1 : 0);
