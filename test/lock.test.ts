/** The lock file names every package that another one names: `npm ci` refuses one that does not, on every machine. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

interface Locked {
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
}

const read = (): Record<string, Locked> => JSON.parse(readFileSync('package-lock.json', 'utf8')).packages;

/** Where npm looks for `name` from the package at `place`: beside it, then further up. */
const places = (place: string, name: string): string[] => {
  const steps = place === '' ? [] : place.split('/node_modules/');
  return [...steps.map((_, i) => `${steps.slice(0, steps.length - i).join('/node_modules/')}/`), ''].map(
    (at) => `${at}node_modules/${name}`,
  );
};

it('has every dependency, including those of other platforms', () => {
  const packages = read();
  const missing = Object.entries(packages).flatMap(([place, one]) =>
    Object.keys({ ...one.dependencies, ...one.optionalDependencies, ...one.devDependencies })
      .filter(
        (name) =>
          (place === '' || !one.devDependencies?.[name]) && !places(place, name).some((p) => packages[p]),
      )
      .map((name) => `${place || 'package.json'} needs ${name}`),
  );
  expect(missing).toEqual([]);
});
