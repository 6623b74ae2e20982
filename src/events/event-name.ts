/** Names of events, `<template>.<component>.<state>` in lower case (C-61), and patterns of them. */

/** @returns the first part of a name: the template, in lower case. */
export function templateOfEvent(name: string): string {
  return name.slice(0, name.indexOf('.'));
}

const PARTS = 3;

/**
 * @returns the pattern with all three parts: a final `*` stands for the omitted parts, as in `onramp.*`. Several `*` in a row become
 * one: PostgreSQL needs a tenth of a second for eighty.
 */
export function wholePattern(pattern: string): string {
  const parts = pattern.replace(/\*+/g, '*').split('.');
  if (parts.at(-1) !== '*') return parts.join('.');
  return [...parts, ...Array(Math.max(0, PARTS - parts.length)).fill('*')].join('.');
}

/**
 * @param pattern - three parts; `*` matches a whole part, or any characters within a part.
 * @returns whether the pattern matches the event.
 */
export function isNamedBy(pattern: string, name: string): boolean {
  const parts = name.split('.');
  return pattern.split('.').every((part, index) => isPartNamedBy(part, parts[index] ?? ''));
}

/** Finds the fixed texts of the pattern from left to right: a regular expression of many `*` would take exponential time. */
function isPartNamedBy(pattern: string, part: string): boolean {
  const [start = '', ...others] = pattern.split('*');
  const end = others.pop();
  if (end === undefined) return part === pattern;
  if (!part.startsWith(start)) return false;
  let at = start.length;
  for (const text of others) {
    const found = part.indexOf(text, at);
    if (found < 0) return false;
    at = found + text.length;
  }
  return part.length - end.length >= at && part.endsWith(end);
}
