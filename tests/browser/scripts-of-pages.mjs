// The scripts of pages as a server sends them, and their sources.
import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of this file. */
export const folder = path.dirname(fileURLToPath(import.meta.url));
const root = path.join(folder, '../..');
const sources = ['results/src/viewer/js', 'arena/web/src/assets', 'engine/src/games']
  .flatMap((dir) => readdirSync(path.join(root, dir), { recursive: true }).map((file) => `${dir}/${file}`))
  .filter((file) => file.endsWith('.js'))
  .map((file) => ({ file, text: readFileSync(path.join(root, file), 'utf8') }));

/** Returns the names of the games. */
export function games(arena) {
  return JSON.parse(execFileSync(arena, ['games', '--json'], { encoding: 'utf8' })).games.map(({ name }) => name);
}

/** Returns all scripts, each with the game whose table it draws. A script of no game has the first game. */
export async function scripts(link, names) {
  const files = names.flatMap((game) => [`tv-${game}.js`, `seat-${game}.js`].map((name) => ({ name, game })));
  const others = ['lobby.js', 'quick.js', 'live.js', 'ways.js'].map((name) => ({ name, game: names[0] }));
  return Promise.all([...files, ...others].map(async (script) => {
    const response = await fetch(new URL(`/static/${script.name}`, link));
    if (!response.ok) throw new Error(`${script.name}: ${response.status}`);
    return { ...script, text: await response.text() };
  }));
}

/** Returns the place of a line of a script in the sources. */
export function source(script, row) {
  const offset = script.split('\n').slice(0, row - 1).join('\n').length + 1;
  const found = sources.map(({ file, text }) => ({ file, text, at: script.indexOf(text) }))
    .find(({ at, text }) => at >= 0 && at <= offset && offset < at + text.length);
  return found ? `${found.file}:${script.slice(found.at, offset).split('\n').length}` : `line ${row}`;
}

/** Returns a script without the source of this name. */
export function without(script, name) {
  return script.replace(sources.find(({ file }) => file.endsWith(`/${name}`)).text, '');
}

/** Returns true if a script contains the source of a place. */
export function has(script, place) {
  const found = sources.find(({ file }) => place.startsWith(`${file}:`));
  return found !== undefined && script.includes(found.text);
}
