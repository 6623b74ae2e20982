/** Steps at which a transaction can continue. */
import type { Registry } from './registry.ts';

/** @returns the steps, as `component/state`, that do not end every template that has them: `step_outcome` calls them OPEN. */
export function openSteps({ templates }: Pick<Registry, 'templates'>): ReadonlySet<string> {
  const open = templates.flatMap(({ steps }) => steps.filter(({ ending }) => ending === 'open'));
  return new Set(open.map(({ component, state }) => `${component}/${state}`));
}
