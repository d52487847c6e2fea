// Checks the scripts of pages as code: their types, with those of messages made from the schemas, and by a linter.
// node scripts.mjs MODULES ARENA LINK OUT: where typescript, oxlint and json-schema-to-typescript are, the program, the address of a
// server with its token, which the scripts are loaded from as pages load them, and a folder to work in. Prints a line for each finding,
// with its place in the sources; exits with 1 if there is one.
import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { folder, games, has, scripts, source } from './scripts-of-pages.mjs';

const [modules, arena, link, out] = process.argv.slice(2);
const require = createRequire(path.join(path.resolve(modules), 'x.js'));
const bin = (name) => path.join(path.resolve(modules), 'node_modules/.bin', name);
const { compile } = require('json-schema-to-typescript');
/** The findings, each with the scripts that have it. */
const found = new Map();

/** Writes the types of a schema, with this name for the whole. */
async function types(game, name, file) {
  const schema = JSON.parse(execFileSync(arena, ['schema', game], { encoding: 'utf8' }));
  const options = { additionalProperties: false, bannerComment: '', format: false, maxItems: -1, unreachableDefinitions: true };
  writeFileSync(file, await compile({ ...schema, title: name }, name, options));
}

const all = await scripts(link, games(arena));
for (const game of new Set(all.map((script) => script.game))) {
  const dir = path.join(out, game);
  mkdirSync(dir, { recursive: true });
  for (const file of ['pages.d.ts', 'replay.d.ts']) copyFileSync(path.join(folder, file), path.join(dir, file));
  await types(game, 'Lines', path.join(dir, 'game.d.ts'));
  const own = all.filter((script) => script.game === game);
  // Makes each page a module.
  own.forEach(({ name, text }) => writeFileSync(path.join(dir, name), `${text}\nexport {};\n`));
  const config = { compilerOptions: { noEmit: true, allowJs: true, checkJs: true, strict: true, noImplicitAny: false, target: 'es2024', module: 'esnext', lib: ['es2024', 'dom', 'dom.iterable'], types: [] }, files: ['pages.d.ts', ...own.map(({ name }) => name)] };
  writeFileSync(path.join(dir, 'tsconfig.json'), JSON.stringify(config));
  writeFileSync(path.join(dir, '.oxlintrc.json'), readFileSync(path.join(folder, 'oxlint.json')));
  const typed = spawnSync(bin('tsc'), ['--project', dir, '--pretty', 'false'], { encoding: 'utf8' });
  const linted = spawnSync(bin('oxlint'), ['--config', path.join(dir, '.oxlintrc.json'), '--deny-warnings', '--format', 'unix', ...own.map(({ name }) => path.join(dir, name))], { encoding: 'utf8' });
  for (const line of `${typed.stdout}\n${linted.stdout}`.split('\n')) {
    const [, file, row, what] = /([^/\\]+\.js)[(:](\d+)[,:]\d+\)?:? (.*)/.exec(line) ?? [];
    const script = own.find(({ name }) => name === file);
    const place = script ? source(script.text, Number(row)) : file;
    if (file) found.set(`${place}: ${what}`, [...found.get(`${place}: ${what}`) ?? [], file]);
    else if (line.includes('error TS')) found.set(line, []);
  }
  if (![0, 1, 2].includes(typed.status) || ![0, 1].includes(linted.status)) found.set(`${typed.stderr}${linted.stderr}`, []);
}
/** Returns true for code that one page does not use, but another page does. */
const isUsed = ([finding, files]) => finding.includes('never used') && files.length < all.filter(({ text }) => has(text, finding)).length;
const problems = [...found].filter((finding) => !isUsed(finding)).map(([finding]) => finding);
if (problems.length > 0) console.log(problems.join('\n'));
process.exit(problems.length > 0 ? 1 : 0);
