// Shared by the tests of pages: a real browser, a page whose errors are all reported, and axe-core.
import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import path from 'node:path';

/** Milliseconds to wait for anything on a page: the machine may be busy. */
export const TIMEOUT = 180_000;

/** Starts a browser; `modules` is the folder of playwright-core and axe-core. */
export async function launch(modules, executablePath) {
  const require = createRequire(path.join(path.resolve(modules), 'x.js'));
  const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
  const browser = await require('playwright-core').chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
  return { browser, axe };
}

/** Opens a page in its own window. Reports all its errors, and every request that is not allowed. */
export async function open(browser, options, isAllowed, tell) {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(TIMEOUT);
  const page = await context.newPage();
  page.on('request', (request) => {
    if (!isAllowed(request.url()) && !request.url().startsWith('data:')) tell(`a request for ${request.url()}`);
  });
  page.on('console', (message) => tell(`the console says ${message.text()}`));
  page.on('pageerror', (error) => tell(`a script fails: ${error.message}`));
  page.on('dialog', (dialog) => { tell(`a dialog: ${dialog.message()}`); dialog.dismiss(); });
  return page;
}

/** Returns the step of a replay, and the number of steps. */
export function stepOf(page) {
  return page.locator('.controls input[type=range]').evaluate(({ value, max }) => `${value} of ${max}`);
}

/** Reports the findings of axe-core, except minor ones. */
export async function audit(page, axe, tell) {
  // The page's policy does not block scripts added this way.
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ['violations'] }));
  for (const { id, impact, nodes } of violations) {
    if (impact !== 'minor') tell(`${id}: ${nodes[0].html.slice(0, 150)}`);
  }
}

/** Runs in the page: returns what extends beyond the edge. */
export function overflow() {
  const wide = document.documentElement.scrollWidth;
  return wide > window.innerWidth ? [`the page is ${wide} wide in a window of ${window.innerWidth}`] : [];
}
