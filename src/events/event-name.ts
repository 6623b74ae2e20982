/** Names of events, `<template>.<component>.<state>` in lower case (C-61), and patterns of them. */

/** @returns the first part of a name: the template, in lower case. */
export function templateOfEvent(name: string): string {
  return name.slice(0, name.indexOf('.'));
}

const PARTS = 3;

/** @returns the pattern with all its parts: a last `*` replaces those that are left out, as in `onramp.*`. */
export function wholePattern(pattern: string): string {
  const parts = pattern.split('.');
  if (parts.at(-1) !== '*') return pattern;
  return [...parts, ...Array(Math.max(0, PARTS - parts.length)).fill('*')].join('.');
}

/**
 * @param pattern - three parts, with `*` for any part or for any characters of one.
 * @returns whether the event is meant.
 */
export function isNamedBy(pattern: string, name: string): boolean {
  const parts = name.split('.');
  return pattern.split('.').every((part, index) => {
    const form = new RegExp(`^${part.split('*').map(RegExp.escape).join('.*')}$`);
    return form.test(parts[index] ?? '');
  });
}
