/** Names of events, `<template>.<component>.<state>` in lower case (C-61), and patterns of them. */

/** @returns the first part of a name: the template, in lower case. */
export function templateOfEvent(name: string): string {
  return name.slice(0, name.indexOf('.'));
}

const PARTS = 3;

/** @returns the pattern with all three parts: a final `*` stands for the omitted parts, as in `onramp.*`. */
export function wholePattern(pattern: string): string {
  const parts = pattern.split('.');
  if (parts.at(-1) !== '*') return pattern;
  return [...parts, ...Array(Math.max(0, PARTS - parts.length)).fill('*')].join('.');
}

/**
 * @param pattern - three parts; `*` matches a whole part, or any characters within a part.
 * @returns whether the pattern matches the event.
 */
export function isNamedBy(pattern: string, name: string): boolean {
  const parts = name.split('.');
  return pattern.split('.').every((part, index) => {
    const form = new RegExp(`^${part.split('*').map(RegExp.escape).join('.*')}$`);
    return form.test(parts[index] ?? '');
  });
}
