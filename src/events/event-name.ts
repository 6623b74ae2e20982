/** Names of events: `<template>.<component>.<state>` in lower case (C-61). */

/** @returns the name of a change to this step. */
export function eventName(step: {
  readonly template: string;
  readonly component: string;
  readonly state: string;
}): string {
  return `${step.template}.${step.component}.${step.state}`.toLowerCase();
}

/** @returns the first part of a name: the template, in lower case. */
export function templateOfEvent(name: string): string {
  return name.slice(0, name.indexOf('.'));
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
