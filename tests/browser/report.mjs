// Opens a report in a real browser, wide and narrow, light and dark, and says what is wrong with it.
// node report.mjs MODULES BROWSER FILE NAMES [SHOTS]: where playwright-core is, the browser, the page, the bots' names as
// JSON, and a folder for pictures. Prints a line for each problem; exits with 1 if there is one.
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import path from 'node:path';
import { stepOf } from './browser.mjs';

const [modules, executablePath, file, names, shots] = process.argv.slice(2);
const { chromium } = createRequire(path.join(path.resolve(modules), 'x.js'))('playwright-core');
const url = pathToFileURL(file).href;
const problems = [];

/** Runs in the page: returns what would disturb a reader. */
function inspect() {
  const found = [];
  const all = (what) => [...document.querySelectorAll(what)];
  const wide = document.documentElement.scrollWidth;
  if (wide > window.innerWidth) found.push(`the page is ${wide} wide in a window of ${window.innerWidth}`);
  for (const what of ['script:not([type=module],[type="application/json"])', 'img', 'iframe', 'object', 'embed', 'form', '[onerror]', '[onload]']) {
    if (all(what).length) found.push(`there is ${what}: ${all(what)[0].outerHTML.slice(0, 100)}`);
  }
  for (const landmark of ['header', 'nav', 'main', 'footer', 'h1', 'title']) {
    if (all(landmark).length < 1) found.push(`there is no ${landmark}`);
  }
  for (const head of all('th:not([scope])')) found.push(`a table head without scope: ${head.textContent}`);
  for (const table of all('table')) {
    if (!table.caption?.textContent.trim()) found.push('a table without caption');
    if (!['auto', 'visible'].includes(getComputedStyle(table.parentElement).overflowX)) found.push('a table without a box');
  }
  for (const chart of all('.chart')) {
    if (!chart.getAttribute('aria-label')?.trim()) found.push('a chart without words');
    const drawn = [...chart.querySelectorAll('svg')].filter((svg) => svg.getBoundingClientRect().height >= 50);
    if (drawn.length !== 1) found.push(`a chart of which ${drawn.length} drawings are shown`);
    for (const text of drawn.flatMap((svg) => [...svg.querySelectorAll('text')])) {
      const { left, right, height } = text.getBoundingClientRect();
      if (left < 0 || right > window.innerWidth) found.push(`"${text.textContent}" is beyond the edge of the screen`);
      if (Math.max(height, right - left) < 9) found.push(`"${text.textContent}" is too small to read`);
    }
  }
  for (const figure of all('figure')) {
    const title = figure.querySelector('h3').textContent;
    const again = [...figure.querySelectorAll('svg text')].filter((text) => text.textContent.includes(`: ${title}`));
    if (again.length) found.push(`the chart ${title} has its title twice`);
    if (all('h3').filter((h3) => h3.textContent === title).length !== 1) found.push(`the title ${title} is there twice`);
  }
  for (const link of all('a[href^="#"]')) {
    if (!document.getElementById(link.hash.slice(1))) found.push(`a link to nowhere: ${link.hash}`);
  }
  const ids = all('[id]').map((one) => one.id);
  if (new Set(ids).size < ids.length) found.push(`an id is there twice: ${ids.filter((id, at) => ids.indexOf(id) < at)}`);

  const channels = (color) => color.match(/[\d.]+/g).map(Number);
  const light = (color) => {
    const [r, g, b] = channels(color).map((c) => (c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (one) => {
    for (let at = one; at; at = at.parentElement) {
      const color = getComputedStyle(at).backgroundColor;
      if ((channels(color)[3] ?? 1) > 0) return color;
    }
    return 'rgb(255, 255, 255)';
  };
  const dark = matchMedia('(prefers-color-scheme: dark)').matches;
  for (const chart of all('.chart')) {
    const ground = chart.querySelector('svg').closest('div');
    const papers = [...chart.querySelectorAll('svg rect')].filter((rect) => rect.getAttribute('fill') === '#FFFFFF');
    if (!papers.length) found.push('a chart without paper');
    const colors = [behind(ground), ...papers.map((rect) => getComputedStyle(rect).fill)];
    if (dark && colors.some((color) => light(color) > 0.05)) found.push(`a chart is ${colors[0]}, ${colors[1]} on a dark page`);
    for (const text of chart.querySelectorAll('svg text')) {
      const [a, b] = [light(getComputedStyle(text).fill), light(colors[1])].sort((x, y) => y - x);
      if ((a + 0.05) / (b + 0.05) < 4.5) found.push(`"${text.textContent}" hardly shows on its chart`);
    }
  }
  for (const box of all('.box')) {
    const name = box.querySelector('tbody th[scope=row]');
    if (!name) continue;
    const edge = box.getBoundingClientRect().left;
    box.scrollLeft = 10_000;
    if (name.getBoundingClientRect().left < edge - 1) found.push('names scroll away');
    box.scrollLeft = 0;
    if (box.scrollWidth > box.clientWidth + 1 && getComputedStyle(box).getPropertyValue('--fade') === '0px') {
      found.push(`nothing shows that ${box.getAttribute('aria-label')} goes on`);
    }
  }
  const weak = new Set();
  for (const one of all('body *:not(svg *)')) {
    if (![...one.childNodes].some((node) => node.nodeType === 3 && node.data.trim())) continue;
    const [a, b] = [light(getComputedStyle(one).color), light(behind(one))].sort((x, y) => y - x);
    const contrast = (a + 0.05) / (b + 0.05);
    if (contrast < 4.5) weak.add(`${one.tagName}.${one.className} has a contrast of ${contrast.toFixed(2)}`);
  }
  return [...found, ...weak];
}

/** Runs in the page before anything is opened: checks what a reader sees first. */
function first() {
  const found = [];
  const top = (what) => document.querySelector(what)?.getBoundingClientRect().top ?? Infinity;
  if (top('.result') > 200) found.push('who is first is not said at the top');
  if (top('#standings tbody th') > window.innerHeight) found.push('the standings are not on the first screen');
  const order = ['.result', '#standings .box', '#standings figure', 'details'].map(top);
  if (order.some((at, index) => index && !(order[index - 1] < at))) found.push(`the order from the top is ${order}`);
  const open = document.querySelectorAll('details.part[open]').length;
  if (open > 1) found.push(`${open} parts are open at first`);
  return found;
}

/** Runs in the printed page: returns the parts that would be missing on paper. */
function unprinted() {
  const hidden = [...document.querySelectorAll('details.part > section')].filter((part) => !part.checkVisibility());
  return hidden.map((part) => `${part.id} is not printed`);
}

async function look(browser, name, width, colorScheme) {
  const context = await browser.newContext({ viewport: { width, height: 800 }, colorScheme, deviceScaleFactor: 1 });
  context.setDefaultTimeout(180_000);
  const page = await context.newPage();
  const tell = (problem) => problems.push(`${name}: ${problem}`);
  page.on('request', (request) => {
    if (request.url() !== url && !request.url().startsWith('data:')) tell(`a request for ${request.url()}`);
  });
  page.on('console', (message) => { if (message.type() !== 'log') tell(`the console says ${message.text()}`); });
  page.on('pageerror', (error) => tell(`a script fails: ${error.message}`));
  page.on('dialog', (dialog) => { tell(`a dialog: ${dialog.message()}`); dialog.dismiss(); });
  await page.goto(url, { waitUntil: 'load' });
  (await page.evaluate(first)).forEach(tell);
  await page.locator('nav a[href="#pairs"]').click();
  if (!(await page.locator('#pairs table').isVisible())) tell('a link does not open its part');
  if (shots) await page.screenshot({ path: path.join(shots, `${name}-first.png`) });
  await page.evaluate(async () => {
    document.querySelectorAll('details.part').forEach((part) => { part.open = true; });
    // Styles that depend on the scroll position are known only after drawing.
    for (let frame = 0; frame < 2; frame += 1) await new Promise(requestAnimationFrame);
  });
  (await page.evaluate(inspect)).forEach(tell);
  const shown = await page.locator('#standings th[scope=row] bdi').allTextContents();
  for (const bot of JSON.parse(names)) if (!shown.includes(bot)) tell(`the name ${bot} is not shown as it is: ${shown}`);
  if (shots) await page.screenshot({ path: path.join(shots, `${name}.png`), fullPage: true });
  const match = page.locator('[data-match]').first();
  await match.click();
  await page.keyboard.press('End');
  const [step, last] = (await stepOf(page)).split(' of ');
  if (step !== last) tell(`a match that was chosen is at ${step} of ${last}`);
  const wide = await page.evaluate(() => document.documentElement.scrollWidth);
  if (wide > width) tell(`with a match the page is ${wide} wide`);
  if (await page.locator('[data-match]').count() < 4) tell('there are too few matches');
  if (shots) await page.locator('#matches').screenshot({ path: path.join(shots, `${name}-match.png`) });
  await page.locator('#again summary').click();
  if (!(await page.locator('#again details pre').isVisible())) tell('the tournament file does not open');
  if (width > 1000 && colorScheme === 'dark') {
    // About the width of an A4 page without its margins.
    await page.setViewportSize({ width: 718, height: 1000 });
    await page.emulateMedia({ media: 'print' });
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    if (wide > 718) tell(`${wide} wide on a sheet of 718`);
    if (await page.locator('nav').first().isVisible()) tell('the links are printed');
    await page.evaluate(() => document.querySelectorAll('details').forEach((part) => { part.open = false; }));
    (await page.evaluate(unprinted)).forEach(tell);
    const pdf = await page.pdf(shots ? { path: path.join(shots, 'print.pdf') } : {});
    if (pdf.length < 10_000) tell('it cannot be printed');
  }
  await context.close();
}

const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
for (const [kind, width] of [['desktop', 1280], ['tablet', 768], ['phone', 360]]) {
  for (const scheme of ['light', 'dark']) await look(browser, `${kind}-${scheme}`, width, scheme);
}
await browser.close();
problems.forEach((problem) => console.log(problem));
process.exit(problems.length ? 1 : 0);
